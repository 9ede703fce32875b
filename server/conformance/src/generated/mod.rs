//! Compares the CRDs that crd-analyzer generates from Go types with those of controller-gen: recorded CRDs of real modules, CRDs of mutants of their
//! packages, and CRDs of random types.

mod mutants;
mod peer;
mod random;
mod recorded;

use std::{
    env, fs,
    path::PathBuf,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use crd_analyzer_generator::{Modules, Options, Outside};
use crd_analyzer_gosource::check::catalog::Release;
use fastrand::Rng;

use crate::{disk::Disk, peers};
use peer::{Ours, Peer, Theirs};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder with controller-gen's recorded output for modules.
    #[arg(long, requires = "sources")]
    recorded: Option<PathBuf>,
    /// The folder with the sources of these modules.
    #[arg(long)]
    sources: Option<PathBuf>,
    /// The number of packages with random types.
    #[arg(long, default_value_t = 0)]
    random: usize,
    /// The number of mutants of packages, of the recorded modules and of `--modules`. The recorded output itself is not compared then.
    #[arg(long, default_value_t = 0)]
    mutants: usize,
    /// A folder with a Go module whose packages are mutated.
    #[arg(long)]
    modules: Vec<PathBuf>,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Only these recorded modules.
    #[arg(long)]
    only: Vec<String>,
    /// Only these releases, such as `v0.21.0`.
    #[arg(long, value_delimiter = ',')]
    releases: Vec<String>,
    /// Print at most this many lines of a difference.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    ensure!(
        args.recorded.is_some() || args.random > 0 || args.mutants > 0,
        "name what is to be compared: `--recorded` and `--sources`, `--mutants`, or `--random`"
    );
    let mut is_clean = true;
    if args.mutants > 0 {
        is_clean &= mutants::compare(args)?;
    } else if let (Some(recorded), Some(sources)) = (&args.recorded, &args.sources) {
        is_clean &= recorded::compare_recorded(args, recorded, sources)?;
    }
    if args.random > 0 {
        is_clean &= compare_random(args)?;
    }
    Ok(is_clean)
}

/// Compares random types with the newest controller-gen.
fn compare_random(args: &Args) -> anyhow::Result<bool> {
    let mut random = seeded(args);
    let folder = tempfile::tempdir()?;
    let folder = fs::canonicalize(folder.path())?;
    let module = folder.join("m");
    fs::create_dir_all(&module)?;
    for file in ["go.mod", "go.sum"] {
        fs::copy(
            peers::root().join("tests/conformance/go-crds").join(file),
            module.join(file),
        )?;
    }
    let mut texts = Vec::new();
    for n in 0..args.random {
        let path = module.join(format!("p{n}"));
        fs::create_dir_all(&path)?;
        let text = random::file(n, &mut random);
        fs::write(path.join("types.go"), &text)?;
        texts.push(text);
    }
    let modules = Modules::open(&module, &module, Arc::new(Disk), outside()).context("a module")?;
    let options = Options::of(Release::NEWEST);
    let peer = Peer::new(&module, "", folder.join("out"))?;
    let path = |n: &usize| modules.path_of(&module.join(format!("p{n}")));
    let all: Vec<String> = (0..args.random).filter_map(|n| path(&n)).collect();
    let mut expected = peer.answers(&all, 1)?;
    expected.values_mut().for_each(Theirs::refuse_types);
    let accepted = expected.values().filter(|it| it.refused.is_empty()).count();
    let mut time = Duration::ZERO;
    let (mut same, mut different) = (0, Vec::new());
    for n in 0..args.random {
        let begin = Instant::now();
        let ours = Ours::of(&module.join(format!("p{n}")), &modules, &options);
        time += begin.elapsed();
        if expected.get(&format!("p{n}")).is_some_and(|it| it.is_like(&ours)) {
            same += 1;
        } else {
            different.push((n, ours));
        }
    }
    let mut by_chance = 0;
    if !different.is_empty() {
        let packages: Vec<String> = different.iter().filter_map(|it| path(&it.0)).collect();
        let mut again = peer.answers(&packages, RUNS)?;
        again.values_mut().for_each(Theirs::refuse_types);
        let count = different.len();
        different.retain(|(n, ours)| !again.get(&format!("p{n}")).is_some_and(|it| it.is_like(ours)));
        by_chance = count - different.len();
    }
    for (nth, (n, ours)) in different.iter().take(5).enumerate() {
        let (Some(expected), Some(text)) = (expected.get(&format!("p{n}")), texts.get(*n)) else {
            continue;
        };
        expected.print(&format!("p{n}"), ours, args.show);
        if nth == 0 {
            println!("{text}");
        }
    }
    let places: usize = expected.values().map(Theirs::places).sum();
    println!(
        "{} packages, {accepted} of them accepted, {places} types rejected: {} the same ({by_chance} in another run of controller-gen), {} differ; {} ms",
        args.random,
        same + by_chance,
        different.len(),
        time.as_millis()
    );
    Ok(different.is_empty())
}

/// The number of runs of controller-gen if the output differs. controller-gen iterates over a Go map of markers: if two markers with the same priority
/// add a rule, the order of the rules is random in each run. Each of two rules comes first in half of the runs.
const RUNS: usize = 24;

/// Random numbers by the seed of a run, which is printed.
fn seeded(args: &Args) -> Rng {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    Rng::with_seed(seed)
}

/// The folders of Go's module cache and of its installation.
pub(crate) fn outside() -> Outside {
    let of = |name: &str| {
        let output = Command::new("go").args(["env", name]).output().ok()?;
        Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
    };
    let cache = env::var_os("GOMODCACHE")
        .map(PathBuf::from)
        .or_else(|| of("GOMODCACHE"));
    Outside {
        cache,
        library: of("GOROOT").map(|it| it.join("src")),
    }
}
