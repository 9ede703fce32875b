//! Compares our handling of markers in Go files with controller-gen's own code: the table of markers, their targets, and rejections.

mod random;
mod random_types;
mod table;
mod types;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};
use crd_analyzer_gosource::check::{self, Known, Problem, catalog::Release, declared::Declared};
use fastrand::Rng;
use serde::Deserialize;

use crate::peers;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Also compare the Go files in these folders and their subfolders.
    folders: Vec<PathBuf>,
    /// The number of random files, and of random packages.
    #[arg(long, default_value_t = 500)]
    random: usize,
    /// Compare types only with the newest release.
    #[arg(long)]
    newest: bool,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many differences.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Ask each release of controller-gen for its markers, and write the table.
    #[arg(long)]
    update_table: bool,
}

/// controller-gen's answer for a file.
#[derive(Deserialize, Debug)]
struct Answer {
    file: String,
    /// The number of markers by target and name: `field optional`.
    belongs: BTreeMap<String, usize>,
    /// The lines of the rejected markers.
    refused: Vec<usize>,
}

/// The number of files per batch. They are copied into one folder, because the oracle reads a single folder.
const BATCH: usize = 2_000;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let oracle = peers::go_program("markers")?;
    if args.update_table {
        table::write()?;
        return Ok(true);
    }
    let is_current = table::compare(&oracle)?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let mut texts: Vec<(String, String)> = (0..args.random)
        .map(|n| (format!("random {n}"), random::file(&mut random)))
        .collect();
    for folder in &args.folders {
        add(folder, &mut texts);
    }
    let (mut compared, mut markers, mut different) = (0, 0, 0);
    for batch in texts.chunks(BATCH) {
        let folder = tempfile::tempdir()?;
        let mut names = HashMap::new();
        for (n, (label, text)) in batch.iter().enumerate() {
            let name = format!("f{n}.go");
            fs::write(folder.path().join(&name), text)?;
            names.insert(name, (label, text));
        }
        for answer in ask(&oracle, folder.path())? {
            let (label, text) = names.get(&answer.file).context("the oracle names another file")?;
            compared += 1;
            markers += answer.belongs.values().sum::<usize>();
            let ours = ours(text);
            if ours != (answer.belongs.clone(), answer.refused.iter().copied().collect()) {
                different += 1;
                if different <= args.show {
                    show(label, text, &answer, &ours);
                }
            }
        }
    }
    println!("{compared} Go files with {markers} markers that count: {different} differ from controller-gen");
    if compared == 0 {
        bail!("nothing was compared");
    }
    let oracles = table::oracles(&oracle, args.newest)?;
    let asked = types::Asked {
        count: args.random,
        show: args.show,
        oracles: &oracles,
    };
    let fits = types::compare(&asked, &mut random)?;
    Ok(is_current && different == 0 && fits)
}

/// The number of markers by target and name, and the lines of the rejected ones.
type Ours = (BTreeMap<String, usize>, BTreeSet<usize>);

/// Our answer in the oracle's format.
fn ours(text: &str) -> Ours {
    let comments = check::read(text);
    let known = Known {
        release: Release::NEWEST,
        declared: &Declared::default(),
        meant: |_, _| None,
    };
    let found = check::find(text, &comments, &known);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let refused: BTreeSet<usize> = found
        .iter()
        .filter(|it| matches!(it.problem, Problem::Refused { .. }))
        .map(|it| line(it.span.start))
        .collect();
    let mut belongs = BTreeMap::new();
    for (target, name, span) in check::counting(text) {
        if !refused.contains(&line(span.start)) {
            *belongs.entry(format!("{} {name}", target.name())).or_insert(0) += 1;
        }
    }
    (belongs, refused)
}

/// Prints the differences.
fn show(label: &str, text: &str, theirs: &Answer, ours: &Ours) {
    println!("\n{label}");
    let lines: Vec<&str> = text.lines().collect();
    let theirs_refused: BTreeSet<usize> = theirs.refused.iter().copied().collect();
    for line in theirs_refused.symmetric_difference(&ours.1) {
        let by = if ours.1.contains(line) {
            "we refuse"
        } else {
            "controller-gen refuses"
        };
        println!("  {by} line {line}: {}", lines.get(line - 1).unwrap_or(&"").trim());
    }
    let names: BTreeSet<&String> = theirs.belongs.keys().chain(ours.0.keys()).collect();
    let mut is_of_places = false;
    for name in names {
        let (their, our) = (theirs.belongs.get(name), ours.0.get(name));
        if their != our && theirs_refused == ours.1 {
            println!(
                "  {name}: controller-gen {}, ours {}",
                their.unwrap_or(&0),
                our.unwrap_or(&0)
            );
            is_of_places = true;
        }
    }
    if is_of_places && label.starts_with("random") {
        println!("{text}");
    }
}

fn ask(oracle: &Path, folder: &Path) -> anyhow::Result<Vec<Answer>> {
    let output = Command::new(oracle).arg("files").arg(folder).output()?;
    if !output.status.success() {
        bail!("the oracle fails: {}", String::from_utf8_lossy(&output.stderr));
    }
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|it| Ok(serde_json::from_str(it)?)).collect()
}

/// The Go files below a folder.
fn add(folder: &Path, texts: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(of) if of.is_dir() => add(&path, texts),
            Ok(of) if of.is_file() && path.extension().is_some_and(|it| it == "go") => {
                let text = fs::read_to_string(&path).unwrap_or_default();
                if text.len() < 1 << 20 && text.contains("// +") {
                    texts.push((path.display().to_string(), text));
                }
            }
            _ => {}
        }
    }
}
