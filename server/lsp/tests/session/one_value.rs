//! Each value has at most one diagnostic: its other errors become notes, and still have their fixes.

use serde_json::json;

use crate::client::{Client, list, pulling};

const TEXT: &str = "\
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
        properties:
          spec:
            type: object
            properties:
              mode: {type: string, enum: [auto, manual], minLength: 3}
              one:
                type: object
                oneOf: [{required: [a]}, {required: [b]}]
                properties: {a: {type: string}, b: {type: string}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec:
  mode: m
  one: {}
";

const URI: &str = "file:///widgets.yaml";

#[tokio::test]
async fn errors_of_one_value_are_one_diagnostic_with_all_fixes() {
    let mut capabilities = pulling();
    capabilities["textDocument"]["publishDiagnostics"] = json!({ "relatedInformation": true });
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } });
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, TEXT).await;
    let items = list(client.pull(URI, None).await["items"].take());
    let found: Vec<_> = items.iter().filter(|it| it["severity"] == 1).collect();
    let codes: Vec<_> = found.iter().map(|it| it["code"].as_str().expect("a code")).collect();
    assert_eq!(codes, ["not-in-enum", "one-of-mismatch"]);
    for (of, note) in [
        (
            0,
            "also string-too-short: `spec.mode` has 1 character, but at least 3 are required",
        ),
        (1, "also missing-property: `spec.one` has no `a`, which is required"),
    ] {
        assert!(found[of].to_string().contains(note), "{}", found[of]);
    }
    let context = json!({ "diagnostics": [found[1]], "only": ["quickfix"] });
    let params = json!({ "textDocument": { "uri": URI }, "range": found[1]["range"], "context": context });
    let actions = list(client.request("textDocument/codeAction", params).await);
    let of_note = actions.iter().find(|it| it["title"] == "Ignore missing-property here");
    let fixed = &of_note.unwrap_or_else(|| panic!("{actions:?}"))["diagnostics"][0]["code"];
    assert_eq!(fixed, "one-of-mismatch");
    client.finish().await;
}

#[tokio::test]
async fn clients_that_show_no_notes_get_each_error() {
    let mut capabilities = pulling();
    capabilities["textDocument"]["publishDiagnostics"] = json!({});
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, TEXT).await;
    let items = list(client.pull(URI, None).await["items"].take());
    assert_eq!(items.iter().filter(|it| it["severity"] == 1).count(), 4, "{items:?}");
    client.finish().await;
}
