//! The costs of rules in lenses and inlay hints.

use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

const URI: &str = "file:///widgets.yaml";

/// A CRD whose first rule is too expensive.
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
        x-kubernetes-validations:
        - rule: self.hosts.all(h, self.hosts.exists_one(o, o == h)) # é😀
        properties: {n: {type: integer}, hosts: {type: array, items: {type: string}}}
";

/// The line of the rule, and the columns of its text.
const LINE: u64 = 15;

fn capabilities(lenses: bool) -> Value {
    let mut capabilities = pulling();
    if lenses {
        capabilities["textDocument"]["codeLens"] = json!({});
        capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    }
    capabilities["textDocument"]["inlayHint"] = json!({});
    capabilities["workspace"]["applyEdit"] = json!(true);
    let kinds = json!({ "codeActionKind": { "valueSet": ["quickfix"] } });
    capabilities["textDocument"]["codeAction"] = json!({ "codeActionLiteralSupport": kinds });
    capabilities
}

async fn lenses(client: &mut Client) -> Value {
    let params = json!({ "textDocument": { "uri": URI } });
    client.request("textDocument/codeLens", params).await
}

/// The lenses after the server has asked to refresh them because the user has paused.
async fn lenses_at_rest(client: &mut Client) -> Value {
    client.until_asked("workspace/codeLens/refresh").await;
    lenses(client).await
}

async fn hints(client: &mut Client, lines: [u64; 2]) -> Value {
    let place = |line| json!({ "line": line, "character": 0 });
    let range = json!({ "start": place(lines[0]), "end": place(lines[1]) });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    client.request("textDocument/inlayHint", params).await
}

fn titles(lenses: &Value) -> Vec<&str> {
    let lenses = lenses.as_array().map(Vec::as_slice).unwrap_or_default();
    lenses.iter().filter_map(|it| it["command"]["title"].as_str()).collect()
}

const EXPENSIVE: &str = "cost 345,880,409,622,760,653 · over the limit by more than 100x · Add maxItems: 256 to hosts and maxLength: 253 to \
                         hosts[*]";

#[tokio::test]
async fn lenses_follow_the_text() {
    let mut client = Client::start(capabilities(true)).await;
    client.open(URI, 1, TEXT).await;
    let found = lenses(&mut client).await;
    let summary = "1 rule · total 345,880,409,622,760,653 of 100,000,000";
    assert_eq!(titles(&found), [summary, EXPENSIVE]);
    assert_eq!(found[1]["range"]["start"], json!({ "line": LINE, "character": 8 }));
    assert_eq!(hints(&mut client, [0, 99]).await, Value::Null, "never both");
    // Type another rule.
    client
        .change(URI, 2, &[([LINE, 16, LINE, 67], "self.hosts.size() < 3")])
        .await;
    let cheap = "1 rule · total 4 of 100,000,000";
    let found = lenses(&mut client).await;
    assert_eq!(titles(&found), [cheap, EXPENSIVE], "no line moves while somebody types");
    assert_eq!(found[1]["range"]["start"], json!({ "line": LINE, "character": 8 }));
    assert_eq!(
        found[1]["command"]["command"], "",
        "a click on what is no more does nothing"
    );
    assert_eq!(
        titles(&lenses_at_rest(&mut client).await),
        [cheap],
        "a cheap rule says nothing"
    );
    // Unreadable text has no costs, and requests for it do not fail.
    client.change(URI, 3, &[([0, 0, 0, 0], "[")]).await;
    lenses(&mut client).await;
    assert_eq!(lenses_at_rest(&mut client).await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn a_click_on_a_lens_writes_the_bounds() {
    let mut client = Client::start(capabilities(true)).await;
    client.open(URI, 1, TEXT).await;
    let found = lenses(&mut client).await;
    let command = &found[1]["command"];
    assert_eq!(command["command"], "crd-analyzer.addBounds");
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    assert_eq!(
        client.request("workspace/executeCommand", params.clone()).await,
        Value::Null
    );
    let asked = client.until_asked("workspace/applyEdit").await;
    let edits = list(asked["edit"]["changes"][URI].clone());
    let texts: Vec<_> = edits.iter().filter_map(|it| it["newText"].as_str()).collect();
    assert_eq!(texts, [", maxItems: 256", ", maxLength: 253"]);
    // A click on a lens of an outdated version does nothing.
    client.change(URI, 2, &[([0, 0, 0, 0], "# new\n")]).await;
    let id = client.begin("workspace/executeCommand", params).await;
    assert!(client.response(id).await["error"].is_object());
    client.finish().await;
}

#[tokio::test]
async fn the_quick_fix_makes_the_finding_go() {
    let mut client = Client::start(capabilities(true)).await;
    client.open(URI, 1, TEXT).await;
    let items = list(client.pull(URI, None).await["items"].take());
    assert_eq!(items.len(), 1, "one finding for one expensive rule: {items:#?}");
    let message = items[0].to_string();
    for part in [
        "more than 100 times its limit",
        "the API server also reports",
        "`maxItems: 256` on `hosts`",
        "+kubebuilder:validation:MaxItems=256",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let params =
        json!({ "textDocument": { "uri": URI }, "range": items[0]["range"], "context": { "diagnostics": [] } });
    let actions = list(client.request("textDocument/codeAction", params).await);
    let title = "Add maxItems: 256 to hosts and maxLength: 253 to hosts[*] (accepts less than before)";
    let fix = actions.iter().find(|it| it["title"] == title).expect(title);
    assert_eq!(fix["diagnostics"][0]["code"], "rule-cost-over-limit");
    for edit in list(fix["edit"]["changes"][URI].clone()).iter().rev() {
        let change = json!({ "range": edit["range"], "text": edit["newText"] });
        let params = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [change] });
        client.notify("textDocument/didChange", params).await;
    }
    assert_eq!(client.pull(URI, None).await["items"], json!([]));
    client.finish().await;
}

#[tokio::test]
async fn clients_without_lenses_get_hints_in_the_line() {
    let mut client = Client::start(capabilities(false)).await;
    client.open(URI, 1, TEXT).await;
    let found = list(hints(&mut client, [0, 99]).await);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(
        found[1]["label"],
        "cost 345,880,409,622,760,653 · over the limit by more than 100x"
    );
    // After the comment, whose last character takes two UTF-16 units.
    assert_eq!(found[1]["position"], json!({ "line": LINE, "character": 16 + 51 + 6 }));
    assert_eq!(
        hints(&mut client, [0, 5]).await,
        Value::Null,
        "only what is asked about"
    );
    client.finish().await;
}

#[tokio::test]
async fn costs_can_be_switched_off() {
    let features = json!({ "features": { "codeLens": false, "inlayHints": false } });
    let params = json!({ "capabilities": capabilities(true), "initializationOptions": features });
    let mut client = Client::start_with(params).await;
    client.open(URI, 1, TEXT).await;
    assert_eq!(lenses(&mut client).await, Value::Null);
    assert_eq!(hints(&mut client, [0, 99]).await, Value::Null);
    client.finish().await;
}
