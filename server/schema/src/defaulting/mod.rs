//! Defaulting (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`).

mod coerced;
mod prune;
mod rewrite;
mod surrounding;
mod validation;

use serde_json::Value;

pub use coerced::coerce_defaults;
pub use prune::{PruneError, has_unpruned_defaults, prune_defaults};
pub use validation::{Options, RuleOutcome, RuleRun, Rules, RunRules, validate_defaults};

use crate::structural::{AdditionalProperties, Structural};

#[cfg(test)]
mod tests;

/// Sets the defaults of `schema` in `value`, also in place of nulls that are not allowed (`Default`).
///
/// Nulls that are neither allowed nor have a default should be gone, see [`prune_nulls`].
pub fn set_defaults(value: &mut Value, schema: Option<Structural<'_>>) {
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
                    None => {
                        fields.insert(name.to_owned(), default.clone());
                    }
                    Some(field) if field.is_null() && !property.nullable() => *field = default.clone(),
                    Some(_) => {}
                }
            }
            let additional = schema.additional_properties().and_then(AdditionalProperties::schema);
            for (name, field) in fields {
                if let Some(property) = schema.property(name) {
                    set_defaults(field, Some(property));
                } else if let Some(additional) = additional {
                    set_in_place_of_null(field, additional);
                    set_defaults(field, Some(additional));
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.items() else {
                return;
            };
            for item in items {
                set_in_place_of_null(item, schema);
                set_defaults(item, Some(schema));
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
        *value = default.clone();
    }
}

/// Drops the nulls in objects that are neither allowed nor have a default
/// (`PruneNonNullableNullsWithoutDefaults`). Those that have one are left for [`set_defaults`].
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
