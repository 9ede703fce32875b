//! One version of a file for editor features: its documents as trees, which exist for any text.
//!
//! No feature waits for the API server's checks. The trees come from the error-tolerant parser. [`Memory`] keeps the types of schemas from version to
//! version, so they are known even while the text is invalid.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    edit::EditingTree,
    text::Text,
    tree::{NodeId, Span, Tree},
};

use crd_analyzer_workspace::kinds::{self, Row};

use crate::{
    cel::{Scope, Scopes},
    manifest::{object_at_byte, objects},
};

/// Data about a file that is kept from version to version.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) scopes: Scopes,
}

/// Scopes by document, schema and Kubernetes minor version.
type ScopesByNode = HashMap<(usize, NodeId, u8), Option<Arc<Scope>>>;

/// One version of a file.
#[derive(Debug)]
pub struct File {
    trees: EditingTree,
    memory: Arc<Memory>,
    /// The scopes that were found so far. To find one in the memory, the schema's text must be read again.
    scopes: Mutex<ScopesByNode>,
}

impl Clone for File {
    fn clone(&self) -> Self {
        Self {
            trees: self.trees.clone(),
            memory: self.memory.clone(),
            scopes: Mutex::default(),
        }
    }
}

/// One document of a file. If the document is a list of objects, one of its objects.
#[derive(Clone, Copy, Debug)]
pub struct Document<'f> {
    file: &'f File,
    /// The index of the document among the file's documents with content.
    pub index: usize,
    /// The document's tree.
    pub tree: &'f Tree,
    /// The root node of the object; `None` for a document with only comments.
    pub root: Option<NodeId>,
    /// Whether the text has syntax errors that the parser repaired.
    pub is_broken: bool,
}

impl File {
    /// Parses a text.
    pub fn new(text: impl Into<Text>, memory: Arc<Memory>) -> Self {
        Self {
            trees: EditingTree::new(text),
            memory,
            scopes: Mutex::default(),
        }
    }

    /// Replaces a range of bytes. The result is the same as parsing the new text.
    pub fn edit(&mut self, range: Range<usize>, new_text: &str) {
        self.trees.edit(range, new_text);
        self.scopes = Mutex::default();
    }

    /// The text.
    pub fn text(&self) -> &Text {
        self.trees.text()
    }

    /// The documents that have content, in the order of the text.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let count = self.trees.documents().len();
        (0..count).map(|it| self.document(it))
    }

    fn document(&self, index: usize) -> Document<'_> {
        let reading = &self.trees.documents()[index];
        Document {
            file: self,
            index,
            tree: &reading.tree,
            root: reading.tree.root(),
            is_broken: reading.is_broken,
        }
    }

    /// The objects of all documents. The items of a list are separate objects.
    pub fn objects(&self) -> impl Iterator<Item = Document<'_>> {
        self.documents().flat_map(|document| {
            let objects = objects(document.tree).into_iter();
            objects.map(move |it| document.of(it))
        })
    }

    /// The document that contains an offset or ends there. In a list, the object.
    pub fn document_at(&self, offset: u32) -> Option<Document<'_>> {
        let document = self.document(self.trees.index_at(offset)?);
        let object = object_at_byte(document.tree, offset);
        Some(object.map_or(document, |it| document.of(it)))
    }

    /// The types for the rules of a schema. `None` if they are not known, and never were.
    pub fn scope(&self, document: &Document<'_>, schema: NodeId, version: KubernetesVersion) -> Option<Arc<Scope>> {
        let name = (document.index, schema, version.number());
        let kept = || self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&name) {
            return known.clone();
        }
        let found = self.memory.scopes.of(document, schema, version);
        kept().insert(name, found.clone());
        found
    }
}

impl<'f> Document<'f> {
    /// The file that contains the document.
    pub fn file(&self) -> &'f File {
        self.file
    }

    fn of(self, object: NodeId) -> Self {
        Self {
            root: Some(object),
            ..self
        }
    }

    /// Whether the document's `apiVersion` and `kind` are those of a CRD.
    pub fn is_crd(&self) -> bool {
        let field = |name| {
            let value = self.root.and_then(|root| self.tree.get(root, name));
            value.map(|it| self.tree.scalar(it))
        };
        let (api_version, kind) = (field("apiVersion"), field("kind"));
        api_version
            .zip(kind)
            .is_some_and(|(api_version, kind)| CRD.is(&api_version, &kind))
    }

    /// The entry for the document's kind in the table, if there is one.
    pub fn row(&self) -> Option<&'static Row> {
        let field = |name| {
            let value = self.root.and_then(|root| self.tree.get(root, name));
            value.map(|it| self.tree.scalar(it))
        };
        let (api_version, kind) = field("apiVersion").zip(field("kind"))?;
        kinds::of(&api_version, &kind).map(|it| it.0)
    }

    /// The span of the whole document in the file.
    pub fn span(&self) -> Span {
        self.tree.document_span()
    }
}
