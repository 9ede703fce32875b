//! The diagnostic codes of this crate, each with a one-sentence description. Their pages are named after them.

crd_analyzer_schema::codes! {
    // decoding
    /// The document is not valid YAML, or cannot be converted to JSON.
    INVALID_YAML = "invalid-yaml", no_fix: "A text that is not YAML does not show what the author meant. Only a value that begins with `!` has a fix.";
    /// The document cannot be decoded as a CRD, because a value or the object itself has the wrong type.
    UNREADABLE_CRD = "unreadable-crd";
    /// A field does not exist. Strict field validation rejects it; otherwise the API server drops it.
    UNKNOWN_FIELD = "unknown-field";
    /// The API server drops an unknown field below `items` or `additionalProperties` without a warning.
    DROPPED_FIELD = "dropped-field";
    /// A mapping has the same key twice. The last one applies, and strict field validation rejects the object.
    DUPLICATE_KEY = "duplicate-key";
    /// API servers of this Kubernetes version do not serve the CRD's `apiVersion`.
    UNSERVED_API_VERSION = "unserved-api-version";
    // warnings
    /// The API server does not know this format, so the format has no effect.
    UNRECOGNIZED_FORMAT = "unrecognized-format";
    /// A list with the list type `set` has objects or lists as items, which server-side apply and CEL do not support.
    SET_OF_OBJECTS = "set-of-objects";
    // limits of the check
    /// The API server itself crashes on this CRD, so the verdict is unknown.
    SERVER_PANIC = "server-panic", no_fix: "The API server itself fails.";
    /// Schemas or values are nested more deeply than crd-analyzer supports.
    TOO_DEEP = "too-deep";
    // validation: names and versions
    /// The CRD has no API group.
    MISSING_GROUP = "missing-group";
    /// The API group is not a DNS subdomain with at least one dot.
    INVALID_GROUP = "invalid-group", no_fix: "Only the author knows the domain of the group.";
    /// The scope is missing, or is neither `Cluster` nor `Namespaced`.
    UNKNOWN_SCOPE = "unknown-scope";
    /// A name of the resource is missing: plural, singular, kind or listKind.
    MISSING_RESOURCE_NAME = "missing-resource-name";
    /// A name of the resource is not a DNS label.
    INVALID_RESOURCE_NAME = "invalid-resource-name";
    /// `kind` and `listKind` are the same.
    LIST_KIND_EQUALS_KIND = "list-kind-equals-kind";
    /// The name of a version is not a DNS label.
    INVALID_VERSION_NAME = "invalid-version-name";
    /// Two versions have the same name.
    DUPLICATE_VERSION_NAME = "duplicate-version-name";
    /// Not exactly one version is the storage version.
    STORAGE_VERSION_COUNT = "storage-version-count";
    /// `spec.version` is not the first entry of `spec.versions`.
    VERSION_MISMATCH = "version-mismatch";
    /// A version has no schema.
    MISSING_SCHEMA = "missing-schema";
    /// A field is set both for all versions and for individual versions.
    SHARED_AND_PER_VERSION = "shared-and-per-version";
    /// All versions repeat the same value, which must be set once for all versions.
    IDENTICAL_PER_VERSION = "identical-per-version";
    /// A deprecation warning has a text that cannot be sent, or its version is not deprecated.
    INVALID_DEPRECATION_WARNING = "invalid-deprecation-warning";
    /// `status.storedVersions` does not match the versions of the CRD.
    STORED_VERSIONS = "stored-versions", no_fix: "Stored objects must be migrated before you can remove a version.";
    /// An update changes a field that cannot change.
    IMMUTABLE_FIELD = "immutable-field";
    /// The CRD sets `preserveUnknownFields: true`, which v1 does not allow.
    PRESERVED_UNKNOWN_FIELDS = "preserved-unknown-fields";
    /// A CRD in a group of the Kubernetes community has no approval annotation.
    MISSING_API_APPROVAL = "missing-api-approval";
    /// The approval annotation is neither a URL nor a value that starts with `unapproved`.
    INVALID_API_APPROVAL = "invalid-api-approval";
    // validation: conversion
    /// The conversion strategy is missing, or is neither `None` nor `Webhook`.
    UNKNOWN_CONVERSION_STRATEGY = "unknown-conversion-strategy";
    /// A conversion webhook has no address, or has both `url` and `service`.
    MISSING_WEBHOOK = "missing-webhook", no_fix: "Only the author knows the address of the webhook.";
    /// A webhook is configured, but the conversion strategy is not `Webhook`.
    WEBHOOK_WITHOUT_STRATEGY = "webhook-without-strategy";
    /// The URL of a webhook is not a plain https URL.
    INVALID_WEBHOOK_URL = "invalid-webhook-url", no_fix: "Only the author knows the address of the webhook.";
    /// The service of a webhook has no name or namespace, or its port or path is not valid.
    INVALID_WEBHOOK_SERVICE = "invalid-webhook-service", no_fix: "Only the author knows the service of the webhook.";
    /// The CA bundle of a webhook contains no valid certificate.
    INVALID_CA_BUNDLE = "invalid-ca-bundle", no_fix: "The certificate is not in the file.";
    /// A conversion webhook has no `conversionReviewVersions`.
    MISSING_REVIEW_VERSIONS = "missing-review-versions";
    /// An entry of `conversionReviewVersions` is not a DNS label.
    INVALID_REVIEW_VERSION = "invalid-review-version";
    /// `conversionReviewVersions` lists a version twice.
    DUPLICATE_REVIEW_VERSION = "duplicate-review-version";
    /// The API server sends none of the versions in `conversionReviewVersions`.
    UNRECOGNIZED_REVIEW_VERSIONS = "unrecognized-review-versions";
    // validation: columns, subresources, selectable fields
    /// A printer column has no name, type or path.
    MISSING_COLUMN_FIELD = "missing-column-field", no_fix: "Only the author knows which field the column shows.";
    /// The type of a printer column does not exist.
    UNKNOWN_COLUMN_TYPE = "unknown-column-type";
    /// The format of a printer column does not exist.
    UNKNOWN_COLUMN_FORMAT = "unknown-column-format";
    /// A JSONPath is not valid, or does not start with a dot.
    INVALID_JSON_PATH = "invalid-json-path";
    /// The scale subresource has no path to the replicas.
    MISSING_SCALE_PATH = "missing-scale-path";
    /// A path of the scale subresource points outside `.spec` or `.status`.
    SCALE_PATH_ELSEWHERE = "scale-path-elsewhere", no_fix: "Only the author knows which field has the number of replicas.";
    /// A version has selectable fields but no schema.
    SELECTABLE_FIELD_WITHOUT_SCHEMA = "selectable-field-without-schema", no_fix: "Only the author knows the schema of the version.";
    /// A selectable field does not lead to a string, boolean or integer of the schema.
    INVALID_SELECTABLE_FIELD = "invalid-selectable-field", no_fix: "Only the author knows which field was meant.";
    /// Two selectable fields point to the same field.
    DUPLICATE_SELECTABLE_FIELD = "duplicate-selectable-field";
    /// A version has more selectable fields than the API server allows.
    TOO_MANY_SELECTABLE_FIELDS = "too-many-selectable-fields", no_fix: "Only the author knows which selectable fields to remove.";
    // validation: schemas
    /// The root of a schema uses a keyword that the status subresource forbids there.
    KEYWORD_AT_ROOT_WITH_STATUS = "keyword-at-root-with-status", no_fix: "Only the author knows where the restriction belongs.";
    /// The root of a schema is nullable.
    NULLABLE_ROOT = "nullable-root";
    /// A schema uses a JSON Schema keyword that CRDs do not support.
    UNSUPPORTED_KEYWORD = "unsupported-keyword";
    /// A schema is not structural.
    NOT_STRUCTURAL = "not-structural", no_fix: "It follows from other errors, which have their own fixes.";
    /// The type of a schema does not exist.
    UNKNOWN_TYPE = "unknown-type";
    /// The type of a schema is null.
    NULL_TYPE = "null-type";
    /// A schema has a default in a position where defaults are not allowed.
    FORBIDDEN_DEFAULT = "forbidden-default";
    /// A schema sets `uniqueItems: true`, which CRDs do not support.
    UNIQUE_ITEMS = "unique-items";
    /// A schema has both `properties` and `additionalProperties`.
    PROPERTIES_AND_ADDITIONAL_PROPERTIES = "properties-and-additional-properties";
    /// `items` is a list of schemas instead of one schema.
    ITEMS_LIST = "items-list";
    /// A schema embeds a resource in the `metadata` of another resource.
    RESOURCE_IN_METADATA = "resource-in-metadata";
    /// `x-kubernetes-preserve-unknown-fields` is `false`; only `true` is allowed.
    PRUNED_UNKNOWN_FIELDS = "pruned-unknown-fields";
    /// A schema with `x-kubernetes-map-type` does not have the type `object`.
    MAP_TYPE_WITHOUT_OBJECT = "map-type-without-object";
    /// The map type does not exist.
    UNKNOWN_MAP_TYPE = "unknown-map-type";
    /// A schema with `x-kubernetes-list-type` does not have the type `array`.
    LIST_TYPE_WITHOUT_ARRAY = "list-type-without-array";
    /// The list type does not exist.
    UNKNOWN_LIST_TYPE = "unknown-list-type";
    /// The items of a set are lists or objects that are not atomic.
    GRANULAR_SET_ITEMS = "granular-set-items";
    /// A list with `x-kubernetes-list-map-keys` does not have the list type `map`.
    LIST_MAP_KEYS_WITHOUT_MAP = "list-map-keys-without-map";
    /// A list with the list type `map` has no `x-kubernetes-list-map-keys`.
    MISSING_LIST_MAP_KEYS = "missing-list-map-keys";
    /// The items of a list with the list type `map` are not objects of one schema.
    INVALID_LIST_MAP_ITEMS = "invalid-list-map-items", no_fix: "Only the author knows the fields of the items.";
    /// An entry of `x-kubernetes-list-map-keys` is not a scalar property of the items, or is listed twice.
    INVALID_LIST_MAP_KEY = "invalid-list-map-key", no_fix: "Only the author knows which field identifies the items.";
    /// The items of a list with the list type `set` or `map` are nullable.
    NULLABLE_LIST_ITEMS = "nullable-list-items";
    /// A property in `x-kubernetes-list-map-keys` is neither required nor has a default.
    OPTIONAL_LIST_MAP_KEY = "optional-list-map-key";
    /// A property in `x-kubernetes-list-map-keys` is nullable.
    NULLABLE_LIST_MAP_KEY = "nullable-list-map-key";
    // validation: rules
    /// A validation rule is empty.
    EMPTY_RULE = "empty-rule";
    /// The message or the message expression of a rule contains only spaces.
    EMPTY_MESSAGE = "empty-message";
    /// The message of a rule has line breaks.
    MULTILINE_MESSAGE = "multiline-message";
    /// A rule of several lines has no message.
    MISSING_MESSAGE = "missing-message";
    /// The reason of a rule does not exist.
    UNKNOWN_REASON = "unknown-reason";
    /// The field path of a rule does not lead to a field of its schema.
    INVALID_FIELD_PATH = "invalid-field-path";
    /// The API server cannot derive CEL types from the schema of a rule.
    RULE_TYPES = "rule-types";
    /// The estimated cost of a rule exceeds the limit of one rule.
    RULE_COST_OVER_LIMIT = "rule-cost-over-limit";
    /// The estimated cost of all rules of a schema together exceeds the limit.
    TOTAL_RULE_COST_OVER_LIMIT = "total-rule-cost-over-limit";
    /// The estimated cost of a message expression exceeds the limit.
    MESSAGE_COST_OVER_LIMIT = "message-cost-over-limit";
    /// A rule uses `oldSelf` in a schema where the API server cannot match old values with new ones.
    UNCORRELATABLE_OLD_SELF = "uncorrelatable-old-self", no_fix: "The rule must move to another schema, which changes what it compares.";
    /// A rule sets `optionalOldSelf` but does not use `oldSelf`.
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
