//! What the commands that read manifests share: how manifests are named, which configuration counts for each, and going
//! over them in parallel.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_schema::depth;
use crd_analyzer_workspace::{
    config::{self, Config},
    versions::VersionSet,
};
use rayon::prelude::*;

use crate::{
    cli::UsageError,
    input::{self, Input, Source, Unreadable},
};

/// Files are read and judged in batches of this many, so that memory does not grow with their number.
pub(super) const BATCH: usize = 32;

/// The stack of a thread that judges: schemas are followed as deep as the server follows them. It is address space, not memory, until then.
pub(super) const STACK_BYTES: usize = depth::STACK_BYTES;

/// Which manifests, and how they are judged.
#[derive(clap::Args, Debug)]
pub(super) struct Manifests {
    /// Files, folders (searched as git would see them) or `-` for standard input.
    #[arg(value_name = "PATH", required_unless_present = "list")]
    pub(super) paths: Vec<PathBuf>,

    /// The minors to ask: `1.31`, a range `1.30..1.37`, or `all`. The newest if nothing else is said.
    #[arg(long, value_name = "VERSION")]
    pub(super) kubernetes_version: Option<VersionSet>,

    /// Read what to check from this file (`-`: standard input), one request a line: a path, `NEW<tab>OLD`, or a JSON
    /// object with `id` and `text` (and `old_text`). Requests from standard input are answered one by one.
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(super) list: Option<String>,

    #[command(flatten)]
    pub(super) settings: Settings,
}

/// How files are gone over.
#[derive(clap::Args, Debug)]
pub(super) struct Settings {
    /// Use this configuration instead of the nearest `.crd-analyzer.yaml`.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,

    /// Use no configuration file.
    #[arg(long)]
    no_config: bool,

    /// Take this many files at a time. One a processor if absent.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Settings {
    /// Starts the threads that judge.
    pub(super) fn start_threads(&self) -> anyhow::Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0));
        Ok(pool.stack_size(STACK_BYTES).build_global()?)
    }

    /// The configurations of folders, or that which is used in their place.
    pub(super) fn configs(&self) -> anyhow::Result<Configs> {
        Ok(Configs {
            is_ignored: self.no_config,
            by_folder: HashMap::new(),
            none: Arc::default(),
            given: self.config.as_deref().map(read_config).transpose()?,
        })
    }
}

impl Manifests {
    /// Hands over what is asked about, and what could not be found: all at once, or the requests of standard input one by one as
    /// they come.
    pub(super) fn feed(
        &self,
        mut take: impl FnMut(Vec<Input>, Vec<Unreadable>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.settings.start_threads()?;
        let Some(list) = self.list.as_deref() else {
            let (inputs, unreadable) = input::collect(&self.paths);
            return take(inputs, unreadable);
        };
        let mut inputs = Vec::new();
        for line in input::list_lines(list)? {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            inputs.push(input::parse_request(line.trim())?);
            if list == "-" {
                take(std::mem::take(&mut inputs), Vec::new())?;
            }
        }
        take(inputs, Vec::new())
    }

    /// The configurations of what is asked about.
    pub(super) fn configs(&self) -> anyhow::Result<Configs> {
        self.settings.configs()
    }

    /// The minors asked about.
    pub(super) fn versions(&self, config: &Config) -> VersionSet {
        self.kubernetes_version
            .or(config.kubernetes_versions)
            .unwrap_or_default()
    }
}

/// The configurations of the folders met so far.
pub(super) struct Configs {
    is_ignored: bool,
    by_folder: HashMap<PathBuf, Arc<Config>>,
    none: Arc<Config>,
    given: Option<Arc<Config>>,
}

impl Configs {
    /// Judges inputs in parallel, without those that the configuration excludes, and hands over the answers in the inputs' order.
    pub(super) fn each<T: Send>(
        &mut self,
        inputs: &[Input],
        judge: impl Fn(&Input, &Config) -> anyhow::Result<T> + Sync,
        mut take: impl FnMut(&Input, &Config, T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for batch in inputs.chunks(BATCH) {
            let mut asked = Vec::with_capacity(batch.len());
            for input in batch {
                let config = self.of(input)?;
                if input.named || !is_excluded(input, &config)? {
                    asked.push((input, config));
                }
            }
            // In the pool also where there is but one: this thread's stack is smaller.
            let judged: Vec<anyhow::Result<T>> =
                rayon::scope(|_| asked.par_iter().map(|(input, config)| judge(input, config)).collect());
            for ((input, config), judged) in asked.iter().zip(judged) {
                take(input, config, judged?)?;
            }
        }
        Ok(())
    }

    /// The configuration that counts for an input.
    pub(super) fn of(&mut self, input: &Input) -> anyhow::Result<Arc<Config>> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        match &input.source {
            Source::File(path) if !self.is_ignored => {
                let path = std::path::absolute(path)?;
                self.of_folder(path.parent().map(Path::to_path_buf).unwrap_or_default())
            }
            _ => Ok(self.none.clone()),
        }
    }

    fn of_folder(&mut self, folder: PathBuf) -> anyhow::Result<Arc<Config>> {
        if let Some(config) = self.by_folder.get(&folder) {
            return Ok(config.clone());
        }
        let file = folder.join(config::FILE_NAME);
        let config = if file.is_file() {
            read_config(&file)?
        } else if let Some(above) = folder.parent() {
            self.of_folder(above.to_path_buf())?
        } else {
            self.none.clone()
        };
        self.by_folder.insert(folder, config.clone());
        Ok(config)
    }
}

fn read_config(path: &Path) -> anyhow::Result<Arc<Config>> {
    let at = |why: &dyn std::fmt::Display| UsageError(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| at(&error))?;
    let mut config = Config::parse(&text).map_err(|error| at(&error))?;
    config.folder = std::path::absolute(path)?
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    Ok(Arc::new(config))
}

fn is_excluded(input: &Input, config: &Config) -> io::Result<bool> {
    match &input.source {
        Source::File(path) => Ok(config.excludes(&std::path::absolute(path)?)),
        _ => Ok(false),
    }
}
