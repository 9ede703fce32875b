//! Conversion of v1beta1 manifests.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::{Span, Tree};
use crd_analyzer_syntax::{read, read_json};

use super::{Obstacle, rewrite_to_v1};
use crate::strategy::judge_create;

fn tree(text: &str) -> Tree {
    read(&Arc::from(text), Span::new(0, text.len() as u32)).unwrap()
}

fn rewritten(text: &str) -> Result<String, Obstacle> {
    let mut out = text.to_owned();
    for edit in rewrite_to_v1(&tree(text))?.into_iter().rev() {
        out.replace_range(edit.span.range(), &edit.text);
    }
    Ok(out)
}

#[track_caller]
fn check(before: &str, after: &str) {
    assert_eq!(rewritten(before).unwrap(), after);
}

/// Converts a manifest and checks that an API server would accept the result.
#[track_caller]
fn check_accepted(before: &str) {
    let after = rewritten(before).unwrap();
    let tree = tree(&after);
    let json = read_json(&tree).unwrap();
    let verdict = judge_create(&json, KubernetesVersion::NEWEST, None);
    assert!(verdict.is_accepted_strictly(), "{after}\n{verdict:#?}");
}

const SHARED: &str = "\
apiVersion: apiextensions.k8s.io/v1beta1 # old
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  names:
    kind: Foo
    plural: foos
  # what people see
  additionalPrinterColumns:
  - name: Size # in litres
    type: integer
    JSONPath: .spec.size
  version: v1
  versions:
  - name: v1
    served: true
    storage: true
  - {name: v2, served: true, storage: false}
  subresources: {status: {}}
  preserveUnknownFields: false
  validation:
    openAPIV3Schema:
      properties:
        spec:
          description: |
            Long

              text
          type: object
          properties:
            size: {type: integer}
";

#[test]
fn shared_parts_move_into_every_version() {
    let schema = |key: &str| {
        format!(
            "    {key}:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            description: |
              Long

                text
            type: object
            properties:
              size: {{type: integer}}
    subresources: {{status: {{}}}}
    # what people see
    additionalPrinterColumns:
    - name: Size # in litres
      type: integer
      jsonPath: .spec.size
"
        )
    };
    let part = schema("schema");
    check(
        SHARED,
        &format!(
            "\
apiVersion: apiextensions.k8s.io/v1 # old
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  scope: Namespaced
  group: example.com
  names:
    kind: Foo
    plural: foos
  versions:
  - name: v1
    served: true
    storage: true
{part}  - name: v2
    served: true
    storage: false
{part}  preserveUnknownFields: false
"
        ),
    );
    check_accepted(SHARED);
}

#[test]
fn a_version_alone_becomes_a_list_and_unknown_fields_stay() {
    let before = "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  version: v1
  scope: ''
  preserveUnknownFields: true
  names:
    kind: Foo
    plural: foos";
    check(
        before,
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
  scope: Namespaced
  names:
    kind: Foo
    plural: foos",
    );
    check_accepted(before);
}

#[test]
fn a_webhook_moves_below_its_name() {
    check(
        "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  conversion:
    strategy: Webhook
    webhookClientConfig:
      url: https://example.com/convert
",
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        url: https://example.com/convert
      conversionReviewVersions: [v1beta1]
",
    );
}

#[test]
fn what_lines_cannot_move_is_left_alone() {
    let head = "apiVersion: apiextensions.k8s.io/v1beta1\n";
    assert_eq!(rewritten("apiVersion: apiextensions.k8s.io/v1\n"), Err(Obstacle::NoCrd));
    assert!(matches!(
        rewritten(&format!("{head}spec: {{}}\n")),
        Err(Obstacle::Style(_))
    ));
    assert!(matches!(
        rewritten(&format!("{head}spec:\n  validation: {{}}\n")),
        Err(Obstacle::NoVersion(_))
    ));
    let tied = format!("{head}spec:\n  version: v1\n  validation: &a {{}}\n");
    assert!(matches!(rewritten(&tied), Err(Obstacle::Anchors(_))));
}
