//! Finds the previous version of each checked file, for `--old-ref` and `--old`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    git,
    read::{self, Access},
};

use crate::{
    cli::UsageError,
    input::{Input, Source},
};

/// The options that specify the previous manifests.
pub(super) struct Previous<'a> {
    /// The paths of the manifests, as given on the command line.
    pub(super) paths: &'a [PathBuf],
    /// The revision of `--old-ref`.
    pub(super) revision: Option<&'a Arc<git::Revision>>,
    /// The path of `--old`.
    pub(super) old: Option<&'a Path>,
    /// The access to the files in `old`, if `old` is a folder.
    pub(super) folder: Option<&'a Access>,
}

impl Previous<'_> {
    /// Sets the previous version of an input.
    ///
    /// # Errors
    /// If the options do not identify the previous version.
    pub(super) fn add_to(&self, input: &mut Input) -> anyhow::Result<()> {
        let (Source::File(path, _) | Source::Stdin(Some(path))) = &input.source else {
            if let (Source::Stdin(None), Some(revision)) = (&input.source, self.revision) {
                let said = format!(
                    "--old-ref {}: git has no previous version of standard input. Name its file with --stdin-filename, or give the previous version with --old",
                    revision.shown_name()
                );
                return Err(UsageError(said).into());
            }
            if let (Source::Stdin(None), Some(old)) = (&input.source, self.old) {
                input.old = Some(Source::named(old));
            }
            return Ok(());
        };
        if let Some(revision) = self.revision {
            input.old = Some(Source::Git {
                path: path.clone(),
                revision: revision.clone(),
            });
        } else if let Some(old) = self.old {
            input.old = if let Some(access) = self.folder {
                // In the folder of old manifests, a file has the same relative path as in the folder argument.
                let mut below = self.paths.iter().filter_map(|folder| path.strip_prefix(folder).ok());
                let old = old.join(below.next().unwrap_or(path));
                read::exists(&old).then(|| Source::File(old, access.clone()))
            } else if self.paths.len() == 1 && input.named {
                Some(Source::named(old))
            } else {
                return Err(UsageError(
                    "--old with a file needs exactly one manifest to check: give a folder instead".to_owned(),
                )
                .into());
            };
        }
        Ok(())
    }
}
