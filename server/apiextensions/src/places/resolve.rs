//! Maps paths in a document to nodes.

use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::json::{Json, JsonValue, Member};

use super::LocatedField;

/// The number of versions in a document.
pub(super) fn versions(json: &Json<'_>) -> usize {
    let versions = member(json, "spec").and_then(|it| member(&it.value, "versions"));
    match versions.map(|it| &it.value.value) {
        Some(JsonValue::Array(items)) => items.len(),
        _ => 0,
    }
}

/// Follows a path until a step does not exist in the document.
pub(super) fn place(json: &Json<'_>, path: Path) -> LocatedField {
    let mut key = None;
    let mut value = json;
    let mut missing = false;
    for step in path.segments() {
        let below = match step {
            Segment::Field(name) | Segment::Key(name) => member(value, name).map(|it| (Some(it.key_node), &it.value)),
            Segment::Index(index) => item(value, *index).map(|it| (None, it)),
        };
        let Some((its_key, its_value)) = below else {
            missing = true;
            break;
        };
        key = its_key;
        value = its_value;
    }
    LocatedField {
        path,
        key,
        value: value.node,
        missing,
    }
}

fn member<'a, 't>(json: &'a Json<'t>, key: &str) -> Option<&'a Member<'t>> {
    let JsonValue::Object(members) = &json.value else {
        return None;
    };
    let at = members.binary_search_by(|it| it.key.as_ref().cmp(key)).ok()?;
    Some(&members[at])
}

fn item<'a, 't>(json: &'a Json<'t>, index: usize) -> Option<&'a Json<'t>> {
    let JsonValue::Array(items) = &json.value else {
        return None;
    };
    items.get(index)
}
