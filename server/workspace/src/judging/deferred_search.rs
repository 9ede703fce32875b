//! The state that an analysis keeps for a later search for hazards, so that nothing is parsed or checked twice.

use std::{path::Path, sync::Arc};

use crd_analyzer_apiextensions::strategy::CrdVerdict;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::read_json_of,
    tree::{NodeId, Span, Tree},
};

use crate::{
    comparison::{breaking::beside_errors, since_revision::KnownChanges},
    findings::finding::Finding,
    findings::report::{DocumentReport, FileReport, Subject},
    findings::suppress::{self, Form},
    judging::hazards::{self, Memory, Search},
    sources::generated::{GoSources, Origin},
};

/// The report on one object before hazards and suppressions are applied.
pub(crate) struct UnsearchedReport {
    pub(crate) report: DocumentReport,
    /// The hazards that are already known.
    pub(crate) hazards: Vec<Finding>,
    /// The known findings about changes since a revision.
    pub(crate) changes: Vec<Finding>,
    /// The verdict, if some hazards are not known yet.
    pub(crate) unsearched: Option<UnsearchedVerdict>,
}

/// A verdict on a CRD whose rules were not all searched for hazards.
pub(crate) struct UnsearchedVerdict {
    /// The root node of the CRD in its tree.
    pub(crate) node: NodeId,
    pub(crate) version: KubernetesVersion,
    pub(crate) server: CrdVerdict,
}

impl UnsearchedReport {
    pub(crate) fn new(report: DocumentReport) -> Self {
        Self {
            report,
            hazards: Vec::new(),
            changes: Vec::new(),
            unsearched: None,
        }
    }

    /// A copy without the verdict, for reading only the report.
    pub(crate) fn without_verdict(&self) -> Self {
        Self {
            report: self.report.clone(),
            hazards: self.hazards.clone(),
            changes: self.changes.clone(),
            unsearched: None,
        }
    }
}

/// What is left of an analysis after the report: verdicts for a later search for hazards, and verdicts that only need to be freed.
///
/// Freeing the verdict on a large CRD takes milliseconds, so callers should first pass the report on and then drop this.
#[derive(Default)]
pub struct DeferredSearch {
    groups: Vec<Group>,
    spent: Vec<CrdVerdict>,
}

/// The objects of one YAML document.
struct Group {
    tree: Arc<Tree>,
    /// The index in the file's report of the first report on these objects. [`DeferredSearch::place`] sets it.
    first: Option<usize>,
    objects: Vec<UnsearchedReport>,
}

impl std::fmt::Debug for DeferredSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeferredSearch").field(&self.groups.len()).finish()
    }
}

impl DeferredSearch {
    pub(crate) fn push(&mut self, tree: Arc<Tree>, objects: Vec<UnsearchedReport>) {
        let first = None;
        self.groups.push(Group { tree, first, objects });
    }

    /// Adds a verdict that only needs to be freed.
    pub(crate) fn push_spent(&mut self, verdict: CrdVerdict) {
        self.spent.push(verdict);
    }

    /// Sets the index of the first report of the last group, if it is not set yet.
    pub(crate) fn place(&mut self, first: usize) {
        if let Some(group) = self.groups.last_mut() {
            group.first.get_or_insert(first);
        }
    }

    /// Searches for the hazards that are not known yet and adds them to the report. Returns whether the report has changed.
    ///
    /// `path` and `go` must be those of the [`Question`](crate::judging::analysis::Question) that the report answers.
    pub fn search(
        &mut self,
        report: &mut FileReport,
        memory: &Memory,
        path: Option<&Path>,
        go: Option<&dyn GoSources>,
    ) -> bool {
        report.is_unfinished = false;
        let mut is_unfinished = false;
        for Group { tree, objects, .. } in &mut self.groups {
            let origin = Origin::of(tree, path, go);
            for it in objects {
                if let Some(unsearched) = it.unsearched.take() {
                    let found = unsearched.search(tree, memory, origin.as_ref());
                    is_unfinished |= found.is_unfinished;
                    it.hazards = found.hints;
                }
            }
        }
        report.is_unfinished = is_unfinished;
        self.show(report)
    }

    /// Updates the report with the changes since a revision that are known by now. Returns whether the report has changed.
    pub fn tell_changes(
        &mut self,
        report: &mut FileReport,
        known: &KnownChanges,
        path: Option<&Path>,
        go: Option<&dyn GoSources>,
    ) -> bool {
        for Group { tree, objects, .. } in &mut self.groups {
            let origin = Origin::of(tree, path, go);
            for it in objects {
                if it.report.subject == Subject::Definition {
                    it.changes = known.of(&it.report.name, origin.as_ref());
                }
            }
        }
        self.show(report)
    }

    /// Writes all known hazards and changes into the report. Returns whether the report has changed.
    fn show(&self, report: &mut FileReport) -> bool {
        let mut has_changed = false;
        for Group { tree, first, objects } in &self.groups {
            let known = objects.iter().map(UnsearchedReport::without_verdict).collect();
            let completed = complete(tree, known);
            let first = first.unwrap_or_default();
            let shown = &mut report.documents[first..first + completed.len()];
            if *shown != *completed {
                shown.clone_from_slice(&completed);
                has_changed = true;
            }
        }
        has_changed
    }
}

impl UnsearchedVerdict {
    fn search(&self, tree: &Tree, memory: &Memory, origin: Option<&Origin<'_>>) -> hazards::Found {
        let Ok(json) = read_json_of(tree, self.node) else {
            return hazards::Found::default();
        };
        let Some(root) = json.root() else {
            return hazards::Found::default();
        };
        let mut found = hazards::find(tree, root, &self.server, self.version, Search::All(memory));
        if let Some(origin) = origin {
            origin.name(&mut found.hints);
        }
        found
    }
}

/// The reports on the objects of a tree, after adding hazards and applying suppressions.
pub(crate) fn complete(tree: &Tree, objects: Vec<UnsearchedReport>) -> Vec<DocumentReport> {
    let with_hazards = |UnsearchedReport {
                            mut report,
                            hazards,
                            changes,
                            ..
                        }: UnsearchedReport| {
        for (_, verdict) in &mut report.verdicts {
            verdict.hints.extend_from_slice(&hazards);
            let told = beside_errors(tree, &changes, &verdict.errors).cloned();
            verdict.hints.extend(told);
        }
        report
    };
    let mut reports: Vec<DocumentReport> = objects.into_iter().map(with_hazards).collect();
    match reports.as_mut_slice() {
        [alone] if alone.item.is_none() => suppress(tree, alone),
        items => suppress_items(tree, items),
    }
    reports
}

/// Applies the suppression comments of a document to the report on it.
pub(crate) fn suppress(tree: &Tree, report: &mut DocumentReport) {
    apply(tree, tree.comments(), report);
}

fn apply(tree: &Tree, comments: &[Span], report: &mut DocumentReport) {
    if comments.is_empty() {
        return;
    }
    for (_, verdict) in &mut report.verdicts {
        let hints = suppress::apply(tree.text(), Form::Yaml, comments, verdict.findings_mut());
        verdict.hints.extend(hints);
    }
}

/// Like [`suppress()`], for several objects in the same document. A suppression comment belongs to the object that contains it or on whose last line
/// it is, otherwise to the next object. A comment before the first object belongs to the wrapper, unless it is right above the object.
fn suppress_items(tree: &Tree, reports: &mut [DocumentReport]) {
    let (text, mut comments) = (tree.text(), tree.comments());
    let (wrappers, mut inside): (Vec<_>, Vec<_>) = reports.iter_mut().partition(|it| it.item.is_none());
    // Sort by the end, because an object inside another one ends before it.
    inside.sort_by_key(|it| it.span.end);
    let mut before: &[Span] = &[];
    if let (Some(first), false) = (inside.iter().map(|it| it.span.start).min(), wrappers.is_empty()) {
        let is_far = |it: &Span| {
            let between = text.get(it.end as usize..first as usize).unwrap_or_default();
            between
                .lines()
                .any(|line| !matches!(line.trim(), "" | "-") && !line.trim().starts_with('#'))
        };
        (before, comments) = comments.split_at(comments.partition_point(is_far));
    }
    // If many objects end on the same line, find the end of the line only once.
    let mut line_end = None;
    for report in inside {
        let end = report.span.end as usize;
        let line_end = match line_end {
            Some(known) if end <= known => known,
            _ => *line_end.insert(text[end..].find(['\n', '\r']).map_or(text.len(), |it| end + it)),
        };
        let own = comments.partition_point(|it| (it.start as usize) < line_end);
        let (mine, rest) = comments.split_at(own);
        apply(tree, mine, report);
        comments = rest;
    }
    for wrapper in wrappers {
        apply(tree, &[before, comments].concat(), wrapper);
    }
}
