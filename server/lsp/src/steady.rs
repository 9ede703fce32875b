//! Errors that stay errors while somebody types: an error in the entry that is being typed keeps the API server from reporting those of
//! its later stages, and that is not news to somebody who is not done.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_workspace::{
    findings::finding::{Class, Finding},
    findings::report::MergedFinding,
};

/// Lines between two edits that count as one place.
pub(crate) const NEAR: usize = 2;

/// The errors of a document that were shown last.
#[derive(Debug, Default)]
pub(crate) struct SteadyErrors(Mutex<ErrorCounts>);

#[derive(Debug, Default)]
struct ErrorCounts {
    /// Those that the API server reports, how many of each name.
    reported: HashMap<u64, usize>,
    /// Those that it would report without the entry that is being typed.
    kept: HashMap<u64, usize>,
}

impl SteadyErrors {
    /// Somebody types somewhere else: what the API server reports now counts.
    pub(crate) fn moved(&self) {
        self.lock().kept.clear();
    }

    /// Shows errors as such that were shown so before and would come after others now.
    pub(crate) fn apply(&self, shown: &mut [MergedFinding]) {
        let mut known = self.lock();
        let mut now = ErrorCounts::default();
        for it in shown.iter().filter(|it| it.finding.class == Class::Error) {
            *now.reported.entry(name(&it.finding)).or_default() += 1;
        }
        for it in shown.iter_mut().filter(|it| it.finding.class == Class::LaterError) {
            let name = name(&it.finding);
            // Another object may have the same error, and the API server reports that one.
            if known.count(name) > now.count(name) {
                *now.kept.entry(name).or_default() += 1;
                let finding = it.finding.clone();
                it.finding = finding.in_class(Class::Error);
            }
        }
        *known = now;
    }

    fn lock(&self) -> MutexGuard<'_, ErrorCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ErrorCounts {
    /// How many errors of a name were shown.
    fn count(&self, name: u64) -> usize {
        let count = |of: &HashMap<u64, usize>| of.get(&name).copied().unwrap_or_default();
        count(&self.reported) + count(&self.kept)
    }
}

/// Names an error wherever it moves to.
fn name(finding: &Finding) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    STATE.hash_one((finding.code, &finding.headline))
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::tree::Span;
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
