//! Patterns that reject nothing.

use crd_analyzer_diagnostic::{Change, Proposal, Words};
use crd_analyzer_goregexp::Extent;
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "pattern-matches-everything",
    "Every string matches a pattern.",
    include_str!("../../codes/pattern-matches-everything.md"),
    Check::Schema(check),
)
.field("pattern")
.group("patterns");

/// The pattern rejects nothing.
#[derive(Debug)]
struct PatternMatchesEverything;

fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let pattern = &schema.props.pattern;
    if !pattern.is_empty() && schema.extent(pattern) == Extent::Everything && !says_anything(pattern) {
        sink.add(schema.at.child("pattern").path(), PatternMatchesEverything);
    }
}

/// Whether a pattern is explicitly written to match anything, such as `.*`. The author of such a pattern intends this.
fn says_anything(pattern: &str) -> bool {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    pattern.strip_suffix('$').unwrap_or(pattern) == ".*"
}

impl Cause for PatternMatchesEverything {
    fn tell(&self, place: &Path) -> Told {
        let words = Words::new("every string matches this pattern")
            .label("rejects nothing")
            .help("to match the whole string, put `^` at the beginning and `$` at the end")
            .note("a pattern may match anywhere in a string, also at its beginning with no characters");
        Told::from(words).propose(Proposal::new("Remove pattern", Change::Remove(place.clone())))
    }
}
