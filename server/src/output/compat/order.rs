//! The order in which people read changes: first what the policy forbids, then what is unknown, and last what needs no decision.

use crd_analyzer_compat::{Answer, Change, Policy, Verdict};

use super::{Allowed, Compared, Report, said};

/// A change and its exception.
pub(super) type Counted<'r> = (&'r Change, Option<Allowed<'r>>);

/// The importance of a change to a reader, highest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Importance {
    /// The policy forbids an effect of the change.
    Forbidden,
    /// The policy forbids nothing that is known, but it could forbid an effect that is unknown.
    Unknown,
    /// An exception allows the change.
    Excepted,
    /// The change is not compatible for all groups, but the policy allows all of it.
    Allowed,
    /// The change is compatible for all groups.
    Harmless,
}

/// Whether the change is compatible for all groups.
pub(super) fn is_harmless(change: &Change) -> bool {
    change
        .answers
        .iter()
        .all(|it| matches!(it, Answer::Compatible { tolerated: None, .. }))
}

impl<'c> Report<'c> {
    pub(super) fn importance(&self, (change, exception): Counted<'_>) -> Importance {
        if is_harmless(change) {
            return Importance::Harmless;
        }
        let policy = match self.policy {
            // OLM decides on the update as a whole, so its policy does not sort the changes.
            Policy::Olm => Policy::Strict,
            policy => policy,
        };
        match policy.verdict([change]) {
            _ if exception.is_some() => Importance::Excepted,
            Verdict::Breaks => Importance::Forbidden,
            Verdict::Unknown => Importance::Unknown,
            Verdict::Compatible => Importance::Allowed,
        }
    }

    /// The CRDs, those with the most important changes first.
    pub(super) fn in_order(&self) -> Vec<&Compared<'c>> {
        let mut reports: Vec<_> = self.reports.iter().collect();
        reports.sort_by_cached_key(|it| {
            let most = it.each().map(|it| self.importance(it)).min();
            (it.olm.is_empty(), most.unwrap_or(Importance::Harmless))
        });
        reports
    }

    /// The changes of a CRD, the most important ones first.
    pub(super) fn changes_in_order<'r>(&self, compared: &'r Compared<'_>) -> Vec<(Importance, Counted<'r>)> {
        let mut changes: Vec<_> = compared.each().map(|it| (self.importance(it), it)).collect();
        changes.sort_by_key(|it| it.0);
        changes
    }
}

/// Changes of one kind with the same effects on the same groups.
pub(super) struct Alike<'r> {
    pub(super) code: &'static str,
    pub(super) version: Option<&'r str>,
    /// The effects, such as `breaks readers (pruned)`.
    pub(super) effects: String,
    pub(super) changes: Vec<&'r Change>,
}

/// Puts changes of one kind with the same effects together, in the order of their first changes.
pub(super) fn alike<'r>(changes: impl Iterator<Item = &'r Change>) -> Vec<Alike<'r>> {
    let mut found: Vec<Alike<'r>> = Vec::new();
    for change in changes {
        let told = change
            .each()
            .filter(|it| !matches!(it.1, Answer::Compatible { tolerated: None, .. }));
        let effects: Vec<String> = told.map(|(direction, answer)| said(direction, answer)).collect();
        let (version, effects) = (change.version.as_deref(), effects.join(", "));
        let known = found
            .iter_mut()
            .find(|it| (it.code, it.version, &it.effects) == (change.code, version, &effects));
        match known {
            Some(known) => known.changes.push(change),
            None => found.push(Alike {
                code: change.code,
                version,
                effects,
                changes: vec![change],
            }),
        }
    }
    found
}
