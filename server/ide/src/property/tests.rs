//! Tests for the uses of a property.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;

use super::{resource_uses, target_at, uses};
use crate::file::File;

const TEXT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  versions:
  - name: v1
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type==\"Ready\")].status'}
    selectableFields: [{jsonPath: .spec.mode}]
    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
            properties:
              size: {type: integer}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [\"type\", status]
                  properties: {type: {type: string}, status: {type: string}}
          spec:
            type: object
            default: {size: 2, in: {x: 1}}
            required: [size]
            properties:
              mode: {type: string}
              size: {type: integer}
              'in': {type: object, properties: {x: {type: integer}}}
            anyOf:
            - required: [size]
            - properties: {size: {minimum: 3}, mode: {enum: [a]}}
            x-kubernetes-validations:
            - rule: self.size > 1 && (!has(self.size) || self.mode == 'size')
              messageExpression: '''size '' + string(self.size)'
              fieldPath: .size
            - rule: self.__in__.x > 1
        x-kubernetes-validations:
        - rule: self.status.conditions.all(c, c.type != '' && c.status != self.spec.mode)
          fieldPath: .spec.size
  - name: v2
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
";

/// Checks the uses of the property at `needle`. In each expected line, the use is marked.
#[track_caller]
fn check(needle: &str, expected: &[&str]) {
    let file = File::new(TEXT, Arc::default());
    let document = file.documents().next().expect("a document");
    let at = TEXT.find(needle).expect("the needle") as u32;
    let (target, span) = target_at(&document, at, KubernetesVersion::NEWEST).expect("a property");
    let found = uses(&document, &target, KubernetesVersion::NEWEST).all;
    let show = |it: &super::Use| {
        let span = it.span(document.tree);
        let line = TEXT[..span.start as usize].rfind('\n').map_or(0, |it| it + 1);
        let end = TEXT[span.end as usize..]
            .find('\n')
            .map_or(TEXT.len(), |it| span.end as usize + it);
        let marked = format!(
            "{}<{}>{}",
            &TEXT[line..span.start as usize],
            &TEXT[span.range()],
            &TEXT[span.end as usize..end]
        );
        format!("{}: {}", it.kind.describe(), marked.trim())
    };
    let shown: Vec<_> = found.iter().map(show).collect();
    assert_eq!(shown, expected, "{needle}");
    // A search that starts at any of the uses finds the same uses.
    assert!(found.iter().any(|it| it.span(document.tree) == span), "{needle}");
    for one in &found {
        let span = one.span(document.tree);
        let is_value = one.kind == super::UseKind::Value;
        let again = target_at(&document, span.start, KubernetesVersion::NEWEST);
        assert_eq!(again, (!is_value).then(|| (target.clone(), span)), "{}", show(one));
    }
}

#[test]
fn everything_that_names_a_property_is_found() {
    let whole = [
        "scale subresource: subresources: {scale: {specReplicasPath: .spec.<size>, statusReplicasPath: .status.size}}",
        "value in the schema: default: {<size>: 2, in: {x: 1}}",
        "required: required: [<size>]",
        "declared: <size>: {type: integer}",
        "required: - required: [<size>]",
        "declared: - properties: {<size>: {minimum: 3}, mode: {enum: [a]}}",
        "rule: - rule: self.<size> > 1 && (!has(self.size) || self.mode == 'size')",
        "rule: - rule: self.size > 1 && (!has(self.<size>) || self.mode == 'size')",
        "message expression: messageExpression: '''size '' + string(self.<size>)'",
        "field path of a rule: fieldPath: .<size>",
        "field path of a rule: fieldPath: .spec.<size>",
        "declared: schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {<size>: {type: integer}}}}}}",
    ];
    check("size, statusReplicas", &whole);
    check(
        "type\", status",
        &[
            "printer column: - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.<type>==\"Ready\")].status'}",
            "list map key: x-kubernetes-list-map-keys: [<type>]",
            "required: required: [\"<type>\", status]",
            "declared: properties: {<type>: {type: string}, status: {type: string}}",
            "rule: - rule: self.status.conditions.all(c, c.<type> != '' && c.status != self.spec.mode)",
        ],
    );
    check(
        "in': {type",
        &[
            "value in the schema: default: {size: 2, <in>: {x: 1}}",
            "declared: '<in>': {type: object, properties: {x: {type: integer}}}",
            "rule: - rule: self.<__in__>.x > 1",
        ],
    );
}

#[test]
fn resources_have_the_property_at_its_place() {
    let file = File::new(TEXT, Arc::default());
    let document = file.documents().next().expect("a document");
    let at = TEXT.find("type\", status").expect("it") as u32;
    let (target, _) = target_at(&document, at, KubernetesVersion::NEWEST).expect("a property");
    let resource = File::new(
        "kind: Widget\nstatus:\n  conditions:\n  - type: a\n    status: b\n  - {status: x, type: y}\n",
        Arc::default(),
    );
    let tree = resource.documents().next().expect("a document").tree;
    let found: Vec<_> = resource_uses(tree, tree.root().expect("a resource"), &target)
        .iter()
        .map(|it| it.span(tree).start)
        .collect();
    assert_eq!(found, [39, 77]);
}
