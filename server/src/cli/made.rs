//! The manifests that source files are made into, made once in a run.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use crd_analyzer_io::go::GoSources;
use crd_analyzer_workspace::{
    findings::report::FileReport,
    index::{Definitions as _, Files, KnownCrd},
    judging::analysis::Question,
    sources::generated,
    sources::{self, World, made::Manifests},
};

use super::definitions::RunCrds;

/// The language, and the folder or file that the unit is known by.
type UnitKey = (&'static str, PathBuf);

/// The manifests of each unit.
#[derive(Default)]
pub(super) struct MadeOfRun(Mutex<HashMap<UnitKey, Arc<OnceLock<Manifests>>>>);

impl MadeOfRun {
    /// Adds what is wrong with the manifests that a file has a part in to the report on the file.
    pub(super) fn complete(
        &self,
        path: &Path,
        report: &mut FileReport,
        (question, go, known): (&Question<'_>, &GoSources, &RunCrds),
    ) {
        let Some(row) = sources::of(path) else { return };
        let world = Run { go, known };
        let Some(unit) = (row.unit)(path, &report.text, &world) else {
            return;
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let made = all.entry((row.name, unit.root().to_owned())).or_default().clone();
        drop(all);
        let made = made.get_or_init(|| Manifests::new(&*unit));
        made.complete(row, (path, report), (question, |it| known.is_checked(it)));
    }
}

/// The files of a run. No editor has other texts of them.
struct Run<'a> {
    go: &'a GoSources,
    known: &'a RunCrds,
}

impl World for Run<'_> {
    fn go(&self) -> Option<&dyn generated::GoSources> {
        Some(self.go)
    }

    fn crds(&self) -> Vec<Arc<KnownCrd>> {
        self.known.own_crds()
    }

    fn files(&self) -> &dyn Files {
        self.known.files()
    }

    fn open(&self, _: &Path) -> Vec<(PathBuf, Arc<str>)> {
        Vec::new()
    }
}
