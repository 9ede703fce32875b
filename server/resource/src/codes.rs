//! The diagnostic codes of this crate, each with a one-sentence description. Their pages explain them in detail.

pub use crd_analyzer_apiextensions::codes::{DUPLICATE_KEY, INVALID_YAML, UNKNOWN_FIELD};

crd_analyzer_schema::codes! {
    /// The document cannot be decoded as a custom resource, because a value in its `metadata` has the wrong type.
    UNREADABLE_RESOURCE = "unreadable-resource";
    /// The CRD does not serve the version in `apiVersion`.
    UNSERVED_VERSION = "unserved-version";
    /// The replicas or the selector of the scale subresource have the wrong type or are out of range.
    INVALID_SCALE = "invalid-scale", no_fix: "A controller or an autoscaler sets the number of replicas.";
    /// The API server did not run the rules, because the object has other errors.
    UNCHECKED_RULES = "unchecked-rules";
    /// The name of a finalizer has no domain, so other controllers could use the same name.
    UNQUALIFIED_FINALIZER = "unqualified-finalizer";
    /// The version of the resource is deprecated.
    DEPRECATED_VERSION = "deprecated-version";
    /// A rule fails, but the update changes nothing that the rule sees, so the API server accepts the object.
    RATCHETED_RULE = "ratcheted-rule";
}
