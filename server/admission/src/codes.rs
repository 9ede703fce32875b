//! The diagnostic codes of this crate, each with a one-sentence description. Their pages explain them in detail.

crd_analyzer_schema::codes! {
    /// The ValidatingAdmissionPolicy cannot be decoded, because a value has the wrong type.
    UNREADABLE_POLICY = "unreadable-policy";
    /// The ValidatingAdmissionPolicy lacks a field that it needs, or the field is empty.
    POLICY_MISSING_FIELD = "policy-missing-field", no_fix: "Only the author knows which value was meant.";
    /// A field of the ValidatingAdmissionPolicy has a value that the API server does not know.
    POLICY_UNKNOWN_VALUE = "policy-unknown-value";
    /// A value of the ValidatingAdmissionPolicy is malformed, or contradicts another value.
    POLICY_INVALID_VALUE = "policy-invalid-value", no_fix: "Only the author knows which value was meant.";
    /// A name or key of the ValidatingAdmissionPolicy is used twice.
    POLICY_DUPLICATE = "policy-duplicate", no_fix: "Only the author knows which of the two is right.";
    /// The API version of the ValidatingAdmissionPolicy is deprecated.
    DEPRECATED_POLICY_VERSION = "deprecated-policy-version";
}
