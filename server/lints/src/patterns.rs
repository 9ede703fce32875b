//! The sets of strings that the patterns of a CRD match.

use std::{cell::RefCell, collections::HashMap};

use crd_analyzer_goregexp::{Extent, extent};

/// Cached results for the patterns of a CRD. They are cached because most patterns occur several times.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RefCell<HashMap<String, Extent>>);

impl Patterns {
    /// Whether a pattern matches all, some or no strings. The result is `Some` for an invalid pattern, because another check reports the error.
    pub(crate) fn extent(&self, pattern: &str) -> Extent {
        let mut known = self.0.borrow_mut();
        if let Some(known) = known.get(pattern) {
            return *known;
        }
        let extent = extent(pattern).unwrap_or(Extent::Some);
        known.insert(pattern.to_owned(), extent);
        extent
    }
}
