//! Measures the size of values.

use serde_json::Value;

/// The approximate memory for each value, in bytes, in addition to its text.
const NODE_BYTES: u64 = 80;

/// The size of a JSON value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    /// The approximate memory use in bytes.
    pub(crate) bytes: u64,
    /// The number of nesting levels; 1 for a scalar.
    pub(crate) levels: usize,
}

/// Measures a value without recursion.
pub(crate) fn of(value: &Value) -> Size {
    let mut size = Size { bytes: 0, levels: 0 };
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        size.levels = size.levels.max(level);
        let text = match value {
            Value::String(text) => text.len(),
            Value::Array(items) => {
                open.extend(items.iter().map(|it| (it, level + 1)));
                0
            }
            Value::Object(fields) => {
                open.extend(fields.values().map(|it| (it, level + 1)));
                fields.keys().map(String::len).sum()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        };
        size.bytes += NODE_BYTES + text as u64;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_sizes() {
        let value = serde_json::json!({"abc": ["de", {}], "f": 1});
        assert_eq!(
            of(&value),
            Size {
                bytes: 5 * NODE_BYTES + 6,
                levels: 3
            }
        );
    }
}
