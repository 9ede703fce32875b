//! The diagnostic codes of this crate, each with one sentence. Their pages are named after them.

/// Declares codes as constants, and the list of all of them.
macro_rules! codes {
    ($($section:literal { $($name:ident = $code:literal, $summary:literal;)* })*) => {
        $($(#[doc = $summary] pub const $name: &str = $code;)*)*

        /// Every code, its sentence and its page.
        pub const ALL: &[(&str, &str, &str)] = &[
            $($(($code, $summary, include_str!(concat!("../codes/", $code, ".md"))),)*)*
        ];
    };
}

codes! {
    "decoding" {
        INVALID_YAML = "invalid-yaml", "The document is no YAML, or YAML that is no JSON, so nothing of it can be read.";
        UNREADABLE_DEFINITION = "unreadable-definition", "The document cannot be read as a definition at all: a value has the wrong type, or the object another one.";
        UNKNOWN_FIELD = "unknown-field", "A field does not exist in a definition; strict field validation refuses it, without it the field is dropped.";
        DROPPED_FIELD = "dropped-field", "A field does not exist in a schema and is dropped without a word, because nothing is decoded strictly below `items` and `additionalProperties`.";
        DUPLICATE_KEY = "duplicate-key", "A key is written twice in a mapping; the last one counts, strict field validation refuses both.";
        UNSERVED_API_VERSION = "unserved-api-version", "The definition has a version of the API that no server of this minor serves.";
    }
    "warnings" {
        UNRECOGNIZED_FORMAT = "unrecognized-format", "A format is not one that the server checks, so it has no effect.";
        SET_OF_OBJECTS = "set-of-objects", "A list of objects or lists is a set, which server-side apply and CEL rules do not support.";
    }
    "beyond a verdict" {
        SERVER_PANIC = "server-panic", "The server itself fails on this definition, so there is no verdict.";
        TOO_DEEP = "too-deep", "Schemas or values nest deeper than the analyzer follows.";
    }
    "validation: names and versions" {
        MISSING_GROUP = "missing-group", "The definition names no API group.";
        INVALID_GROUP = "invalid-group", "The API group is no domain with at least one dot.";
        UNKNOWN_SCOPE = "unknown-scope", "The scope is missing, or neither `Cluster` nor `Namespaced`.";
        MISSING_RESOURCE_NAME = "missing-resource-name", "One of plural, singular, kind and listKind is missing.";
        INVALID_RESOURCE_NAME = "invalid-resource-name", "A name of the resource is no DNS label.";
        LIST_KIND_EQUALS_KIND = "list-kind-equals-kind", "Kind and listKind are the same.";
        INVALID_VERSION_NAME = "invalid-version-name", "The name of a version is no DNS label.";
        DUPLICATE_VERSION_NAME = "duplicate-version-name", "Two versions have the same name.";
        STORAGE_VERSION_COUNT = "storage-version-count", "No version, or more than one, is the storage version.";
        VERSION_MISMATCH = "version-mismatch", "The top-level version is not the first of the versions.";
        MISSING_SCHEMA = "missing-schema", "A version has no schema.";
        SHARED_AND_PER_VERSION = "shared-and-per-version", "Something is set for all versions and for single ones.";
        IDENTICAL_PER_VERSION = "identical-per-version", "All versions repeat what could be set once for all.";
        INVALID_DEPRECATION_WARNING = "invalid-deprecation-warning", "The warning of a deprecated version cannot be sent, or the version is not deprecated.";
        STORED_VERSIONS = "stored-versions", "The versions that objects are stored in do not fit the versions of the definition.";
        IMMUTABLE_FIELD = "immutable-field", "An update changes what can never change.";
        PRESERVED_UNKNOWN_FIELDS = "preserved-unknown-fields", "The definition preserves unknown fields everywhere, which v1 does not allow.";
        MISSING_API_APPROVAL = "missing-api-approval", "A definition in a group of the Kubernetes community has no approval annotation.";
        INVALID_API_APPROVAL = "invalid-api-approval", "The approval annotation is neither a URL nor says that the API is unapproved.";
    }
    "validation: conversion" {
        UNKNOWN_CONVERSION_STRATEGY = "unknown-conversion-strategy", "The conversion strategy is missing, or neither `None` nor `Webhook`.";
        MISSING_WEBHOOK = "missing-webhook", "Conversion by webhook does not say where the webhook is, or says it twice.";
        WEBHOOK_WITHOUT_STRATEGY = "webhook-without-strategy", "A webhook is configured, but not chosen by the conversion strategy.";
        INVALID_WEBHOOK_URL = "invalid-webhook-url", "The URL of a webhook is no plain https URL.";
        INVALID_WEBHOOK_SERVICE = "invalid-webhook-service", "The service of a webhook lacks a name, or its port or path is invalid.";
        INVALID_CA_BUNDLE = "invalid-ca-bundle", "The CA bundle of a webhook holds no certificate that can be read.";
        MISSING_REVIEW_VERSIONS = "missing-review-versions", "The webhook does not say which versions of ConversionReview it understands.";
        INVALID_REVIEW_VERSION = "invalid-review-version", "A version of ConversionReview is no DNS label.";
        DUPLICATE_REVIEW_VERSION = "duplicate-review-version", "A version of ConversionReview is listed twice.";
        UNRECOGNIZED_REVIEW_VERSIONS = "unrecognized-review-versions", "None of the versions of ConversionReview is one that the server sends.";
    }
    "validation: columns, subresources, selectable fields" {
        MISSING_COLUMN_FIELD = "missing-column-field", "A printer column has no name, type or path.";
        UNKNOWN_COLUMN_TYPE = "unknown-column-type", "The type of a printer column does not exist.";
        UNKNOWN_COLUMN_FORMAT = "unknown-column-format", "The format of a printer column does not exist.";
        INVALID_JSON_PATH = "invalid-json-path", "A path does not start with a dot.";
        MISSING_SCALE_PATH = "missing-scale-path", "The scale subresource does not say where the replicas are.";
        SCALE_PATH_ELSEWHERE = "scale-path-elsewhere", "A path of the scale subresource points outside `.spec` or `.status`.";
        SELECTABLE_FIELD_WITHOUT_SCHEMA = "selectable-field-without-schema", "Selectable fields are set where there is no schema.";
        INVALID_SELECTABLE_FIELD = "invalid-selectable-field", "A selectable field is no field of the schema that can be selected by.";
        DUPLICATE_SELECTABLE_FIELD = "duplicate-selectable-field", "Two selectable fields point to the same field.";
        TOO_MANY_SELECTABLE_FIELDS = "too-many-selectable-fields", "There are more selectable fields than the server keeps.";
    }
    "validation: schemas" {
        KEYWORD_AT_ROOT_WITH_STATUS = "keyword-at-root-with-status", "The root of a schema uses a keyword that the status subresource forbids there.";
        NULLABLE_ROOT = "nullable-root", "The root of a schema is nullable.";
        UNSUPPORTED_KEYWORD = "unsupported-keyword", "A schema uses a keyword of JSON Schema that definitions do not support.";
        NOT_STRUCTURAL = "not-structural", "A schema has no structural form.";
        UNKNOWN_TYPE = "unknown-type", "The type of a schema does not exist.";
        NULL_TYPE = "null-type", "The type of a schema is null.";
        FORBIDDEN_DEFAULT = "forbidden-default", "A default stands where none is allowed.";
        UNIQUE_ITEMS = "unique-items", "A list asks for unique items, which takes time that grows with its square.";
        PROPERTIES_AND_ADDITIONAL_PROPERTIES = "properties-and-additional-properties", "A schema has properties and additional properties.";
        ITEMS_LIST = "items-list", "Items is a list of schemas.";
        RESOURCE_IN_METADATA = "resource-in-metadata", "A resource is embedded in the metadata of another.";
        PRUNED_UNKNOWN_FIELDS = "pruned-unknown-fields", "`x-kubernetes-preserve-unknown-fields` is false, which must be left out instead.";
        MAP_TYPE_WITHOUT_OBJECT = "map-type-without-object", "`x-kubernetes-map-type` stands in a schema that is no object.";
        UNKNOWN_MAP_TYPE = "unknown-map-type", "The map type does not exist.";
        LIST_TYPE_WITHOUT_ARRAY = "list-type-without-array", "`x-kubernetes-list-type` stands in a schema that is no array.";
        UNKNOWN_LIST_TYPE = "unknown-list-type", "The list type does not exist.";
        GRANULAR_SET_ITEMS = "granular-set-items", "The items of a set are not atomic.";
        LIST_MAP_KEYS_WITHOUT_MAP = "list-map-keys-without-map", "`x-kubernetes-list-map-keys` stands in a list that is no map.";
        MISSING_LIST_MAP_KEYS = "missing-list-map-keys", "A list of type map names no keys.";
        INVALID_LIST_MAP_ITEMS = "invalid-list-map-items", "The items of a list of type map are not one schema of an object.";
        INVALID_LIST_MAP_KEY = "invalid-list-map-key", "A key of a list of type map is no scalar property of its items, or is named twice.";
        NULLABLE_LIST_ITEMS = "nullable-list-items", "The items of a set or map are nullable.";
        OPTIONAL_LIST_MAP_KEY = "optional-list-map-key", "A key of a list of type map is neither required nor has a default.";
        NULLABLE_LIST_MAP_KEY = "nullable-list-map-key", "A key of a list of type map is nullable.";
    }
    "validation: rules" {
        EMPTY_RULE = "empty-rule", "A validation rule is empty.";
        EMPTY_MESSAGE = "empty-message", "The message of a rule, or its expression, holds nothing but blanks.";
        MULTILINE_MESSAGE = "multiline-message", "The message of a rule has line breaks.";
        MISSING_MESSAGE = "missing-message", "A rule of several lines has no message.";
        UNKNOWN_REASON = "unknown-reason", "The reason of a rule does not exist.";
        INVALID_FIELD_PATH = "invalid-field-path", "The field path of a rule leads to no field of its schema.";
        RULE_TYPES = "rule-types", "The server cannot make CEL types of the schema of a rule.";
        RULE_COST_OVER_LIMIT = "rule-cost-over-limit", "The estimated cost of a rule is over the limit of one rule.";
        TOTAL_RULE_COST_OVER_LIMIT = "total-rule-cost-over-limit", "The estimated cost of all rules of a schema is over the limit.";
        MESSAGE_COST_OVER_LIMIT = "message-cost-over-limit", "The estimated cost of a message expression is over the limit.";
        UNCORRELATABLE_OLD_SELF = "uncorrelatable-old-self", "A rule uses `oldSelf` where old and new values cannot be told which belongs to which.";
        OPTIONAL_OLD_SELF_UNUSED = "optional-old-self-unused", "`optionalOldSelf` is set in a rule that does not use `oldSelf`.";
    }
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
