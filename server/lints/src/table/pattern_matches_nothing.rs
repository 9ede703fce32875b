//! Patterns that reject everything.

use crd_analyzer_diagnostic::Words;
use crd_analyzer_goregexp::Extent;
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "pattern-matches-nothing",
    "No string matches a pattern.",
    include_str!("../../codes/pattern-matches-nothing.md"),
    Check::Schema(check),
)
.no_fix("Only the author knows which strings were meant.")
.field("pattern")
.group("patterns");

/// The pattern rejects everything.
#[derive(Debug)]
struct PatternMatchesNothing;

fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let pattern = &schema.props.pattern;
    if !pattern.is_empty() && schema.extent(pattern) == Extent::Nothing {
        sink.add(schema.at.child("pattern").path(), PatternMatchesNothing);
    }
}

impl Cause for PatternMatchesNothing {
    fn tell(&self, _: &Path) -> Told {
        Words::new("no string matches this pattern")
            .label("rejects everything")
            .help("put `^` only at the beginning and `$` only at the end, and no slashes around the pattern")
            .into()
    }
}
