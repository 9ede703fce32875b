//! Features that read a document: what a place means.

use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

const URI: &str = "file:///widgets.yaml";

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
        properties:
          spec:
            type: object
            required: [hosts]
            properties:
              hosts: {type: array, maxItems: 4, items: {type: string, maxLength: 63}}
              limit: {type: integer, default: 3}
            x-kubernetes-validations:
            - rule: 'self.hosts.all(h, h != ''é😀'' && h != '''') &&
                self.limit > 1'
";

/// The position of the first `needle`, plus some columns, in UTF-16.
fn place(text: &str, needle: &str) -> Value {
    let at = text.find(needle).expect("the needle");
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

async fn ask(client: &mut Client, method: &str, needle: &str) -> Value {
    let params = json!({ "textDocument": { "uri": URI }, "position": place(DEFINITION, needle) });
    client.request(method, params).await
}

/// The text that a range means.
fn text_of(range: &Value) -> String {
    let at = |it: &Value| {
        (
            it["line"].as_u64().expect("it") as usize,
            it["character"].as_u64().expect("it") as usize,
        )
    };
    let ((line, from), (last, to)) = (at(&range["start"]), at(&range["end"]));
    assert_eq!(line, last, "{range}");
    let units: Vec<u16> = DEFINITION.lines().nth(line).expect("it").encode_utf16().collect();
    String::from_utf16(&units[from..to]).expect("it")
}

#[tokio::test]
async fn what_means_the_same_is_marked() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let found = list(ask(&mut client, "textDocument/documentHighlight", "h !=").await);
    let texts: Vec<_> = found.iter().map(|it| text_of(&it["range"])).collect();
    assert_eq!(texts, ["h", "h", "h"]);
    assert_eq!(
        ask(&mut client, "textDocument/documentHighlight", "Namespaced").await,
        Value::Null
    );
    client.finish().await;
}

#[tokio::test]
async fn hovers_come_in_the_format_of_the_client() {
    for (formats, kind, expected) in [
        (
            json!(["markdown", "plaintext"]),
            "markdown",
            "```cel\nlimit: int\n```\n\n- integer\n",
        ),
        (
            json!(["plaintext", "markdown"]),
            "plaintext",
            "limit: int\n\n- integer\n",
        ),
        (Value::Null, "plaintext", "limit: int\n\n- integer\n"),
    ] {
        let mut capabilities = pulling();
        capabilities["textDocument"]["hover"] = json!({ "contentFormat": formats });
        let mut client = Client::start(capabilities).await;
        client.open(URI, 1, DEFINITION).await;
        let found = ask(&mut client, "textDocument/hover", "limit > 1").await;
        assert_eq!(found["contents"]["kind"], kind);
        let value = found["contents"]["value"].as_str().expect("it");
        assert!(value.starts_with(expected), "{value}");
        assert_eq!(text_of(&found["range"]), "limit");
        assert_eq!(
            ask(&mut client, "textDocument/hover", "widgets.example").await["contents"]["kind"],
            kind
        );
        client.finish().await;
    }
}

#[tokio::test]
async fn a_feature_can_be_switched_off() {
    let mut client = Client::start_with(json!({
        "capabilities": pulling(),
        "initializationOptions": { "features": { "hover": false } },
    }))
    .await;
    client.open(URI, 1, DEFINITION).await;
    assert_eq!(ask(&mut client, "textDocument/hover", "limit > 1").await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn all_that_names_a_property_is_marked() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let found = list(ask(&mut client, "textDocument/documentHighlight", "hosts]").await);
    let texts: Vec<_> = found.iter().map(|it| text_of(&it["range"])).collect();
    assert_eq!(texts, ["hosts", "hosts", "hosts"]);
    client.finish().await;
}
