//! Finds out what the tests near a file expect of it.

use std::path::Path;

use crd_analyzer_workspace::{findings::report_roles::Tests, roles::SetByScripts};

use crate::{go_tests::GoTests, kustomize::Kustomizations, read::Access, scripts::Scripts};

/// The tests near a file. They are read with the same access as the file.
#[derive(Clone, Copy, Debug)]
pub struct NearbyTests<'a> {
    /// The kustomizations, and the chainsaw and kyverno tests.
    pub kustomizations: &'a Kustomizations,
    /// Go tests.
    pub go: &'a GoTests,
    /// Shell scripts.
    pub scripts: &'a Scripts,
    /// The access with which the file is read.
    pub access: &'a Access,
}

impl Tests for NearbyTests<'_> {
    fn rejection(&self, path: &Path) -> Option<String> {
        let who = if self.kustomizations.is_rejected(path, self.access) {
            "a test of chainsaw"
        } else if self.go.expect_error(path, self.access) {
            "a Go test"
        } else {
            return None;
        };
        Some(format!("{who} expects an error"))
    }

    fn expects_invalid(&self, path: &Path) -> bool {
        self.kustomizations.is_invalid(path, self.access)
    }

    fn may_apply(&self, path: &Path) -> bool {
        self.kustomizations.is_of_chainsaw(path, self.access) || self.go.apply(path, self.access)
    }

    fn only_looks_at(&self, path: &Path) -> bool {
        self.go.only_look_at(path, self.access)
    }

    fn set_by_scripts(&self, path: &Path) -> SetByScripts {
        self.scripts.near(path, self.access)
    }

    fn reader(&self, path: &Path) -> Option<String> {
        let is_read = self.kustomizations.is_of_kyverno(path, self.access);
        is_read.then(|| "a test of kyverno's command line beside it reads it".to_owned())
    }

    fn go_reader(&self, path: &Path) -> Option<String> {
        let is_read = self.go.only_read(path, self.access);
        is_read.then(|| "a Go test beside it reads it, and nothing else does".to_owned())
    }

    fn vendored(&self, path: &Path) -> Option<String> {
        let is_vendored = self.go.is_vendored(path, self.access);
        is_vendored.then(|| "`vendor` in the path, where Go's tools copy other projects to".to_owned())
    }
}
