//! Patterns that reject nothing, or everything.

use std::collections::HashMap;

use crd_analyzer_goregexp::{Extent, extent};
use crd_analyzer_schema::field::Trail;

use crate::{Lint, Problem};

/// The patterns of a CRD. Few are written only once.
#[derive(Debug, Default)]
pub(crate) struct Patterns(HashMap<String, Extent>);

impl Patterns {
    /// What is wrong with a pattern. What Go does not compile is an error elsewhere.
    pub(crate) fn find(&mut self, pattern: &str, at: &Trail<'_>) -> Option<Lint> {
        let problem = match self.extent(pattern) {
            // Who writes this means it.
            Extent::Everything if says_anything(pattern) => return None,
            Extent::Everything => Problem::PatternMatchesEverything,
            Extent::Nothing => Problem::PatternMatchesNothing,
            Extent::Some => return None,
        };
        Some(problem.at(at.child("pattern").path()))
    }

    fn extent(&mut self, pattern: &str) -> Extent {
        if let Some(known) = self.0.get(pattern) {
            return *known;
        }
        let extent = extent(pattern).unwrap_or(Extent::Some);
        self.0.insert(pattern.to_owned(), extent);
        extent
    }
}

/// Whether a pattern says in so many words that it matches anything: `.*`.
fn says_anything(pattern: &str) -> bool {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    pattern.strip_suffix('$').unwrap_or(pattern) == ".*"
}
