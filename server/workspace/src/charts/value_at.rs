//! The values of a chart for editors: what can follow `.Values.` in a template, and what its `values.yaml` and `values.schema.json` say about a name.

use std::{collections::HashSet, ops::Range, path::Path, sync::Arc};

use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::Span,
};

use super::{
    chart::Chart,
    values::{MOST_NAMES, Values, property, resolved},
};
use crate::documents::source::SourceText;

/// The maximum length of a line with a key, and of a line of a comment, in bytes.
const LONGEST_LINE: usize = 1_000;

/// How far before the cursor an action may begin, in bytes.
const MOST_ACTION: usize = 2_000;

/// The maximum number of lines of a default, and of a comment above it.
const MOST_LINES: usize = 12;

/// The maximum length of a default and of a comment, in bytes.
const MOST_BYTES: usize = 1_000;

/// A path below `.Values` in an action of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValuePath<'t> {
    /// The names before the one at the offset.
    pub above: Vec<&'t str>,
    /// The name at the offset, which may be empty.
    pub name: &'t str,
    /// The range of that name in the text, in bytes.
    pub range: Range<usize>,
}

/// A value that a chart has.
#[derive(Clone, Debug)]
pub struct ChartValue {
    /// Its name.
    pub name: String,
    /// Its type, as the schema or the default has it. Empty if neither says it.
    pub type_name: String,
    /// The default, as YAML, possibly cut. `None` if there is none.
    pub default: Option<String>,
    /// The comment above the default, or the description in the schema.
    pub description: Option<String>,
    /// The file that declares the value, and the span of its key there.
    pub place: (Arc<SourceText>, Span),
    /// Whether the value has values itself.
    pub is_object: bool,
}

/// The path below `.Values` at an offset of a template.
pub fn path_at(text: &str, offset: usize) -> Option<ValuePath<'_>> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let before = text.get(..offset)?;
    let mut from = offset.saturating_sub(MOST_ACTION);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let begin = from + before[from..].rfind("{{")? + 2;
    let code = &before[begin..];
    let is_in_string = code.matches('"').count() % 2 == 1 || code.matches('`').count() % 2 == 1;
    if code.contains("}}") || code.trim_start_matches(['-', ' ']).starts_with("/*") || is_in_string {
        return None;
    }
    let start = code.rfind(|it: char| !(is_part(it) || matches!(it, '.' | '$')));
    let word = &code[start.map_or(0, |at| at + code[at..].chars().next().map_or(1, char::len_utf8))..];
    let path = word.strip_prefix('$').unwrap_or(word).strip_prefix(".Values.")?;
    let mut above: Vec<&str> = path.split('.').collect();
    let typed = above.pop()?;
    if above.len() >= MOST_NAMES || above.iter().any(|it| it.is_empty()) {
        return None;
    }
    let rest = &text[offset..];
    let end = offset + rest.find(|it| !is_part(it)).unwrap_or(rest.len());
    let range = offset - typed.len()..end;
    let name = &text[range.clone()];
    Some(ValuePath { above, name, range })
}

impl Chart {
    /// The values below a path that a template of the chart can name, in the order of `values.yaml`. Those that only the schema has come last.
    pub fn values_below(&self, template: &Path, above: &[&str]) -> Vec<ChartValue> {
        self.values(template).map(|it| it.below(above)).unwrap_or_default()
    }

    /// The value at a path below `.Values`, as a template of the chart sees it. `None` if neither `values.yaml` nor `values.schema.json` has it.
    pub fn value_at(&self, template: &Path, path: &ValuePath<'_>) -> Option<ChartValue> {
        let below = self.values_below(template, &path.above);
        below.into_iter().find(|it| it.name == path.name)
    }
}

impl Values {
    fn below(&self, above: &[&str]) -> Vec<ChartValue> {
        let schema = self.schema_of(above);
        let of_schema = |name: &str| {
            let (root, object) = schema?;
            resolved(root, property(root, object, name)?)
        };
        let mut found = Vec::new();
        if let Some(file) = &self.defaults
            && let Some((tree, root)) = file.parsed()
            && let Some(members) = above
                .iter()
                .try_fold(root, |at, name| at.get(name))
                .and_then(Json::members)
        {
            for member in members.iter().filter(|it| is_name(&it.key)) {
                let schema = of_schema(&member.key);
                let (text, key) = (&file.source.text, tree.span(member.key_node));
                let of_type = schema.and_then(type_of);
                found.push(ChartValue {
                    name: member.key.to_string(),
                    type_name: of_type.unwrap_or_else(|| kind_of(&member.value).to_owned()),
                    default: Some(shortened(&dedented(text, tree.span(member.value.node)))),
                    description: comment_above(text, key).or_else(|| schema.and_then(described)),
                    place: (file.source.clone(), key),
                    is_object: matches!(member.value.value, JsonValue::Object(_)),
                });
            }
        }
        found.sort_by_key(|it| it.place.1.start);
        if let Some(file) = &self.schema
            && let Some((tree, _)) = file.parsed()
            && let Some(members) = schema.and_then(|it| it.1.get("properties")?.members())
        {
            let known: HashSet<String> = found.iter().map(|it| it.name.clone()).collect();
            let others = members
                .iter()
                .filter(|it| is_name(&it.key) && !known.contains(&*it.key));
            for member in others {
                let schema = of_schema(&member.key);
                found.push(ChartValue {
                    name: member.key.to_string(),
                    type_name: schema.and_then(type_of).unwrap_or_default(),
                    default: None,
                    description: schema.and_then(described),
                    place: (file.source.clone(), tree.span(member.key_node)),
                    is_object: schema.is_some_and(|it| it.get("properties").is_some()),
                });
            }
        }
        found
    }

    /// The root of the schema, and the schema of the object at a path.
    fn schema_of(&self, above: &[&str]) -> Option<(&Json<'_>, &Json<'_>)> {
        let (_, root) = self.schema.as_ref()?.parsed()?;
        let object = above.iter().try_fold(root, |at, name| property(root, at, name))?;
        Some((root, resolved(root, object)?))
    }
}

/// Whether a template can name a value with a dot. It needs `index` for other names.
fn is_name(text: &str) -> bool {
    let is_part = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.bytes().all(is_part) && !text.starts_with(|it: char| it.is_ascii_digit()) && !text.is_empty()
}

fn type_of(schema: &Json<'_>) -> Option<String> {
    let types = schema.get("type")?;
    let types = types.items().unwrap_or(std::slice::from_ref(types));
    let names: Option<Vec<&str>> = types.iter().map(Json::as_str).collect();
    names.map(|it| it.join(" or "))
}

fn described(schema: &Json<'_>) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    (!text.is_empty()).then(|| shortened(text))
}

/// The type of a default, in the words of JSON Schema.
fn kind_of(value: &Json<'_>) -> &'static str {
    match value.value {
        JsonValue::Object(_) => "object",
        JsonValue::Array(_) => "array",
        JsonValue::String(_) => "string",
        JsonValue::Bool(_) => "boolean",
        JsonValue::Int(_) | JsonValue::Uint(_) => "integer",
        JsonValue::Float(_) => "number",
        JsonValue::Null => "",
    }
}

/// The text of a value without the indentation of a block.
fn dedented(text: &str, value: Span) -> String {
    let start = value.start as usize;
    let before = line_start(text, start).map(|it| &text[it..start]);
    let indent = before.filter(|it| it.trim().is_empty()).map_or(0, str::len);
    let lines = text[value.range()].lines().take(MOST_LINES + 1).enumerate();
    let shown = lines.map(|(n, line)| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        if n == 0 { line } else { &line[blanks.min(indent)..] }
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// The comment in the lines right above a key.
fn comment_above(text: &str, key: Span) -> Option<String> {
    let mut end = line_start(text, key.start as usize)?;
    let mut lines = Vec::new();
    while end > 0 && lines.len() < MOST_LINES {
        let Some(start) = line_start(text, end - 1) else { break };
        let line = text[start..end].trim();
        let Some(comment) = line.strip_prefix('#') else { break };
        let comment = comment.trim_start_matches('#').trim();
        lines.push(comment.strip_prefix("-- ").unwrap_or(comment));
        end = start;
    }
    lines.reverse();
    let comment = lines.join("\n");
    let comment = comment.trim();
    (!comment.is_empty()).then(|| shortened(comment))
}

/// The start of the line of an offset. `None` if the line is too long.
fn line_start(text: &str, offset: usize) -> Option<usize> {
    let from = offset.saturating_sub(LONGEST_LINE);
    let found = text.as_bytes()[from..offset].iter().rposition(|it| *it == b'\n');
    found.map(|it| from + it + 1).or((from == 0).then_some(0))
}

fn shortened(text: &str) -> String {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let lines: Vec<&str> = text[..end].lines().take(MOST_LINES).collect();
    let shown = lines.join("\n");
    let is_cut = shown.len() < text.trim_end().len();
    if is_cut { format!("{shown}\n…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Option<(Vec<&str>, String)> {
        let offset = text.find('|').expect("a cursor");
        let text: &'static str = Box::leak(text.replacen('|', "", 1).into_boxed_str());
        path_at(text, offset).map(|it| (it.above, it.name.to_owned()))
    }

    #[test]
    fn a_path_is_found_in_an_action() {
        assert_eq!(path("a: {{ .Values.| }}"), Some((vec![], String::new())));
        assert_eq!(path("a: {{ $.Values.a.b|c }}"), Some((vec!["a"], "bc".to_owned())));
        assert_eq!(path("a: {{- if and (.Values.a.|"), Some((vec!["a"], String::new())));
        for text in [
            "a: .Values.|",
            "a: {{ .a }} .Values.|",
            "a: {{ \".Values.|\" }}",
            "a: {{/* .Values.| */}}",
            "a: {{ .Other.Values.| }}",
            "a: {{ .Values..| }}",
            "a: {{ .Values| }}",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    #[test]
    fn values_have_what_the_files_say() {
        let files = [
            (
                "/c/values.yaml",
                "# -- How many\n#  run.\nreplicas: 2\nimage:\n  # The name.\n  tag: \"1\"\n  pull-policy: x\nnone:\n",
            ),
            (
                "/c/values.schema.json",
                r#"{"properties": {"replicas": {"type": ["integer", "null"]}, "more": {"type": "string", "description": "More."}}}"#,
            ),
            ("/c/templates/a.yaml", "a: {{ .Values.replicas }}\n"),
        ];
        let chart = Chart::new(files.map(|it| (Path::new(it.0).into(), it.1.into())));
        let template = Path::new("/c/templates/a.yaml");
        let told = |above: &[&str]| {
            let values = chart.values_below(template, above);
            let told = values.into_iter().map(|it| {
                let text = [Some(it.name), Some(it.type_name), it.default, it.description];
                text.map(Option::unwrap_or_default).join("|")
            });
            told.collect::<Vec<_>>()
        };
        assert_eq!(
            told(&[]),
            [
                "replicas|integer or null|2|How many\nrun.",
                "image|object|tag: \"1\"\npull-policy: x|",
                "none|||",
                "more|string||More."
            ]
        );
        assert_eq!(told(&["image"]), ["tag|string|\"1\"|The name."]);
        assert_eq!(told(&["replicas"]), [""; 0]);
    }
}
