//! What every span must be.

use std::ops::Range;

use crd_analyzer_syntax::tree::Span;

/// Panics if a span is not a piece of the text.
#[track_caller]
pub(crate) fn assert_in(text: &str, span: Span) {
    assert_range_in(text, span.range());
}

/// Panics if a range of bytes is not a piece of the text.
#[track_caller]
pub(crate) fn assert_range_in(text: &str, range: Range<usize>) {
    assert!(
        text.get(range.clone()).is_some(),
        "{range:?} is not a valid range of a text of {} bytes",
        text.len()
    );
}
