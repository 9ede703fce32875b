//! Errors that are certain even if other parts of the object are unknown.

use crd_analyzer_resource::codes::UNKNOWN_FIELD;
use crd_analyzer_schema::codes as schema_codes;

/// The codes of errors that depend only on the value at their place, and on the schema for it.
const LOCAL: [&str; 9] = [
    UNKNOWN_FIELD,
    schema_codes::WRONG_TYPE,
    schema_codes::NOT_IN_ENUM,
    schema_codes::PATTERN_MISMATCH,
    schema_codes::FORMAT_MISMATCH,
    schema_codes::STRING_TOO_LONG,
    schema_codes::STRING_TOO_SHORT,
    schema_codes::NUMBER_TOO_LARGE,
    schema_codes::NUMBER_TOO_SMALL,
];

/// Whether an error with this code depends only on the value at its place, and on the schema for it.
pub(crate) fn is_local(code: &str) -> bool {
    LOCAL.contains(&code)
}
