//! Hover: explains the property, value or token under the cursor.

mod api;
mod cel;
mod configuration;
mod definition;
mod node;
mod render;
mod resource;
#[cfg(test)]
mod tests;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{self, Side, Step},
    tree::{NodeId, Span},
};

pub(crate) use cel::hover as of_expression;
pub use configuration::configuration_hover;
pub(crate) use definition::compare as compare_versions;
pub(crate) use node::describe;
pub use render::{Block, Hover};
pub use resource::resource_hover;

use crate::{cel::cel_at, file::Document, property::target_at, schema};

/// The hover at an offset of a CRD, or of an object whose kind is in the table, for a Kubernetes version.
pub fn hover(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<Hover> {
    (document.kind().hover)(document, offset, version)
}

/// The hover in a CRD: see [`hover`].
pub(crate) fn of_crd(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<Hover> {
    of_object(document, offset, version, |field, at, value| {
        definition::more(document, field, &at.path, value, version)
    })
}

/// The hover in an object whose kind is in the table: see [`hover`].
pub(crate) fn of_row(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<Hover> {
    of_object(document, offset, version, |_, _, _| Vec::new())
}

/// The hover in an object. `more` returns additional information about the value of a field.
fn of_object(
    document: &Document<'_>,
    offset: u32,
    version: KubernetesVersion,
    more: impl FnOnce(&str, &paths::At<'_>, NodeId) -> Vec<Block>,
) -> Option<Hover> {
    if let Some(at) = cel_at(document, offset, version) {
        let text = document.tree.text();
        return cel::hover(document, &at, |key| Some(on_line(text, key.start)));
    }
    let tree = document.tree;
    let at = paths::at(tree, offset)?;
    if !tree.is_scalar(at.node) || tree.is_absent(at.node) {
        return None;
    }
    let span = tree.span(at.node);
    let entry = tree.entry_of(at.node);
    let value = entry.map_or(at.node, |it| it.value);
    // The cursor is on a property's name, at any of its uses.
    if let Some((target, span)) = target_at(document, offset, version)
        && let Some((root, property)) = node::find(document, &target, at.node)
    {
        return Some(node::hover(
            document,
            root,
            &target,
            property,
            span,
            version,
            node::Reader::OfDefinition,
        ));
    }
    // A list item is described by the field of its list, and a scalar by its key.
    let mut path = at.path.clone();
    let mut found = schema::api_at(tree, &path);
    while found.is_none() && matches!(path.last(), Some(Step::Index(_))) {
        path.pop();
        found = schema::api_at(tree, &path);
    }
    let found = found?;
    let field = found.field?;
    if found.is_element && at.side == Side::Key {
        return None;
    }
    let mut blocks = api::field(field, version);
    if at.side == Side::Value {
        blocks.extend(api::value(field, &tree.scalar(at.node), version));
    }
    blocks.extend(more(field.name, &at, value));
    Some(Hover { span, blocks })
}

/// The line of an offset, as in `on line 1`.
pub(crate) fn on_line(text: &str, offset: u32) -> String {
    format!("on line {}", text[..offset as usize].matches('\n').count() + 1)
}

/// A text in one line, with at most `most` characters and an ellipsis.
pub fn one_line(text: &str, most: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= most {
        return joined;
    }
    let mut short: String = joined.chars().take(most).collect();
    short.push('…');
    short
}

/// The span of a scalar without quotes.
pub(crate) fn inner_span(tree: &crd_analyzer_syntax::tree::Tree, scalar: crd_analyzer_syntax::tree::NodeId) -> Span {
    tree.source_map(scalar).span(0..tree.scalar(scalar).len())
}
