//! What the server reports about a definition.

use super::{FieldType, Struct, field, value};

static STRING: FieldType = FieldType::String;

pub(super) static STATUS: Struct = Struct {
    name: "CustomResourceDefinitionStatus",
    doc: "What the server made of a definition.",
    fields: &[
        field("conditions", FieldType::List(&CONDITION_TYPE), "Whether the names were accepted, whether the resource is served, and so on.").by_server(),
        field("acceptedNames", FieldType::Object(&NAMES), "The names under which the resource is served; they differ from `spec.names` where those are taken.").by_server(),
        field("storedVersions", FieldType::List(&STRING), "The versions in which objects may be stored. Such a version cannot be taken out of `spec.versions` before its objects are migrated and it is taken out here.").by_server(),
        field("observedGeneration", FieldType::Integer, "The generation that the status is about.").by_server().since(35),
    ],
};

static CONDITION_TYPE: FieldType = FieldType::Object(&CONDITION);

static CONDITION: Struct = Struct {
    name: "CustomResourceDefinitionCondition",
    doc: "One thing that holds of a definition, or does not.",
    fields: &[
        field("type", FieldType::String, "What holds.").by_server().such_as(&[
            value("Established", "The resource is served."),
            value("NamesAccepted", "No name is taken by another definition."),
            value("NonStructuralSchema", "The schema is not structural."),
            value("Terminating", "The definition is being deleted."),
            value(
                "KubernetesAPIApprovalPolicyConformant",
                "A group of Kubernetes itself has its approval.",
            ),
        ]),
        field("status", FieldType::String, "Whether it does.")
            .by_server()
            .one_of(&[
                value("True", "It holds."),
                value("False", "It does not."),
                value("Unknown", "Nobody knows."),
            ]),
        field("lastTransitionTime", FieldType::Time, "Since when.").by_server(),
        field("reason", FieldType::String, "Why, in one word.").by_server(),
        field("message", FieldType::String, "Why, for people.").by_server(),
        field(
            "observedGeneration",
            FieldType::Integer,
            "The generation that the condition is about.",
        )
        .by_server()
        .since(35),
    ],
};

static NAMES: Struct = Struct {
    name: "CustomResourceDefinitionNames",
    doc: "The names under which the resource is served.",
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
