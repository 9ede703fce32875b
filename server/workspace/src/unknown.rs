//! What is not known of a resource, because something completes it before it is sent.

use std::{borrow::Cow, path::Path, sync::Arc};

use crd_analyzer_schema::{depth, unknown};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue, Member},
    read, read_json,
    tree::{NodeKind, ScalarStyle, Span, Tree},
};

use crate::{fill::PLACEHOLDER, patch};

/// What completes a text.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Completed {
    /// It is merged into something: whatever is missing may be there.
    pub(crate) is_part: bool,
    /// It states what has to be true of an object, in the language of a test tool.
    pub(crate) is_assertion: bool,
    /// `${NAME}` is substituted.
    pub(crate) is_substituted: bool,
    /// Actions of a template stand in it as placeholders.
    pub(crate) is_filled: bool,
}

/// Whether a file states what kuttl or chainsaw expect of objects (`00-assert.yaml`, `errors.yaml`).
pub(crate) fn is_assertion(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.split(['-', '_', '.'])
        .any(|it| matches!(it, "assert" | "asserts" | "errors"))
}

/// Whether a file is a template of a Helm chart.
pub(crate) fn is_template(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders.into_iter().any(|it| it.as_os_str() == "templates")
}

impl Completed {
    /// Marks what is not known in the JSON of a resource. Whether there is anything.
    pub(crate) fn mark(self, json: &mut JsonDoc<'_>, tree: &Tree) -> bool {
        let is_part = self.is_part || self.is_assertion || patch::has_directive(tree, json);
        let text = tree.text();
        let has_marks = self.is_filled && text.contains(PLACEHOLDER) || self.is_substituted && text.contains("${");
        if !(is_part || has_marks) || json.depth() > depth::limit() {
            return false;
        }
        let mut marking = Marking {
            completed: Self { is_part, ..self },
            tree,
            has_marks: is_part,
        };
        if self.is_filled {
            // Two placeholders look alike, and stand for different keys.
            json.forget_duplicates();
        }
        if let Some(root) = json.root_mut() {
            marking.value(root);
        }
        marking.has_marks
    }
}

struct Marking<'t> {
    completed: Completed,
    tree: &'t Tree,
    has_marks: bool,
}

/// What becomes of a text.
enum Text {
    /// All of it is known.
    Known(String),
    /// One value that is not known.
    Unknown,
    /// Any number of items or entries.
    More,
}

impl Marking<'_> {
    fn value(&mut self, json: &mut Json<'_>) {
        let node = json.node;
        match &mut json.value {
            JsonValue::String(written) => match self.text(written) {
                None => {}
                Some(Text::Known(text)) => {
                    self.has_marks = true;
                    let is_plain = self.tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
                    json.value = if is_plain {
                        resolved(text)
                    } else {
                        JsonValue::String(text.into())
                    };
                }
                Some(Text::Unknown) => {
                    self.has_marks = true;
                    *written = Cow::Owned(unknown::one(written));
                }
                Some(Text::More) => {
                    self.has_marks = true;
                    *written = Cow::Owned(unknown::many(written));
                }
            },
            JsonValue::Array(items) => {
                for item in items {
                    self.value(item);
                }
            }
            JsonValue::Object(members) => {
                members.retain(|it| !(self.completed.is_part && patch::is_directive(&it.key)));
                for member in members.iter_mut() {
                    self.value(&mut member.value);
                    match self.text(&member.key) {
                        None => {}
                        Some(Text::Known(key)) => member.key = Cow::Owned(key),
                        Some(_) => {
                            self.has_marks = true;
                            member.key = Cow::Owned(unknown::many(&member.key));
                        }
                    }
                }
                if self.completed.is_part {
                    members.push(Member {
                        key: Cow::Owned(unknown::many("")),
                        key_node: node,
                        value: Json {
                            node,
                            value: JsonValue::Null,
                        },
                    });
                }
                // Objects are sorted and have each key once.
                members.sort_by(|a, b| a.key.cmp(&b.key));
                members.dedup_by(|a, b| a.key == b.key);
            }
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => {}
        }
    }

    fn text(&self, written: &str) -> Option<Text> {
        let completed = self.completed;
        if completed.is_filled && written.contains(PLACEHOLDER) {
            let is_more = written.trim_start_matches(PLACEHOLDER).trim() == "*";
            return Some(if is_more { Text::More } else { Text::Unknown });
        }
        if completed.is_assertion && written.starts_with('(') && written.ends_with(')') {
            return Some(Text::Unknown);
        }
        if completed.is_substituted && written.contains("${") {
            return substituted(written);
        }
        None
    }
}

/// A text with its variables replaced by their defaults, as Flux does (`github.com/fluxcd/pkg/envsubst`); `None` if it has none.
fn substituted(written: &str) -> Option<Text> {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    let mut has_variables = false;
    while let Some(at) = rest.find("${") {
        let (before, inside) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            // `$${NAME}` is how `${NAME}` is written.
            text.push_str(before);
            text.push_str("${");
            rest = inside;
            continue;
        }
        text.push_str(before);
        let length = inside
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(inside.len());
        let (name, after) = inside.split_at(length);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_function = name.is_empty() && after.starts_with('#');
        if !(is_name || is_function) || after.starts_with(['.', ' ', '{', '(', '[']) {
            text.push_str("${");
            rest = inside;
            continue;
        }
        has_variables = true;
        let Some(end) = after.find('}') else {
            return Some(Text::Unknown);
        };
        let default = [":=", ":-", "=", "-"]
            .iter()
            .find_map(|it| after[..end].strip_prefix(it));
        match default {
            Some(default) if !default.contains("${") => text.push_str(default),
            _ => return Some(Text::Unknown),
        }
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    has_variables.then_some(Text::Known(text))
}

/// What YAML makes of a text without quotes.
fn resolved(text: String) -> JsonValue<'static> {
    let source: Arc<str> = text.as_str().into();
    let tree = read(&source, Span::new(0, source.len() as u32)).ok();
    let json = tree.as_ref().and_then(|it| read_json(it).ok());
    match json.as_ref().and_then(JsonDoc::root).map(|it| &it.value) {
        None if !text.is_empty() => JsonValue::String(text.into()),
        Some(JsonValue::Bool(flag)) => JsonValue::Bool(*flag),
        Some(JsonValue::Int(int)) => JsonValue::Int(*int),
        Some(JsonValue::Uint(int)) => JsonValue::Uint(*int),
        Some(JsonValue::Float(float)) => JsonValue::Float(*float),
        Some(JsonValue::Null) | None => JsonValue::Null,
        Some(_) => JsonValue::String(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let found = substituted(written).map(|it| match it {
            Text::Known(text) => text,
            Text::Unknown | Text::More => "unknown".to_owned(),
        });
        assert_eq!(found.as_deref(), expected, "of {written:?}");
    }

    #[test]
    fn variables() {
        check("${A}", Some("unknown"));
        check("${A}-tls", Some("unknown"));
        check("${A:=b}-tls", Some("b-tls"));
        check("x-${A:-}-${B=2}", Some("x--2"));
        check("${A:=${B}}", Some("unknown"));
        check("${A/b/c}", Some("unknown"));
        check("${#A}", Some("unknown"));
    }

    #[test]
    fn no_variables() {
        check("$${A}", None);
        check("${{ inputs.a }}", None);
        check("${params.a}", None);
        check("$(A)", None);
        check("${ a }", None);
    }

    #[test]
    fn files_of_test_tools() {
        for name in [
            "00-assert.yaml",
            "01-errors.yaml",
            "assert.yaml",
            "chainsaw-step-00-assert-1.yaml",
        ] {
            assert!(is_assertion(Path::new(name)), "{name}");
        }
        for name in ["assertion.yaml", "00-install.yaml"] {
            assert!(!is_assertion(Path::new(name)), "{name}");
        }
    }
}
