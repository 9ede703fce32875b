//! Diagnostics about a kind, which are shown once and not for each resource of the kind.

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_workspace::{
    codes::{DEPRECATED_VERSION, KIND_OF_OTHER_TOOL, KUSTOMIZE_NOT_BUILT, SEVERAL_CRDS, UNUSABLE_CRD},
    finding::Finding,
    report::{DocumentReport, MergedFinding},
};

/// The diagnostics that say the same of all resources of a kind.
const OF_KINDS: [&str; 3] = [DEPRECATED_VERSION, SEVERAL_CRDS, UNUSABLE_CRD];

/// What was said of kinds so far.
#[derive(Default, Debug)]
pub(crate) struct Repeated {
    told: HashSet<(&'static str, String, String)>,
    /// How many diagnostics of each code were left out.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

impl Repeated {
    /// Whether a diagnostic of a document says something new.
    pub(super) fn is_new(&mut self, document: &DocumentReport, shown: &MergedFinding) -> bool {
        let code = shown.finding.code;
        if !OF_KINDS.contains(&code) {
            return true;
        }
        let of = (code, document.api_version.clone(), document.kind.clone());
        let is_new = self.told.insert(of);
        if !is_new {
            *self.left_out.entry(code).or_default() += 1;
        }
        is_new
    }

    /// Whether a diagnostic about a file as a whole says something new.
    pub(super) fn is_new_of_file(&mut self, finding: &Finding) -> bool {
        let code = finding.code;
        if ![KIND_OF_OTHER_TOOL, KUSTOMIZE_NOT_BUILT].contains(&code) {
            return true;
        }
        let is_new = self.told.insert((code, finding.headline.clone(), String::new()));
        if !is_new {
            *self.left_out.entry(code).or_default() += 1;
        }
        is_new
    }
}
