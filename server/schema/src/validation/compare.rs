//! Equality of values as Go has it, `enum` and `uniqueItems`.

use std::collections::HashMap;

use serde_json::{Number, Value};

use super::number::int64;
use super::outcome::{Failure, Outcome, Report};
use super::place::Place;
use crate::codes;
use crate::field::render;
use crate::json_schema::JsonSchemaProps;

/// Whether two values are the same (`reflect.DeepEqual` of what JSON decodes to): an integer never equals a float, objects
/// have no order. Does not recurse.
pub fn deep_equal(a: &Value, b: &Value) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => open.extend(a.iter().zip(b)),
            (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
                for (key, value) in a {
                    let Some(other) = b.get(key) else { return false };
                    open.push((value, other));
                }
            }
            (Value::Number(a), Value::Number(b)) if equal_numbers(a, b) => {}
            (Value::Null, Value::Null) => {}
            (Value::Bool(a), Value::Bool(b)) if a == b => {}
            (Value::String(a), Value::String(b)) if a == b => {}
            _ => return false,
        }
    }
    true
}

fn equal_numbers(a: &Number, b: &Number) -> bool {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64() == b.as_f64(),
        _ => false,
    }
}

/// `enum` (`basicCommonValidator`). Null is in no enum, whatever that lists.
pub(super) fn check_enum<'s, 'v>(schema: &'s JsonSchemaProps, value: &'v Value, place: &Place<'_>) -> Outcome<'s, 'v> {
    let listed = &schema.r#enum;
    if listed.is_empty() || listed.iter().any(|other| is_listed(value, other)) {
        return Outcome::default();
    }
    // These words are never shown, but equal ones are reported once.
    let mut what = "should be one of [".to_owned();
    for (n, value) in listed.iter().enumerate() {
        if n > 0 {
            what.push(' ');
        }
        what.push_str(&render::go_value(value));
    }
    what.push(']');
    Failure::at(
        place,
        codes::NOT_IN_ENUM,
        &what,
        Report::NotSupported {
            value,
            supported: listed,
        },
    )
    .into()
}

/// Whether a value equals one of an enum after Go's conversion to the type of that one: numbers are cut to integers or
/// widened to floats, and an integer becomes the character with that code where a string is listed.
fn is_listed(value: &Value, listed: &Value) -> bool {
    match (value, listed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(listed)) => match (value.as_i64(), listed.as_i64()) {
            (Some(value), Some(listed)) => value == listed,
            (None, Some(listed)) => value.as_f64().is_some_and(|value| int64(value) == listed),
            (Some(value), None) => Some(value as f64) == listed.as_f64(),
            (None, None) => value.as_f64() == listed.as_f64(),
        },
        (Value::Number(value), Value::String(listed)) => value.as_i64().is_some_and(|code| {
            let c = u32::try_from(code)
                .ok()
                .and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER);
            let mut chars = listed.chars();
            chars.next() == Some(c) && chars.next().is_none()
        }),
        _ => deep_equal(value, listed),
    }
}

/// Whether a list has two equal items.
pub(super) fn has_duplicates(items: &[Value]) -> bool {
    // Equal values have the same JSON text, and other values rarely do.
    let mut by_text: HashMap<String, Vec<&Value>> = HashMap::with_capacity(items.len());
    for item in items {
        let same_text = by_text.entry(render::json(item)).or_default();
        if same_text.iter().any(|other| deep_equal(item, other)) {
            return true;
        }
        same_text.push(item);
    }
    false
}
