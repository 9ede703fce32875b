//! Builds the fuzz targets (`server/fuzz`), runs them under libFuzzer, and reports coverage, time and memory.

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

/// Fuzz everything that parses untrusted input.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The targets; all if none is named.
    targets: Vec<String>,
    /// The running time of each target, in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Start only from the repository's own seeds. With the same seed, the same build then generates the same inputs.
    #[arg(long)]
    fresh: bool,
    /// The seed; random by default. It is printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u32>,
    /// The number of parallel processes; by default the number of cores.
    #[arg(long)]
    jobs: Option<usize>,
    /// Run only this input. Its target is given, or is the prefix of the file name.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Print the combined coverage of all kept inputs, and run nothing else.
    #[arg(long)]
    coverage: bool,
}

/// The timeout for one input. The driver also limits its processor time to 5 s.
const PATIENCE_SECONDS: u64 = 60;

/// The memory limit of a process, in MiB. The driver also limits the additional memory for one input to 256 MiB.
const MOST_MEMORY: u64 = 2048;

/// The maximum size of generated inputs, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// The stack size in KiB. It equals the stack size of the command line's own threads (`schema::depth::STACK_BYTES`), which limits the depth of
/// schemas.
const STACK_KIB: usize = 168_960;

/// The folders and files of fuzzing.
struct Folders {
    binary: PathBuf,
    /// Initial inputs, one folder per target.
    seeds: PathBuf,
    /// Inputs with new coverage, one folder per target. They are kept between runs.
    corpus: PathBuf,
    /// Inputs that caused a failure.
    findings: PathBuf,
    /// Output and measurements.
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
    // If there are more jobs than targets, several processes run for each target.
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
            // This command is for another machine, where the file does not exist.
            println!(
                "or: echo {} | base64 -d > input",
                report::base64(&fs::read(&finding.file)?)
            );
            println!("    cargo xtask fuzz {target} --replay input");
        }
    }
    Ok(outcomes.values().all(|it| it.finding.is_none()))
}

/// Builds the targets in a separate folder, because their flags would invalidate all other builds.
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

/// The host platform. Passing it as the target keeps the flags away from build scripts and macros.
fn host() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|it| it.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

impl Folders {
    /// Switches to empty folders, and keeps the inputs and reports of earlier runs.
    fn forget(&mut self) -> anyhow::Result<()> {
        for folder in [&mut self.corpus, &mut self.reports] {
            folder.as_mut_os_string().push("-fresh");
            if folder.is_dir() {
                fs::remove_dir_all(&folder)?;
            }
        }
        Ok(())
    }

    /// Writes seeds and dictionaries, and returns the names of all targets.
    fn prepare(&self) -> anyhow::Result<Vec<String>> {
        if self.seeds.is_dir() {
            fs::remove_dir_all(&self.seeds)?;
        }
        fs::create_dir_all(&self.seeds)?;
        let mut command = Command::new(&self.binary);
        // The fuzzing engine prints warnings about its build.
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

    /// The command for a target, with the stack size of the command line.
    fn command(&self, target: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -s {STACK_KIB} && exec \"$0\" \"$@\"")]);
        command.arg(&self.binary).env("CRD_ANALYZER_FUZZ", target);
        command
    }

    /// Runs a target. `slot` is the number of the process among all processes of the same target.
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

/// Runs all kept inputs of all targets in one process.
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
