//! The schemas that the API server publishes for a CRD in OpenAPI v3 and v2
//! (`k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder`).
//!
//! `kubectl explain`, client generators, kustomize and editors read these schemas from the API server. They differ from the CRD's own schemas:
//! standard fields of every object are added, and OpenAPI v2 lacks the keywords that it cannot express.

mod document;
mod json_schema;
mod keywords;
mod kustomize;
mod metadata;
mod native;
mod single_types;
mod version_two;

use crd_analyzer_apiextensions::types::{CustomResourceDefinition, SelectableField, Version};
use crd_analyzer_schema::{
    JsonSchemaProps, KubernetesVersion,
    structural::{Structural, unfold},
};
use serde_json::{Map, Value, json};

pub use document::document;
pub use json_schema::{JsonSchema, Types, UnknownFields, json_schemas};
pub use kustomize::{KustomizeSchema, kustomize_schemas, merge_for_kustomize};
pub use metadata::metadata_schemas;

/// The first Kubernetes version that publishes `selectableFields` (feature gate `CustomResourceFieldSelectors`, beta).
const SELECTABLE_FIELDS_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// An edition of OpenAPI.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OpenApi {
    /// OpenAPI 2.0, at `/openapi/v2`. It contains no defaults, and no `nullable`, `allOf`, `anyOf`, `oneOf` and `not`.
    V2,
    /// OpenAPI 3.0, at `/openapi/v3`.
    V3,
}

/// The published schema of one version of a CRD.
#[derive(Clone, PartialEq, Debug)]
pub struct Published {
    /// The name of the version.
    pub version: String,
    /// Whether this is the storage version.
    pub is_stored: bool,
    /// The schema's name: the group's parts in reverse order, the version, and the kind.
    pub name: String,
    /// The schema in OpenAPI v3.
    pub v3: Value,
    /// The schema in OpenAPI v2.
    pub v2: Value,
}

impl Published {
    /// The schema in an edition of OpenAPI.
    pub fn schema(&self, edition: OpenApi) -> &Value {
        match edition {
            OpenApi::V2 => &self.v2,
            OpenApi::V3 => &self.v3,
        }
    }
}

/// The schemas that an API server of this Kubernetes version publishes for the served versions of an accepted CRD, in the CRD's order.
pub fn published(crd: &CustomResourceDefinition, kubernetes: KubernetesVersion) -> Vec<Published> {
    let versions = crd.spec.versions.iter().filter(|it| it.served);
    versions
        .map(|version| {
            let schema = crd.spec.schema_of(version);
            let schema = schema.and_then(|it| expanded(it, kubernetes));
            Published {
                version: version.name.clone(),
                is_stored: version.storage,
                name: model_name(&crd.spec.group, &version.name, &crd.spec.names.kind),
                v3: of_version(crd, version, schema.clone(), OpenApi::V3, kubernetes),
                v2: of_version(crd, version, schema, OpenApi::V2, kubernetes),
            }
        })
        .collect()
}

/// The name of the model (`gvkToModelName`).
fn model_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').rev().collect();
    parts.extend([version, kind]);
    parts.join(".")
}

/// The published schema of a version (`buildKubeNative`). `schema` is the result of [`expanded`].
fn of_version(
    crd: &CustomResourceDefinition,
    version: &Version,
    schema: Option<JsonSchemaProps>,
    edition: OpenApi,
    kubernetes: KubernetesVersion,
) -> Value {
    let spec = &crd.spec;
    let preserves = spec.preserve_unknown_fields == Some(true);
    let mut published = match schema {
        // kubectl reports fields that are not listed as nonexistent. So in v2, a schema that allows unknown fields lists no fields.
        Some(schema) if edition == OpenApi::V2 && (preserves || schema.x_preserve_unknown_fields == Some(true)) => {
            keywords::typed("object")
        }
        Some(mut schema) => {
            if edition == OpenApi::V2 {
                version_two::reduce(&mut schema);
            }
            let mut published = keywords::of(&schema);
            native::add_object_fields(&mut published, edition);
            native::add_embedded_fields(&mut published, edition);
            published
        }
        None => keywords::typed("object"),
    };
    published.insert(
        "x-kubernetes-group-version-kind".to_owned(),
        json!([{"group": spec.group, "version": version.name, "kind": spec.names.kind}]),
    );
    let selectable = spec.selectable_fields_of(version);
    if kubernetes >= SELECTABLE_FIELDS_SINCE && !selectable.is_empty() {
        published.insert(
            "x-kubernetes-selectable-fields".to_owned(),
            selectable_fields(selectable),
        );
    }
    if edition == OpenApi::V2 {
        version_two::prune_defaults(&mut published);
    }
    Value::Object(published)
}

/// The structural form of a schema, with `x-kubernetes-int-or-string` in its expanded form; `None` if the schema is not structural.
fn expanded(schema: &JsonSchemaProps, kubernetes: KubernetesVersion) -> Option<JsonSchemaProps> {
    let mut schema = Structural::new(schema).ok()?.to_json_schema(kubernetes);
    unfold(&mut schema, kubernetes);
    Some(schema)
}

/// The value of `selectableFields` (`buildSelectableFields`).
fn selectable_fields(fields: &[SelectableField]) -> Value {
    let fields = fields.iter().map(|field| {
        let path = field.json_path.strip_prefix('.').unwrap_or(&field.json_path);
        json!({"fieldPath": path})
    });
    fields.collect()
}

/// A schema that refers to another schema. OpenAPI v3 allows no other keyword next to `$ref`, so the reference is wrapped in v3.
fn reference(name: &str, edition: OpenApi, description: &str) -> Value {
    match edition {
        OpenApi::V2 => json!({"$ref": format!("#/definitions/{name}"), "description": description}),
        OpenApi::V3 => json!({
            "allOf": [{"$ref": format!("#/components/schemas/{name}")}],
            "description": description,
        }),
    }
}

/// The keywords of a schema.
type Keywords = Map<String, Value>;
