//! Arguments that comparisons share: which Kubernetes versions, which inputs, and what to print.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use crd_analyzer_schema::KubernetesVersion;
use fastrand::Rng;

/// The Kubernetes versions whose code is asked.
#[derive(clap::Args, Debug)]
pub(crate) struct Versions {
    /// Kubernetes versions to compare: `1.37`, `1.30,1.37` or `1.30..1.37`.
    #[arg(long, value_name = "VERSIONS", default_value_t = KubernetesVersion::NEWEST.to_string())]
    versions: String,
}

impl Versions {
    /// The minor numbers of the versions.
    ///
    /// # Errors
    /// If the argument is not a list or a span of versions that crd-analyzer knows.
    pub(crate) fn minors(&self) -> anyhow::Result<Vec<u8>> {
        if let Some((first, last)) = self.versions.split_once("..") {
            return Ok((minor(first)?..=minor(last)?).collect());
        }
        self.versions.split(',').map(minor).collect()
    }
}

/// The minor number of a version such as `1.37`.
pub(crate) fn minor(version: &str) -> anyhow::Result<u8> {
    let number = version.trim().strip_prefix("1.").and_then(|it| it.parse().ok());
    number.with_context(|| format!("`{version}` is not a Kubernetes version such as 1.37"))
}

/// The inputs of a comparison: files of the corpus, and how mutants of them are made.
#[derive(clap::Args, Debug)]
pub(crate) struct Choice {
    /// The seed of everything that is made at random. Without it, each run has a new one and prints it.
    #[arg(long)]
    seed: Option<u64>,
    /// Take only files whose path contains this.
    #[arg(long, default_value = "")]
    pub(crate) only: String,
    /// Make mutants only of CRDs up to this size in bytes.
    #[arg(long, default_value_t = 60_000)]
    pub(crate) max_size: u64,
    /// Edit each mutant this many times.
    #[arg(long, default_value_t = 1)]
    pub(crate) edits: usize,
}

impl Choice {
    /// The choice with the default arguments, apart from the seed: each mutant has a single edit.
    pub(crate) const fn single_edits(seed: u64) -> Self {
        Self {
            seed: Some(seed),
            only: String::new(),
            max_size: 60_000,
            edits: 1,
        }
    }

    /// The seed from the arguments, or a new one.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| Rng::new().u64(..))
    }
}

/// What a comparison prints and keeps of the answers that differ.
#[derive(clap::Args, Debug)]
pub(crate) struct Printed {
    /// Print at most this many requests whose answers differ.
    #[arg(long, default_value_t = 20)]
    pub(crate) show: usize,
    /// Write the texts whose answers differ into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) keep: Option<PathBuf>,
}

impl Printed {
    /// Writes a file into the folder for differing texts, if there is one.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub(crate) fn keep(&self, name: &str, text: &str) -> anyhow::Result<()> {
        if let Some(folder) = &self.keep {
            std::fs::create_dir_all(folder)?;
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }
}

/// Runs a comparison on a large stack, because values and schemas are deep and the walks over them are recursive.
///
/// # Errors
/// Those of the comparison.
pub(crate) fn on_a_large_stack<T: Send>(run: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        let run = thread.spawn_scoped(scope, run)?;
        run.join().map_err(|_| anyhow!("our side panicked"))?
    })
}
