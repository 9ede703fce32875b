//! Removes repeated diagnostics. Diagnostics about a kind are shown once, not for each resource of the kind. Diagnostics of copies of a CRD are only
//! shown in the first copy.

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

/// The codes whose diagnostics are the same for all resources of a kind.
const OF_KINDS: [&str; 3] = [DEPRECATED_VERSION, SEVERAL_CRDS, UNUSABLE_CRD];

/// The location of a CRD with a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    file: usize,
    /// The index of the document, and the index of the item in it.
    document: (usize, Option<usize>),
}

/// The diagnostics reported so far.
#[derive(Default, Debug)]
pub(crate) struct Repeated {
    told: HashSet<(&'static str, String, String)>,
    /// The number of removed diagnostics of each code.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
    /// The first CRD with each diagnostic. The key identifies the diagnostic, and is the same in all copies.
    of_crds: HashMap<u64, Place>,
    /// The removed diagnostics of copies.
    pub(crate) of_copies: OfCopies,
    files: usize,
}

/// The number of diagnostics that were removed because another copy of the CRD has the same diagnostics.
#[derive(Clone, Default, Debug)]
pub(crate) struct OfCopies {
    /// The number of diagnostics by the name of the severity, such as `error`.
    by_word: BTreeMap<&'static str, usize>,
    /// The folders of the copies.
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

    /// Describes these numbers in a sentence.
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
    /// Whether a diagnostic was not reported yet for the kind of its document.
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

    /// Starts a new file.
    pub(super) fn begin_file(&mut self) {
        self.files += 1;
    }

    /// Whether this diagnostic has not occurred in a copy of the CRD in another place.
    pub(super) fn is_new_of_crd(&mut self, file: &File<'_>, document: &DocumentReport, finding: &Finding) -> bool {
        if document.subject != Subject::Definition || document.name.is_empty() {
            return true;
        }
        let identity = identity(document, finding, &file.report.text, file.lines());
        let here = Place {
            file: self.files,
            // Several builds of the same CRD repeat its mistakes, but they are not copies.
            document: (document.index, document.item),
        };
        let first = *self.of_crds.entry(identity).or_insert(here);
        let is_new = first == here;
        if !is_new {
            self.of_copies.add(file.label, finding);
        }
        is_new
    }

    /// Whether a diagnostic about a whole file was not reported yet.
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
