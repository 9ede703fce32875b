//! What is collected while the builds of a run are added.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::{Problem, Unreadable};

use super::{objects::Key, outside::OutsideOfRun, run::Run, targets::TargetsOfRun};

/// The state collected while adding builds.
#[derive(Default)]
pub(super) struct Adding<'a> {
    /// The objects that a build uses as written.
    pub(super) unchanged: HashSet<Key>,
    /// The objects that a build uses but that are not in its result, because a patch deletes them.
    pub(super) dropped: HashSet<Key>,
    /// The files that failed builds use.
    pub(super) unknown: HashSet<PathBuf>,
    /// The remote bases and files that were already reported.
    pub(super) remote: HashSet<String>,
    /// The findings about kustomizations that were already reported, by span and headline.
    pub(super) told: HashSet<(u32, u32, String)>,
    pub(super) targets: TargetsOfRun,
    pub(super) outside: OutsideOfRun,
    /// The objects that are part of a build but are not checked.
    pub(super) left_out: HashSet<Key>,
    /// The indices of the builds that Flux makes from the repository as it is, without a tool that creates files first.
    pub(super) as_is: HashSet<usize>,
    pub(super) run: Run,
    /// Whether the run checks a file, which then shows its own errors. `None` if it checks none.
    pub(super) is_checked: Option<&'a dyn Fn(&Path) -> bool>,
}

impl Adding<'_> {
    /// The file that a build could not read, if the run checks it.
    pub(super) fn unreadable<'p>(&self, problem: &'p Problem) -> Option<&'p Unreadable> {
        let file = problem.unreadable.as_deref()?;
        self.is_checked.is_some_and(|it| it(&file.path)).then_some(file)
    }
}
