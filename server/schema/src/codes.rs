//! The codes of this crate's findings, one sentence each. Their pages explain them at length.

/// Declares codes and the list of them.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+

        /// Every code with its sentence.
        pub const ALL: &[(&str, &str)] = &[$(($code, concat!($($doc),+))),+];
    };
}

codes! {
    // metadata
    /// `metadata.name` or `generateName` is not a name that this resource may have.
    INVALID_METADATA_NAME = "invalid-metadata-name";
    /// An object has neither `metadata.name` nor `metadata.generateName`.
    MISSING_METADATA_NAME = "missing-metadata-name";
    /// `metadata.namespace` is malformed, or missing, or given where the type has none.
    INVALID_METADATA_NAMESPACE = "invalid-metadata-namespace";
    /// `metadata.generation` is negative or goes back.
    INVALID_GENERATION = "invalid-generation";
    /// A label has a malformed key or value.
    INVALID_LABEL = "invalid-label";
    /// An annotation has a malformed key.
    INVALID_ANNOTATION = "invalid-annotation";
    /// All annotations together are larger than an object may carry.
    ANNOTATIONS_TOO_LONG = "annotations-too-long";
    /// An entry of `metadata.ownerReferences` is incomplete or names an owner that cannot be one.
    INVALID_OWNER_REFERENCE = "invalid-owner-reference";
    /// A finalizer is malformed, or conflicts with another one, or comes too late.
    INVALID_FINALIZER = "invalid-finalizer";
    /// An entry of `metadata.managedFields` is malformed.
    INVALID_MANAGED_FIELDS = "invalid-managed-fields";
    /// An update changes a part of `metadata` that never changes.
    IMMUTABLE_METADATA = "immutable-metadata";
    /// An update does not say which `metadata.resourceVersion` it is based on.
    MISSING_RESOURCE_VERSION = "missing-resource-version";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_unique_kebab_case_words_with_a_sentence() {
        let mut seen = std::collections::BTreeSet::new();
        for (code, sentence) in ALL {
            assert!(seen.insert(code), "{code} is there twice");
            assert!(
                code.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{code}"
            );
            assert!(sentence.trim().ends_with('.'), "{code}: {sentence}");
        }
    }
}
