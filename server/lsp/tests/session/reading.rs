//! Requests that read a document, such as hover.

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

/// The position of the first `needle` in UTF-16.
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

/// The text in a range.
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
            "```cel\nlimit: int\n```\n\n- ",
        ),
        (json!(["plaintext", "markdown"]), "plaintext", "limit: int\n\n- "),
        (Value::Null, "plaintext", "limit: int\n\n- "),
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

#[tokio::test]
async fn symbols_are_nested_where_the_client_shows_that() {
    for nested in [true, false] {
        let mut capabilities = pulling();
        capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": nested });
        let mut client = Client::start(capabilities).await;
        client.open(URI, 1, DEFINITION).await;
        let params = json!({ "textDocument": { "uri": URI } });
        let found = list(client.request("textDocument/documentSymbol", params).await);
        if nested {
            let spec = &found[0]["children"][0]["children"][0];
            assert_eq!(
                (&spec["name"], &spec["children"][1]["detail"]),
                (&json!("spec"), &json!("integer"))
            );
            assert_eq!(text_of(&spec["selectionRange"]), "spec");
        } else {
            let limit = found.iter().find(|it| it["name"] == "limit").expect("it");
            assert_eq!(limit["containerName"], "spec");
        }
        client.finish().await;
    }
}

#[tokio::test]
async fn tokens_of_rules_have_kinds_and_calls_signatures() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let params = json!({ "textDocument": { "uri": URI } });
    let found = client.request("textDocument/semanticTokens/full", params).await;
    let data: Vec<u64> = list(found["data"].clone()).iter().filter_map(Value::as_u64).collect();
    let mut texts = Vec::new();
    let (mut line, mut column) = (0, 0);
    // The first `h` is the definition of it, and `all` is of CEL's library.
    let modifiers: Vec<u64> = data.chunks(5).map(|it| it[4]).collect();
    assert_eq!(modifiers[..5], [0, 0, 2, 1, 0]);
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let range = json!({
            "start": { "line": line, "character": column },
            "end": { "line": line, "character": column + token[2] },
        });
        texts.push(text_of(&range));
    }
    let expected = [
        "self",
        "hosts",
        "all",
        "h",
        "h",
        "!=",
        "''é😀''",
        "&&",
        "h",
        "!=",
        "''''",
        "&&",
        "self",
        "limit",
        ">",
        "1",
    ];
    assert_eq!(texts, expected);
    let mut range = json!({ "start": place(DEFINITION, "self.limit"), "end": place(DEFINITION, "limit > 1") });
    range["end"]["character"] = json!(range["end"]["character"].as_u64().expect("it") + 1);
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    let found = client.request("textDocument/semanticTokens/range", params).await;
    assert_eq!(list(found["data"].clone()).len(), 10);
    let found = ask(&mut client, "textDocument/signatureHelp", "h !=").await;
    assert_eq!(found["activeParameter"], 1);
    assert_eq!(found["signatures"][0]["label"], "all(element, predicate)");
    assert_eq!(found["signatures"][0]["parameters"][1]["label"], "predicate");
    client.finish().await;
}

#[tokio::test]
async fn of_tokens_only_what_changed_is_told_to_who_takes_it() {
    let mut capabilities = pulling();
    capabilities["textDocument"]["semanticTokens"] = json!({
        "requests": { "full": { "delta": true } }, "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"],
    });
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, DEFINITION).await;
    let document = json!({ "uri": URI });
    let full = json!({ "textDocument": document });
    let first = client.request("textDocument/semanticTokens/full", full.clone()).await;
    let mut data = list(first["data"].clone());
    // A new line above the rules moves only the first token.
    client.change(URI, 2, &[([0, 0, 0, 0], "# new\n")]).await;
    let since = |name: &Value| json!({ "textDocument": document, "previousResultId": name });
    let delta = "textDocument/semanticTokens/full/delta";
    let changed = client.request(delta, since(&first["resultId"])).await;
    let edits = list(changed["edits"].clone());
    assert_eq!(edits.len(), 1);
    assert_eq!((&edits[0]["start"], &edits[0]["deleteCount"]), (&json!(0), &json!(5)));
    data.splice(0..5, list(edits[0]["data"].clone()));
    let whole = client.request("textDocument/semanticTokens/full", full).await;
    assert_eq!(json!(data), whole["data"]);
    // A delta without changes, and a delta for an unknown list.
    let same = client.request(delta, since(&whole["resultId"])).await;
    assert_eq!(same["edits"], json!([]));
    let forgotten = client.request(delta, since(&json!("of another day"))).await;
    assert_eq!(forgotten["data"], whole["data"]);
    client.finish().await;
}

#[tokio::test]
async fn addresses_are_links() {
    let mut client = Client::start(pulling()).await;
    let text = DEFINITION.replace("maxLength: 63", "maxLength: 63, description: https://a.example/b.");
    client.open(URI, 1, &text).await;
    let params = json!({ "textDocument": { "uri": URI } });
    let found = list(client.request("textDocument/documentLink", params).await);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["target"], "https://a.example/b");
    client.finish().await;
}

#[tokio::test]
async fn selections_grow_over_the_parts_of_a_rule() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let params = json!({ "textDocument": { "uri": URI }, "positions": [place(DEFINITION, "limit > 1")] });
    let found = list(client.request("textDocument/selectionRange", params).await);
    let mut texts = Vec::new();
    let mut at = &found[0];
    for _ in 0..3 {
        texts.push(text_of(&at["range"]));
        at = &at["parent"];
    }
    assert_eq!(texts, ["limit", "self.limit", "self.limit > 1"]);
    client.finish().await;
}

const RESOURCE: &str = "file:///widget.yaml";

#[tokio::test]
async fn a_property_is_renamed_in_definition_and_resources() {
    let mut capabilities = pulling();
    capabilities["workspace"]["workspaceEdit"] = json!({ "documentChanges": true });
    capabilities["textDocument"]["rename"] = json!({ "prepareSupport": true });
    let mut client = Client::start(capabilities).await;
    client.open(URI, 4, DEFINITION).await;
    client
        .open(
            RESOURCE,
            2,
            "apiVersion: example.com/v1\nkind: Widget\nspec: {limit: 3}\n",
        )
        .await;
    let found = ask(&mut client, "textDocument/prepareRename", "limit > 1").await;
    assert_eq!(
        (text_of(&found["range"]).as_str(), &found["placeholder"]),
        ("limit", &json!("limit"))
    );
    assert_eq!(
        ask(&mut client, "textDocument/prepareRename", "Namespaced").await,
        Value::Null
    );
    let params = |name: &str| {
        let mut params = json!({ "textDocument": { "uri": URI }, "newName": name });
        params["position"] = place(DEFINITION, "limit > 1");
        params
    };
    let found = client.request("textDocument/rename", params("most")).await;
    let files = list(found["documentChanges"].clone());
    assert_eq!(files[0]["textDocument"], json!({ "uri": URI, "version": 4 }));
    assert_eq!(files[0]["edits"].as_array().map(Vec::len), Some(2));
    assert_eq!(files[1]["textDocument"], json!({ "uri": RESOURCE, "version": 2 }));
    assert_eq!(files[1]["edits"][0]["newText"], "most");
    let id = client.begin("textDocument/rename", params("hosts")).await;
    let refused = client.response(id).await;
    assert_eq!(refused["error"]["message"], "there is a property `hosts` already");
    client.finish().await;
}

#[tokio::test]
async fn fields_of_resources_are_those_of_their_definition() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let text = "apiVersion: example.com/v1\nkind: Widget\nspec:\n  limit: 3\n";
    client.open(RESOURCE, 1, text).await;
    let mut params = json!({ "textDocument": { "uri": RESOURCE } });
    params["position"] = place(text, "limit");
    let found = client.request("textDocument/hover", params.clone()).await;
    let value = found["contents"]["value"].as_str().expect("text");
    assert!(value.starts_with("spec.limit: integer\n\n- default 3"), "{value}");
    params["position"] = place(text, "Widget");
    assert_eq!(client.request("textDocument/hover", params).await, Value::Null);
    client.finish().await;
}
