//! One version of a file as features see it: its documents in trees that any text has.
//!
//! No feature waits for a verdict: trees come from the editing reader, and what rules see of a schema is kept from version to version
//! ([`Memory`]), so that a text that cannot be read at the moment still has types.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    edit::EditingTree,
    text::Text,
    tree::{NodeId, Span, Tree},
};

use crate::cel::{Scope, Scopes};

/// What is remembered of a file from version to version.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) scopes: Scopes,
}

/// By document, schema and minor.
type ScopesByNode = HashMap<(usize, NodeId, u8), Option<Arc<Scope>>>;

/// One version of a file.
#[derive(Debug)]
pub struct File {
    trees: EditingTree,
    memory: Arc<Memory>,
    /// The scopes that were asked for: to find one in the memory the schema's text is read.
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

/// One document of a file.
#[derive(Clone, Copy, Debug)]
pub struct Document<'f> {
    file: &'f File,
    /// Its position among the file's documents that have content.
    pub index: usize,
    /// Its tree.
    pub tree: &'f Tree,
    /// Something had to be repaired to make a tree.
    pub is_broken: bool,
}

impl File {
    /// Reads a text.
    pub fn new(text: impl Into<Text>, memory: Arc<Memory>) -> Self {
        Self {
            trees: EditingTree::new(text),
            memory,
            scopes: Mutex::default(),
        }
    }

    /// Replaces a range of bytes: the file is then what it would be if it were read anew.
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
        self.trees.documents().iter().enumerate().map(|(index, it)| Document {
            file: self,
            index,
            tree: &it.tree,
            is_broken: it.is_broken,
        })
    }

    /// The document that has a place, which may also touch its end.
    pub fn document_at(&self, offset: u32) -> Option<Document<'_>> {
        let found = self.trees.document_at(offset)?;
        self.documents().find(|it| std::ptr::eq(it.tree, &raw const found.tree))
    }

    /// What the rules of a schema see. `None` if that is not known and never was.
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
    /// The file it is in.
    pub fn file(&self) -> &'f File {
        self.file
    }

    /// Whether it says that it is a definition.
    pub fn is_definition(&self) -> bool {
        is_definition(self.tree)
    }

    /// Its bytes in the file.
    pub fn span(&self) -> Span {
        self.tree.document_span()
    }
}

/// Whether a document says that it is a definition.
pub fn is_definition(tree: &Tree) -> bool {
    let field = |name| {
        tree.root()
            .and_then(|root| tree.get(root, name))
            .map(|it| tree.scalar(it))
    };
    field("kind").as_deref() == Some("CustomResourceDefinition")
        && field("apiVersion").is_some_and(|it| it.starts_with("apiextensions.k8s.io/"))
}
