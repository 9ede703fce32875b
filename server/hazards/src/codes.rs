//! The codes of hazards, with one sentence each. Their rule pages have the full explanation.

crd_analyzer_schema::codes! {
    /// A rule reads a field that may be absent, and fails with an error if it is.
    OPTIONAL_FIELD_READ = "optional-field-read";
    /// A rule reads a map key that may be absent, and fails with an error if it is.
    ABSENT_MAP_KEY = "absent-map-key";
    /// A rule reads a list item by an index that may be out of range, and fails with an error if it is.
    UNGUARDED_INDEX = "unguarded-index";
    /// A rule divides by a number that may be zero, and fails with an error if it is.
    DIVISION_BY_ZERO = "division-by-zero";
    /// A rule computes a number that may be too large, and fails with an error if it is.
    INTEGER_OVERFLOW = "integer-overflow";
    /// A rule fails with an error for a value that its schema accepts.
    RULE_CAN_FAIL = "rule-can-fail";
    /// A rule that reads `oldSelf` fails, or does not run, when an object is created.
    OLD_SELF_ON_CREATE = "old-self-on-create";
    /// The defaults of a schema do not satisfy its rule.
    DEFAULT_FAILS_RULE = "default-fails-rule";
    /// No value that the schema accepts satisfies the rule.
    UNSATISFIABLE_RULE = "unsatisfiable-rule";
    /// Every value that the schema accepts satisfies the rule.
    ALWAYS_TRUE_RULE = "always-true-rule";
}
