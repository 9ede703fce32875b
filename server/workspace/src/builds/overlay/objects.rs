//! Functions for individual objects of a build, and diagnostics about kustomizations that are not built.

use std::path::PathBuf;

use crd_analyzer_kustomize::{Build, Node, Place, Problem, ProblemKind, Sources, Unknown, Unread};
use crd_analyzer_syntax::{
    paths::lookup,
    tree::{NodeKind, Span},
};

use crate::{
    codes,
    findings::finding::{Class, Finding, Severity},
    index::native,
    kinds, words,
};

/// A file, a document in it, and an item of the document if it is a list.
pub(super) type Key = (PathBuf, usize, Option<usize>);

/// The diagnostic about a kustomization that cannot be built. `is_as_is` means that no tool creates missing files before the build.
pub(super) fn told(problem: &Problem, sources: &Sources, is_as_is: bool) -> Option<(Place, Finding)> {
    let place = problem.place?;
    let fails = match problem.kind {
        // None of the kustomization's objects can reach an API server.
        ProblemKind::Fails => true,
        ProblemKind::Missing => is_as_is,
        _ => false,
    };
    let mut finding = if fails {
        failure(&problem.message)
    } else {
        let headline = format!("the kustomization is not built: {}", problem.message);
        let headline = words::clip(&headline, 100);
        Finding::new(Class::Hint, codes::KUSTOMIZE_NOT_BUILT, Span::default(), headline)
    };
    if fails && problem.kind == ProblemKind::Missing {
        finding.notes.push(AS_IS.to_owned());
    }
    if let Some(unknown) = &problem.unknown {
        propose(&mut finding, unknown);
    }
    if let Some(part) = problem.part {
        finding.span = sources.span_of_part(place, part);
    }
    Some((place, finding))
}

/// Adds the word that is meant to a finding.
pub(super) fn propose(finding: &mut Finding, Unknown { word, known }: &Unknown) {
    // Every other letter resembles a word of one letter.
    let meant = || words::meant::meant(word, known.iter().map(AsRef::as_ref));
    if let Some(meant) = (word.len() > 1).then(meant).flatten() {
        finding.label = Some(format!("did you mean `{meant}`?"));
        finding.help = vec![format!("change `{}` to `{meant}`", words::clip(word, 60))];
        finding.meant = Some(meant.to_owned());
    }
}

/// The reason why a missing file is an error.
const AS_IS: &str = "Flux builds the repository as it is: no tool creates the file first";

/// The error about a resource that does not exist.
fn missing(path: &str) -> Finding {
    let path = words::clip_path(path, 48);
    failure(&format!("the file or folder `{path}` does not exist"))
}

/// The maximum length of an error of kustomize in a note, in characters.
const LONGEST_NOTE: usize = 400;

/// The finding for an error of kustomize.
pub(super) fn failure(message: &str) -> Finding {
    let whole = format!("kustomize fails: {message}");
    let headline = words::clip(&whole, words::MAX_HEADLINE);
    let is_cut = headline.len() < whole.len();
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_FAILURE, Span::default(), headline);
    finding.severity = Severity::Error;
    if is_cut {
        // The end often says what helps.
        finding.notes.push(words::clip(message, LONGEST_NOTE));
    }
    finding
}

/// The diagnostic about a part of a kustomization that crd-analyzer does not read. The other objects are still built.
pub(super) fn told_unread(unread: &Unread, is_as_is: bool) -> Finding {
    let (headline, note) = match unread {
        Unread::Missing(path, like) => {
            let mut finding = missing(path);
            let unknown = Unknown {
                word: path.as_str().into(),
                known: like.clone(),
            };
            propose(&mut finding, &unknown);
            return finding;
        }
        Unread::Awaited(path) if is_as_is => {
            let mut finding = missing(path);
            finding.notes.push(AS_IS.to_owned());
            return finding;
        }
        Unread::Remote(url) => (
            format!("crd-analyzer does not read the remote base `{}`", words::clip(url, 60)),
            "crd-analyzer downloads nothing: patched objects of the base are checked in part",
        ),
        Unread::RemoteFile(url) => (
            format!("crd-analyzer does not download `{}`", words::clip(url, 60)),
            "crd-analyzer does not check the object from it: the other resources are checked",
        ),
        Unread::Awaited(path) => (
            format!("the file or folder `{}` does not exist", words::clip_path(path, 60)),
            "kustomize needs it: a program of the repository seems to create it first; crd-analyzer checks the other resources",
        ),
        Unread::Refused(path, why) => (
            format!("`{}` is not read: {}", words::clip_path(path, 50), words::clip(why, 30)),
            "the other resources are checked",
        ),
        Unread::Made(field, kind) => (
            match kind {
                None => format!("crd-analyzer does not check the objects from `{field}`"),
                Some(kind) => format!(
                    "crd-analyzer does not check the objects from the generator `{}`",
                    words::clip(kind, 40)
                ),
            },
            "crd-analyzer runs neither Helm nor plugins: the other resources are checked",
        ),
    };
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_NOT_BUILT, Span::default(), headline);
    finding.notes.push(note.to_owned());
    finding
}

/// Whether objects of this kind are checked.
pub(super) fn is_judged(object: &Node) -> bool {
    let text = |name| object.at(&[name]).and_then(Node::as_str);
    let version = text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |it| it.0);
    let is_of_row = || text("kind").is_some_and(|kind| kinds::of(version, kind).is_some());
    group == "apiextensions.k8s.io" || !native::is_native(group) || is_of_row()
}

/// The files with objects that a failed build may have changed. The other objects are known, as they are written.
pub(super) fn changed_files<'b>(build: &'b Build, sources: &'b Sources) -> impl Iterator<Item = PathBuf> + 'b {
    let may_be_changed = |it: &&Place| {
        let (tree, node) = sources.tree(**it);
        let kind = lookup(tree, tree.resolve(node), "kind");
        kind.is_none_or(|it| build.changes.may_be_of(&tree.scalar(tree.resolve(it.value))))
    };
    let changed = build.taken.iter().filter(may_be_changed);
    changed.map(|it| sources.document(*it).0.to_path_buf())
}

/// The document and item of an object, or `None` if the object is generated.
pub(super) fn key(sources: &Sources, origin: Place) -> Option<Key> {
    let (path, index) = sources.document(origin);
    let (tree, node) = sources.tree(origin);
    if sources.is_inside(origin) {
        return None;
    }
    let item = match tree.parent(node) {
        None => None,
        Some(list) if matches!(tree.kind(list), NodeKind::Sequence(_)) => {
            let is_of_list = tree.parent(list).and_then(|it| tree.parent(it)).is_none();
            Some(tree.position(node)).filter(|_| is_of_list).map(Some)?
        }
        Some(_) => return None,
    };
    Some((path.to_path_buf(), index as usize, item))
}
