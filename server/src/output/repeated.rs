//! Diagnostics that say the same in several places: about a kind, which are shown once and not for each resource of the kind, and those of
//! copies of a CRD, which are shown where the first of them is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crd_analyzer_workspace::{
    codes::{DEPRECATED_VERSION, KIND_OF_OTHER_TOOL, KUSTOMIZE_NOT_BUILT, SEVERAL_CRDS, UNUSABLE_CRD},
    findings::finding::Finding,
    findings::report::{DocumentReport, MergedFinding, Subject},
};

use super::{
    File,
    aside::{MOST_FOLDERS, WORDS, folder_of, severity_word},
    counted,
    fingerprint::identity,
    listed,
};

/// The diagnostics that say the same of all resources of a kind.
const OF_KINDS: [&str; 3] = [DEPRECATED_VERSION, SEVERAL_CRDS, UNUSABLE_CRD];

/// Where a diagnostic of a CRD was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    file: usize,
    /// The position of the CRD in its file.
    document: (usize, Option<usize>),
}

/// What was said so far.
#[derive(Default, Debug)]
pub(crate) struct Repeated {
    told: HashSet<(&'static str, String, String)>,
    /// How many diagnostics of each code were left out.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
    /// The CRDs that have diagnostics, by what makes these the same in a copy.
    of_crds: HashMap<u64, Place>,
    /// The diagnostics of copies that were left out.
    pub(crate) of_copies: OfCopies,
    files: usize,
}

/// Diagnostics that are left out because another copy of the CRD has the same.
#[derive(Clone, Default, Debug)]
pub(crate) struct OfCopies {
    /// By their words: `error`.
    by_word: BTreeMap<&'static str, usize>,
    /// Where the copies are.
    folders: BTreeSet<String>,
}

impl OfCopies {
    fn add(&mut self, label: &str, finding: &Finding) {
        *self.by_word.entry(severity_word(finding)).or_default() += 1;
        let folder = folder_of(label);
        if !self.folders.contains(folder) {
            self.folders.insert(folder.to_owned());
        }
    }

    /// All of it in a sentence.
    pub(super) fn words(&self) -> Option<String> {
        let counts = WORDS.iter().filter_map(|it| Some(counted(*self.by_word.get(it)?, it)));
        let counts: Vec<String> = counts.collect();
        if counts.is_empty() {
            return None;
        }
        let folders = listed(self.folders.iter().map(String::as_str), MOST_FOLDERS, "folder");
        Some(format!(
            "Also in copies of these CRDs: {} ({folders})",
            counts.join(", ")
        ))
    }
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

    /// Begins another file.
    pub(super) fn begin_file(&mut self) {
        self.files += 1;
    }

    /// Whether a diagnostic of a CRD says something that no copy in another place had.
    pub(super) fn is_new_of_crd(&mut self, file: &File<'_>, document: &DocumentReport, finding: &Finding) -> bool {
        if document.subject != Subject::Definition || document.name.is_empty() {
            return true;
        }
        let identity = identity(document, finding, &file.report.text, file.lines());
        let here = Place {
            file: self.files,
            // What is built of a CRD has the mistakes of the CRD: that is no copy.
            document: (document.index, document.item),
        };
        let first = *self.of_crds.entry(identity).or_insert(here);
        let is_new = first == here;
        if !is_new {
            self.of_copies.add(file.label, finding);
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
