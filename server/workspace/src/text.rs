//! The text of a file, and what was wrong with its bytes.

use std::sync::Arc;

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
}

impl Text {
    /// Any bytes are a text; what is no text in them is remembered.
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        let Source { text, defects, .. } = Source::decode(bytes);
        Self {
            content: text.into(),
            defects,
        }
    }

    /// A text that was text from the start.
    pub(crate) fn whole(content: Arc<str>) -> Self {
        Self {
            content,
            defects: Vec::new(),
        }
    }

    /// Reads a document of the text.
    pub(crate) fn read(&self, document: Document) -> Result<Tree, ReadError> {
        read_document(&self.content, document, &self.defects)
    }
}
