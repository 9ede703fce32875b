//! The rows of the table of wrappers.

use super::{
    Mark,
    Part::{Items, Key, OneOf, Text},
    Place,
    Purpose::{Assertion, Part, Sample, Sent},
    Rejection, Row, Values,
};
use crate::roles::test_steps;

/// `LIST` must come last, because the names of other kinds may also end with `List`.
pub(super) const ALL: &[Row] = &[
    TEMPLATE,
    MANIFEST_WORK,
    MANIFEST_WORK_REPLICA_SET,
    KARMADA_WORK,
    SYNC_SET,
    ADD_ON_TEMPLATE,
    CLUSTER_POLICY,
    CONFIGURATION_POLICY,
    COMPOSITION,
    CROSSPLANE_OBJECT,
    RESOURCE_GRAPH,
    CHAINSAW,
    APPLICATION,
    HELM_RELEASE,
    CROSSPLANE_RELEASE,
    CLUSTER_SERVICE_VERSION,
    LIST,
];

const fn sent(path: &'static [super::Part]) -> Place {
    Place {
        path,
        purpose: Sent,
        purpose_again: None,
        rejection: None,
    }
}

/// Objects that a tool merges with others, or adds fields to.
const fn part(path: &'static [super::Part]) -> Place {
    Place {
        purpose: Part,
        ..sent(path)
    }
}

/// The group of an `apiVersion`; empty for the core group.
fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |it| it.0)
}

/// `kind: List` and the lists of a kind, such as `WidgetList`. Clients send each item separately.
pub(super) const LIST: Row = Row {
    name: "list",
    is: |_, kind| kind.ends_with("List"),
    is_opened: true,
    places: &[sent(&[Key("items"), Items])],
    values: Values::Plain,
};

/// A parameter of an OpenShift template. `${NAME}` always becomes a string; `${{NAME}}`, which is the whole value, may become a number.
const PARAMETER: Mark = Mark {
    text: "${",
    is_any: |it| it.starts_with("${{"),
};

/// An expression of kro. A value with an expression and other text becomes a string.
const EXPRESSION: Mark = Mark {
    text: "${",
    is_any: |it| it.starts_with("${") && it.ends_with('}'),
};

/// An action of a Go template, or a similar form.
const ACTION: Mark = Mark::any("{{");

/// `Template` of OpenShift. `oc process` substitutes its parameters. In old templates, the API group is missing.
const TEMPLATE: Row = Row {
    name: "OpenShift template",
    is: |api_version, kind| kind == "Template" && matches!(group(api_version), "template.openshift.io" | ""),
    is_opened: false,
    places: &[sent(&[Key("objects"), Items])],
    values: Values::FilledIn(&PARAMETER),
};

/// `ManifestWork` of Open Cluster Management. Its agents substitute nothing in the manifests.
const MANIFEST_WORK: Row = Row {
    name: "ManifestWork",
    is: |api_version, kind| kind == "ManifestWork" && group(api_version) == "work.open-cluster-management.io",
    is_opened: false,
    places: &[sent(&[Key("spec"), Key("workload"), Key("manifests"), Items])],
    values: Values::Plain,
};

const MANIFEST_WORK_REPLICA_SET: Row = Row {
    name: "ManifestWorkReplicaSet",
    is: |api_version, kind| kind == "ManifestWorkReplicaSet" && group(api_version) == "work.open-cluster-management.io",
    places: &[sent(&[
        Key("spec"),
        Key("manifestWorkTemplate"),
        Key("workload"),
        Key("manifests"),
        Items,
    ])],
    ..MANIFEST_WORK
};

/// `Work` of Karmada.
const KARMADA_WORK: Row = Row {
    name: "Karmada work",
    is: |api_version, kind| kind == "Work" && group(api_version) == "work.karmada.io",
    ..MANIFEST_WORK
};

/// `SyncSet` and `SelectorSyncSet` of Hive. With `enableResourceTemplates`, values may have actions of Go templates.
const SYNC_SET: Row = Row {
    name: "SyncSet",
    is: |api_version, kind| matches!(kind, "SyncSet" | "SelectorSyncSet") && group(api_version) == "hive.openshift.io",
    is_opened: false,
    places: &[sent(&[Key("spec"), Key("resources"), Items])],
    values: Values::FilledIn(&ACTION),
};

/// `AddOnTemplate` of Open Cluster Management. Values may have variables in `{{ … }}`.
const ADD_ON_TEMPLATE: Row = Row {
    name: "AddOnTemplate",
    is: |api_version, kind| kind == "AddOnTemplate" && group(api_version) == "addon.open-cluster-management.io",
    is_opened: false,
    places: &[sent(&[
        Key("spec"),
        Key("agentSpec"),
        Key("workload"),
        Key("manifests"),
        Items,
    ])],
    values: Values::FilledIn(&ACTION),
};

/// `Policy` of Open Cluster Management, with policies for the clusters inside. Values may have actions of Go templates.
const CLUSTER_POLICY: Row = Row {
    name: "OCM policy",
    is: |api_version, kind| kind == "Policy" && group(api_version) == "policy.open-cluster-management.io",
    places: &[sent(&[
        Key("spec"),
        Key("policy-templates"),
        Items,
        Key("objectDefinition"),
    ])],
    ..ADD_ON_TEMPLATE
};

/// `ConfigurationPolicy` of Open Cluster Management. Its objects are compared with those of a cluster, or merged into them.
const CONFIGURATION_POLICY: Row = Row {
    name: "OCM configuration policy",
    is: |api_version, kind| kind == "ConfigurationPolicy" && group(api_version) == "policy.open-cluster-management.io",
    places: &[part(&[
        Key("spec"),
        Key("object-templates"),
        Items,
        Key("objectDefinition"),
    ])],
    ..ADD_ON_TEMPLATE
};

/// `Composition` of Crossplane, with resources of its own or of the function that patches and transforms. The patches add fields.
const COMPOSITION: Row = Row {
    name: "Crossplane composition",
    is: |api_version, kind| kind == "Composition" && group(api_version) == "apiextensions.crossplane.io",
    is_opened: false,
    places: &[
        part(&[Key("spec"), Key("resources"), Items, Key("base")]),
        part(&[
            Key("spec"),
            Key("pipeline"),
            Items,
            Key("input"),
            Key("resources"),
            Items,
            Key("base"),
        ]),
    ],
    values: Values::Plain,
};

/// `Object` of Crossplane's provider for Kubernetes. The patches of a composition, and values of other objects, add fields.
const CROSSPLANE_OBJECT: Row = Row {
    name: "Crossplane object",
    is: |api_version, kind| {
        kind == "Object"
            && matches!(
                group(api_version),
                "kubernetes.crossplane.io" | "kubernetes.m.crossplane.io"
            )
    },
    is_opened: false,
    places: &[part(&[Key("spec"), Key("forProvider"), Key("manifest")])],
    values: Values::Plain,
};

/// `ResourceGraphDefinition` of kro. Values may be expressions in CEL.
const RESOURCE_GRAPH: Row = Row {
    name: "kro resource graph",
    is: |api_version, kind| kind == "ResourceGraphDefinition" && group(api_version) == "kro.run",
    is_opened: false,
    places: &[sent(&[Key("spec"), Key("resources"), Items, Key("template")])],
    values: Values::FilledIn(&EXPRESSION),
};

/// The keys of a chainsaw test that contain operations.
const BLOCKS: super::Part = OneOf(&["try", "catch", "finally", "cleanup"]);

const fn operation(path: &'static [super::Part], purpose: super::Purpose) -> Place {
    Place {
        path,
        purpose,
        purpose_again: None,
        rejection: match purpose {
            Sent => Some(Rejection {
                key: "expect",
                is_said: test_steps::expects_rejection,
            }),
            _ => None,
        },
    }
}

/// Objects that a test applies. chainsaw merges an object into the one that exists.
const fn applied(path: &'static [super::Part]) -> Place {
    Place {
        purpose_again: Some(Part),
        ..operation(path, Sent)
    }
}

const CREATED: super::Part = OneOf(&["create", "update"]);
const STATED: super::Part = OneOf(&["assert", "error"]);

/// Chainsaw tests, and steps that several tests share. Their patches and assertions contain parts of objects.
const CHAINSAW: Row = Row {
    name: "chainsaw test",
    is: |api_version, kind| {
        matches!(kind, "Test" | "TestStep" | "StepTemplate") && group(api_version) == "chainsaw.kyverno.io"
    },
    is_opened: false,
    places: &[
        applied(&[
            Key("spec"),
            Key("steps"),
            Items,
            BLOCKS,
            Items,
            Key("apply"),
            Key("resource"),
        ]),
        operation(
            &[
                Key("spec"),
                Key("steps"),
                Items,
                BLOCKS,
                Items,
                CREATED,
                Key("resource"),
            ],
            Sent,
        ),
        operation(
            &[
                Key("spec"),
                Key("steps"),
                Items,
                BLOCKS,
                Items,
                Key("patch"),
                Key("resource"),
            ],
            Part,
        ),
        operation(
            &[Key("spec"), Key("steps"), Items, BLOCKS, Items, STATED, Key("resource")],
            Assertion,
        ),
        applied(&[Key("spec"), BLOCKS, Items, Key("apply"), Key("resource")]),
        operation(&[Key("spec"), BLOCKS, Items, CREATED, Key("resource")], Sent),
        operation(&[Key("spec"), BLOCKS, Items, Key("patch"), Key("resource")], Part),
        operation(&[Key("spec"), BLOCKS, Items, STATED, Key("resource")], Assertion),
    ],
    values: Values::Expressions,
};

/// The keys under which the values of most charts accept whole objects, which may be templates.
const EXTRA: super::Part = OneOf(&["extraObjects", "extraManifests", "extraDeploy", "extraResources"]);

/// `Application` of Argo CD. The values for its charts contain objects.
const APPLICATION: Row = Row {
    name: "Argo CD application",
    is: |api_version, kind| kind == "Application" && group(api_version) == "argoproj.io",
    is_opened: false,
    places: &[
        sent(&[
            Key("spec"),
            Key("source"),
            Key("helm"),
            Key("valuesObject"),
            EXTRA,
            Items,
        ]),
        sent(&[
            Key("spec"),
            Key("sources"),
            Items,
            Key("helm"),
            Key("valuesObject"),
            EXTRA,
            Items,
        ]),
    ],
    values: Values::FilledIn(&ACTION),
};

/// `HelmRelease` of Flux. The values for its chart contain objects.
const HELM_RELEASE: Row = Row {
    name: "Flux Helm release",
    is: |api_version, kind| kind == "HelmRelease" && group(api_version) == "helm.toolkit.fluxcd.io",
    is_opened: false,
    places: &[sent(&[Key("spec"), Key("values"), EXTRA, Items])],
    values: Values::FilledIn(&ACTION),
};

/// `Release` of Crossplane's provider for Helm. The values for its chart contain objects.
const CROSSPLANE_RELEASE: Row = Row {
    name: "Crossplane Helm release",
    is: |api_version, kind| {
        kind == "Release" && matches!(group(api_version), "helm.crossplane.io" | "helm.m.crossplane.io")
    },
    places: &[sent(&[Key("spec"), Key("forProvider"), Key("values"), EXTRA, Items])],
    ..HELM_RELEASE
};

const ANNOTATIONS: [super::Part; 2] = [Key("metadata"), Key("annotations")];

/// `ClusterServiceVersion` of OLM. Annotations contain examples for consoles, in JSON.
const CLUSTER_SERVICE_VERSION: Row = Row {
    name: "ClusterServiceVersion",
    is: |api_version, kind| kind == "ClusterServiceVersion" && group(api_version) == "operators.coreos.com",
    is_opened: false,
    places: &[
        Place {
            purpose: Sample,
            ..sent(&[ANNOTATIONS[0], ANNOTATIONS[1], Key("alm-examples"), Text, Items])
        },
        sent(&[
            ANNOTATIONS[0],
            ANNOTATIONS[1],
            Key("operatorframework.io/initialization-resource"),
            Text,
        ]),
    ],
    values: Values::Plain,
};
