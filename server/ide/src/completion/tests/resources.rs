//! Tests for completion in objects of known kinds.

use super::{KubernetesVersion, Offered, TestIndex, check_first, check_none_of};

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size, mode, ports, name]
            properties:
              description: {type: string, description: Said about it.}
              enabled: {type: boolean, default: true}
              limit: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              mode: {type: string, enum: [Fast, Slow, \"1\", \"on\"], default: Slow}
              name: {type: string}
              nothing: {type: string, nullable: true}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer}
                    protocol: {type: string, enum: [TCP, UDP], default: TCP}
              size: {type: integer, minimum: 1}
              limits:
                type: object
                additionalProperties:
                  anyOf: [{type: integer}, {type: string}]
                  pattern: ^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$
                  x-kubernetes-int-or-string: true
              template:
                type: object
                x-kubernetes-embedded-resource: true
                x-kubernetes-preserve-unknown-fields: true
              free: {type: object, additionalProperties: {type: object, properties: {deep: {type: boolean}}}}
              choice:
                type: object
                properties: {a: {type: string}, b: {type: string}}
                oneOf: [{required: [a]}, {properties: {b: {enum: [x, y]}}}]
          status:
            type: object
            properties: {ready: {type: boolean}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
";

pub(super) fn definition() -> String {
    DEFINITION.to_owned()
}

/// A whole object.
pub(super) fn example() -> String {
    "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: é😀\nspec:\n  mode: \"Fast\"\n  ports:\n  - port: 1\n    protocol: TCP\n  \
     free: {any: {deep: true}}\n"
        .to_owned()
}

fn at(text: &str) -> Offered {
    Offered::new(text, &TestIndex::new(DEFINITION), KubernetesVersion::NEWEST)
}

/// The completion items in a widget with these lines.
fn widget(lines: &str) -> Offered {
    at(&format!("apiVersion: example.com/v1\nkind: Widget\n{lines}"))
}

#[test]
fn an_empty_file_offers_whole_resources() {
    check_first(&at("Wi$0"), &["Widget …"]);
    assert_eq!(
        at("Wi$0").taken("Widget …"),
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${1:widget}\nspec:\n  name: ${2}\n  ports:\n  - \
         port: ${3}\n  size: ${4}"
    );
    check_none_of(&at("apiVersion: example.com/v1\n$0"), &["Widget …"]);
}

#[test]
fn kinds_and_versions_go_together() {
    check_first(&at("$0"), &["apiVersion", "kind"]);
    assert_eq!(
        at("apiVersion: $0\n").labels(),
        [
            "example.com/v1",
            "example.com/v1beta1",
            "apiextensions.k8s.io/v1",
            "admissionregistration.k8s.io/v1"
        ]
    );
    assert_eq!(
        at("apiVersion: $0\nkind: Widget\n").labels(),
        ["example.com/v1", "example.com/v1beta1"]
    );
    assert_eq!(at("apiVersion: example.com/v1\nkind: $0\n").labels(), ["Widget"]);
    assert_eq!(
        at("kind: $0\n").labels(),
        ["Widget", "CustomResourceDefinition", "ValidatingAdmissionPolicy"]
    );
    check_first(&at("apiVersion: v1\nkind: Pod\nspec:\n  $0\n"), &[]);
    assert_eq!(at("some: file\nof: ours\n$0\n").labels(), Vec::<&str>::new());
}

#[test]
fn fields_come_from_the_schema() {
    check_first(&widget("$0\n"), &["metadata", "spec", "status"]);
    check_first(&widget("spec:\n  $0\n"), &["name", "ports", "size", "template"]);
    check_first(&widget("spec:\n  size: 1\n  $0\n"), &["name", "ports"]);
    check_first(&widget("spec:\n  m$0\n"), &["mode"]);
    check_first(&widget("spec:\n  ports:\n  - $0\n"), &["port", "protocol"]);
    check_first(&widget("spec:\n  ports:\n  - port: 1\n    $0\n"), &["protocol"]);
    check_first(&widget("spec:\n  free:\n    any:\n      $0\n"), &["deep"]);
    check_first(
        &widget("spec:\n  limits:\n    cpu: 1\n    $0\n"),
        &["memory", "ephemeral-storage"],
    );
    check_first(
        &widget("spec:\n  template:\n    $0\n"),
        &["apiVersion", "kind", "metadata"],
    );
    check_first(&widget("metadata:\n  $0\n"), &["name", "namespace", "labels"]);
    check_first(&widget("metadata:\n  name: x\n  $0\n"), &["namespace", "labels"]);
    check_none_of(&widget("spec:\n  size: 1\n  $0\n"), &["size"]);
    check_first(
        &at("kind: List\napiVersion: v1\nitems:\n- apiVersion: example.com/v1\n  kind: Widget\n  spec:\n    si$0\n"),
        &["size"],
    );
    check_first(
        &at("{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\", \"spec\": {\"si$0\"}}"),
        &["size"],
    );
}

#[test]
fn values_come_from_the_schema() {
    assert_eq!(widget("spec:\n  mode: $0\n").labels(), ["Slow", "Fast", "1", "on"]);
    assert!(widget("spec:\n  mode: $0\n").taken("1").ends_with("mode: '1'\n"));
    assert!(widget("spec:\n  mode: $0\n").taken("on").ends_with("mode: 'on'\n"));
    assert!(
        widget("spec:\n  mode: \"$0\"\n")
            .taken("on")
            .ends_with("mode: \"on\"\n")
    );
    assert_eq!(widget("spec:\n  enabled: $0\n").labels(), ["true", "false"]);
    assert_eq!(widget("spec:\n  nothing: $0\n").labels(), ["null"]);
    assert_eq!(widget("spec:\n  choice: {b: $0}\n").labels(), ["x", "y"]);
    assert_eq!(widget("spec:\n  ports:\n  - protocol: U$0\n").labels(), ["UDP"]);
    assert_eq!(widget("spec:\n  size: $0\n").labels(), Vec::<&str>::new());
}

#[test]
fn a_key_in_a_wrong_column_is_moved() {
    for (typed, item, after) in [
        ("spec:\n  size: 1\n na$0\n", "name", "  size: 1\n  name: "),
        (
            "spec:\n  ports:\n  - port: 1\n     pro$0\n",
            "protocol",
            "- port: 1\n    protocol: ",
        ),
        ("spec:\n  mode: on\n     si$0\n", "size", "  mode: on\n  size: "),
        (
            "spec:\n  enabled: true\n    si$0\n",
            "size",
            "  enabled: true\n  size: ",
        ),
    ] {
        let offered = widget(typed);
        assert!(offered.found.is_some(), "{typed:?}");
        let taken = offered.taken(item);
        assert!(taken.contains(after), "{typed:?}: {taken}");
    }
    // A string without an `enum` may continue on the next line, so nothing is offered there.
    let none: [&str; 0] = [];
    assert_eq!(widget("spec:\n  description: some\n    si$0\n").labels(), none);
}

#[test]
fn required_fields_are_one_item() {
    let taken = widget("$0\n").taken("required fields");
    assert!(
        taken.ends_with("kind: Widget\nspec:\n  name: ${1}\n  ports:\n  - port: ${2}\n  size: ${3}\n"),
        "{taken}"
    );
    let taken = widget("spec: $0\n").taken("required fields");
    assert!(
        taken.ends_with("spec: \n  name: ${1}\n  ports:\n  - port: ${2}\n  size: ${3}\n"),
        "{taken}"
    );
    let taken = widget("spec:\n  ports:\n    $0\n").taken("port");
    assert!(taken.ends_with("  ports:\n    - port: $0\n"), "{taken}");
}

#[test]
fn every_list_can_go_on() {
    let offered = widget("spec:\n  ports:\n  - port: 1\n  $0\n");
    check_first(&offered, &["name", "size"]);
    assert!(offered.taken("-").ends_with("  - port: 1\n  - \n"));
    let offered = widget("spec:\n  ports:\n    - port: 1\n    $0\n");
    assert!(offered.taken("protocol").ends_with("    - protocol: $0\n"));
}
