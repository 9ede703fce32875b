//! Finds the changes between two texts of a manifest. Does not depend on the source language.

use std::sync::Arc;

pub use crd_analyzer_diagnostic::{Change, Value};
pub use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::{paths::Step, read_json, tree::Span};
use serde_json::Value as Json;

use super::manifest::Place;
use crate::documents::text::Text;

/// A change in a source file: the place to replace, which is empty for an insertion, and the new text.
pub type Written = (Place, String);

/// The changes from one text of a manifest to another. `None` if one of them cannot be parsed.
pub fn between(before: &str, after: &str) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    compare(&json(before)?, &json(after)?, &mut Path::default(), &mut changes);
    Some(changes)
}

/// The edit between the quotes of a string in a JSON text, for an edit that replaces the whole string by another one. `None` if it does not.
pub fn between_quotes(text: &str, span: Span, new_text: &str) -> Option<(Span, String)> {
    let is_string = text
        .get(span.range())
        .is_some_and(|it| it.len() > 1 && it.starts_with('"'));
    let new = json(new_text).filter(|it| is_string && it.is_string())?.to_string();
    let inner = Span::new(span.start + 1, span.end - 1);
    Some((inner, new[1..new.len() - 1].to_owned()))
}

/// The first object in a text. `None` if it cannot be parsed.
pub fn json(text: &str) -> Option<Json> {
    let text = Text::whole(Arc::from(text));
    let tree = text.read(*text.documents().documents.first()?).ok()?;
    Some(read_json(&tree).ok()?.root()?.to_value())
}

fn compare(before: &Json, after: &Json, path: &mut Path, changes: &mut Vec<Change>) {
    match (before, after) {
        (Json::Object(before), Json::Object(after)) => {
            let gone: Vec<_> = before.iter().filter(|it| !after.contains_key(it.0)).collect();
            let new: Vec<_> = after.iter().filter(|it| !before.contains_key(it.0)).collect();
            for (key, old) in before {
                if let Some(new) = after.get(key) {
                    path.push(Segment::Field(key.clone()));
                    compare(old, new, path, changes);
                    path.pop();
                }
            }
            match (&gone[..], &new[..]) {
                ([(old, value)], [(new, other)]) if value == other => {
                    changes.push(Change::Rename(path.child(old), (*new).clone()));
                }
                _ => {
                    changes.extend(gone.into_iter().map(|it| Change::Remove(path.child(it.0))));
                    changes.extend(new.into_iter().map(|it| Change::Set(path.child(it.0), value(it.1))));
                }
            }
        }
        (Json::Array(before), Json::Array(after)) if before.len() == after.len() => {
            for (index, (old, new)) in before.iter().zip(after).enumerate() {
                path.push(Segment::Index(index));
                compare(old, new, path, changes);
                path.pop();
            }
        }
        _ if before == after => {}
        _ => changes.push(Change::Set(path.clone(), value(after))),
    }
}

/// The value that a change sets, converted from JSON.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::String(text) => Value::Text(text.clone()),
        Json::Bool(value) => Value::Bool(*value),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            Value::List(items.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect())
        }
        Json::Object(fields) => Value::Map(fields.iter().map(|(key, it)| (key.clone(), value(it))).collect()),
        // JSON is valid YAML.
        Json::Null | Json::Number(_) | Json::Array(_) => Value::AsWritten(json.to_string()),
    }
}

/// Converts the path of a field to steps.
pub(super) fn steps(path: &Path) -> Vec<Step<'_>> {
    let steps = path.segments().iter().map(|it| match it {
        Segment::Field(name) | Segment::Key(name) => Step::key(name.as_str()),
        Segment::Index(index) => Step::Index(*index),
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_has_a_path() {
        let before = r#"{"a": {"b": 1, "c": ["1", 2], "old": [1]}, "d": "x", "f": {"g": 1, "h": 2}}"#;
        let after = r#"{"a": {"b": 2, "c": ["1", 3], "new": [1]}, "d": "y", "f": {"i": [1], "j": {"k": ["l"]}}}"#;
        let a = Path::of(["a"]);
        let number = |it: &str| Value::AsWritten(it.to_owned());
        let expected = [
            Change::Set(a.child("b"), number("2")),
            Change::Set(a.child("c").index(1), number("3")),
            Change::Rename(a.child("old"), "new".to_owned()),
            Change::Set(Path::of(["d"]), Value::text_of("y")),
            Change::Remove(Path::of(["f", "g"])),
            Change::Remove(Path::of(["f", "h"])),
            Change::Set(Path::of(["f", "i"]), number("[1]")),
            Change::Set(
                Path::of(["f", "j"]),
                Value::entry("k", Value::List(vec!["l".to_owned()])),
            ),
        ];
        assert_eq!(between(before, after).as_deref(), Some(&expected[..]));
        assert_eq!(between(before, before), Some(Vec::new()));
        assert_eq!(between(before, "{"), None);
    }
}
