//! The status of a CRD, which the API server reports.

use super::{FieldType, Struct, field, value};

static STRING: FieldType = FieldType::String;

pub(super) static STATUS: Struct = Struct {
    name: "CustomResourceDefinitionStatus",
    doc: "The current state of a CRD.",
    fields: &[
        field("conditions", FieldType::List(&CONDITION_TYPE), "Whether the names were accepted, whether the resource is served, and so on.").by_server(),
        field("acceptedNames", FieldType::Object(&NAMES), "The names that the API server serves. They differ from `spec.names` if another CRD already uses those.").by_server(),
        field("storedVersions", FieldType::List(&STRING), "The versions of stored objects. Before you remove such a version from `spec.versions`, migrate its objects and remove it here.").by_server(),
        field("observedGeneration", FieldType::Integer, "The generation of the CRD that the status describes.").by_server().since(35),
    ],
};

static CONDITION_TYPE: FieldType = FieldType::Object(&CONDITION);

static CONDITION: Struct = Struct {
    name: "CustomResourceDefinitionCondition",
    doc: "One condition of a CRD.",
    fields: &[
        field("type", FieldType::String, "The type of the condition.")
            .by_server()
            .such_as(&[
                value("Established", "The API server serves the resource."),
                value("NamesAccepted", "No other CRD uses the names."),
                value("NonStructuralSchema", "The schema is not structural."),
                value("Terminating", "The CRD is being deleted."),
                value(
                    "KubernetesAPIApprovalPolicyConformant",
                    "A CRD in a group of the Kubernetes community has an approval annotation.",
                ),
            ]),
        field("status", FieldType::String, "Whether the condition is true.")
            .by_server()
            .one_of(&[
                value("True", "The condition is true."),
                value("False", "The condition is false."),
                value("Unknown", "The state is unknown."),
            ]),
        field(
            "lastTransitionTime",
            FieldType::Time,
            "When the status of the condition last changed.",
        )
        .by_server(),
        field("reason", FieldType::String, "The reason in one word.").by_server(),
        field("message", FieldType::String, "The reason as a sentence.").by_server(),
        field(
            "observedGeneration",
            FieldType::Integer,
            "The generation of the CRD that the condition describes.",
        )
        .by_server()
        .since(35),
    ],
};

static NAMES: Struct = Struct {
    name: "CustomResourceDefinitionNames",
    doc: "The names that the API server serves.",
    fields: &[
        field("plural", FieldType::String, "The name in URLs.").by_server(),
        field(
            "singular",
            FieldType::String,
            "The name of one object on the command line.",
        )
        .by_server(),
        field(
            "shortNames",
            FieldType::List(&STRING),
            "Abbreviations for the command line.",
        )
        .by_server(),
        field("kind", FieldType::String, "The kind in manifests.").by_server(),
        field("listKind", FieldType::String, "The kind of a list of objects.").by_server(),
        field(
            "categories",
            FieldType::List(&STRING),
            "Groups of resources that the resource belongs to.",
        )
        .by_server(),
    ],
};
