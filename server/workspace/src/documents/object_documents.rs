//! The objects in a file, as values with their spans.

use std::{path::Path as FilePath, sync::Arc};

use crd_analyzer_budget as budget;
use crd_analyzer_resource::places;
use crd_analyzer_schema::{
    field::Path,
    unknown::{Known, Unknown},
};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, read_json_of},
    split::Document,
    tree::{NodeId, Span, Tree},
};
use serde_json::Value;

use crate::{
    documents::head,
    documents::spans,
    documents::text::Text,
    filled_in::fill::{Filled, Places},
    filled_in::printed::{printed, replaced},
    filled_in::unknown::{self, Completed},
    index::objects::{self, Object},
    judging::passed_over,
    roles::{Use, Uses},
};

/// The objects of a file that have requested kinds.
#[derive(Debug)]
pub struct ObjectDocuments {
    /// The text of the file.
    pub text: Arc<str>,
    /// The objects, in order.
    pub objects: Vec<Result<ObjectDocument, UnreadableObject>>,
    /// The number of documents that may have such objects, but cannot be read, because a template fills in too much.
    pub templates: usize,
}

/// The kinds of the requested objects.
pub trait Wanted {
    /// Whether objects of a kind in a group are requested.
    fn has(&self, group: &str, kind: &str) -> bool;

    /// Whether objects of a kind are requested, whatever their group is.
    fn has_kind(&self, kind: &str) -> bool;
}

/// An object of a file.
#[derive(Debug)]
pub struct ObjectDocument {
    /// The object. Unknown values are examples.
    pub value: Value,
    /// `metadata.name` as it is written. Empty if a template fills it in.
    pub name: String,
    unknown: Option<Unknown>,
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
pub fn objects_of_file(bytes: Vec<u8>, path: &FilePath) -> (Arc<str>, Vec<Object>) {
    let text = Text::decode(bytes);
    let Some(Filled { text: filled, places }) = printed(&text, Some(path)) else {
        let found = objects::read(&text);
        return (text.content, found);
    };
    let mut found = objects::read(&Text::whole(filled.into()));
    for object in found.iter_mut().filter(|it| places.is_in(&it.written.name)) {
        object.written.name.clear();
    }
    (text.content, found)
}

/// The objects with the requested kinds in the file at a path, including objects inside other objects. Values that tools fill in are unknown, as in
/// `check`. `uses` says what tools do with the file.
pub fn object_documents(bytes: Vec<u8>, (path, uses): (&FilePath, Uses<'_>), wanted: &dyn Wanted) -> ObjectDocuments {
    let source = Text::decode(bytes);
    let uses = uses.with_those_of_path(Some(path));
    let filled = printed(&source, Some(path)).map(|it| (Text::whole(it.text.into()), it.places));
    let filled = filled.or_else(|| replaced(&source, uses));
    let text = filled.as_ref().map_or(&source, |it| &it.0);
    let mut reading = Reading {
        text,
        source: &source,
        places: filled.as_ref().map(|it| &it.1),
        path,
        uses,
        wanted,
        objects: Vec::new(),
        templates: 0,
    };
    for &document in &text.documents().documents {
        reading.document(document);
    }
    let Reading { objects, templates, .. } = reading;
    ObjectDocuments {
        text: source.content,
        objects,
        templates,
    }
}

/// A file whose objects are read.
struct Reading<'a> {
    source: &'a Text,
    /// The text to read: that of the file, or what a template prints.
    text: &'a Text,
    /// The places that a template fills in.
    places: Option<&'a Places>,
    path: &'a FilePath,
    uses: Uses<'a>,
    wanted: &'a dyn Wanted,
    objects: Vec<Result<ObjectDocument, UnreadableObject>>,
    templates: usize,
}

impl Reading<'_> {
    fn document(&mut self, document: Document) {
        let written = head::read(self.text, document);
        let is_in = |it: &str| self.places.is_some_and(|places| places.is_in(it));
        // The kind and the version decide which schema applies.
        if is_in(&written.kind) || is_in(&written.api_version) && self.wanted.has_kind(&written.kind) {
            self.templates += 1;
            return;
        }
        let row = objects::wrapper(&written);
        let whole = Object::of_document(document, written);
        let is_alone_wanted = self.wants(&whole);
        if row.is_none() && !is_alone_wanted {
            return;
        }
        let tree = match self.text.read(document) {
            Ok(tree) => Arc::new(tree),
            Err(_) if !is_alone_wanted => return,
            Err(error)
                if self.places.is_some() || passed_over::is_template(&self.source.content, document.span, &error) =>
            {
                self.templates += 1;
                return;
            }
            Err(error) => {
                self.objects.push(Err(UnreadableObject {
                    span: error.span,
                    why: error.message,
                }));
                return;
            }
        };
        let inside = row.and_then(|_| objects::inside(&tree, document));
        let is_opened = inside.is_some() && row.is_some_and(|it| it.is_opened);
        let alone = tree.root().filter(|_| is_alone_wanted && !is_opened);
        if let Some(root) = alone {
            self.object(&tree, tree.resolve(root), &whole);
        }
        for (object, node) in inside.into_iter().flatten() {
            if object.is_sent() && self.wants(&object) {
                self.object(&tree, node, &object);
            }
        }
    }

    fn wants(&self, object: &Object) -> bool {
        object
            .group_kind()
            .is_some_and(|it| self.wanted.has(&it.group, &it.kind))
    }

    fn object(&mut self, tree: &Arc<Tree>, node: NodeId, object: &Object) {
        let unreadable = |why: String| UnreadableObject {
            span: spans::first_line(tree.text(), tree.span(node)),
            why,
        };
        let mut json = match read_json_of(tree, node) {
            Ok(json) => json,
            Err(_) if self.places.is_some() => {
                self.templates += 1;
                return;
            }
            Err(error) => {
                self.objects.push(Err(unreadable(error.message)));
                return;
            }
        };
        let completed = Completed {
            is_substituted: self.uses.has(Use::Completed),
            filled: self.places,
            ..Completed::of(object, self.uses, Some(self.path))
        };
        let (completed, ended) = budget::within(unknown::LIMITS, || completed.apply(&mut json, tree));
        if let Some(why) = ended.unfinished {
            self.objects.push(Err(unreadable(why.to_string())));
            return;
        }
        let unknown = completed.unknown;
        let known = Known::from(unknown.as_ref());
        if !(known.field("apiVersion").is_all() && known.field("kind").is_all()) {
            self.templates += 1;
            return;
        }
        let name = &object.written.name;
        let is_filled_in = self.places.is_some_and(|it| it.is_in(name));
        self.objects.push(Ok(ObjectDocument {
            value: json.root().map(Json::to_value).unwrap_or_default(),
            name: if is_filled_in { String::new() } else { name.clone() },
            unknown,
            tree: tree.clone(),
            node,
        }));
    }
}

impl ObjectDocument {
    /// The parts of the object that are known.
    pub fn known(&self) -> Known<'_> {
        self.unknown.as_ref().into()
    }

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
