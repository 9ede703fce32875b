//! The effects of CRD changes since a git revision. They are computed after the verdict, and kept while the user types.

use std::{fmt::Write as _, ops::Range, path::Path, sync::Arc};

use crd_analyzer_compat::{Change, Direction, Policy, Verdict};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::read_json_of,
    tree::{NodeId, Span, Tree},
};

use crate::{
    comparison::breaking::{self, Judged, JudgedChange, Written},
    comparison::revision::Revision,
    documents::source::SourceText,
    documents::text::Text,
    findings::finding::{Finding, Severity},
    index::objects,
    sources::{generated::Origin, manifest::Place},
};

/// The options for evaluating changes since a revision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The Kubernetes version.
    pub kubernetes: KubernetesVersion,
    /// The policy that decides which changes are forbidden.
    pub policy: Policy,
}

/// The known effects of changes to the CRDs in a text. Their spans follow edits of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownChanges {
    crds: Vec<ChangedCrd>,
}

/// The changes of a CRD.
#[derive(Clone, Debug, PartialEq)]
struct ChangedCrd {
    name: String,
    changes: Vec<FoundChange>,
    versions: Vec<ChangedVersion>,
}

/// A change that the policy forbids, or whose effect is unknown so that the policy may forbid it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundChange {
    /// The finding about the change.
    pub finding: Finding,
    /// What changed.
    pub change: Change,
}

/// The combined effects of all changes to a version.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedVersion {
    /// The span of the version's name in the text.
    pub span: Span,
    /// A one-line summary of the changes.
    pub summary: String,
    /// The span of the first change that the policy forbids. If there is none, the span of the first change with an unknown effect.
    pub first: Option<Span>,
    /// The file of the first change, if it is not the version's own file.
    pub file: Option<Arc<SourceText>>,
}

impl KnownChanges {
    /// Whether no changes are known.
    pub fn is_empty(&self) -> bool {
        self.crds.is_empty()
    }

    /// Compares the CRDs of a text with those of a revision. Calls `goes_on` between two changes, and returns `None` if it returns false.
    ///
    /// If a CRD cannot be read, keeps the previous result for it.
    pub fn find(
        text: &str,
        revision: &Revision,
        by: Comparison,
        before: &Self,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let text = Text::whole(text.into());
        let mut found = before.clone();
        for object in objects::read(&text).iter().filter(|it| it.written.is_crd()) {
            let Some(old) = revision.previous().definition(&object.written) else {
                continue;
            };
            let Ok(tree) = text.read(object.document) else { continue };
            let Some(node) = object.node(&tree) else { continue };
            let Some(judged) = judged((&tree, node), old, by, goes_on) else {
                if goes_on() {
                    continue;
                }
                return None;
            };
            let name = object.written.name.clone();
            found.crds.retain(|it| it.name != name);
            found
                .crds
                .extend(ChangedCrd::new(name, judged, revision.name(), by.policy));
        }
        Some(found)
    }

    /// Moves the spans after an edit of the text, and drops changes whose text was deleted.
    pub fn edited(&mut self, range: &Range<usize>, inserted: usize) {
        let follow = |span: &mut Span| match moved(*span, range, inserted) {
            Some(moved) => {
                *span = moved;
                true
            }
            None => false,
        };
        for crd in &mut self.crds {
            crd.changes.retain_mut(|it| follow(&mut it.finding.span));
            crd.versions.retain_mut(|it| {
                if it.file.is_none() {
                    it.first = it.first.and_then(|it| moved(it, range, inserted));
                }
                follow(&mut it.span)
            });
        }
        self.crds
            .retain(|it| !(it.changes.is_empty() && it.versions.is_empty()));
    }

    /// The versions that have changes, for a source file of the CRDs. `place` returns the place of a span of the CRD. Versions that other files declare
    /// are left out.
    #[must_use]
    pub(crate) fn in_source(&self, path: &Path, place: impl Fn(Span) -> Option<Place>) -> Self {
        let version = |it: &ChangedVersion| {
            let declared = place(it.span).filter(|it| *it.file.path == *path)?;
            let first = it.first.and_then(&place);
            Some(ChangedVersion {
                span: declared.span,
                summary: it.summary.clone(),
                first: first.as_ref().map(|it| it.span),
                file: first.map(|it| it.file).filter(|it| *it.path != *path),
            })
        };
        let crd = |it: &ChangedCrd| ChangedCrd {
            name: it.name.clone(),
            changes: Vec::new(),
            versions: it.versions.iter().filter_map(version).collect(),
        };
        Self {
            crds: self.crds.iter().map(crd).filter(|it| !it.versions.is_empty()).collect(),
        }
    }

    /// Adds changes of other CRDs. Several copies of a CRD have the same changes, so they are added once.
    pub(crate) fn add(&mut self, others: Self) {
        for crd in others.crds {
            if !self.crds.contains(&crd) {
                self.crds.push(crd);
            }
        }
    }

    /// The versions that have changes.
    pub fn versions(&self) -> impl Iterator<Item = &ChangedVersion> {
        self.crds.iter().flat_map(|it| &it.versions)
    }

    /// The changes that are reported.
    pub fn changes(&self) -> impl Iterator<Item = &FoundChange> {
        self.crds.iter().flat_map(|it| &it.changes)
    }

    /// The findings about a CRD. If the CRD is generated from Go, they have places in the Go source.
    pub(crate) fn of(&self, crd: &str, origin: Option<&Origin<'_>>) -> Vec<Finding> {
        let changed = self.crds.iter().filter(|it| it.name == crd);
        let findings = changed.flat_map(|it| &it.changes).map(|it| it.finding.clone());
        let mut findings: Vec<Finding> = findings.collect();
        if let Some(origin) = origin {
            origin.name(&mut findings);
        }
        findings
    }
}

/// The span after an edit. `None` if its text was deleted. Text that is typed at the end of the span, or replaces it, becomes part of it.
pub fn moved(span: Span, range: &Range<usize>, inserted: usize) -> Option<Span> {
    let (start, end) = (span.start as usize, span.end as usize);
    let is_covered = !range.is_empty() && range.start <= start && end <= range.end;
    if is_covered && (inserted == 0 || *range != (start..end)) {
        return None;
    }
    let after = |at: usize| at - range.len() + inserted;
    let start = match start {
        at if at >= range.end => after(at),
        at if at > range.start => range.start + inserted,
        at => at,
    };
    let end = match end {
        at if at >= range.end => after(at),
        at => at.min(range.start),
    };
    Some(Span::new(start as u32, end as u32))
}

fn judged(
    (tree, node): (&Tree, NodeId),
    (old_tree, old_node): (&Tree, NodeId),
    by: Comparison,
    goes_on: &dyn Fn() -> bool,
) -> Option<Judged> {
    let json = read_json_of(tree, node).ok()?;
    let old = read_json_of(old_tree, old_node).ok()?;
    let new = Written {
        tree,
        node,
        json: &json,
    };
    breaking::judge(&old, new, by.kubernetes, by.policy, goes_on)
}

impl ChangedCrd {
    fn new(name: String, judged: Judged, revision: &str, policy: Policy) -> Option<Self> {
        let version = |(name, span): &(String, Span)| {
            let changes = judged.changes.iter();
            let of_it: Vec<_> = changes.filter(|it| it.change.version.as_ref() == Some(name)).collect();
            ChangedVersion::new(*span, &of_it, revision, policy)
        };
        let versions: Vec<_> = judged.versions.iter().filter_map(version).collect();
        let found = judged.changes.into_iter().filter_map(|it| {
            let mut finding = it.finding?;
            finding.severity = match policy.verdict([&it.change]) {
                Verdict::Breaks => Severity::Information,
                Verdict::Unknown | Verdict::Compatible => Severity::Hint,
            };
            finding.notes.push(format!("compared with {revision}"));
            Some(FoundChange {
                finding,
                change: it.change,
            })
        });
        let changes: Vec<_> = found.collect();
        (!changes.is_empty() || !versions.is_empty()).then_some(Self {
            name,
            changes,
            versions,
        })
    }
}

/// Changes that cannot affect whether any value is valid.
const OF_TEXTS: [&str; 2] = ["description-changed", "rule-message-changed"];

impl ChangedVersion {
    fn new(span: Span, changes: &[&JudgedChange], revision: &str, policy: Policy) -> Option<Self> {
        let changes: Vec<&JudgedChange> = changes
            .iter()
            .copied()
            .filter(|it| !OF_TEXTS.contains(&it.change.code))
            .collect();
        let asked = Direction::ALL.into_iter().filter(|direction| {
            let is_about = |it: &&JudgedChange| policy.is_about(&it.change, *direction);
            changes.iter().any(is_about)
        });
        let asked: Vec<Direction> = asked.collect();
        if asked.is_empty() {
            return None;
        }
        let of = |verdict: Verdict| {
            let is_it = move |it: &&&JudgedChange| policy.verdict([&it.change]) == verdict;
            changes.iter().filter(is_it).collect::<Vec<_>>()
        };
        let (breaking, unknown) = (of(Verdict::Breaks), of(Verdict::Unknown));
        let s = if changes.len() == 1 { "" } else { "s" };
        let mut summary = format!("{} change{s} since {revision}: ", changes.len());
        if breaking.is_empty() {
            let whom: Vec<_> = asked.iter().map(|it| it.whom()).collect();
            let _ = write!(summary, "none breaks {}", whom.join(" or "));
        } else {
            let is_broken = |direction: &&Direction| {
                breaking.iter().any(|it| {
                    let answer = it.change.answer(**direction);
                    policy.judge(&it.change, **direction, answer) == Verdict::Breaks
                })
            };
            let whom: Vec<_> = asked.iter().filter(is_broken).map(|it| it.whom()).collect();
            let s = if breaking.len() == 1 { "s" } else { "" };
            let _ = write!(summary, "{} break{s} {}", breaking.len(), whom.join(" and "));
        }
        if !unknown.is_empty() {
            let _ = write!(summary, ", {} unproven", unknown.len());
        }
        let first = breaking.first().or(unknown.first());
        Some(Self {
            span,
            summary,
            first: first.and_then(|it| Some(it.finding.as_ref()?.span)),
            file: None,
        })
    }
}

#[cfg(test)]
mod tests;
