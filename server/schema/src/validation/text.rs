//! Strings: `maxLength`, `minLength`, `pattern` (`stringValidator`), `format` (`formatValidator`).

use std::borrow::Cow;

use super::Run;
use super::outcome::{Failure, MessageValue, Outcome, Report};
use super::value_path::ValuePath;
use crate::codes;
use crate::go::quote;
use crate::json_schema::JsonSchemaProps;

impl<'s, 'v> Run<'_, 's, 'v> {
    /// Checks a string up to the first failure. Lengths are in characters.
    pub(super) fn string(&self, schema: &'s JsonSchemaProps, text: &'v str, place: &ValuePath<'_>) -> Outcome<'s, 'v> {
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let shown = || Report::Invalid(MessageValue::Text(Cow::Borrowed(text)));
        if let Some(max) = schema.max_length
            && length() > max
        {
            let what = format!("should be at most {max} chars long");
            return Failure::at(place, codes::STRING_TOO_LONG, &what, Report::TooLong { max }).into();
        }
        if let Some(min) = schema.min_length
            && length() < min
        {
            let what = format!("should be at least {min} chars long");
            return Failure::at(place, codes::STRING_TOO_SHORT, &what, shown()).into();
        }
        if schema.pattern.is_empty() {
            return Outcome::default();
        }
        let what = match self.validator.pattern(&schema.pattern).as_ref() {
            // If this exhausts the budget, the code that set the limits reports it.
            Ok(regex) if regex.is_match(text).unwrap_or(true) => return Outcome::default(),
            Ok(_) => format!("should match '{}'", schema.pattern),
            Err(error) => format!("should match '{}, but pattern is invalid: {error}'", schema.pattern),
        };
        Failure::at(place, codes::PATTERN_MISMATCH, &what, shown()).into()
    }
}

/// A failure for a string that does not match its format.
pub(super) fn wrong_format<'s, 'v>(place: &ValuePath<'_>, format: &str, text: &'v str) -> Failure<'s, 'v> {
    let what = format!("must be of type {format}: {}", quote(text));
    Failure::at(
        place,
        codes::FORMAT_MISMATCH,
        &what,
        Report::TypeInvalid(MessageValue::Text(Cow::Borrowed(text))),
    )
}
