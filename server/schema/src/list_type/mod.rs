//! Lists with the list type `set` or `map` (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype`).

use std::collections::HashMap;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::KubernetesVersion;
use serde_json::{Map, Value};

use crate::codes;
use crate::field::{Cause, Error, Path, Room, Trail, render};
use crate::structural::{AdditionalProperties, Structural};
use crate::unknown::Known;

#[cfg(test)]
mod tests;

/// Returns errors for duplicate items and keys in the lists of `object` (`ValidateListSetsAndMaps`).
///
/// Each duplicate is reported once, at its second occurrence.
pub fn validate_list_sets_and_maps(
    object: &Map<String, Value>,
    known: Known<'_>,
    schema: Structural<'_>,
    path: &Path,
    version: KubernetesVersion,
) -> Vec<Error> {
    let mut check = Check::new(version);
    check.object(object, known, schema, &Trail::new(path));
    check.errors
}

/// Like [`validate_list_sets_and_maps`], for a value that need not be an object.
pub fn validate_value(value: &Value, schema: Structural<'_>, path: &Path, version: KubernetesVersion) -> Vec<Error> {
    let mut check = Check::new(version);
    check.value(value, Known::ALL, schema, &Trail::new(path));
    check.errors
}

struct Check {
    version: KubernetesVersion,
    errors: Vec<Error>,
    room: Room,
}

impl Check {
    fn new(version: KubernetesVersion) -> Self {
        Self {
            version,
            errors: Vec::new(),
            room: Room::default(),
        }
    }

    /// Validates a field twice, like the API server, if it is a property and `additionalProperties` also applies.
    fn object(&mut self, object: &Map<String, Value>, known: Known<'_>, schema: Structural<'_>, at: &Trail<'_>) {
        if let Some(additional) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            for (name, field) in object {
                self.value(field, known.field(name), additional, &at.key(name));
            }
        }
        if schema.has_no_properties() {
            return;
        }
        for (name, field) in object {
            if let Some(property) = schema.property(name) {
                self.value(field, known.field(name), property, &at.child(name));
            }
        }
    }

    fn value(&mut self, value: &Value, known: Known<'_>, schema: Structural<'_>, at: &Trail<'_>) {
        if budget::work(1).is_err() {
            return;
        }
        match value {
            Value::Array(items) => self.list(items, known, schema, at),
            Value::Object(object) => self.object(object, known, schema, at),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// `validateListSetsAndMapsArray`
    fn list(&mut self, items: &[Value], known: Known<'_>, schema: Structural<'_>, at: &Trail<'_>) {
        match schema.list_type() {
            Some("set") => {
                let items_known = items.iter().enumerate().map(|(n, item)| (item, known.item(n)));
                for n in second_places(items_known.map(|(item, known)| Unique::of(item, known))) {
                    self.duplicate(&items[n], &[], &at.index(n));
                }
            }
            Some("map") => self.map(items, known, schema.list_map_keys(), at),
            _ => {}
        }
        if let Some(schema) = schema.items() {
            for (n, item) in items.iter().enumerate() {
                self.value(item, known.item(n), schema, &at.index(n));
            }
        }
    }

    /// `validateListMap`. A null item or an item without the keys has the empty key.
    fn map(&mut self, items: &[Value], known: Known<'_>, key_fields: &[String], at: &Trail<'_>) {
        let is_wrong = |(n, item): (usize, &Value)| !item.is_null() && !item.is_object() && !known.item(n).is_nothing();
        let wrong = items.iter().enumerate().position(is_wrong);
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
        // If the list has only one key, the API server directly uses the value of the key, so scalars are compared as scalars.
        let items_known = items.iter().enumerate().map(|(n, item)| (item, known.item(n)));
        let uniques = items_known.map(|(item, known)| match key_fields {
            [name] => match item.get(name) {
                Some(key) => Unique::of(key, known.field(name)),
                None => Unique::missing(item, known),
            },
            names if !names.iter().all(|name| known.field(name).is_all()) => Unique::unknown(item),
            _ => match Unique::missing(item, known) {
                Unique::Unspecified => Unique::compound(&key_of(item, key_fields)),
                unknown => unknown,
            },
        });
        for n in second_places(uniques) {
            self.duplicate(&key_of(&items[n], key_fields), key_fields, &at.index(n));
        }
    }

    fn duplicate(&mut self, value: &Value, key_fields: &[String], at: &Trail<'_>) {
        if !self.room.is_left() {
            budget::leave_out(1);
            return;
        }
        let bad_value = render::bad_value(value, self.version);
        let error = Error::duplicate(codes::DUPLICATE_LIST_ITEM, at.path(), bad_value);
        let error = error.because(Cause::Allowed(key_fields.to_vec()));
        self.room.take(error.bytes());
        self.errors.push(error);
    }
}

fn key_of(item: &Value, key_fields: &[String]) -> Value {
    let fields = key_fields
        .iter()
        .filter_map(|name| Some((name.clone(), item.get(name)?.clone())));
    Value::Object(fields.collect())
}

/// The indexes of items that occur for the second time, in order (`validateListSet`).
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

/// An item of a list. Two items are equal if the API server considers them equal. Scalars are compared like Go interfaces: an integer never equals a
/// float. Objects and arrays are compared by their JSON, where `1.0` equals `1`.
#[derive(PartialEq, Eq, Hash)]
enum Unique<'v> {
    /// The value of a key that the item does not have.
    Unspecified,
    Null,
    Bool(bool),
    Integer(i64),
    /// The bits of a float other than negative zero.
    Float(u64),
    Text(&'v str),
    Compound(String),
    /// An unknown value, identified by its address so that it does not equal any other value.
    Unknown(usize),
}

impl<'v> Unique<'v> {
    fn of(value: &'v Value, known: Known<'_>) -> Self {
        if !known.is_all() {
            return Self::unknown(value);
        }
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                // Adding zero turns negative zero into positive zero; the API server treats them as equal.
                None => Self::Float((number.as_f64().unwrap_or_default() + 0.0).to_bits()),
            },
            Value::String(text) => Self::Text(text),
            Value::Array(_) | Value::Object(_) => Self::compound(value),
        }
    }

    /// The value of a missing key. The value is unknown if the item may have more fields than are known.
    fn missing(item: &Value, known: Known<'_>) -> Self {
        if known.is_nothing() || known.has_more() {
            Self::unknown(item)
        } else {
            Self::Unspecified
        }
    }

    fn unknown(value: &Value) -> Self {
        Self::Unknown(std::ptr::from_ref(value) as usize)
    }

    /// Serializes a list or object. A nested list is serialized again for each surrounding list.
    fn compound(value: &Value) -> Self {
        let text = render::json(value);
        // If this exhausts the budget, the code that set the limits reports it.
        let _ = budget::work(text.len() as u64 / budget::BYTES_PER_WORK);
        Self::Compound(text)
    }
}
