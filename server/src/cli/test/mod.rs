//! `crd-analyzer test`: runs test files and reports differences between the expected and the actual answers of the API server.

mod find;
mod init;
mod update;

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use crd_analyzer_io::{print::tell, test_crds::read_suite};
use crd_analyzer_suite::{self as suite, coverage::Coverage, definition::Found};
use crd_analyzer_syntax::source::Source as Decoded;
use crd_analyzer_workspace::config::versions::VersionSet;
use regex::Regex;

use super::{Replacing, Status, UsageError, manifests::Settings};
use crate::{
    input::{self, Collected, Input, Reading, Source, Unreadable},
    output::Color,
    output::test::{Format, Look, Printer, Report, Run, Summary},
    output::unwritten,
};
use find::{Finder, finder};

/// Run test files: custom resources, and the answers that you expect from the API server.
///
/// In folders, the names of test files end in `.test.yaml`. crd-analyzer also runs the integration tests of openshift/api and of projects that
/// use its format.
///
/// The exit code is 1 if a test fails.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  crd-analyzer test config/
  crd-analyzer test --init config/crd/bases/example.com_widgets.yaml
  crd-analyzer test --update config/
  crd-analyzer test --coverage config/")]
pub(super) struct Args {
    /// Test files, or folders. crd-analyzer skips files that git ignores.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// The output format.
    #[arg(short, long, aliases = ["format", "output-format"], value_enum, default_value = "text")]
    output: &'static Format,

    /// Run only tests whose name matches this regular expression. You can repeat the option.
    #[arg(long, value_name = "REGEX")]
    run: Vec<Regex>,

    /// Run tests for these Kubernetes versions: `1.31`, a range `1.30..1.37`, or `all`. Default: the newest. A file or a test that names
    /// versions runs only for those.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    /// Stop at the first failed test.
    #[arg(long)]
    fail_fast: bool,

    /// Write the actual results of failed tests into the test files, and print the changes.
    #[arg(long, conflicts_with = "fail_fast")]
    update: bool,

    /// Write a first test file beside this CRD, and run it. The file contains the smallest valid object, and for each rule an object that
    /// violates it.
    #[arg(long, value_name = "CRD", conflicts_with_all = ["paths", "update", "fail_fast", "run"])]
    init: Option<PathBuf>,

    /// The CRDs for suites in openshift/api's format: a file, a folder or a glob.
    #[arg(long = "crd", value_name = "PATH")]
    definitions: Vec<String>,

    /// Also print which validation rules of the tested CRDs no test makes fail. With `--coverage=require`, the exit code is 1 if there is such a
    /// rule.
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "report")]
    coverage: Option<Wanted>,

    /// Also print tests that pass.
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    replacing: Replacing,

    #[command(flatten)]
    settings: Settings,
}

/// What to do with the coverage of rules.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// Print it.
    Report,
    /// Print it, and fail if no test makes a rule fail.
    Require,
}

/// The result for an input.
enum Done {
    /// The file is not a suite, or the run was cancelled.
    Nothing,
    Unreadable(Unreadable),
    Report(Box<Report>),
}

pub(super) fn run(args: &Args, color: Color) -> anyhow::Result<Status> {
    let start = Instant::now();
    args.settings.start_threads()?;
    let mut configs = args.settings.configs()?;
    let finder = finder(&args.definitions)?;
    let stdout = io::stdout();
    let color = args.output.is_text && color.is_shown(&stdout);
    let Collected { inputs, unreadable, .. } = match &args.init {
        Some(definition) => input::collect(
            &[init::start(definition, args.kubernetes_version)?],
            &Reading::default(),
        )?,
        None => input::collect(&args.paths, &Reading::default())?,
    };
    let inputs: Vec<Input> = inputs.into_iter().filter(may_be_suite).collect();
    let stop = AtomicBool::new(false);
    let look = Look {
        color,
        columns: crate::output::columns(&stdout),
        verbose: args.verbose,
    };
    let mut session = TestRun {
        args,
        printer: (args.output.printer)(look),
        out: BufWriter::with_capacity(1 << 16, stdout),
        summary: Summary::default(),
        coverage: Coverage::default(),
        status: Status::Clean,
        unwritten: Vec::new(),
    };
    for it in &unreadable {
        session.unreadable(it);
    }
    configs.each(
        &inputs,
        |input, config| {
            if stop.load(Ordering::Relaxed) {
                return Ok(Done::Nothing);
            }
            let asked = args.kubernetes_version.or(config.kubernetes_versions);
            tested(args, input, asked, &finder)
        },
        |input, config, done| {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            match done {
                Done::Nothing => {}
                Done::Unreadable(unreadable) => session.unreadable(&unreadable),
                Done::Report(mut report) => {
                    if args.update {
                        let asked = args.kubernetes_version.or(config.kubernetes_versions);
                        let again = |input: &Input| tested(args, input, asked, &finder);
                        let (after, why) =
                            update::apply(input, report, again, args.replacing.replaceable(), session.diffs())?;
                        report = after;
                        if let Some(why) = why {
                            session.unwritten.push(unwritten(&input.label, &why));
                        }
                    }
                    if args.fail_fast && report.cut_after_failure() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    session.report(&report)?;
                }
            }
            Ok(session.out.flush()?)
        },
    )?;
    if session.summary.is_empty() {
        let paths: Vec<String> = args.paths.iter().map(|it| it.display().to_string()).collect();
        let paths = paths.join(", ");
        let message = if args.run.is_empty() {
            format!("{paths} contains no tests: test files have names like `crontabs.test.yaml`")
        } else {
            format!("no test in {paths} has a name that matches `--run`")
        };
        return Err(UsageError(message).into());
    }
    if let Some(wanted) = args.coverage {
        session.cover(wanted)?;
    }
    session
        .printer
        .end(&mut session.out, &session.summary, start.elapsed())?;
    session.out.flush()?;
    for it in &session.unwritten {
        session.status = Status::Failed;
        tell(format_args!("error: {it}"));
    }
    Ok(session.status)
}

fn may_be_suite(input: &Input) -> bool {
    match &input.source {
        Source::File(path, _) if !input.named => std::path::absolute(path).is_ok_and(|it| suite::may_be_suite(&it)),
        _ => true,
    }
}

/// Reads a test file and runs its tests.
fn tested(args: &Args, input: &Input, asked: Option<VersionSet>, finder: &Finder) -> anyhow::Result<Done> {
    let bytes = match input::read(&input.source) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => return Ok(Done::Unreadable(input.unreadable(&error))),
    };
    let path = input.place()?;
    let text: Arc<str> = Decoded::decode(bytes).text.into();
    if !input.named && !suite::is_suite(&path, &text) {
        return Ok(Done::Nothing);
    }
    let mut report = Report::new(&input.label, text.clone());
    let roots = match &input.source {
        Source::File(_, access) => input::roots(access),
        _ => Arc::default(),
    };
    let read = match read_suite(&text, &path, &roots) {
        Ok(read) => read,
        Err(problems) => {
            report.problems = problems;
            return Ok(Done::Report(Box::new(report)));
        }
    };
    report.warnings.clone_from(&read.warnings);
    match finder.definitions(&read.wanted, &path, &roots) {
        Ok(variants) => {
            // If the command line specifies no Kubernetes versions, the versions in the file are used.
            let asked = asked.or(read.versions.map(|_| VersionSet::all())).unwrap_or_default();
            let is_wanted = |name: &str| args.run.is_empty() || args.run.iter().any(|it| it.is_match(name));
            let several = variants.len() > 1;
            for definitions in variants {
                let file = |it: &Found| it.label.rsplit(['/', '\\']).next().map(str::to_owned);
                report.runs.push(Run {
                    variant: definitions.first().and_then(file).filter(|_| several),
                    outcomes: suite::run::run(&read, &definitions, asked, is_wanted),
                    definitions,
                });
            }
        }
        Err(problem) => report.problems.push(problem),
    }
    report.suite = Some(read);
    Ok(Done::Report(Box::new(report)))
}

/// The state of one run: its output and its results so far.
struct TestRun<'a> {
    args: &'a Args,
    printer: Box<dyn Printer>,
    out: BufWriter<io::Stdout>,
    summary: Summary,
    coverage: Coverage,
    status: Status,
    /// The files that could not be updated, each with the reason.
    unwritten: Vec<String>,
}

impl TestRun<'_> {
    /// The stream for diffs: standard output, or standard error if the output format is for programs.
    fn diffs(&mut self) -> Box<dyn Write + '_> {
        if self.args.output.is_text {
            Box::new(&mut self.out)
        } else {
            Box::new(io::stderr())
        }
    }

    fn report(&mut self, report: &Report) -> anyhow::Result<()> {
        if report.tests() == 0 && report.problems.is_empty() {
            return Ok(());
        }
        self.summary.add(report);
        for run in &report.runs {
            self.coverage.add(&run.definitions, &run.outcomes);
        }
        if report.failed() > 0 {
            self.status = self.status.max(Status::Findings);
        }
        if !report.problems.is_empty() {
            self.status = Status::Failed;
        }
        Ok(self.printer.file(&mut self.out, report)?)
    }

    /// Prints the rules that no test makes fail.
    fn cover(&mut self, wanted: Wanted) -> anyhow::Result<()> {
        let crds = self.coverage.crds();
        let is_covered = crds.iter().all(|it| it.failed() == it.rules.len());
        if wanted == Wanted::Require && !is_covered {
            self.status = self.status.max(Status::Findings);
        }
        Ok(self.printer.coverage(&mut self.out, &crds)?)
    }

    fn unreadable(&mut self, unreadable: &Unreadable) {
        self.summary.unreadable += 1;
        self.status = Status::Failed;
        unreadable.tell();
    }
}
