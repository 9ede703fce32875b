//! Reuses bases that were built twice.

use std::{ops::Range, path::Path};

use super::{A_KUSTOMIZATION, A_PATH, Building, Result};
use crate::{
    bases::{Accumulated, Base, Kept},
    openapi::OpenApi,
    spend,
};

impl Building<'_> {
    /// Builds a base with `build`, or reuses its kept result.
    pub(super) fn shared(
        &mut self,
        folder: &Path,
        build: impl FnOnce(&mut Self) -> Result<Accumulated>,
    ) -> Result<Accumulated> {
        // The result cannot be shared if objects are missing or an OpenAPI file is set, because both affect how patches apply.
        let is_plain =
            self.unread.is_empty() && self.blocked.is_none() && !self.has_openapi && OpenApi::current().is_none();
        let Some(files) = self.files.identity().filter(|_| is_plain) else {
            return build(self);
        };
        match self.sources.bases.get(folder) {
            None => {
                self.sources.bases.insert(folder.to_owned(), Base::Seen);
                build(self)
            }
            Some(Base::Alone) => build(self),
            Some(Base::Kept(kept)) => {
                let kept = kept.clone();
                let is_cycle = kept.folders.iter().any(|it| self.open.contains(&it.0));
                if kept.files == files && !is_cycle {
                    self.take(&kept)
                } else {
                    build(self)
                }
            }
            Some(Base::Seen) => self.keep(folder, files, build),
        }
    }

    /// Builds a base and keeps the result.
    fn keep(
        &mut self,
        folder: &Path,
        files: usize,
        build: impl FnOnce(&mut Self) -> Result<Accumulated>,
    ) -> Result<Accumulated> {
        // Record all files that the base reads, even those that were read before.
        let texts = std::mem::take(&mut self.texts);
        let before = std::mem::take(&mut self.changes);
        let (folders, resources) = (self.folders.len(), self.resources.len());
        let (taken, patches) = (self.taken.len(), self.patches.len());
        let built = build(self);
        let own: Vec<_> = self
            .texts
            .iter()
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect();
        self.texts.extend(texts);
        let changes = self.changes.clone();
        self.changes.add(&before);
        let built = built?;
        if !self.unread.is_empty() || self.blocked.is_some() || self.has_empty_files {
            self.sources.bases.insert(folder.to_owned(), Base::Alone);
            return Ok(built);
        }
        let within = |it: &Range<usize>| it.start - resources..it.end - resources;
        let kept = Kept {
            files,
            accumulated: copied(&built)?,
            texts: own,
            folders: self.folders[folders..]
                .iter()
                .map(|it| (it.0.clone(), within(&it.1)))
                .collect(),
            resources: self.resources[resources..].to_vec(),
            taken: self.taken[taken..].to_vec(),
            patches: self.patches[patches..].to_vec(),
            changes,
        };
        self.sources.keep(folder, kept);
        Ok(built)
    }

    /// Reuses the kept result of a base. The effect is the same as building the base.
    fn take(&mut self, kept: &Kept) -> Result<Accumulated> {
        spend::work(A_KUSTOMIZATION)?;
        for (path, text) in &kept.texts {
            if !self.texts.contains_key(path) {
                spend::bytes(path.as_os_str().len() + A_PATH)?;
                self.texts.insert(path.clone(), text.clone());
            }
        }
        let before = self.resources.len();
        for path in &kept.resources {
            // All open kustomizations and the base include the file, so the path is stored for each.
            spend::bytes((path.as_os_str().len() + A_PATH) * (self.open.len() + 1))?;
            self.resources.push(path.clone());
        }
        for (folder, taken) in &kept.folders {
            self.folders
                .push((folder.clone(), taken.start + before..taken.end + before));
        }
        self.taken.extend(&kept.taken);
        self.patches.extend(kept.patches.iter().cloned());
        self.changes.add(&kept.changes);
        copied(&kept.accumulated)
    }
}

/// A copy of the objects that shares their strings.
fn copied(found: &Accumulated) -> Result<Accumulated> {
    for resource in found.resources.list() {
        spend::nodes(resource.node.size())?;
    }
    Ok(found.clone())
}
