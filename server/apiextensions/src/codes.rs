//! The diagnostic codes of this crate, each with one sentence. Their pages are named after them.

crd_analyzer_schema::codes! {
    // decoding
    /// The document is no YAML, or YAML that is no JSON, so nothing of it can be read.
    INVALID_YAML = "invalid-yaml";
    /// The document cannot be read as a definition at all: a value has the wrong type, or the object another one.
    UNREADABLE_DEFINITION = "unreadable-definition";
    /// A field does not exist in a definition; strict field validation refuses it, without it the field is dropped.
    UNKNOWN_FIELD = "unknown-field";
    /// A field does not exist in a schema and is dropped without a word, because nothing is decoded strictly below `items` and `additionalProperties`.
    DROPPED_FIELD = "dropped-field";
    /// A key is written twice in a mapping; the last one counts, strict field validation refuses both.
    DUPLICATE_KEY = "duplicate-key";
    /// The definition has a version of the API that no server of this minor serves.
    UNSERVED_API_VERSION = "unserved-api-version";
    // warnings
    /// A format is not one that the server checks, so it has no effect.
    UNRECOGNIZED_FORMAT = "unrecognized-format";
    /// A list of objects or lists is a set, which server-side apply and CEL rules do not support.
    SET_OF_OBJECTS = "set-of-objects";
    // beyond a verdict
    /// The server itself fails on this definition, so there is no verdict.
    SERVER_PANIC = "server-panic";
    /// Schemas or values nest deeper than the analyzer follows.
    TOO_DEEP = "too-deep";
    // validation: names and versions
    /// The definition names no API group.
    MISSING_GROUP = "missing-group";
    /// The API group is no domain with at least one dot.
    INVALID_GROUP = "invalid-group";
    /// The scope is missing, or neither `Cluster` nor `Namespaced`.
    UNKNOWN_SCOPE = "unknown-scope";
    /// One of plural, singular, kind and listKind is missing.
    MISSING_RESOURCE_NAME = "missing-resource-name";
    /// A name of the resource is no DNS label.
    INVALID_RESOURCE_NAME = "invalid-resource-name";
    /// Kind and listKind are the same.
    LIST_KIND_EQUALS_KIND = "list-kind-equals-kind";
    /// The name of a version is no DNS label.
    INVALID_VERSION_NAME = "invalid-version-name";
    /// Two versions have the same name.
    DUPLICATE_VERSION_NAME = "duplicate-version-name";
    /// No version, or more than one, is the storage version.
    STORAGE_VERSION_COUNT = "storage-version-count";
    /// The top-level version is not the first of the versions.
    VERSION_MISMATCH = "version-mismatch";
    /// A version has no schema.
    MISSING_SCHEMA = "missing-schema";
    /// Something is set for all versions and for single ones.
    SHARED_AND_PER_VERSION = "shared-and-per-version";
    /// All versions repeat what could be set once for all.
    IDENTICAL_PER_VERSION = "identical-per-version";
    /// The warning of a deprecated version cannot be sent, or the version is not deprecated.
    INVALID_DEPRECATION_WARNING = "invalid-deprecation-warning";
    /// The versions that objects are stored in do not fit the versions of the definition.
    STORED_VERSIONS = "stored-versions";
    /// An update changes what can never change.
    IMMUTABLE_FIELD = "immutable-field";
    /// The definition preserves unknown fields everywhere, which v1 does not allow.
    PRESERVED_UNKNOWN_FIELDS = "preserved-unknown-fields";
    /// A definition in a group of the Kubernetes community has no approval annotation.
    MISSING_API_APPROVAL = "missing-api-approval";
    /// The approval annotation is neither a URL nor says that the API is unapproved.
    INVALID_API_APPROVAL = "invalid-api-approval";
    // validation: conversion
    /// The conversion strategy is missing, or neither `None` nor `Webhook`.
    UNKNOWN_CONVERSION_STRATEGY = "unknown-conversion-strategy";
    /// Conversion by webhook does not say where the webhook is, or says it twice.
    MISSING_WEBHOOK = "missing-webhook";
    /// A webhook is configured, but not chosen by the conversion strategy.
    WEBHOOK_WITHOUT_STRATEGY = "webhook-without-strategy";
    /// The URL of a webhook is no plain https URL.
    INVALID_WEBHOOK_URL = "invalid-webhook-url";
    /// The service of a webhook lacks a name, or its port or path is invalid.
    INVALID_WEBHOOK_SERVICE = "invalid-webhook-service";
    /// The CA bundle of a webhook holds no certificate that can be read.
    INVALID_CA_BUNDLE = "invalid-ca-bundle";
    /// The webhook does not say which versions of ConversionReview it understands.
    MISSING_REVIEW_VERSIONS = "missing-review-versions";
    /// A version of ConversionReview is no DNS label.
    INVALID_REVIEW_VERSION = "invalid-review-version";
    /// A version of ConversionReview is listed twice.
    DUPLICATE_REVIEW_VERSION = "duplicate-review-version";
    /// None of the versions of ConversionReview is one that the server sends.
    UNRECOGNIZED_REVIEW_VERSIONS = "unrecognized-review-versions";
    // validation: columns, subresources, selectable fields
    /// A printer column has no name, type or path.
    MISSING_COLUMN_FIELD = "missing-column-field";
    /// The type of a printer column does not exist.
    UNKNOWN_COLUMN_TYPE = "unknown-column-type";
    /// The format of a printer column does not exist.
    UNKNOWN_COLUMN_FORMAT = "unknown-column-format";
    /// A path does not start with a dot.
    INVALID_JSON_PATH = "invalid-json-path";
    /// The scale subresource does not say where the replicas are.
    MISSING_SCALE_PATH = "missing-scale-path";
    /// A path of the scale subresource points outside `.spec` or `.status`.
    SCALE_PATH_ELSEWHERE = "scale-path-elsewhere";
    /// Selectable fields are set where there is no schema.
    SELECTABLE_FIELD_WITHOUT_SCHEMA = "selectable-field-without-schema";
    /// A selectable field is no field of the schema that can be selected by.
    INVALID_SELECTABLE_FIELD = "invalid-selectable-field";
    /// Two selectable fields point to the same field.
    DUPLICATE_SELECTABLE_FIELD = "duplicate-selectable-field";
    /// There are more selectable fields than the server keeps.
    TOO_MANY_SELECTABLE_FIELDS = "too-many-selectable-fields";
    // validation: schemas
    /// The root of a schema uses a keyword that the status subresource forbids there.
    KEYWORD_AT_ROOT_WITH_STATUS = "keyword-at-root-with-status";
    /// The root of a schema is nullable.
    NULLABLE_ROOT = "nullable-root";
    /// A schema uses a keyword of JSON Schema that definitions do not support.
    UNSUPPORTED_KEYWORD = "unsupported-keyword";
    /// A schema has no structural form.
    NOT_STRUCTURAL = "not-structural";
    /// The type of a schema does not exist.
    UNKNOWN_TYPE = "unknown-type";
    /// The type of a schema is null.
    NULL_TYPE = "null-type";
    /// A default stands where none is allowed.
    FORBIDDEN_DEFAULT = "forbidden-default";
    /// A list asks for unique items, which takes time that grows with its square.
    UNIQUE_ITEMS = "unique-items";
    /// A schema has properties and additional properties.
    PROPERTIES_AND_ADDITIONAL_PROPERTIES = "properties-and-additional-properties";
    /// Items is a list of schemas.
    ITEMS_LIST = "items-list";
    /// A resource is embedded in the metadata of another.
    RESOURCE_IN_METADATA = "resource-in-metadata";
    /// `x-kubernetes-preserve-unknown-fields` is false, which must be left out instead.
    PRUNED_UNKNOWN_FIELDS = "pruned-unknown-fields";
    /// `x-kubernetes-map-type` stands in a schema that is no object.
    MAP_TYPE_WITHOUT_OBJECT = "map-type-without-object";
    /// The map type does not exist.
    UNKNOWN_MAP_TYPE = "unknown-map-type";
    /// `x-kubernetes-list-type` stands in a schema that is no array.
    LIST_TYPE_WITHOUT_ARRAY = "list-type-without-array";
    /// The list type does not exist.
    UNKNOWN_LIST_TYPE = "unknown-list-type";
    /// The items of a set are not atomic.
    GRANULAR_SET_ITEMS = "granular-set-items";
    /// `x-kubernetes-list-map-keys` stands in a list that is no map.
    LIST_MAP_KEYS_WITHOUT_MAP = "list-map-keys-without-map";
    /// A list of type map names no keys.
    MISSING_LIST_MAP_KEYS = "missing-list-map-keys";
    /// The items of a list of type map are not one schema of an object.
    INVALID_LIST_MAP_ITEMS = "invalid-list-map-items";
    /// A key of a list of type map is no scalar property of its items, or is named twice.
    INVALID_LIST_MAP_KEY = "invalid-list-map-key";
    /// The items of a set or map are nullable.
    NULLABLE_LIST_ITEMS = "nullable-list-items";
    /// A key of a list of type map is neither required nor has a default.
    OPTIONAL_LIST_MAP_KEY = "optional-list-map-key";
    /// A key of a list of type map is nullable.
    NULLABLE_LIST_MAP_KEY = "nullable-list-map-key";
    // validation: rules
    /// A validation rule is empty.
    EMPTY_RULE = "empty-rule";
    /// The message of a rule, or its expression, holds nothing but blanks.
    EMPTY_MESSAGE = "empty-message";
    /// The message of a rule has line breaks.
    MULTILINE_MESSAGE = "multiline-message";
    /// A rule of several lines has no message.
    MISSING_MESSAGE = "missing-message";
    /// The reason of a rule does not exist.
    UNKNOWN_REASON = "unknown-reason";
    /// The field path of a rule leads to no field of its schema.
    INVALID_FIELD_PATH = "invalid-field-path";
    /// The server cannot make CEL types of the schema of a rule.
    RULE_TYPES = "rule-types";
    /// The estimated cost of a rule is over the limit of one rule.
    RULE_COST_OVER_LIMIT = "rule-cost-over-limit";
    /// The estimated cost of all rules of a schema is over the limit.
    TOTAL_RULE_COST_OVER_LIMIT = "total-rule-cost-over-limit";
    /// The estimated cost of a message expression is over the limit.
    MESSAGE_COST_OVER_LIMIT = "message-cost-over-limit";
    /// A rule uses `oldSelf` where old and new values cannot be told which belongs to which.
    UNCORRELATABLE_OLD_SELF = "uncorrelatable-old-self";
    /// `optionalOldSelf` is set in a rule that does not use `oldSelf`.
    OPTIONAL_OLD_SELF_UNUSED = "optional-old-self-unused";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut codes: Vec<&str> = ALL.iter().map(|&(code, ..)| code).collect();
        codes.sort_unstable();
        for pair in codes.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for code in codes {
            assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{code}");
        }
    }
}
