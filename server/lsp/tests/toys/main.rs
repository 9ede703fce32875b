//! What somebody adds in one file works everywhere: here a kind with two expressions, in a whole session.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

#[path = "../session/client.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod client;
mod gate;

use std::sync::Once;

use client::{Client, list, pulling};
use serde_json::{Value, json};

const URI: &str = "file:///gate.yaml";

const GATE: &str = "\
apiVersion: toys.example.com/v1
kind: Gate
metadata: {name: north}
spec:
  colour: Red
  doors:
  - name: main
    opens: age > 17 && vistor != ''
  - name: small
    greeting: 'age + 1'
    opens: >-
      visitor.startsWith('A') ||
      age.size() > 1
  - {name: back, opens: 3 < age}
";

/// The position of the first `needle`, plus some columns.
fn place(needle: &str, columns: usize) -> Value {
    let at = GATE.find(needle).expect("the needle");
    let line = GATE[..at].matches('\n').count();
    let start = GATE[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": line, "character": at - start + columns })
}

async fn start() -> Client {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| crd_analyzer_workspace::kinds::add(std::slice::from_ref(&gate::ROW)).expect("the first"));
    let mut capabilities = pulling();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } });
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, GATE).await;
    client
}

async fn labels(client: &mut Client, position: Value) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": URI }, "position": position });
    let found = client.request("textDocument/completion", params).await;
    let items = list(found.get("items").cloned().unwrap_or(found));
    items
        .iter()
        .map(|it| it["label"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn diagnostics_are_at_the_characters() {
    let mut client = start().await;
    let found = list(client.pull(URI, None).await["items"].take());
    let shown: Vec<_> = found
        .iter()
        .map(|it| (it["code"].clone(), it["range"]["start"].clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (json!("unknown-field"), place("colour", 0)),
            (json!("undeclared-reference"), place("vistor", 0)),
            (json!("rule-result-type"), place("age + 1", 0)),
            (json!("no-matching-overload"), place("size()", 0)),
        ],
        "{found:#?}"
    );
    client.finish().await;
}

#[tokio::test]
async fn fields_and_expressions_are_completed_and_explained() {
    let mut client = start().await;
    let fields = labels(&mut client, place("colour", 0)).await;
    assert!(fields.contains(&"color".to_owned()), "{fields:?}");
    for needle in ["vistor", "visitor.starts"] {
        let words = labels(&mut client, place(needle, 1)).await;
        assert!(words.contains(&"visitor".to_owned()), "{words:?}");
        assert!(!words.contains(&"self".to_owned()), "{words:?}");
    }
    let mut hover = async |needle: &str| {
        let params = json!({ "textDocument": { "uri": URI }, "position": place(needle, 2) });
        client.request("textDocument/hover", params).await.to_string()
    };
    let explained = hover("greeting").await;
    assert!(explained.contains("What the door says"), "{explained}");
    let explained = hover("< age}").await;
    assert!(
        explained.contains("How old") && explained.contains("int"),
        "{explained}"
    );
    client.finish().await;
}

#[tokio::test]
async fn fixes_repair_it() {
    let mut client = start().await;
    for (needle, new) in [("colour", "color"), ("vistor", "visitor")] {
        let params = json!({
            "textDocument": { "uri": URI },
            "range": { "start": place(needle, 0), "end": place(needle, 1) },
            "context": { "diagnostics": [] },
        });
        let actions = list(client.request("textDocument/codeAction", params).await);
        let texts: Vec<_> = actions.iter().map(ToString::to_string).collect();
        assert!(
            texts.iter().any(|it| it.contains(&format!("\"newText\":\"{new}\""))),
            "{texts:#?}"
        );
    }
    client.finish().await;
}

#[tokio::test]
async fn an_outline_and_tokens_are_there() {
    let mut client = start().await;
    let document = json!({ "textDocument": { "uri": URI } });
    let found = client.request("textDocument/documentSymbol", document.clone()).await;
    assert!(found.to_string().contains("\"small\""), "{found}");
    let found = client.request("textDocument/semanticTokens/full", document).await;
    assert!(found["data"].as_array().map_or(0, Vec::len) > 5 * 6, "{found}");
    client.finish().await;
}
