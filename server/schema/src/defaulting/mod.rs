//! Defaulting (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`).

mod coerced;
mod prune;
mod rewrite;
mod surrounding;
mod validation;

use crd_analyzer_budget as budget;
use serde_json::Value;

pub use coerced::coerce_defaults;
pub use prune::{PruneError, has_unpruned_defaults, prune_defaults};
pub use validation::{Options, RuleOutcome, RuleRun, Rules, RunRules, validate_defaults};

use crate::structural::{AdditionalProperties, Structural};
use crate::unknown::Known;

#[cfg(test)]
mod tests;

/// Fills the defaults of `schema` into `value`. A null that the schema does not allow is also replaced by a default (`Default`).
///
/// Call [`prune_nulls`] first, which removes nulls that are neither allowed nor have a default. If an object may have more fields than are `known`, a
/// missing field may exist after all, so it gets no default.
pub fn set_defaults(value: &mut Value, known: Known<'_>, schema: Option<Structural<'_>>) {
    let Some(schema) = schema else {
        return;
    };
    match value {
        Value::Object(fields) => {
            for (name, property) in schema.properties() {
                let Some(default) = property.default_value() else {
                    continue;
                };
                match fields.get_mut(name) {
                    None if known.may_have(name) => {}
                    None => {
                        // An empty object takes no memory until its first field is inserted.
                        if fields.is_empty() && budget::bytes(COPIES * OBJECT_BYTES).is_err() {
                            return;
                        }
                        fields.insert(name.to_owned(), copied(default));
                    }
                    Some(field) if field.is_null() && !property.nullable() => *field = copied(default),
                    Some(_) => {}
                }
            }
            let additional = schema.additional_properties().and_then(AdditionalProperties::schema);
            for (name, field) in fields {
                let known = known.field(name);
                if let Some(property) = schema.property(name) {
                    set_defaults(field, known, Some(property));
                } else if let Some(additional) = additional {
                    set_in_place_of_null(field, additional);
                    set_defaults(field, known, Some(additional));
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.items() else {
                return;
            };
            for (n, item) in items.iter_mut().enumerate() {
                set_in_place_of_null(item, schema);
                set_defaults(item, known.item(n), Some(schema));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn set_in_place_of_null(value: &mut Value, schema: Structural<'_>) {
    if value.is_null()
        && !schema.nullable()
        && let Some(default) = schema.default_value()
    {
        *value = copied(default);
    }
}

/// Returns a copy of a default, or null if the memory budget is used up. The budget is necessary because many fields may share one default.
fn copied(default: &Value) -> Value {
    match default {
        Value::Array(_) | Value::Object(_) | Value::String(_) if budget::bytes(COPIES * size_of(default)).is_err() => {
            Value::Null
        }
        default => default.clone(),
    }
}

/// The number of copies of a resource in memory: as read, prepared, stored, and displayed.
const COPIES: u64 = 3;

/// The size of an object with one field, in bytes.
const OBJECT_BYTES: u64 = 640;

/// The approximate size of a value in memory, in bytes. An object with a few fields takes as much memory as one with eleven.
fn size_of(value: &Value) -> u64 {
    const NODE: u64 = 64;
    match value {
        Value::String(text) => NODE + text.len() as u64,
        Value::Array(items) => NODE + items.iter().map(size_of).sum::<u64>(),
        Value::Object(fields) => {
            let texts: u64 = fields.keys().map(|name| name.len() as u64).sum();
            OBJECT_BYTES.max(fields.len() as u64 * NODE) + texts + fields.values().map(size_of).sum::<u64>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => NODE,
    }
}

/// Removes from objects the nulls that are neither allowed nor have a default (`PruneNonNullableNullsWithoutDefaults`). Nulls with a default are left
/// for [`set_defaults`].
pub fn prune_nulls(value: &mut Value, schema: Option<Structural<'_>>) {
    let Some(schema) = schema else {
        return;
    };
    match value {
        Value::Object(fields) => fields.retain(|name, field| {
            let schema = schema.field(name);
            let is_dropped = field.is_null() && schema.is_some_and(|it| !it.nullable() && it.default_value().is_none());
            if !is_dropped {
                prune_nulls(field, schema);
            }
            !is_dropped
        }),
        Value::Array(items) => {
            let schema = schema.items();
            for item in items {
                prune_nulls(item, schema);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
