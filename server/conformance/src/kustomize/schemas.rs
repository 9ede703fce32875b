//! Kustomizations with the OpenAPI file that `crd-analyzer schema --format kustomize` generates from a CRD.

use std::path::Path;

use anyhow::Context as _;
use crd_analyzer_publish::{kustomize_schemas, merge_for_kustomize};
use crd_analyzer_workspace::{config::versions::VersionSet, resource::accepted::accepted};
use serde_json::{Map, Value, json};

/// A CRD with lists of all list types.
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, protocol]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer}
                    protocol: {type: string, default: TCP}
                    note: {type: string}
              groups:
                type: object
                additionalProperties:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: {type: string}
                      size: {type: integer}
                      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              whole: {type: array, items: {type: string}}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
";

const WIDGET: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, finalizers: [a]}
spec:
  ports:
  - {port: 80, protocol: TCP, note: web}
  - {port: 80, protocol: UDP}
  groups:
    x: [{name: a, size: 1, tags: [p, q]}, {name: b, size: 2}]
  whole: [a, b]
  pod: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}
";

const PATCH: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, finalizers: [b]}
spec:
  ports:
  - {port: 80, protocol: UDP, note: dns}
  - {port: 443, protocol: TCP}
  groups:
    x: [{name: a, tags: [r]}, {name: b, $patch: delete}]
    y: [{name: c}]
  whole: [c]
  pod: {spec: {containers: [{name: c, args: [x]}]}}
";

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: a, image: i}]}}}
";

const DEPLOYMENT_PATCH: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {spec: {containers: [{name: b, image: j}]}}}
";

/// The part of `kustomize openapi fetch` for the Deployment, and another schema of the same custom resource.
fn fetched() -> Value {
    let kind = |group: &str, kind: &str| json!([{"group": group, "version": "v1", "kind": kind}]);
    let containers = json!({
        "type": "array", "items": {"type": "object"},
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
    });
    let pod = json!({"properties": {"spec": {"properties": {"containers": containers}}}});
    json!({"swagger": "2.0", "paths": {}, "definitions": {
        "io.k8s.api.apps.v1.Deployment": {
            "x-kubernetes-group-version-kind": kind("apps", "Deployment"),
            "properties": {"spec": {"properties": {"template": {"$ref": "#/definitions/Template"}}}},
        },
        "Template": pod,
        "other.Widget": {"x-kubernetes-group-version-kind": kind("example.com", "Widget")},
    }})
}

/// A kustomization to build.
pub(super) struct Kustomized {
    pub(super) name: &'static str,
    pub(super) files: Vec<(String, String)>,
    /// The expected numbers of items in the merged lists: ports of the custom resource, containers of the Deployment.
    pub(super) items: [usize; 2],
}

/// Kustomizations that patch a custom resource and a Deployment, with and without an OpenAPI file.
pub(super) fn cases() -> anyhow::Result<Vec<Kustomized>> {
    let answers = accepted(CRD.as_bytes().to_vec(), VersionSet::default(), true);
    let answer = answers
        .into_iter()
        .flat_map(|it| it.answers)
        .next()
        .context("an answer")?;
    let definition = answer.1.ok().flatten().context("an accepted CRD")?;
    let schemas = kustomize_schemas(&definition, answer.0);
    let with = |mut file: Map<String, Value>| {
        merge_for_kustomize(&mut file, &schemas);
        Value::Object(file).to_string()
    };
    let fetched = fetched().as_object().cloned().unwrap_or_default();
    let cases = [
        ("no schema", None, [2, 2]),
        ("the schema alone", Some(with(Map::new())), [3, 1]),
        ("the schema and Kubernetes' own", Some(with(fetched)), [3, 2]),
    ];
    let files = |schema: Option<String>| {
        let mut kustomization =
            "namespace: x\nresources: [w.yaml, d.yaml]\npatches: [{path: p.yaml}, {path: q.yaml}]\n".to_owned();
        let mut files = vec![
            ("w.yaml", WIDGET.to_owned()),
            ("d.yaml", DEPLOYMENT.to_owned()),
            ("p.yaml", PATCH.to_owned()),
            ("q.yaml", DEPLOYMENT_PATCH.to_owned()),
        ];
        if let Some(schema) = schema {
            kustomization.push_str("openapi: {path: schema.json}\n");
            files.push(("schema.json", schema));
        }
        files.push(("kustomization.yaml", kustomization));
        let below_top = |(name, text): (&str, String)| (format!("top/{name}"), text);
        files.into_iter().map(below_top).collect()
    };
    let case = |(name, schema, items)| Kustomized {
        name,
        files: files(schema),
        items,
    };
    Ok(cases.into_iter().map(case).collect())
}

/// The numbers of ports and containers in the built objects.
pub(super) fn items(objects: &[Value]) -> [usize; 2] {
    let count = |path: &str| {
        let lists = objects.iter().filter_map(|it| it.pointer(path)?.as_array());
        lists.map(Vec::len).sum()
    };
    [count("/spec/ports"), count("/spec/template/spec/containers")]
}

/// The folder of the kustomizations.
pub(super) const FOLDER: &str = "/top";

/// The absolute path of a file of a case.
pub(super) fn path(name: &str) -> std::path::PathBuf {
    Path::new("/").join(name)
}
