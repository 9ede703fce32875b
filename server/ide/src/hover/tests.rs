//! Tests for hovers.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::paths;

use super::{Hover, hover, resource_hover};
use crate::{file::File, schema};

const TEXT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  scope: Namespaced
  conversion: {strategy: None}
  versions:
  - name: v1beta1
    served: true
    storage: false
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size:
                description: How *large* it is.
                type: integer
                minimum: 1
                default: 3
              hosts: {type: array, maxItems: 4, x-kubernetes-list-type: set, items: {type: string, maxLength: 63, format: hostname}}
              raw: {type: object, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations:
            - rule: self.hosts.all(h, h.startsWith('a')) && self.size > 1
              message: too small
              messageExpression: \"'is ' + string(self.size)\"
";

fn at(needle: &str) -> Option<Hover> {
    let file = File::new(TEXT, Arc::default());
    let offset = TEXT.find(needle).expect("the needle") as u32;
    let found = hover(&file.document_at(offset)?, offset, KubernetesVersion::NEWEST)?;
    assert!(found.span.touches(offset), "{needle}: {:?}", found.span);
    Some(found)
}

#[track_caller]
fn check(needle: &str, expected: &str) {
    let found = at(needle).expect("something to say");
    assert_eq!(found.plain(), expected, "{needle}");
}

#[test]
fn a_property_says_what_it_takes_and_who_reads_it() {
    check(
        "size:\n",
        "spec.size: integer\n\nHow *large* it is.\n\n- at least 1\n- required, default 3\n\n\
         Rules above that read it (1)\n\n- self.hosts.all(h, h.startsWith('a')) && self.size > 1 (cost 26, under 1 % of the limit): too small",
    );
    check(
        "hosts: {",
        "spec.hosts: list of string (hostname)\n\n- at most 4 items\n- optional: rules guard it with has()\n- list of type set: items are unique\n\n\
         Rules above that read it (1)\n\n- self.hosts.all(h, h.startsWith('a')) && self.size > 1 (cost 26, under 1 % of the limit): too small",
    );
    check(
        "raw: {",
        "spec.raw: object\n\n- optional: rules guard it with has()\n- unknown fields are kept",
    );
    // The hover is the same at all uses of the name.
    assert_eq!(at("size]").map(|it| it.blocks), at("size:\n").map(|it| it.blocks));
    assert_eq!(
        at("size}\n    - {name: Age").map(|it| it.blocks),
        at("size:\n").map(|it| it.blocks)
    );
    let markdown = at("size:\n").expect("it").markdown();
    assert!(markdown.contains("How *large* it is."), "{markdown}");
}

#[test]
fn a_field_of_the_api_is_documented() {
    let scope = at("scope: ").expect("it").plain();
    assert!(scope.starts_with("scope: string, required\n\n"), "{scope}");
    let value = at("Namespaced").expect("it").plain();
    assert!(
        value.contains("Namespaced: Each object belongs to a namespace"),
        "{value}"
    );
    let keyword = at("minimum: 1").expect("it").plain();
    assert!(keyword.contains("The smallest allowed number."), "{keyword}");
    let storage = at("storage: false").expect("it").plain();
    assert!(
        storage.ends_with("1. v1 (stored, served)\n2. v1beta1 (served)"),
        "{storage}"
    );
    let columns = at("additionalPrinterColumns").expect("it").plain();
    assert!(
        columns.ends_with(
            "NAME   SIZE\n\n- Size: .spec.size (integer)\n- Age: .metadata.creationTimestamp (time), only with -o wide"
        ),
        "{columns}"
    );
    let conversion = at("conversion:").expect("it").plain();
    assert!(
        conversion.contains("Objects of v1beta1, v1 are not converted"),
        "{conversion}"
    );
    let rules = at("x-kubernetes-validations").expect("it").plain();
    assert!(
        rules.ends_with("(cost 26, under 1 % of the limit): too small"),
        "{rules}"
    );
}

#[test]
fn tokens_of_an_expression_are_explained() {
    check(
        "hosts.all",
        "hosts: list(string)\n\n- items have the format hostname\n- at most 4 items\n- declared as hosts on line 30\n\n\
         - this part costs up to 2\n- the rule: cost 26, under 1 % of the limit",
    );
    let function = at("startsWith").expect("it").plain();
    assert!(
        function.starts_with("string.startsWith(string) -> bool\n\n"),
        "{function}"
    );
    let all = at("all(").expect("it").plain();
    assert!(
        all.starts_with("list(string).all(element, predicate) -> bool\n\n"),
        "{all}"
    );
    let variable = at("h.startsWith").expect("it").plain();
    assert!(variable.starts_with("h: string\n\nThe current element."), "{variable}");
    check(
        "self.hosts.all(",
        "self: object\n\nThe value that the rule validates.\n\n- hosts: list(string)\n- raw: object\n- size: int\n\n\
         - the rule: cost 26, under 1 % of the limit",
    );
    let text = at("string(self").expect("it").plain();
    assert!(text.starts_with("string(int) -> string\n\n"), "{text}");
    assert!(text.contains("the message expression: cost"), "{text}");
}

/// The hover at `needle` in a rule on a schema with a list of objects.
fn in_rule(rule: &str, needle: &str) -> String {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      \
         openAPIV3Schema:\n        type: object\n        properties:\n          ports:\n            type: array\n            maxItems: 4\n            \
         items: {{type: object, properties: {{name: {{type: string, maxLength: 9}}, number: {{type: integer}}}}}}\n        \
         x-kubernetes-validations:\n        - rule: \"{rule}\"\n"
    );
    let file = File::new(text.as_str(), Arc::default());
    let offset = text.find(needle).expect("the needle") as u32;
    let document = file.document_at(offset).expect("a document");
    let found = hover(&document, offset, KubernetesVersion::NEWEST).expect("something to say");
    found.plain().split("\n\n- this").next().unwrap_or_default().to_owned()
}

#[test]
fn variables_of_macros_are_the_same_where_they_are_named_and_used() {
    let rule = "self.ports.all(p, self.ports.exists_one(o, o.name == p.name))";
    let object = |name: &str| format!("{name}: object\n\nThe current element.\n\n- name: string\n- number: int");
    for (needle, name) in [
        ("p, self", "p"),
        ("o, o.name", "o"),
        ("o.name ==", "o"),
        ("p.name)", "p"),
    ] {
        let found = in_rule(rule, needle);
        assert!(found.starts_with(&object(name)), "{needle}: {found}");
    }
    let list = in_rule(rule, "exists_one(");
    assert!(
        list.starts_with("list(object).exists_one(element, predicate) -> bool"),
        "{list}"
    );
    let pairs = in_rule("self.ports.map(p, [p.number]).all(n, n.all(i, i > 1))", "i, i >");
    assert!(pairs.starts_with("i: int\n"), "{pairs}");
}

#[test]
fn nothing_is_said_where_nothing_is_known() {
    for needle in ["widgets", "Size, ", "too small"] {
        let said = at(needle).map(|it| it.plain());
        assert!(
            said.as_ref().is_none_or(|it| it.contains("string")),
            "{needle}: {said:?}"
        );
    }
    let file = File::new("kind: Pod\nspec: {}\n", Arc::default());
    let document = file.document_at(0).expect("a document");
    assert_eq!(hover(&document, 0, KubernetesVersion::NEWEST), None);
}

#[test]
fn a_field_of_a_resource_is_that_of_its_schema() {
    let definition = File::new(TEXT, Arc::default());
    let definition = definition.documents().next().expect("a document");
    let root = schema::versions(&definition)[1].schema.expect("a schema");
    let text = "kind: Widget\nmetadata: {labels: {x: y}}\nspec:\n  size: 3\n  hosts:\n  - a.b\n  raw: {}\n";
    let resource = File::new(text, Arc::default());
    let tree = resource.documents().next().expect("a document").tree;
    let at = |needle: &str| {
        let offset = text.find(needle).expect("it") as u32;
        let path = paths::at(tree, offset).expect("a place").path;
        resource_hover(tree, &path, offset, &definition, root, KubernetesVersion::NEWEST).map(|it| it.plain())
    };
    let size = at("size").expect("something");
    assert!(
        size.starts_with("spec.size: integer\n\nHow *large* it is.") && size.ends_with("named by a printer column"),
        "{size}"
    );
    assert!(at("a.b").expect("something").starts_with("spec.hosts: list of string"));
    assert!(
        at("raw")
            .expect("something")
            .starts_with("spec.raw: object\n\n- optional\n")
    );
    assert!(
        at("labels")
            .expect("something")
            .starts_with("labels: map[string]string\n\nKeys and values")
    );
    assert_eq!(at("x: y"), None);
    assert_eq!(at("kind"), None);
}

#[test]
fn a_definition_in_a_list_is_a_definition() {
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}",
        TEXT.replace('\n', "\n  ").trim_end()
    );
    let file = File::new(list.as_str(), Arc::default());
    for needle in [
        "versions:",
        "storage: true",
        "additionalPrinterColumns",
        "conversion",
        "size:",
        "h.starts",
    ] {
        let offset = list.find(needle).expect("the needle") as u32;
        let document = file.document_at(offset).expect("a document");
        let found = hover(&document, offset, KubernetesVersion::NEWEST).map(|it| it.plain());
        assert_eq!(found, at(needle).map(|it| it.plain()), "{needle}");
    }
}
