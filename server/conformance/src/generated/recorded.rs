//! Compares the CRDs of real modules with the recorded output of controller-gen.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use crd_analyzer_generator::{Generated, Modules, Options, generate, yaml};
use crd_analyzer_gosource::check::catalog::Release;
use similar::TextDiff;

use super::{Args, outside};
use crate::disk::Disk;

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

pub(super) fn compare_recorded(args: &Args, recorded: &Path, sources: &Path) -> anyhow::Result<bool> {
    let mut all = Counts::default();
    for name in &names(args, recorded)? {
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

/// The names of the recorded modules, without those that were not asked for.
pub(super) fn names(args: &Args, recorded: &Path) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(recorded)? {
        let entry = entry?;
        if entry.path().join("runs.tsv").is_file() {
            names.extend(entry.file_name().into_string().ok());
        }
    }
    names.sort();
    ensure!(!names.is_empty(), "nothing is recorded in {}", recorded.display());
    names.retain(|it| args.only.is_empty() || args.only.contains(it));
    Ok(names)
}

/// A call of controller-gen.
pub(super) struct Run {
    /// The path of the run's output.
    out: String,
    pub(super) folder: PathBuf,
    pub(super) paths: Vec<String>,
    /// The options of the marker `crd`.
    pub(super) options: String,
}

impl Run {
    pub(super) fn read(recorded: &Path, root: &Path) -> anyhow::Result<Vec<Self>> {
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

    pub(super) fn options(&self, release: Release) -> Options {
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

/// Adds the files below a folder, relative to `root`, and sorts them.
pub(super) fn list(folder: &Path, root: &Path, files: &mut Vec<String>) -> anyhow::Result<()> {
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
