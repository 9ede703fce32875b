//! The findings of lints, as data for messages.

use std::{fmt::Debug, ops::Range};

use crd_analyzer_diagnostic::{Proposal, Words};
use crd_analyzer_schema::field::Path;

use crate::Lint;

/// A finding of a lint.
#[derive(Debug)]
pub struct Found<'l> {
    /// The lint.
    pub lint: &'l Lint,
    /// The path in the internal form of the CRD.
    pub path: Path,
    /// The byte range in the string at that path; `None` if the finding is about the whole value.
    pub bytes: Option<Range<usize>>,
    /// The problem.
    pub cause: Box<dyn Cause>,
}

/// A problem: the data for its message and its fixes.
pub trait Cause: Debug {
    /// Describes the problem. `place` is its path in the author's document.
    fn tell(&self, place: &Path) -> Told;
}

/// The message of a diagnostic, and its quick fixes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Headline, label, help and notes.
    pub words: Words,
    /// Quick fixes, the best one first.
    pub proposals: Vec<Proposal>,
}

impl Told {
    /// Adds another fix.
    #[must_use]
    pub fn propose(mut self, proposal: impl Into<Option<Proposal>>) -> Self {
        self.proposals.extend(proposal.into());
        self
    }
}

impl From<Words> for Told {
    /// A message without fixes.
    fn from(words: Words) -> Self {
        Self {
            words,
            proposals: Vec::new(),
        }
    }
}

/// Collects the findings of a check.
#[derive(Debug)]
pub struct Sink<'s, 'l> {
    lint: &'l Lint,
    found: &'s mut Vec<Found<'l>>,
}

impl<'s, 'l> Sink<'s, 'l> {
    pub(crate) const fn new(lint: &'l Lint, found: &'s mut Vec<Found<'l>>) -> Self {
        Self { lint, found }
    }

    /// Adds a finding for the field at a path.
    pub fn add(&mut self, path: Path, cause: impl Cause + 'static) {
        self.put(path, None, cause);
    }

    /// Adds a finding for a part of the string at a path.
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
