//! OpenAPI files for kustomize, which tell it how to merge lists (`sigs.k8s.io/kustomize/kyaml/openapi`).

use std::collections::HashSet;

use crd_analyzer_apiextensions::types::CustomResourceDefinition;
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Map, Value, json};

use crate::{Published, metadata_schemas, published};

const KINDS: &str = "x-kubernetes-group-version-kind";

/// The data about one version of a CRD that kustomize needs.
#[derive(Clone, PartialEq, Debug)]
pub struct KustomizeSchema {
    /// The name of the version.
    pub version: String,
    /// The name of the OpenAPI definition, as the API server publishes it.
    name: String,
    /// The structure of the schema and the merge strategies of its lists, without validation and descriptions.
    schema: Value,
    /// Group, version and kind.
    kind: Value,
    /// The path of cluster-scoped resources. It makes kustomize set no namespace for them.
    cluster_path: Option<String>,
}

/// The data about the served versions of a CRD that kustomize needs.
pub fn kustomize_schemas(crd: &CustomResourceDefinition, kubernetes: KubernetesVersion) -> Vec<KustomizeSchema> {
    let spec = &crd.spec;
    let is_cluster_scoped = spec.scope == "Cluster";
    let of_version = |it: Published| {
        let (group, version, kind) = (&spec.group, &it.version, &spec.names.kind);
        let path = || format!("/apis/{group}/{version}/{}", spec.names.plural);
        let kind = json!({"group": group, "version": version, "kind": kind});
        let mut schema = reduced(&it.v3);
        schema.insert(KINDS.to_owned(), json!([kind]));
        KustomizeSchema {
            name: it.name,
            schema: Value::Object(schema),
            cluster_path: is_cluster_scoped.then(path),
            kind,
            version: it.version,
        }
    };
    published(crd, kubernetes).into_iter().map(of_version).collect()
}

/// Adds schemas to an OpenAPI file, replacing existing schemas of the same kinds.
pub fn merge_for_kustomize(file: &mut Map<String, Value>, schemas: &[KustomizeSchema]) {
    let begin = json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes custom resources", "version": "v1"},
        "paths": {},
        "definitions": {},
    });
    if let Value::Object(begin) = begin {
        for (name, value) in begin {
            file.entry(name).or_insert(value);
        }
    }
    if let Some(Value::Object(definitions)) = file.get_mut("definitions") {
        let kinds: HashSet<[String; 3]> = schemas.iter().map(|it| parts(&it.kind)).collect();
        for known in definitions.values_mut() {
            forget_kinds(known, &kinds);
        }
        for (name, schema) in metadata_schemas() {
            let reduced = || Value::Object(reduced(schema));
            definitions.entry(name.clone()).or_insert_with(reduced);
        }
        for it in schemas {
            definitions.insert(it.name.clone(), it.schema.clone());
        }
    }
    if let Some(Value::Object(paths)) = file.get_mut("paths") {
        for it in schemas {
            if let Some(path) = &it.cluster_path {
                paths.insert(path.clone(), json!({"get": {KINDS: it.kind, "responses": {}}}));
            }
        }
    }
}

/// Removes kinds from an existing definition. If a kind had two definitions, kustomize would pick either of them.
fn forget_kinds(known: &mut Value, schemas: &HashSet<[String; 3]>) {
    if let Some(Value::Array(kinds)) = known.get_mut(KINDS) {
        kinds.retain(|kind| !schemas.contains(&parts(kind)));
    }
}

/// Group, version and kind.
fn parts(kind: &Value) -> [String; 3] {
    ["group", "version", "kind"].map(|it| kind.get(it).and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// Converts the structure of an OpenAPI v3 schema to v2, with the keywords that kustomize uses to merge lists.
fn reduced(schema: &Value) -> Map<String, Value> {
    let mut found = Map::new();
    if let Some(reference) = reference(schema) {
        found.insert("$ref".to_owned(), json!(format!("#/definitions/{reference}")));
        return found;
    }
    let known = schema.as_object().into_iter().flatten();
    for (keyword, value) in known {
        let kept = match (keyword.as_str(), value) {
            ("type" | "x-kubernetes-list-type" | "x-kubernetes-list-map-keys", value) => value.clone(),
            // These keywords occur in Kubernetes' own metadata.
            ("x-kubernetes-patch-strategy" | "x-kubernetes-patch-merge-key", value) => value.clone(),
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter();
                let reduced = properties.map(|(name, it)| (name.clone(), Value::Object(reduced(it))));
                Value::Object(reduced.collect())
            }
            ("items" | "additionalProperties", Value::Object(_)) => Value::Object(reduced(value)),
            _ => continue,
        };
        found.insert(keyword.clone(), kept);
    }
    let is = |keyword: &str, value: &str| schema.get(keyword).is_some_and(|it| it == value);
    let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
    if is("x-kubernetes-list-type", "map")
        && let Some(first) = keys.and_then(|it| it.first())
    {
        found.insert("x-kubernetes-patch-strategy".to_owned(), json!("merge"));
        found.insert("x-kubernetes-patch-merge-key".to_owned(), first.clone());
    }
    // kustomize fails on a set with items that are not scalars.
    if is("x-kubernetes-list-type", "set") && schema.get("items").is_some_and(is_scalar) {
        found.insert("x-kubernetes-patch-strategy".to_owned(), json!("merge"));
    }
    found
}

fn is_scalar(items: &Value) -> bool {
    let kind = items.get("type").and_then(Value::as_str);
    kind.is_some_and(|it| ["string", "integer", "number", "boolean"].contains(&it))
}

/// The name of the schema to which a schema refers, directly or in `allOf`.
fn reference(schema: &Value) -> Option<&str> {
    let only = schema.get("allOf").and_then(Value::as_array).filter(|it| it.len() == 1);
    let holder = only.map_or(schema, |it| &it[0]);
    holder.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")
}
