//! Keeps errors visible while the user types. An error in the entry that the user is typing makes the API server stop before it reports errors of
//! later stages, but those errors are not fixed.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    findings::finding::{Class, Finding},
    findings::report::MergedFinding,
};

/// The maximum distance, in lines, between two edits that belong to the same place.
pub(crate) const NEAR: usize = 2;

/// The errors of a document that were shown last.
#[derive(Debug, Default)]
pub(crate) struct SteadyErrors(Mutex<ErrorCounts>);

#[derive(Debug, Default)]
struct ErrorCounts {
    /// The number of errors that the API server reports, by error ID.
    reported: HashMap<u64, usize>,
    /// The number of errors that the API server would report if the unfinished entry were valid, by error ID.
    kept: HashMap<u64, usize>,
}

impl SteadyErrors {
    /// The user types at another place: drops the kept errors, so that only errors that the API server reports remain.
    pub(crate) fn moved(&self) {
        self.lock().kept.clear();
    }

    /// If an error of a later stage was shown as an error before, keeps it one.
    pub(crate) fn apply(&self, shown: &mut [MergedFinding]) {
        let mut known = self.lock();
        let mut now = ErrorCounts::default();
        for it in shown.iter().filter(|it| it.finding.class == Class::Error) {
            *now.reported.entry(name(&it.finding)).or_default() += 1;
        }
        for it in shown.iter_mut().filter(|it| it.finding.class == Class::LaterError) {
            let name = name(&it.finding);
            // The API server may report the same error for another object.
            if known.count(name) > now.count(name) {
                *now.kept.entry(name).or_default() += 1;
                let finding = it.finding.clone();
                it.finding = finding.in_class(Class::Error);
            }
        }
        *known = now;
    }

    /// While the user types an entry that is left out, removes the errors of the objects around it that were not shown before: they may only follow
    /// from the missing entry. Returns for each error whether it stays.
    pub(crate) fn stay(&self, shown: &[MergedFinding], around: &[Span]) -> Vec<bool> {
        let known = self.lock();
        let is_around = |it: &Finding| {
            around
                .iter()
                .any(|line| line.start <= it.span.start && it.span.start <= line.end)
        };
        let is_error = |it: &Finding| matches!(it.class, Class::Error | Class::LaterError);
        let stays = |it: &Finding| !is_error(it) || !is_around(it) || known.count(name(it)) > 0;
        shown.iter().map(|it| stays(&it.finding)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, ErrorCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ErrorCounts {
    /// The number of shown errors with an ID.
    fn count(&self, name: u64) -> usize {
        let count = |of: &HashMap<u64, usize>| of.get(&name).copied().unwrap_or_default();
        count(&self.reported) + count(&self.kept)
    }
}

/// The ID of an error, which does not depend on its position.
fn name(finding: &Finding) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    STATE.hash_one((finding.code, &finding.headline))
}

#[cfg(test)]
mod tests {
    use crd_analyzer_workspace::config::versions::VersionSet;

    use super::*;

    fn shown(classes: &[(Class, &'static str)]) -> Vec<MergedFinding> {
        let one = |(class, code): &(Class, &'static str)| MergedFinding {
            finding: Finding::new(*class, code, Span::new(0, 1), *code),
            versions: VersionSet::default(),
        };
        classes.iter().map(one).collect()
    }

    #[test]
    fn an_error_stays_one_until_somebody_types_elsewhere() {
        let errors = SteadyErrors::default();
        errors.apply(&mut shown(&[(Class::Error, "a")]));
        let later = [
            (Class::Error, "typed"),
            (Class::LaterError, "a"),
            (Class::LaterError, "b"),
        ];
        let classes = |shown: &[MergedFinding]| shown.iter().map(|it| it.finding.class).collect::<Vec<_>>();
        for _ in 0..2 {
            let mut now = shown(&later);
            errors.apply(&mut now);
            assert_eq!(classes(&now), [Class::Error, Class::Error, Class::LaterError]);
        }
        errors.moved();
        let mut now = shown(&later);
        errors.apply(&mut now);
        assert_eq!(classes(&now), [Class::Error, Class::LaterError, Class::LaterError]);
    }

    #[test]
    fn an_error_of_another_object_keeps_none_of_the_same_name() {
        let errors = SteadyErrors::default();
        for _ in 0..3 {
            let mut now = shown(&[(Class::LaterError, "a"), (Class::Error, "a"), (Class::LaterError, "a")]);
            errors.apply(&mut now);
            let classes: Vec<_> = now.iter().map(|it| it.finding.class).collect();
            assert_eq!(classes, [Class::LaterError, Class::Error, Class::LaterError]);
        }
    }
}
