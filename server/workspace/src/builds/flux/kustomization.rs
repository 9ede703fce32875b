//! Decodes the Kustomizations of Flux.

use std::{path::Path, sync::Arc};

use crd_analyzer_kustomize::{BuiltKustomization, Sources, joined};
use serde_json::Value;

use super::{Asked, At, FieldsAt, Kustomization, PATH, POST_BUILD, WrittenPath};
use crate::filled_in::variables::Values;

/// The fields of `spec` by which a Kustomization changes the objects that it builds, other than by variables.
const CHANGES: [&str; 6] = [
    "patches",
    "components",
    "images",
    "commonMetadata",
    "namePrefix",
    "nameSuffix",
];

impl Kustomization {
    pub(super) fn new(at: At, root: &Path, object: &Value, [path_at, variables_at]: FieldsAt) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let namespace = text(&object["metadata"]["namespace"]);
        let spec = &object["spec"];
        let after = &spec["postBuild"];
        let is_patching = CHANGES.iter().any(|it| match &spec[*it] {
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            Value::String(text) => !text.is_empty(),
            _ => false,
        });
        let source = &spec["sourceRef"];
        let named = |kind: &str| {
            let of = || {
                source["namespace"]
                    .as_str()
                    .map_or_else(|| namespace.clone(), str::to_owned)
            };
            (source["kind"] == kind).then(|| (of(), text(&source["name"])))
        };
        let (of_git, artifact) = (named("GitRepository"), named("ExternalArtifact"));
        let from = after["substituteFrom"].as_array().into_iter().flatten();
        let path = text(&spec["path"]);
        let folder = joined(root, path.trim_start_matches('/'));
        let kind = source["kind"].as_str().unwrap_or_default();
        let is_of_artifact = ["OCIRepository", "Bucket"].contains(&kind) && folder == root;
        let is_elsewhere = is_of_artifact || artifact.is_some() || source.is_null() && path.is_empty();
        Self {
            folder,
            root: root.to_owned(),
            path: path_at
                .filter(|_| !path.is_empty())
                .map(|(file, span)| WrittenPath { text: path, file, span }),
            variables_at,
            name: text(&object["metadata"]["name"]),
            namespace,
            at,
            is_patching,
            source: of_git,
            artifact,
            is_elsewhere,
            is_substituting: substitutes(after),
            inline: texts(&after["substitute"]),
            from: from.map(|it| (text(&it["kind"]), text(&it["name"]))).collect(),
            built: None,
        }
    }

    /// The version of this Kustomization that its parent builds.
    pub(super) fn as_built(&self, built: &(BuiltKustomization, Asked), sources: &Sources) -> Self {
        let node = &built.0.node;
        let fields_at = [PATH, POST_BUILD].map(|field| {
            let place = node.at(&["spec", field])?.place;
            Some((sources.document(place).0.to_path_buf(), sources.span(place)))
        });
        Self {
            built: Some(built.clone()),
            ..Self::new(self.at.clone(), &self.root, &node.to_json(), fields_at)
        }
    }
}

/// Whether Flux substitutes variables. If none is defined, it does so only if `substituteStrategy` says so (`SubstituteVariables` of
/// github.com/fluxcd/pkg/kustomize).
fn substitutes(after: &Value) -> bool {
    let has_inline = after["substitute"].as_object().is_some_and(|it| !it.is_empty());
    let has_from = after["substituteFrom"].as_array().is_some_and(|it| !it.is_empty());
    has_inline || has_from || after["substituteStrategy"] == "Always"
}

/// The values of an object, by key. Line breaks are removed, as in Flux. If another Kustomization substitutes variables in a value, it is unknown here.
pub(super) fn texts(object: &Value) -> Arc<Values> {
    let entries = object.as_object().into_iter().flatten();
    let known = |value: &Value| Some(value.as_str().filter(|it| !it.contains("${"))?.replace('\n', "").into());
    Arc::new(
        entries
            .map(|(name, value)| (name.as_str().into(), known(value)))
            .collect(),
    )
}
