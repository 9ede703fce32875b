//! Tests of errors that follow from another error: the API server names them all, and people see the one to correct.

use super::Sandbox;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: 'https://example.com/convert'}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata:
            type: object
          spec:
            type: object
            x-kubernetes-validations:
            - rule: has(self.small) != has(self.large)
              message: exactly one of small and large must be set
            - rule: \"!has(self.size) || size(self.large) > 0\"
            properties:
              size: {type: string}
              small: {type: string}
              large: {type: string}
              secret:
                type: object
                required: [key]
                properties:
                  name: {type: string}
                  key: {type: string}
";

const WIDGET: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec:
  size: large
  large: yes, large
  secret:
    name: s
    key: k
";

/// Replaces a part of the CRD or of the object, and expects one error with this code, and these texts in its report.
#[track_caller]
fn one_error((part, instead): (&str, &str), code: &str, texts: &[&str]) {
    let sandbox = Sandbox::new(&[]);
    for (name, text) in [("crd.yaml", CRD), ("widget.yaml", WIDGET)] {
        sandbox.write(name, text.replace(part, instead));
    }
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(1, &[&format!("error[{code}]"), " 1 error, "]);
    outcome.expect(1, texts);
}

#[test]
fn the_files_are_correct() {
    let sandbox = Sandbox::new(&[("crd.yaml", CRD), ("widget.yaml", WIDGET)]);
    sandbox.run(&["check", "."]).expect(0, &[" 0 errors, 0 warnings"]);
}

#[test]
fn a_misspelt_key_of_a_crd_is_told_once() {
    let meant = |key: &str| format!("did you mean `{key}`?");
    for (key, misspelt) in [
        ("conversionReviewVersions", "conversionReviewVersion"),
        ("openAPIV3Schema", "openApiV3Schema"),
        ("versions", "version"),
    ] {
        one_error(
            (&format!("{key}:"), &format!("{misspelt}:")),
            "unknown-field",
            &[&meant(key)],
        );
    }
}

#[test]
fn a_wrong_value_of_a_crd_is_told_once() {
    one_error(
        ("strategy: Webhook", "strategy: webhook"),
        "unknown-conversion-strategy",
        &["did you mean `Webhook`?"],
    );
    one_error(
        ("group: example.com", "group: example"),
        "invalid-group",
        &["change `example` to `example.com`"],
    );
    one_error(
        ("storage: true", "storage: false"),
        "storage-version-count",
        &["set `storage: true`"],
    );
    one_error(
        (
            "metadata:\n            type: object",
            "metadata:\n            type: objcet",
        ),
        "unknown-type",
        &["did you mean `object`?"],
    );
}

#[test]
fn a_rule_that_reads_a_misspelt_field_is_a_note() {
    one_error(
        ("  large: yes", "  lareg: yes"),
        "unknown-field",
        &[
            "did you mean `large`?",
            "note: `spec`: exactly one of small and large must be set",
            "note: a rule of `spec` ends in an error",
        ],
    );
}

#[test]
fn a_required_field_beside_its_object_is_told_once() {
    one_error(
        ("    key: k", "  key: k"),
        "unknown-field",
        &[
            "move `key` into `secret`",
            "note: `spec.secret` has no `key`, which is required",
        ],
    );
}
