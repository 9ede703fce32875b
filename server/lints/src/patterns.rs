//! Patterns that reject nothing, or everything.

use crd_analyzer_goregexp::{Extent, extent};
use crd_analyzer_schema::field::Trail;

use crate::{Lint, Problem};

/// What is wrong with a pattern. What Go does not compile is an error elsewhere.
pub(crate) fn find(pattern: &str, at: &Trail<'_>) -> Option<Lint> {
    let problem = match extent(pattern).ok()? {
        Extent::Everything => Problem::PatternMatchesEverything,
        Extent::Nothing => Problem::PatternMatchesNothing,
        Extent::Some => return None,
    };
    Some(problem.at(at.child("pattern").path()))
}
