//! `crd-analyzer crds`: manages the CRDs of other projects that a repository keeps.

mod add;
mod kept;
mod sources;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use crd_analyzer_io::{
    absolute::absolute,
    collected::{self, Found},
    read, roots,
};
use crd_analyzer_workspace::index::lock;

use super::{Status, UsageError};
use crate::input;

/// Keep the CRDs of other projects in the repository, so that its custom resources are checked
///
/// The CRDs are in `.crd-analyzer/crds`, and `.crd-analyzer/crds.lock` lists them with their hashes and where they came from. `check` and editors
/// use them without a setting. They are not checked themselves.
///
/// Examples:
///   crd-analyzer crds add cert-manager-v1.18.2.tgz
///   helm template cert-manager-v1.18.2.tgz | crd-analyzer crds add -
///   crd-analyzer crds add --from-cluster --dry-run
///   crd-analyzer crds verify
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Copy CRDs into the repository, and tell what changes with those that it has.
    Add(add::Args),
    /// List the CRDs, with where they came from.
    List(Place),
    /// Compare the CRDs with the lock. The exit code is 1 if they differ.
    Verify(Place),
}

/// Where the CRDs are.
#[derive(clap::Args, Debug)]
struct Place {
    /// The folder that has, or gets, `.crd-analyzer`. Default: the nearest folder above that has a lock, else the root of the repository.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl Place {
    /// The absolute path of the folder.
    fn folder(&self) -> anyhow::Result<PathBuf> {
        if let Some(folder) = &self.folder {
            if !read::is_folder(folder) {
                return Err(UsageError(format!("`{}` is not a folder", folder.display())).into());
            }
            return Ok(absolute(folder)?);
        }
        let current = std::env::current_dir()?;
        let has_lock = |it: &&Path| read::exists(&it.join(lock::FOLDER).join(lock::FILE_NAME));
        let above = current.ancestors().find(has_lock).map(Path::to_owned);
        Ok(above.or_else(|| roots::repository(&current)).unwrap_or(current))
    }

    /// The lock. Returns an error if it does not exist.
    fn lock(&self) -> anyhow::Result<Found> {
        let folder = self.folder()?;
        lock_in(&folder)?.ok_or_else(|| {
            let folder = input::label(&folder);
            let what = format!("`{folder}` has no `.crd-analyzer/crds.lock`: `crd-analyzer crds add` makes one");
            UsageError(what).into()
        })
    }
}

/// The lock of a folder, if it exists.
fn lock_in(folder: &Path) -> anyhow::Result<Option<Found>> {
    let found = collected::of(folder, &input::found_in(folder)).transpose();
    found.map_err(|why| anyhow::anyhow!("cannot read {why}"))
}

/// A path as people write it from the current folder.
fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(current).unwrap_or(path).display().to_string()
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    match &args.what {
        What::Add(args) => add::run(args),
        What::List(place) => kept::list(place),
        What::Verify(place) => kept::verify(place),
    }
}
