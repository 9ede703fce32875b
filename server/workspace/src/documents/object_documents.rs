//! The objects in a text, as values with their spans.

use std::sync::Arc;

use crd_analyzer_resource::places;
use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, read_json_of},
    tree::{NodeId, Span, Tree},
};
use serde_json::Value;

use crate::{
    documents::head,
    documents::spans,
    documents::text::Text,
    filled_in::fill::fill,
    index::{
        GroupKind,
        objects::{self, Object},
    },
    roles,
};

/// An object of a text.
#[derive(Debug)]
pub struct ObjectDocument {
    /// The object.
    pub value: Value,
    tree: Arc<Tree>,
    node: NodeId,
}

/// A document that has a requested kind but cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadableObject {
    /// The span of the document's first line.
    pub span: Span,
    /// The reason, as the API server words it.
    pub why: String,
}

/// The objects of the file at a path, in order. Actions of templates are replaced in the same way as by `check`.
pub fn objects_of_file(bytes: Vec<u8>, path: &std::path::Path) -> (Arc<str>, Vec<Object>) {
    let text = Text::decode(bytes);
    let filled = roles::is_template(path).then(|| fill(&text.content)).flatten();
    let Some(filled) = filled else {
        let found = objects::read(&text);
        return (text.content, found);
    };
    let mut found = objects::read(&Text::whole(filled.text.into()));
    for object in found.iter_mut().filter(|it| filled.places.is_in(&it.written.name)) {
        object.written.name.clear();
    }
    (text.content, found)
}

/// The objects with the requested groups and kinds in a text, including objects inside other objects.
pub fn object_documents(
    bytes: Vec<u8>,
    is_asked: &dyn Fn(&GroupKind) -> bool,
) -> (Arc<str>, Vec<Result<ObjectDocument, UnreadableObject>>) {
    let text = Text::decode(bytes);
    let is_wanted = |it: &Object| it.group_kind().is_some_and(|it| is_asked(&it));
    let mut found = Vec::new();
    for &document in &text.documents().documents {
        let written = head::read(&text, document);
        let row = objects::wrapper(&written);
        let is_alone_wanted = is_wanted(&Object::of_document(document, written));
        if row.is_none() && !is_alone_wanted {
            continue;
        }
        let read = text.read(document);
        let tree = match read {
            Ok(tree) => Arc::new(tree),
            Err(_) if !is_alone_wanted => continue,
            Err(error) => {
                found.push(Err(UnreadableObject {
                    span: error.span,
                    why: error.message,
                }));
                continue;
            }
        };
        let inside = row.and_then(|_| objects::inside(&tree, document));
        let is_opened = inside.is_some() && row.is_some_and(|it| it.is_opened);
        let alone = tree.root().filter(|_| is_alone_wanted && !is_opened);
        let is_sent = |it: &(Object, NodeId)| it.0.is_sent() && is_wanted(&it.0);
        let inside = inside.into_iter().flatten().filter(is_sent).map(|it| it.1);
        let nodes: Vec<NodeId> = alone.map(|it| tree.resolve(it)).into_iter().chain(inside).collect();
        found.extend(nodes.into_iter().map(|node| of_node(&tree, node)));
    }
    (text.content, found)
}

fn of_node(tree: &Arc<Tree>, node: NodeId) -> Result<ObjectDocument, UnreadableObject> {
    let value = match read_json_of(tree, node) {
        Ok(json) => json.root().map(Json::to_value).unwrap_or_default(),
        Err(error) => {
            return Err(UnreadableObject {
                span: spans::first_line(tree.text(), tree.span(node)),
                why: error.message,
            });
        }
    };
    Ok(ObjectDocument {
        value,
        tree: tree.clone(),
        node,
    })
}

impl ObjectDocument {
    /// The span of the object's first line.
    pub fn span(&self) -> Span {
        spans::first_line(self.tree.text(), self.tree.span(self.node))
    }

    /// The spans of fields. The span of a missing field is where the field would be.
    pub fn places<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Vec<Span> {
        let json = read_json_of(&self.tree, self.node).ok();
        let place = |path| self.place(json.as_ref(), path);
        paths.into_iter().map(place).collect()
    }

    fn place(&self, json: Option<&JsonDoc<'_>>, path: &Path) -> Span {
        let root = json.and_then(|it| it.root()).filter(|_| !path.segments().is_empty());
        root.map_or_else(
            || self.span(),
            |root| {
                let found = places::find(root, path);
                if found.value == self.node {
                    self.span()
                } else {
                    spans::spot(&self.tree, found.key, found.value)
                }
            },
        )
    }
}
