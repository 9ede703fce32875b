//! How many objects of the workspace fail each constraint of an open CRD, as far as that is known.

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
    }

    /// The text is another one altogether.
    pub(crate) fn forget(&self) {
        let mut told = self.lock();
        told.edits += 1;
        told.places.clear();
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

    /// The constraints with a lens, in the order of the text.
    pub(crate) fn places(&self) -> Vec<FailingPlace> {
        self.lock().places.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
