//! Diagnostics about a kind, which are shown once and not for each resource of the kind.

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_workspace::{
    codes::{DEPRECATED_VERSION, SEVERAL_CRDS},
    report::{Displayed, DocumentReport},
};

/// The diagnostics that say the same of all resources of a kind.
const OF_KINDS: [&str; 2] = [DEPRECATED_VERSION, SEVERAL_CRDS];

/// What was said of kinds so far.
#[derive(Default, Debug)]
pub(crate) struct Repeated {
    told: HashSet<(&'static str, String, String)>,
    /// How many diagnostics of each code were left out.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

impl Repeated {
    /// Leaves out what was said of the kind of a document before.
    pub(super) fn leave_out(&mut self, document: &DocumentReport, shown: &mut Vec<Displayed>) {
        shown.retain(|it| {
            let code = it.finding.code;
            if !OF_KINDS.contains(&code) {
                return true;
            }
            let is_new = self
                .told
                .insert((code, document.api_version.clone(), document.kind.clone()));
            if !is_new {
                *self.left_out.entry(code).or_default() += 1;
            }
            is_new
        });
    }
}
