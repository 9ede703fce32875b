//! Lists that are sets or maps (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype`).

use std::collections::HashMap;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::{Map, Value};

use crate::codes;
use crate::field::{Error, Path, Trail, render};
use crate::structural::{AdditionalProperties, Structural};

#[cfg(test)]
mod tests;

/// The items and keys of lists in `object` that must be unique and are not (`ValidateListSetsAndMaps`).
///
/// Each is told once, at its second place.
pub fn validate_list_sets_and_maps(
    object: &Map<String, Value>,
    schema: Structural<'_>,
    path: &Path,
    version: KubernetesVersion,
) -> Vec<Error> {
    let mut check = Check {
        version,
        errors: Vec::new(),
    };
    check.object(object, schema, &Trail::new(path));
    check.errors
}

/// The same for any value, which need not be an object.
pub fn validate_value(value: &Value, schema: Structural<'_>, path: &Path, version: KubernetesVersion) -> Vec<Error> {
    let mut check = Check {
        version,
        errors: Vec::new(),
    };
    check.value(value, schema, &Trail::new(path));
    check.errors
}

struct Check {
    version: KubernetesVersion,
    errors: Vec<Error>,
}

impl Check {
    /// A field that is both a property and covered by `additionalProperties` is judged twice, as the server does.
    fn object(&mut self, object: &Map<String, Value>, schema: Structural<'_>, at: &Trail<'_>) {
        if let Some(additional) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            for (name, field) in object {
                self.value(field, additional, &at.key(name));
            }
        }
        if schema.has_no_properties() {
            return;
        }
        for (name, field) in object {
            if let Some(property) = schema.property(name) {
                self.value(field, property, &at.child(name));
            }
        }
    }

    fn value(&mut self, value: &Value, schema: Structural<'_>, at: &Trail<'_>) {
        match value {
            Value::Array(items) => self.list(items, schema, at),
            Value::Object(object) => self.object(object, schema, at),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// `validateListSetsAndMapsArray`
    fn list(&mut self, items: &[Value], schema: Structural<'_>, at: &Trail<'_>) {
        match schema.list_type() {
            Some("set") => {
                for n in second_places(items.iter().map(Unique::of)) {
                    self.duplicate(&items[n], &at.index(n));
                }
            }
            Some("map") => self.map(items, schema.list_map_keys(), at),
            _ => {}
        }
        if let Some(schema) = schema.items() {
            for (n, item) in items.iter().enumerate() {
                self.value(item, schema, &at.index(n));
            }
        }
    }

    /// `validateListMap`. A null item, and an item without the keys, have the empty key.
    fn map(&mut self, items: &[Value], key_fields: &[String], at: &Trail<'_>) {
        let wrong = items.iter().position(|item| !item.is_null() && !item.is_object());
        if let Some(n) = wrong {
            self.errors.push(Error::invalid(
                codes::LIST_MAP_ITEM_TYPE,
                at.index(n).path(),
                render::bad_value(&items[n], self.version),
                "must be an object for an array of list-type map",
            ));
            return;
        }
        if items.len() <= 1 {
            return;
        }
        // The server takes a single key out of its object, so scalars are then compared as scalars.
        let uniques: Vec<Unique<'_>> = match key_fields {
            [name] => items
                .iter()
                .map(|item| item.get(name).map_or(Unique::Unspecified, Unique::of))
                .collect(),
            _ => items
                .iter()
                .map(|item| Unique::Compound(render::json(&key_of(item, key_fields))))
                .collect(),
        };
        for n in second_places(uniques) {
            self.duplicate(&key_of(&items[n], key_fields), &at.index(n));
        }
    }

    fn duplicate(&mut self, value: &Value, at: &Trail<'_>) {
        let bad_value = render::bad_value(value, self.version);
        self.errors
            .push(Error::duplicate(codes::DUPLICATE_LIST_ITEM, at.path(), bad_value));
    }
}

fn key_of(item: &Value, key_fields: &[String]) -> Value {
    let fields = key_fields
        .iter()
        .filter_map(|name| Some((name.clone(), item.get(name)?.clone())));
    Value::Object(fields.collect())
}

/// Where an item is there for the second time, in order (`validateListSet`).
fn second_places<'v>(items: impl IntoIterator<Item = Unique<'v>>) -> Vec<usize> {
    let mut times: HashMap<Unique<'v>, usize> = HashMap::new();
    let mut places = Vec::new();
    for (n, item) in items.into_iter().enumerate() {
        let times = times.entry(item).or_insert(0);
        *times += 1;
        if *times == 2 {
            places.push(n);
        }
    }
    places
}

/// A value under the server's equality of items: scalars as Go compares interfaces, in which an integer is no float, and
/// compounds by their JSON, in which `1.0` is `1`.
#[derive(PartialEq, Eq, Hash)]
enum Unique<'v> {
    /// A key that an item does not have.
    Unspecified,
    Null,
    Bool(bool),
    Integer(i64),
    /// The bits of a float that is not negative zero.
    Float(u64),
    Text(&'v str),
    Compound(String),
}

impl<'v> Unique<'v> {
    fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                // Adding zero makes a positive zero of a negative one; the server holds them equal.
                None => Self::Float((number.as_f64().unwrap_or_default() + 0.0).to_bits()),
            },
            Value::String(text) => Self::Text(text),
            Value::Array(_) | Value::Object(_) => Self::Compound(render::json(value)),
        }
    }
}
