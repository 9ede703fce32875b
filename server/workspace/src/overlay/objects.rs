//! What is asked of one object of a build, and how reports on the same object are put together.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::{Built, Node, Place, Problem, ProblemKind, Sources, Unread};
use crd_analyzer_syntax::{
    read_json_of,
    tree::{NodeKind, Span},
};

use crate::{
    codes,
    finding::{Class, Finding, Severity},
    index::native,
    report::{DocumentReport, DocumentVerdict},
    words,
};

/// A document of a file, and the item of it if it is a list.
pub(super) type Key = (PathBuf, usize, Option<usize>);

/// What builds say of one object, put together.
#[derive(Default)]
pub(super) struct Merging {
    report: Option<DocumentReport>,
    /// Where each finding is, by Kubernetes version and list, once a second build has said something.
    known: Vec<[HashMap<What, At>; 5]>,
}

/// What a finding says, and where.
type What = (&'static str, (u32, u32), String);

/// A finding in its list.
struct At {
    position: usize,
    /// The builds that say so and are only counted.
    more: usize,
}

/// The findings of one list that are told. Those behind are counted.
const MOST_FINDINGS: usize = 4_000;

/// The builds that are named where they say the same.
const MOST_NAMED: usize = 20;

fn what(finding: &Finding) -> What {
    let span = (finding.span.start, finding.span.end);
    (finding.code, span, finding.headline.clone())
}

fn lists(verdict: &mut DocumentVerdict) -> [&mut Vec<Finding>; 5] {
    [
        &mut verdict.strict,
        &mut verdict.errors,
        &mut verdict.warnings,
        &mut verdict.hints,
        &mut verdict.unfinished,
    ]
}

impl Merging {
    /// Adds what a build says. The object is called as the first build does that the API server refuses.
    pub(super) fn add(&mut self, mut other: DocumentReport) {
        let Some(report) = &mut self.report else {
            self.report = Some(other);
            return;
        };
        if self.known.is_empty() {
            self.known = report.verdicts.iter_mut().map(|it| known(&mut it.1)).collect();
        }
        let is_refused = |it: &DocumentReport| it.verdicts.iter().any(|it| !it.1.accepted_strict());
        if !is_refused(report) && is_refused(&other) {
            report.name.clone_from(&other.name);
        }
        let verdicts = report.verdicts.iter_mut().zip(&mut other.verdicts);
        for (((_, verdict), (_, other)), known) in verdicts.zip(&mut self.known) {
            let mut left_out = 0;
            for ((list, more), known) in lists(verdict).into_iter().zip(lists(other)).zip(known) {
                for finding in more.drain(..) {
                    match known.get_mut(&what(&finding)) {
                        Some(at) => at.add(&mut list[at.position], &finding),
                        None if list.len() < MOST_FINDINGS => {
                            let at = At {
                                position: list.len(),
                                more: 0,
                            };
                            known.insert(what(&finding), at);
                            list.push(finding);
                        }
                        None => left_out += 1,
                    }
                }
            }
            verdict.left_out += left_out;
            verdict.decode_error = verdict.decode_error.take().or(other.decode_error.take());
            verdict.other_error = verdict.other_error.take().or(other.other_error.take());
        }
    }

    /// What all of them say.
    pub(super) fn report(self) -> Option<DocumentReport> {
        let mut report = self.report?;
        for ((_, verdict), known) in report.verdicts.iter_mut().zip(self.known) {
            for (list, known) in lists(verdict).into_iter().zip(known) {
                for at in known.into_values().filter(|it| it.more > 0) {
                    list[at.position].notes.push(format!("and for {} more", at.more));
                }
            }
        }
        Some(report)
    }
}

impl At {
    fn add(&mut self, same: &mut Finding, other: &Finding) {
        let Some(note) = other.notes.last().filter(|it| !same.notes.contains(it)) else {
            return;
        };
        if same.notes.len() < MOST_NAMED {
            same.notes.push(note.clone());
        } else {
            self.more += 1;
        }
    }
}

fn known(verdict: &mut DocumentVerdict) -> [HashMap<What, At>; 5] {
    lists(verdict).map(|list| {
        let mut known = HashMap::new();
        for (position, finding) in list.iter().enumerate() {
            known.entry(what(finding)).or_insert(At { position, more: 0 });
        }
        known
    })
}

/// The diagnostic for a kustomization that cannot be built.
pub(super) fn told(problem: &Problem) -> Option<(Place, Finding)> {
    let place = problem.place?;
    let (code, severity) = match problem.kind {
        // No object of it reaches an API server.
        ProblemKind::Fails => (codes::KUSTOMIZE_FAILURE, Severity::Error),
        _ => (codes::KUSTOMIZE_NOT_BUILT, Severity::Information),
    };
    let headline = match problem.kind {
        ProblemKind::Fails => format!("kustomize fails: {}", problem.message),
        _ => format!("the kustomization is not built: {}", problem.message),
    };
    let headline = words::clip(&headline, 100);
    let mut finding = Finding::new(Class::Hint, code, Span::default(), headline);
    finding.severity = severity;
    Some((place, finding))
}

/// The diagnostic for something that is not read. The objects of the kustomization are those without it.
pub(super) fn told_unread(unread: &Unread) -> Finding {
    let (headline, note) = match unread {
        Unread::Remote(url) => (
            format!("the remote base `{}` is not read", words::clip(url, 60)),
            "crd-analyzer fetches nothing: what is patched in the base is checked in part",
        ),
        Unread::Missing(path) => (
            format!("the file or folder `{}` does not exist", words::clip(path, 60)),
            "kustomize fails, unless something makes it before: the other resources are checked",
        ),
        Unread::Refused(path, why) => (
            format!("`{}` is not read: {}", words::clip(path, 50), words::clip(why, 30)),
            "the other resources are checked",
        ),
        Unread::Made(field) => (
            format!("what `{field}` makes is not checked"),
            "crd-analyzer runs no Helm and no plugins: the other resources are checked",
        ),
    };
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_NOT_BUILT, Span::default(), headline);
    finding.notes.push(note.to_owned());
    finding
}

/// Whether somebody judges objects of this kind.
pub(super) fn is_judged(object: &Node) -> bool {
    let version = object.at(&["apiVersion"]).and_then(Node::as_str);
    let group = version.and_then(|it| it.split_once('/')).map_or("", |it| it.0);
    group == "apiextensions.k8s.io" || !native::is_native(group)
}

/// The document and item that an object is; `None` if it is generated.
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

/// Whether an object is built as it is written.
pub(super) fn is_as_written(sources: &Sources, built: &Built) -> bool {
    let (tree, node) = sources.tree(built.origin);
    let json = read_json_of(tree, node).ok();
    json.as_ref()
        .and_then(|it| it.root())
        .is_some_and(|it| it.to_value() == built.node.to_json())
}

/// The way from one folder to another; `None` if they are the same.
pub(super) fn relative(from: &Path, to: &Path) -> Option<String> {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to
        .components()
        .skip(common)
        .map(|it| it.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}
