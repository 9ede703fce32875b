//! An extension in a single file works in the whole server. These tests add a kind with two expressions, and a language that a CRD is generated from.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

#[path = "../session/client.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod client;
mod gate;
mod shapes;

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

const SHAPE_URI: &str = "file:///round.shape";

const SHAPE: &str = "\
shape Circle
text name
text color maxLength=10
check «self.nam != ~~»
check «self.color != ~red~ || self.name.contains(self.color)»
check «self.name.split(~,~).all(it, self.name.split(~,~).exists(other, other == it))»
";

/// The position of the first `needle` plus some columns.
fn place(needle: &str, columns: usize) -> Value {
    place_in(GATE, needle, columns)
}

fn place_in(text: &str, needle: &str, columns: usize) -> Value {
    let at = text.find(needle).expect("the needle");
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let before = text[start..at].encode_utf16().count();
    json!({ "line": line, "character": before + columns })
}

async fn start() -> Client {
    start_with(URI, GATE).await
}

async fn start_with(uri: &str, text: &str) -> Client {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| {
        crd_analyzer_workspace::kinds::add(std::slice::from_ref(&gate::ROW)).expect("the first");
        crd_analyzer_workspace::sources::add(std::slice::from_ref(&shapes::ROW)).expect("the first");
    });
    let mut capabilities = pulling();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } });
    let mut client = Client::start(capabilities).await;
    client.open(uri, 1, text).await;
    client
}

async fn labels(client: &mut Client, position: Value) -> Vec<String> {
    labels_in(client, URI, position).await
}

async fn labels_in(client: &mut Client, uri: &str, position: Value) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
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

/// Starts a session with a shape file. Returns its diagnostics once the generated CRD has been checked, after a pause in typing.
async fn start_shape() -> (Client, Vec<Value>) {
    let mut client = start_with(SHAPE_URI, SHAPE).await;
    for _ in 0..100 {
        let found = list(client.pull(SHAPE_URI, None).await["items"].take());
        if !found.is_empty() {
            return (client, found);
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nothing is found");
}

#[tokio::test]
async fn what_is_made_of_a_file_is_judged_at_its_characters() {
    let (client, found) = start_shape().await;
    let shown: Vec<_> = found
        .iter()
        .map(|it| (it["code"].clone(), it["range"]["start"].clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (json!("undefined-field"), place_in(SHAPE, ".nam ", 1)),
            (json!("rule-cost-over-limit"), place_in(SHAPE, "«self.name.split", 0)),
        ],
        "{found:#?}"
    );
    client.finish().await;
}

#[tokio::test]
async fn what_is_made_of_a_file_is_completed_and_explained() {
    let (mut client, _) = start_shape().await;
    let words = labels_in(&mut client, SHAPE_URI, place_in(SHAPE, "color !=", 1)).await;
    assert!(words.contains(&"color".to_owned()), "{words:?}");
    let params = json!({ "textDocument": { "uri": SHAPE_URI }, "position": place_in(SHAPE, "contains", 2) });
    let explained = client.request("textDocument/hover", params.clone()).await;
    assert_eq!(
        explained["range"]["start"],
        place_in(SHAPE, "contains", 0),
        "{explained}"
    );
    let params = json!({ "textDocument": { "uri": SHAPE_URI }, "position": place_in(SHAPE, "other == it", 1) });
    let found = list(client.request("textDocument/documentHighlight", params).await);
    let starts: Vec<_> = found.iter().map(|it| it["range"]["start"].clone()).collect();
    let expected = [place_in(SHAPE, "other, ", 0), place_in(SHAPE, "other == it", 0)];
    assert_eq!(starts, expected);
    let lenses = client
        .request("textDocument/codeLens", json!({ "textDocument": { "uri": SHAPE_URI } }))
        .await;
    assert!(lenses.to_string().contains("over the limit"), "{lenses}");
    client.finish().await;
}

#[tokio::test]
async fn what_is_made_of_a_file_is_repaired_in_it() {
    let (mut client, _) = start_shape().await;
    for (needle, at, new) in [
        (
            ".nam ",
            1,
            json!({ "start": place_in(SHAPE, ".nam ", 1), "text": "name" }),
        ),
        (
            "«self.name.split",
            0,
            json!({ "start": place_in(SHAPE, "\ntext color", 0), "text": " maxLength=" }),
        ),
    ] {
        let params = json!({
            "textDocument": { "uri": SHAPE_URI },
            "range": { "start": place_in(SHAPE, needle, at), "end": place_in(SHAPE, needle, at) },
            "context": { "diagnostics": [] },
        });
        let actions = list(client.request("textDocument/codeAction", params).await);
        let edits = actions
            .iter()
            .flat_map(|it| list(it["edit"]["changes"][SHAPE_URI].clone()));
        let edits: Vec<Value> = edits.collect();
        let is_it = |it: &&Value| {
            let text = it["newText"].as_str().unwrap_or_default();
            it["range"]["start"] == new["start"] && text.starts_with(new["text"].as_str().expect("a text"))
        };
        assert!(edits.iter().find(is_it).is_some(), "{actions:#?}");
    }
    client.finish().await;
}

#[tokio::test]
async fn names_in_what_is_made_of_a_file_are_changed_in_it() {
    let (mut client, _) = start_shape().await;
    let at = |needle: &str, columns: usize| json!({ "textDocument": { "uri": SHAPE_URI }, "position": place_in(SHAPE, needle, columns) });
    let found = client.request("textDocument/prepareRename", at("other == it", 1)).await;
    assert_eq!(found["placeholder"], "other", "{found}");
    assert_eq!(found["range"]["start"], place_in(SHAPE, "other == it", 0));
    let mut ask = async |needle: &str, new_name: &str| {
        let mut params = at(needle, 1);
        params["newName"] = json!(new_name);
        let id = client.begin("textDocument/rename", params).await;
        client.response(id).await
    };
    let found = ask("other == it", "one").await;
    let edits = list(found["result"]["changes"][SHAPE_URI].clone());
    let starts: Vec<_> = edits.iter().map(|it| it["range"]["start"].clone()).collect();
    assert_eq!(
        starts,
        [place_in(SHAPE, "other, ", 0), place_in(SHAPE, "other == it", 0)],
        "{found}"
    );
    assert!(edits.iter().all(|it| it["newText"] == "one"), "{found}");
    let refused = ask("other == it", "it").await;
    assert_eq!(
        refused["error"]["message"],
        "`it` has another meaning in the expression"
    );
    // The declaration of a property is not a string of the manifest, but the language still renames it.
    let found = ask("color != ~red", "paint").await;
    let edits = list(found["result"]["changes"][SHAPE_URI].clone());
    let starts: Vec<_> = edits.iter().map(|it| it["range"]["start"].clone()).collect();
    let expected = [("color max", 0), ("color != ~red", 0), ("color)»", 0)];
    assert_eq!(
        starts,
        expected.map(|(needle, at)| place_in(SHAPE, needle, at)),
        "{found}"
    );
    assert!(edits.iter().all(|it| it["newText"] == "paint"), "{found}");
    let refused = ask("color != ~red", "two words").await;
    assert_eq!(
        refused["error"]["message"],
        "rules read the property, and cannot name `two words`"
    );
    client.finish().await;
}
