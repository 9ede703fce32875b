//! Values, types and lists in words.

use crd_analyzer_syntax::json::{Json, JsonValue};

use super::meant::TYPES;

/// Values are shown up to this many characters.
const MAX_VALUE: usize = 24;

/// A text cut to a number of characters.
pub(crate) fn clip(text: &str, max: usize) -> String {
    // Line breaks would make two lines of a headline.
    let text = text.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(max) {
        None => text,
        Some(_) => text.chars().take(max - 1).chain(['…']).collect(),
    }
}

/// A text in backquotes, cut if it is long.
pub(crate) fn code(text: &str) -> String {
    format!("`{}`", clip(text, MAX_VALUE + 12))
}

/// A value as it is written: `"a"`, `3`, `null`.
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

/// A value in words: the string `"a"`, `true`, a list.
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

/// What a value is, for a label.
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

/// A type of OpenAPI with its article.
pub(crate) fn a_type(name: &str) -> String {
    match name {
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        "integer" => "an integer".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "string" => "a string".to_owned(),
        "number" => "a number".to_owned(),
        "integer or string" => "an integer or a string".to_owned(),
        other => format!("of type {}", code(other)),
    }
}

/// Whether [`a_type`] knows it.
pub(crate) fn is_type(name: &str) -> bool {
    TYPES.contains(&name) || name == "integer or string"
}

/// A value to put in for one of this type.
pub(crate) fn placeholder(r#type: &str) -> &'static str {
    match r#type {
        "array" => "[]",
        "object" => "{}",
        "boolean" => "true",
        "integer" | "number" => "1",
        "string" => "\"…\"",
        _ => "…",
    }
}

/// `a`, `b` or `c`; of many only the first ones.
pub(crate) fn either<S: AsRef<str>>(words: &[S]) -> String {
    const MAX: usize = 8;
    let mut shown: Vec<String> = words.iter().take(MAX).map(|it| code(it.as_ref())).collect();
    if words.len() > MAX {
        shown.push(format!("{} more", words.len() - MAX));
    }
    joined(&shown, "or")
}

/// Words with commas between them, and a conjunction before the last.
pub(crate) fn joined<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
    }
}

/// A number of things: 1 item, 2 items.
pub(crate) fn counted(n: i64, one: &str, many: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {many}")
    }
}

/// A number without a needless fraction.
pub(crate) fn number(number: f64) -> String {
    crd_analyzer_schema::go::plain_float(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_stay_one_line() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("äbcd", 3), "äb…");
        assert_eq!(clip("a\nb", 9), "a b");
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        let many: Vec<String> = (0..10).map(|it| it.to_string()).collect();
        assert!(either(&many).ends_with("`7` or 2 more"), "{}", either(&many));
    }
}
