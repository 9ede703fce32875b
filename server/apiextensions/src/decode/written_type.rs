//! What a document says it is, as command line clients read it before they send anything.

use crd_analyzer_syntax::json::{Json, JsonValue};

use super::head::{GROUP, KIND, folded, parse_group_version};

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
    /// Reads what a document says it is.
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
}

/// The last field of that name, whatever its case, that is not null.
fn field<'a, 't>(json: &'a Json<'t>, folded_name: &str) -> Option<&'a Json<'t>> {
    let JsonValue::Object(members) = &json.value else {
        return None;
    };
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
