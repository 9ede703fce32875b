//! `crd-analyzer crds add`: copies CRDs into the repository.

use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use crd_analyzer_cluster::Prompts;
use crd_analyzer_compat::{Change, missing_in_older};
use crd_analyzer_io::{
    print::{Terminal, tell},
    read, roots,
    write::{OutputFolder, Unwritten},
};
use crd_analyzer_workspace::{
    config::excluded::Excluded,
    index::{
        collect::{Collected, Collection, LeftOut, Other},
        lock::{self, Locked},
    },
};

use super::{Place, lock_in, shown, sources};
use crate::{
    cli::{
        Replacing, Status, UsageError,
        compat::{self, ChangedCrds},
        manifests::Settings,
    },
    input,
    output::{
        self,
        compat::{Compared, short_path},
        counted, listed, unwritten,
    },
};

/// Copy CRDs into the repository, and tell what changes with those that it has.
///
/// A source is a file, a folder, a chart or another archive (`.tgz`), `REVISION:PATH` for a file or folder of a git revision, or `-` for standard
/// input. Of several CRDs of one name, the one that a generator writes is taken, then the one of a chart. Copies of releases, of documentation
/// and of tests are left out. Nothing is downloaded.
///
/// For a CRD that the repository has in other words, `crd-analyzer compat` tells what the new one changes. A CRD that is older than the one in
/// the repository is left out: it lacks versions or fields, and has none that are new. The exit code is then 1.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Where the CRDs are.
    #[arg(required_unless_present = "from_cluster", value_name = "SOURCE")]
    sources: Vec<String>,

    /// Add the CRDs of the cluster of this kubeconfig context (default: the current context), which `kubectl` lists.
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    from_cluster: Option<String>,

    /// Add only CRDs whose names match: `'*.cert-manager.io'`. Can be given several times.
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,

    /// Print what would change, and write nothing. The exit code is 1 if something would change.
    #[arg(long)]
    dry_run: bool,

    /// Also replace CRDs by older ones.
    #[arg(long)]
    replace_newer: bool,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    replacing: Replacing,
}

/// The maximum number of skipped CRDs to name for each reason.
const MOST_NAMED: usize = 5;

/// A CRD to add, and the CRD that the repository has now.
struct Added {
    name: String,
    new: Collected,
    old: Option<String>,
}

impl Added {
    fn is_changed(&self) -> bool {
        self.old.as_ref().is_some_and(|old| *old != self.new.text)
    }

    fn is_unchanged(&self) -> bool {
        self.old.as_ref() == Some(&self.new.text)
    }

    fn texts(&self) -> compat::Texts {
        compat::Texts {
            label: input::label(&lock::file_of(&self.name)),
            old: self.old.clone().unwrap_or_default().into_bytes(),
            new_label: self.new.path.display().to_string(),
            new: self.new.text.clone().into_bytes(),
        }
    }
}

/// Leaves out the CRDs that are older than those in the repository. Returns a note about each.
fn leave_out_older(added: &mut Vec<Added>, changes: &mut Vec<Compared<'_>>) -> Vec<String> {
    let older: BTreeMap<String, String> = changes
        .iter()
        .filter_map(|it| Some((it.name.clone(), missing(&it.changes)?)))
        .collect();
    let mut notes = Vec::new();
    added.retain(|it| {
        let Some(missing) = older.get(&it.name) else {
            return true;
        };
        notes.push(format!(
            "kept: {}: the CRD from {} is older: it lacks {missing}, and has no new field; `--replace-newer` adds it",
            it.name,
            it.new.path.display()
        ));
        false
    });
    changes.retain(|it| !older.contains_key(&it.name));
    notes
}

/// Names what an older CRD lacks. `None` if it is not older.
fn missing(changes: &[Change]) -> Option<String> {
    let missing = missing_in_older(changes);
    let named = missing.iter().map(|it| {
        let version = it.version.as_deref().unwrap_or_default();
        if it.is_of_version() {
            format!("the version {version}")
        } else {
            format!("`{}` of {version}", short_path(&it.path()))
        }
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| listed(named.iter().map(String::as_str), MOST_NAMED, "field"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    Settings::default().start_threads()?;
    let folder = args.place.folder()?;
    let (found, left_out) = collect(args)?;
    tell_left_out(&left_out);
    if found.is_empty() {
        let what = if left_out.is_empty() {
            "no CRD was found"
        } else {
            "all CRDs are left out"
        };
        return Err(UsageError(format!("nothing to add: {what}")).into());
    }
    let before = lock_in(&folder)?;
    if let Some(before) = &before {
        before
            .problems()
            .for_each(|it| tell(format_args!("note: {it}; the line is left out")));
    }
    let access = input::found_in(&folder);
    let mut lock = before.map(|it| it.lock).unwrap_or_default();
    let lock_before = read::text(&lock_path(&folder), &access, lock::MOST_BYTES).unwrap_or_default();
    let mut added = Vec::with_capacity(found.len());
    for (name, new) in found {
        let path = folder.join(lock::file_of(&name));
        let old = match read::bytes(&path, &access, read::FOUND_BYTES) {
            Ok(old) => Some(String::from_utf8_lossy(&old).into_owned()),
            Err(why) if why.is_missing() => None,
            Err(why) => anyhow::bail!("cannot read {}: {why}", input::label(&path)),
        };
        added.push(Added { name, new, old });
    }
    let changed = ChangedCrds::read(added.iter().filter(|it| it.is_changed()).map(Added::texts).collect());
    let mut changes = changed.compared();
    let kept = if args.replace_newer {
        Vec::new()
    } else {
        leave_out_older(&mut added, &mut changes)
    };
    for it in &added {
        lock.crds.insert(it.name.clone(), locked(&it.new));
    }
    if lock.crds.len() > lock::MOST_CRDS {
        return Err(UsageError(format!("a lock lists {} CRDs at most", lock::MOST_CRDS)).into());
    }
    tell_equals(&added);
    let text = lock.text();
    let is_same = text == lock_before && added.iter().all(Added::is_unchanged);
    show(args, &folder, (&added, &kept), |out, columns| {
        changed.print(out, columns, changes)
    })?;
    if args.dry_run {
        let is_same = is_same && kept.is_empty();
        return Ok(if is_same { Status::Clean } else { Status::Findings });
    }
    if !is_same {
        write(args, &folder, &added, &text)?;
    }
    Ok(if kept.is_empty() {
        Status::Clean
    } else {
        Status::Findings
    })
}

type Found = (BTreeMap<String, Collected>, Vec<Other>);

/// Collects the CRDs of the sources, and the CRDs that are skipped.
fn collect(args: &Args) -> anyhow::Result<Found> {
    let root = Path::new("/");
    let only = Excluded::new("--only", &args.only, root.to_owned()).map_err(|why| UsageError(why.to_string()))?;
    let mut collection = Collection::default();
    if let Some(context) = &args.from_cluster {
        // If standard input contains the manifest, kubectl must not prompt, because it would read the manifest as the password.
        let reads_stdin = args.sources.iter().any(|it| it == "-");
        let prompts = if reads_stdin { Prompts::Never } else { Prompts::Allowed };
        sources::add_cluster(context, prompts, &mut collection)?;
    }
    for source in &args.sources {
        sources::add(source, &mut collection)?;
    }
    let (mut found, mut left_out) = collection.end();
    let is_meant = |name: &str| args.only.is_empty() || only.covers(&root.join(name));
    found.retain(|name, _| is_meant(name));
    left_out.retain(|it| is_meant(&it.name));
    Ok((found, left_out))
}

fn lock_path(folder: &Path) -> PathBuf {
    folder.join(lock::FOLDER).join(lock::FILE_NAME)
}

fn locked(crd: &Collected) -> Locked {
    Locked {
        kind: crd.defines.kind.clone(),
        bytes: crd.text.len() as u32,
        sha256: lock::sha256(crd.text.as_bytes()),
        source: lock::source(&crd.path.display().to_string()),
    }
}

/// Prints the skipped CRDs and the reasons.
fn tell_left_out(left_out: &[Other]) {
    let mut by_reason: BTreeMap<LeftOut, Vec<String>> = BTreeMap::new();
    for Other { why, name, path } in left_out {
        let name = if name.is_empty() { "a CRD without a name" } else { name };
        let shown = format!("{name} in {}", path.display());
        by_reason.entry(*why).or_default().push(shown);
    }
    for (why, names) in by_reason {
        let are = if names.len() == 1 { "is" } else { "are" };
        let what = listed(names.iter().map(String::as_str), MOST_NAMED, "CRD");
        tell(format_args!("note: {what} {are} left out: {}", why.words()));
    }
}

/// Prints a note for each CRD that another source also contains, if neither takes precedence.
fn tell_equals(added: &[Added]) {
    for it in added {
        if let Some(other) = &it.new.equal {
            tell(format_args!(
                "note: {} is taken from {}; {} has another one: name one of them to choose it",
                it.name,
                it.new.path.display(),
                other.display()
            ));
        }
    }
}

/// Prints the new CRDs, and the effects of changes to existing ones with `print_changes`.
fn show(
    args: &Args,
    folder: &Path,
    (added, kept): (&[Added], &[String]),
    print_changes: impl FnOnce(&mut dyn io::Write, usize) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let stdout = io::stdout();
    let columns = output::columns(&stdout);
    let mut out = BufWriter::new(stdout);
    let mut terminal = Terminal::new(&mut out, false);
    for it in added.iter().filter(|it| it.old.is_none()) {
        let Collected { defines, path, .. } = &it.new;
        terminal.line(format_args!(
            "new: {} ({}), from {}",
            it.name,
            defines.kind,
            path.display()
        ))?;
    }
    let changed: Vec<&Added> = added.iter().filter(|it| it.is_changed()).collect();
    for it in &changed {
        terminal.line(format_args!("changed: {}, from {}", it.name, it.new.path.display()))?;
    }
    if !changed.is_empty() {
        terminal.blank()?;
        print_changes(&mut out, columns)?;
    }
    let mut terminal = Terminal::new(&mut out, false);
    for note in kept {
        terminal.line(format_args!("{note}"))?;
    }
    let new = added.iter().filter(|it| it.old.is_none()).count();
    let unchanged = added.iter().filter(|it| it.is_unchanged()).count();
    let done = if args.dry_run { "nothing is written" } else { "added" };
    let crds = folder.join(lock::FOLDER).join(lock::CRDS);
    let kept = match kept.len() {
        0 => String::new(),
        kept => format!(", {kept} kept"),
    };
    terminal.line(format_args!(
        "{}: {done}: {} ({new} new, {} changed, {unchanged} unchanged{kept})",
        shown(&crds),
        counted(added.len(), "CRD"),
        changed.len()
    ))?;
    Ok(out.flush()?)
}

/// Writes the CRDs, then the lock. If the run is interrupted before the lock is written, `verify` reports the difference.
fn write(args: &Args, folder: &Path, added: &[Added], lock: &str) -> anyhow::Result<()> {
    let failed = |path: &Path, why: &Unwritten| anyhow::anyhow!(unwritten(&shown(path), why));
    let below = folder.join(lock::FOLDER);
    let output = OutputFolder::open(&below).map_err(|why| failed(&below, &why))?;
    let replaceable = args.replacing.replaceable();
    for it in added.iter().filter(|it| !it.is_unchanged()) {
        let file = lock::file_of(&it.name);
        let name = file.strip_prefix(lock::FOLDER).unwrap_or(&file);
        let written = output.put(name, it.new.text.as_bytes(), replaceable);
        written.map_err(|why| failed(&folder.join(&file), &why))?;
    }
    let written = output.put(Path::new(lock::FILE_NAME), lock.as_bytes(), replaceable);
    written.map_err(|why| failed(&lock_path(folder), &why))?;
    if roots::repository(folder).is_some() {
        tell(format_args!(
            "add {} to git: `check` and editors use what is there",
            shown(&below)
        ));
    }
    Ok(())
}
