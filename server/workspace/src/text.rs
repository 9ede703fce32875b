//! The text of a file, and what was wrong with its bytes.

use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_syntax::{
    reader::{Defect, ReadError},
    source::Source,
    split::{Document, read_document},
    tree::Tree,
};

/// The text of a file.
pub(crate) struct Text {
    pub(crate) content: Arc<str>,
    defects: Vec<Defect>,
    /// The tree that [`Text::check`] made, for the next reader.
    read_ahead: Mutex<Option<(Document, Tree)>>,
}

impl Text {
    /// Any bytes are a text; what is not text in them is remembered.
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        let Source { text, defects, .. } = Source::decode(bytes);
        Self {
            content: text.into(),
            defects,
            read_ahead: Mutex::default(),
        }
    }

    /// A text that was text from the start.
    pub(crate) fn whole(content: Arc<str>) -> Self {
        Self {
            content,
            defects: Vec::new(),
            read_ahead: Mutex::default(),
        }
    }

    /// Reads a document of the text.
    pub(crate) fn read(&self, document: Document) -> Result<Tree, ReadError> {
        let mut ahead = self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        match ahead.take_if(|it| it.0 == document) {
            Some((_, tree)) => Ok(tree),
            None => read_document(&self.content, document, &self.defects),
        }
    }

    /// Whether a document can be read. If so, reading it next takes no time.
    pub(crate) fn check(&self, document: Document) -> Result<(), ReadError> {
        let tree = read_document(&self.content, document, &self.defects)?;
        *self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some((document, tree));
        Ok(())
    }
}
