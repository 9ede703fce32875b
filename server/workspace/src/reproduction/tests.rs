//! Tests for reproductions of diagnostics about a CRD and its resources.

use std::sync::Arc;

use crd_analyzer_syntax::paths::{Step, display};
use serde_json::Value;

use super::{Impossible, Replaced, Reproduction, Target, documents_of, located, report};
use crate::{codes, config::versions::VersionSet};

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: rockets.acme.corp
  labels: {team: launchpad}
spec:
  group: acme.corp
  scope: Namespaced
  names: {plural: rockets, singular: rocket, kind: Rocket, shortNames: [rk]}
  versions:
  - name: v1alpha1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: The secret plan of the rocket.
            required: [pilot]
            properties:
              pilot: {type: string}
              engine: {type: string, enum: [solid, liquid]}
              size: {type: integer, minimum: 3}
              stages:
                type: array
                items:
                  type: object
                  properties:
                    fuel: {type: string}
                    parts: {type: object, additionalProperties: {type: integer}}
            x-kubernetes-validations:
            - rule: self.pilot != 'nobody'
              message: the pilot is secret
";

const OTHER: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hush}\n";

/// Creates a reproduction of the first diagnostic with this code in the documents.
#[track_caller]
fn shrunk(texts: &[&str], code: &str) -> (Reproduction, Replaced) {
    let (reproduction, replaced) = shrink(texts, code);
    (reproduction, replaced.expect("it has the diagnostic"))
}

#[track_caller]
fn shrink(texts: &[&str], code: &str) -> (Reproduction, Result<Replaced, Impossible>) {
    let text: Arc<str> = texts.join("---\n").into();
    let documents: Vec<Value> = documents_of(&text).into_values().collect();
    let mut reproduction = Reproduction {
        documents,
        target: Target {
            code: codes::find(code).expect("a code").name,
            document: 0,
            path: Vec::new(),
        },
        versions: VersionSet::default(),
    };
    let found = located(&report(&reproduction, true), &super::config(code));
    let found = found.iter().find(|it| it.code == code);
    let found = found.unwrap_or_else(|| panic!("{:?}", located(&report(&reproduction, true), &super::config(code))));
    reproduction.target.document = found.document as usize;
    reproduction.target.path.clone_from(&found.path);
    let replaced = reproduction.shrink();
    (reproduction, replaced)
}

/// Checks the text of the reproduction and the path of the diagnostic.
#[track_caller]
fn check(texts: &[&str], code: &str, place: &str, expected: &str) {
    let (reproduction, _) = shrunk(texts, code);
    assert_eq!(reproduction.text(), expected);
    assert_eq!(display(&reproduction.target.path), place);
    // The comment in the reproduction's text must agree with the diagnostics that are reported for it.
    let found = located(&report(&reproduction, true), &super::config(code));
    assert!(
        found
            .iter()
            .any(|it| it.code == code && it.path == reproduction.target.path),
        "{found:?}"
    );
}

#[test]
fn a_resource_stays_with_what_its_crd_needs() {
    let resource = "apiVersion: acme.corp/v1\nkind: Rocket\nmetadata: {name: saturn, namespace: cape}\nspec:\n  pilot: armstrong\n  size: many\n  stages: [{fuel: kerosene}, {fuel: hydrogen}]\n";
    check(
        &[CRD, OTHER, resource],
        "wrong-type",
        "spec.size",
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: kind1s.group1.example.com
spec:
  group: group1.example.com
  names:
    kind: Kind1
    plural: kind1s
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              size:
                type: integer
            type: object
        type: object
    served: true
    storage: true
---
apiVersion: group1.example.com/v1
kind: Kind1
metadata:
  name: value-2
spec:
  size: value-1
",
    );
}

#[test]
fn positions_follow_what_is_left_out() {
    let resource = "apiVersion: acme.corp/v1\nkind: Rocket\nmetadata: {name: saturn}\nspec:\n  pilot: armstrong\n  stages:\n  - {fuel: kerosene}\n  - {fuel: hydrogen, parts: {valve: 3, secret: tank}}\n";
    let (reproduction, replaced) = shrunk(&[CRD, resource], "wrong-type");
    // The key of the map must stay, because it is part of the path.
    assert_eq!(display(&reproduction.target.path), "spec.stages[0].parts.secret");
    let text = reproduction.text();
    for word in [
        "acme",
        "ocket",
        "saturn",
        "kerosene",
        "hydrogen",
        "valve",
        "tank",
        "armstrong",
        "launchpad",
    ] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
    assert_eq!(replaced.kept, Vec::<String>::new());
}

#[test]
fn keys_that_a_user_chose_are_replaced() {
    let crd = CRD.replace(
        "additionalProperties: {type: integer}",
        "maxProperties: 1, additionalProperties: {type: integer}",
    );
    let resource = "apiVersion: acme.corp/v1\nkind: Rocket\nmetadata: {name: saturn}\nspec:\n  pilot: armstrong\n  stages:\n  - parts: {valve: 3, secret: 4}\n";
    let (reproduction, replaced) = shrunk(&[&crd, resource], "too-many-properties");
    let text = reproduction.text();
    assert!(text.contains("key-1: 4\n") && text.contains("key-2: 3\n"), "{text}");
    assert!(replaced.names >= 2);
}

#[test]
fn what_the_diagnostic_depends_on_stays() {
    // The value must stay, because a rule compares it.
    let resource = "apiVersion: acme.corp/v1\nkind: Rocket\nmetadata: {name: saturn}\nspec:\n  pilot: nobody\n";
    let (reproduction, replaced) = shrunk(&[CRD, resource], "rule-failed");
    let text = reproduction.text();
    assert!(
        text.contains("pilot: nobody") && text.contains("rule: \"self.pilot != 'nobody'\""),
        "{text}"
    );
    assert!(!text.contains("the pilot is secret"), "{text}");
    assert_eq!(replaced.kept, ["nobody"]);
    // The value can be masked, because it is still too long afterwards.
    let crd = CRD.replace("pilot: {type: string}", "pilot: {type: string, maxLength: 8}");
    let resource = resource.replace("nobody", "Neil-A. Armstrong");
    let (reproduction, _) = shrunk(&[&crd, &resource], "string-too-long");
    assert!(
        reproduction.text().contains("pilot: Xxxx-X. Xxxxxxxxx"),
        "{}",
        reproduction.text()
    );
}

#[test]
fn a_crd_is_reduced_to_the_place() {
    let crd = CRD.replace("minimum: 3", "minimum: 3, pattern: '('");
    let (reproduction, _) = shrunk(&[OTHER, &crd], "invalid-pattern");
    assert_eq!(
        display(&reproduction.target.path),
        "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.pattern"
    );
    let text = reproduction.text();
    assert!(
        text.len() < 700 && !text.contains("description") && !text.contains("pilot"),
        "{text}"
    );
    assert!(reproduction.reported()[0].starts_with("error[invalid-pattern]: "));
    assert_eq!(reproduction.options(), "--no-config --kubernetes-version 1.37");
}

#[test]
fn a_code_that_is_off_by_default_is_selected() {
    let crd = CRD.replace("self.pilot != 'nobody'", "size(self.pilot) >= 0");
    let (reproduction, _) = shrunk(&[&crd], "always-true-rule");
    assert!(reproduction.options().ends_with(" --select always-true-rule"));
    assert!(reproduction.text().contains("size(self.pilot) >= 0"));
}

#[test]
fn what_objects_do_not_say_cannot_be_reproduced() {
    // The second key applies, so the first one is not part of the value.
    let text: Arc<str> = CRD.into();
    let documents: Vec<Value> = documents_of(&text).into_values().collect();
    let mut reproduction = Reproduction {
        documents,
        target: Target {
            code: codes::find("duplicate-key").expect("a code").name,
            document: 0,
            path: vec![Step::key("spec")],
        },
        versions: VersionSet::default(),
    };
    assert_eq!(reproduction.shrink(), Err(Impossible::Elsewhere));
}

#[test]
fn a_large_crd_takes_few_trials() {
    let mut crd = String::new();
    for line in CRD.lines() {
        crd.push_str(line);
        crd.push('\n');
        if line.ends_with("size: {type: integer, minimum: 3}") {
            let field =
                |n| format!("              field{n}: {{type: string, description: The field {n} of the rocket.}}\n");
            crd.extend((0..2_000).map(field));
        }
    }
    let resource = "apiVersion: acme.corp/v1\nkind: Rocket\nmetadata: {name: saturn}\nspec: {pilot: a, size: many}\n";
    let text: Arc<str> = format!("{crd}---\n{resource}").into();
    let mut reproduction = Reproduction {
        documents: documents_of(&text).into_values().collect(),
        target: Target {
            code: codes::find("wrong-type").expect("a code").name,
            document: 1,
            path: vec![Step::key("spec"), Step::key("size")],
        },
        versions: VersionSet::default(),
    };
    let mut trial = super::Trial::new(&reproduction);
    super::reduce::focus(&mut reproduction, &mut trial);
    assert!(
        trial.tried <= 3 && reproduction.text().len() < 3_000,
        "{}",
        reproduction.text()
    );
}
