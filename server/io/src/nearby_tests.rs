//! What the tests near a file say of it.

use std::path::Path;

use crd_analyzer_workspace::report_roles::Tests;

use crate::{go_tests::GoTests, kustomize::Kustomizations, read::Access};

/// The tests near a file, read as the file is.
#[derive(Clone, Copy, Debug)]
pub struct NearbyTests<'a> {
    /// Those of chainsaw.
    pub kustomizations: &'a Kustomizations,
    /// Those in Go.
    pub go: &'a GoTests,
    /// How the file is read.
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
}
