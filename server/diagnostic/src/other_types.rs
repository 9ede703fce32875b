//! Types in the notation of other languages, such as `[]string` and `map[string]int`, as schemas.

use crate::meant::{TYPES, is_bracket, meant_type, type_of_format};

/// A type, and the keyword that it needs beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherType {
    /// The type.
    pub r#type: &'static str,
    /// The key and its value in flow style.
    pub beside: Option<(&'static str, String)>,
}

impl OtherType {
    fn plain(r#type: &'static str) -> Self {
        Self { r#type, beside: None }
    }

    fn with(r#type: &'static str, key: &'static str, value: impl Into<String>) -> Self {
        Self {
            r#type,
            beside: Some((key, value.into())),
        }
    }

    /// The keyword beside the type, as an entry: `items: {type: string}`.
    pub fn entry(&self) -> Option<String> {
        self.beside.as_ref().map(|(key, value)| format!("{key}: {value}"))
    }

    /// The schema in flow style.
    fn schema(&self) -> String {
        match self.entry() {
            Some(entry) => format!("{{type: {}, {entry}}}", self.r#type),
            None => format!("{{type: {}}}", self.r#type),
        }
    }
}

/// The maximum number of types in each other.
const MAX_DEPTH: usize = 4;

/// The schema for a type of another language: a list, a map, a type that may be null, or a time. `None` for a type or format of CRDs.
pub fn other_type(written: &str) -> Option<OtherType> {
    let is_own = TYPES.contains(&written) || type_of_format(written).is_some();
    (!is_own).then(|| read(written, MAX_DEPTH)).flatten().filter(|it| {
        // A wrong name of a type is not a type of another shape.
        it.beside.is_some() || written.contains(is_bracket)
    })
}

/// The schema in flow style for a type that is written without a schema: `{type: integer}` for `integer`. `None` if the text is not a type.
pub fn schema_of_type(written: &str) -> Option<String> {
    read(written, MAX_DEPTH).map(|it| it.schema())
}

fn read(written: &str, depth: usize) -> Option<OtherType> {
    let depth = depth.checked_sub(1)?;
    let written = written.trim();
    let list = |item: &str| Some(OtherType::with("array", "items", read(item, depth)?.schema()));
    let map = |value: &str| {
        Some(OtherType::with(
            "object",
            "additionalProperties",
            read(value, depth)?.schema(),
        ))
    };
    if let Some(item) = written.strip_prefix("[]").or_else(|| written.strip_suffix("[]")) {
        return list(item);
    }
    if let Some(pointed) = written.strip_prefix('*') {
        return read(pointed, depth);
    }
    if let Some(value) = written.strip_prefix("map[string]") {
        return map(value);
    }
    let or_null = written.strip_suffix('?').or_else(|| {
        written
            .split_once('|')
            .filter(|it| it.1.trim() == "null")
            .map(|it| it.0)
    });
    if let Some(value) = or_null {
        let value = read(value, depth)?;
        return value
            .beside
            .is_none()
            .then(|| OtherType::with(value.r#type, "nullable", "true"));
    }
    if let Some((outer, inner)) = in_brackets(written) {
        return match outer.to_ascii_lowercase().as_str() {
            "array" | "list" | "slice" | "set" => list(inner),
            "map" | "dict" => map(inner.trim().strip_prefix("string")?.trim_start().strip_prefix(',')?),
            _ => None,
        };
    }
    if let Some(r#type) = type_of_format(written) {
        return Some(OtherType::with(r#type, "format", written));
    }
    match written.to_ascii_lowercase().as_str() {
        "time" | "datetime" | "date_time" | "timestamp" | "metav1.time" | "time.time" => {
            Some(OtherType::with("string", "format", "date-time"))
        }
        _ => meant_type(written)
            .or_else(|| TYPES.into_iter().find(|it| *it == written))
            .map(OtherType::plain),
    }
}

/// The parts of `outer<inner>` or `outer[inner]`.
fn in_brackets(written: &str) -> Option<(&str, &str)> {
    let (outer, rest) = written.split_once(['<', '['])?;
    let inner = rest.strip_suffix(['>', ']'])?;
    (!outer.is_empty() && !inner.is_empty()).then_some((outer, inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_other_languages_are_schemas() {
        for (written, schema) in [
            ("[]string", "{type: array, items: {type: string}}"),
            ("string[]", "{type: array, items: {type: string}}"),
            ("[]int64", "{type: array, items: {type: integer, format: int64}}"),
            ("array<int>", "{type: array, items: {type: integer}}"),
            ("List[str]", "{type: array, items: {type: string}}"),
            (
                "[][]bool",
                "{type: array, items: {type: array, items: {type: boolean}}}",
            ),
            (
                "map[string]string",
                "{type: object, additionalProperties: {type: string}}",
            ),
            (
                "map<string, int>",
                "{type: object, additionalProperties: {type: integer}}",
            ),
            ("*string", "{type: string}"),
            ("string?", "{type: string, nullable: true}"),
            ("integer | null", "{type: integer, nullable: true}"),
            ("datetime", "{type: string, format: date-time}"),
            ("time", "{type: string, format: date-time}"),
            ("metav1.Time", "{type: string, format: date-time}"),
        ] {
            let found = other_type(written).map(|it| it.schema());
            assert_eq!(found.as_deref(), Some(schema), "{written}");
            assert_eq!(meant_type(written), None, "{written}");
        }
        for written in [
            "string",
            "int",
            "strnig",
            "date",
            "[]",
            "map[int]string",
            "[]Foo",
            "<>",
            "",
        ] {
            assert_eq!(other_type(written), None, "{written}");
        }
    }
}
