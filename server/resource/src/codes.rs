//! The codes of this crate's findings, one sentence each. Their pages explain them at length.

pub use crd_analyzer_apiextensions::codes::{DUPLICATE_KEY, INVALID_YAML, UNKNOWN_FIELD};

crd_analyzer_schema::codes! {
    /// The document cannot be read as a custom resource at all: its metadata has a value of the wrong type.
    UNREADABLE_RESOURCE = "unreadable-resource";
    /// No version of the definition that is served has the name in `apiVersion`.
    UNSERVED_VERSION = "unserved-version";
    /// The replicas or the selector that the scale subresource reads have the wrong type or are out of range.
    INVALID_SCALE = "invalid-scale";
    /// Rules were not run, because the object has errors that come before them.
    UNCHECKED_RULES = "unchecked-rules";
    /// A finalizer has a name that others may use by accident.
    UNQUALIFIED_FINALIZER = "unqualified-finalizer";
    /// The version of the resource is deprecated.
    DEPRECATED_VERSION = "deprecated-version";
    /// A rule does not hold, but nothing that it sees has changed, so the server only warns.
    RATCHETED_RULE = "ratcheted-rule";
}
