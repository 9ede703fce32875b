//! The sources of `crds add`: files, folders, archives, a git revision, a cluster, standard input.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crd_analyzer_cluster::Prompts;
use crd_analyzer_io::{
    archive::{self, Room},
    git,
    print::tell,
    read::{self, Access},
    stdin, walk,
};
use crd_analyzer_workspace::index::{cluster, collect::Collection};

use crate::{
    cli::{UsageError, compat},
    input::{self, Input, Reading},
    output::counted,
};

/// A path as the lock records it: without the folders of the user's machine.
fn named(path: &Path) -> &Path {
    let is_own = path.is_absolute() || path.starts_with("..");
    path.file_name().filter(|_| is_own).map_or(path, Path::new)
}

/// The maximum depth of nested archives. Archives can be nested, because a chart contains its dependencies as archives.
const MOST_NESTED: usize = 3;

/// A path for the content of a file named on the command line. The real name of such a file says nothing about its content.
const NAMED: &str = "crds.yaml";

/// Adds the CRDs of a source, given as on the command line.
pub(super) fn add(source: &str, to: &mut Collection) -> anyhow::Result<()> {
    if source == "-" {
        return add_bytes(stdin::all(read::FOUND_BYTES)?, Path::new("standard input"), to);
    }
    let path = Path::new(source);
    input::not_packages(path)?;
    if !read::exists(path) {
        if source.contains("://") {
            let what = if source.starts_with("oci:") {
                format!("`helm pull {source}` downloads a chart, which is a source")
            } else {
                format!("`curl -L {source} | crd-analyzer crds add -` adds what is there")
            };
            return Err(UsageError(format!("crd-analyzer downloads nothing: {what}")).into());
        }
        if let Some((revision, path)) = compat::of_revision(source)? {
            let reading = Reading {
                revision: Some(&revision),
                ..Reading::default()
            };
            let found = input::collect(std::slice::from_ref(&path), &reading)?;
            return add_files(found.inputs, &path, Path::new(source), to);
        }
        anyhow::bail!("cannot read {source}: it does not exist");
    }
    if read::is_folder(path) {
        let found = input::collect(&[path.to_owned()], &Reading::default())?;
        for it in &found.unreadable {
            it.tell();
        }
        return add_files(found.inputs, path, named(path), to);
    }
    let bytes = read::bytes(path, &Access::Named, read::FOUND_BYTES);
    let bytes = bytes.map_err(|why| anyhow::anyhow!("cannot read {source}: {why}"))?;
    add_bytes(bytes, named(path), to)
}

/// Adds the CRDs that kubectl lists in a cluster. An empty `context` means the current context.
pub(super) fn add_cluster(context: &str, prompts: Prompts, to: &mut Collection) -> anyhow::Result<()> {
    let context = (!context.is_empty()).then_some(context);
    let workspace = std::env::current_dir().ok().and_then(|it| git::root_around(&it));
    let workspace: Vec<PathBuf> = workspace.into_iter().collect();
    let listing = crd_analyzer_cluster::list(context, prompts, &workspace)?;
    let label = PathBuf::from(format!("cluster {}", listing.context));
    for sent in &listing.definitions {
        let (_, text) = cluster::text(sent);
        to.add(&label, Path::new(NAMED), text.into_bytes());
    }
    Ok(())
}

/// Adds the CRDs in the files found at or below a path. The lock records the path as `label`.
fn add_files(inputs: Vec<Input>, path: &Path, label: &Path, to: &mut Collection) -> anyhow::Result<()> {
    for input in inputs {
        let bytes = match input::read(&input.source) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) => {
                input.unreadable(&error).tell();
                continue;
            }
        };
        let place = match input.file() {
            Some((file, _)) => file.to_owned(),
            None => PathBuf::from(&input.label),
        };
        let below = place.strip_prefix(path).ok().filter(|it| !it.as_os_str().is_empty());
        let shown = below.map_or_else(|| label.to_owned(), |it| label.join(it));
        to.add(&shown, below.unwrap_or(Path::new(NAMED)), bytes);
    }
    Ok(())
}

/// Adds the CRDs in bytes, which are a manifest or an archive.
fn add_bytes(bytes: Vec<u8>, label: &Path, to: &mut Collection) -> anyhow::Result<()> {
    if archive::is_gzip(&bytes) {
        return add_archive(&bytes, label, &mut Room::default(), MOST_NESTED, to);
    }
    to.add(label, Path::new(NAMED), bytes);
    Ok(())
}

fn add_archive(bytes: &[u8], label: &Path, room: &mut Room, depth: usize, to: &mut Collection) -> anyhow::Result<()> {
    let is_archive = |it: &str| Path::new(it).extension().is_some_and(|it| it == "tgz");
    let is_wanted = |it: &str| walk::is_manifest(Path::new(it)) || is_archive(it) && it.contains("charts/");
    let found = archive::unpack(bytes, room, &is_wanted);
    let found = found.map_err(|why| anyhow::anyhow!("cannot read {}: {why}", label.display()))?;
    if found.links > 0 {
        let links = counted(found.links, "link");
        let are = if found.links == 1 { "is" } else { "are" };
        tell(format_args!(
            "note: {}: {links} in the archive {are} left out",
            label.display()
        ));
    }
    // The top folder of an archive is named after the project, often with a version.
    let mut tops: BTreeSet<&str> = BTreeSet::new();
    for (path, _) in &found.files {
        tops.insert(path.split_once('/').map_or("", |it| it.0));
    }
    let top = match (tops.len(), tops.first()) {
        (1, Some(top)) if !top.is_empty() => format!("{top}/"),
        _ => String::new(),
    };
    for (path, bytes) in found.files {
        let shown = PathBuf::from(format!("{}:{path}", label.display()));
        if !is_archive(&path) {
            let below = path.strip_prefix(top.as_str()).unwrap_or(&path).to_owned();
            to.add(&shown, Path::new(&below), bytes);
        } else if depth > 1 {
            add_archive(&bytes, &shown, room, depth - 1, to)?;
        } else {
            tell(format_args!(
                "note: {} is left out: archives are nested too deeply",
                shown.display()
            ));
        }
    }
    Ok(())
}
