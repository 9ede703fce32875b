//! Fixes the same mistake in all versions of a CRD. If several versions have the same text, the API server reports its error once, so a fix of only
//! one version would not remove the error.

use std::collections::HashMap;

use crd_analyzer_budget as budget;
use crd_analyzer_schema::field::Segment;
use crd_analyzer_syntax::{
    paths::{self, Side, Step},
    tree::Span,
};

use super::{
    Problem,
    repair::{self, Repair},
};
use crate::{completion::Definitions, file::Document};

/// The maximum number of versions to search.
const MOST_VERSIONS: usize = 20;

/// The findings that propose changes, by code and by path below the version, in the order of the text.
pub(super) struct Proposing<'p>(HashMap<(&'static str, &'p [Segment]), Vec<&'p Problem>>);

impl<'p> Proposing<'p> {
    /// Collects the findings of a file that propose changes.
    pub(super) fn of(problems: &'p [Problem]) -> Self {
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        for problem in problems {
            if let Some(below) = below_version(problem) {
                all.entry((problem.code, below)).or_default().push(problem);
            }
        }
        for of_path in all.values_mut() {
            of_path.sort_by_key(|it| it.span.start);
        }
        Self(all)
    }

    /// Adds the edits that fix the same finding in other versions of the CRD.
    pub(super) fn add(&self, repair: &mut Repair, document: &Document<'_>, problem: &Problem) {
        let Some(below) = below_version(problem) else { return };
        let Some(object) = document.root.map(|it| document.tree.full_span(it)) else {
            return;
        };
        let same = self.0.get(&(problem.code, below)).map_or(&[][..], Vec::as_slice);
        let same = &same[same.partition_point(|it| it.span.start < object.start)..];
        let of_object = same.iter().take_while(|it| it.span.start <= object.end);
        for other in of_object.filter(|it| **it != problem).take(MOST_VERSIONS) {
            let same = repair::proposed(document, other).into_iter();
            for it in same.filter(|it| it.safe && it.title == repair.title) {
                let new = it.edits.into_iter().filter(|it| !repair.edits.contains(it));
                let new: Vec<_> = new.collect();
                repair.edits.extend(new);
            }
        }
    }
}

/// The path of a finding below its version of the CRD. `None` if it proposes no changes.
fn below_version(problem: &Problem) -> Option<&[Segment]> {
    match problem.proposed.as_ref()?.place.segments() {
        [
            Segment::Field(spec),
            Segment::Field(versions),
            Segment::Index(_),
            below @ ..,
        ] if spec == "spec" && versions == "versions" => Some(below),
        _ => None,
    }
}

/// Adds the edits that fix the same text in other versions of the CRD.
pub(super) fn add(repair: &mut Repair, document: &Document<'_>, problem: &Problem, definitions: &dyn Definitions) {
    let tree = document.tree;
    let Some(found) = paths::at(tree, problem.span.start) else {
        return;
    };
    let Some(([Step::Key(spec), Step::Key(versions), Step::Index(own)], below)) = found.path.split_first_chunk() else {
        return;
    };
    if spec != "spec" || versions != "versions" {
        return;
    }
    let node = match (found.side, tree.entry_of(found.node)) {
        (Side::Key, Some(entry)) => entry.value,
        _ => found.node,
    };
    let start = |node, key: Option<_>| match (found.side, key) {
        (Side::Key, Some(key)) => tree.span(key).start,
        _ => tree.span(node).start,
    };
    let own_start = start(node, tree.entry_of(node).map(|it| it.key));
    let Some(offset) = problem.span.start.checked_sub(own_start) else {
        return;
    };
    let mut added = Vec::new();
    for other in (0..MOST_VERSIONS).filter(|it| it != own) {
        let mut path = vec![Step::key("spec"), Step::key("versions"), Step::Index(other)];
        let Some(item) = paths::find(tree, &path).filter(|it| it.missing == 0) else {
            break;
        };
        path.extend_from_slice(below);
        let Some(twin) = paths::find(tree, &path).filter(|it| it.missing == 0 && it.node != item.node) else {
            continue;
        };
        let source = tree.source(node);
        if !budget::advise(1 + source.len() as u64) || tree.source(twin.node) != source {
            continue;
        }
        let place = start(twin.node, twin.key) + offset;
        let twin = Problem {
            span: Span::new(place, place + (problem.span.end - problem.span.start)),
            ..problem.clone()
        };
        let same = repair::repairs(document, twin, definitions);
        if let Some(same) = same.into_iter().find(|it| it.safe && it.title == repair.title) {
            added.extend(same.edits);
        }
    }
    for edit in added {
        if !repair.edits.contains(&edit) {
            repair.edits.push(edit);
        }
    }
}
