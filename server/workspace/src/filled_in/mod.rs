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

/// The document around a byte offset of a template, as YAML for somebody who edits it. The text has the same length and is blank elsewhere. Values that
/// the template prints are replaced, and lines that it prints are blank. Each block has the branch around the offset, or its first branch. `None` if the
/// text has no actions, if the last action has no end, or if the offset is in an action.
pub fn yaml_around(text: &str, offset: u32) -> Option<String> {
    fill::fill_around(text, offset as usize).map(|it| it.text)
}

/// Whether a byte offset of a template is in an action, which may not be finished yet.
pub fn is_in_action(text: &str, offset: u32) -> bool {
    let before = &text[..offset as usize];
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    let is_begun = line.rfind("{{").is_some_and(|it| !line[it..].contains("}}"));
    is_begun || fill::is_in_action(text, offset as usize)
}

/// The readings of a template as YAML, each with the same length: in each, other blocks are read. Together they show all blocks that can be read. Empty
/// if nothing is replaced, or if the blocks are not balanced.
pub fn yaml_readings(text: &str) -> Vec<String> {
    let Some(filled) = fill::fill(text) else {
        return Vec::new();
    };
    let mut all = vec![filled];
    all.extend(fill::other_heads(text));
    if let Some(readings) = fill::Readings::of(text) {
        all.extend(readings.all().map(|it| it.filled));
    }
    all.into_iter().map(|it| it.text).collect()
}

/// The source text of an object. If the document has aliases, the text of the whole document. A document may have thousands of objects, so each
/// search covers only the object's own text.
pub(crate) fn written<'t>(tree: &'t Tree, json: &JsonDoc<'_>) -> &'t str {
    let own = json.root().filter(|_| !tree.has_aliases());
    let span = own.map_or_else(|| tree.document_span(), |it| tree.full_span(it.node));
    &tree.text()[span.range()]
}
