//! Compares the CRDs that crd-analyzer generates from Go types with those of controller-gen: recorded CRDs of real modules, and CRDs of random types.

mod random;

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use crd_analyzer_generator::{Generated, Modules, Options, Outside, generate, yaml};
use crd_analyzer_gosource::{Folders as _, check::catalog::Release};
use fastrand::Rng;
use similar::TextDiff;

use crate::{disk::Disk, peers};

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
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Only these modules.
    #[arg(long)]
    only: Vec<String>,
    /// Only these releases, such as `v0.21.0`.
    #[arg(long, value_delimiter = ',')]
    releases: Vec<String>,
    /// Print at most this many lines of a difference.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// The recorded releases.
const RELEASES: [&str; 8] = [
    "v0.23.0", "v0.22.0", "v0.21.0", "v0.20.1", "v0.19.0", "v0.18.0", "v0.17.3", "v0.16.5",
];

#[derive(Default)]
struct Counts {
    same: usize,
    different: usize,
    missing: usize,
    more: usize,
    refused: usize,
    time: Duration,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    ensure!(
        args.recorded.is_some() || args.random > 0,
        "name what is to be compared: `--recorded` and `--sources`, or `--random`"
    );
    let mut is_clean = true;
    if let (Some(recorded), Some(sources)) = (&args.recorded, &args.sources) {
        is_clean &= compare_recorded(args, recorded, sources)?;
    }
    if args.random > 0 {
        is_clean &= compare_random(args)?;
    }
    Ok(is_clean)
}

/// Compares random types with the newest controller-gen.
fn compare_random(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
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
        let path = module.join(format!("p{n}/v1"));
        fs::create_dir_all(&path)?;
        let text = random::file(n, &mut random);
        fs::write(path.join("types.go"), &text)?;
        texts.push(text);
    }
    let modules = Modules::open(&module, &module, Arc::new(Disk), outside()).context("a module")?;
    let packages = modules.matching("./...", &module);
    let options = Options::of(Release::NEWEST);
    let begin = Instant::now();
    let made = generate(&packages, &modules, &options, Some("(devel)"));
    let time = begin.elapsed();
    if made.is_over || !made.missing.is_empty() {
        println!("not known: {}", made.missing.join(", "));
    }
    let own = |n: usize| Answer {
        crd: made
            .crds
            .iter()
            .find(|it| it.group == format!("g{n}.example.com"))
            .map(|it| format!("---\n{}", yaml::written(&it.object.to_json()))),
        refused: {
            let folder = module.join(format!("p{n}/v1"));
            let refused = made.refused.iter().filter_map(|it| it.origin.as_ref());
            let refused = refused.filter(|it| it.file.starts_with(&folder));
            let spans = refused.filter_map(|it| texts.get(n)?.get(it.span.clone()));
            spans.map(ToOwned::to_owned).collect()
        },
    };
    let peer = Peer {
        program: peers::go_program("go-crds")?,
        module: &module,
        out: folder.join("out"),
    };
    let all: Vec<usize> = (0..args.random).collect();
    let mut expected = peer.answers(&all)?;
    let accepted = expected.values().filter(|it| it.refused.is_empty()).count();
    let mut different: Vec<usize> = all
        .into_iter()
        .filter(|n| !expected.get(n).is_some_and(|it| it.is_like(&own(*n))))
        .collect();
    // controller-gen iterates over a Go map of markers. If two markers with the same priority add a rule, the order of the rules is random in each
    // run.
    let mut by_chance = 0;
    for _ in 0..RUNS {
        if different.is_empty() {
            break;
        }
        let again = peer.answers(&different)?;
        let count = different.len();
        different.retain(|n| !again.get(n).is_some_and(|it| it.is_like(&own(*n))));
        by_chance += count - different.len();
        expected.extend(again);
    }
    for (nth, n) in different.iter().take(5).enumerate() {
        let (Some(expected), Some(text)) = (expected.get(n), texts.get(*n)) else {
            continue;
        };
        expected.print(*n, &own(*n), args.show);
        if nth == 0 {
            println!("{text}");
        }
    }
    println!(
        "{} packages, {accepted} of them accepted: {} the same ({by_chance} in another run of controller-gen), {} differ; {} ms",
        args.random,
        args.random - different.len(),
        different.len(),
        time.as_millis()
    );
    Ok(different.is_empty())
}

/// The number of runs of controller-gen if the output differs. Each of two rules comes first in half of the runs.
const RUNS: usize = 24;

/// The result for one package.
struct Answer {
    /// The CRD as YAML.
    crd: Option<String>,
    /// The reasons why controller-gen rejects the package, or the rejected markers.
    refused: Vec<String>,
}

impl Answer {
    /// Whether both answers contain the same CRD, or both reject the package.
    fn is_like(&self, other: &Self) -> bool {
        self.crd == other.crd && self.refused.is_empty() == other.refused.is_empty()
    }

    /// Prints the differences between our answer and this one, in at most `show` lines.
    fn print(&self, n: usize, own: &Self, show: usize) {
        println!(
            "p{n}: refused {}, by us {}",
            !self.refused.is_empty(),
            !own.refused.is_empty()
        );
        for reason in self.refused.iter().take(3) {
            println!("  controller-gen: {reason}");
        }
        for marker in own.refused.iter().take(3) {
            println!("  {marker}");
        }
        if let (Some(expected), Some(own)) = (&self.crd, &own.crd) {
            let difference = TextDiff::from_lines(expected, own)
                .unified_diff()
                .context_radius(3)
                .to_string();
            for line in difference.lines().take(show) {
                println!("  {line}");
            }
        }
    }
}

/// A run of controller-gen's own code on the packages of a module.
struct Peer<'a> {
    program: PathBuf,
    module: &'a Path,
    out: PathBuf,
}

impl Peer<'_> {
    fn answers(&self, packages: &[usize]) -> anyhow::Result<BTreeMap<usize, Answer>> {
        if self.out.exists() {
            fs::remove_dir_all(&self.out)?;
        }
        fs::create_dir_all(&self.out)?;
        let answer = Command::new(&self.program)
            .args([self.module, &self.out])
            .args(packages.iter().map(|n| format!("./p{n}/v1")))
            .env("GOFLAGS", "-mod=mod")
            .output()?;
        let errors = String::from_utf8_lossy(&answer.stderr);
        ensure!(answer.status.success(), "controller-gen: {errors}");
        let printed = String::from_utf8_lossy(&answer.stdout);
        let written = Disk.list(&self.out);
        let mut answers = BTreeMap::new();
        for n in packages {
            let begin = format!("g{n}.example.com_");
            let file = written.iter().map(|it| &it.0).find(|it| it.starts_with(&begin));
            let crd = file.map(|it| fs::read_to_string(self.out.join(it))).transpose()?;
            let path = format!("/p{n}/v1");
            let mut refused = Vec::new();
            if printed.lines().any(|it| it.ends_with(&path)) {
                let begin = format!("{path}: ");
                let reasons = errors.lines().filter_map(|it| it.split_once(&begin));
                refused.extend(reasons.map(|it| it.1.to_owned()));
                if refused.is_empty() {
                    refused.push("for no reason that it tells".to_owned());
                }
            }
            answers.insert(*n, Answer { crd, refused });
        }
        Ok(answers)
    }
}

fn compare_recorded(args: &Args, recorded: &Path, sources: &Path) -> anyhow::Result<bool> {
    let mut all = Counts::default();
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(recorded)? {
        let entry = entry?;
        if entry.path().join("runs.tsv").is_file() {
            names.extend(entry.file_name().into_string().ok());
        }
    }
    names.sort();
    ensure!(!names.is_empty(), "nothing is recorded in {}", recorded.display());
    for name in names.iter().filter(|it| args.only.is_empty() || args.only.contains(it)) {
        let mut counts = Counts::default();
        let root = fs::canonicalize(sources.join(name).join("src")).context(name.clone())?;
        let runs = Run::read(&recorded.join(name), &root)?;
        // The parsed modules are the same for all releases.
        let mut modules: BTreeMap<PathBuf, Option<Arc<Modules>>> = BTreeMap::new();
        for release in RELEASES {
            if !args.releases.is_empty() && !args.releases.iter().any(|it| it == release) {
                continue;
            }
            compare(
                (args, recorded),
                (name, release),
                (&runs, &root),
                &mut modules,
                &mut counts,
            )?;
        }
        println!(
            "{name}: {} the same, {} different, {} missing, {} more, {} refused, {} ms",
            counts.same,
            counts.different,
            counts.missing,
            counts.more,
            counts.refused,
            counts.time.as_millis()
        );
        all.same += counts.same;
        all.different += counts.different;
        all.missing += counts.missing;
        all.more += counts.more;
        all.time += counts.time;
    }
    println!(
        "all: {} the same, {} different, {} missing, {} more; {} ms",
        all.same,
        all.different,
        all.missing,
        all.more,
        all.time.as_millis()
    );
    Ok(all.different + all.missing + all.more == 0)
}

/// A call of controller-gen.
struct Run {
    /// The path of the run's output.
    out: String,
    folder: PathBuf,
    paths: Vec<String>,
    options: String,
}

impl Run {
    fn read(recorded: &Path, root: &Path) -> anyhow::Result<Vec<Self>> {
        let text = fs::read_to_string(recorded.join("runs.tsv"))?;
        let run = |line: &str| {
            let mut cells = line.split('\t');
            let (Some(out), Some(folder)) = (cells.next(), cells.next()) else {
                bail!("no run: {line}");
            };
            let mut run = Self {
                out: out.to_owned(),
                folder: root.join(folder),
                paths: Vec::new(),
                options: String::new(),
            };
            for argument in cells {
                if let Some(paths) = argument.strip_prefix("paths=") {
                    run.paths
                        .extend(paths.split(';').map(|it| it.trim_matches(['"', '{', '}']).to_owned()));
                } else if let Some(options) = argument.strip_prefix("crd") {
                    options.trim_start_matches(':').clone_into(&mut run.options);
                }
            }
            Ok(run)
        };
        text.lines().map(run).collect()
    }

    fn options(&self, release: Release) -> Options {
        let mut options = Options::of(release);
        for option in self.options.split(',') {
            let (name, value) = option.split_once('=').unwrap_or((option, "true"));
            match name {
                "allowDangerousTypes" => options.allows_dangerous_types = value == "true",
                "ignoreUnexportedFields" => options.leaves_out_unexported = value == "true",
                "generateEmbeddedObjectMeta" => options.has_embedded_metadata = value == "true",
                "maxDescLen" => options.max_description = value.parse().ok(),
                "deprecatedV1beta1CompatibilityPreserveUnknownFields" => {
                    options.preserves_unknown_fields = value.parse().ok();
                }
                _ => {}
            }
        }
        options
    }
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

fn compare(
    (args, recorded): (&Args, &Path),
    (name, release): (&str, &str),
    (runs, root): (&[Run], &Path),
    modules: &mut BTreeMap<PathBuf, Option<Arc<Modules>>>,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    let wanted = tempfile::tempdir()?;
    let golden = Command::new(recorded.join("golden.sh"))
        .args([name, release])
        .arg(wanted.path())
        .output()?;
    if !golden.status.success() {
        println!("{name} {release}: nothing is recorded");
        return Ok(());
    }
    let minor: u8 = release
        .split('.')
        .nth(1)
        .and_then(|it| it.parse().ok())
        .context("a release")?;
    let mut made: BTreeMap<String, String> = BTreeMap::new();
    for run in runs {
        let folder = fs::canonicalize(&run.folder)?;
        let module = modules.entry(folder.clone()).or_insert_with(|| {
            let at = folder.ancestors().find(|it| it.join("go.mod").is_file())?;
            Modules::open(at, root, Arc::new(Disk), outside()).map(Arc::new)
        });
        let module = module.clone().context("a module")?;
        let packages: Vec<String> = run.paths.iter().flat_map(|it| module.matching(it, &folder)).collect();
        let begin = Instant::now();
        let Generated {
            crds,
            refused,
            missing,
            is_over,
            ..
        } = generate(&packages, &*module, &run.options(Release(minor)), Some(release));
        for crd in crds {
            let path = if run.out == "." {
                crd.file
            } else {
                format!("{}/{}", run.out, crd.file)
            };
            made.insert(path, format!("---\n{}", yaml::written(&crd.object.to_json())));
        }
        counts.time += begin.elapsed();
        counts.refused += refused.len();
        for refused in refused.iter().take(args.show.min(3)) {
            let origin = refused.origin.as_ref();
            println!(
                "{name} {release}: {:?} {:?}",
                refused.reason,
                origin.map(|it| (&it.file, &it.span))
            );
        }
        if !missing.is_empty() || is_over {
            println!("{name} {release}: not known: {}", missing.join(", "));
        }
    }
    let mut files = Vec::new();
    list(wanted.path(), wanted.path(), &mut files)?;
    for file in files {
        let text = fs::read_to_string(wanted.path().join(&file))?;
        match made.remove(&file) {
            None => {
                counts.missing += 1;
                println!("{name} {release}: {file} is missing");
            }
            Some(own) if own == text => counts.same += 1,
            Some(own) => {
                counts.different += 1;
                println!("{name} {release}: {file}");
                let difference = TextDiff::from_lines(&text, &own)
                    .unified_diff()
                    .context_radius(4)
                    .to_string();
                for line in difference.lines().take(args.show) {
                    println!("  {line}");
                }
            }
        }
    }
    counts.more += made.len();
    for file in made.keys() {
        println!("{name} {release}: {file} is more");
    }
    Ok(())
}

fn list(folder: &Path, root: &Path, files: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, root, files)?;
        } else {
            files.extend(path.strip_prefix(root)?.to_str().map(str::to_owned));
        }
    }
    files.sort();
    Ok(())
}
