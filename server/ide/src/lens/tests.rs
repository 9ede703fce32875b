//! Tests for code lenses above rules.

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{config::versions::VersionSet, costs::price};

use super::{costs, fix};
use crate::fixes::apply;

/// A CRD whose `spec` has this schema for `hosts`; `{}` in `frame` is its place.
fn definition(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
{spec}"
    )
}

const RULE: &str = "self.hosts.all(h, self.hosts.exists_one(o, o == h))";

/// Applies the fix for the rule, and checks which lines are new or changed.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let versions = VersionSet::all();
    let priced = price(text.as_bytes().to_vec(), VersionSet::default(), true);
    let found = costs(&priced);
    let over = found
        .iter()
        .find(|it| it.is_over && it.title.starts_with("cost"))
        .expect("a rule over its budget");
    assert!(over.remedy.is_some(), "{over:?}");
    let fix = fix(&priced, over.span, versions, &|| true).expect("a fix");
    let edited = apply(text, &fix.edits).expect("the edits fit");
    let new: Vec<&str> = edited
        .split('\n')
        .filter(|it| !text.split('\n').any(|old| old == *it))
        .collect();
    assert_eq!(new, expected, "{edited}");
    let priced = price(edited.into_bytes(), VersionSet::default(), true);
    assert!(!costs(&priced).iter().any(|it| it.is_over), "{:?}", costs(&priced));
}

fn block(hosts: &str) -> String {
    definition(&format!(
        "              type: object
              x-kubernetes-validations:
              - rule: {RULE}
              properties:
                hosts:
{hosts}"
    ))
}

#[test]
fn bounds_are_written_as_the_rest_is() {
    let plain = "                  type: array # many
                  items:
                    # a name
                    type: string
";
    let expected = ["                  maxItems: 256", "                    maxLength: 253"];
    check(&block(plain), &expected);
    check(block(plain).trim_end(), &expected);
    let with_cr = expected.map(|it| format!("{it}\r"));
    let with_cr = with_cr.each_ref().map(String::as_str);
    check(&block(plain).replace('\n', "\r\n"), &with_cr);
    check(
        &block("                  {type: array, items: {type: string}}\n"),
        &["                  {type: array, maxItems: 256, items: {type: string, maxLength: 253}}"],
    );
    check(
        &block("                  {\"type\":\"array\",\"items\":{\"type\":\"string\"}}\n"),
        &["                  {\"type\":\"array\",\"maxItems\":256,\"items\":{\"type\":\"string\",\"maxLength\":253}}"],
    );
    check(
        &block(
            "                  description: many\n                  items:\n                    type: string\n                  type: array\n",
        ),
        &["                    maxLength: 253", "                  maxItems: 256"],
    );
    check(
        &block("                  'type': array\n                  'items':\n                    \"type\": string\n"),
        &[
            "                  'maxItems': 256",
            "                    \"maxLength\": 253",
        ],
    );
}

#[test]
fn json_stays_json() {
    let text = r#"{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.example.com"},
  "spec": {
    "group": "example.com",
    "scope": "Namespaced",
    "names": {"plural": "widgets", "kind": "Widget"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
      "type": "object",
      "x-kubernetes-validations": [{"rule": "RULE"}],
      "properties": {
        "hosts": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    }}}]
  }
}
"#;
    let lines = [
        "          \"maxItems\": 256,",
        "            \"type\": \"string\",",
        "            \"maxLength\": 253",
    ];
    check(&text.replace("RULE", RULE), &lines);
    let tight: String = text.split('\n').map(str::trim).collect::<String>().replace(": ", ":");
    let priced = price(tight.replace("RULE", RULE).into_bytes(), VersionSet::default(), true);
    let over = costs(&priced)
        .into_iter()
        .find(|it| it.is_over && it.title.starts_with("cost"))
        .expect("one");
    let fix = fix(&priced, over.span, VersionSet::default(), &|| true).expect("a fix");
    let texts: Vec<_> = fix.edits.iter().map(|it| it.new_text.as_str()).collect();
    assert_eq!(texts, [",\"maxItems\":256", ",\"maxLength\":253"]);
    assert_eq!(
        fix.title,
        "Add maxItems: 256 to hosts and maxLength: 253 to hosts[*] (accepts less than before)"
    );
}

#[test]
fn all_versions_that_share_a_schema_get_the_bounds() {
    let one = block("                  type: array\n                  items: {type: string}\n");
    let at = one.find("    - name: v1").expect("a version");
    let second = one[at..]
        .replace("name: v1", "name: v2")
        .replace("storage: true", "storage: false");
    let both = format!("{one}{second}");
    check(
        &both,
        &[
            "                  maxItems: 256",
            "                  items: {type: string, maxLength: 253}",
            "                  maxItems: 256",
            "                  items: {type: string, maxLength: 253}",
        ],
    );
}

#[test]
fn what_others_share_is_left_alone() {
    let anchored =
        block("                  type: array\n                  items: &s {type: string}\n                other: *s\n");
    let priced = price(anchored.into_bytes(), VersionSet::default(), true);
    let over = costs(&priced)
        .into_iter()
        .find(|it| it.is_over && it.remedy.is_some())
        .expect("one");
    assert_eq!(fix(&priced, over.span, VersionSet::default(), &|| true), None);
    assert_eq!(fix(&priced, Span::new(0, 1), VersionSet::default(), &|| true), None);
}

#[test]
fn costs_are_told_at_rules_and_schemas() {
    let spec = "              type: object
              x-kubernetes-validations:
              - rule: self.m > 1
              properties:
                m: {type: integer}
                l:
                  type: array
                  maxItems: 100000
                  items:
                    type: integer
                    x-kubernetes-validations: [{rule: self > 1}, {rule: self.x > 1}]
";
    let text = definition(spec);
    let priced = price(text.clone().into_bytes(), VersionSet::default(), true);
    let found: Vec<_> = costs(&priced)
        .into_iter()
        .map(|it| (text[it.span.range()].to_owned(), it.title))
        .collect();
    let expected = [
        // The cost of one of the three rules is too low to be shown separately.
        ("openAPIV3Schema", "3 rules · total 200,003 of 100,000,000"),
        ("self > 1", "cost 200,000 · 2 % of the limit · 2 × 100,000 values"),
        ("self.x > 1", "does not compile"),
    ];
    let expected: Vec<_> = expected.map(|(at, title)| (at.to_owned(), title.to_owned())).to_vec();
    assert_eq!(found, expected);
}
