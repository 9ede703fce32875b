//! What a document says it is, as command line clients read it before they send anything.

use std::sync::Arc;

use crd_analyzer_schema::go;
use crd_analyzer_syntax::json::{Json, JsonDoc, JsonValue};
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::tree::Span;

use super::head::{GROUP, KIND, VERSION, folded, parse_group_version};

/// `apiVersion`, `kind` and name of a document, before any of it is checked.
///
/// Keys are read in any case, and numbers and booleans count as their text, as `sigs.k8s.io/yaml` reads into a Go struct.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenType {
    /// `apiVersion`; empty if it is missing or no scalar.
    pub api_version: String,
    /// `kind`; empty if it is missing or no scalar.
    pub kind: String,
    /// `metadata.name`; empty if it is missing or no scalar.
    pub name: String,
}

impl WrittenType {
    /// Reads what the document at `span` of `text` says it is. `whole` is all of it, if it can be read.
    ///
    /// What stands above a line `spec:` is enough if it has a type, so that a broken document can have one, too.
    pub fn of_document(text: &Arc<str>, span: Span, whole: Option<&JsonDoc<'_>>) -> Self {
        let top = Self::of_top(text, span).unwrap_or_default();
        match whole.and_then(JsonDoc::root) {
            Some(json) if top.kind.is_empty() || top.api_version.is_empty() => Self::of(json),
            _ => top,
        }
    }

    /// Reads what a value says it is.
    pub fn of(json: &Json<'_>) -> Self {
        let metadata = field(json, "METADATA");
        Self {
            api_version: scalar(field(json, "APIVERSION")),
            kind: scalar(field(json, "KIND")),
            name: scalar(metadata.and_then(|it| field(it, "NAME"))),
        }
    }

    /// Whether the document says that it is a definition, of whatever version.
    pub fn is_definition(&self) -> bool {
        self.kind == KIND && parse_group_version(&self.api_version).is_ok_and(|(group, _)| group == GROUP)
    }

    /// The server's words for a definition of a version that it does not serve: the request finds no endpoint, so nothing
    /// of the document is looked at. `None` for anything else.
    pub fn unserved(&self) -> Option<String> {
        let served = self.api_version == format!("{GROUP}/{VERSION}");
        (self.is_definition() && !served).then(|| {
            format!(
                "no matches for kind {} in version {}",
                go::quote(KIND),
                go::quote(&self.api_version)
            )
        })
    }

    fn of_top(text: &Arc<str>, span: Span) -> Option<Self> {
        let length = text[span.range()].find("\nspec:").filter(|it| *it > 0)?;
        let tree = crd_analyzer_syntax::read(text, Span::new(span.start, span.start + length as u32)).ok()?;
        let json = read_json(&tree).ok()?;
        Some(Self::of(json.root()?))
    }
}

/// The last field of that name, whatever its case, that is not null.
fn field<'a, 't>(json: &'a Json<'t>, folded_name: &str) -> Option<&'a Json<'t>> {
    let members = json.members()?;
    let found = members
        .iter()
        .rfind(|it| !matches!(it.value.value, JsonValue::Null) && folded(&it.key) == folded_name)?;
    Some(&found.value)
}

fn scalar(json: Option<&Json<'_>>) -> String {
    match json.map(|it| &it.value) {
        Some(JsonValue::String(text)) => text.to_string(),
        Some(JsonValue::Bool(value)) => value.to_string(),
        Some(JsonValue::Int(value)) => value.to_string(),
        Some(JsonValue::Uint(value)) => value.to_string(),
        Some(JsonValue::Float(value)) => crd_analyzer_schema::go::plain_float(*value),
        _ => String::new(),
    }
}
