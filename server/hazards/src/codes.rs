//! The codes of hazards, one sentence each. Their pages explain them at length.

crd_analyzer_schema::codes! {
    /// A rule reads a field that may be absent, and then ends in an error.
    OPTIONAL_FIELD_READ = "optional-field-read";
    /// A rule reads a key that a map need not have, and then ends in an error.
    ABSENT_MAP_KEY = "absent-map-key";
    /// A rule takes an item out of a list that may be shorter, and then ends in an error.
    UNGUARDED_INDEX = "unguarded-index";
    /// A rule divides by what may be zero, and then ends in an error.
    DIVISION_BY_ZERO = "division-by-zero";
    /// A rule computes a number that may be too large, and then ends in an error.
    INTEGER_OVERFLOW = "integer-overflow";
    /// A rule ends in an error for a value that its schema accepts.
    RULE_CAN_FAIL = "rule-can-fail";
    /// A rule that reads the old value fails, or says nothing, when an object is created.
    OLD_SELF_ON_CREATE = "old-self-on-create";
    /// A rule does not hold for what the defaults of its schema make.
    DEFAULT_FAILS_RULE = "default-fails-rule";
    /// A rule does not hold for any value that its schema accepts.
    UNSATISFIABLE_RULE = "unsatisfiable-rule";
    /// A rule holds for every value that its schema accepts.
    ALWAYS_TRUE_RULE = "always-true-rule";
}
