//! Errors of a resource that follow from an error of its CRD: the API server never has such a CRD, so the error is shown in the CRD alone.

use std::{path::Path, sync::Arc};

use crd_analyzer_apiextensions::{
    codes,
    places::{self, LocatedField},
    strategy::judge_create,
    validation::CelCompiler,
};
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::{KubernetesVersion, field::Segment};
use crd_analyzer_syntax::tree::{Span, Tree};

use crate::{
    findings::finding::{Class, Finding, Related},
    findings::report::DocumentVerdict,
    index::{CrdText, WrongPart},
};

/// The keywords that say nothing about a value if they are wrong.
const DECISIVE: [&str; 2] = ["pattern", "x-kubernetes-list-map-keys"];

/// The keyword with the expression of a rule, which says nothing either if it is wrong.
const RULE: &str = "rule";

/// The errors about rules that say what they should.
const OF_COSTS: [&str; 2] = [codes::RULE_COST_OVER_LIMIT, codes::TOTAL_RULE_COST_OVER_LIMIT];

/// Marks the errors that follow from those of the CRD. They are not shown.
pub(super) fn mark(verdict: &mut DocumentVerdict, crd: &CrdText, path: Option<&Path>, version: KubernetesVersion) {
    if verdict.errors.is_empty() || crd.source.built.is_some() || !crd.is_readable {
        return;
    }
    let wrong = crd.wrong_parts(version, || wrong_parts(crd, version));
    if wrong.is_empty() {
        return;
    }
    let follows = |error: &Finding| wrong.iter().any(|it| decides(it, error, (crd, path)));
    let later = verdict.hints.iter_mut().filter(|it| it.class == Class::LaterError);
    for error in verdict.errors.iter_mut().chain(later).filter(|it| follows(it)) {
        (error.suppressed, error.follows) = (true, true);
    }
}

fn wrong_part(tree: &Tree, place: &LocatedField) -> Option<WrongPart> {
    let segments = place.path.segments();
    let is_field = |at: usize, name: &str| matches!(&segments[at], Segment::Field(it) if it == name);
    let default = (1..segments.len()).rfind(|it| is_field(*it, "default") && !is_field(*it - 1, "properties"));
    let up = default.map_or(0, |it| segments.len() - 1 - it);
    let value = (0..up).try_fold(place.value, |node, _| tree.parent(node))?;
    if default.is_some() {
        let entry = tree.entry_of(value)?;
        return Some(WrongPart::Default(tree.span(tree.parent(entry.key)?)));
    }
    // An error may be about an item of a keyword's list.
    let entry = tree.entry_of(value).filter(|it| it.value == value);
    let entry = entry.or_else(|| tree.entry_of(tree.parent(value)?))?;
    let keyword = tree.scalar(entry.key);
    let (key, value) = (tree.span(entry.key), tree.span(entry.value));
    if *keyword == *RULE {
        // Errors of a rule are about its item in the list, which may begin with another key.
        return Some(WrongPart::Keyword(tree.span(tree.parent(entry.key)?)));
    }
    let is_decisive = DECISIVE.contains(&&*keyword);
    is_decisive.then(|| WrongPart::Keyword(Span::new(key.start, value.end)))
}

/// Whether a part of the CRD decided an error of the resource at a path.
fn decides(part: &WrongPart, error: &Finding, (crd, path): (&CrdText, Option<&Path>)) -> bool {
    let is_of_crd = |it: &&Related| match &it.file {
        Some(file) => file.path == crd.source.path,
        None => path == Some(&crd.source.path),
    };
    error.related.iter().filter(is_of_crd).any(|it| match part {
        WrongPart::Keyword(wrong) => overlap(*wrong, it.span),
        // A value that is written is not the default.
        WrongPart::Default(schema) => error.elsewhere.is_some() && overlap(*schema, it.span),
    })
}

fn overlap(one: Span, other: Span) -> bool {
    one.start < other.end && other.start < one.end
}

fn wrong_parts(crd: &CrdText, version: KubernetesVersion) -> Arc<[WrongPart]> {
    let find = || {
        let json = crd.shared_json()?;
        let root = json.get().root()?;
        let answer = judge_create(json.get(), version, Some(&CelCompiler::new(version)));
        let hoisted = answer.definition.as_ref().map(|it| it.hoisted).unwrap_or_default();
        let all = answer.errors.iter().chain(&answer.hidden);
        let all = all.filter(|it| !OF_COSTS.contains(&it.code));
        let all = all.flat_map(|it| places::find(root, hoisted, it.place()));
        Some(all.filter_map(|it| wrong_part(&crd.tree, &it)).collect())
    };
    let limits = Limits::file(crd.source.text.len());
    budget::apart(|| budget::within(limits, find).0).unwrap_or_default()
}
