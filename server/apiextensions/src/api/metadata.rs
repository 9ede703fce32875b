//! The metadata that all objects have.

use super::{FieldType, Struct, field, value};

static STRING: FieldType = FieldType::String;

/// `ObjectMeta` of meta/v1.
pub static OBJECT_META: Struct = Struct {
    name: "ObjectMeta",
    doc: "Name, labels and annotations, and what the server keeps about an object.",
    fields: &[
        field("name", FieldType::String, "The object's name, unique for its kind in its namespace. It cannot be changed later. A definition's name is `<plural>.<group>`.").required(),
        field("namespace", FieldType::String, "The namespace that the object lives in; none for objects of the cluster, which definitions are."),
        field("labels", FieldType::Map(&STRING), "Keys and values that objects are selected by. A key is a name of at most 63 characters, with an optional DNS prefix (`example.com/name`); a value has at most 63 characters."),
        field("annotations", FieldType::Map(&STRING), "Keys and values for tools and people, which nothing is selected by. All of an object's annotations have at most 256 KiB."),
        field("finalizers", FieldType::List(&STRING), "Who must agree before the object goes: while there are any, a deleted object stays with its `deletionTimestamp`."),
        field("ownerReferences", FieldType::List(&OWNER_REFERENCE_TYPE), "Objects that this one depends on: it is collected when all of them are gone."),
        field("generateName", FieldType::String, "A prefix for a name that the server makes up, where `name` is not given (`kubectl create` only)."),
        field("creationTimestamp", FieldType::Time, "When the object was created. Generated manifests often have `null` here, which means nothing.").by_server(),
        field("generation", FieldType::Integer, "Counts changes of what is wanted, usually of `spec`.").by_server(),
        field("resourceVersion", FieldType::String, "The stored revision. In an update it must be the stored one, or the update conflicts.").by_server(),
        field("uid", FieldType::String, "Tells this object from earlier ones of the same name.").by_server(),
        field("deletionTimestamp", FieldType::Time, "When the object is to go; set by a request to delete it.").by_server(),
        field("deletionGracePeriodSeconds", FieldType::Integer, "How many seconds are left for it to go.").by_server(),
        field("managedFields", FieldType::List(&MANAGED_FIELDS_TYPE), "Who set which fields, for server-side apply.").by_server(),
        field("selfLink", FieldType::String, "No longer filled in.").by_server(),
    ],
};

static OWNER_REFERENCE_TYPE: FieldType = FieldType::Object(&OWNER_REFERENCE);

static OWNER_REFERENCE: Struct = Struct {
    name: "OwnerReference",
    doc: "An object that another depends on, in the same namespace or of the cluster.",
    fields: &[
        field("apiVersion", FieldType::String, "The owner's API version.").required(),
        field("kind", FieldType::String, "The owner's kind.").required(),
        field("name", FieldType::String, "The owner's name.").required(),
        field("uid", FieldType::String, "The owner's UID.").required(),
        field(
            "controller",
            FieldType::Boolean,
            "Whether the owner manages the object; at most one does.",
        ),
        field(
            "blockOwnerDeletion",
            FieldType::Boolean,
            "Whether an owner that is deleted in the foreground waits for this object to go first.",
        ),
    ],
};

static MANAGED_FIELDS_TYPE: FieldType = FieldType::Object(&MANAGED_FIELDS);

static MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    doc: "The fields that one manager set.",
    fields: &[
        field("manager", FieldType::String, "Who set them."),
        field("operation", FieldType::String, "How.").one_of(&[
            value("Apply", "By server-side apply."),
            value("Update", "By any other request."),
        ]),
        field(
            "apiVersion",
            FieldType::String,
            "The version that the fields are named in.",
        ),
        field("time", FieldType::Time, "When they were set last."),
        field("fieldsType", FieldType::String, "The format of `fieldsV1`.")
            .one_of(&[value("FieldsV1", "The only one.")]),
        field("fieldsV1", FieldType::Any, "The set of fields."),
        field(
            "subresource",
            FieldType::String,
            "The subresource through which they were set.",
        ),
    ],
};
