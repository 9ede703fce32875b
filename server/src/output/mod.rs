//! What is printed: one file a format.

mod aside;
mod blocks;
pub(crate) mod compat;
mod concise;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod docs;
pub(crate) mod doctor;
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
pub(crate) use summary::{BaselineSummary, Fixable, Summary};

/// One checked file.
pub(crate) struct File<'a> {
    /// The path as it was given.
    pub(crate) label: &'a str,
    pub(crate) report: &'a FileReport,
    /// How many errors are expected, and not displayed.
    expected: usize,
    /// The diagnostics of data that only tests read.
    in_test_data: aside::InTestData,
    /// The displayed diagnostics about the file as a whole.
    findings: Vec<Finding>,
    /// The displayed diagnostics of each document.
    shown: Vec<Vec<MergedFinding>>,
    /// What makes them the same in a later run, if that was wanted.
    fingerprints: Option<FileFingerprints>,
    /// Those that a baseline lists, so that they are not displayed.
    in_baseline: Vec<InBaseline>,
    /// The errors that are not shown of each document.
    hidden: Vec<HiddenErrors>,
    /// The diagnostics of each document that are not shown again, since another copy of its CRD has the same.
    of_copies: Vec<Vec<MergedFinding>>,
    /// Somebody chose the Kubernetes versions.
    pub(crate) is_version_chosen: bool,
    /// The CRDs in it are whole, and something unknown completes them.
    pub(crate) is_base: bool,
    /// Repairs, if they were looked for.
    pub(crate) fixes: &'a [Fix],
    /// What each document is to the repository, if that was wanted.
    pub(crate) roles: &'a [Judgement],
    lines: OnceCell<LineIndex>,
}

/// What makes the diagnostics of a file the same in a later run, in the order of the diagnostics.
struct FileFingerprints {
    of_file: Vec<String>,
    of_documents: Vec<Vec<String>>,
    /// Makes those of diagnostics that are not displayed.
    others: Fingerprints,
    /// Those that earlier versions wrote into baselines, by those of now, where they differ.
    earlier: HashMap<String, String>,
}

/// A diagnostic that a baseline lists.
struct InBaseline {
    /// The position of its document among the documents of the report.
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

    /// Finds out what makes its diagnostics the same in a later run. Before any of them is left out, which would change the numbers of others.
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

    /// Leaves out the diagnostics that a baseline lists, by their fingerprints: those of now, and those of earlier versions where they differ.
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

    /// Leaves out what was said before of the kinds of its documents.
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

    /// Its documents, with the displayed diagnostics of each.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'a DocumentReport, &[MergedFinding])> {
        self.report.documents.iter().zip(self.shown.iter().map(Vec::as_slice))
    }

    /// The diagnostics of a document, those that are not shown again since a copy has the same among them.
    fn all_of_document(&self, n: usize) -> impl Iterator<Item = &MergedFinding> {
        self.shown[n].iter().chain(&self.of_copies[n])
    }

    /// The highest severity of its displayed diagnostics.
    pub(crate) fn worst(&self) -> Option<Severity> {
        let documents = self.documents().filter_map(|(document, shown)| document.loudest(shown));
        documents.chain(self.findings.iter().map(|it| it.severity)).min()
    }

    /// Line and column of a byte, from 1.
    fn position(&self, offset: u32) -> (u32, u32) {
        let (line, column) = self.lines().line_column(&self.report.text, offset);
        (line + 1, column + 1)
    }

    /// A finding in one line: `file:line:column: error[code]: headline`, not escaped.
    fn one_line(&self, finding: &Finding, headline: &str) -> String {
        let (line, column) = self.position(finding.span.start);
        let (label, word, code) = (self.label, finding.word(), finding.code);
        format!("{label}:{line}:{column}: {word}[{code}]: {headline}")
    }

    /// The lines of its text, made when the first place is printed.
    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.report.text))
    }
}

/// The name to print for another file than the one that was asked about: its path, below the working directory if it is there.
pub(crate) fn label_of(file: &SourceText) -> String {
    label_of_path(&file.path)
}

/// A path as it is printed: below the working directory if it is there.
pub(crate) fn label_of_path(path: &Path) -> String {
    let below = std::env::current_dir()
        .ok()
        .and_then(|folder| path.strip_prefix(folder).ok());
    below.unwrap_or(path).display().to_string()
}

/// What an object is called: `CronTab backup`.
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

/// That a file could not be written, with its name as it is printed.
pub(crate) fn unwritten(label: &str, why: &Unwritten) -> String {
    format!("cannot write {label}: {why}")
}

/// A number of things in words.
pub(crate) fn counted(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ if what.ends_with('x') => format!("{n} {what}es"),
        _ => format!("{n} {what}s"),
    }
}

/// The first of several names, and how many more there are.
pub(crate) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize, what: &str) -> String {
    let left = names.len().saturating_sub(most);
    let mut named: Vec<String> = names.take(most).map(str::to_owned).collect();
    if left > 0 {
        named.push(counted(left, &format!("more {what}")));
    }
    named.join(", ")
}

/// Prints files one after the other, then a summary.
pub(crate) trait Printer {
    /// Prints what there is to say about one file.
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()>;

    /// Prints that a file could not be read.
    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()>;

    /// Prints the end.
    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: std::time::Duration) -> io::Result<()>;
}
