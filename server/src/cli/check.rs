//! `crd-analyzer check`: the headless linter.

use std::{
    collections::HashMap,
    io::{self, BufWriter, IsTerminal as _, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use clap::ValueEnum;
use crd_analyzer_workspace::{
    analysis::{Question, analyze},
    config::{self, Config},
    finding::Class,
    report::FileReport,
    versions::VersionSet,
};
use rayon::prelude::*;

use crate::{
    cli::{Status, UsageError, fix},
    input::{self, Input, Source, Unreadable},
    output::{self, File, Format, Printer, Summary},
};

/// Files are read and judged in batches of this many, so that memory does not grow with their number.
const BATCH: usize = 32;

/// Every error and warning that the API server would give for these manifests, without a cluster.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Files, folders (searched as git would see them) or `-` for standard input.
    #[arg(value_name = "PATH", required_unless_present = "list")]
    paths: Vec<PathBuf>,

    /// The minors to ask: `1.31`, a range `1.30..1.37`, or `all`. The newest if nothing else is said.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    /// How to print.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,

    /// Ask whether the manifests may replace those of this git revision.
    #[arg(long, value_name = "REVISION", conflicts_with = "old")]
    old_ref: Option<String>,

    /// Ask whether the manifest may replace this one; for a folder, the folder of the previous manifests.
    #[arg(long, value_name = "PATH")]
    old: Option<PathBuf>,

    /// Read what to check from this file (`-`: standard input), one request a line: a path, `NEW<tab>OLD`, or a JSON
    /// object with `id` and `text` (and `old_text`). Requests from standard input are answered one by one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "old_ref", "old"])]
    list: Option<String>,

    /// Repair in place what has a safe repair, then check.
    #[arg(long, conflicts_with_all = ["list", "old_ref", "old"])]
    fix: bool,

    /// With `--fix`: print what would change instead of changing it. The exit code is 1 if something would.
    #[arg(long, requires = "fix", conflicts_with = "output")]
    diff: bool,

    /// Which findings make the exit code 1.
    #[arg(long, value_enum, default_value = "warning")]
    fail_on: FailOn,

    /// Use this configuration instead of the nearest `.crd-analyzer.yaml`.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,

    /// Use no configuration file.
    #[arg(long)]
    no_config: bool,

    /// Judge this many files at a time. One a processor if absent.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FailOn {
    /// Only what the API server rejects.
    Error,
    /// Also what it warns of.
    Warning,
    /// Also our hints.
    Hint,
}

impl FailOn {
    fn class(self) -> Class {
        match self {
            Self::Error => Class::Error,
            Self::Warning => Class::Warning,
            Self::Hint => Class::Hint,
        }
    }
}

/// The configurations of the folders met so far.
struct Configs<'a> {
    args: &'a Args,
    by_folder: HashMap<PathBuf, Arc<Config>>,
    none: Arc<Config>,
    given: Option<Arc<Config>>,
}

impl<'a> Configs<'a> {
    fn new(args: &'a Args) -> anyhow::Result<Self> {
        let given = args.config.as_deref().map(read_config).transpose()?;
        Ok(Self {
            args,
            by_folder: HashMap::new(),
            none: Arc::default(),
            given,
        })
    }

    /// The configuration that counts for an input, and the path that its globs are matched with.
    fn of(&mut self, input: &Input) -> anyhow::Result<Arc<Config>> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        match &input.source {
            Source::File(path) if !self.args.no_config => {
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

/// What became of one input.
enum Judged {
    Report(FileReport),
    Unreadable(Unreadable),
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let start = Instant::now();
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let stdout = io::stdout();
    let color = args.output == Format::Text
        && stdout.is_terminal()
        && anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
    let mut session = Session {
        args,
        configs: Configs::new(args)?,
        printer: output::printer(args.output, color),
        out: BufWriter::with_capacity(1 << 16, stdout),
        summary: Summary::default(),
        status: Status::Clean,
    };
    match args.list.as_deref() {
        Some("-") => {
            for line in input::list_lines("-")? {
                let line = line?;
                if !line.trim().is_empty() {
                    session.judge(&[input::parse_request(line.trim())?])?;
                    session.out.flush()?;
                }
            }
        }
        Some(list) => {
            let mut inputs = Vec::new();
            for line in input::list_lines(list)? {
                let line = line?;
                if !line.trim().is_empty() {
                    inputs.push(input::parse_request(line.trim())?);
                }
            }
            session.judge(&inputs)?;
        }
        None => {
            let (mut inputs, unreadable) = input::collect(&args.paths);
            inputs.iter_mut().try_for_each(|input| add_old(args, input))?;
            if args.fix {
                session.fix(&inputs)?;
            }
            if args.diff {
                for Unreadable { label, why } in unreadable {
                    session.status = Status::Failed;
                    anstream::eprintln!("error: cannot read {label}: {why}");
                }
                session.out.flush()?;
                return Ok(session.status);
            }
            session.judge(&inputs)?;
            for unreadable in unreadable {
                session.unreadable(&unreadable)?;
            }
        }
    }
    session
        .printer
        .end(&mut session.out, &session.summary, start.elapsed())?;
    session.out.flush()?;
    Ok(session.status)
}

/// Where the previous revision of an input lies.
fn add_old(args: &Args, input: &mut Input) -> anyhow::Result<()> {
    let Source::File(path) = &input.source else {
        if let (Source::Stdin, Some(old)) = (&input.source, &args.old) {
            input.old = Some(Source::File(old.clone()));
        }
        return Ok(());
    };
    if let Some(revision) = &args.old_ref {
        input.old = Some(Source::Git {
            path: path.clone(),
            revision: revision.clone(),
        });
    } else if let Some(old) = &args.old {
        input.old = if old.is_dir() {
            // The place of a file below its folder argument is its place below the folder of previous manifests.
            let below = args
                .paths
                .iter()
                .find_map(|folder| path.strip_prefix(folder).ok())
                .unwrap_or(path);
            let old = old.join(below);
            old.exists().then_some(Source::File(old))
        } else if args.paths.len() == 1 && input.named {
            Some(Source::File(old.clone()))
        } else {
            return Err(UsageError(
                "--old with a file needs exactly one manifest to check: give a folder instead".to_owned(),
            )
            .into());
        };
    }
    Ok(())
}

/// One run: where it prints to and what it found.
struct Session<'a> {
    args: &'a Args,
    configs: Configs<'a>,
    printer: Box<dyn Printer>,
    out: BufWriter<io::Stdout>,
    summary: Summary,
    status: Status,
}

impl Session<'_> {
    /// Repairs files, or prints what would change.
    fn fix(&mut self, inputs: &[Input]) -> anyhow::Result<()> {
        let versions = self.args.kubernetes_version;
        for batch in inputs.chunks(BATCH) {
            let asked = self.asked(batch)?;
            let repaired: Vec<_> = asked
                .par_iter()
                .map(|(input, config)| fix::repair(input, config, versions))
                .collect();
            for ((input, _), repaired) in asked.iter().zip(repaired) {
                match repaired {
                    Ok(Some(repaired)) if self.args.diff => {
                        self.status = self.status.max(Status::Findings);
                        repaired.print(&mut self.out)?;
                    }
                    Ok(Some(repaired)) => repaired.write()?,
                    Ok(None) => {}
                    Err(error) if error.is::<UsageError>() => return Err(error),
                    Err(error) if self.args.diff => {
                        self.status = Status::Failed;
                        anstream::eprintln!("error: cannot read {}: {error:#}", input.label);
                    }
                    // The check says what it cannot read.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Those of the inputs that the configuration does not exclude, with what it says of them.
    fn asked<'i>(&mut self, inputs: &'i [Input]) -> anyhow::Result<Vec<(&'i Input, Arc<Config>)>> {
        let mut asked = Vec::with_capacity(inputs.len());
        for input in inputs {
            let config = self.configs.of(input)?;
            if input.named || !is_excluded(input, &config)? {
                asked.push((input, config));
            }
        }
        Ok(asked)
    }

    /// Judges inputs in parallel and prints them in their order.
    fn judge(&mut self, inputs: &[Input]) -> anyhow::Result<()> {
        for batch in inputs.chunks(BATCH) {
            let asked = self.asked(batch)?;
            let versions = self.args.kubernetes_version;
            let judged: Vec<anyhow::Result<Judged>> = if let [(input, config)] = asked.as_slice() {
                vec![judge(input, config, versions)]
            } else {
                asked
                    .par_iter()
                    .map(|(input, config)| judge(input, config, versions))
                    .collect()
            };
            for ((input, config), judged) in asked.iter().zip(judged) {
                match judged? {
                    Judged::Report(report) => self.report(&input.label, &report, config)?,
                    Judged::Unreadable(unreadable) => self.unreadable(&unreadable)?,
                }
            }
        }
        Ok(())
    }

    fn report(&mut self, label: &str, report: &FileReport, config: &Config) -> anyhow::Result<()> {
        self.summary.add(report, config);
        if report
            .worst(config)
            .is_some_and(|worst| worst <= self.args.fail_on.class())
        {
            self.status = self.status.max(Status::Findings);
        }
        self.printer.file(&mut self.out, &File::new(label, report, config))?;
        Ok(())
    }

    fn unreadable(&mut self, unreadable: &Unreadable) -> anyhow::Result<()> {
        self.summary.unreadable += 1;
        self.status = Status::Failed;
        self.printer.unreadable(&mut self.out, unreadable)?;
        if self.args.output != Format::Text {
            anstream::eprintln!("error: cannot read {}: {}", unreadable.label, unreadable.why);
        }
        Ok(())
    }
}

fn is_excluded(input: &Input, config: &Config) -> io::Result<bool> {
    match &input.source {
        Source::File(path) => Ok(config.excludes(&std::path::absolute(path)?)),
        _ => Ok(false),
    }
}

fn judge(input: &Input, config: &Config, versions: Option<VersionSet>) -> anyhow::Result<Judged> {
    let unreadable = |why: String| {
        Ok(Judged::Unreadable(Unreadable {
            label: input.label.clone(),
            why,
        }))
    };
    let text = match input::read(&input.source) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return unreadable(format!("{error:#}")),
    };
    let old = match input.old.as_ref().map(input::read).transpose() {
        Ok(old) => old.flatten(),
        // A revision that does not exist is the caller's mistake, and the same for every file.
        Err(error) if error.is::<UsageError>() => return Err(error),
        Err(error) => return unreadable(format!("the previous revision: {error:#}")),
    };
    let question = Question {
        versions: versions.or(config.kubernetes_versions).unwrap_or_default(),
        named: input.named,
        old: old.as_deref(),
    };
    Ok(Judged::Report(analyze(text, &question)))
}
