//! A folder that kustomizations and Flux build.

use std::fs;

use tempfile::TempDir;

use super::Document;

/// The files of the folder: errors in the base and in a patch, a resource that is checked against a built CRD, and a resource that is invalid on
/// purpose.
pub(super) const BUILT: &[(&str, &str)] = &[
    (
        "crds/widgets.yaml",
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
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
            required: [size, color]
            properties:
              size: {type: integer, maximum: 10}
              color: {type: string, enum: [red, green]}
",
    ),
    ("base/kustomization.yaml", "resources:\n- widget.yaml\n"),
    (
        "base/widget.yaml",
        "apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
spec:
  size: ${SIZE}
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: b
spec:
  size: 3
  color: blue
",
    ),
    (
        "prod/kustomization.yaml",
        "resources:\n- ../base\nnamePrefix: prod-\npatches:\n- path: patch.yaml\n",
    ),
    (
        "prod/patch.yaml",
        "apiVersion: example.com/v1
kind: Widget
metadata:
  name: a
spec:
  color: yellow
",
    ),
    (
        "crds/kustomization.yaml",
        "resources:
- widgets.yaml
patches:
- target: {kind: CustomResourceDefinition}
  patch: |
    - op: add
      path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/weight
      value: {type: integer}
",
    ),
    (
        "alone/widget.yaml",
        "apiVersion: example.com/v1
kind: Widget
metadata:
  name: c
spec:
  size: 3
  color: red
  weight: heavy
",
    ),
    (
        "testdata/invalid-widget.yaml",
        "apiVersion: example.com/v1
kind: Widget
metadata:
  name: d
spec:
  size: many
",
    ),
    (
        "clusters/prod.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: prod
spec:
  path: ./prod
  postBuild:
    substitute:
      SIZE: \"11\"
",
    ),
];

/// A folder with [`BUILT`].
pub(super) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join(".git")).expect("the folder can be made");
    for (name, text) in BUILT {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }
    folder
}

pub(super) fn uri_of(folder: &TempDir, name: &str) -> String {
    let place = folder.path().join(name);
    format!("file://{}", place.display().to_string().trim_end_matches('/'))
}

/// The files of [`BUILT`].
pub(super) fn documents(folder: &TempDir) -> Vec<Document> {
    let documents = BUILT.iter().map(|(name, text)| Document {
        uri: uri_of(folder, name),
        original: (*text).to_owned(),
        text: (*text).to_owned(),
        version: None,
    });
    documents.collect()
}
