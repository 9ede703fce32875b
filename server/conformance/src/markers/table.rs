//! The table of markers, from the markers that each release of controller-gen knows.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};
use crd_analyzer_gosource::check::catalog::Release;

use crate::peers;

/// The last known patch of each minor release.
const RELEASES: [&str; 8] = [
    "0.16.5", "0.17.3", "0.18.0", "0.19.0", "0.20.1", "0.21.0", "0.22.0", "0.23.0",
];

fn path() -> PathBuf {
    peers::root().join("server/gosource/src/check/markers.tsv")
}

/// Compares the table with the markers of the newest release, from an oracle of that release. Returns whether both are the same.
pub(super) fn compare(oracle: &Path) -> anyhow::Result<bool> {
    let theirs = listed(Command::new(oracle).arg("table"))?;
    let table = fs::read_to_string(path())?;
    let ours: BTreeMap<(String, String), String> = table.lines().filter_map(known).collect();
    let mut is_same = true;
    for (place, arguments) in &theirs {
        if ours.get(place) != Some(arguments) {
            println!(
                "{place:?}: controller-gen has {arguments:?}, the table {:?}",
                ours.get(place)
            );
            is_same = false;
        }
    }
    for place in ours.keys().filter(|it| !theirs.contains_key(*it)) {
        println!("{place:?}: only the table has it");
        is_same = false;
    }
    Ok(is_same)
}

/// A row in the format of the newest release's list.
fn known(row: &str) -> Option<((String, String), String)> {
    let cells: Vec<&str> = row.split('\t').collect();
    let [name, target, _, arguments] = cells.as_slice() else {
        return None;
    };
    let arguments: Vec<&str> = arguments
        .split(' ')
        .map(|it| it.split('@').next().unwrap_or_default())
        .collect();
    Some((((*name).to_owned(), (*target).to_owned()), arguments.join(" ")))
}

/// Asks each release for its markers, and writes the table.
pub(super) fn write() -> anyhow::Result<()> {
    let mut since: BTreeMap<(String, String), &str> = BTreeMap::new();
    let mut of_argument: BTreeMap<((String, String), String), &str> = BTreeMap::new();
    let mut last = BTreeMap::new();
    for release in RELEASES {
        let minor = release.rsplit_once('.').context("a release")?.0;
        let listed = of_release(release)?;
        println!("{release}: {} rows", listed.len());
        for (place, arguments) in &listed {
            since.entry(place.clone()).or_insert(minor);
            for argument in arguments.split(' ') {
                of_argument.entry((place.clone(), argument.to_owned())).or_insert(minor);
            }
        }
        last = listed;
    }
    let mut text = String::new();
    for (place, first) in &since {
        let arguments = last
            .get(place)
            .with_context(|| format!("{place:?} is gone: the table cannot say that"))?;
        let shown = arguments.split(' ').map(
            |argument| match of_argument.get(&(place.clone(), argument.to_owned())) {
                Some(since) if since != first => format!("{argument}@{since}"),
                _ => argument.to_owned(),
            },
        );
        let shown = shown.collect::<Vec<_>>().join(" ");
        writeln!(text, "{}\t{}\t{first}\t{shown}", place.0, place.1)?;
    }
    fs::write(path(), text)?;
    Ok(())
}

/// The markers of a release.
fn of_release(release: &str) -> anyhow::Result<BTreeMap<(String, String), String>> {
    listed(Command::new(program(release)?).arg("table"))
}

/// The oracle of each release, or only of the newest one.
pub(super) fn oracles(newest: &Path, is_newest_only: bool) -> anyhow::Result<Vec<(Release, PathBuf)>> {
    let mut oracles = vec![(Release::NEWEST, newest.to_owned())];
    for release in RELEASES.iter().rev().skip(1).filter(|_| !is_newest_only) {
        let minor = release.split('.').nth(1).and_then(|it| it.parse().ok());
        oracles.push((Release(minor.context("a release")?), program(release)?));
    }
    Ok(oracles)
}

/// Builds the oracle with a release.
fn program(release: &str) -> anyhow::Result<PathBuf> {
    let folder = tempfile::tempdir()?;
    for source in ["main.go", "types.go"] {
        let path = peers::root().join("tests/conformance/markers").join(source);
        fs::copy(path, folder.path().join(source))?;
    }
    let module = format!("module markers\n\ngo 1.22\n\nrequire sigs.k8s.io/controller-tools v{release}\n");
    fs::write(folder.path().join("go.mod"), module)?;
    let go = |arguments: &[&str]| Command::new("go").args(arguments).current_dir(folder.path()).output();
    let tidy = go(&["mod", "tidy"])?;
    let is_same = fs::read_to_string(folder.path().join("go.mod"))?.contains(&format!("controller-tools v{release}\n"));
    if !tidy.status.success() || !is_same {
        bail!(
            "controller-gen {release} cannot be built: {}",
            String::from_utf8_lossy(&tidy.stderr)
        );
    }
    let program = peers::out()?.join(format!("markers-{release}"));
    let build = go(&["build", "-p", "2", "-o", &program.to_string_lossy(), "."])?;
    if !build.status.success() {
        bail!(
            "controller-gen {release} cannot be built: {}",
            String::from_utf8_lossy(&build.stderr)
        );
    }
    Ok(program)
}

fn listed(command: &mut Command) -> anyhow::Result<BTreeMap<(String, String), String>> {
    let output = command.output()?;
    if !output.status.success() {
        bail!(
            "the markers are not listed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let text = String::from_utf8(output.stdout)?;
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some(((cells.next()?, cells.next()?), cells.next().unwrap_or_default()))
    };
    Ok(text.lines().filter_map(row).collect())
}
