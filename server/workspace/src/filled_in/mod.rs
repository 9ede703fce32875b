//! What templates, variables and tools put into a file before it is sent, and what is then not known of it.

pub mod completed;
pub(crate) mod fill;
pub(crate) mod jinja;
pub(crate) mod patch;
pub(crate) mod placeholders;
pub(crate) mod rendered;
pub(crate) mod unknown;
pub(crate) mod unknown_crd;
pub mod variables;

use crd_analyzer_syntax::{json::JsonDoc, tree::Tree};

/// The text that an object is written in: its own, or that of its whole document if aliases may refer to other places. A document may have thousands of
/// objects, so that each looks only at its own text.
pub(crate) fn written<'t>(tree: &'t Tree, json: &JsonDoc<'_>) -> &'t str {
    let own = json.root().filter(|_| !tree.has_aliases());
    let span = own.map_or_else(|| tree.document_span(), |it| tree.full_span(it.node));
    &tree.text()[span.range()]
}
