//! Compares mutants of the packages of real modules with the newest controller-gen. Each mutant is a package of its own in a copy of the module, so that
//! one run of controller-gen answers for many.

mod edits;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, ensure};
use crd_analyzer_generator::{Generator, Modules, Options, Outside, Sources as _};
use crd_analyzer_gosource::{Folders as _, check::catalog::Release};
use fastrand::Rng;

use super::{Args, Ours, Peer, RUNS, outside, recorded, seeded};
use crate::disk::Disk;
use edits::{Edit, File, Used};

/// The number of mutants that one run of controller-gen gets. It keeps what it has read of each.
const BATCH: usize = 250;

/// Packages of a module that controller-gen is called with.
struct Source {
    label: String,
    /// The folder of the module, or the one above all modules of its repository.
    top: PathBuf,
    /// The folder that the patterns of packages are relative to.
    folder: PathBuf,
    patterns: Vec<String>,
    options: (String, Options),
}

#[derive(Default)]
struct Counts {
    same: usize,
    /// Those of them that both reject.
    refused: usize,
    by_chance: usize,
    different: usize,
    /// Those that Go's type checker rejects, which are not compared.
    broken: usize,
}

pub(super) fn compare(args: &Args) -> anyhow::Result<bool> {
    let sources = sources(args)?;
    ensure!(
        !sources.is_empty(),
        "name modules: `--recorded` and `--sources`, or `--modules`"
    );
    let mut random = seeded(args);
    let mut all = Counts::default();
    for (nth, source) in sources.iter().enumerate() {
        let share = (args.mutants * (nth + 1) / sources.len()) - (args.mutants * nth / sources.len());
        let mut counts = Counts::default();
        for from in (0..share).step_by(BATCH) {
            batch(source, BATCH.min(share - from), (&mut random, args.show), &mut counts)?;
        }
        counts.print(&source.label);
        all.same += counts.same;
        all.refused += counts.refused;
        all.by_chance += counts.by_chance;
        all.different += counts.different;
        all.broken += counts.broken;
    }
    all.print("all");
    ensure!(all.same + all.different > 0, "nothing was compared");
    Ok(all.different == 0)
}

impl Counts {
    fn print(&self, label: &str) {
        println!(
            "{label}: {} mutants that compile: {} the same ({} rejected by both, {} in another run of controller-gen), {} differ; {} do not compile",
            self.same + self.different,
            self.same,
            self.refused,
            self.by_chance,
            self.different,
            self.broken
        );
    }
}

/// The modules that were asked for.
fn sources(args: &Args) -> anyhow::Result<Vec<Source>> {
    let mut all = Vec::new();
    for folder in &args.modules {
        let folder = fs::canonicalize(folder).with_context(|| folder.display().to_string())?;
        all.push(Source {
            label: folder.display().to_string(),
            top: folder.clone(),
            folder,
            patterns: vec!["./...".to_owned()],
            options: (String::new(), Options::of(Release::NEWEST)),
        });
    }
    if let (Some(recorded), Some(sources)) = (&args.recorded, &args.sources) {
        for name in recorded::names(args, recorded)? {
            let top = fs::canonicalize(sources.join(&name).join("src")).context(name.clone())?;
            for run in recorded::Run::read(&recorded.join(&name), &top)? {
                all.push(Source {
                    label: name.clone(),
                    top: top.clone(),
                    options: (run.options.clone(), run.options(Release::NEWEST)),
                    folder: run.folder,
                    patterns: run.paths,
                });
            }
        }
    }
    Ok(all)
}

/// A copy of a repository's Go files.
struct Copied {
    /// A folder of the module.
    folder: PathBuf,
    modules: Modules,
    /// The packages with kinds: their folders, and their files.
    packages: Vec<(PathBuf, Vec<File>)>,
}

impl Copied {
    fn new(source: &Source, to: &Path) -> anyhow::Result<Self> {
        copy(&source.top, to)?;
        let folder = fs::canonicalize(to.join(source.folder.strip_prefix(&source.top)?))?;
        let root = folder.ancestors().find(|it| it.join("go.mod").is_file());
        let root = root.context("a folder with a go.mod")?;
        // Go reads nothing else if there is a folder `vendor`.
        let outside = if root.join("vendor").is_dir() {
            Outside::default()
        } else {
            outside()
        };
        let modules = Modules::open(root, to, Arc::new(Disk), outside).context("a module")?;
        let paths: BTreeSet<String> = source
            .patterns
            .iter()
            .flat_map(|it| modules.matching(it, &folder))
            .collect();
        let mut packages = Vec::new();
        for path in paths {
            let has_kinds = !Generator::new(std::slice::from_ref(&path), &modules, &source.options.1, None)
                .kinds()
                .is_empty();
            let Some(folder) = modules.folder_of(&path).filter(|_| has_kinds) else {
                continue;
            };
            // If a package is rejected without its neighbours, its mutants are rejected for the same reason.
            if Ours::of(&folder, &modules, &source.options.1).refused.is_empty() {
                packages.push((folder.clone(), files(&folder)?));
            }
        }
        ensure!(!packages.is_empty(), "no package with kinds in {}", source.label);
        Ok(Self {
            folder,
            modules,
            packages,
        })
    }

    /// Writes a package beside the one that it was made from, and returns its folder.
    fn write(&self, package: usize, name: &str, files: &[File]) -> anyhow::Result<PathBuf> {
        let folder = self.packages[package].0.join(name);
        fs::create_dir_all(&folder)?;
        for file in files {
            fs::write(folder.join(&file.name), file.lines.join("\n") + "\n")?;
        }
        Ok(folder)
    }

    /// The import path of a package. controller-gen loads all packages at once if it gets their import paths, and one by one if it gets folders.
    fn path(&self, folder: &Path) -> anyhow::Result<String> {
        self.modules.path_of(folder).context("a package of the module")
    }
}

/// A mutant of a package.
struct Mutant {
    name: String,
    package: usize,
    folder: PathBuf,
    what: String,
}

/// Makes mutants of a module, and compares them.
fn batch(source: &Source, count: usize, (random, show): (&mut Rng, usize), counts: &mut Counts) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = fs::canonicalize(folder.path())?;
    let copied = Copied::new(source, &folder.join("src"))?;
    let mut used = Used::default();
    for (_, files) in &copied.packages {
        used.add(files);
    }
    let mut patterns = Vec::new();
    // What the type checker says of the originals is not due to mutants: it does not know what controller-gen has not loaded.
    for (n, (_, files)) in copied.packages.iter().enumerate() {
        let folder = copied.write(n, &format!("original{n}"), files)?;
        patterns.push(copied.path(&folder)?);
    }
    let mut mutants = Vec::new();
    for n in 0..count {
        let package = random.usize(..copied.packages.len());
        let (files, what) = mutated(&copied.packages[package].1, &used, random);
        let name = format!("m{n}");
        let folder = copied.write(package, &name, &files)?;
        patterns.push(copied.path(&folder)?);
        mutants.push(Mutant {
            name,
            package,
            folder,
            what,
        });
    }
    let peer = Peer::new(&copied.folder, &source.options.0, folder.join("out"))?;
    let answers = peer.answers(&patterns, 1)?;
    let known: Vec<BTreeSet<&String>> = (0..copied.packages.len())
        .map(|n| {
            answers
                .get(&format!("original{n}"))
                .map(|it| it.types.iter().collect())
                .unwrap_or_default()
        })
        .collect();
    let mut different: BTreeMap<String, (Mutant, Ours)> = BTreeMap::new();
    for mutant in mutants {
        let theirs = answers.get(&mutant.name).context("an answer for each mutant")?;
        if theirs.types.iter().any(|it| !known[mutant.package].contains(it)) {
            counts.broken += 1;
            continue;
        }
        let ours = Ours::of(&mutant.folder, &copied.modules, &source.options.1);
        if theirs.is_like(&ours) {
            counts.same += 1;
            counts.refused += usize::from(!ours.refused.is_empty());
        } else {
            different.insert(mutant.name.clone(), (mutant, ours));
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    let patterns: Result<Vec<String>, _> = different.values().map(|it| copied.path(&it.0.folder)).collect();
    let again = peer.answers(&patterns?, RUNS)?;
    for (name, (mutant, ours)) in &different {
        if again.get(name).is_some_and(|it| it.is_like(ours)) {
            counts.same += 1;
            counts.by_chance += 1;
        } else if let Some(theirs) = answers.get(name) {
            counts.different += 1;
            let package = copied.packages[mutant.package]
                .0
                .strip_prefix(&folder)
                .unwrap_or(&mutant.folder);
            println!("\n{}: {}", source.label, mutant.what);
            theirs.print(&package.display().to_string(), ours, show);
        }
    }
    Ok(())
}

/// A package with one to three edits, and what they are.
fn mutated(files: &[File], used: &Used, random: &mut Rng) -> (Vec<File>, String) {
    let count = [1, 1, 1, 1, 2, 2, 3][random.usize(..7)];
    let mut edit = Edit {
        files: files.to_vec(),
        used,
        random,
    };
    let mut what = Vec::new();
    // Some edits need what a package does not have.
    for _ in 0..100 {
        what.extend(edit.make());
        if what.len() == count {
            break;
        }
    }
    (edit.files, what.join("; "))
}

/// The Go files of a package that controller-gen reads.
fn files(folder: &Path) -> anyhow::Result<Vec<File>> {
    let mut files = Vec::new();
    for (name, is_folder) in Disk.list(folder) {
        if !is_folder && is_source(&name) {
            let text = fs::read_to_string(folder.join(&name))?;
            files.push(File {
                name,
                lines: text.lines().map(str::to_owned).collect(),
            });
        }
    }
    Ok(files)
}

fn is_source(name: &str) -> bool {
    let stem = name.strip_suffix(".go");
    stem.is_some_and(|it| !it.ends_with("_test"))
}

/// Copies what Go reads of a folder.
fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for (name, is_folder) in Disk.list(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        if is_folder {
            if !name.starts_with('.') && name != "node_modules" {
                copy(&from, &to)?;
            }
        } else if is_source(&name) || ["go.mod", "go.sum", "modules.txt"].contains(&name.as_str()) {
            fs::copy(from, to)?;
        }
    }
    Ok(())
}
