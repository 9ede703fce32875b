//! Checks of spans.

use std::ops::Range;

use crd_analyzer_syntax::tree::Span;

/// Panics if a span is outside the text or splits a character.
#[track_caller]
pub(crate) fn assert_in(text: &str, span: Span) {
    assert_range_in(text, span.range());
}

/// Panics if a byte range is outside the text or splits a character.
#[track_caller]
pub(crate) fn assert_range_in(text: &str, range: Range<usize>) {
    assert!(
        text.get(range.clone()).is_some(),
        "{range:?} is not a valid range of a text of {} bytes",
        text.len()
    );
}
