//! The same mistake in other versions. The API server reports it once for all versions that are alike, so that a repair of one of them would not
//! make it go.

use crd_analyzer_budget as budget;
use crd_analyzer_syntax::{
    paths::{self, Side, Step},
    tree::Span,
};

use super::{
    Problem,
    repair::{self, Repair},
};
use crate::{completion::Definitions, file::Document};

/// Versions that are looked into.
const MOST_VERSIONS: usize = 20;

/// Adds the edits that do the same in the other versions of a CRD, where the same is written.
pub(super) fn add(repair: &mut Repair, document: &Document<'_>, problem: Problem, definitions: &dyn Definitions) {
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
            ..problem
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
