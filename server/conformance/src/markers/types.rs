//! Compares the markers that do not fit their type with the markers that each release of controller-gen rejects.

#![allow(clippy::format_push_string, reason = "the files are small, and written once")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};
use crd_analyzer_gosource::{
    Folders as _, Module,
    check::{self, Finding, Known, Mismatch, Problem, catalog::Release, declared::Declared},
    fit,
};
use fastrand::Rng;
use serde::Deserialize;

use super::random_types;
use crate::disk::Disk;

/// The number of packages per run of controller-gen.
const BATCH: usize = 500;

/// controller-gen's answer for a package.
#[derive(Deserialize, Debug)]
struct Answer {
    package: String,
    refused: Vec<String>,
    other: Vec<String>,
}

/// The counts for one release.
#[derive(Default)]
struct Total {
    packages: usize,
    refused: usize,
    /// Rejections that we do not report, because a type is unknown to us.
    unknown: usize,
    different: usize,
}

/// The options of the comparison.
pub(super) struct Asked<'a> {
    pub(super) count: usize,
    pub(super) show: usize,
    /// The oracle of each release.
    pub(super) oracles: &'a [(Release, PathBuf)],
}

/// Compares random packages. Returns whether all answers are the same.
pub(super) fn compare(asked: &Asked<'_>, random: &mut Rng) -> anyhow::Result<bool> {
    let mut totals: BTreeMap<Release, Total> = BTreeMap::new();
    let mut left = asked.count;
    while left > 0 {
        let count = left.min(BATCH);
        left -= count;
        let folder = tempfile::tempdir()?;
        let outside = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        random_types::write_module(&root, outside.path())?;
        for n in 0..count {
            // In every third package, some types are in another module. Our reports may then be incomplete, but not wrong.
            let package = root.join(if n % 3 == 2 {
                format!("part{n}")
            } else {
                format!("p{n}")
            });
            fs::create_dir(&package)?;
            for (name, text) in random_types::package(n, n % 3 != 2, random) {
                fs::write(package.join(name), text)?;
            }
        }
        for (release, oracle) in asked.oracles {
            let answers = ask(oracle, &root)?;
            let total = totals.entry(*release).or_default();
            for answer in &answers {
                let ours = ours(&root, &answer.package, *release)?;
                let theirs: BTreeSet<String> = answer.refused.iter().cloned().collect();
                let is_same = if answer.package.starts_with("part") {
                    total.unknown += theirs.difference(&ours).count();
                    ours.is_subset(&theirs)
                } else {
                    ours == theirs
                };
                total.packages += 1;
                total.refused += theirs.len();
                if !is_same {
                    total.different += 1;
                    if total.different <= asked.show {
                        show(&root, answer, *release, &ours, &theirs);
                    }
                }
            }
        }
    }
    let mut is_same = true;
    for (release, total) in &totals {
        println!(
            "types, {release}: {} packages with {} markers that do not fit, {} of them at types of another module that are \
             not told: {} differ",
            total.packages, total.refused, total.unknown, total.different
        );
        is_same &= total.different == 0 && total.packages > 0;
    }
    Ok(is_same)
}

fn ask(oracle: &Path, root: &Path) -> anyhow::Result<Vec<Answer>> {
    let output = Command::new(oracle)
        .arg("types")
        .arg(root)
        .env("GOFLAGS", "-mod=mod")
        .output()?;
    if !output.status.success() {
        bail!("the oracle fails: {}", String::from_utf8_lossy(&output.stderr));
    }
    let lines = String::from_utf8(output.stdout)?;
    lines
        .lines()
        .map(|it| serde_json::from_str(it).with_context(|| it.to_owned()))
        .collect()
}

/// Our answer for a package in the oracle's format.
fn ours(root: &Path, package: &str, release: Release) -> anyhow::Result<BTreeSet<String>> {
    let module = Module::new(root.to_owned(), std::sync::Arc::new(Disk));
    let known = Known {
        release,
        declared: &Declared::default(),
        meant: |_, _| None,
    };
    let mut all = BTreeSet::new();
    for (name, _) in Disk.list(&root.join(package)) {
        let path = root.join(package).join(&name);
        let text = fs::read_to_string(&path)?;
        let comments = check::read(&text);
        for finding in fit::find(&comments, &path, Some(&module), &known) {
            if let Some(words) = words(&finding) {
                all.insert(format!("{name}:{} {words}", declared_on(&text, finding.span.start)));
            }
        }
    }
    Ok(all)
}

/// The line of the declaration below a marker.
fn declared_on(text: &str, marker: usize) -> usize {
    let first = text[..marker].matches('\n').count();
    let is_code = |it: &&str| !it.trim_start().starts_with("//") && !it.trim().is_empty();
    let below = text.lines().skip(first).take_while(|it| !is_code(it)).count();
    first + below + 1
}

/// The start of controller-gen's error.
fn words(finding: &Finding) -> Option<String> {
    let Problem::Mismatched { name, mismatch } = &finding.problem else {
        return None;
    };
    let word = name.rsplit(':').next().unwrap_or_default();
    Some(match mismatch {
        Mismatch::Type { .. } if name == "k8s:enum" => "enum type must".to_owned(),
        Mismatch::Type { .. } | Mismatch::Fraction { .. } => {
            let word = match word {
                "MaxItems" | "maxItems" => "maxitem".to_owned(),
                "listType" | "listMapKey" | "mapType" | "structType" => word.to_owned(),
                _ => word.to_ascii_lowercase(),
            };
            format!("must apply {word}")
        }
        Mismatch::Items { .. } => format!("must apply {name}"),
        Mismatch::Keys => "must apply listMapKey".to_owned(),
        Mismatch::Value { .. } if word == "XValidation" => "invalid reason".to_owned(),
        Mismatch::Value { .. } => format!("must apply {word}"),
        Mismatch::OnField => "k8s:enum must be".to_owned(),
        // The oracle makes schemas, and no CRDs.
        Mismatch::Pair { .. } => return None,
    })
}

/// Prints the differences.
fn show(root: &Path, answer: &Answer, release: Release, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) {
    println!("\ncontroller-gen {release}, package {}", answer.package);
    for it in theirs.difference(ours) {
        println!("  controller-gen refuses {it}");
    }
    for it in ours.difference(theirs) {
        println!("  we refuse {it}");
    }
    for it in answer.other.iter().filter(|it| !it.contains("undefined: ")) {
        println!("  other: {it}");
    }
    for (name, _) in Disk.list(&root.join(&answer.package)) {
        let text = fs::read_to_string(root.join(&answer.package).join(&name)).unwrap_or_default();
        println!("--- {name}");
        for (n, line) in text.lines().enumerate() {
            println!("{:4} {line}", n + 1);
        }
    }
}
