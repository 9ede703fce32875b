//! What requests for fixes find out about one version of a document. An editor requests the fixes whenever the cursor rests, and again when the user
//! opens the menu: the second answer should not take as long as the first.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_workspace::{
    documents::last_trees::LastTrees,
    findings::report::FileReport,
    index::Fingerprint,
    judging::analysis::{Question, analyze_edited},
};
use lsp_types::{CodeActionKind, CodeActionResponse, Range};

/// The maximum number of bytes in the texts whose reports are kept.
const MOST_BYTES: usize = 16 << 20;

/// The reports on texts that fixes would produce, and the last answer.
#[derive(Debug, Default)]
pub(crate) struct TriedTexts {
    reports: Mutex<Reports>,
    /// The trees of the text that was tried last, which differs from the next one in a few lines.
    last_trees: Arc<LastTrees>,
    answer: Mutex<Option<Answer>>,
}

#[derive(Debug, Default)]
struct Reports {
    known: HashMap<(PathBuf, Fingerprint), FileReport>,
    bytes: usize,
}

/// The fixes in a range of the document.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The range of the request.
    pub(crate) range: Range,
    /// The kinds of fixes that were requested.
    pub(crate) only: Option<Vec<CodeActionKind>>,
    /// The fixes.
    pub(crate) actions: CodeActionResponse,
}

impl TriedTexts {
    /// The report on a text of the file at `path`.
    pub(crate) fn judge(&self, (path, text): (&Path, &str), question: &Question<'_>) -> FileReport {
        let key = (path.to_owned(), Fingerprint::of(text));
        if let Some(known) = lock(&self.reports).known.get(&key) {
            return known.clone();
        }
        let report = analyze_edited(text.into(), question, &self.last_trees);
        let mut reports = lock(&self.reports);
        if reports.bytes + text.len() <= MOST_BYTES {
            reports.bytes += text.len();
            reports.known.insert(key, report.clone());
        }
        report
    }

    /// The answer to a request, if the last request was the same.
    pub(crate) fn answer(&self, range: Range, only: Option<&[CodeActionKind]>) -> Option<CodeActionResponse> {
        let answer = lock(&self.answer);
        let known = answer.as_ref();
        let same = known.filter(|it| it.range == range && it.only.as_deref() == only);
        same.map(|it| it.actions.clone())
    }

    /// Keeps the answer to a request.
    pub(crate) fn keep(&self, answer: Answer) {
        *lock(&self.answer) = Some(answer);
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
