//! The differences between `apiextensions.k8s.io/v1beta1` and v1: in v1beta1, some fields in `spec` apply to all versions. API servers have not
//! served this version since 1.22, but repositories still contain such CRDs.

use super::{
    Field, FieldType, OBJECT_META, Struct,
    definition::{
        CLIENT_CONFIG, COLUMN_DESCRIPTION, COLUMN_FORMAT, COLUMN_NAME, COLUMN_PRIORITY, COLUMN_TYPE_FIELD, DEPRECATED,
        DEPRECATION_WARNING, GROUP, KIND, NAMES_FIELD, REVIEW_VERSIONS, SCOPE, SELECTABLE_FIELDS, SERVED, STORAGE,
        STRATEGY, SUBRESOURCES_FIELD, VALIDATION, VERSION_NAME, column_path,
    },
    field,
    status::STATUS,
    value,
};

/// `CustomResourceDefinition` of v1beta1
pub(super) static DEFINITION: Struct = Struct {
    name: "CustomResourceDefinition",
    doc: "Adds a custom resource to the Kubernetes API, in the form of Kubernetes 1.21 and earlier.",
    fields: &[
        field(
            "apiVersion",
            FieldType::String,
            "The version of the CRD API. Since Kubernetes 1.22 it is always `v1`.",
        )
        .required()
        .one_of(&[
            value("apiextensions.k8s.io/v1", "The only version since Kubernetes 1.22."),
            value("apiextensions.k8s.io/v1beta1", "Removed in Kubernetes 1.22."),
        ]),
        KIND,
        field(
            "metadata",
            FieldType::Object(&OBJECT_META),
            "Name, labels and annotations. The name must be `<spec.names.plural>.<spec.group>`.",
        )
        .required(),
        field(
            "spec",
            FieldType::Object(&SPEC),
            "The names and the scope of the resource, and its versions with their schemas.",
        )
        .required(),
        field(
            "status",
            FieldType::Object(&STATUS),
            "The current state of the CRD. The API server writes it, and ignores it in manifests.",
        )
        .by_server(),
    ],
};

static SPEC: Struct = Struct {
    name: "CustomResourceDefinitionSpec",
    doc: "The names and the scope of the resource, and its versions with their schemas.",
    fields: &[
        GROUP,
        NAMES_FIELD,
        SCOPE,
        field(
            "version",
            FieldType::String,
            "The name of the only version, or of the first of `versions`. In v1 there are only `versions`.",
        ),
        field(
            "versions",
            FieldType::List(&VERSION_TYPE),
            "All versions of the API. Exactly one has `storage: true`.",
        ),
        field(
            "validation",
            FieldType::Object(&VALIDATION),
            "The schema that all versions share. In v1 each version has its own `schema`.",
        ),
        SUBRESOURCES_FIELD,
        field(
            "additionalPrinterColumns",
            FieldType::List(&COLUMN_TYPE),
            "The columns of `kubectl get` that all versions share, beside the name.",
        ),
        SELECTABLE_FIELDS,
        field(
            "conversion",
            FieldType::Object(&CONVERSION),
            "How objects are converted between versions. By default the API server changes only `apiVersion`.",
        ),
        field(
            "preserveUnknownFields",
            FieldType::Boolean,
            "Whether the API server keeps fields that are not in the schema: `true` by default. In v1 it must be `false`.",
        ),
    ],
};

static VERSION_TYPE: FieldType = FieldType::Object(&VERSION);

static VERSION: Struct = Struct {
    name: "CustomResourceDefinitionVersion",
    doc: "One version of the API.",
    fields: &[
        VERSION_NAME,
        SERVED,
        STORAGE,
        field(
            "schema",
            FieldType::Object(&VALIDATION),
            "The schema of objects of this version, if the versions do not share `validation`.",
        ),
        SUBRESOURCES_FIELD,
        field(
            "additionalPrinterColumns",
            FieldType::List(&COLUMN_TYPE),
            "The columns of `kubectl get`, beside the name.",
        ),
        SELECTABLE_FIELDS,
        DEPRECATED,
        DEPRECATION_WARNING,
    ],
};

static COLUMN_TYPE: FieldType = FieldType::Object(&COLUMN);

static COLUMN: Struct = Struct {
    name: "CustomResourceColumnDefinition",
    doc: "A column of `kubectl get`.",
    fields: &[
        COLUMN_NAME,
        COLUMN_TYPE_FIELD,
        column_path("JSONPath"),
        COLUMN_DESCRIPTION,
        COLUMN_PRIORITY,
        COLUMN_FORMAT,
    ],
};

static CONVERSION: Struct = Struct {
    name: "CustomResourceConversion",
    doc: "How objects are converted between versions.",
    fields: &[STRATEGY, WEBHOOK_CLIENT_CONFIG, REVIEW_VERSIONS],
};

const WEBHOOK_CLIENT_CONFIG: Field = field(
    "webhookClientConfig",
    FieldType::Object(&CLIENT_CONFIG),
    "Where the webhook is and which certificates it has. In v1 it is `webhook.clientConfig`.",
);
