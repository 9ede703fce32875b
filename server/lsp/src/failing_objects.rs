//! Stores how many objects of the workspace fail each constraint of an open CRD, and which of its rules no test makes fail.

use std::{
    ops,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_ide::lens::objects::{Failing, Objects};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::comparison::since_revision::moved;
use lsp_types::Location;
use ropey::Rope;

/// The failing constraints of one open document. Their positions follow edits of the text.
#[derive(Debug)]
pub(crate) struct FailingObjects {
    /// The text of the document when it was opened.
    pub(crate) opened: Rope,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    edits: u64,
    places: Vec<FailingPlace>,
    untested: Vec<UntestedRule>,
}

/// A rule that no test makes fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UntestedRule {
    /// The expression.
    pub(crate) span: Span,
    /// What the tests lack, as the lens says it: for example, that no test evaluates the rule.
    pub(crate) words: &'static str,
}

/// A constraint with a lens.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FailingPlace {
    /// The span of the constraint, where the lens is.
    pub(crate) span: Span,
    /// The span of the whole constraint, including its value.
    pub(crate) whole: Span,
    /// The name of the constraint for people.
    pub(crate) name: String,
    pub(crate) failing: Failing,
    /// The numbers of checked and unchecked objects of the CRD's kind.
    pub(crate) objects: Objects,
    /// The locations at which objects fail the constraint.
    pub(crate) locations: Arc<[Location]>,
}

impl FailingObjects {
    /// The initial state for a document with this text: no failures are known yet.
    pub(crate) fn new(opened: Rope) -> Self {
        Self {
            opened,
            told: Mutex::default(),
        }
    }

    /// Adjusts the positions after an edit of the text.
    pub(crate) fn edited(&self, range: &ops::Range<usize>, inserted: usize) {
        let mut told = self.lock();
        told.edits += 1;
        told.places.retain_mut(|it| {
            let moved = |span| moved(span, range, inserted);
            let Some((span, whole)) = moved(it.span).zip(moved(it.whole)) else {
                return false;
            };
            (it.span, it.whole) = (span, whole);
            true
        });
        told.untested.retain_mut(|it| {
            let span = moved(it.span, range, inserted);
            it.span = span.unwrap_or(it.span);
            span.is_some()
        });
    }

    /// Drops all places, because the whole text was replaced.
    pub(crate) fn forget(&self) {
        let mut told = self.lock();
        told.edits += 1;
        told.places.clear();
        told.untested.clear();
    }

    /// The number of edits of the text so far.
    pub(crate) fn edits(&self) -> u64 {
        self.lock().edits
    }

    /// Stores the places for the text after the given number of edits. Returns whether the stored places have changed.
    pub(crate) fn set(&self, places: Vec<FailingPlace>, edits: u64) -> bool {
        let mut told = self.lock();
        if told.edits != edits || told.places == places {
            return false;
        }
        told.places = places;
        true
    }

    /// Like [`Self::set`], for the rules that no test makes fail.
    pub(crate) fn set_untested(&self, untested: Vec<UntestedRule>, edits: u64) -> bool {
        let mut told = self.lock();
        if told.edits != edits || told.untested == untested {
            return false;
        }
        told.untested = untested;
        true
    }

    /// The rules that no test makes fail, in document order.
    pub(crate) fn untested(&self) -> Vec<UntestedRule> {
        self.lock().untested.clone()
    }

    /// The constraints with a lens, in document order.
    pub(crate) fn places(&self) -> Vec<FailingPlace> {
        self.lock().places.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
