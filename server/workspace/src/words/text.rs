//! Descriptions of values.

use crd_analyzer_diagnostic::text::MAX_VALUE;
pub(crate) use crd_analyzer_diagnostic::text::{
    a_type, clip, code, counted, either, is_type, joined, number, placeholder,
};
use crd_analyzer_syntax::json::{Json, JsonValue};

/// A value as it is written in a manifest: `"a"`, `3`, `null`.
pub(crate) fn written(value: &Json<'_>) -> String {
    match &value.value {
        JsonValue::Null => "null".to_owned(),
        JsonValue::Bool(flag) => flag.to_string(),
        JsonValue::Int(int) => int.to_string(),
        JsonValue::Uint(int) => int.to_string(),
        JsonValue::Float(float) => crd_analyzer_schema::go::plain_float(*float),
        JsonValue::String(text) => format!("\"{}\"", clip(text, MAX_VALUE)),
        JsonValue::Array(_) => "[…]".to_owned(),
        JsonValue::Object(_) => "{…}".to_owned(),
    }
}

/// A description of a value: the string `"a"`, `true`, a list.
pub(crate) fn value(value: &Json<'_>) -> String {
    match &value.value {
        JsonValue::Null => "`null`".to_owned(),
        JsonValue::Bool(flag) => format!("`{flag}`"),
        JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => format!("the number {}", written(value)),
        JsonValue::String(_) => format!("the string `{}`", written(value)),
        JsonValue::Array(_) => "a list".to_owned(),
        JsonValue::Object(_) => "an object".to_owned(),
    }
}

/// The type of a value, for a label.
pub(crate) fn is(value: &Json<'_>) -> &'static str {
    match &value.value {
        JsonValue::Null => "this is `null`",
        JsonValue::Bool(_) => "this is a boolean",
        JsonValue::Int(_) | JsonValue::Uint(_) => "this is an integer",
        JsonValue::Float(_) => "this is a number",
        JsonValue::String(_) => "this is a string",
        JsonValue::Array(_) => "this is a list",
        JsonValue::Object(_) => "this is an object",
    }
}
