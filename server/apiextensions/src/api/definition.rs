//! The definition around its schemas.

use super::status::STATUS;
use super::{Field, FieldType, OBJECT_META, Struct, Value, field, value};

pub(super) static STRING: FieldType = FieldType::String;

/// `CustomResourceDefinition`
pub static DEFINITION: Struct = Struct {
    name: "CustomResourceDefinition",
    doc: "Makes the API server serve a resource of your own.",
    fields: &[
        field("apiVersion", FieldType::String, "The version of the API that this manifest is written in. Since Kubernetes 1.22 definitions have only `v1`.")
            .required()
            .one_of(&[value("apiextensions.k8s.io/v1", "The only version that servers still have.")]),
        KIND,
        field("metadata", FieldType::Object(&OBJECT_META), "Name, labels and annotations. The name must be `<spec.names.plural>.<spec.group>`.").required(),
        field("spec", FieldType::Object(&SPEC), "What the resource is called, where it lives, and its versions with their schemas.").required(),
        field("status", FieldType::Object(&STATUS), "What the server made of the definition. It is dropped from manifests that are applied.").by_server(),
    ],
};

pub(super) const KIND: Field = field("kind", FieldType::String, "What the manifest describes.")
    .required()
    .one_of(&[value(
        "CustomResourceDefinition",
        "Makes the API server serve a resource of your own.",
    )]);

static SPEC: Struct = Struct {
    name: "CustomResourceDefinitionSpec",
    doc: "What the resource is called, where it lives, and its versions with their schemas.",
    fields: &[
        GROUP,
        NAMES_FIELD,
        SCOPE,
        field("versions", FieldType::List(&VERSION_TYPE), "All versions of the API. Exactly one has `storage: true`. In discovery they are ordered by name: GA before beta before alpha, higher numbers first.").required(),
        field("conversion", FieldType::Object(&CONVERSION), "How objects are converted between versions. Without it only `apiVersion` is changed."),
        PRESERVE_UNKNOWN_FIELDS,
    ],
};

pub(super) const GROUP: Field = field("group", FieldType::String, "The API group: a DNS subdomain such as `stable.example.com`. Objects are served at `/apis/<group>/…`, and it cannot be changed later. Groups under `k8s.io` and `kubernetes.io` need the annotation `api-approved.kubernetes.io`.").required();

pub(super) const NAMES_FIELD: Field = field(
    "names",
    FieldType::Object(&NAMES),
    "What the resource is called in URLs, in manifests and on the command line.",
)
.required();

pub(super) const SCOPE: Field = field(
    "scope",
    FieldType::String,
    "Whether objects live in namespaces. It cannot be changed later.",
)
.required()
.one_of(&[
    value(
        "Namespaced",
        "Each object lives in a namespace; its name is unique there.",
    ),
    value(
        "Cluster",
        "Objects live outside of namespaces; names are unique in the cluster.",
    ),
]);

pub(super) const PRESERVE_UNKNOWN_FIELDS: Field = field(
    "preserveUnknownFields",
    FieldType::Boolean,
    "Left over from v1beta1, where unknown fields could be kept in storage. In v1 it must be `false`: use `x-kubernetes-preserve-unknown-fields` in the schema.",
);

static NAMES: Struct = Struct {
    name: "CustomResourceDefinitionNames",
    doc: "What the resource is called.",
    fields: &[
        field("kind", FieldType::String, "The kind in manifests: usually CamelCase and singular, such as `CronTab`.").required(),
        field("plural", FieldType::String, "The name in URLs and in `kubectl get`: all lower case, such as `crontabs`. The definition's own name begins with it.").required(),
        field("singular", FieldType::String, "The name of one object on the command line: all lower case. By default `kind` in lower case."),
        field("shortNames", FieldType::List(&STRING), "Abbreviations for the command line, such as `ct`: all lower case."),
        field("listKind", FieldType::String, "The kind of a list of objects. By default `kind` followed by `List`."),
        field("categories", FieldType::List(&STRING), "Groups of resources that the resource belongs to: `kubectl get all` shows those of the category `all`.")
            .such_as(&[value("all", "Shown by `kubectl get all`.")]),
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
            "The schema of objects of this version. Every version of a v1 definition needs one.",
        ),
        SUBRESOURCES_FIELD,
        field(
            "additionalPrinterColumns",
            FieldType::List(&COLUMN_TYPE),
            "The columns of `kubectl get`, beside the name. If there are none the server adds `Age`.",
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
    "Requests to this version are answered with a `Warning:`.",
);

pub(super) const DEPRECATION_WARNING: Field = field(
    "deprecationWarning",
    FieldType::String,
    "The text of that warning, instead of the server's own. Only with `deprecated: true`; at most 256 characters, on one line.",
);

pub(super) const VERSION_NAME: Field = field(
    "name",
    FieldType::String,
    "The version in URLs and in `apiVersion`, such as `v1alpha1`: a DNS label, unique in the definition.",
)
.required()
.such_as(&[
    value("v1", "Stable."),
    value("v1beta1", "Beta: complete, but it may still change."),
    value("v1alpha1", "Alpha: it may change or go away at any time."),
    value("v2", "The next stable version."),
]);

pub(super) const SERVED: Field = field(
    "served",
    FieldType::Boolean,
    "Whether the server serves the version at all.",
)
.required();

pub(super) const STORAGE: Field = field(
    "storage",
    FieldType::Boolean,
    "Whether objects are stored in this version: exactly one version of a definition has `true`.",
)
.required();

pub(super) const SELECTABLE_FIELDS: Field = field("selectableFields", FieldType::List(&SELECTABLE_TYPE), "Fields by which lists can be filtered (`kubectl get --field-selector spec.color=blue`): at most 8. On by default since 1.31.").since(30);

pub(super) static VALIDATION: Struct = Struct {
    name: "CustomResourceValidation",
    doc: "The schema of a version.",
    fields: &[field("openAPIV3Schema", FieldType::Object(&super::SCHEMA), "The schema of objects, from their root. It must be a *structural schema*: every value has a `type`, and what validates only says more about it.").required()],
};

pub(super) static SUBRESOURCES: Struct = Struct {
    name: "CustomResourceSubresources",
    doc: "The subresources `status` and `scale`.",
    fields: &[
        field(
            "status",
            FieldType::Object(&STATUS_SUBRESOURCE),
            "Serves `/status`. Requests to the object itself then leave `status` alone, those to `/status` everything else; and `metadata.generation` counts changes outside of `metadata` and `status`. Written as `{}`.",
        ),
        field(
            "scale",
            FieldType::Object(&SCALE),
            "Serves `/scale`, which `kubectl scale`, autoscalers and disruption budgets use.",
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
    doc: "Where the numbers of the `scale` subresource are.",
    fields: &[
        field("specReplicasPath", FieldType::String, "Where the wanted number of replicas is: a path without lists below `.spec`, such as `.spec.replicas`.").required(),
        field("statusReplicasPath", FieldType::String, "Where the number of replicas that run is: a path without lists below `.status`, such as `.status.replicas`.").required(),
        field("labelSelectorPath", FieldType::String, "Where a label selector for the pods is, as text: a path without lists below `.spec` or `.status`. The horizontal pod autoscaler needs it."),
    ],
};

static COLUMN_TYPE: FieldType = FieldType::Object(&COLUMN);

/// What a column is printed as (`validation.go`, `printerColumnDatatypes`).
const COLUMN_TYPES: &[Value] = &[
    value("string", "Text."),
    value("integer", "A whole number."),
    value("date", "A time; `kubectl` shows how long ago it was."),
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

pub(super) const COLUMN_TYPE_FIELD: Field =
    field("type", FieldType::String, "What the values are, as OpenAPI calls it.")
        .required()
        .one_of(COLUMN_TYPES);

/// The path of a column; `v1beta1` has another key for it.
pub(super) const fn column_path(key: &'static str) -> Field {
    field(key, FieldType::String, "Where the value is in the object: a simple JSONPath such as `.spec.replicas` or `.status.conditions[?(@.type=='Ready')].status`.").required()
}

pub(super) const COLUMN_DESCRIPTION: Field =
    field("description", FieldType::String, "What the column shows, for people.");

pub(super) const COLUMN_PRIORITY: Field = field(
    "priority",
    FieldType::Integer,
    "Columns above 0 are only shown by `kubectl get -o wide`.",
);

pub(super) const COLUMN_FORMAT: Field = field(
    "format",
    FieldType::String,
    "A hint for clients, as OpenAPI has it; the name column of `kubectl` has the format `name`.",
)
.one_of(COLUMN_FORMATS);

pub(super) static SELECTABLE_TYPE: FieldType = FieldType::Object(&SELECTABLE_FIELD);

static SELECTABLE_FIELD: Struct = Struct {
    name: "SelectableField",
    doc: "A field by which lists can be filtered.",
    fields: &[field("jsonPath", FieldType::String, "Where the field is: a path without lists such as `.spec.color`, of type string, boolean or integer. Not below `metadata`.").required()],
};

static CONVERSION: Struct = Struct {
    name: "CustomResourceConversion",
    doc: "How objects are converted between versions.",
    fields: &[
        STRATEGY,
        field(
            "webhook",
            FieldType::Object(&WEBHOOK),
            "How to call the webhook. Required with `strategy: Webhook`, forbidden otherwise.",
        ),
    ],
};

static WEBHOOK: Struct = Struct {
    name: "WebhookConversion",
    doc: "How to call a conversion webhook.",
    fields: &[
        field(
            "clientConfig",
            FieldType::Object(&CLIENT_CONFIG),
            "Where the webhook is and which certificates it has: by `url` or by `service`, not both.",
        ),
        REVIEW_VERSIONS,
    ],
};

pub(super) const STRATEGY: Field = field("strategy", FieldType::String, "Who converts.").required().one_of(&[
            value("None", "The server, which changes `apiVersion` and nothing else; fields that the other version does not have are pruned."),
            value("Webhook", "A webhook of yours; `webhook` says how to call it."),
        ]);

pub(super) const REVIEW_VERSIONS: Field = field("conversionReviewVersions", FieldType::List(&STRING), "The versions of `ConversionReview` that the webhook understands, the best first. The server takes the first that it knows; one of them must be known to it.")
            .required()
            .such_as(&[value("v1", "The version that servers speak."), value("v1beta1", "The version before it.")]);

pub(super) static CLIENT_CONFIG: Struct = Struct {
    name: "WebhookClientConfig",
    doc: "Where a webhook is.",
    fields: &[
        field(
            "service",
            FieldType::Object(&SERVICE),
            "A service in the cluster. Either this or `url`.",
        ),
        field(
            "url",
            FieldType::String,
            "Where the webhook is, from the API server's point of view: `https://host:port/path`, without user, query or fragment. Either this or `service`.",
        ),
        field(
            "caBundle",
            FieldType::Bytes,
            "PEM certificates, in base64, that the webhook's certificate is checked with; without it the server's own trust roots are. Tools such as cert-manager fill it in. Since 1.31 it must hold certificates.",
        ),
    ],
};

static SERVICE: Struct = Struct {
    name: "ServiceReference",
    doc: "A service that answers a webhook.",
    fields: &[
        field("namespace", FieldType::String, "The service's namespace.").required(),
        field("name", FieldType::String, "The service's name.").required(),
        field(
            "path",
            FieldType::String,
            "The path of the URL that is called, such as `/convert`.",
        ),
        field(
            "port",
            FieldType::Integer,
            "The service's port; 443 if nothing is said.",
        ),
    ],
};
