//! Objects of built-in kinds in an editor, here admission policies.

use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

const URI: &str = "file:///policy.yaml";

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  failurePolicy: Fial
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  variables:
  - name: most
    expression: '''é😀''.size() + 3'
  validations:
  - expression: |
      object.spec.replicas > 0 &&
        object.spec.replicas < variables.mots
    message: too many
";

/// The position of the first `needle` plus some columns, in UTF-16.
fn place(needle: &str, columns: usize) -> Value {
    let at = POLICY.find(needle).expect("the needle");
    let line = POLICY[..at].matches('\n').count();
    let start = POLICY[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": line, "character": POLICY[start..at].encode_utf16().count() + columns })
}

async fn ask(client: &mut Client, method: &str, position: Value) -> Value {
    let params = json!({ "textDocument": { "uri": URI }, "position": position });
    client.request(method, params).await
}

#[tokio::test]
async fn diagnostics_are_at_the_characters() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, POLICY).await;
    let found = list(client.pull(URI, None).await["items"].take());
    let shown: Vec<_> = found
        .iter()
        .map(|it| {
            (
                it["code"].as_str().unwrap_or_default(),
                it["message"]
                    .as_str()
                    .unwrap_or_default()
                    .lines()
                    .next()
                    .unwrap_or_default(),
                it["range"]["start"].clone(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (
                "policy-unknown-value",
                "`Fial` is not a value of `failurePolicy`, did you mean `Fail`?",
                place("Fial", 0)
            ),
            (
                "undefined-field",
                "`mots` is not a field of `variables`, did you mean `most`?",
                place("mots", 0)
            ),
        ]
    );
    client.finish().await;
}

#[tokio::test]
async fn expressions_and_fields_are_completed_and_explained() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, POLICY).await;
    let found = ask(&mut client, "textDocument/completion", place("mots", 0)).await;
    let items = found.get("items").cloned().unwrap_or(found);
    let labels: Vec<_> = list(items).iter().map(|it| it["label"].clone()).collect();
    assert!(labels.contains(&json!("most")), "{labels:?}");
    let found = ask(&mut client, "textDocument/completion", place("    message: too", 4)).await;
    let items = found.get("items").cloned().unwrap_or(found);
    let labels: Vec<_> = list(items).iter().map(|it| it["label"].clone()).collect();
    assert!(labels.contains(&json!("messageExpression")), "{labels:?}");
    let found = ask(&mut client, "textDocument/hover", place("failurePolicy", 3)).await;
    assert!(found.to_string().contains("misconfigured"), "{found}");
    let found = ask(&mut client, "textDocument/hover", place("expression: |", 3)).await;
    assert!(found.to_string().contains("rejects the request if it gives"), "{found}");
    let found = ask(&mut client, "textDocument/signatureHelp", place("size()", 5)).await;
    assert!(found.to_string().contains("size()"), "{found}");
    client.finish().await;
}

#[tokio::test]
async fn an_outline_and_tokens_are_there() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, POLICY).await;
    let document = json!({ "textDocument": { "uri": URI } });
    let found = client.request("textDocument/documentSymbol", document.clone()).await;
    assert!(found.to_string().contains("replicas"), "{found}");
    let found = client.request("textDocument/semanticTokens/full", document).await;
    let numbers = found["data"].as_array().map_or(0, Vec::len);
    assert!(numbers > 5 * 10, "{found}");
    client.finish().await;
}
