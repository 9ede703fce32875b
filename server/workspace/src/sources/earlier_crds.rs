//! Finds the CRDs of a git revision. If the revision contains a CRD as a file, that file is used, as for other manifests. Otherwise, the CRD is
//! generated from the source files of the revision.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{World, generated::GoSources, made::Manifests, manifest::Manifest};
use crate::{
    comparison::revision::Revision,
    documents::text::Text,
    index::{Files, GroupKind, KnownCrd, objects},
};

/// The files of a git revision.
pub struct EarlierFiles<'f> {
    /// The name of the revision, for example `HEAD`.
    pub name: &'f str,
    /// The maximum size of a CRD, in bytes. Larger CRDs are not compared.
    pub most_bytes: usize,
    /// The files.
    pub files: &'f dyn Files,
    /// The Go modules of the revision.
    pub go: &'f dyn GoSources,
}

impl fmt::Debug for EarlierFiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl World for EarlierFiles<'_> {
    fn go(&self) -> Option<&dyn GoSources> {
        Some(self.go)
    }

    /// Returns no CRDs: the CRDs in files of the revision are looked up by path, so here the source files alone determine the CRDs.
    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        Vec::new()
    }

    fn files(&self) -> &dyn Files {
        self.files
    }

    fn open(&self, _: &Path) -> Vec<(PathBuf, Arc<str>)> {
        Vec::new()
    }
}

/// The CRDs generated from the source files of a revision, by the root of their unit and by their kind.
#[derive(Debug, Default)]
pub struct EarlierCrds {
    units: HashMap<PathBuf, HashMap<GroupKind, Arc<Revision>>>,
}

impl EarlierCrds {
    /// The CRD that a manifest would replace. `None` if the revision does not contain it, or if some of its types are unknown there.
    pub fn find(&mut self, manifest: &Manifest, of: &EarlierFiles<'_>) -> Option<Arc<Revision>> {
        let new = |text: &[u8]| (text.len() <= of.most_bytes).then(|| Arc::new(Revision::new(of.name, text)));
        let all = objects::read(&Text::whole(manifest.text.clone()));
        let object = all.into_iter().find(|it| it.written.is_crd())?;
        if let Some(file) = of.files.read(&manifest.path) {
            let is_there = |it: &Arc<Revision>| it.previous().definition(&object.written).is_some();
            if let Some(revision) = new(&file).filter(is_there) {
                return Some(revision);
            }
        }
        let kind = object.defines?;
        super::rows().find_map(|row| {
            let unit = (row.unit)(&manifest.path, &manifest.text, of)?;
            let make = || {
                let made = Manifests::new(&*unit);
                let crds = made
                    .all()
                    .filter_map(|it| Some((it.kind()?.clone(), new(it.manifest().text.as_bytes())?)));
                crds.collect()
            };
            let made = self.units.entry(unit.root().to_owned()).or_insert_with(make);
            made.get(&kind).cloned()
        })
    }
}
