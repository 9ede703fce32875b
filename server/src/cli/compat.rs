//! `crd-analyzer compat`: reports the effects of a change of a CRD on objects, writers and readers.

mod side;

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;
use crd_analyzer_compat::{Change, Policy, Verdict, added, compare, olm_refusals, removed};
use crd_analyzer_io::{absolute::absolute, git, print::tell, read};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::config::versions::VersionSet;

use super::{
    Status, UsageError, compat_objects,
    exceptions::Exceptions,
    manifests::{Settings, on_pool, one_version},
};
use crate::{
    input::{self, Input, Unreadable},
    output::compat::{self as output, Format, Report},
};
use side::{Crd, Crds, crds};

/// Report what a change of a CRD breaks: stored objects, writers and readers
///
/// Each change gets an answer for each of the three groups:
///   breaks      with an example object that the new CRD rejects or changes
///   compatible  with the reason that proves it
///   unknown     crd-analyzer found neither an example nor a proof
///
/// Exit codes:
///   0  the policy allows all changes
///   1  the policy forbids a change that breaks something
///   2  the command line is wrong
///   3  an answer is unknown, or a file cannot be read
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
#[command(after_help = "Examples:
  crd-analyzer compat config/crd
  crd-analyzer compat old.yaml new.yaml
  crd-analyzer compat v1.4.0:config/crd config/crd --output markdown
  crd-analyzer compat old.yaml new.yaml --objects samples/
  crd-analyzer compat crd.yaml --old-version v1beta1 --new-version v1")]
pub(super) struct Args {
    /// The CRDs before the change: a file, a folder, a glob in quotes, or `REVISION:PATH` for a path in a git revision. Without NEW: the CRDs
    /// after the change, which are compared with the same path in `--old-ref`.
    #[arg(value_name = "OLD")]
    old: String,

    /// The CRDs after the change, in the same forms as OLD.
    #[arg(value_name = "NEW")]
    new: Option<String>,

    /// Without NEW: the git revision to compare with.
    #[arg(long, value_name = "REVISION", default_value = "HEAD", conflicts_with_all = ["new", "old_version"])]
    old_ref: String,

    /// Compare this version of OLD with `--new-version`, as if objects of the old version were read and written in the new version.
    #[arg(long, value_name = "VERSION", requires = "new_version")]
    old_version: Option<String>,

    /// The version of NEW to compare with. Without NEW, a version of OLD.
    #[arg(long, value_name = "VERSION", requires = "old_version")]
    new_version: Option<String>,

    /// The Kubernetes version. Default: the newest.
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<VersionSet>,

    /// The policy that selects which changes are forbidden.
    #[arg(long, value_enum, default_value = "writers")]
    policy: PolicyName,

    /// Allow the changes that this file lists. Each has a reason, and may have an end date.
    #[arg(long, value_name = "FILE")]
    exceptions: Option<String>,

    /// Exit with 0 even if an answer is unknown.
    #[arg(long)]
    allow_unknown: bool,

    /// Also report what happens to the objects in these files and folders, for example whether they are rejected, pruned or tolerated.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    objects: Vec<PathBuf>,

    /// Also report what happens to the objects in a cluster: the one of this kubeconfig context, or of the current context. Without this
    /// option, crd-analyzer never contacts a cluster.
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    from_cluster: Option<String>,

    /// The output format.
    #[arg(short, long, aliases = ["format", "output-format"], value_enum, default_value = "text")]
    output: &'static Format,

    /// Print every change in full, also those that the policy allows. `json` and `jsonl` always do so.
    #[arg(short, long)]
    all: bool,

    #[command(flatten)]
    settings: Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PolicyName {
    /// Forbid changes that break stored objects or clients that write objects. New defaults are allowed.
    Writers,
    /// Forbid changes that break stored objects, writers or readers, and all changed defaults.
    Strict,
    /// Forbid what the Kubernetes API conventions forbid: changed defaults, and changes that break stored objects or writers of beta and stable
    /// versions.
    ApiConventions,
    /// Forbid updates that the Operator Lifecycle Manager (OLM v1) rejects. OLM uses crdify.
    Olm,
}

impl From<PolicyName> for Policy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Writers => Self::Writers,
            PolicyName::Strict => Self::Strict,
            PolicyName::ApiConventions => Self::ApiConventions,
            PolicyName::Olm => Self::Olm,
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Status> {
    for side in [Some(&args.old), args.new.as_ref()].into_iter().flatten() {
        input::not_packages(Path::new(side))?;
        not_revision(side)?;
    }
    args.settings.start_threads()?;
    let kubernetes = one_version(args.kubernetes_version, "CRDs are compared", "for")?;
    let exceptions = match &args.exceptions {
        Some(file) => Exceptions::read(file)?,
        None => Exceptions::default(),
    };
    // The pool's threads have stacks that are large enough for every schema.
    let (old, new) = sides(args)?;
    let (old, new) = rayon::join(|| crds(&old, kubernetes), || crds(&new, kubernetes));
    let (mut old, mut new) = (old?, new?);
    old.unreadable.iter().chain(&new.unreadable).for_each(Unreadable::tell);
    new.tell_left_out();
    for (side, crds) in [("OLD", &old), ("NEW", &new)] {
        // The reason is already reported. If one side is missing, every CRD of the other side would look new or removed.
        if crds.known.is_empty() && crds.is_incomplete() {
            return Ok(Status::Failed);
        }
        if let Some(file) = crds.without_crd.as_ref().filter(|_| crds.known.is_empty()) {
            return Err(UsageError(format!("{side} has no CRD: {file} has other objects")).into());
        }
    }
    if old.known.is_empty() && new.known.is_empty() && !old.is_incomplete() && !new.is_incomplete() {
        return Err(UsageError("neither OLD nor NEW has a CRD".to_owned()).into());
    }
    if let (Some(before), Some(now)) = (&args.old_version, &args.new_version) {
        only_versions(&mut old, &mut new, before, now)?;
    }
    let is_update = args.old_version.is_none();
    let names: Vec<&String> = old
        .known
        .keys()
        .chain(new.known.keys().filter(|it| !old.known.contains_key(*it)))
        .collect();
    let policy = Policy::from(args.policy);
    if policy == Policy::Olm && !is_update {
        let why = "--policy olm compares two revisions of a CRD, not two versions inside a CRD";
        return Err(UsageError(why.to_owned()).into());
    }
    let compared = on_pool(|| {
        names
            .into_iter()
            .map(|name| of_name(&old, &new, name, &exceptions, (policy, is_update)))
            .collect::<Vec<_>>()
    });
    let mut status = if old.is_incomplete() || new.is_incomplete() {
        Status::Failed
    } else {
        Status::Clean
    };
    for it in &compared {
        if let Some(why) = &it.refusal {
            tell(format_args!(
                "note: {}: Kubernetes {kubernetes} rejects this update of the CRD: {why}",
                it.name
            ));
        }
    }
    exceptions.tell_ended();
    exceptions.tell_unused();
    let objects = objects(args, &old, &new)?;
    if objects.as_ref().is_some_and(|it| it.1) {
        status = Status::Failed;
    }
    let objects = objects.map(|it| it.0);
    let verdict = if compared.iter().any(|it| !it.olm.is_empty()) {
        Verdict::Breaks
    } else {
        policy.verdict(compared.iter().flat_map(output::Compared::counted))
    };
    let verdict = objects.as_ref().map_or(verdict, |it| verdict.max(it.verdict(policy)));
    status = status.max(match verdict {
        Verdict::Breaks => Status::Findings,
        // What the API server rejects breaks the rollout, whatever it would do to objects.
        Verdict::Unknown if compared.iter().any(|it| it.refusal.is_some()) => Status::Findings,
        Verdict::Unknown if !args.allow_unknown => Status::Failed,
        Verdict::Unknown | Verdict::Compatible => Status::Clean,
    });
    let report = Report {
        reports: compared,
        objects,
        policy,
        verdict,
        all: args.all,
        is_incomplete: old.is_incomplete() || new.is_incomplete(),
    };
    let stdout = io::stdout();
    let columns = crate::output::columns(&stdout);
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    (args.output.print)(&mut out, columns, &report)?;
    out.flush()?;
    Ok(status)
}

/// Returns an error if an argument is probably a git revision without a path, such as `HEAD~1`.
fn not_revision(side: &str) -> Result<(), UsageError> {
    let is_manifest = |it: &std::ffi::OsStr| it == "yaml" || it == "yml" || it == "json";
    let has_name = side.contains(['/', ':', '*', '?', '\\']) || Path::new(side).extension().is_some_and(is_manifest);
    if side == "-" || has_name || read::exists(Path::new(side)) {
        return Ok(());
    }
    Err(UsageError(format!(
        "`{side}` does not exist; to read a git revision, add the path: `{side}:config/crd/bases`"
    )))
}

/// The effects on objects, and whether any input could not be read. `None` without `--objects` and `--from-cluster`.
fn objects(args: &Args, old: &Crds, new: &Crds) -> anyhow::Result<Option<(output::JudgedObjects, bool)>> {
    if args.objects.is_empty() && args.from_cluster.is_none() {
        return Ok(None);
    }
    let pairs = old.known.iter().map(|(name, old)| {
        let new = new.known.get(name).map(|it| &it.compared.subject);
        (&old.compared.subject, new)
    });
    let pairs: Vec<_> = pairs.collect();
    let asked = compat_objects::Asked {
        paths: &args.objects,
        cluster: args.from_cluster.as_deref(),
        renamed: args.old_version.as_deref().zip(args.new_version.as_deref()),
        settings: &args.settings,
    };
    compat_objects::judge(&asked, &pairs).map(Some)
}

fn of_name<'c>(
    old: &'c Crds,
    new: &'c Crds,
    name: &str,
    exceptions: &'c Exceptions,
    (policy, is_update): (Policy, bool),
) -> output::Compared<'c> {
    let (old, new) = (old.known.get(name), new.known.get(name));
    let changes: Vec<Change> = match (old, new) {
        (Some(old), Some(new)) => compare(&old.compared.subject, &new.compared.subject),
        (Some(old), None) => removed(&old.compared.subject),
        (None, Some(new)) => added(&new.compared.subject),
        (None, None) => Vec::new(),
    };
    let refusal = match (old, new) {
        (Some(old), Some(new)) if is_update => new.compared.refusal_as_update(&old.compared),
        _ => None,
    };
    let olm = match (old, new) {
        (Some(old), Some(new)) if policy == Policy::Olm => olm_refusals(&old.compared.subject, &new.compared.subject),
        _ => Vec::new(),
    };
    output::Compared {
        name: name.to_owned(),
        olm,
        old: old.map(Crd::side),
        new: new.map(Crd::side),
        exceptions: changes.iter().map(|it| exceptions.find(name, it)).collect(),
        changes,
        refusal,
    }
}

/// Reduces each CRD to one version. Skips CRDs without that version, and returns an error if all CRDs lack it.
fn only_versions(old: &mut Crds, new: &mut Crds, before: &str, now: &str) -> anyhow::Result<()> {
    for (crds, version) in [(&mut *old, before), (&mut *new, now)] {
        let all = std::mem::take(&mut crds.known);
        let versions: Vec<String> = all
            .values()
            .flat_map(|it| it.compared.version_names().map(str::to_owned))
            .collect();
        let left = all.into_iter().filter_map(|(name, crd)| {
            let compared = crd.compared.only_version(version, now)?;
            Some((name, Crd { compared, ..crd }))
        });
        crds.known = left.collect();
        if crds.known.is_empty() {
            let why = format!("no CRD has the version `{version}`; there are: {}", versions.join(", "));
            return Err(UsageError(why).into());
        }
    }
    old.known.retain(|name, _| new.known.contains_key(name));
    new.known.retain(|name, _| old.known.contains_key(name));
    if old.known.is_empty() {
        return Err(UsageError(format!("no CRD has both versions, `{before}` and `{now}`")).into());
    }
    for (name, crd) in &new.known {
        if crd.compared.subject.has_webhook() {
            tell(format_args!(
                "note: {name}: crd-analyzer does not call its webhook, and compares as if only `apiVersion` changed"
            ));
        }
    }
    Ok(())
}

/// The arguments for both sides of the comparison.
fn sides(args: &Args) -> anyhow::Result<(String, String)> {
    let old = args.old.clone();
    match &args.new {
        Some(new) => Ok((old, new.clone())),
        // Two versions of the same CRDs are compared.
        None if args.old_version.is_some() => Ok((old.clone(), old)),
        None => {
            let path = absolute(Path::new(&old))?;
            let folder = if read::is_folder(&path) {
                &path
            } else {
                path.parent().unwrap_or(&path)
            };
            if git::root_around(folder).is_none() {
                let why =
                    format!("{old} is not in a git repository: give the CRDs after the change as a second argument");
                return Err(UsageError(why).into());
            }
            let is_from_here = Path::new(&old).is_absolute() || old.starts_with("./") || old.starts_with("../");
            let start = if is_from_here { "" } else { "./" };
            Ok((format!("{}:{start}{old}", args.old_ref), old))
        }
    }
}

/// How `crds add` compares CRDs: as an update, with the default policy.
const POLICY: (Policy, bool) = (Policy::Writers, true);

/// A file with changed CRDs, before and after the change.
pub(super) struct Texts {
    /// The name and content of the file before the change.
    pub(super) label: String,
    pub(super) old: Vec<u8>,
    /// The name and content of the file after the change.
    pub(super) new_label: String,
    pub(super) new: Vec<u8>,
}

/// CRDs that `crds add` changes, before and after.
pub(super) struct ChangedCrds {
    old: Crds,
    new: Crds,
    exceptions: Exceptions,
}

impl ChangedCrds {
    /// Reads the CRDs. Reports those that cannot be compared.
    pub(super) fn read(texts: Vec<Texts>) -> Self {
        let kubernetes = KubernetesVersion::NEWEST;
        let input = |label: String| Input {
            label,
            ..Input::found(PathBuf::new(), read::Access::Named)
        };
        let (mut old, mut new) = (Crds::default(), Crds::default());
        on_pool(|| {
            for it in texts {
                old.add(&input(it.label), it.old, kubernetes);
                new.add(&input(it.new_label), it.new, kubernetes);
            }
        });
        Self {
            old,
            new,
            exceptions: Exceptions::default(),
        }
    }

    /// The changes of each CRD.
    pub(super) fn compared(&self) -> Vec<output::Compared<'_>> {
        on_pool(|| {
            let names = self.new.known.keys().filter(|it| self.old.known.contains_key(*it));
            let compared = names.map(|name| of_name(&self.old, &self.new, name, &self.exceptions, POLICY));
            compared.collect()
        })
    }

    /// Prints the effects of changes as text.
    pub(super) fn print(
        &self,
        out: &mut dyn Write,
        columns: usize,
        reports: Vec<output::Compared<'_>>,
    ) -> anyhow::Result<()> {
        let report = Report {
            verdict: POLICY.0.verdict(reports.iter().flat_map(output::Compared::counted)),
            reports,
            objects: None,
            policy: POLICY.0,
            all: false,
            is_incomplete: self.old.is_incomplete() || self.new.is_incomplete(),
        };
        (output::TEXT.print)(out, columns, &report)?;
        Ok(())
    }
}

/// Parses an argument such as `v1.2.0:config/crd` as a path in a git revision. An existing file with that name takes precedence.
pub(super) fn of_revision(written: &str) -> anyhow::Result<Option<(Arc<git::Revision>, PathBuf)>> {
    let Some((revision, path)) = written.split_once(':') else {
        return Ok(None);
    };
    if revision.is_empty() || path.is_empty() || read::exists(Path::new(written)) || is_drive(revision) {
        return Ok(None);
    }
    let folder = std::env::current_dir()?;
    // As in git, the path is relative to the root of the repository unless it starts with `./` or `../`.
    let path = if path.starts_with("./") || path.starts_with("../") {
        folder.join(path)
    } else {
        git::root_around(&folder).unwrap_or(folder).join(path)
    };
    let revision = git::Revision::new(revision);
    match revision.commit(&path) {
        Err(error) if error.is_of_the_question() => Err(UsageError(format!("{written}: {error}")).into()),
        _ => Ok(Some((Arc::new(revision), path))),
    }
}

fn is_drive(revision: &str) -> bool {
    cfg!(windows) && revision.len() == 1
}
