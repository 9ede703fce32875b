//! Changes of manifests: what they set and remove, whatever they are written in.

use std::sync::Arc;

use crd_analyzer_syntax::{paths::Step, read_json};
use serde_json::Value;

use super::manifest::Place;
use crate::documents::text::Text;

/// A change of one value of a manifest.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The way to the value, which may be new.
    pub path: Vec<Step<'static>>,
    /// What it is set to. `None`: it is removed.
    pub to: Option<Value>,
}

/// A change as it is written in a file: what is replaced, empty for an insertion, and the new text.
pub type Written = (Place, String);

/// The changes from one text of a manifest to another. `None`: one of them cannot be read.
pub fn between(before: &str, after: &str) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    compare(&value(before)?, &value(after)?, &mut Vec::new(), &mut changes);
    Some(changes)
}

fn value(text: &str) -> Option<Value> {
    let text = Text::whole(Arc::from(text));
    let tree = text.read(*text.documents().documents.first()?).ok()?;
    Some(read_json(&tree).ok()?.root()?.to_value())
}

fn compare(before: &Value, after: &Value, path: &mut Vec<Step<'static>>, changes: &mut Vec<Change>) {
    let set = |path: &[Step<'static>], to: Option<&Value>| Change {
        path: path.to_vec(),
        to: to.cloned(),
    };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, old) in before {
                path.push(Step::key(key.clone()));
                match after.get(key) {
                    Some(new) => compare(old, new, path, changes),
                    None => changes.push(set(path, None)),
                }
                path.pop();
            }
            for (key, new) in after.iter().filter(|it| !before.contains_key(it.0)) {
                path.push(Step::key(key.clone()));
                changes.push(set(path, Some(new)));
                path.pop();
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (index, (old, new)) in before.iter().zip(after).enumerate() {
                path.push(Step::Index(index));
                compare(old, new, path, changes);
                path.pop();
            }
        }
        _ if before == after => {}
        _ => changes.push(set(path, Some(after))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changed_has_a_path() {
        let before = r#"{"a": {"b": 1, "c": [1, 2]}, "d": "x"}"#;
        let after = r#"{"a": {"b": 2, "c": [1, 3], "e": true}}"#;
        let set = |path: &[Step<'static>], to: Value| Change {
            path: path.to_vec(),
            to: Some(to),
        };
        let a = Step::key("a");
        let expected = [
            set(&[a.clone(), Step::key("b")], json!(2)),
            set(&[a.clone(), Step::key("c"), Step::Index(1)], json!(3)),
            set(&[a, Step::key("e")], json!(true)),
            Change {
                path: vec![Step::key("d")],
                to: None,
            },
        ];
        assert_eq!(between(before, after).as_deref(), Some(&expected[..]));
        assert_eq!(between(before, before), Some(Vec::new()));
        assert_eq!(between(before, "{"), None);
    }
}
