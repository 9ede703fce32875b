//! The text of a file, and defects in its bytes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem;

use crd_analyzer_syntax::{
    json::KeptJson,
    read_json,
    reader::{Defect, ReadError},
    source::Source,
    split::{Document, Documents, read_document, split},
    tree::Tree,
};

use crate::documents::last_trees::{LastTree, LastTrees};

/// Like [`str::contains`], but several times as fast, because every file of a repository is searched.
pub(crate) fn has(text: &str, word: &str) -> bool {
    memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}

/// The text of a file.
pub(crate) struct Text {
    pub(crate) content: Arc<str>,
    documents: OnceLock<Documents>,
    defects: Vec<Defect>,
    /// The tree that [`Text::check`] has parsed. The next call of [`Text::read`] returns it.
    read_ahead: Mutex<Option<(Document, Tree)>>,
    /// The JSON of the last tree that was read.
    json: Mutex<Option<(Document, KeptJson)>>,
    /// The trees of an earlier version of the text, if the user is editing it.
    last: Option<Arc<LastTrees>>,
}

impl Text {
    /// Decodes bytes. Accepts any bytes, and records those that are not valid text as defects.
    pub(crate) fn decode(bytes: Vec<u8>) -> Self {
        let Source { text, defects, .. } = Source::decode(bytes);
        Self {
            content: text.into(),
            defects,
            documents: OnceLock::new(),
            read_ahead: Mutex::default(),
            json: Mutex::default(),
            last: None,
        }
    }

    /// Creates a text without defects.
    pub(crate) fn whole(content: Arc<str>) -> Self {
        Self {
            content,
            defects: Vec::new(),
            documents: OnceLock::new(),
            read_ahead: Mutex::default(),
            json: Mutex::default(),
            last: None,
        }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        has(&self.content, word)
    }

    /// The documents of the text, split as clients split it.
    pub(crate) fn documents(&self) -> &Documents {
        self.documents.get_or_init(|| split(&self.content))
    }

    /// Whether the text has as many documents as another one, and all of them can be parsed.
    pub(crate) fn is_readable_like(&self, other: &Self) -> bool {
        let found = self.documents();
        let can_be_read = |it: &Document| self.read(*it).is_ok_and(|tree| read_json(&tree).is_ok());
        found.error.is_none()
            && found.documents.len() == other.documents().documents.len()
            && found.documents.iter().all(can_be_read)
    }

    /// The same text. Its trees will be derived from those of the previous version.
    pub(crate) fn after(self, last: Option<&Arc<LastTrees>>) -> Self {
        let last = last.filter(|_| self.defects.is_empty()).cloned();
        Self { last, ..self }
    }

    /// Another text. Its trees will be derived from those of the same previous version.
    pub(crate) fn with_other_content(&self, content: Arc<str>) -> Self {
        Self::whole(content).after(self.last.as_ref())
    }

    /// Whether the trees of this text are kept for its next version.
    pub(crate) fn keeps_trees(&self) -> bool {
        self.last.is_some()
    }

    /// Whether the JSON of this text is kept, too.
    pub(crate) fn keeps_json(&self) -> bool {
        self.last.as_ref().is_some_and(|it| it.keeps_json_of(&self.content))
    }

    /// The JSON of the tree that was read last, if it is known.
    pub(crate) fn known_json(&self, document: Document) -> Option<KeptJson> {
        let mut json = self.json.lock().unwrap_or_else(PoisonError::into_inner);
        json.take_if(|it| it.0 == document).map(|it| it.1)
    }

    /// Keeps the trees of this text for its next version.
    pub(crate) fn keep(&self, trees: Vec<LastTree>) {
        if let Some(last) = &self.last
            && !trees.is_empty()
        {
            last.keep(trees);
        }
    }

    fn parse(&self, document: Document) -> Result<Tree, ReadError> {
        let edited = self.last.as_ref().and_then(|it| it.edited(&self.content, document));
        let Some((tree, json)) = edited else {
            return read_document(&self.content, document, &self.defects);
        };
        *self.json.lock().unwrap_or_else(PoisonError::into_inner) = json.map(|it| (document, it));
        Ok(tree)
    }

    /// Reads a document of the text.
    pub(crate) fn read(&self, document: Document) -> Result<Tree, ReadError> {
        let mut ahead = self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        match ahead.take_if(|it| it.0 == document) {
            Some((_, tree)) => Ok(tree),
            None => self.parse(document),
        }
    }

    /// Checks whether a document can be read. If it can, the next call of [`Text::read`] returns the tree without parsing the document again.
    pub(crate) fn check(&self, document: Document) -> Result<(), ReadError> {
        let tree = self.parse(document)?;
        *self.read_ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some((document, tree));
        Ok(())
    }
}
