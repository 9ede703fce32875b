//! The metadata of all objects.

use super::{FieldType, Struct, field, value};

static STRING: FieldType = FieldType::String;

/// `ObjectMeta` of meta/v1.
pub static OBJECT_META: Struct = Struct {
    name: "ObjectMeta",
    doc: "Name, labels, annotations, and fields that the API server writes.",
    fields: &[
        field("name", FieldType::String, "The name of the object, unique for its kind in its namespace. It cannot change later. The name of a CRD is `<plural>.<group>`.").required(),
        field("namespace", FieldType::String, "The namespace of the object. Cluster-scoped objects, such as CRDs, have none."),
        field("labels", FieldType::Map(&STRING), "Keys and values for label selectors. A key is a name of at most 63 characters with an optional DNS prefix (`example.com/name`). A value has at most 63 characters."),
        field("annotations", FieldType::Map(&STRING), "Keys and values for tools and people. Selectors do not use them. All annotations of an object together have at most 256 KiB."),
        field("finalizers", FieldType::List(&STRING), "Controllers that must act before the object is deleted. Until the list is empty, a deleted object stays with its `deletionTimestamp`."),
        field("ownerReferences", FieldType::List(&OWNER_REFERENCE_TYPE), "The owners of this object. The garbage collector deletes it when all owners are deleted."),
        field("generateName", FieldType::String, "A prefix for a name that the API server generates if `name` is not set. It works with `kubectl create`, not with `kubectl apply`."),
        field("creationTimestamp", FieldType::Time, "When the object was created. The `null` in generated manifests has no effect.").by_server(),
        field("generation", FieldType::Integer, "Counts changes of the desired state, usually of `spec`.").by_server(),
        field("resourceVersion", FieldType::String, "The revision of the stored object. An update with another revision conflicts.").by_server(),
        field("uid", FieldType::String, "Distinguishes this object from earlier ones with the same name.").by_server(),
        field("deletionTimestamp", FieldType::Time, "When the object will be deleted. A delete request sets it.").by_server(),
        field("deletionGracePeriodSeconds", FieldType::Integer, "How many seconds the object has before it is deleted.").by_server(),
        field("managedFields", FieldType::List(&MANAGED_FIELDS_TYPE), "Which manager set which fields, for server-side apply.").by_server(),
        field("selfLink", FieldType::String, "No longer used.").by_server(),
    ],
};

static OWNER_REFERENCE_TYPE: FieldType = FieldType::Object(&OWNER_REFERENCE);

static OWNER_REFERENCE: Struct = Struct {
    name: "OwnerReference",
    doc: "An owner: an object in the same namespace, or a cluster-scoped object.",
    fields: &[
        field("apiVersion", FieldType::String, "The API version of the owner.").required(),
        field("kind", FieldType::String, "The kind of the owner.").required(),
        field("name", FieldType::String, "The name of the owner.").required(),
        field("uid", FieldType::String, "The UID of the owner.").required(),
        field(
            "controller",
            FieldType::Boolean,
            "Whether this owner is the controller. At most one owner is.",
        ),
        field(
            "blockOwnerDeletion",
            FieldType::Boolean,
            "Whether deleting the owner in the foreground waits until this object is deleted.",
        ),
    ],
};

static MANAGED_FIELDS_TYPE: FieldType = FieldType::Object(&MANAGED_FIELDS);

static MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    doc: "The fields that one manager set.",
    fields: &[
        field("manager", FieldType::String, "The manager that set the fields."),
        field("operation", FieldType::String, "How the manager set the fields.").one_of(&[
            value("Apply", "By server-side apply."),
            value("Update", "By any other request."),
        ]),
        field("apiVersion", FieldType::String, "The version of the field names."),
        field("time", FieldType::Time, "When the manager last changed its fields."),
        field("fieldsType", FieldType::String, "The format of `fieldsV1`.")
            .one_of(&[value("FieldsV1", "The only format.")]),
        field("fieldsV1", FieldType::Any, "The set of fields."),
        field(
            "subresource",
            FieldType::String,
            "The subresource of the request that set the fields.",
        ),
    ],
};
