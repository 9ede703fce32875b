//! The CRD without its schemas.

use super::status::STATUS;
use super::{Field, FieldType, OBJECT_META, Struct, VALIDATION_RULE, Value, field, value};

pub(super) static STRING: FieldType = FieldType::String;

/// `CustomResourceDefinition`
pub static DEFINITION: Struct = Struct {
    name: "CustomResourceDefinition",
    doc: "Adds a custom resource to the Kubernetes API.",
    fields: &[
        field(
            "apiVersion",
            FieldType::String,
            "The version of the CRD API. Since Kubernetes 1.22 it is always `v1`.",
        )
        .required()
        .one_of(&[value(
            "apiextensions.k8s.io/v1",
            "The only version since Kubernetes 1.22.",
        )]),
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

pub(super) const KIND: Field = field("kind", FieldType::String, "The kind of the object.")
    .required()
    .one_of(&[value(
        "CustomResourceDefinition",
        "Adds a custom resource to the Kubernetes API.",
    )]);

static SPEC: Struct = Struct {
    name: "CustomResourceDefinitionSpec",
    doc: "The names and the scope of the resource, and its versions with their schemas.",
    fields: &[
        GROUP,
        NAMES_FIELD,
        SCOPE,
        field("versions", FieldType::List(&VERSION_TYPE), "All versions of the API. Exactly one has `storage: true`. Clients prefer stable versions before beta and alpha, and higher numbers first.").required(),
        field("conversion", FieldType::Object(&CONVERSION), "How objects are converted between versions. By default the API server changes only `apiVersion`."),
        PRESERVE_UNKNOWN_FIELDS,
    ],
};

pub(super) const GROUP: Field = field("group", FieldType::String, "The API group: a DNS subdomain such as `stable.example.com`. It is part of each URL (`/apis/<group>/…`) and cannot change later. Groups under `k8s.io` and `kubernetes.io` need the annotation `api-approved.kubernetes.io`.").required();

pub(super) const NAMES_FIELD: Field = field(
    "names",
    FieldType::Object(&NAMES),
    "The names of the resource in URLs, in manifests and on the command line.",
)
.required();

pub(super) const SCOPE: Field = field(
    "scope",
    FieldType::String,
    "Whether objects belong to a namespace. It cannot change later.",
)
.required()
.one_of(&[
    value(
        "Namespaced",
        "Each object belongs to a namespace. Its name is unique in the namespace.",
    ),
    value(
        "Cluster",
        "Objects have no namespace. Their names are unique in the cluster.",
    ),
]);

pub(super) const PRESERVE_UNKNOWN_FIELDS: Field = field(
    "preserveUnknownFields",
    FieldType::Boolean,
    "Must be `false` in v1. To keep unknown fields, set `x-kubernetes-preserve-unknown-fields` in the schema.",
);

static NAMES: Struct = Struct {
    name: "CustomResourceDefinitionNames",
    doc: "The names of the resource.",
    fields: &[
        field("kind", FieldType::String, "The kind in manifests: usually CamelCase and singular, such as `CronTab`.").required(),
        field("plural", FieldType::String, "The name in URLs and in `kubectl get`: lower case, such as `crontabs`. The name of the CRD begins with it.").required(),
        field("singular", FieldType::String, "The name of one object on the command line: lower case. By default, `kind` in lower case."),
        field("shortNames", FieldType::List(&STRING), "Abbreviations for the command line, such as `ct`: lower case."),
        field("listKind", FieldType::String, "The kind of a list of objects. By default, `kind` followed by `List`."),
        field("categories", FieldType::List(&STRING), "Categories of the resource. `kubectl get all` shows the resources of the category `all`.")
            .such_as(&[value("all", "Shown by `kubectl get all`.")]),
    ],
};

static VERSION_TYPE: FieldType = FieldType::Object(&VERSION);

/// The fields that people know by another name: the struct, that name, and the field. `v1beta1` has the schema of all versions in `validation`.
static KNOWN_AS: [(&Struct, &str, &str); 6] = [
    (&VERSION, "validation", "schema"),
    (&VERSION, "version", "name"),
    (&COLUMN, "path", "jsonPath"),
    (&VALIDATION_RULE, "expression", "rule"),
    (&VALIDATION_RULE, "cel", "rule"),
    (&VALIDATION_RULE, "msg", "message"),
];

/// The field of a struct that people know by another name.
pub fn field_known_as(name: &str, of: &Struct) -> Option<&'static str> {
    let is_it = |it: &&(&Struct, &str, &str)| std::ptr::eq(it.0, of) && it.1 == name;
    KNOWN_AS.iter().find(is_it).map(|it| it.2)
}

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
            "The schema of objects of this version. Each version needs a schema.",
        ),
        SUBRESOURCES_FIELD,
        field(
            "additionalPrinterColumns",
            FieldType::List(&COLUMN_TYPE),
            "The columns of `kubectl get` after the name. By default the API server adds the column `Age`.",
        ),
        SELECTABLE_FIELDS,
        DEPRECATED,
        DEPRECATION_WARNING,
    ],
};

pub(super) const SUBRESOURCES_FIELD: Field = field(
    "subresources",
    FieldType::Object(&SUBRESOURCES),
    "The subresources `status` and `scale`.",
);

pub(super) const DEPRECATED: Field = field(
    "deprecated",
    FieldType::Boolean,
    "Whether the version is deprecated. The API server then adds a `Warning` header to each answer.",
);

pub(super) const DEPRECATION_WARNING: Field = field(
    "deprecationWarning",
    FieldType::String,
    "The text of the deprecation warning. Allowed only with `deprecated: true`. At most 256 bytes in one line.",
);

pub(super) const VERSION_NAME: Field = field(
    "name",
    FieldType::String,
    "The name of the version in URLs and in `apiVersion`, such as `v1alpha1`: a DNS label that is unique in the CRD.",
)
.required()
.such_as(&[
    value("v1", "Stable."),
    value("v1beta1", "Beta: complete, but it can still change."),
    value("v1alpha1", "Alpha: it can change or disappear at any time."),
    value("v2", "The next stable version."),
]);

pub(super) const SERVED: Field = field(
    "served",
    FieldType::Boolean,
    "Whether the API server serves this version.",
)
.required();

pub(super) const STORAGE: Field = field(
    "storage",
    FieldType::Boolean,
    "Whether the API server stores objects in this version. Exactly one version has `true`.",
)
.required();

pub(super) const SELECTABLE_FIELDS: Field = field(
    "selectableFields",
    FieldType::List(&SELECTABLE_TYPE),
    "Fields for field selectors (`kubectl get --field-selector spec.color=blue`): at most 8. On by default since 1.31.",
)
.since(30);

pub(super) static VALIDATION: Struct = Struct {
    name: "CustomResourceValidation",
    doc: "The schema of a version.",
    fields: &[field("openAPIV3Schema", FieldType::Object(&super::SCHEMA), "The schema of objects, from their root. It must be a *structural schema*: each value has a `type`, and `allOf`, `anyOf`, `oneOf` and `not` only restrict values.").required()],
};

pub(super) static SUBRESOURCES: Struct = Struct {
    name: "CustomResourceSubresources",
    doc: "The subresources `status` and `scale`.",
    fields: &[
        field(
            "status",
            FieldType::Object(&STATUS_SUBRESOURCE),
            "Enables the endpoint `/status`. Requests to the object then ignore changes of `status`, and requests to `/status` ignore all other changes. `metadata.generation` counts changes outside of `metadata` and `status`. Write `{}`.",
        ),
        field(
            "scale",
            FieldType::Object(&SCALE),
            "Enables the endpoint `/scale` for `kubectl scale`, autoscalers and disruption budgets.",
        ),
    ],
};

static STATUS_SUBRESOURCE: Struct = Struct {
    name: "CustomResourceSubresourceStatus",
    doc: "Has no fields.",
    fields: &[],
};

static SCALE: Struct = Struct {
    name: "CustomResourceSubresourceScale",
    doc: "The paths of the values of the `scale` subresource.",
    fields: &[
        field(
            "specReplicasPath",
            FieldType::String,
            "The path of the desired replicas: below `.spec` and without lists, such as `.spec.replicas`.",
        )
        .required(),
        field(
            "statusReplicasPath",
            FieldType::String,
            "The path of the current replicas: below `.status` and without lists, such as `.status.replicas`.",
        )
        .required(),
        field(
            "labelSelectorPath",
            FieldType::String,
            "The path of the label selector of the pods, a string: below `.spec` or `.status` and without lists. The horizontal pod autoscaler needs it.",
        ),
    ],
};

static COLUMN_TYPE: FieldType = FieldType::Object(&COLUMN);

/// The types of a printer column (`validation.go`, `printerColumnDatatypes`).
const COLUMN_TYPES: &[Value] = &[
    value("string", "Text."),
    value("integer", "A whole number."),
    value("date", "A time. `kubectl` prints its age."),
    value("boolean", "`true` or `false`."),
    value("number", "A number."),
];

const COLUMN_FORMATS: &[Value] = &[
    value("int32", "A whole number of 32 bits."),
    value("int64", "A whole number of 64 bits."),
    value("float", "A number of 32 bits."),
    value("double", "A number of 64 bits."),
    value("byte", "Base64."),
    value("date", "A day."),
    value("date-time", "A time."),
    value("password", "Text that clients may hide."),
];

static COLUMN: Struct = Struct {
    name: "CustomResourceColumnDefinition",
    doc: "A column of `kubectl get`.",
    fields: &[
        COLUMN_NAME,
        COLUMN_TYPE_FIELD,
        column_path("jsonPath"),
        COLUMN_DESCRIPTION,
        COLUMN_PRIORITY,
        COLUMN_FORMAT,
    ],
};

pub(super) const COLUMN_NAME: Field = field("name", FieldType::String, "The column's heading.").required();

pub(super) const COLUMN_TYPE_FIELD: Field = field("type", FieldType::String, "The OpenAPI type of the values.")
    .required()
    .one_of(COLUMN_TYPES);

/// The path of a printer column. `v1beta1` has another key for the path.
pub(super) const fn column_path(key: &'static str) -> Field {
    field(key, FieldType::String, "The path of the value in the object: a simple JSONPath such as `.spec.replicas` or `.status.conditions[?(@.type=='Ready')].status`.").required()
}

pub(super) const COLUMN_DESCRIPTION: Field = field("description", FieldType::String, "The description of the column.");

pub(super) const COLUMN_PRIORITY: Field = field(
    "priority",
    FieldType::Integer,
    "`kubectl get` prints columns above 0 only with `-o wide`.",
);

pub(super) const COLUMN_FORMAT: Field = field(
    "format",
    FieldType::String,
    "The OpenAPI format, as a hint for clients. The first column of `kubectl` has the format `name`.",
)
.one_of(COLUMN_FORMATS);

pub(super) static SELECTABLE_TYPE: FieldType = FieldType::Object(&SELECTABLE_FIELD);

static SELECTABLE_FIELD: Struct = Struct {
    name: "SelectableField",
    doc: "A field for field selectors.",
    fields: &[field("jsonPath", FieldType::String, "The path of the field, such as `.spec.color`: a string, boolean or integer, not in a list, and not below `metadata`.").required()],
};

static CONVERSION: Struct = Struct {
    name: "CustomResourceConversion",
    doc: "How objects are converted between versions.",
    fields: &[
        STRATEGY,
        field(
            "webhook",
            FieldType::Object(&WEBHOOK),
            "The conversion webhook. Required with `strategy: Webhook`, otherwise forbidden.",
        ),
    ],
};

static WEBHOOK: Struct = Struct {
    name: "WebhookConversion",
    doc: "The conversion webhook.",
    fields: &[
        field(
            "clientConfig",
            FieldType::Object(&CLIENT_CONFIG),
            "The address and the certificates of the webhook. Set either `url` or `service`.",
        ),
        REVIEW_VERSIONS,
    ],
};

pub(super) const STRATEGY: Field = field("strategy", FieldType::String, "Who converts objects between versions.")
    .required()
    .one_of(&[
        value(
            "None",
            "The API server changes only `apiVersion`, and prunes fields that the other version does not have.",
        ),
        value("Webhook", "The API server calls the webhook in `webhook`."),
    ]);

pub(super) const REVIEW_VERSIONS: Field = field("conversionReviewVersions", FieldType::List(&STRING), "The versions of `ConversionReview` that the webhook understands, the preferred version first. The API server uses the first version that it knows, and must know at least one.")
            .required()
            .such_as(&[value("v1", "The current version."), value("v1beta1", "The previous version.")]);

pub(super) static CLIENT_CONFIG: Struct = Struct {
    name: "WebhookClientConfig",
    doc: "The address of a webhook.",
    fields: &[
        field(
            "service",
            FieldType::Object(&SERVICE),
            "A service in the cluster. Set either `service` or `url`.",
        ),
        field(
            "url",
            FieldType::String,
            "The URL of the webhook, as the API server reaches it: `https://host:port/path`, without user, query or fragment. Set either `url` or `service`.",
        ),
        field(
            "caBundle",
            FieldType::Bytes,
            "The CA certificates of the webhook: PEM, encoded in base64. By default the API server uses the system's root certificates. Tools such as cert-manager fill it in. Since 1.31 it must contain a certificate.",
        ),
    ],
};

static SERVICE: Struct = Struct {
    name: "ServiceReference",
    doc: "The service of a webhook.",
    fields: &[
        field("namespace", FieldType::String, "The namespace of the service.").required(),
        field("name", FieldType::String, "The name of the service.").required(),
        field("path", FieldType::String, "The path of the URL, such as `/convert`."),
        field("port", FieldType::Integer, "The port of the service. 443 by default."),
    ],
};
