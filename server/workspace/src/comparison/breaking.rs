//! The breaking changes of a CRD, each with its place in the new CRD.

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_compat::{Change, Subject, Verdict, compare_while, paragraph};
pub use crd_analyzer_compat::{Policy, codes};
use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Path, Segment},
};
use crd_analyzer_syntax::{
    json::JsonDoc,
    paths::{self, Finder, Side},
    tree::{NodeId, Span, Tree},
};

use crate::{
    documents::spans,
    findings::finding::{Class, Finding, Severity},
    words::{self, name, text},
};

/// Breaking changes that the user has accepted.
pub trait Exceptions: Sync {
    /// Whether a change of the CRD with this name has been accepted.
    fn allows(&self, crd: &str, change: &Change) -> bool;
}

/// Which changes of CRDs are reported.
#[derive(Clone, Copy)]
pub struct Compatibility<'a> {
    /// The policy that decides which changes are forbidden.
    pub policy: Policy,
    /// Changes that are allowed although the policy forbids them.
    pub exceptions: Option<&'a dyn Exceptions>,
}

impl std::fmt::Debug for Compatibility<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Compatibility").field(&self.policy).finish()
    }
}

/// A CRD to check, and its document.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) tree: &'a Tree,
    /// The root node of the CRD in the tree.
    pub(crate) node: NodeId,
    pub(crate) json: &'a JsonDoc<'a>,
}

/// Findings for the changes from `old` to a CRD that the policy forbids. If the effect of a change is unknown, the policy may forbid it, so it is
/// included. There are at most `most` findings.
pub(crate) fn find(
    old: &JsonDoc<'_>,
    new: Written<'_>,
    kubernetes: KubernetesVersion,
    by: Compatibility<'_>,
    most: usize,
) -> Vec<Finding> {
    let Some(judged) = judge(old, new, kubernetes, by.policy, &|| true) else {
        return Vec::new();
    };
    let is_allowed = |it: &Change| by.exceptions.is_some_and(|all| all.allows(&judged.crd, it));
    let counted = judged.changes.into_iter().filter(|it| !is_allowed(&it.change));
    counted.filter_map(|it| it.finding).take(most).collect()
}

/// The findings about changes, except those at a place where the CRD has an error. If the API server rejects the CRD, nothing changes, and the error
/// says more about that place.
pub(crate) fn beside_errors<'f>(
    tree: &Tree,
    found: &'f [Finding],
    errors: &[Finding],
) -> impl Iterator<Item = &'f Finding> {
    let mut refused: Vec<u32> = Vec::new();
    if !found.is_empty() {
        refused.extend(errors.iter().map(|it| it.span.start));
        refused.sort_unstable();
    }
    found.iter().filter(move |it| {
        if refused.is_empty() {
            return true;
        }
        let written = paths::at(tree, it.span.start).and_then(|place| match (place.side, tree.entry_of(place.node)) {
            // Something below this key was removed.
            (Side::Key, Some(entry)) => (tree.entries(entry.value).next().is_none()).then_some(entry.value),
            _ => Some(place.node),
        });
        let written = written.map_or(it.span, |node| tree.full_span(node));
        let end = written.end.max(it.span.end);
        let first = refused.partition_point(|at| *at < it.span.start);
        refused.get(first).is_none_or(|at| *at >= end)
    })
}

/// The changes of a CRD, with findings.
pub(crate) struct Judged {
    /// The name of the CRD.
    pub(crate) crd: String,
    pub(crate) changes: Vec<JudgedChange>,
    /// The names of its versions and the spans of the names.
    pub(crate) versions: Vec<(String, Span)>,
}

/// A change, with the finding about it.
pub(crate) struct JudgedChange {
    pub(crate) change: Change,
    pub(crate) finding: Option<Finding>,
}

/// The changes from `old` to a CRD. `None` if one of the two cannot be read, or if `goes_on` returns false.
pub(crate) fn judge(
    old: &JsonDoc<'_>,
    new: Written<'_>,
    kubernetes: KubernetesVersion,
    policy: Policy,
    goes_on: &dyn Fn() -> bool,
) -> Option<Judged> {
    let before = Stored::establish(old, kubernetes)?;
    let now = Stored::establish(new.json, kubernetes)?;
    let names: Vec<String> = now
        .definition()
        .spec
        .versions
        .iter()
        .map(|it| it.name.clone())
        .collect();
    let (before, now) = (Subject::new(before, kubernetes), Subject::new(now, kubernetes));
    // The verdict has its own limits, so the comparison must not use up its budget.
    let changes = crd_analyzer_budget::apart(|| compare_while(&before, &now, goes_on))?;
    let places = Places {
        tree: new.tree,
        node: new.node,
        finder: Finder::new(new.tree),
        now: &now,
    };
    let judged = changes.into_iter().map(|change| JudgedChange {
        finding: finding(&change, policy, &places),
        change,
    });
    let changes = judged.collect();
    let place = |(position, name): (usize, String)| {
        let path = Path::of(["spec", "versions"]).index(position).child("name");
        (name, places.at(&path))
    };
    Some(Judged {
        crd: now.name().to_owned(),
        changes,
        versions: names.into_iter().enumerate().map(place).collect(),
    })
}

fn finding(change: &Change, policy: Policy, places: &Places<'_>) -> Option<Finding> {
    let verdict = policy.verdict([change]);
    let (code, severity, does) = match verdict {
        Verdict::Compatible => return None,
        Verdict::Breaks => (codes::BREAKING_CHANGE, Severity::Error, "this breaks"),
        Verdict::Unknown => (codes::UNPROVEN_CHANGE, Severity::Warning, "this may break"),
    };
    let judged = change.each().map(|(direction, answer)| {
        let is_told = policy.judge(change, direction, answer) == verdict;
        (is_told, direction, answer)
    });
    let told: Vec<_> = judged.filter(|it| it.0).collect();
    let whom: Vec<&str> = told.iter().map(|it| it.1.whom()).collect();
    let sentence = change.headline();
    let whole = format!("{sentence} at {}: {does} {}", place_name(change), whom.join(" and "));
    let headline = if whole.chars().count() > words::MAX_HEADLINE {
        format!("{sentence}: {does} {}", whom.join(" and "))
    } else {
        whole
    };
    let notes = told.iter().map(|it| paragraph(it.1, it.2));
    Some(Finding {
        severity,
        label: (!change.what.is_empty()).then(|| text::clip(&change.what, 60)),
        notes: notes.collect(),
        help: vec![help(verdict).to_owned()],
        ..Finding::new(
            Class::Hint,
            code,
            places.span(change),
            words::clip(&headline, words::MAX_HEADLINE),
        )
    })
}

const fn help(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unknown => "look at the objects that exist, or make the change in a new version of the CRD",
        Verdict::Breaks | Verdict::Compatible => "undo the change, or make it in a new version of the CRD",
    }
}

/// The name of the changed part. If it has a name of its own, the name is in backquotes.
fn place_name(change: &Change) -> String {
    let path = change.path();
    match words::schema_values(&path) {
        None => name::shown(&path.to_string()),
        Some(values) if values.is_empty() => "the root of the schema".to_owned(),
        Some(values) => name::shown(&values),
    }
}

/// Finds the places of changes in a CRD.
struct Places<'a> {
    tree: &'a Tree,
    node: NodeId,
    finder: Finder<'a>,
    now: &'a Subject,
}

impl Places<'_> {
    /// The span of a change. For a removal, the span of the key that contained the removed part.
    fn span(&self, change: &Change) -> Span {
        let path = match (&change.new_path, &change.old_path) {
            // Mark the rule's expression, because the first field of the rule may be its message.
            (Some(path), _) if ["rule-added", "rule-changed"].contains(&change.code) => path.child("rule"),
            (Some(path), _) => path.clone(),
            (None, Some(path)) => self.where_it_was(path, change.version.as_deref()),
            (None, None) => Path::root(),
        };
        self.at(&path)
    }

    /// The span of a field. If the field is missing, the span of the key that would contain it.
    fn at(&self, path: &Path) -> Span {
        let found = self.finder.find_from(self.node, &spans::steps(path.segments()));
        match found.key {
            _ if found.is_found() && found.node != self.node => spans::spot(self.tree, found.key, found.node),
            Some(key) => self.tree.span(key),
            None => spans::first_line(self.tree.text(), self.tree.span(found.node)),
        }
    }

    /// The path in the new CRD of something that only the old CRD has. The index of the version may have changed.
    fn where_it_was(&self, path: &Path, version: Option<&str>) -> Path {
        let rest = match path.segments() {
            [
                Segment::Field(spec),
                Segment::Field(versions),
                Segment::Index(_),
                rest @ ..,
            ] if spec == "spec" && versions == "versions" => rest,
            _ => return path.clone(),
        };
        let versions = Path::of(["spec", "versions"]);
        let position = version.and_then(|it| self.now.version_position(it));
        position.map_or(versions.clone(), |position| {
            let mut path = versions.index(position);
            for step in rest {
                path.push(step.clone());
            }
            path
        })
    }
}
