//! The codes of this crate's findings, one sentence each. Their pages explain them at length.

/// Declares codes as constants, and `ALL` of them with their sentences (the documentation of each) and pages
/// (`../codes/CODE.md` from the file that declares them).
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+

        /// Every code with its sentence and its page.
        pub const ALL: &[(&str, &str, &str)] = &[
            $(($code, concat!($($doc),+), include_str!(concat!("../codes/", $code, ".md")))),+
        ];
    };
}

codes! {
    // structural schemas
    /// A schema of type array does not say what its items are.
    MISSING_ITEMS = "missing-items";
    /// A schema that must have a type has none.
    MISSING_TYPE = "missing-type";
    /// The schema at the root is not of type object.
    ROOT_TYPE = "root-type";
    /// The schema at the root has `additionalProperties`.
    ROOT_ADDITIONAL_PROPERTIES = "root-additional-properties";
    /// An int-or-string also preserves unknown fields or is an embedded resource.
    INT_OR_STRING_CONFLICT = "int-or-string-conflict";
    /// An embedded resource is not of type object.
    EMBEDDED_RESOURCE_TYPE = "embedded-resource-type";
    /// An embedded resource has `additionalProperties`.
    EMBEDDED_RESOURCE_ADDITIONAL_PROPERTIES = "embedded-resource-additional-properties";
    /// An embedded resource neither has properties nor preserves unknown fields.
    EMBEDDED_RESOURCE_PROPERTIES = "embedded-resource-properties";
    /// `kind` or `apiVersion` of a resource is not of type string.
    TYPE_META_TYPE = "type-meta-type";
    /// `metadata` of a resource is not of type object.
    METADATA_TYPE = "metadata-type";
    /// The schema at the root restricts more of `metadata` than its names.
    METADATA_RESTRICTION = "metadata-restriction";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` speaks of `metadata`.
    METADATA_IN_JUNCTOR = "metadata-in-junctor";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` has a keyword that may only stand outside of them.
    NON_STRUCTURAL_JUNCTOR = "non-structural-junctor";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` speaks of something that is not specified outside of them.
    INCOMPLETE_JUNCTOR = "incomplete-junctor";
    /// A pattern is not a regular expression of Go's syntax.
    INVALID_PATTERN = "invalid-pattern";

    // defaults
    /// A default holds a field that its schema does not know.
    DEFAULT_UNKNOWN_FIELD = "default-unknown-field";
    /// A default inside `metadata` makes no valid metadata.
    DEFAULT_METADATA = "default-metadata";

    // rules
    /// A rule or message expression is no CEL.
    RULE_SYNTAX = "rule-syntax";
    /// A rule names a field that its type does not have.
    UNDEFINED_FIELD = "undefined-field";
    /// A rule names a variable or function that does not exist.
    UNDECLARED_REFERENCE = "undeclared-reference";
    /// A function or operator of a rule does not take values of these types.
    NO_MATCHING_OVERLOAD = "no-matching-overload";
    /// Types in a rule do not fit, or a literal in it is malformed.
    RULE_TYPE_ERROR = "rule-type-error";
    /// A part of a rule that is the same every time is an error.
    RULE_CONSTANT = "rule-constant";
    /// A rule does not give a boolean, or a message expression no string.
    RULE_RESULT_TYPE = "rule-result-type";
    /// A rule does not hold for a value.
    RULE_FAILED = "rule-failed";
    /// A rule has no result for a value: it runs into an error.
    RULE_EVALUATION = "rule-evaluation";
    /// Running a rule over a value costs more than it may.
    RULE_BUDGET_EXCEEDED = "rule-budget-exceeded";

    // value validation
    /// A value has another type than its schema demands.
    WRONG_TYPE = "wrong-type";
    /// A property that is required is not there.
    MISSING_PROPERTY = "missing-property";
    /// A value is none of those that `enum` lists.
    NOT_IN_ENUM = "not-in-enum";
    /// A string is longer than `maxLength`.
    STRING_TOO_LONG = "string-too-long";
    /// A string is shorter than `minLength`.
    STRING_TOO_SHORT = "string-too-short";
    /// A string does not match its `pattern`.
    PATTERN_MISMATCH = "pattern-mismatch";
    /// A string does not have its `format`.
    FORMAT_MISMATCH = "format-mismatch";
    /// A number does not fit the type and format of its schema, or a bound of the schema does not.
    NUMBER_OUT_OF_FORMAT = "number-out-of-format";
    /// A number is greater than `maximum`.
    NUMBER_TOO_LARGE = "number-too-large";
    /// A number is less than `minimum`.
    NUMBER_TOO_SMALL = "number-too-small";
    /// A number is no multiple of `multipleOf`.
    NOT_A_MULTIPLE = "not-a-multiple";
    /// A list has more items than `maxItems`.
    TOO_MANY_ITEMS = "too-many-items";
    /// A list has fewer items than `minItems`.
    TOO_FEW_ITEMS = "too-few-items";
    /// A list that must have unique items has one twice.
    DUPLICATE_ITEM = "duplicate-item";
    /// A list has more items than its schema has schemas for.
    ADDITIONAL_ITEM = "additional-item";
    /// An object has more properties than `maxProperties`.
    TOO_MANY_PROPERTIES = "too-many-properties";
    /// An object has fewer properties than `minProperties`.
    TOO_FEW_PROPERTIES = "too-few-properties";
    /// An object has a property where no other is allowed.
    FORBIDDEN_PROPERTY = "forbidden-property";
    /// A property demands another one that is not there.
    MISSING_DEPENDENCY = "missing-dependency";
    /// A value fits not all schemas of `allOf`.
    ALL_OF_MISMATCH = "all-of-mismatch";
    /// A value fits none of the schemas of `anyOf`.
    ANY_OF_MISMATCH = "any-of-mismatch";
    /// A value fits no schema of `oneOf`, or more than one.
    ONE_OF_MISMATCH = "one-of-mismatch";
    /// A value fits the schema of `not`.
    NOT_MISMATCH = "not-mismatch";

    // list types
    /// An item of a list is there twice where a set or a map has it once.
    DUPLICATE_LIST_ITEM = "duplicate-list-item";
    /// An item of a list that is a map is not an object.
    LIST_MAP_ITEM_TYPE = "list-map-item-type";

    // metadata
    /// `apiVersion` or `kind` of a resource is missing or malformed.
    TYPE_META = "type-meta";
    /// `metadata` holds a value of the wrong type.
    METADATA_DECODE = "metadata-decode";
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
        for (code, sentence, page) in ALL {
            assert!(seen.insert(code), "{code} is there twice");
            assert!(
                code.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{code}"
            );
            assert!(page.starts_with(&format!("# {code}\n")), "{code}");
            assert!(sentence.trim().ends_with('.'), "{code}: {sentence}");
        }
    }
}
