//! The text of a file, and what was wrong with its bytes.

use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_syntax::{
    reader::{Defect, ReadError},
    source::Source,
    split::{Document, read_document},
    tree::Tree,
};

use crate::last_trees::LastTrees;

/// The text of a file.
pub(crate) struct Text {
    pub(crate) content: Arc<str>,
    defects: Vec<Defect>,
    /// The tree that [`Text::check`] made, for the next reader.
    read_ahead: Mutex<Option<(Document, Tree)>>,
    /// The trees of an older version of the text, if somebody types in it.
    last: Option<Arc<LastTrees>>,
}
impl Text {
    /// Any bytes are a text; what is not text in them is remembered.
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        let Source { text, defects, .. } = Source::decode(bytes);
        Self {
            content: text.into(),
            defects,
            read_ahead: Mutex::default(),
            last: None,
        }
    }

    /// A text that was text from the start.
    pub(crate) fn whole(content: Arc<str>) -> Self {
        Self {
            content,
            defects: Vec::new(),
            read_ahead: Mutex::default(),
            last: None,
        }
    }

    /// The same text, whose trees are made from those of the version before it.
    pub(crate) fn after(self, last: Option<&Arc<LastTrees>>) -> Self {
        let last = last.filter(|_| self.defects.is_empty()).cloned();
        Self { last, ..self }
    }

    /// Whether the trees of this text are kept for the next version.
    pub(crate) fn keeps_trees(&self) -> bool {
        self.last.is_some()
    }

    /// Keeps the trees of this text for the next version.
    pub(crate) fn keep(&self, trees: Vec<(Document, Arc<Tree>)>) {
        if let Some(last) = &self.last
            && !trees.is_empty()
        {
            last.keep(trees);
        }
    }

    fn parse(&self, document: Document) -> Result<Tree, ReadError> {
        let edited = self.last.as_ref().and_then(|it| it.edited(&self.content, document));
        edited.map_or_else(|| read_document(&self.content, document, &self.defects), Ok)
    }

    /// Reads a document of the text.
    pub(crate) fn read(&self, document: Document) -> Result<Tree, ReadError> {
        let mut ahead = self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        match ahead.take_if(|it| it.0 == document) {
            Some((_, tree)) => Ok(tree),
            None => self.parse(document),
        }
    }

    /// Whether a document can be read. If so, reading it next takes no time.
    pub(crate) fn check(&self, document: Document) -> Result<(), ReadError> {
        let tree = self.parse(document)?;
        *self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some((document, tree));
        Ok(())
    }
}
