//! How many objects of the workspace fail each constraint of an open CRD, and which of its rules no test makes fail, as far as that is known.

use std::{
    ops,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_ide::lens::objects::{Failing, Objects};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::comparison::since_revision::moved;
use lsp_types::Location;
use ropey::Rope;

/// What is known of one open document. Its places follow edits of the text.
#[derive(Debug)]
pub(crate) struct FailingObjects {
    /// The text that was opened.
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
    /// What tests have not shown.
    pub(crate) words: &'static str,
}

/// A constraint with a lens.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FailingPlace {
    /// The constraint.
    pub(crate) span: Span,
    /// All of it.
    pub(crate) whole: Span,
    /// What it is called.
    pub(crate) name: String,
    pub(crate) failing: Failing,
    /// The objects of the CRD's kind.
    pub(crate) objects: Objects,
    /// Where the objects fail it.
    pub(crate) locations: Arc<[Location]>,
}

impl FailingObjects {
    /// Nothing is known of a document with this text.
    pub(crate) fn new(opened: Rope) -> Self {
        Self {
            opened,
            told: Mutex::default(),
        }
    }

    /// Follows an edit of the text.
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

    /// The text is another one altogether.
    pub(crate) fn forget(&self) {
        let mut told = self.lock();
        told.edits += 1;
        told.places.clear();
        told.untested.clear();
    }

    /// How often the text was edited.
    pub(crate) fn edits(&self) -> u64 {
        self.lock().edits
    }

    /// Takes up what is known of the text after so many edits. Returns whether something else is told now.
    pub(crate) fn set(&self, places: Vec<FailingPlace>, edits: u64) -> bool {
        let mut told = self.lock();
        if told.edits != edits || told.places == places {
            return false;
        }
        told.places = places;
        true
    }

    /// The same for the rules that no test makes fail.
    pub(crate) fn set_untested(&self, untested: Vec<UntestedRule>, edits: u64) -> bool {
        let mut told = self.lock();
        if told.edits != edits || told.untested == untested {
            return false;
        }
        told.untested = untested;
        true
    }

    /// The rules that no test makes fail, in the order of the text.
    pub(crate) fn untested(&self) -> Vec<UntestedRule> {
        self.lock().untested.clone()
    }

    /// The constraints with a lens, in the order of the text.
    pub(crate) fn places(&self) -> Vec<FailingPlace> {
        self.lock().places.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
