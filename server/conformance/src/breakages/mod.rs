//! Breaks one literal of a repository at a time, and looks where `crd-analyzer check .` reports it: bases, patches, templates of charts, objects for
//! Flux, samples.
//!
//! What is broken is refused by construction: the schema of the CRD decides. A repository may have several copies of a CRD, so all of them must refuse
//! it.

mod places;
mod schemas;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;
use crd_analyzer_gosource::Folders as _;
use fastrand::Rng;
use places::{Breakage, breakages};
use schemas::Schemas;
use serde_json::Value;

use crate::disk::Disk;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The repositories. Go files are not copied, so CRDs are not compared with Go types.
    #[arg(required = true)]
    folders: Vec<PathBuf>,

    /// The CRDs that a repository lacks are in this folder, which is copied to `crds`. May be repeated.
    #[arg(long, value_name = "FOLDER")]
    crds: Vec<PathBuf>,

    /// The number of breakages in each repository.
    #[arg(long, default_value_t = 20)]
    count: usize,

    /// The seed; random by default. It is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// The program to try. By default, `crd-analyzer` beside this one.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// The maximum size of a file that is copied, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// The ending of files that are not copied.
const NOT_COPIED: &str = "go";

/// Folders that are left out.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", "vendor"];

/// A place at which something is reported: the file, the line, and what.
type Told = (String, u64, String);

/// Where a breakage is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    Line,
    File,
    Elsewhere,
    Nowhere,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let binary = match &args.binary {
        Some(binary) => fs::canonicalize(binary)?,
        None => std::env::current_exe()?.with_file_name("crd-analyzer"),
    };
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut random = Rng::with_seed(seed);
    println!("seed {seed}");
    let mut counts: BTreeMap<(&'static str, &'static str), BTreeMap<Found, usize>> = BTreeMap::new();
    for folder in &args.folders {
        let copy = tempfile::tempdir()?;
        fs::create_dir(copy.path().join(".git"))?;
        let mut files = BTreeMap::new();
        copy_into(folder, folder, Path::new(""), copy.path(), &mut files)?;
        for crds in &args.crds {
            copy_into(crds, crds, Path::new("crds"), copy.path(), &mut files)?;
        }
        let schemas = Schemas::of(files.values());
        let mut all = breakages(&files, &schemas, &mut random);
        random.shuffle(&mut all);
        let chosen = spread(all, args.count);
        let before = told(&binary, copy.path())?;
        println!("{}: {} breakages", folder.display(), chosen.len());
        for it in &chosen {
            let path = copy.path().join(&it.file);
            fs::write(&path, &it.text)?;
            let after = told(&binary, copy.path())?;
            let found = place_of(it, &before, &after);
            if !matches!(found, Found::Line | Found::File) {
                println!("{found:?}: {}:{}: {} ({})", it.file, it.line, it.kind, it.role);
                println!("    {}\n    {}", it.change.0.trim(), it.change.1.trim());
                for (file, line, what) in after.difference(&before).take(2) {
                    println!("    -> {file}:{line}: {what}");
                }
                for line in why(&binary, copy.path(), &it.file)?.lines().take(3) {
                    println!("    {line}");
                }
            }
            fs::write(&path, &files[&it.file])?;
            *counts.entry((it.role, it.kind)).or_default().entry(found).or_default() += 1;
        }
    }
    let mut total: BTreeMap<Found, usize> = BTreeMap::new();
    for ((role, kind), found) in &counts {
        println!("{role}, {kind}: {found:?}");
        for (place, count) in found {
            *total.entry(*place).or_default() += count;
        }
    }
    let all: usize = total.values().sum();
    let at_file = [Found::Line, Found::File]
        .iter()
        .filter_map(|it| total.get(it))
        .sum::<usize>();
    println!("{at_file} of {all} at the file that was edited: {total:?}");
    Ok(at_file * 100 >= all * 95)
}

/// Copies the manifests of a folder, and keeps their texts by path.
fn copy_into(
    root: &Path,
    folder: &Path,
    below: &Path,
    copy: &Path,
    files: &mut BTreeMap<String, String>,
) -> anyhow::Result<()> {
    for (name, is_folder) in Disk.list(folder) {
        let path = folder.join(&name);
        if is_folder {
            if !LEFT_OUT.iter().any(|it| *name == **it) {
                copy_into(root, &path, below, copy, files)?;
            }
            continue;
        }
        let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_small = path.metadata().is_ok_and(|it| it.len() < MOST_BYTES);
        let Some(text) = fs::read_to_string(&path)
            .ok()
            .filter(|_| is_small && ending != NOT_COPIED)
        else {
            continue;
        };
        let relative = below.join(path.strip_prefix(root)?);
        let target = copy.join(&relative);
        fs::create_dir_all(target.parent().context("a folder")?)?;
        fs::write(&target, &text)?;
        files.insert(relative.to_string_lossy().into_owned(), text);
    }
    Ok(())
}

/// Some of the breakages, evenly spread over roles and kinds.
fn spread(all: Vec<Breakage>, count: usize) -> Vec<Breakage> {
    let mut groups: BTreeMap<(&str, &str), Vec<Breakage>> = BTreeMap::new();
    for it in all {
        groups.entry((it.role, it.kind)).or_default().push(it);
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !groups.is_empty() {
        groups.retain(|_, group| {
            chosen.extend(group.pop().filter(|_| chosen.len() < count));
            !group.is_empty()
        });
    }
    chosen
}

/// Everything that is reported for a repository.
fn told(binary: &Path, folder: &Path) -> anyhow::Result<BTreeSet<Told>> {
    let output = Command::new(binary)
        .args(["check", ".", "-o", "jsonl", "--quiet"])
        .current_dir(folder)
        .output()
        .with_context(|| format!("{} cannot be run", binary.display()))?;
    let text = String::from_utf8(output.stdout)?;
    let mut told = BTreeSet::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line)?;
        let file = value["file"].as_str().unwrap_or_default();
        let lists = ["errors", "strict_places", "warnings", "hints"].map(|it| &value[it]);
        let findings = lists.iter().filter_map(|it| it.as_array()).flatten();
        let others = ["decode_error", "other_error"].map(|it| &value[it]);
        // A diagnostic about a file as a whole is a line of its own.
        for finding in findings.chain(others).chain([&value]) {
            let words = ["headline", "message"].iter().find_map(|it| finding[*it].as_str());
            let Some(words) = words else { continue };
            let line = finding["range"]["start"]["line"].as_u64().unwrap_or_default();
            told.insert((file.trim_start_matches("./").to_owned(), line, words.to_owned()));
        }
    }
    Ok(told)
}

fn place_of(breakage: &Breakage, before: &BTreeSet<Told>, after: &BTreeSet<Told>) -> Found {
    let mut new = after.difference(before).peekable();
    if new.peek().is_none() {
        return Found::Nowhere;
    }
    let of_file: Vec<&Told> = new.filter(|it| it.0 == breakage.file).collect();
    if of_file.iter().any(|it| it.1 == breakage.line as u64) {
        Found::Line
    } else if of_file.is_empty() {
        Found::Elsewhere
    } else {
        Found::File
    }
}

/// Which CRD checks the objects of a file, or why none does.
fn why(binary: &Path, folder: &Path, file: &str) -> anyhow::Result<String> {
    let output = Command::new(binary)
        .args(["check", ".", "--why", file])
        .current_dir(folder)
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
