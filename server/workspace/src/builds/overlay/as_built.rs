//! The objects that kustomizations and Flux build from one file. The result is kept for later texts of the file until the next build.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_syntax::{common, tree::Span};

use super::{Key, Overlays, own_errors::take_repeats};
use crate::{
    codes::INVALID_YAML,
    comparison::revision,
    filled_in::variables::Variables,
    findings::finding::{Class, Finding},
    findings::report::{DocumentReport, DocumentVerdict, FileReport, Subject},
    findings::same::mark_repeats,
    judging::{
        analysis::analyze,
        hazards::Search,
        local::is_local,
        question::{Around, BuiltDocuments, Question, Wants},
    },
    sources,
};

/// The results for the objects that kustomizations and Flux build from one file.
#[derive(Default, Debug)]
pub struct AsBuilt {
    /// The text that the spans refer to.
    text: Arc<str>,
    /// The documents and items that are checked only as built, and not as written.
    built: HashSet<(usize, Option<usize>)>,
    is_patch: bool,
    is_open: bool,
    /// The language of the file, if manifests are generated from it.
    row: Option<&'static sources::Row>,
    variables: Option<Arc<Variables>>,
    /// Whether Flux certainly substitutes the variables, except in the documents with these indices.
    is_substituted: bool,
    switched_off: BTreeSet<usize>,
    findings: Vec<Finding>,
    documents: Vec<DocumentReport>,
    /// The files that the kustomizations read or tried to read.
    files: HashSet<Arc<Path>>,
    /// The errors of the documents as they are written. The builds may correct them.
    written: HashSet<Written>,
}

/// An error of a document or an item as written: the place of the document, the code and the headline.
type Written = (usize, Option<usize>, &'static str, String);

/// An error of the document or item at a place.
fn written((index, item): (usize, Option<usize>), finding: &Finding) -> Written {
    (index, item, finding.code, finding.headline.clone())
}

fn all_written(report: &FileReport) -> HashSet<Written> {
    let of_document = |it: &DocumentReport| {
        let findings = it.verdicts.iter().flat_map(|it| it.1.findings());
        findings
            .map(|finding| written((it.index, it.item), finding))
            .collect::<Vec<_>>()
    };
    report.documents.iter().flat_map(of_document).collect()
}

impl AsBuilt {
    /// Checks the objects that the kustomizations build from the file at `path`, whose text is `text`.
    pub fn new(overlays: &Overlays, path: &Path, text: &Arc<str>, question: &Question<'_>) -> Self {
        let mut report = FileReport::empty(text.clone());
        overlays.complete(path, &mut report, question);
        let of_file = |it: &&Key| it.0 == path;
        Self {
            text: text.clone(),
            built: overlays.built.iter().filter(of_file).map(|it| (it.1, it.2)).collect(),
            is_patch: overlays.patches.contains(path),
            is_open: overlays.is_open(path),
            row: None,
            variables: overlays.variables(path),
            is_substituted: overlays.takers.is_substituted(path),
            switched_off: overlays.takers.switched_off(path).cloned().unwrap_or_default(),
            findings: report.findings,
            documents: report.documents,
            files: overlays.files().cloned().collect(),
            written: HashSet::new(),
        }
    }

    /// Notes the errors of the text as written, so that a new one is shown while the user types, see [`AsBuilt::apply`].
    #[must_use]
    pub fn with_written(mut self, question: &Question<'_>) -> Self {
        if self.built.is_empty() && !self.is_patch {
            return self;
        }
        let question = Question {
            around: Around {
                overlays: Some(&self),
                ..question.around
            },
            wants: Wants {
                hazards: Search::Off,
                costs: false,
                ..question.wants
            },
            ..*question
        };
        let report = analyze(self.text.as_bytes().to_vec(), &question);
        self.written = all_written(&report);
        self
    }

    /// The diagnostics about the manifests that are generated from a source file with this text.
    /// `findings` are not about one of the manifests.
    pub fn of_source(
        row: &'static sources::Row,
        text: &Arc<str>,
        documents: Vec<DocumentReport>,
        findings: Vec<Finding>,
    ) -> Self {
        Self {
            text: text.clone(),
            row: Some(row),
            documents,
            findings,
            ..Self::default()
        }
    }

    /// Diagnostics about a manifest as a whole, for example that its source is newer.
    pub fn of_manifest(text: &Arc<str>, findings: Vec<Finding>) -> Self {
        Self {
            text: text.clone(),
            findings,
            ..Self::default()
        }
    }

    /// Whether the objects of the file may be incomplete as written, because a build that failed may complete them.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether the file patches objects of other files.
    pub fn is_patch(&self) -> bool {
        self.is_patch
    }

    /// Whether the API server rejects an object of the file as built.
    pub fn has_errors(&self) -> bool {
        self.documents.iter().any(DocumentReport::has_errors)
    }

    /// Whether a change of one of these files may change this result.
    pub fn depends_on(&self, paths: &HashSet<PathBuf>) -> bool {
        paths.iter().any(|it| self.files.contains(it.as_path()))
    }

    /// The files that the result depends on.
    pub fn files(&self) -> impl Iterator<Item = &Arc<Path>> {
        self.files.iter()
    }

    /// Whether an earlier result equals this one after moving its spans to this text.
    pub fn is_said_by(&self, earlier: &Self) -> bool {
        let moved = Moved::new(&earlier.text, &self.text);
        let of_verdicts = |documents: Vec<DocumentReport>| {
            let named = |it: DocumentReport| (it.index, it.item, it.name, it.verdicts);
            documents.into_iter().map(named).collect::<Vec<_>>()
        };
        let flags = |it: &Self| [it.is_patch, it.is_open, it.is_substituted];
        let facts = |it: &Self| (it.variables.clone(), it.switched_off.clone());
        flags(self) == flags(earlier)
            && self.built == earlier.built
            && facts(self) == facts(earlier)
            && self.findings == moved.findings(&earlier.findings)
            && of_verdicts(self.documents.clone()) == of_verdicts(moved.documents(&earlier.documents))
    }

    /// In a report on this text or a later one, replaces the diagnostics about documents as written with those about the built objects. Where the
    /// text has changed, new errors stay until the next build, and errors that the change has corrected go.
    pub fn apply(&self, report: &mut FileReport) {
        let moved = Moved::new(&self.text, &report.text);
        let edited = moved.edited(&report.text);
        let now = edited.map(|_| all_written(report));
        for document in &mut report.documents {
            let is_built =
                self.built.contains(&(document.index, document.item)) || self.is_patch && document.item.is_none();
            if !is_built {
                continue;
            }
            let is_crd = document.subject == Subject::Definition && !self.is_patch;
            let place = (document.index, document.item);
            let is_new = |it: &Finding| {
                let is_there = edited.is_some_and(|edited| edited.touches(it.span.start));
                let is_certain = it.class == Class::Error && (is_crd || it.code == INVALID_YAML || is_local(it.code));
                is_there && is_certain && !self.written.contains(&written(place, it))
            };
            for (_, verdict) in &mut document.verdicts {
                verdict.unfinished.clear();
                // Keep the hints about updates, because the stored object may not be built differently.
                verdict.retain_mut(|it| revision::is_about_update(it) || is_new(it));
            }
        }
        report.findings.extend(moved.findings(&self.findings));
        let mut built = moved.documents(&self.documents);
        if let Some(now) = now {
            for document in &mut built {
                let place = (document.index, document.item);
                let is_gone = |it: &Finding| {
                    let written = written(place, it);
                    self.written.contains(&written) && !now.contains(&written)
                };
                for (_, verdict) in &mut document.verdicts {
                    verdict.retain_mut(|it| !is_gone(it));
                }
            }
        }
        report.documents.extend(built);
        report.documents.sort_by_key(|it| (it.index, it.item));
        mark_repeats(report);
        take_repeats(report);
        if let Some(row) = self
            .row
            .filter(|_| !(self.documents.is_empty() && self.findings.is_empty()))
        {
            (row.silence)(report);
        }
    }
}

impl BuiltDocuments for AsBuilt {
    fn variables(&self, _: &Path) -> Option<Arc<Variables>> {
        self.variables.clone()
    }

    fn substituted(&self, _: &Path, index: usize) -> Option<Arc<Variables>> {
        let is_certain = self.is_substituted && !self.switched_off.contains(&index);
        is_certain.then(|| self.variables.clone()).flatten()
    }

    /// Always false, so that the text is checked as written, too. [`AsBuilt::apply`] later removes the diagnostics that do not apply.
    fn is_built(&self, _: &Path, _: usize, _: Option<usize>) -> bool {
        false
    }
}

/// Maps spans of a text to a later text that differs from it in one place.
struct Moved {
    /// The length of the common start of both texts, in bytes.
    before: u32,
    /// The offset in the earlier text at which the common end of both texts starts.
    after: u32,
    /// The number of bytes by which the common end moves.
    by: i64,
    end: u32,
}

impl Moved {
    fn new(earlier: &str, later: &str) -> Self {
        let (a, b) = (earlier.as_bytes(), later.as_bytes());
        let before = common::ahead(a, b);
        let same = common::behind(&a[before..], &b[before..]);
        Self {
            before: before as u32,
            after: (a.len() - same) as u32,
            by: b.len() as i64 - a.len() as i64,
            end: b.len() as u32,
        }
    }

    /// The lines of the later text that have changed. `None` if the texts are the same.
    fn edited(&self, later: &str) -> Option<Span> {
        let end = (i64::from(self.after) + self.by) as u32;
        if end == self.before && self.by == 0 {
            return None;
        }
        let bytes = later.as_bytes();
        let start = bytes[..self.before as usize]
            .iter()
            .rposition(|it| *it == b'\n')
            .map_or(0, |it| it as u32 + 1);
        let rest = bytes[end as usize..]
            .iter()
            .position(|it| *it == b'\n')
            .map_or(bytes.len() as u32 - end, |it| it as u32);
        Some(Span::new(start, end + rest))
    }

    /// The span in the later text. `None` if the text in the span has changed.
    fn span(&self, span: Span) -> Option<Span> {
        if span.end <= self.before {
            return Some(span);
        }
        let moved = |it: u32| (i64::from(it) + self.by) as u32;
        (span.start >= self.after).then(|| Span::new(moved(span.start), moved(span.end)))
    }

    /// The span of a document in the later text. The document's text may have changed.
    fn outer(&self, span: Span) -> Span {
        let moved = |it: u32| (i64::from(it) + self.by).clamp(0, i64::from(self.end)) as u32;
        let start = if span.start <= self.before {
            span.start
        } else {
            moved(span.start)
        };
        Span::new(
            start,
            if span.end <= self.before {
                span.end
            } else {
                moved(span.end).max(start)
            },
        )
    }

    fn finding(&self, finding: &mut Finding) -> bool {
        let Some(span) = self.span(finding.span) else {
            return false;
        };
        finding.span = span;
        finding.related.retain_mut(|it| {
            let moved = if it.file.is_some() {
                Some(it.span)
            } else {
                self.span(it.span)
            };
            it.span = moved.unwrap_or(it.span);
            moved.is_some()
        });
        true
    }

    fn findings(&self, findings: &[Finding]) -> Vec<Finding> {
        let moved = findings.iter().filter_map(|it| {
            let mut it = it.clone();
            self.finding(&mut it).then_some(it)
        });
        moved.collect()
    }

    fn documents(&self, documents: &[DocumentReport]) -> Vec<DocumentReport> {
        let mut documents = documents.to_vec();
        for document in &mut documents {
            document.span = self.outer(document.span);
            for (_, verdict) in &mut document.verdicts {
                let DocumentVerdict { unfinished, .. } = verdict;
                unfinished.retain_mut(|it| self.finding(it));
                verdict.retain_mut(|it| self.finding(it));
            }
        }
        documents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(earlier: &str, later: &str, span: &str, expected: Option<&str>) {
        let start = earlier.find(span).expect("the span") as u32;
        let moved = Moved::new(earlier, later).span(Span::new(start, start + span.len() as u32));
        assert_eq!(moved.map(|it| &later[it.range()]), expected);
    }

    #[test]
    fn spans_move_with_the_text() {
        check("a: 1\nb: 2\n", "a: 1\nb: 2\n", "b", Some("b"));
        check("a: 1\nb: 2\n", "a: 12\nb: 2\n", "b", Some("b"));
        check("a: 1\nb: 2\n", "a: 12\nb: 2\n", "a", Some("a"));
        check("a: 17\nb: 2\n", "\nb: 2\n", "b: 2", Some("b: 2"));
        check("a: 1\nb: 2\n", "a: 1\nb: 3\n", "2", None);
        check("a: ä\nb: 2\n", "a: ö\nb: 2\n", "ä", None);
        check("a: ä\nb: 2\n", "a: ö\nb: 2\n", "b", Some("b"));
        check("aaa", "aa", "aaa", None);
        check("a", "", "a", None);
        check("", "b", "", Some(""));
    }

    #[test]
    fn spans_of_documents_keep_to_the_text() {
        for (earlier, later) in [
            ("a: 1\n---\nb: 2\n", "a: 1\n"),
            ("a: 1\n---\nb: 2\n", ""),
            ("", "a: 1"),
            ("ab", "aab"),
        ] {
            let moved = Moved::new(earlier, later);
            for start in 0..=earlier.len() as u32 {
                for end in start..=earlier.len() as u32 {
                    let span = moved.outer(Span::new(start, end));
                    assert!(
                        span.start <= span.end && span.end as usize <= later.len(),
                        "{span:?} of {later:?}"
                    );
                }
            }
        }
    }
}
