//! `check --since`: the files that have changed since a git revision, and the files whose result depends on a change.
//!
//! The dependencies come from the run itself: kustomizations name files, and resources have kinds. If the effect of a change is unknown, all files
//! are checked. An example is a Makefile that defines where a generator writes.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_io::{
    absolute::absolute,
    elsewhere::{Elsewhere as _, Listed},
    git::Revision,
    kustomize::{Disk, may_be_test},
    print::tell,
    read::{self, Access},
    roots,
    walk::{self, Hidden, Links},
};
use crd_analyzer_workspace::{
    builds::{
        flux::Flux,
        overlay::{Graph, Overlays, is_kustomization},
    },
    config::is_config,
    index::{Definitions as _, GroupKind, Index, NewFile, Object, Origin, lock, may_decide, objects},
    roles::generated_into,
    wrappers::{self, Part},
};

use crate::{
    cli::definitions::RunCrds,
    input::{self, Input, Source},
    output::counted,
};

/// The files that a change affects.
enum Reach {
    /// All files, because this file has changed.
    All(PathBuf),
    /// These files, by absolute path.
    Files(BTreeSet<PathBuf>),
}

/// The changed files, and the files and kinds that depend on them.
#[derive(Default)]
struct Changes {
    /// The changed files.
    files: BTreeSet<PathBuf>,
    /// The folders whose files, at any depth, depend on a change.
    folders: BTreeSet<PathBuf>,
    /// The changed files that hold nothing but whole CRDs, the same before and now.
    crds: BTreeSet<PathBuf>,
    /// The files that kustomizations name now or named before beside `crds`.
    beside_crds: BTreeSet<PathBuf>,
    /// The kinds whose CRDs have changed.
    kinds: BTreeSet<GroupKind>,
    /// The files that a kustomization with a changed file names now or named before.
    named: BTreeSet<PathBuf>,
    /// Whether a Go file has changed. A CRD may be generated from a changed Go file.
    has_go: bool,
    /// A changed ConfigMap. Flux may substitute values from a ConfigMap.
    config_map: Option<PathBuf>,
    /// A changed file that affects all files.
    all: Option<PathBuf>,
}

/// A file with its old and its new content.
struct Change {
    path: PathBuf,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

/// Keeps only the inputs that have changed since a revision or depend on a change, and prints a note about it.
pub(super) fn leave_out(
    inputs: &mut Vec<Input>,
    paths: &[PathBuf],
    revision: &Arc<Revision>,
    known: (&RunCrds, &Overlays),
) -> anyhow::Result<()> {
    let all = inputs.len();
    let since = revision.shown_name();
    match reach(inputs, paths, revision, known)? {
        Reach::All(because) => {
            let current = std::env::current_dir().unwrap_or_default();
            let because = because.strip_prefix(current).unwrap_or(&because).display();
            tell(format_args!(
                "note: all files are checked: {because} has changed since {since}, and may decide about each of them"
            ));
        }
        Reach::Files(reached) => {
            // Standard input is always checked.
            let is_reached = |it: &Input| it.place().is_ok_and(|it| reached.contains(&it));
            inputs.retain(|it| matches!(it.source, Source::Stdin(_)) || is_reached(it));
            let (left, of) = (inputs.len(), counted(all, "file"));
            tell(format_args!(
                "note: {left} of {of}: changed since {since}, or dependent on what has changed"
            ));
        }
    }
    Ok(())
}

/// The files of a run that the changes since a revision affect.
fn reach(
    inputs: &[Input],
    paths: &[PathBuf],
    revision: &Arc<Revision>,
    (known, overlays): (&RunCrds, &Overlays),
) -> anyhow::Result<Reach> {
    let mut changes = Changes::default();
    for root in repositories(paths)? {
        changes.find(&root, revision)?;
    }
    if let Some(all) = changes.all {
        return Ok(Reach::All(all));
    }
    if let Some(map) = changes
        .config_map
        .take()
        .filter(|_| known.flux_files().has_kustomizations())
    {
        return Ok(Reach::All(map));
    }
    let mut reached = changes.files.clone();
    let (crds, others): (BTreeSet<_>, BTreeSet<_>) =
        changes.files.iter().cloned().partition(|it| changes.crds.contains(it));
    reached.extend(overlays.beside(&others));
    reached.append(&mut changes.named);
    // Many changed CRDs may have the same files beside them.
    let mut beside = std::mem::take(&mut changes.beside_crds);
    beside.extend(overlays.beside(&crds));
    reached.extend(beside.into_iter().filter(|it| may_change_crds(it)));
    let mut resources = BTreeSet::new();
    for input in inputs {
        let place = input.place()?;
        if !reached.contains(&place) && changes.reaches(input, &place, known) {
            resources.insert(place);
        }
    }
    // What patches and other files of a build put into these resources is checked again, too.
    if !changes.kinds.is_empty() || changes.has_go {
        let beside = overlays.beside(&resources);
        reached.extend(beside.into_iter().filter(|it| changes.may_change_resources(it, known)));
    }
    reached.append(&mut resources);
    Ok(Reach::Files(reached))
}

/// The repositories that contain the given paths.
fn repositories(paths: &[PathBuf]) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for path in paths.iter().filter(|it| it.as_os_str() != "-") {
        let path = absolute(path)?;
        let folder = path.ancestors().find(|it| read::is_folder(it)).unwrap_or(&path);
        found.insert(roots::repository(folder).unwrap_or_else(|| folder.to_owned()));
    }
    Ok(found)
}

impl Change {
    /// Whether the file holds nothing but whole CRDs, the same before and now. In a build, such a change affects no other objects, except by their kinds.
    fn are_crds(&self) -> bool {
        let defined = |bytes: &Option<Vec<u8>>| -> Option<Vec<GroupKind>> {
            let (_, objects) = objects(bytes.clone().filter(|it| may_decide(it))?);
            let of = |it: Object| it.defines.filter(|_| it.written.is_crd() && it.lacks.is_whole());
            objects.into_iter().map(of).collect()
        };
        let (old, new) = (defined(&self.old), defined(&self.new));
        old.as_ref().is_some_and(|it| !it.is_empty()) && old == new
    }
}

/// Whether a file of a build may change its CRDs: a kustomization, or a file without objects, such as a JSON patch.
fn may_change_crds(file: &Path) -> bool {
    is_kustomization(file) || read::found(file).is_ok_and(|it| objects(it).1.is_empty())
}

/// Whether an object contains others as text, such as the examples of a ClusterServiceVersion.
fn has_objects_in_text(object: &Object) -> bool {
    let (api_version, kind) = (&object.written.api_version, &object.written.kind);
    let row = wrappers::of(api_version, kind);
    row.is_some_and(|it| it.places.iter().any(|it| it.path.contains(&Part::Text)))
}

impl Changes {
    /// Adds the changes of a repository.
    fn find(&mut self, root: &Path, revision: &Arc<Revision>) -> anyhow::Result<()> {
        let before = Access::Elsewhere(revision.clone());
        let now = input::found_in(root);
        let mut all = BTreeSet::new();
        // The walk asks with names, but some folders do not matter either.
        let walked = walk::files(root, &Links::Skip, Hidden::Tracked, may_matter).files;
        all.extend(walked.into_iter().filter(|it| may_matter(it)));
        let Listed { files, links } = revision.files(root, &may_matter).map_err(anyhow::Error::msg)?;
        let there: BTreeSet<PathBuf> = files.into_iter().collect();
        all.extend(there.iter().cloned().chain(links));
        all.extend(locked(&all, root, &now));
        let (old_builds, new_builds) = (builds(&all, &before), builds(&all, &now));
        for path in all {
            let old = target(&path, &there, revision).and_then(|it| read::bytes(&it, &before, read::NAMED_BYTES).ok());
            let new = read::bytes(&path, &now, now.manifest_bytes()).ok();
            if old == new {
                continue;
            }
            let change = Change { path, old, new };
            let beside = if change.are_crds() {
                self.crds.insert(change.path.clone());
                &mut self.beside_crds
            } else {
                &mut self.named
            };
            for graph in [&old_builds, &new_builds] {
                beside.extend(graph.beside(&change.path));
            }
            self.add(&change);
        }
        Ok(())
    }

    fn add(&mut self, change: &Change) {
        let Change { path, old, new } = change;
        let folder = path.parent().unwrap_or(path);
        let texts = [old, new].map(|it| it.as_deref().map(String::from_utf8_lossy).unwrap_or_default());
        let has = |sign: &str| texts.iter().any(|it| it.contains(sign));
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        self.files.insert(path.clone());
        if name == ".gitattributes" || name == ".sourceignore" || has("MutatingWebhookConfiguration") {
            self.all.get_or_insert_with(|| path.clone());
        }
        if is_config(path) || is_kustomization(path) || is_of_chart(name) || may_be_test(path) || name == "modules.txt"
        {
            self.folders.insert(folder.to_owned());
        }
        if lock::is_lock(path) {
            return self.add_lock(change);
        }
        if path.extension().is_some_and(|it| it == "go" || it == "mod") {
            // Go tests name manifests that the API server should reject. Other Go files name files that they read.
            self.folders.insert(folder.to_owned());
            self.has_go |= !name.ends_with("_test.go");
            return;
        }
        if !walk::is_manifest(path) {
            let [old, new] = &texts;
            if generated_into(old) != generated_into(new) {
                self.all.get_or_insert_with(|| path.clone());
            }
            // A script may write versions into the files beside it.
            if has("apiVersion") {
                self.folders.insert(folder.to_owned());
            }
            return;
        }
        if texts.iter().any(|it| Flux::is_in(it)) {
            self.all.get_or_insert_with(|| path.clone());
        }
        if self.config_map.is_none() && texts.iter().any(|it| Flux::may_be_config_map(it)) {
            self.config_map = Some(path.clone());
        }
        self.add_kinds(change);
    }

    /// Adds the kinds whose CRDs the change adds, removes or modifies.
    fn add_kinds(&mut self, change: &Change) {
        let mut index = Index::default();
        let mut put = |bytes: &Option<Vec<u8>>| match bytes.as_ref().filter(|it| may_decide(it)) {
            Some(bytes) => {
                let (text, objects) = objects(bytes.clone());
                index.set(&NewFile {
                    path: &change.path,
                    origin: Origin::Workspace,
                    text: &text,
                    objects: &objects,
                    keep_text: true,
                })
            }
            None => index.remove(&change.path),
        };
        // Index the old version first, so that the index returns only the differences.
        put(&change.old);
        self.kinds.extend(put(&change.new));
    }

    /// Adds the kinds whose lock entries have changed.
    fn add_lock(&mut self, change: &Change) {
        let lock = |it: &Option<Vec<u8>>| {
            let text = it.as_deref().map(String::from_utf8_lossy);
            lock::Lock::parse(&text.unwrap_or_default())
        };
        let (old, new) = (lock(&change.old), lock(&change.new));
        for (name, it) in old.crds.iter().chain(&new.crds) {
            if old.crds.get(name) != new.crds.get(name) {
                self.kinds.insert(lock::defines(name, &it.kind));
            }
        }
    }

    /// Whether a file of a build may change resources of a changed kind. A file with resources of other kinds does not.
    fn may_change_resources(&self, file: &Path, known: &RunCrds) -> bool {
        let Ok(bytes) = read::found(file) else { return false };
        let (text, objects) = objects(bytes);
        let may_change = |it: &Object| {
            let is_resource = |it: GroupKind| !self.kinds.contains(&it) && known.find(&it, file).is_some();
            !it.written.is_crd() && !it.group_kind().is_some_and(is_resource)
        };
        is_kustomization(file) || objects.is_empty() || Flux::is_in(&text) || objects.iter().any(may_change)
    }

    /// Whether a change affects a file of the run.
    fn reaches(&self, input: &Input, place: &Path, known: &RunCrds) -> bool {
        // Standard input is always checked.
        let Source::File(path, access) = &input.source else {
            return true;
        };
        let mut around = place.ancestors().skip(1);
        if around.any(|it| self.folders.contains(it)) {
            return true;
        }
        let is_go = place.extension().is_some_and(|it| it == "go");
        if is_go {
            return self.has_go;
        }
        if self.kinds.is_empty() && !self.has_go {
            return false;
        }
        // An unreadable file is kept, because the check reports it.
        let Ok(bytes) = read::bytes(path, access, access.manifest_bytes()) else {
            return true;
        };
        let (_, objects) = objects(bytes);
        objects.iter().any(|it| {
            let is_of = |kind: &GroupKind| self.kinds.contains(kind);
            // A kind without a CRD may be a misspelling of a changed kind.
            let is_near = |kind: &GroupKind| {
                let mut near = self.kinds.iter();
                near.any(|it| it.group == kind.group || it.kind == kind.kind) && known.find(kind, place).is_none()
            };
            if it.written.is_crd() {
                return self.has_go || it.defines.as_ref().is_none_or(is_of);
            }
            let kind = it.group_kind();
            kind.is_some_and(|it| is_of(&it) || is_near(&it) || it.group == POLICIES) || has_objects_in_text(it)
        })
    }
}

/// The lock files of a repository and the CRDs in the same folders. The file walk skips these CRDs.
fn locked(files: &BTreeSet<PathBuf>, root: &Path, access: &Access) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> = files.iter().flat_map(|it| it.ancestors().skip(1)).collect();
    let folders = folders.into_iter().filter(|it| it.starts_with(root));
    let kept = folders.map(|it| it.join(lock::FOLDER)).filter(|it| read::exists(it));
    let files_in = |it: &Path| read::files_in(it, &input::roots(access));
    kept.flat_map(|it| [files_in(&it), files_in(&it.join(lock::CRDS))].concat())
        .collect()
}

/// The file that a path leads to in a revision, through symbolic links. `there` has the files of the revision.
fn target(path: &Path, there: &BTreeSet<PathBuf>, revision: &Revision) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if there.contains(&path) {
            return Some(path);
        }
        let Some(link) = revision.link(&path).ok()? else {
            return Some(path);
        };
        path = roots::cleaned(&path.parent()?.join(link));
    }
    None
}

/// The maximum number of symbolic links that lead to a file.
const MOST_LINKS: usize = 8;

/// The graph of the files that kustomizations refer to.
fn builds(files: &BTreeSet<PathBuf>, access: &Access) -> Graph {
    let disk = Disk::new(access.clone());
    let mut graph = Graph::default();
    for folder in files
        .iter()
        .filter(|it| is_kustomization(it))
        .filter_map(|it| it.parent())
    {
        graph.read(folder, &disk);
    }
    graph
}

/// The group of admission policies, which may apply to any kind.
const POLICIES: &str = "admissionregistration.k8s.io";

/// Whether a file with this name may affect the Helm templates in its folder.
fn is_of_chart(name: &str) -> bool {
    name == "Chart.yaml" || name.starts_with("values") || name.starts_with('_')
}

/// Whether the result of a manifest may depend on this file, judging by the name of the file. Images and programs do not matter.
fn may_matter(path: &Path) -> bool {
    const ENDINGS: [&str; 9] = ["bash", "env", "go", "lock", "mk", "mod", "properties", "sh", "tpl"];
    if walk::is_manifest(path) || path.ends_with("modules.txt") {
        return true;
    }
    // A change in vendored sources always comes with a change in `go.mod`.
    let is_vendored = path.extension().is_some_and(|it| it == "go") && path.iter().any(|it| it == "vendor");
    let ending = path.extension().and_then(|it| it.to_str());
    !is_vendored && ending.is_none_or(|it| ENDINGS.contains(&it))
}
