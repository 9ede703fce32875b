//! Values that templates, variables and tools fill in before a file is sent, so that they are unknown here.

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

/// The text that an object is written in: its own, or that of the whole document if it has aliases. A document may have thousands of objects,
/// so each searches only its own text.
pub(crate) fn written<'t>(tree: &'t Tree, json: &JsonDoc<'_>) -> &'t str {
    let own = json.root().filter(|_| !tree.has_aliases());
    let span = own.map_or_else(|| tree.document_span(), |it| tree.full_span(it.node));
    &tree.text()[span.range()]
}
