//! A value in the place of an object that needs only this value.

use crd_analyzer_diagnostic::text::clip;
use crd_analyzer_schema::field::{Error, Segment};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::{NodeId, Tree},
};

use crate::{findings::finding::Finding, words};

/// The maximum number of properties to look at.
const MOST_PROPERTIES: usize = 100;

/// The only required property of an object, if it is a string without a default.
fn only_required(tree: &Tree, schema: NodeId) -> Option<String> {
    let mut required = tree.items(tree.resolve(tree.get(schema, "required")?));
    let (only, None) = (tree.scalar(required.next()?), required.next()) else {
        return None;
    };
    let properties = tree.resolve(tree.get(schema, "properties")?);
    if tree.entries(properties).nth(MOST_PROPERTIES).is_some() {
        return None;
    }
    let property = tree.resolve(tree.get(properties, &only)?);
    let is_string = tree.get(property, "type").is_some_and(|it| tree.scalar(it) == "string");
    is_string.then(|| only.into_owned())
}

/// The error is about a wrong type. If a string is in the place of an object with exactly one required property, which is a string, makes the help say to write that property. `schema`
/// is the schema of the object.
pub(super) fn say(finding: &mut Finding, error: &Error, root: &Json<'_>, (tree, schema): (&Tree, NodeId)) {
    let Some(JsonValue::String(text)) = words::at(root, error.place().segments()).map(|it| &it.value) else {
        return;
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_object = tree.get(schema, "type").is_some_and(|it| tree.scalar(it) == "object");
    // Other texts would need quotes.
    if !is_object || !text.starts_with(char::is_alphabetic) || !text.chars().all(is_word) {
        return;
    }
    let Some(only) = only_required(tree, schema) else {
        return;
    };
    let entry = format!("{}: {}", clip(&only, 40), clip(text, 40));
    finding.help = match error.place().segments().last() {
        Some(Segment::Field(key) | Segment::Key(key)) => {
            vec![format!("write `{}: {{{entry}}}`", clip(key, 40))]
        }
        Some(Segment::Index(_)) => vec![format!("write `- {entry}`")],
        None => return,
    };
}
