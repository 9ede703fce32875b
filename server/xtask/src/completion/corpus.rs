//! The corpus for completion: files, and an index of CRDs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_ide::completion::Definitions;
use crd_analyzer_workspace::index::{Catalog, CrdText, Files, GroupKind, NewFile, Origin, objects};

use crd_analyzer_conformance::peers;

/// A file of the corpus.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
}

/// The files, and an index of the CRDs.
pub(crate) struct Corpus {
    pub(crate) definitions: Vec<File>,
    pub(crate) objects: Vec<File>,
    pub(crate) catalog: Catalog,
}

/// Reads files from disk.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        std::fs::read(path).ok()
    }
}

impl Corpus {
    pub(crate) fn load(max_size: usize) -> anyhow::Result<Self> {
        let root = peers::corpus()?;
        let definitions = files(&root.join("crds"), max_size)?;
        let objects = files(&root.join("crs"), max_size)?;
        let catalog = Catalog::new(Disk);
        for file in &definitions {
            let (text, found) = self::objects(file.text.as_bytes().to_vec());
            catalog.change(|index| {
                index.set(&NewFile {
                    path: &file.path,
                    origin: Origin::Workspace,
                    text: &text,
                    objects: &found,
                    keep_text: false,
                })
            });
        }
        Ok(Self {
            definitions,
            objects,
            catalog,
        })
    }

    /// The CRDs that apply to a file.
    pub(crate) fn near<'a>(&'a self, path: &'a Path) -> Near<'a> {
        Near { corpus: self, path }
    }
}

/// The CRDs that apply to a file.
pub(crate) struct Near<'a> {
    corpus: &'a Corpus,
    path: &'a Path,
}

impl Definitions for Near<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        // The folder of custom resources has the same name as the folder of their CRDs.
        let near = self.path.to_string_lossy().replace("/crs/", "/crds/");
        let found = self.corpus.catalog.with(|index| index.find(kind, Path::new(&near)))?;
        self.corpus.catalog.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.corpus
            .catalog
            .with(|index| index.definitions().map(|it| it.defines.clone()).collect())
    }
}

fn files(folder: &Path, max_size: usize) -> anyhow::Result<Vec<File>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path)
                && text.len() <= max_size
            {
                found.push(File {
                    path,
                    text: text.into(),
                });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}
