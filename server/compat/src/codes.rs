//! The codes of diagnostics about changes, with one sentence each. Their pages explain them in detail.

crd_analyzer_schema::codes! {
    /// A change of a CRD breaks stored objects, writers or readers.
    BREAKING_CHANGE = "breaking-change";
    /// crd-analyzer does not know whether a change of a CRD breaks anything.
    UNPROVEN_CHANGE = "unproven-change";
}
