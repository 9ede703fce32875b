//! Finds the rules of open CRDs that no test makes fail. The test files of the workspace run after a pause in typing, but only if they or their CRDs
//! have changed.

use std::{collections::HashMap, path::Path, sync::Arc};

use crd_analyzer_suite::{self as suite, coverage::Coverage, definition::Found, run::run};

use crate::{documents::Snapshot, failing_objects::UntestedRule, session::Session, tested_files::Tested};

/// The maximum total size of the test files to run, in bytes.
const MOST_BYTES: usize = 8 << 20;

/// An open document that contains CRDs.
struct OpenCrd {
    label: String,
    snapshot: Snapshot,
    edits: u64,
}

impl Session {
    /// Searches for rules of open CRDs that no test makes fail. Returns the documents whose results have changed. Stops when `goes_on` returns false.
    pub(crate) fn find_untested(self: &Arc<Self>, goes_on: &dyn Fn() -> bool) -> Vec<Snapshot> {
        let open = self.open_crds();
        if open.is_empty() {
            return Vec::new();
        }
        let mut coverage = Coverage::default();
        let mut visited = HashMap::new();
        let mut left = MOST_BYTES;
        for path in self.test_paths() {
            if !goes_on() {
                return Vec::new();
            }
            let Some(text) = self.test_text(&path) else { continue };
            let Some(rest) = left.checked_sub(text.len()) else {
                break;
            };
            left = rest;
            if let Some(tested) = self.tested(&path, text, &open) {
                for (definitions, outcomes) in &tested.runs {
                    coverage.add(definitions, outcomes);
                }
                visited.insert(path, tested);
            }
        }
        self.tested.put(visited);
        let crds = coverage.crds();
        let mut changed = Vec::new();
        for it in open {
            let content = it.snapshot.content();
            let known: Vec<_> = crds.iter().filter(|crd| crd.label == it.label).collect();
            // While a CRD is invalid, none of its rules runs, so keep the last results.
            if it.snapshot.is_stale() || known.iter().any(|it| it.text != content) {
                continue;
            }
            if known.is_empty() && self.tested.have_tests_of(&it.label) {
                continue;
            }
            let rules = known.iter().flat_map(|it| &it.rules);
            let mut rules: Vec<UntestedRule> = rules
                .filter_map(|it| {
                    Some(UntestedRule {
                        span: it.rule.span,
                        words: it.gap()?,
                    })
                })
                .collect();
            rules.sort_by_key(|it| it.span.start);
            // Versions may share a schema through a YAML alias.
            rules.dedup_by_key(|it| it.span);
            if it.snapshot.failing.set_untested(rules, it.edits) {
                changed.push(it.snapshot);
            }
        }
        changed
    }

    fn open_crds(self: &Arc<Self>) -> Vec<OpenCrd> {
        self.sync();
        let documents = self.documents.uris().into_iter();
        let open = documents.filter_map(|uri| {
            let snapshot = self.documents.manifest(&uri)?;
            let path = snapshot.path()?;
            let has_crds = self.workspace.catalog.with(|it| !it.definitions_in(&path).is_empty());
            let is_wanted = has_crds && !self.effective(&snapshot).is_excluded;
            is_wanted.then(|| OpenCrd {
                label: self.label_of(&path),
                edits: snapshot.failing.edits(),
                snapshot,
            })
        });
        open.collect()
    }

    /// Runs a test file if it tests an open CRD. Reuses the last results if nothing has changed.
    fn tested(self: &Arc<Self>, path: &Path, text: Arc<str>, open: &[OpenCrd]) -> Option<Arc<Tested>> {
        let read = suite::read(&text).ok()?;
        let variants = self.tested_crds(path, &read).ok()?;
        let is_open = |it: &Found| open.iter().any(|open| open.label == it.label);
        if !variants.iter().flatten().any(is_open) {
            return None;
        }
        let versions = self.tested_versions(path, read.versions.is_some());
        let known = self.tested.get(path);
        let is_same = |it: &Arc<Tested>| {
            let before = it.runs.iter().map(|it| &it.0);
            it.text == text && it.versions == versions && before.eq(&variants)
        };
        if let Some(known) = known.filter(is_same) {
            return Some(known);
        }
        let runs = variants.into_iter().map(|definitions| {
            let outcomes = run(&read, &definitions, versions, |_| true);
            (definitions, outcomes)
        });
        Some(Arc::new(Tested {
            runs: runs.collect(),
            text,
            versions,
        }))
    }
}
