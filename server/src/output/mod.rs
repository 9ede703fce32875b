//! The output of all commands, with one file for each format.

mod alike;
mod aside;
mod blocks;
pub(crate) mod compat;
mod concise;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod docs;
pub(crate) mod doctor;
mod error_list;
pub(crate) mod eval;
mod fingerprint;
mod format;
mod github;
mod gitlab;
mod joined;
mod json;
pub(crate) mod json_schema;
mod jsonl;
mod junit;
mod look;
pub(crate) mod missing_packages;
mod not_checked;
pub(crate) mod page;
pub(crate) mod published;
pub(crate) mod render;
mod repeated;
mod sarif;
pub(crate) mod script;
mod several;
pub(crate) mod storage;
mod summary;
mod tap;
pub(crate) mod test;
mod test_data;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod why;

use std::{
    cell::OnceCell,
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

use crd_analyzer_ide::fixes::Fix;
use crd_analyzer_io::write::Unwritten;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    documents::source::SourceText,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, FileReport, HiddenErrors, MergedFinding, Subject},
    roles::Judgement,
};

use crate::input::Unreadable;
pub(crate) use blocks::is_of_tests;
use fingerprint::Fingerprints;

use format::Format;
pub(crate) use format::names as format_names;
pub(crate) use look::{Color, Look, columns};
pub(crate) use repeated::Repeated;
pub(crate) use several::{Output, Outputs};
pub(crate) use summary::{BaselineSummary, Fixable, Summary, kept_patches};

/// A checked file with its diagnostics.
pub(crate) struct File<'a> {
    /// The path as given.
    pub(crate) label: &'a str,
    pub(crate) report: &'a FileReport,
    /// The number of expected errors, which are not displayed.
    expected: usize,
    /// The diagnostics, if the file is test data.
    in_test_data: aside::InTestData,
    /// The displayed diagnostics about the whole file.
    findings: Vec<Finding>,
    /// The displayed diagnostics of each document.
    shown: Vec<Vec<MergedFinding>>,
    /// The fingerprints of the displayed diagnostics, if the run needs them.
    fingerprints: Option<FileFingerprints>,
    /// The diagnostics that the baseline lists, which are not displayed.
    in_baseline: Vec<InBaseline>,
    /// The errors of each document that are not displayed.
    hidden: Vec<HiddenErrors>,
    /// The diagnostics of each document that are not displayed, because another copy of the document's CRD has the same diagnostics.
    of_copies: Vec<Vec<MergedFinding>>,
    /// Whether the user chose the Kubernetes versions.
    pub(crate) is_version_chosen: bool,
    /// Whether the CRDs in the file are the base of a kustomization that could not be built.
    pub(crate) is_base: bool,
    /// The fixes, if the output format needs them.
    pub(crate) fixes: &'a [Fix],
    /// The role of each document in the repository, if the output format shows it.
    pub(crate) roles: &'a [Judgement],
    lines: OnceCell<LineIndex>,
}

/// The fingerprints of the diagnostics of a file, in the order of the diagnostics.
struct FileFingerprints {
    of_file: Vec<String>,
    of_documents: Vec<Vec<String>>,
    /// Creates the fingerprints of diagnostics that are not displayed.
    others: Fingerprints,
    /// The fingerprints that earlier versions wrote into baselines, if they differ from the current ones. The keys are the current fingerprints.
    earlier: HashMap<String, String>,
}

/// A diagnostic that a baseline lists.
struct InBaseline {
    /// The index of the diagnostic's document in the report.
    document: Option<usize>,
    shown: MergedFinding,
    fingerprint: String,
}

impl<'a> File<'a> {
    pub(crate) fn new(label: &'a str, report: &'a FileReport, config: &Config, fixes: &'a [Fix]) -> Self {
        let mut file = Self {
            label,
            report,
            expected: 0,
            in_test_data: aside::InTestData::default(),
            findings: report
                .findings
                .iter()
                .cloned()
                .filter_map(|it| config.apply(it))
                .collect(),
            shown: joined::documents(report, config),
            fingerprints: None,
            in_baseline: Vec::new(),
            hidden: report.documents.iter().map(|it| it.hidden_errors(config)).collect(),
            of_copies: report.documents.iter().map(|_| Vec::new()).collect(),
            is_version_chosen: config.kubernetes_versions.is_some(),
            is_base: false,
            fixes,
            roles: &[],
            lines: OnceCell::new(),
        };
        aside::apply(&mut file);
        file
    }

    /// Computes the fingerprints. This must happen before diagnostics are removed, because equal fingerprints are numbered.
    pub(crate) fn take_fingerprints(&mut self) {
        let (mut prints, lines, text) = (Fingerprints::default(), self.lines(), &*self.report.text);
        let findings = self.findings.iter().map(|it| prints.of(None, it, text, lines));
        let of_file = findings.collect();
        let documents = self.report.documents.iter().zip(&self.shown);
        let (mut earlier_prints, mut earlier) = (Fingerprints::default(), HashMap::new());
        let of_documents = documents.map(|(document, shown)| {
            let shown = shown.iter();
            let print = |it: &MergedFinding| {
                let print = prints.of(Some(document), &it.finding, text, lines);
                let before = earlier_prints.earlier(document, &it.finding, text, lines);
                if before != print {
                    earlier.insert(print.clone(), before);
                }
                print
            };
            shown.map(print).collect()
        });
        self.fingerprints = Some(FileFingerprints {
            of_documents: of_documents.collect(),
            earlier,
            of_file,
            others: prints,
        });
    }

    /// Removes the diagnostics that a baseline lists. The arguments of `lists` are the current fingerprint, and the fingerprint in earlier versions
    /// if it differs.
    pub(crate) fn leave_out_baseline(&mut self, mut lists: impl FnMut((&str, Option<&String>), &Finding) -> bool) {
        let Some(prints) = &mut self.fingerprints else { return };
        let earlier = &prints.earlier;
        let left_out = &mut self.in_baseline;
        let found = std::mem::take(&mut self.findings);
        for (finding, print) in found.into_iter().zip(std::mem::take(&mut prints.of_file)) {
            if lists((&print, None), &finding) {
                let versions = VersionSet::all();
                let shown = MergedFinding { finding, versions };
                left_out.push(InBaseline {
                    document: None,
                    shown,
                    fingerprint: print,
                });
            } else {
                self.findings.push(finding);
                prints.of_file.push(print);
            }
        }
        for (n, (shown, of_document)) in self.shown.iter_mut().zip(&mut prints.of_documents).enumerate() {
            let found = std::mem::take(shown);
            for (it, print) in found.into_iter().zip(std::mem::take(of_document)) {
                if lists((&print, earlier.get(&print)), &it.finding) {
                    self.hidden[n].by_baseline += usize::from(it.finding.class == Class::Error);
                    left_out.push(InBaseline {
                        document: Some(n),
                        shown: it,
                        fingerprint: print,
                    });
                } else {
                    shown.push(it);
                    of_document.push(print);
                }
            }
        }
    }

    /// Removes the diagnostics that were already reported for the kinds of the documents.
    pub(crate) fn leave_out(&mut self, repeated: &mut Repeated) {
        let is_kept: Vec<bool> = self.findings.iter().map(|it| repeated.is_new_of_file(it)).collect();
        let mut kept = is_kept.iter();
        self.findings.retain(|_| kept.next() == Some(&true));
        if let Some(prints) = &mut self.fingerprints {
            let mut kept = is_kept.iter();
            prints.of_file.retain(|_| kept.next() == Some(&true));
        }
        repeated.begin_file();
        for (n, document) in self.report.documents.iter().enumerate() {
            let mut shown = std::mem::take(&mut self.shown[n]);
            let is_new = |it: &MergedFinding| {
                repeated.is_new(document, it) && repeated.is_new_of_crd(self, document, &it.finding)
            };
            let is_kept: Vec<bool> = shown.iter().map(is_new).collect();
            let mut kept = is_kept.iter();
            let left_out = shown.extract_if(.., |_| kept.next() == Some(&false));
            self.of_copies[n] = left_out.filter(|_| document.subject == Subject::Definition).collect();
            self.shown[n] = shown;
            if let Some(prints) = &mut self.fingerprints {
                let mut kept = is_kept.iter();
                prints.of_documents[n].retain(|_| kept.next() == Some(&true));
            }
        }
    }

    /// The documents, with the displayed diagnostics of each.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'a DocumentReport, &[MergedFinding])> {
        self.report.documents.iter().zip(self.shown.iter().map(Vec::as_slice))
    }

    /// The diagnostics of a document, including those that are not displayed because another copy of the CRD has the same diagnostics.
    fn all_of_document(&self, n: usize) -> impl Iterator<Item = &MergedFinding> {
        self.shown[n].iter().chain(&self.of_copies[n])
    }

    /// The highest severity among the displayed diagnostics.
    pub(crate) fn worst(&self) -> Option<Severity> {
        let documents = self.documents().filter_map(|(document, shown)| document.loudest(shown));
        documents.chain(self.findings.iter().map(|it| it.severity)).min()
    }

    /// The line and column of a byte offset, from 1.
    fn position(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.lines().line_column(&self.report.text, offset);
        (line + 1, column + 1)
    }

    /// A finding on one line, as `file:line:column: error[code]: headline`, not escaped.
    fn one_line(&self, finding: &Finding, headline: &str) -> String {
        let (line, column) = self.position(finding.span.start);
        let (label, word, code) = (self.label, finding.word(), finding.code);
        format!("{label}:{line}:{column}: {word}[{code}]: {headline}")
    }

    /// The line index of the text, built on the first call.
    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.report.text))
    }
}

/// The name to print for another file: the path of the file, relative to the working directory if it is inside.
pub(crate) fn label_of(file: &SourceText) -> String {
    label_of_path(&file.path)
}

/// The path to print: relative to the working directory if it is inside.
pub(crate) fn label_of_path(path: &Path) -> String {
    let below = std::env::current_dir()
        .ok()
        .and_then(|folder| path.strip_prefix(folder).ok());
    below.unwrap_or(path).display().to_string()
}

/// The kind and the name of an object, as in `CronTab backup`.
fn name_of(document: &DocumentReport) -> String {
    let kind = match &*document.kind {
        "" => document.subject.name(),
        kind => kind,
    };
    match &*document.name {
        "" => format!("{kind} (document {})", document.index + 1),
        name => format!("{kind} {name}"),
    }
}

/// The error message for a file that could not be written. `label` is the file name to print.
pub(crate) fn unwritten(label: &str, why: &Unwritten) -> String {
    format!("cannot write {label}: {why}")
}

/// A number with a noun in the right form, as in `2 files`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ if what.ends_with('x') => format!("{n} {what}es"),
        _ => format!("{n} {what}s"),
    }
}

/// The first names, and the number of the others.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize, what: &str) -> String {
    let left = names.len().saturating_sub(most);
    let mut named: Vec<String> = names.take(most).map(str::to_owned).collect();
    if left > 0 {
        named.push(counted(left, &format!("more {what}")));
    }
    named.join(", ")
}

/// Prints files one by one, then a summary.
pub(crate) trait Printer {
    /// Prints the results for a file.
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()>;

    /// Prints that a file could not be read.
    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()>;

    /// Prints the summary.
    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: std::time::Duration) -> io::Result<()>;
}
