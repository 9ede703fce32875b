//! The diagnostic codes of this crate, each with a one-sentence description. Their pages explain them in detail.

/// Declares codes as constants, and `ALL` with every code, its description (the doc comment) and its page
/// (`../codes/CODE.md` relative to the declaring file).
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal $(, no_fix: $why:literal)?;)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)+

        /// Every code with its description and its page.
        pub const ALL: &[(&str, &str, &str)] = &[
            $(($code, concat!($($doc),+), include_str!(concat!("../codes/", $code, ".md")))),+
        ];

        /// The codes whose errors have no quick fix, each with the reason why.
        pub const WITHOUT_FIX: &[(&str, &str)] = &[$($(($code, $why),)?)+];
    };
}

codes! {
    // structural schemas
    /// A schema of type `array` has no `items`.
    MISSING_ITEMS = "missing-items";
    /// A schema has no `type`.
    MISSING_TYPE = "missing-type";
    /// The root of a schema does not have the type `object`.
    ROOT_TYPE = "root-type";
    /// The root of a schema has `additionalProperties`.
    ROOT_ADDITIONAL_PROPERTIES = "root-additional-properties";
    /// An int-or-string also preserves unknown fields, or is also an embedded resource.
    INT_OR_STRING_CONFLICT = "int-or-string-conflict";
    /// An embedded resource does not have the type `object`.
    EMBEDDED_RESOURCE_TYPE = "embedded-resource-type";
    /// An embedded resource has `additionalProperties`.
    EMBEDDED_RESOURCE_ADDITIONAL_PROPERTIES = "embedded-resource-additional-properties";
    /// An embedded resource has no properties and does not preserve unknown fields.
    EMBEDDED_RESOURCE_PROPERTIES = "embedded-resource-properties";
    /// The schema of `kind` or `apiVersion` does not have the type `string`.
    TYPE_META_TYPE = "type-meta-type";
    /// The schema of `metadata` does not have the type `object`.
    METADATA_TYPE = "metadata-type";
    /// The root of a schema restricts a part of `metadata` other than `name` and `generateName`.
    METADATA_RESTRICTION = "metadata-restriction";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` mentions `metadata`.
    METADATA_IN_JUNCTOR = "metadata-in-junctor";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` has a keyword that is allowed only outside of them.
    NON_STRUCTURAL_JUNCTOR = "non-structural-junctor";
    /// A schema in `allOf`, `anyOf`, `oneOf` or `not` mentions a property that the schema outside of them does not specify.
    INCOMPLETE_JUNCTOR = "incomplete-junctor";
    /// A pattern is not a valid regular expression of Go.
    INVALID_PATTERN = "invalid-pattern";

    // limits of crd-analyzer itself
    /// The document needs more work or memory than crd-analyzer spends on one document.
    NOT_FINISHED = "not-finished";

    // defaults
    /// A default has a field that its schema does not specify.
    DEFAULT_UNKNOWN_FIELD = "default-unknown-field";
    /// A default inside `metadata` is not valid metadata.
    DEFAULT_METADATA = "default-metadata", no_fix: "Only the author knows which name or label was meant.";

    // rules
    /// A rule or message expression is not valid CEL.
    RULE_SYNTAX = "rule-syntax";
    /// A rule names a field that its type does not have.
    UNDEFINED_FIELD = "undefined-field";
    /// A rule names a variable or function that does not exist.
    UNDECLARED_REFERENCE = "undeclared-reference";
    /// A function or operator of a rule does not accept values of these types.
    NO_MATCHING_OVERLOAD = "no-matching-overload", no_fix: "Only the author knows what the rule compares. A misspelt function has a fix.";
    /// Types in a rule do not match, or a literal is malformed.
    RULE_TYPE_ERROR = "rule-type-error", no_fix: "Only the author knows what the rule compares. A misspelt name has a fix.";
    /// A constant part of a rule always fails.
    RULE_CONSTANT = "rule-constant", no_fix: "Only the author knows which constant was meant.";
    /// A rule does not return a boolean, or a message expression does not return a string.
    RULE_RESULT_TYPE = "rule-result-type", no_fix: "Only the author knows which condition the value must meet.";
    /// A value does not satisfy a rule.
    RULE_FAILED = "rule-failed", no_fix: "A rule says whether a value is accepted, not which value the author meant.";
    /// A rule ends in an error for a value.
    RULE_EVALUATION = "rule-evaluation", no_fix: "Only the author knows whether the rule or the value is wrong.";
    /// Running a rule on a value exceeds the cost budget.
    RULE_BUDGET_EXCEEDED = "rule-budget-exceeded";

    // value validation
    /// A value does not have the type that its schema requires.
    WRONG_TYPE = "wrong-type";
    /// A required property is missing.
    MISSING_PROPERTY = "missing-property";
    /// A value is not in the `enum` of its schema.
    NOT_IN_ENUM = "not-in-enum";
    /// A string is longer than `maxLength`.
    STRING_TOO_LONG = "string-too-long", no_fix: "Only the author knows which part of the string to remove.";
    /// A string is shorter than `minLength`.
    STRING_TOO_SHORT = "string-too-short", no_fix: "Only the author knows what is missing in the string.";
    /// A string does not match its `pattern`.
    PATTERN_MISMATCH = "pattern-mismatch", no_fix: "A pattern says which strings are accepted, not which string the author meant.";
    /// A string does not match its `format`.
    FORMAT_MISMATCH = "format-mismatch", no_fix: "A format says which strings are accepted, not which string the author meant.";
    /// A number, or a limit in the schema, is out of the range of the schema's type and format.
    NUMBER_OUT_OF_FORMAT = "number-out-of-format", no_fix: "Only the author knows whether the number or the format is wrong.";
    /// A number is greater than `maximum`.
    NUMBER_TOO_LARGE = "number-too-large";
    /// A number is less than `minimum`.
    NUMBER_TOO_SMALL = "number-too-small";
    /// A number is not a multiple of `multipleOf`.
    NOT_A_MULTIPLE = "not-a-multiple";
    /// A list has more items than `maxItems`.
    TOO_MANY_ITEMS = "too-many-items", no_fix: "Only the author knows which items to remove.";
    /// A list has fewer items than `minItems`.
    TOO_FEW_ITEMS = "too-few-items", no_fix: "Only the author knows which items are missing.";
    /// A list that must have unique items has an item twice.
    DUPLICATE_ITEM = "duplicate-item";
    /// A list has more items than `items` lists schemas.
    ADDITIONAL_ITEM = "additional-item";
    /// An object has more properties than `maxProperties`.
    TOO_MANY_PROPERTIES = "too-many-properties", no_fix: "Only the author knows which entries to remove.";
    /// An object has fewer properties than `minProperties`.
    TOO_FEW_PROPERTIES = "too-few-properties", no_fix: "Only the author knows which entries are missing.";
    /// An object has a property that its schema forbids.
    FORBIDDEN_PROPERTY = "forbidden-property";
    /// A property depends on another property that is missing.
    MISSING_DEPENDENCY = "missing-dependency";
    /// A value does not match every schema in `allOf`.
    ALL_OF_MISMATCH = "all-of-mismatch", no_fix: "The schema does not show which condition the author meant to satisfy.";
    /// A value does not match any schema in `anyOf`.
    ANY_OF_MISMATCH = "any-of-mismatch", no_fix: "The schema does not show which alternative the author meant.";
    /// A value does not match exactly one schema in `oneOf`.
    ONE_OF_MISMATCH = "one-of-mismatch", no_fix: "The schema does not show which alternative the author meant.";
    /// A value matches the schema in `not`.
    NOT_MISMATCH = "not-mismatch", no_fix: "The schema says only what the value must not be.";

    // list types
    /// A list with the list type `set` or `map` has an item twice.
    DUPLICATE_LIST_ITEM = "duplicate-list-item";
    /// An item of a list with the list type `map` is not an object.
    LIST_MAP_ITEM_TYPE = "list-map-item-type";

    // metadata
    /// `apiVersion` or `kind` of a resource is missing or malformed.
    TYPE_META = "type-meta", no_fix: "Only the author knows which object is meant. Only a key with wrong upper or lower case has a fix.";
    /// A value in `metadata` has the wrong type.
    METADATA_DECODE = "metadata-decode";
    /// `metadata.name` or `metadata.generateName` is not a valid name for this resource.
    INVALID_METADATA_NAME = "invalid-metadata-name";
    /// An object has neither `metadata.name` nor `metadata.generateName`.
    MISSING_METADATA_NAME = "missing-metadata-name";
    /// `metadata.namespace` is malformed, is missing, or is set on an object without a namespace.
    INVALID_METADATA_NAMESPACE = "invalid-metadata-namespace", no_fix: "Only the author knows which namespace was meant.";
    /// `metadata.generation` is negative or decreases.
    INVALID_GENERATION = "invalid-generation";
    /// A label has a malformed key or value.
    INVALID_LABEL = "invalid-label", no_fix: "Only the author knows which label was meant.";
    /// An annotation has a malformed key.
    INVALID_ANNOTATION = "invalid-annotation", no_fix: "Only the author knows which key was meant.";
    /// All annotations together exceed the size limit of an object.
    ANNOTATIONS_TOO_LONG = "annotations-too-long";
    /// An entry of `metadata.ownerReferences` is incomplete, or names an object that cannot be an owner.
    INVALID_OWNER_REFERENCE = "invalid-owner-reference", no_fix: "The owner is another object, which the file does not name.";
    /// A finalizer is malformed, conflicts with another one, or is added after the object's deletion started.
    INVALID_FINALIZER = "invalid-finalizer", no_fix: "Only the controller that sets the finalizer knows its name.";
    /// An entry of `metadata.managedFields` is malformed.
    INVALID_MANAGED_FIELDS = "invalid-managed-fields";
    /// An update changes a field of `metadata` that cannot change.
    IMMUTABLE_METADATA = "immutable-metadata";
    /// An update has no `metadata.resourceVersion`.
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
