//! What YAML reads of the text of a scalar.

use std::sync::Arc;

use crd_analyzer_syntax::{
    json::{JsonValue, read_json},
    read,
    tree::Span,
};

/// The value of a plain scalar in YAML. `None` if the text is not a scalar.
pub(crate) fn resolved(text: &str) -> Option<JsonValue<'static>> {
    let source: Arc<str> = text.into();
    let tree = read(&source, Span::new(0, source.len() as u32)).ok()?;
    let json = read_json(&tree).ok()?;
    Some(match json.root().map(|it| &it.value) {
        Some(JsonValue::String(text)) => JsonValue::String(text.as_ref().to_owned().into()),
        Some(JsonValue::Bool(flag)) => JsonValue::Bool(*flag),
        Some(JsonValue::Int(int)) => JsonValue::Int(*int),
        Some(JsonValue::Uint(int)) => JsonValue::Uint(*int),
        Some(JsonValue::Float(float)) => JsonValue::Float(*float),
        Some(JsonValue::Null) | None => JsonValue::Null,
        Some(_) => return None,
    })
}
