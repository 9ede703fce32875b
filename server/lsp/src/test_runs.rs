//! The results of the test files that the user has run.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_suite::{Case, Problem, Suite, run::Outcome};

/// A test file and its results.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) text: Arc<str>,
    /// The tests, or the reasons why the file cannot be read.
    pub(crate) suite: Result<Suite, Vec<Problem>>,
    /// The results for each variant of the CRD, or the reason why the tests cannot run.
    pub(crate) runs: Result<Vec<Run>, Problem>,
}

/// The results of a file's tests for one variant of the CRD.
#[derive(Debug)]
pub(crate) struct Run {
    /// The file of the CRD, if there are several variants.
    pub(crate) variant: Option<String>,
    pub(crate) outcomes: Vec<Outcome>,
}

/// The result of a test, and the variant of the CRD if there are several.
pub(crate) type OutcomeOfVariant<'r> = (Option<&'r str>, &'r Outcome);

impl Ran {
    /// The problems that prevent the tests from running.
    pub(crate) fn problems(&self) -> &[Problem] {
        match (&self.suite, &self.runs) {
            (Err(problems), _) => problems,
            (Ok(_), Err(problem)) => std::slice::from_ref(problem),
            (Ok(_), Ok(_)) => &[],
        }
    }

    /// All results, each with its variant.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = OutcomeOfVariant<'_>> {
        let runs = self.runs.iter().flatten();
        runs.flat_map(|run| run.outcomes.iter().map(|it| (run.variant.as_deref(), it)))
    }

    /// The tests of the file, each with its results.
    pub(crate) fn by_case(&self) -> Vec<(&Case, Vec<OutcomeOfVariant<'_>>)> {
        let cases = self.suite.as_ref().map_or(&[][..], |it| &it.cases);
        let mut found: Vec<_> = cases.iter().map(|it| (it, Vec::new())).collect();
        for outcome in self.outcomes() {
            if let Some(it) = found.get_mut(outcome.1.case) {
                it.1.push(outcome);
            }
        }
        found
    }
}

/// The results of the test files that the user has run, by path.
#[derive(Debug, Default)]
pub(crate) struct TestRuns(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug)]
struct Known {
    /// See [`crate::checked_files::CheckedFiles::changes`].
    changes: u64,
    ran: Arc<Ran>,
}

impl TestRuns {
    /// The results of a file, if nothing has changed since.
    pub(crate) fn get(&self, path: &Path, changes: u64) -> Option<Arc<Ran>> {
        let known = self.lock();
        known
            .get(path)
            .filter(|it| it.changes == changes)
            .map(|it| it.ran.clone())
    }

    /// Keeps the results of a file, and drops those of files that are no longer wanted.
    pub(crate) fn put(&self, path: PathBuf, changes: u64, ran: Arc<Ran>, is_wanted: impl Fn(&Path) -> bool) {
        let mut known = self.lock();
        known.retain(|path, _| is_wanted(path));
        known.insert(path, Known { changes, ran });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
