//! What a lint finds, as data until it is told.

use std::{fmt::Debug, ops::Range};

use crd_analyzer_diagnostic::{Proposal, Words};
use crd_analyzer_schema::field::Path;

use crate::Lint;

/// Something that a lint found.
#[derive(Debug)]
pub struct Found<'l> {
    /// The lint.
    pub lint: &'l Lint,
    /// Where, in the internal form of the CRD.
    pub path: Path,
    /// The part of the string there that is to blame, in bytes; absent if it is all of the value.
    pub bytes: Option<Range<usize>>,
    /// What is wrong.
    pub cause: Box<dyn Cause>,
}

/// What is wrong: the data that words and fixes are made of.
pub trait Cause: Debug {
    /// Says what is wrong at a place, whose path is the one that the author wrote.
    fn tell(&self, place: &Path) -> Told;
}

/// The words of a diagnostic, and the fixes that it proposes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Headline, label, help and notes.
    pub words: Words,
    /// Fixes, the best one first.
    pub proposals: Vec<Proposal>,
}

impl Told {
    /// The same with another fix.
    #[must_use]
    pub fn propose(mut self, proposal: impl Into<Option<Proposal>>) -> Self {
        self.proposals.extend(proposal.into());
        self
    }
}

impl From<Words> for Told {
    /// Words without a fix.
    fn from(words: Words) -> Self {
        Self {
            words,
            proposals: Vec::new(),
        }
    }
}

/// Where a check puts what it finds.
#[derive(Debug)]
pub struct Sink<'s, 'l> {
    lint: &'l Lint,
    found: &'s mut Vec<Found<'l>>,
}

impl<'s, 'l> Sink<'s, 'l> {
    pub(crate) const fn new(lint: &'l Lint, found: &'s mut Vec<Found<'l>>) -> Self {
        Self { lint, found }
    }

    /// The field at a path is to blame.
    pub fn add(&mut self, path: Path, cause: impl Cause + 'static) {
        self.put(path, None, cause);
    }

    /// A part of the string at a path is to blame.
    pub fn add_part(&mut self, path: Path, bytes: Range<usize>, cause: impl Cause + 'static) {
        self.put(path, Some(bytes), cause);
    }

    fn put(&mut self, path: Path, bytes: Option<Range<usize>>, cause: impl Cause + 'static) {
        self.found.push(Found {
            lint: self.lint,
            path,
            bytes,
            cause: Box::new(cause),
        });
    }
}
