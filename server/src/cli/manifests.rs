//! The parts shared by all commands that read manifests: the arguments that name manifests, their configurations, and the parallel loop over them.

use std::{
    collections::HashMap,
    hint::black_box,
    io,
    path::{Path, PathBuf},
    sync::{Arc, RwLock, mpsc},
};

use crd_analyzer_io::{absolute::absolute, config, print::tell, read::Access};
use crd_analyzer_schema::{KubernetesVersion, depth};
use crd_analyzer_workspace::{config::Config, config::selection::Selection, config::versions::VersionSet};
use rayon::prelude::*;

use crate::{
    cli::UsageError,
    input::{self, Collected, Input, Reading, Source, Unreadable},
};

/// The number of files to read and check at the same time. It limits the memory use for many files.
pub(super) const BATCH: usize = 32;

/// The stack size of a thread that checks files, in bytes. It is enough for the deepest schemas that the API server allows. Unused stack takes
/// address space, not memory.
pub(super) const STACK_BYTES: usize = depth::STACK_BYTES;

/// Which manifests to check, and how.
#[derive(clap::Args, Debug)]
pub(super) struct Manifests {
    /// Files, folders, globs in quotes, or `-` for standard input. In folders, crd-analyzer skips files that git ignores.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// The Kubernetes versions: `1.31`, a range `1.30..1.37`, or `all`. Default: the newest.
    #[arg(long, value_name = "VERSION")]
    pub(super) kubernetes_version: Option<VersionSet>,

    /// Read paths from this file, one on each line; `-` reads standard input, and answers each line at once. A line can also be `NEW<tab>OLD`,
    /// or a JSON object with `id` and `text` (and `old_text`).
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(super) list: Option<String>,

    #[command(flatten)]
    pub(super) settings: Settings,
}

/// Makes the current folder the default path of a command.
pub(super) fn or_here(paths: clap::Arg) -> clap::Arg {
    paths.default_value(".")
}

/// The settings that apply to all files.
#[derive(clap::Args, Default, Debug)]
pub(super) struct Settings {
    /// Use this configuration instead of the nearest `.crd-analyzer.yaml`.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,

    /// Ignore configuration files.
    #[arg(long)]
    no_config: bool,

    /// The number of files to check at the same time. Default: one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Settings {
    /// Starts the thread pool.
    pub(super) fn start_threads(&self) -> anyhow::Result<()> {
        let mut threads = self.threads.unwrap_or(0);
        if threads > BATCH {
            tell(format_args!(
                "note: --threads {threads}: starting {BATCH}, because more threads would be idle"
            ));
            threads = BATCH;
        }
        if threads > 1 {
            let possible = possible_threads(threads);
            // If fewer threads can start than requested, half of them are used, because the work itself also needs memory.
            threads = if possible < threads {
                possible.div_ceil(2)
            } else {
                threads
            };
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        Ok(pool.stack_size(STACK_BYTES).build_global()?)
    }

    /// The configuration file of `--config`.
    pub(super) fn named_config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Whether to read configuration files.
    pub(super) fn reads_configs(&self) -> bool {
        !self.no_config
    }

    /// The same settings without configuration files.
    pub(super) fn without_configs(&self) -> Self {
        Self {
            config: None,
            no_config: true,
            threads: self.threads,
        }
    }

    /// The configurations of folders, or the configuration of `--config`.
    pub(super) fn configs(&self) -> anyhow::Result<Configs> {
        Ok(Configs {
            is_ignored: self.no_config,
            by_folder: HashMap::new(),
            none: Arc::default(),
            found: config::Configs::default(),
            given: self.config.as_deref().map(named_config).transpose()?,
            selection: Selection::default(),
        })
    }
}

/// Runs a function on a thread of the pool, whose stack is large enough for every schema.
pub(super) fn on_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::scope(|_| work())
}

/// The Kubernetes version of a command that supports only one version. Default: the newest version. `what` and `preposition` start the error message,
/// such as "CRDs are compared" and "for".
pub(super) fn one_version(
    named: Option<VersionSet>,
    what: &str,
    preposition: &str,
) -> anyhow::Result<KubernetesVersion> {
    match named {
        Some(several) if several.count() > 1 => Err(UsageError(format!(
            "{what} {preposition} one Kubernetes version, not {preposition} {several}"
        ))
        .into()),
        version => Ok(version.unwrap_or_default().newest()),
    }
}

/// The number of threads that can start, up to `wanted` and at least one, because memory may not be sufficient for all stacks. Each trial thread
/// allocates memory before the next one starts, because an allocator reserves a region for each working thread.
fn possible_threads(wanted: usize) -> usize {
    let gate = RwLock::new(());
    std::thread::scope(|scope| {
        // All threads wait until the last one has started.
        let closed = gate.write();
        let start = || {
            let (ready, is_ready) = mpsc::channel::<()>();
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let work = || {
                let memory = black_box(vec![0_u8; 1 << 10]);
                drop(ready);
                drop(gate.read());
                drop(memory);
            };
            let thread = thread.spawn_scoped(scope, work).ok()?;
            // This call returns when the other end is dropped.
            let _ready = is_ready.recv();
            Some(thread)
        };
        let started: Vec<_> = (0..wanted).map_while(|_| start()).collect();
        drop(closed);
        let possible = started.len().max(1);
        // A scope may end before its threads free their stacks. Joining the threads waits for that.
        for thread in started {
            let _ended = thread.join();
        }
        possible
    })
}

impl Manifests {
    /// Passes the inputs and the unreadable files to a function: all at once, or one request at a time for `--list -`.
    pub(super) fn feed(
        &self,
        reading: &Reading<'_>,
        mut take: impl FnMut(Collected) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.settings.start_threads()?;
        let Some(list) = self.list.as_deref() else {
            return take(input::collect(&self.paths, reading)?);
        };
        let mut asked = Collected::default();
        for (number, line) in input::list_lines(list)?.enumerate() {
            let parsed = match line {
                Ok(line) if line.is_empty() => continue,
                Ok(line) => input::parse_request(&line),
                Err(why) => Err((None, why.to_string())),
            };
            match parsed {
                Ok(input) => asked.inputs.push(input),
                // An invalid line gets its own answer, and does not stop the following lines.
                Err((label, why)) => asked.unreadable.push(Unreadable {
                    label: label.unwrap_or_else(|| format!("line {} of the list", number + 1)),
                    why,
                }),
            }
            if list == "-" {
                take(std::mem::take(&mut asked))?;
            }
        }
        take(asked)
    }

    /// The configurations of the inputs.
    pub(super) fn configs(&self) -> anyhow::Result<Configs> {
        self.settings.configs()
    }

    /// The Kubernetes versions to check with.
    pub(super) fn versions(&self, config: &Config) -> VersionSet {
        self.kubernetes_version
            .or(config.kubernetes_versions)
            .unwrap_or_default()
    }
}

/// The configurations of the folders seen so far.
pub(super) struct Configs {
    is_ignored: bool,
    found: config::Configs,
    by_folder: HashMap<PathBuf, Arc<Config>>,
    none: Arc<Config>,
    given: Option<Arc<Config>>,
    selection: Selection,
}

impl Configs {
    /// Adds the selection of `--select` and `--ignore`.
    pub(super) fn with(mut self, selection: Selection) -> Self {
        if !selection.is_empty() {
            self.none = Arc::new(selection.applied(&self.none));
            self.given = self.given.map(|it| Arc::new(selection.applied(&it)));
            self.selection = selection;
        }
        self
    }

    /// Checks inputs in parallel, except those that the configuration excludes, and passes on the results in the order of the inputs.
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
            // The pool is used even for one input, because this thread's stack is smaller.
            let judged: Vec<anyhow::Result<T>> =
                rayon::scope(|_| asked.par_iter().map(|(input, config)| judge(input, config)).collect());
            for ((input, config), judged) in asked.iter().zip(judged) {
                take(input, config, judged?)?;
            }
        }
        Ok(())
    }

    /// Removes the files that a configuration excludes, unless the user named them.
    pub(super) fn leave_out(&mut self, inputs: &mut Vec<Input>) -> anyhow::Result<()> {
        let mut kept = Vec::with_capacity(inputs.len());
        for input in inputs.drain(..) {
            if !self.excludes(&input)? {
                kept.push(input);
            }
        }
        *inputs = kept;
        Ok(())
    }

    /// Whether a configuration excludes a file that the user did not name.
    pub(super) fn excludes(&mut self, input: &Input) -> anyhow::Result<bool> {
        let config = self.of(input)?;
        Ok(!input.named && is_excluded(input, &config)?)
    }

    /// The configuration that applies to an input.
    pub(super) fn of(&mut self, input: &Input) -> anyhow::Result<Arc<Config>> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        match input.file() {
            Some((path, access)) if !self.is_ignored => {
                let path = absolute(path)?;
                let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
                self.of_folder(folder, &access)
            }
            _ => Ok(self.none.clone()),
        }
    }

    fn of_folder(&mut self, folder: PathBuf, access: &Access) -> anyhow::Result<Arc<Config>> {
        if let Some(config) = self.by_folder.get(&folder) {
            return Ok(config.clone());
        }
        let found = match access {
            Access::Elsewhere(_) => config::read_other(&folder, access),
            _ => self.found.of(&folder, &|| (*input::roots(access)).clone()),
        };
        let config = if let Some(found) = found {
            let config = used(&found)?;
            if self.selection.is_empty() {
                config
            } else {
                Arc::new(self.selection.applied(&config))
            }
        } else if let Some(above) = folder.parent() {
            self.of_folder(above.to_path_buf(), access)?
        } else {
            self.none.clone()
        };
        self.by_folder.insert(folder, config.clone());
        Ok(config)
    }
}

/// The configuration file of `--config`.
fn named_config(path: &Path) -> anyhow::Result<Arc<Config>> {
    Ok(used(&config::read_file(path.to_owned(), &Access::Named))?)
}

fn used(found: &config::Found) -> Result<Arc<Config>, UsageError> {
    let config = found.config.as_ref();
    let config = config.map_err(|why| UsageError(format!("{}: {why}", found.path.display())))?;
    Ok(config.clone())
}

fn is_excluded(input: &Input, config: &Config) -> io::Result<bool> {
    match &input.source {
        Source::File(path, _) => Ok(config.excludes(&absolute(path)?)),
        _ => Ok(false),
    }
}
