//! Values that are not known, because something fills them in before the object is sent: a template, a substitution, the base of a patch.
//!
//! They are texts with a mark, so that they pass through everything that takes values. Whoever judges a value asks [`is_unknown`] first and
//! then says nothing. A rule that meets one has no result ([`touch`]).

use std::cell::Cell;

use serde_json::{Map, Value};

/// What the text of an unknown value begins with. No YAML has these characters, unless they are escaped.
const MARK: &str = "\u{FFFF}\u{FFFE}";
/// Follows the mark where any number of items or entries is meant.
const MANY: char = '*';
/// Follows the mark where one value is meant.
const ONE: char = '?';

thread_local! {
    static TOUCHED: Cell<bool> = const { Cell::new(false) };
}

/// A value that is not known, written like this.
pub fn one(written: &str) -> String {
    format!("{MARK}{ONE}{written}")
}

/// Any number of items of a list; as a key: of entries of an object.
pub fn many(written: &str) -> String {
    format!("{MARK}{MANY}{written}")
}

/// Whether a text marks an unknown value.
pub fn is_text(text: &str) -> bool {
    text.starts_with(MARK)
}

/// Whether a text marks any number of unknown items.
pub fn is_many(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|it| it.starts_with(MANY))
}

/// Whether a value is not known.
pub fn is_unknown(value: &Value) -> bool {
    value.as_str().is_some_and(is_text)
}

/// Whether an object may have more entries than it shows.
pub fn is_open(object: &Map<String, Value>) -> bool {
    object.keys().any(|it| is_text(it))
}

/// Whether a list may have more items than it shows.
pub fn has_more(items: &[Value]) -> bool {
    items.iter().any(|it| it.as_str().is_some_and(is_many))
}

/// Whether something in a value is not known.
pub fn is_in(value: &Value) -> bool {
    match value {
        Value::String(text) => is_text(text),
        Value::Array(items) => items.iter().any(is_in),
        Value::Object(fields) => fields.iter().any(|(name, value)| is_text(name) || is_in(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Remembers that an evaluation met something that is not known.
pub fn touch() {
    TOUCHED.set(true);
}

/// Whether that happened since it was asked for the last time.
pub fn was_touched() -> bool {
    TOUCHED.replace(false)
}

/// The value as it is written, without the entries that only say that there may be more.
pub fn as_written(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(written) = text.strip_prefix(MARK) {
                *text = written.chars().skip(1).collect();
            }
        }
        Value::Array(items) => {
            items.retain(|it| !it.as_str().is_some_and(is_many));
            for item in items {
                as_written(item);
            }
        }
        Value::Object(fields) => {
            fields.retain(|name, _| !is_text(name));
            for (_, value) in fields {
                as_written(value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Metadata that can be decoded: unknown values stay only in names, and a patch without a name gets an unknown one.
pub fn settle_metadata(metadata: &Value) -> Value {
    let Value::Object(fields) = metadata else {
        return if is_unknown(metadata) {
            Value::Object(Map::from_iter([("name".to_owned(), Value::String(one("")))]))
        } else {
            metadata.clone()
        };
    };
    let mut settled = Map::new();
    for (name, value) in fields.iter().filter(|it| !is_text(it.0)) {
        match (name.as_str(), value) {
            ("name" | "generateName" | "namespace", _) => {
                settled.insert(name.clone(), value.clone());
            }
            ("labels" | "annotations", Value::Object(entries)) => {
                let known = entries.iter().filter(|it| !is_text(it.0) && !is_unknown(it.1));
                let known = known.map(|(key, value)| (key.clone(), value.clone())).collect();
                settled.insert(name.clone(), Value::Object(known));
            }
            _ if is_in(value) => {}
            _ => {
                settled.insert(name.clone(), value.clone());
            }
        }
    }
    if is_open(fields) && !settled.contains_key("name") && !settled.contains_key("generateName") {
        settled.insert("name".to_owned(), Value::String(one("")));
    }
    Value::Object(settled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settled_metadata_can_be_decoded() {
        let unknown = one("${A}");
        let metadata = json!({
            "name": unknown, "labels": {"a": unknown, "b": "c"}, "annotations": unknown,
            "ownerReferences": [{"uid": unknown}], "finalizers": ["a/b"],
        });
        let settled = settle_metadata(&metadata);
        assert_eq!(
            settled,
            json!({"name": unknown, "labels": {"b": "c"}, "finalizers": ["a/b"]})
        );
        let open = json!({many("x"): null, "labels": {}});
        assert_eq!(settle_metadata(&open), json!({"labels": {}, "name": one("")}));
    }

    #[test]
    fn shown_as_written() {
        let mut value = json!({"a": one("${A}"), many("b"): 1, "c": [many("d"), "e"]});
        assert!(is_in(&value));
        as_written(&mut value);
        assert_eq!(value, json!({"a": "${A}", "c": ["e"]}));
    }
}
