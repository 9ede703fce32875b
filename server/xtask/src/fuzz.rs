//! Builds the fuzz targets (`server/fuzz`), runs them under libFuzzer, and says what they reached and took.

mod report;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, bail, ensure};
use fastrand::Rng;
use report::Outcome;

/// Random inputs for everything that reads what somebody else wrote.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The targets; all if none is named.
    targets: Vec<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Begins with the repository's own cases alone. With a seed, the same build then makes the same inputs.
    #[arg(long)]
    fresh: bool,
    /// Where the random choice begins; printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u32>,
    /// How many processes run at a time; as many as there are cores if not named.
    #[arg(long)]
    jobs: Option<usize>,
    /// Runs this input and nothing else. Its target is named, or its file's name begins with it.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Says what all inputs that were kept reach together, and runs nothing else.
    #[arg(long)]
    coverage: bool,
}

/// An input that takes longer is not waited for. What it may take of the processor, 5 s, the driver sees to.
const PATIENCE_SECONDS: u64 = 60;

/// A process that has taken so much is stopped; what one input may take beyond what the process had before, 256 MiB, the driver sees to.
const MOST_MEMORY: u64 = 2048;

/// Larger inputs are not made, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// The stack of the command line's own threads (`schema::depth::STACK_BYTES`), in KiB: as deep as that allows, schemas are followed.
const STACK_KIB: usize = 168_960;

/// Where everything lies that fuzzing makes.
struct Folders {
    binary: PathBuf,
    /// Inputs to begin with, a folder a target.
    seeds: PathBuf,
    /// Inputs that reached something new, a folder a target. They stay from run to run.
    corpus: PathBuf,
    /// Inputs that broke something.
    findings: PathBuf,
    /// What was said and measured.
    reports: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let mut folders = build()?;
    if args.fresh {
        folders.forget()?;
    }
    let known = folders.prepare()?;
    if let Some(file) = &args.replay {
        return replay(&folders, &known, args, file);
    }
    if args.coverage {
        return coverage(&folders, &known);
    }
    let mut targets = args.targets.clone();
    if targets.is_empty() {
        targets.clone_from(&known);
    }
    for target in &targets {
        ensure!(
            known.contains(target),
            "the target {target} does not exist; the targets are {}",
            known.join(", ")
        );
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).max(1);
    let seed = args.seed.unwrap_or_else(|| Rng::new().u32(1..));
    let mut queue: Vec<(String, usize)> = targets.iter().map(|it| (it.clone(), 0)).collect();
    // What one target leaves idle, others of its kind use.
    queue.extend((targets.len()..jobs).map(|n| (targets[n % targets.len()].clone(), n / targets.len())));
    queue.reverse();
    let queue = Mutex::new(queue);
    let outcomes: Mutex<BTreeMap<(String, usize), Outcome>> = Mutex::default();
    let failure = Mutex::new(None);
    println!("{}", report::HEADER);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((target, slot)) = queue.lock().ok().and_then(|mut it| it.pop()) {
                    match folders.fuzz(&target, slot, args.seconds, seed) {
                        Ok(outcome) => {
                            println!("{}", outcome.line(&target));
                            outcomes.lock().map(|mut it| it.insert((target, slot), outcome)).ok();
                        }
                        Err(error) => *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
                    }
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().ok().flatten() {
        return Err(error);
    }
    let outcomes = outcomes.into_inner().unwrap_or_default();
    println!("{}\nseed {seed}", report::total(outcomes.values()));
    for ((target, _), outcome) in &outcomes {
        if let Some(finding) = &outcome.finding {
            println!("\n{target}: {}\n{}", finding.what, finding.words);
            println!("again: cargo xtask fuzz --replay {}", finding.file.display());
            // Elsewhere the file does not exist.
            println!(
                "or: echo {} | base64 -d > input",
                report::base64(&fs::read(&finding.file)?)
            );
            println!("    cargo xtask fuzz {target} --replay input");
        }
    }
    Ok(outcomes.values().all(|it| it.finding.is_none()))
}

/// Builds the targets in a folder of their own, because their flags would invalidate all other builds.
fn build() -> anyhow::Result<Folders> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = root.join("target/fuzz");
    let host = host()?;
    let status = Command::new("cargo")
        .current_dir(&root)
        .args([
            "build",
            "--quiet",
            "--package",
            "crd-analyzer-fuzz",
            "--features",
            "libfuzzer",
        ])
        .args(["--profile", "fuzz", "--target", &host, "--target-dir"])
        .arg(&target)
        .env("RUSTC_WORKSPACE_WRAPPER", root.join("server/fuzz/instrument.sh"))
        .status()
        .context("cargo")?;
    ensure!(status.success(), "the targets do not build");
    Ok(Folders {
        binary: target.join(host).join("fuzz/fuzz"),
        seeds: target.join("seeds"),
        corpus: target.join("corpus"),
        findings: target.join("findings"),
        reports: target.join("reports"),
    })
}

/// The platform that is compiled for: named, so that programs which only run while compiling get no flags.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|it| it.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

impl Folders {
    /// Leaves alone what earlier runs kept and measured.
    fn forget(&mut self) -> anyhow::Result<()> {
        for folder in [&mut self.corpus, &mut self.reports] {
            folder.as_mut_os_string().push("-fresh");
            if folder.is_dir() {
                fs::remove_dir_all(&folder)?;
            }
        }
        Ok(())
    }

    /// Writes seeds and dictionaries, and gives the names of all targets.
    fn prepare(&self) -> anyhow::Result<Vec<String>> {
        if self.seeds.is_dir() {
            fs::remove_dir_all(&self.seeds)?;
        }
        fs::create_dir_all(&self.seeds)?;
        let mut command = Command::new(&self.binary);
        // The engine names what it was built without.
        let command = command
            .env("CRD_ANALYZER_FUZZ_PREPARE", &self.seeds)
            .stderr(Stdio::null());
        let status = command.status()?;
        ensure!(status.success(), "no seeds were written");
        let mut names: Vec<(u8, String)> = Vec::new();
        for entry in fs::read_dir(&self.seeds)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "number") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let number = fs::read(&path)?.first().copied().unwrap_or_default();
                for folder in [&self.corpus, &self.findings] {
                    fs::create_dir_all(folder.join(&name))?;
                }
                names.push((number, name));
            }
        }
        fs::create_dir_all(&self.reports)?;
        names.sort();
        Ok(names.into_iter().map(|it| it.1).collect())
    }

    /// The program, with room to go as deep as the command line does.
    fn command(&self, target: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -s {STACK_KIB} && exec \"$0\" \"$@\"")]);
        command.arg(&self.binary).env("CRD_ANALYZER_FUZZ", target);
        command
    }

    /// Runs a target. `slot`: which of several processes of one target it is.
    fn fuzz(&self, target: &str, slot: usize, seconds: u64, seed: u32) -> anyhow::Result<Outcome> {
        let name = if slot == 0 {
            target.to_owned()
        } else {
            format!("{target}-{slot}")
        };
        let (log, measured) = (self.reports.join(format!("{name}.log")), self.reports.join(&name));
        let status = self
            .command(target)
            .arg(self.corpus.join(target))
            .arg(self.seeds.join(target))
            .arg(format!("-artifact_prefix={}/", self.findings.join(target).display()))
            .arg(format!("-dict={}", self.seeds.join(format!("{target}.dict")).display()))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={MOST_BYTES}"))
            .arg(format!("-rss_limit_mb={MOST_MEMORY}"))
            .arg(format!("-seed={}", seed.wrapping_add(slot as u32).max(1)))
            .arg(format!("-timeout={PATIENCE_SECONDS}"))
            .arg("-print_final_stats=1")
            .env("CRD_ANALYZER_FUZZ_REPORT", &measured)
            .stderr(File::create(&log)?)
            .status()?;
        let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let measured = fs::read_to_string(&measured).unwrap_or_default();
        Outcome::read(&said, &measured, status.success(), Duration::from_secs(seconds))
    }
}

/// Runs one input.
fn replay(folders: &Folders, known: &[String], args: &Args, file: &Path) -> anyhow::Result<bool> {
    let file = file.canonicalize().with_context(|| file.display().to_string())?;
    let of_folder = || file.parent()?.file_name()?.to_str();
    let target = args.targets.first().map(String::as_str).or_else(of_folder);
    let Some(target) = target.filter(|it| known.iter().any(|name| name == it)) else {
        bail!("name the target of {}: {}", file.display(), known.join(", "));
    };
    let status = folders
        .command(target)
        .arg(&file)
        .arg(format!("-rss_limit_mb={MOST_MEMORY}"))
        .arg(format!("-timeout={PATIENCE_SECONDS}"))
        .status()?;
    Ok(status.success())
}

/// Runs every input that was kept, of all targets, in one process.
fn coverage(folders: &Folders, known: &[String]) -> anyhow::Result<bool> {
    let together = folders.reports.join("all");
    if together.is_dir() {
        fs::remove_dir_all(&together)?;
    }
    fs::create_dir_all(&together)?;
    let mut count = 0;
    for (number, target) in known.iter().enumerate() {
        for folder in [&folders.corpus, &folders.seeds] {
            for entry in fs::read_dir(folder.join(target))? {
                let mut input = vec![number as u8];
                input.extend(fs::read(entry?.path())?);
                fs::write(together.join(count.to_string()), input)?;
                count += 1;
            }
        }
    }
    let log = folders.reports.join("all.log");
    let status = folders
        .command("all")
        .arg(&together)
        .args(["-runs=0", "-max_len=1048576"])
        .arg(format!("-rss_limit_mb={MOST_MEMORY}"))
        .stderr(File::create(&log)?)
        .status()?;
    let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let (reached, all) = report::edges(&said);
    println!(
        "{count} inputs reach {reached} of {all} edges, {:.1} %",
        reached as f64 * 100.0 / all.max(1) as f64
    );
    Ok(status.success())
}
