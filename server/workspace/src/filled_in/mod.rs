//! Values that templates, variables and tools fill in before a file is sent to the API server. Here they are unknown.

pub mod completed;
pub(crate) mod fill;
pub(crate) mod jinja;
pub(crate) mod patch;
pub(crate) mod placeholders;
pub(crate) mod printed;
pub(crate) mod rendered;
pub(crate) mod scalar;
pub(crate) mod unknown;
pub(crate) mod unknown_crd;
pub mod variables;
pub(crate) mod ytt;

use crd_analyzer_syntax::{json::JsonDoc, tree::Tree};

/// The source text of an object. If the document has aliases, the text of the whole document. A document may have thousands of objects, so each
/// search covers only the object's own text.
pub(crate) fn written<'t>(tree: &'t Tree, json: &JsonDoc<'_>) -> &'t str {
    let own = json.root().filter(|_| !tree.has_aliases());
    let span = own.map_or_else(|| tree.document_span(), |it| tree.full_span(it.node));
    &tree.text()[span.range()]
}
