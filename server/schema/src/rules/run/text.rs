//! Conversion of strings with a format to CEL values.

use crd_analyzer_cel::value::Timestamp;

use crate::formats::duration_nanos;
use crate::go::{Layout, Moment, parse_time};

/// The nanoseconds of a duration (`strfmt.ParseDuration`); the error is the API server's message.
pub(super) fn duration(text: &str) -> Result<i64, String> {
    duration_nanos(text)
}

/// The start of a day, in UTC.
pub(super) fn date(text: &str) -> Result<Timestamp, String> {
    parse_time(text, Layout::Date).map(timestamp)
}

/// A time with or without a zone (`strfmt.ParseDateTime`). An empty string is the start of 1970.
pub(super) fn date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(timestamp(Moment::default()));
    }
    parse_time(text, Layout::Rfc3339)
        .or_else(|_| parse_time(text, Layout::Local))
        .map(timestamp)
}

fn timestamp(moment: Moment) -> Timestamp {
    if moment.offset == 0 {
        return Timestamp::utc(moment.seconds, moment.nanoseconds);
    }
    Timestamp::with_offset(moment.seconds, moment.nanoseconds, moment.offset)
}
