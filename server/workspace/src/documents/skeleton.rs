//! Skeletons: generated reference objects that list all fields of a kind, with empty values that only show their types.

use crd_analyzer_syntax::json::{Json, JsonDoc, JsonValue};

/// The minimum number of values in a skeleton. An object with fewer empty values may have been written by hand.
const LEAST_VALUES: usize = 20;

/// In a skeleton, at most one of this many values is not empty.
const ONE_OF: usize = 4;

/// Whether nearly all values of an object are empty, apart from those in its metadata.
pub(crate) fn is_skeleton(json: &JsonDoc<'_>) -> bool {
    let (mut all, mut empty) = (0, 0);
    let members = json.root().and_then(Json::members).unwrap_or_default();
    let members = members
        .iter()
        .filter(|it| !matches!(&*it.key, "apiVersion" | "kind" | "metadata"));
    let mut open: Vec<&Json<'_>> = members.map(|it| &it.value).collect();
    while let Some(json) = open.pop() {
        let (items, members) = (json.items().unwrap_or_default(), json.members().unwrap_or_default());
        if items.is_empty() && members.is_empty() {
            all += 1;
            empty += usize::from(is_empty(json) || matches!(json.value, JsonValue::Bool(false) | JsonValue::Int(0)));
        }
        open.extend(items);
        open.extend(members.iter().map(|it| &it.value));
    }
    let rest = all - empty;
    all >= LEAST_VALUES && rest * ONE_OF <= all
}

/// Whether a value is empty, so that it shows only its type.
pub(crate) fn is_empty(json: &Json<'_>) -> bool {
    match &json.value {
        JsonValue::String(text) => text.is_empty(),
        JsonValue::Object(members) => members.is_empty(),
        JsonValue::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{
        read_json,
        split::{read_document, split},
    };

    use super::*;

    fn is_skeleton_of(values: &[&str]) -> bool {
        let lines = values.iter().enumerate().map(|(n, it)| format!("  a{n}: {it}"));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let text: Arc<str> = format!("kind: Widget\nmetadata: {{name: a, labels: {{a: b}}}}\nspec:\n{lines}").into();
        let tree = read_document(&text, split(&text).documents[0], &[]).unwrap();
        is_skeleton(&read_json(&tree).unwrap())
    }

    #[test]
    fn nearly_all_values_are_empty() {
        let empty = ["\"\"", "{}", "[]", "0", "false"].repeat(4);
        assert!(is_skeleton_of(&empty));
        assert!(is_skeleton_of(&[empty.as_slice(), &["3", "a", "true"]].concat()));
        assert!(!is_skeleton_of(&empty[1..]), "too few");
        assert!(!is_skeleton_of(
            &[empty.as_slice(), ["3"].repeat(8).as_slice()].concat()
        ));
    }
}
