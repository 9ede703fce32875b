//! What can be written where the cursor is: in definitions, in objects of their kinds, and in the CEL inside.

mod cel;
mod definition;
mod head;
mod insert;
mod item;
mod json_paths;
mod keys;
mod names;
mod nav;
mod rank;
pub(crate) mod resource;
mod schema_values;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Step, find_from},
    tree::{NodeId, Tree},
};
use crd_analyzer_workspace::index::{DefinitionText, GroupKind};
use item::escape_snippet;
pub use item::{Completions, Item, ItemKind};

use crate::{file::Document, manifest::object_at, place::Place};

/// Definitions that objects are checked against.
pub trait Definitions {
    /// The definition of a kind of objects.
    fn find(&self, kind: &GroupKind) -> Option<Arc<DefinitionText>>;

    /// All kinds that are defined.
    fn kinds(&self) -> Vec<GroupKind>;
}

/// No definitions.
impl Definitions for () {
    fn find(&self, _: &GroupKind) -> Option<Arc<DefinitionText>> {
        None
    }

    fn kinds(&self) -> Vec<GroupKind> {
        Vec::new()
    }
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The document, as the editing reader sees it.
    pub tree: &'a Tree,
    /// The same with what is remembered of its file; `None` for a text without content.
    pub document: Option<&'a Document<'a>>,
    /// The cursor, in bytes of the file.
    pub offset: u32,
    /// The oldest minor that must know what is offered.
    pub version: KubernetesVersion,
    /// Whether items with places to fill in are of use.
    pub snippets: bool,
    /// Definitions of other kinds.
    pub definitions: &'a dyn Definitions,
}

/// What can be written at a place; `None` if nothing is known of it.
pub fn complete(request: &Request<'_>) -> Option<Completions> {
    let place = Place::at(request.tree, request.offset)?;
    let context = Context {
        request,
        place: &place,
        writer: insert::Writer::new(&place),
    };
    let is_definition = nav::is_definition(request.tree, &place.path);
    if is_definition && cel::is_expression(&context) {
        let mut found = cel::complete(&context)?;
        if !request.snippets {
            for it in &mut found.items {
                it.snippet = None;
            }
        }
        return Some(found);
    }
    if place.token.has_blank {
        return None;
    }
    let items = if is_definition {
        definition::complete(&context)
    } else {
        resource::complete(&context)
    };
    let mut items = items?;
    if !request.snippets {
        items.retain(|it| it.kind != ItemKind::Snippet);
        for it in &mut items {
            it.snippet = None;
        }
    }
    if items.is_empty() {
        return None;
    }
    let (replace, insert) = context.writer.spans();
    Some(Completions {
        is_incomplete: is_definition && json_paths::is_path(&context),
        items,
        replace,
        insert,
    })
}

/// A request and its place.
struct Context<'c, 'a> {
    request: &'c Request<'a>,
    place: &'c Place<'a>,
    writer: insert::Writer<'c, 'a>,
}

impl<'a> Context<'_, 'a> {
    /// The object that the place is in, which may be an item of a list, and the path in it.
    fn object(&self) -> (Option<NodeId>, &[Step<'a>]) {
        object_at(self.place.tree, &self.place.path)
    }

    /// The node that the first steps of a path in the object lead to.
    fn in_object(&self, path: &[Step<'_>]) -> Option<NodeId> {
        let found = find_from(self.place.tree, self.object().0?, path);
        found.is_found().then(|| self.place.tree.resolve(found.node))
    }
}
