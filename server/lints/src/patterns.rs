//! What the patterns of a CRD match.

use std::{cell::RefCell, collections::HashMap};

use crd_analyzer_goregexp::{Extent, extent};

/// The patterns of a CRD. Few are written only once.
#[derive(Debug, Default)]
pub(crate) struct Patterns(RefCell<HashMap<String, Extent>>);

impl Patterns {
    /// What a pattern matches; `Some` of one that Go does not compile, which is an error elsewhere.
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
