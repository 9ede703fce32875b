//! Benchmarks: the speed compared with another program, in the same run on the same machine.

mod editor;
mod grammar;
mod latency;
pub(crate) mod process;
mod rules;
mod workspace;

use std::{path::Path, process::Command};

use crd_analyzer_schema::KubernetesVersion;

use crd_analyzer_conformance::peers;
use process::{Run, measure};

/// Run the benchmarks.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Take the fastest of this many runs.
    #[arg(long, default_value_t = 3)]
    runs: usize,

    /// Run only this benchmark.
    #[arg(long)]
    only: Option<What>,

    /// The build profile of crd-analyzer: `fast` builds faster than `dist`, which is the published one.
    #[arg(long, default_value = "dist")]
    profile: String,
}

/// The available benchmarks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum What {
    /// `check` of the corpus and of individual files.
    Check,
    /// `cost` of the corpus and of the CRD with the most rules.
    Cost,
    /// The language server.
    Editor,
    /// The response times of the language server while a person types.
    Latency,
    /// The corpus as one workspace: CRDs and their custom resources.
    Workspace,
}

/// The programs to compare, and their input.
struct Bench {
    corpus: std::path::PathBuf,
    files: Vec<String>,
    oracle: std::path::PathBuf,
    analyzer: std::path::PathBuf,
    runs: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let bench = Bench {
        files: crd_analyzer_conformance::peers::definitions(&corpus)?,
        corpus,
        oracle: peers::oracle(KubernetesVersion::NEWEST.number())?,
        analyzer: peers::build(&args.profile)?,
        runs: args.runs.max(1),
    };
    let measures = |what: What| args.only.is_none_or(|it| it == what);
    if measures(What::Check) {
        bench.compare("check", "crd", &[20_000, 190_000, 2_900_000])?;
        bench.as_a_person_runs_it()?;
    }
    if measures(What::Cost) {
        bench.compare("cost", "cost", &[])?;
        bench.most_rules()?;
    }
    if measures(What::Editor) {
        editor::run(&bench)?;
    }
    if measures(What::Latency) {
        latency::run(&bench)?;
    }
    if measures(What::Workspace) {
        workspace::run(&bench)?;
    }
    Ok(true)
}

impl Bench {
    /// Compares one of our commands with a command of the oracle, single-threaded: for the corpus, and for individual files of about these sizes in
    /// bytes.
    fn compare(&self, ours: &str, theirs: &str, sizes: &[u64]) -> anyhow::Result<()> {
        let list = self.listed()?;
        let list_text = list.to_string_lossy().into_owned();
        let both = self.both((ours, &["--list", &list_text]), (theirs, &["-list", &list_text]));
        std::fs::remove_file(&list)?;
        row(&format!("{ours}, {} files, one thread", self.files.len()), both?);
        for &bytes in sizes {
            if let Some(file) = self.file_of_size(bytes) {
                let both = self.both((ours, &[&file]), (theirs, &[&file]))?;
                row(&format!("{ours}, start to end, {} KB", bytes / 1000), both);
            }
        }
        Ok(())
    }

    /// Measures `check` of a folder with all output that users see in addition to the API server's answer: explanations and hints.
    fn as_a_person_runs_it(&self) -> anyhow::Result<()> {
        let list = self.listed()?;
        let mut check = Command::new(&self.analyzer);
        check
            .args(["check", "--threads", "1", "crds"])
            .current_dir(&self.corpus);
        let ours = measure(&mut check, self.runs)?;
        let theirs = measure(&mut self.oracle("crd", &["-list", &list.to_string_lossy()]), self.runs);
        std::fs::remove_file(&list)?;
        row("check, a folder, as text, with hints", (ours, theirs?));
        Ok(())
    }

    /// Writes a list of the corpus files to a temporary file.
    fn listed(&self) -> anyhow::Result<std::path::PathBuf> {
        let list = std::env::temp_dir().join(format!("crd-analyzer-bench-{}.txt", std::process::id()));
        std::fs::write(&list, self.files.join("\n"))?;
        Ok(list)
    }

    fn oracle(&self, command: &str, args: &[&str]) -> Command {
        let mut ask = Command::new(&self.oracle);
        ask.arg(command)
            .args(args)
            .env("GOMAXPROCS", "1")
            .current_dir(&self.corpus);
        ask
    }

    fn both(&self, ours: (&str, &[&str]), theirs: (&str, &[&str])) -> anyhow::Result<(Run, Run)> {
        let mut check = Command::new(&self.analyzer);
        check
            .arg(ours.0)
            .args(["--no-config", "--output", "jsonl", "--threads", "1"])
            .args(ours.1)
            .current_dir(&self.corpus);
        let mut ask = self.oracle(theirs.0, theirs.1);
        Ok((measure(&mut check, self.runs)?, measure(&mut ask, self.runs)?))
    }

    /// Measures `cost` of the CRD with the most rules, minus the time for a CRD without rules. The difference is the time for the rules alone.
    fn most_rules(&self) -> anyhow::Result<()> {
        let mut most = (0, "");
        for file in &self.files {
            let text = std::fs::read_to_string(self.corpus.join(file)).unwrap_or_default();
            let rules = text.lines().filter(|it| is_rule(it)).count();
            most = most.max((rules, file));
        }
        let (rules, file) = most;
        let both = self.both(("cost", &[file]), ("cost", &[file]))?;
        row(&format!("cost, start to end, {rules} rules"), both);
        rules::run(&self.corpus.join(file), self.runs)
    }

    /// The corpus file whose size is closest to `bytes`.
    fn file_of_size(&self, bytes: u64) -> Option<String> {
        let size = |file: &String| size_of(&self.corpus.join(file));
        self.files.iter().min_by_key(|file| size(file).abs_diff(bytes)).cloned()
    }
}

/// Whether a line probably starts a rule of a CRD.
fn is_rule(line: &str) -> bool {
    line.trim_start().trim_start_matches("- ").starts_with("rule:")
}

fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(u64::MAX, |meta| meta.len())
}

fn row(what: &str, (ours, theirs): (Run, Run)) {
    println!(
        "{what:<34} ours {:>8.3} s {:>7} KiB | oracle {:>8.3} s {:>7} KiB | {:>5.1}x as fast ({:.1}x by CPU time), {:.2} of the memory",
        ours.time.as_secs_f64(),
        ours.peak_kib,
        theirs.time.as_secs_f64(),
        theirs.peak_kib,
        theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
        theirs.cpu.as_secs_f64() / ours.cpu.as_secs_f64(),
        ours.peak_kib as f64 / theirs.peak_kib.max(1) as f64,
    );
}
