//! Go's equality of values, and `uniqueItems`.

use std::collections::HashMap;

use crd_analyzer_budget as budget;
use serde_json::{Number, Value};

use crate::field::render;

/// Whether two values are equal (`reflect.DeepEqual` of the decoded JSON): an integer never equals a float, and the order of fields is irrelevant.
/// The comparison is not recursive.
pub fn deep_equal(a: &Value, b: &Value) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if budget::work(1).is_err() {
            return false;
        }
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

/// Whether a list has two equal items.
pub(super) fn has_duplicates(items: &[Value]) -> bool {
    // Equal values have the same JSON, and different values rarely do, so only items with the same JSON are compared.
    let mut by_text: HashMap<String, Vec<&Value>> = HashMap::with_capacity(items.len());
    for item in items {
        let text = render::json(item);
        if budget::bytes(text.len() as u64).is_err() {
            break;
        }
        let same_text = by_text.entry(text).or_default();
        if same_text.iter().any(|other| deep_equal(item, other)) {
            return true;
        }
        same_text.push(item);
    }
    false
}
