//! The type of a document as command line clients read it before they send a request.

use std::sync::Arc;

use crd_analyzer_schema::go;
use crd_analyzer_syntax::json::{ConvertErrorKind, Json, JsonDoc, JsonValue};
use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::tree::{NodeId, NodeKind, ScalarStyle, Span, Tree};

use super::head::folded;
use crate::kind::CRD;

/// The `apiVersion`, `kind` and name of a document, before validation.
///
/// Keys are case-insensitive, and numbers and booleans are read as strings, as when `sigs.k8s.io/yaml` fills a Go struct.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct WrittenType {
    /// `apiVersion`; empty if the field is missing or not a scalar.
    pub api_version: String,
    /// `kind`; empty if the field is missing or not a scalar.
    pub kind: String,
    /// `metadata.name`; empty if the field is missing or not a scalar.
    pub name: String,
}

impl WrittenType {
    /// Reads the type of the document at `span` of `text`. `whole` is the parsed document, if it can be parsed.
    ///
    /// The part above a line `spec:` is enough if it contains the type, so broken documents can also have a type.
    pub fn of_document(text: &Arc<str>, span: Span, whole: Option<&JsonDoc<'_>>) -> Self {
        let top = Self::of_top(text, span).unwrap_or_default();
        match whole.and_then(JsonDoc::root) {
            Some(json) if top.kind.is_empty() || top.api_version.is_empty() => Self::of(json),
            None if top == Self::default() => Self::of_text(text, span).unwrap_or_default(),
            _ => top,
        }
    }

    /// Reads the type of an object.
    pub fn of(json: &Json<'_>) -> Self {
        let metadata = fields(json, "METADATA").find(|it| it.members().is_some());
        Self {
            api_version: scalar(json, "APIVERSION"),
            kind: scalar(json, "KIND"),
            name: metadata.map(|it| scalar(it, "NAME")).unwrap_or_default(),
        }
    }

    /// Whether the document is a CRD, of any version.
    pub fn is_crd(&self) -> bool {
        CRD.is(&self.api_version, &self.kind)
    }

    /// Whether to check the document as a CRD. A document without a kind counts as a CRD if its file was named, as if the document were sent to the
    /// API server's endpoint for CRDs.
    pub fn is_asked(&self, named: bool) -> bool {
        self.is_crd() || self.kind.is_empty() && named
    }

    /// The API server's message for a CRD of a version that is not served: the request matches no endpoint, so the API server does not read the
    /// document. `None` for other documents.
    pub fn unserved(&self) -> Option<String> {
        let served = CRD.version(&self.api_version).is_some_and(|it| it.removed.is_none());
        (self.is_crd() && !served).then(|| {
            format!(
                "no matches for kind {} in version {}",
                go::quote(CRD.name),
                go::quote(&self.api_version)
            )
        })
    }

    fn of_top(text: &Arc<str>, span: Span) -> Option<Self> {
        let length = text[span.range()].find("\nspec:").filter(|it| *it > 0)?;
        Self::of_text(text, Span::new(span.start, span.start + length as u32))
    }

    fn of_text(text: &Arc<str>, span: Span) -> Option<Self> {
        let tree = crd_analyzer_syntax::read(text, span).ok()?;
        match read_json(&tree) {
            Ok(json) => json.root().map(Self::of),
            // JSON cannot represent infinity, so only string fields of the client's struct can contain it.
            Err(error) if error.kind == ConvertErrorKind::Number => Self::of_tree(&tree),
            Err(_) => None,
        }
    }

    /// The type from the YAML tree; `None` if an infinity or NaN occurs in a field that is not a string in the client's struct.
    fn of_tree(tree: &Tree) -> Option<Self> {
        let get = |key: &str| tree.root().and_then(|root| tree.get(root, key));
        let of_metadata = |key: &str| get("metadata").and_then(|metadata| tree.get(metadata, key));
        let (api_version, kind, name) = (get("apiVersion"), get("kind"), of_metadata("name"));
        let texts = [api_version, kind, name, of_metadata("namespace")];
        let is_read = |node| texts.contains(&Some(node)) || tree.is_key(node);
        if tree
            .nodes()
            .any(|node| wordless(tree, node).is_some() && !is_read(node))
        {
            return None;
        }
        let text = |node: Option<NodeId>| {
            let scalar = node.filter(|it| tree.is_scalar(*it));
            scalar.map_or_else(String::new, |it| {
                wordless(tree, it).map_or_else(|| tree.scalar(it).into_owned(), str::to_owned)
            })
        };
        Some(Self {
            api_version: text(api_version),
            kind: text(kind),
            name: text(name),
        })
    }
}

/// Go's spelling of an infinity or NaN, which JSON cannot represent.
fn wordless(tree: &Tree, node: NodeId) -> Option<&'static str> {
    if tree.kind(node) != NodeKind::Scalar(ScalarStyle::Plain) || tree.tag(node).is_some() {
        return None;
    }
    match tree.source(node) {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some("+Inf"),
        "-.inf" | "-.Inf" | "-.INF" => Some("-Inf"),
        ".nan" | ".NaN" | ".NAN" => Some("NaN"),
        _ => None,
    }
}

/// The fields with this name in any case (upper or lower), the last one first.
fn fields<'a, 't>(json: &'a Json<'t>, folded_name: &'a str) -> impl Iterator<Item = &'a Json<'t>> {
    let members = json.members().unwrap_or_default();
    let named = members.iter().rev().filter(move |it| folded(&it.key) == folded_name);
    named.map(|it| &it.value)
}

/// The last field with this name whose value is a scalar other than null, as a string.
fn scalar(json: &Json<'_>, folded_name: &str) -> String {
    let mut texts = fields(json, folded_name).filter_map(|it| match &it.value {
        JsonValue::String(text) => Some(text.to_string()),
        JsonValue::Bool(value) => Some(value.to_string()),
        JsonValue::Int(value) => Some(value.to_string()),
        JsonValue::Uint(value) => Some(value.to_string()),
        JsonValue::Float(value) => Some(crd_analyzer_schema::go::plain_float(*value)),
        JsonValue::Null | JsonValue::Array(_) | JsonValue::Object(_) => None,
    });
    texts.next().unwrap_or_default()
}
