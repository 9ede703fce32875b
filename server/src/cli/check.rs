//! `crd-analyzer check`: the headless linter.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use clap::ValueEnum;
use crd_analyzer_cluster::Prompts;
use crd_analyzer_lsp::go_sources::GoSources;
use crd_analyzer_workspace::{
    analysis::{Old, Question, analyze},
    config::Config,
    finding::Class,
    hazards::{Memory, Search, are_shown},
    index::Definitions,
    report::FileReport,
    versions::VersionSet,
};

use super::{
    Status, UsageError,
    definitions::{Compared, Known},
    fix::{self, Repaired},
    manifests::{BATCH, Configs, Manifests},
};
use crate::{
    input::{self, Input, Source, Unreadable},
    output::{self, File, Format, Printer, Summary},
};

/// Every error and warning that the API server would give for these manifests, without a cluster.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(flatten)]
    manifests: Manifests,

    /// How to print.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,

    /// Ask whether the manifests may replace those of this git revision.
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["old", "list"])]
    old_ref: Option<String>,

    /// Ask whether the manifest may replace this one; for a folder, the folder of the previous manifests.
    #[arg(long, value_name = "PATH", conflicts_with = "list")]
    old: Option<PathBuf>,

    /// Definitions to judge custom resources by, and not to report on: a file, a folder or a glob. They count for more than
    /// those among the manifests.
    #[arg(long = "crd", value_name = "PATH")]
    definitions: Vec<String>,

    /// Ask the cluster of this context of your kubeconfig (the current one if none is named) for definitions, too. They count for less than
    /// all others. Without this, no cluster is ever contacted.
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    from_cluster: Option<String>,

    /// Print also what the server makes of each custom resource: defaults filled in, unknown fields dropped.
    #[arg(long, value_enum)]
    show: Option<Show>,

    /// Repair in place what has a safe repair, then check.
    #[arg(long, conflicts_with_all = ["list", "old_ref", "old"])]
    fix: bool,

    /// With `--fix`: print what would change instead of changing it. The exit code is 1 if something would.
    #[arg(long, requires = "fix", conflicts_with = "output")]
    diff: bool,

    /// Which findings make the exit code 1.
    #[arg(long, value_enum, default_value = "warning")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Show {
    /// The object as the server reads it.
    Effective,
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

/// What became of one input.
enum Judged {
    Report(FileReport),
    Unreadable(Unreadable),
    /// It is no manifest.
    Nothing,
}

/// Whether a file is one that `crd-analyzer test` runs: what is in it is wrong on purpose.
fn is_test_file(path: &Path, bytes: &[u8]) -> bool {
    crd_analyzer_suite::may_be_suite(path)
        && std::str::from_utf8(bytes).is_ok_and(|text| crd_analyzer_suite::is_suite(path, &text.into()))
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    let start = Instant::now();
    let stdout = io::stdout();
    let color = args.output == Format::Text && output::is_colored(&stdout);
    let mut configs = args.manifests.configs()?;
    let mut session = Session {
        args,
        printer: output::printer(args.output, color, args.show.is_some()),
        out: BufWriter::with_capacity(1 << 16, stdout),
        summary: Summary::default(),
        status: Status::Clean,
    };
    // Requests of standard input stand for themselves: only what is named beside them is known to all.
    let is_served = args.manifests.list.as_deref() == Some("-");
    let mut known = None;
    let hazards = Memory::default();
    let go = GoSources::default();
    args.manifests.feed(|mut inputs, unreadable| {
        let known = match &mut known {
            Some(known) if is_served => known,
            known => {
                let inputs = if is_served { &[] } else { inputs.as_slice() };
                known.insert(definitions_of(args, inputs, &mut configs)?)
            }
        };
        inputs.iter_mut().try_for_each(|input| add_old(args, input))?;
        if args.fix {
            let by = &*known;
            configs.each(
                &inputs,
                |input, config| Ok(fix::repair(input, config, args.manifests.kubernetes_version, by)),
                |input, _, repaired| session.repaired(input, repaired),
            )?;
            // Definitions may be other ones now.
            known.forget();
        }
        let known = &*known;
        if args.diff {
            for it in unreadable {
                session.status = Status::Failed;
                it.tell();
            }
            return Ok(session.out.flush()?);
        }
        let mut judged_since = 0;
        configs.each(
            &inputs,
            |input, config| {
                // Requests of a list are questions to a server.
                let is_asked = args.manifests.list.is_none() && are_shown(config);
                let search = if is_asked { Search::All(&hazards) } else { Search::Off };
                judge(input, args.manifests.versions(config), known, search, &go)
            },
            |input, config, judged| {
                judged_since += 1;
                if judged_since == BATCH {
                    judged_since = 0;
                    known.release();
                }
                match judged {
                    Judged::Nothing => Ok(()),
                    Judged::Report(report) => session.report(&input.label, &report, config),
                    Judged::Unreadable(unreadable) => session.unreadable(&unreadable),
                }
            },
        )?;
        unreadable.iter().try_for_each(|it| session.unreadable(it))?;
        Ok(session.out.flush()?)
    })?;
    if args.diff {
        return Ok(session.status);
    }
    session
        .printer
        .end(&mut session.out, &session.summary, start.elapsed())?;
    session.out.flush()?;
    Ok(session.status)
}

/// The definitions of what is checked and of what was named beside it.
fn definitions_of(args: &Args, inputs: &[Input], configs: &mut Configs) -> anyhow::Result<Known> {
    let compared = match (&args.old_ref, &args.old) {
        (Some(revision), _) => Compared::Revision(revision.clone()),
        (None, Some(old)) if old.is_dir() => Compared::Folder {
            folders: args
                .manifests
                .paths
                .iter()
                .map(std::path::absolute)
                .collect::<Result<_, _>>()?,
            old: std::path::absolute(old)?,
        },
        _ => Compared::Nothing,
    };
    let mut all = Vec::with_capacity(inputs.len());
    for input in inputs {
        all.push((input, configs.of(input)?));
    }
    let known = Known::new(&args.definitions, &all, compared)?;
    match &args.from_cluster {
        Some(context) => {
            let mut paths = args.manifests.paths.iter();
            let reads_stdin = args.manifests.list.as_deref() == Some("-") || paths.any(|it| it.as_os_str() == "-");
            // A program that asks for a password must not get a manifest.
            let prompts = if reads_stdin { Prompts::Never } else { Prompts::Allowed };
            known.with_cluster(context, prompts)
        }
        None => Ok(known),
    }
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
                .manifests
                .paths
                .iter()
                .find_map(|folder| path.strip_prefix(folder).ok())
                .unwrap_or(path);
            let old = old.join(below);
            old.exists().then_some(Source::File(old))
        } else if args.manifests.paths.len() == 1 && input.named {
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
    printer: Box<dyn Printer>,
    out: BufWriter<io::Stdout>,
    summary: Summary,
    status: Status,
}

impl Session<'_> {
    /// Writes a repaired file, or prints what would change.
    fn repaired(&mut self, input: &Input, repaired: anyhow::Result<Option<Repaired>>) -> anyhow::Result<()> {
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
                input.unreadable(&error).tell();
            }
            // The check says what it cannot read.
            Err(_) => {}
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

fn judge(
    input: &Input,
    versions: VersionSet,
    known: &Known,
    hazards: Search<'_>,
    go: &GoSources,
) -> anyhow::Result<Judged> {
    let unreadable = |error: anyhow::Error| Ok(Judged::Unreadable(input.unreadable(&error)));
    let text = match input::read(&input.source) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return unreadable(error),
    };
    if let Source::File(path) = &input.source
        && is_test_file(path, &text)
    {
        return Ok(Judged::Nothing);
    }
    let old = match input.old.as_ref().map(input::read).transpose() {
        Ok(old) => old.flatten(),
        // A revision that does not exist is the caller's mistake, and the same for every file.
        Err(error) if error.is::<UsageError>() => return Err(error),
        Err(error) => return unreadable(error.context("the previous revision")),
    };
    let paired = match input.definition.as_ref().map(|it| known.paired(it)).transpose() {
        Ok(paired) => paired,
        Err(error) => return unreadable(error.context("its definition")),
    };
    let path = input.place()?;
    let question = Question {
        path: Some(&path),
        definitions: Some(paired.as_deref().map_or(known as &dyn Definitions, |it| it)),
        has_own_definition: paired.is_some(),
        named: input.named,
        old: old.as_deref().map(|text| Old {
            text,
            is_paired: !matches!(input.old, Some(Source::Git { .. })),
        }),
        go: Some(go),
        hazards,
        ..Question::new(versions)
    };
    Ok(Judged::Report(analyze(text, &question)))
}
