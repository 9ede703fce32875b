//! The codes of lints, one sentence each. Their pages explain them at length.

crd_analyzer_schema::codes! {
    /// A printer column reads a property that the schema does not have.
    UNKNOWN_COLUMN_PATH = "unknown-column-path";
    /// The type of a printer column does not fit the property that it reads, so the column stays empty.
    COLUMN_TYPE_MISMATCH = "column-type-mismatch";
    /// A path of the scale subresource leads to a property that the schema does not have.
    UNKNOWN_SCALE_PATH = "unknown-scale-path";
    /// A path of the scale subresource leads to a property of the wrong type.
    SCALE_TYPE_MISMATCH = "scale-type-mismatch", no_fix: "Only the author knows which property has the replicas.";
    /// `required` names a property that the schema does not have.
    UNDEFINED_REQUIRED_PROPERTY = "undefined-required-property";
    /// A short name or a category is listed twice.
    REPEATED_NAME = "repeated-name";
    /// The schema has `status`, but the version has no status subresource.
    STATUS_WITHOUT_SUBRESOURCE = "status-without-subresource";
    /// A version has properties that the storage version loses, because the conversion strategy is `None`.
    PROPERTIES_LOST_IN_STORAGE = "properties-lost-in-storage", no_fix: "Only the author knows whether the storage version gets the properties, or a webhook converts.";
    /// A minimum is larger than its maximum, so that no value is valid.
    CONTRADICTORY_BOUNDS = "contradictory-bounds", no_fix: "Only the author knows which of the two is wrong.";
    /// A value of `enum` does not satisfy the other keywords of its schema.
    IMPOSSIBLE_ENUM_VALUE = "impossible-enum-value";
    /// Every string matches a pattern.
    PATTERN_MATCHES_EVERYTHING = "pattern-matches-everything";
    /// No string matches a pattern.
    PATTERN_MATCHES_NOTHING = "pattern-matches-nothing", no_fix: "Only the author knows which strings were meant.";
    /// No version of a CRD is served.
    NO_SERVED_VERSION = "no-served-version";
    /// A list has no `x-kubernetes-list-type`, so server-side apply replaces it as a whole.
    LIST_WITHOUT_TYPE = "list-without-type";
}

/// The codes that are shown only where the configuration names them: true, but rarely worth a change.
pub const OFF_BY_DEFAULT: &[&str] = &[LIST_WITHOUT_TYPE, STATUS_WITHOUT_SUBRESOURCE];
