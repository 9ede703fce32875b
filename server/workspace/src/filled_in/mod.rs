//! Values that templates, variables and tools fill in before a file is sent to the API server. Here they are unknown.

pub mod completed;
pub(crate) mod fill;
pub(crate) mod jinja;
pub(crate) mod patch;
pub(crate) mod placeholders;
pub(crate) mod rendered;
pub(crate) mod scalar;
pub(crate) mod unknown;
pub(crate) mod unknown_crd;
pub mod variables;
pub(crate) mod ytt;

use crd_analyzer_syntax::{json::JsonDoc, tree::Tree};

use fill::{Places, fill_braces};

/// A text of documentation or of a template without the marks of Jinja for raw text, or without placeholders in braces. Offsets stay the same. `None` if
/// the text has none of these.
pub(crate) fn replaced(text: &str) -> Option<(String, Places)> {
    let without_raw = || Some((jinja::without_raw(text)?, Places::new(text)?));
    without_raw().or_else(|| fill_braces(text).map(|it| (it.text, it.places)))
}

/// The source text of an object. If the document has aliases, the text of the whole document. A document may have thousands of objects, so each
/// search covers only the object's own text.
pub(crate) fn written<'t>(tree: &'t Tree, json: &JsonDoc<'_>) -> &'t str {
    let own = json.root().filter(|_| !tree.has_aliases());
    let span = own.map_or_else(|| tree.document_span(), |it| tree.full_span(it.node));
    &tree.text()[span.range()]
}
