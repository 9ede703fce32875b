//! Reports objects that are not checked as built, because that would take too much work or memory. The other objects are checked.

use std::fmt::Write as _;

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_budget::Unfinished;
use crd_analyzer_kustomize::{Build, Place, Problem, Sources};
use crd_analyzer_schema::codes;
use crd_analyzer_syntax::tree::Span;

use super::objects::Key;
use crate::{
    config::versions::VersionSet,
    documents::spans,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, DocumentVerdict, Subject},
    judging::verdict,
    words,
};

/// The maximum number of skipped objects that a diagnostic names.
const MOST_NAMED: usize = 5;

/// The diagnostic about a kustomization whose build takes too much work or memory.
pub(super) fn told(problem: &Problem, build: &Build, sources: &Sources) -> Option<(Place, Finding)> {
    let place = problem.place?;
    let count = build.taken.len();
    let names = build.taken.iter().take(MOST_NAMED).map(|it| name(sources, *it));
    let mut names = names.collect::<Vec<_>>().join(", ");
    if count > MOST_NAMED {
        let _ = write!(names, " and {} more", count - MOST_NAMED);
    }
    let message = words::clip(&problem.message, 100);
    let headline = format!("the kustomization is not built: {message}");
    let mut finding = Finding::new(Class::Hint, codes::NOT_FINISHED, Span::default(), headline);
    finding.severity = Severity::Warning;
    if count > 0 {
        finding.notes.push(format!(
            "crd-analyzer does not check these objects as it builds them: {names}"
        ));
    }
    Some((place, finding))
}

/// The diagnostic about a Flux Kustomization whose parents change it in more ways than the budget allows.
pub(super) fn told_of_flux() -> Finding {
    let headline = "the Kustomization is built only in part: the Kustomizations above it change it too often";
    let mut finding = Finding::new(Class::Hint, codes::NOT_FINISHED, Span::default(), headline);
    finding.severity = Severity::Warning;
    finding
}

/// The kind and name of an object that is written at a place.
fn name(sources: &Sources, place: Place) -> String {
    let (tree, node) = sources.tree(place);
    let text = |node| tree.is_scalar(node).then(|| words::clip(&tree.scalar(node), 40));
    let kind = tree.get(node, "kind").and_then(text).unwrap_or_default();
    let name = tree.get(node, "metadata").and_then(|it| tree.get(it, "name"));
    format!("{kind} `{}`", name.and_then(text).unwrap_or_default())
}

/// The report on an object that is not checked as built.
pub(super) fn report(origin: &Key, place: Place, sources: &Sources, versions: VersionSet) -> DocumentReport {
    let (tree, node) = sources.tree(place);
    let text = |node| {
        let text = tree.is_scalar(node).then(|| tree.scalar(node).into_owned());
        text.unwrap_or_default()
    };
    let field = |key: &str| tree.get(node, key).map(text).unwrap_or_default();
    let metadata = tree.get(node, "metadata");
    let head = WrittenType {
        api_version: field("apiVersion"),
        kind: field("kind"),
        name: metadata
            .and_then(|it| tree.get(it, "name"))
            .map(text)
            .unwrap_or_default(),
    };
    let span = sources.span(place);
    let subject = if head.is_crd() {
        Subject::Definition
    } else {
        Subject::Resource
    };
    let first = spans::first_line(sources.text_of(place), span);
    let mut finding = verdict::not_finished(first, "this object as it is built", Unfinished::Bytes);
    let note = "the builds of kustomize and Flux in this run take too much work: crd-analyzer may also skip other builds of the object";
    finding.notes.push(note.to_owned());
    let verdict = DocumentVerdict {
        unfinished: vec![finding],
        ..DocumentVerdict::default()
    };
    let mut report = DocumentReport::of_head(0, span, &head, subject);
    (report.index, report.item) = (origin.1, origin.2);
    report.verdicts = versions.iter().map(|it| (it, verdict.clone())).collect();
    report
}
