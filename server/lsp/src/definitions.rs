//! The definitions that completion in objects knows: those in the documents that are open.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_ide::completion::Definitions;
use crd_analyzer_workspace::index::{Catalog, DefinitionText, GroupKind, MemoryFiles, NewFile, Origin, objects};

use crate::{documents, session::Session};

/// Definitions of open documents, kept in step when somebody asks.
pub(crate) struct OpenDefinitions {
    catalog: Catalog,
    /// The versions that were looked at.
    seen: Mutex<HashMap<String, i32>>,
}

impl std::fmt::Debug for OpenDefinitions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenDefinitions").finish_non_exhaustive()
    }
}

impl Default for OpenDefinitions {
    fn default() -> Self {
        Self {
            catalog: Catalog::new(MemoryFiles::default()),
            seen: Mutex::default(),
        }
    }
}

impl OpenDefinitions {
    fn catalog(&self, session: &Session) -> &Catalog {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let open: HashMap<_, _> = session
            .documents
            .uris()
            .into_iter()
            .filter_map(|uri| session.documents.snapshot(&uri))
            .map(|it| (it.uri.to_string(), it))
            .collect();
        seen.retain(|uri, _| {
            let is_open = open.contains_key(uri);
            if !is_open {
                self.catalog.change(|index| index.remove(&path_of(uri)));
            }
            is_open
        });
        for (uri, snapshot) in open {
            if seen.get(&uri) == Some(&snapshot.version) {
                continue;
            }
            let parsed = snapshot.parsed();
            let text = parsed.file.text();
            let path = path_of(&uri);
            // Cheap for most files: what names no definition is none.
            if text.contains("CustomResourceDefinition") {
                let (text, found) = objects(text.as_bytes().to_vec());
                let file = NewFile {
                    path: &path,
                    origin: Origin::Workspace,
                    text: &text,
                    objects: &found,
                    keep_text: true,
                };
                self.catalog.change(|index| index.set(&file));
            } else {
                self.catalog.change(|index| index.remove(&path));
            }
            seen.insert(uri, snapshot.version);
        }
        &self.catalog
    }
}

/// A document's place among the others: it need not be a file.
fn path_of(uri: &str) -> PathBuf {
    let file = uri.parse().ok().and_then(|it| documents::path_of(&it));
    file.unwrap_or_else(|| PathBuf::from(uri))
}

/// What is known near a file.
pub(crate) struct Known<'a> {
    pub(crate) session: &'a Session,
    pub(crate) near: Option<PathBuf>,
}

impl Definitions for Known<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<DefinitionText>> {
        let near = self.near.as_deref().unwrap_or(Path::new("/"));
        let catalog = self.session.definitions.catalog(self.session);
        let found = catalog.with(|index| index.find(kind, near))?;
        catalog.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        let catalog = self.session.definitions.catalog(self.session);
        let mut kinds: Vec<_> = catalog.with(|index| index.definitions().map(|it| it.defines.clone()).collect());
        kinds.sort();
        kinds.dedup();
        kinds
    }
}
