//! Reads the OpenAPI files that kustomizations name in `openapi`.

use std::path::Path;

use super::Building;
use crate::{
    absent::unread,
    built::is_remote,
    kustomization::{Kustomization, Text},
    openapi::OpenApi,
    problem::{Problem, ProblemKind, Result},
    sources::joined,
    spend,
};

/// The work units for each byte of an OpenAPI file.
const A_BYTE: usize = 8;

impl Building<'_> {
    /// The OpenAPI file of the outermost kustomization. `None` if it is remote.
    pub(super) fn openapi(&mut self, folder: &Path, path: &Text) -> Result<Option<OpenApi>> {
        self.has_openapi = true;
        let Some(text) = self.text(&joined(folder, &path.text))? else {
            if is_remote(&path.text) {
                self.note_other_openapi(path);
                return Ok(None);
            }
            return Err(unread(self.files, folder, &path.text, path.place));
        };
        spend::work(text.len() * A_BYTE)?;
        let file = OpenApi::read(&text).map_err(|why| {
            let message = format!("`{}` is not an OpenAPI file: {why}", path.text);
            Problem::fails(path.place, message)
        });
        file.map(Some)
    }

    /// Records that lists are merged according to a schema that crd-analyzer does not know.
    fn note_other_openapi(&mut self, path: &Text) {
        self.changes.add_all();
        let problem = || {
            Problem::new(
                ProblemKind::NotSupported,
                path.place,
                "crd-analyzer does not build `openapi` here",
            )
        };
        self.blocked.get_or_insert_with(problem);
    }

    /// Checks the OpenAPI file of a base. The file must exist, even though it has no effect if the outermost kustomization names its own.
    pub(super) fn check_openapi_of_base(&mut self, folder: &Path, kustomization: &Kustomization) -> Result<()> {
        let Some(path) = &kustomization.openapi else {
            return Ok(());
        };
        let is_there = self.text(&joined(folder, &path.text))?.is_some();
        if !self.has_openapi {
            // From here on, the base's file applies. If Kubernetes' own schema was used before, the two are combined.
            self.note_other_openapi(path);
        } else if !is_there && !is_remote(&path.text) {
            return Err(unread(self.files, folder, &path.text, path.place));
        }
        Ok(())
    }
}
