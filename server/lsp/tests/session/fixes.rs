//! Fixes for the displayed diagnostics.

use serde_json::{Value, json};

use crate::{
    BROKEN, LINE,
    client::{Client, list, pulling},
};

const URI: &str = "file:///widgets.yaml";

/// A CRD of an API version that is no longer served, with text after `é😀`.
const OLD: &str = "\
apiVersion: \"apiextensions.k8s.io/v1beta1\" # old
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  version: v1
  preserveUnknownFields: false
  validation:
    openAPIV3Schema: {\"description\": é😀} # é😀
";

/// The capabilities of a client that supports fixes and this encoding.
fn capabilities(encoding: &str) -> Value {
    let mut capabilities = pulling();
    capabilities["general"] = json!({ "positionEncodings": [encoding] });
    capabilities["workspace"]["workspaceEdit"] = json!({ "documentChanges": true });
    let kinds = json!({ "codeActionKind": { "valueSet": ["quickfix"] } });
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": kinds, "isPreferredSupport": true });
    capabilities
}

async fn ask(client: &mut Client, [line, column]: [u64; 2], only: Value) -> Value {
    let place = json!({ "line": line, "character": column });
    let mut context = json!({ "diagnostics": [] });
    if !only.is_null() {
        context["only"] = only;
    }
    let range = json!({ "start": place, "end": place });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
    client.request("textDocument/codeAction", params).await
}

/// Applies edits to the document, from the last to the first.
async fn apply(client: &mut Client, version: i32, edits: Value) {
    for edit in list(edits).iter().rev() {
        let change = json!({ "range": edit["range"], "text": edit["newText"] });
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        client.notify("textDocument/didChange", params).await;
    }
}

/// Opens a document with one diagnostic, and checks that the fix with this title at this position removes it.
async fn check(encoding: &str, text: &str, place: [u64; 2], title: &str, preferred: bool) {
    let mut client = Client::start(capabilities(encoding)).await;
    client.open(URI, 7, text).await;
    let shown = client.pull(URI, None).await["items"].take();
    let actions = list(ask(&mut client, place, Value::Null).await);
    let found = actions.iter().find(|it| it["title"] == title);
    let action = found.unwrap_or_else(|| panic!("no {title} in {actions:?}"));
    assert_eq!(action["kind"], "quickfix");
    assert_eq!(action["diagnostics"], shown);
    assert_eq!(action["isPreferred"], if preferred { json!(true) } else { Value::Null });
    let change = &action["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": URI, "version": 7 }));
    apply(&mut client, 8, change["edits"].clone()).await;
    assert_eq!(
        client.pull(URI, None).await["items"],
        json!([]),
        "in {encoding}, of {text}"
    );
    client.finish().await;
}

#[tokio::test]
async fn an_old_definition_is_converted() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        for text in [OLD.to_owned(), OLD.replace('\n', "\r\n")] {
            let title = "Convert to apiextensions.k8s.io/v1";
            check(encoding, &text, [0, 20], title, true).await;
        }
    }
}

#[tokio::test]
async fn a_conversion_that_shows_more_errors_is_no_quick_fix() {
    let mut client = Client::start(capabilities("utf-16")).await;
    let text = OLD.replace(
        "{\"description\": é😀}",
        "{type: object, properties: {a: {type: strng}}}",
    );
    client.open(URI, 1, &text).await;
    assert_eq!(ask(&mut client, [0, 20], json!(["quickfix"])).await, json!([]));
    for only in [Value::Null, json!(["refactor"])] {
        let actions = list(ask(&mut client, [0, 20], only).await);
        assert_eq!(actions.len(), 1, "{actions:?}");
        assert_eq!(
            actions[0]["title"],
            "Convert to apiextensions.k8s.io/v1, which shows more errors"
        );
        assert_eq!(actions[0]["kind"], "refactor.rewrite");
    }
    client.finish().await;
}

#[tokio::test]
async fn a_finding_is_silenced() {
    for (encoding, column) in [("utf-8", 38), ("utf-16", 35), ("utf-32", 34)] {
        for text in [BROKEN.to_owned(), BROKEN.replace('\n', "\r\n")] {
            check(encoding, &text, [LINE, column], "Ignore unknown-type here", false).await;
        }
    }
}

#[tokio::test]
async fn a_word_that_is_close_is_offered() {
    for (encoding, column) in [("utf-8", 38), ("utf-16", 35), ("utf-32", 34)] {
        check(encoding, BROKEN, [LINE, column], "Change strng to string", true).await;
    }
}

#[tokio::test]
async fn safe_repairs_come_all_at_once() {
    let text = BROKEN.replace(
        "type: strng",
        "type: string, maxLength: 1, maxLength: 1, anyOf: [{type: string}, {minLength: 1}]",
    );
    let mut client = Client::start(capabilities("utf-16")).await;
    client.open(URI, 1, &text).await;
    let found = list(ask(&mut client, [0, 0], json!(["source.fixAll"])).await);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["title"], "Repair all (2)");
    apply(&mut client, 2, found[0]["edit"]["documentChanges"][0]["edits"].clone()).await;
    assert_eq!(client.pull(URI, None).await["items"], json!([]));
    client.finish().await;
}

#[tokio::test]
async fn nothing_is_offered_elsewhere_or_for_other_kinds() {
    let mut client = Client::start(capabilities("utf-16")).await;
    client.open(URI, 1, BROKEN).await;
    for (place, only, count) in [
        ([LINE, 35], json!(["quickfix"]), 2),
        ([LINE, 35], json!([]), 2),
        ([LINE, 35], json!(["refactor", "source.organizeImports"]), 0),
        ([LINE, 41], Value::Null, 0),
        ([0, 0], Value::Null, 0),
        ([999, 999], Value::Null, 0),
    ] {
        let actions = ask(&mut client, place, only.clone()).await;
        let found = actions.as_array().map_or(0, Vec::len);
        assert_eq!(found, count, "at {place:?} of {only}: {actions}");
    }
    client
        .open(URI, 2, &OLD.replace("validation:", "validation: &tied"))
        .await;
    assert_eq!(ask(&mut client, [0, 20], Value::Null).await, json!([]));
    client.finish().await;
}

#[tokio::test]
async fn a_client_gets_what_it_can_take() {
    let mut modest = capabilities("utf-16");
    modest["workspace"]["workspaceEdit"] = json!({});
    modest["textDocument"]["codeAction"]["isPreferredSupport"] = json!(false);
    let mut client = Client::connect();
    let answer = client.request("initialize", json!({ "capabilities": modest })).await;
    let offer = &answer["capabilities"]["codeActionProvider"];
    assert_eq!(
        offer["codeActionKinds"],
        json!(["quickfix", "refactor.rewrite", "source.fixAll.crd-analyzer"])
    );
    client.notify("initialized", json!({})).await;
    client.open(URI, 1, OLD).await;
    let actions = ask(&mut client, [0, 20], Value::Null).await;
    assert!(actions[0].get("isPreferred").is_none(), "{actions}");
    let edit = actions[0]["edit"].clone();
    assert!(edit.get("documentChanges").is_none(), "{edit}");
    apply(&mut client, 2, edit["changes"][URI].clone()).await;
    assert_eq!(client.pull(URI, None).await["items"], json!([]));
    client.finish().await;

    let mut client = Client::connect();
    let answer = client.request("initialize", json!({ "capabilities": pulling() })).await;
    assert!(answer["capabilities"].get("codeActionProvider").is_none(), "{answer}");
    client.notify("initialized", json!({})).await;
    client.open(URI, 1, OLD).await;
    assert_eq!(ask(&mut client, [0, 20], Value::Null).await, Value::Null);
    client.finish().await;
}

/// A CRD whose fields allow many mistakes in a resource.
const GADGETS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
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
            required: [mode]
            properties:
              mode: {type: string, enum: [fast, slow]}
              size: {type: integer, minimum: 1, maximum: 9}
              hosts: {type: array, items: {type: string}}
";

#[tokio::test]
async fn fields_of_resources_are_repaired_by_their_definition() {
    let cases = [
        ("mode: fast, siez: 3", "Change siez to size", "mode: fast, size: 3"),
        ("mode: fast, other: 3", "Remove other", "mode: fast"),
        ("mode: fats", "Change fats to fast", "mode: fast"),
        ("mode: other", "Change other to slow", "mode: slow"),
        ("size: 3", "Add mode", "mode: fast, size: 3"),
        (
            "mode: fast, size: 0",
            "Change 0 to the minimum, 1",
            "mode: fast, size: 1",
        ),
        (
            "mode: fast, size: 10",
            "Change 10 to the maximum, 9",
            "mode: fast, size: 9",
        ),
        ("mode: fast, size: \"3\"", "Remove the quotes", "mode: fast, size: 3"),
        ("mode: fast, size: big", "Replace the value by 1", "mode: fast, size: 1"),
        ("mode: fast, siez: 0", "Change siez to size", "mode: fast, size: 0"),
        ("mode: fast, hosts: a", "Make it a list", "mode: fast, hosts: [a]"),
        (
            "mode: fast, hosts: http://a:80",
            "Make it a list",
            "mode: fast, hosts: ['http://a:80']",
        ),
        (
            "mode: fast, hosts: [1]",
            "Quote the value",
            "mode: fast, hosts: [\"1\"]",
        ),
    ];
    let mut client = Client::start(capabilities("utf-16")).await;
    client.open("file:///gadgets.yaml", 1, GADGETS).await;
    let resource =
        |spec: &str| format!("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {{name: one}}\nspec: {{{spec}}}\n");
    client.open(URI, 0, &resource("mode: fast")).await;
    for (number, (before, title, after)) in cases.into_iter().enumerate() {
        let document = json!({ "uri": URI, "version": number + 1 });
        let changes = json!([{ "text": resource(before) }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        client.notify("textDocument/didChange", params).await;
        let found = client.pull(URI, None).await;
        assert_eq!(list(found["items"].clone()).len(), 1, "{before}: {found}");
        let range = &found["items"][0]["range"];
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let offered = list(client.request("textDocument/codeAction", params).await);
        let Some(fix) = offered.iter().find(|it| it["title"] == title) else {
            panic!("{before}: {title} is not in {offered:?}");
        };
        let mut line = format!("spec: {{{before}}}");
        let edits = list(fix["edit"]["documentChanges"][0]["edits"].clone());
        for edit in edits.iter().rev() {
            let column = |end: &str| edit["range"][end]["character"].as_u64().expect("a column") as usize;
            let text = edit["newText"].as_str().expect("a text");
            line.replace_range(column("start")..column("end"), text);
        }
        assert_eq!(line, format!("spec: {{{after}}}"), "{title}");
    }
    client.finish().await;
}

#[tokio::test]
async fn an_object_becomes_the_item_of_a_list() {
    let hosts = "items: {type: object, properties: {name: {type: string}, ports: {type: object, x-kubernetes-preserve-unknown-fields: true}}}";
    let gadgets = GADGETS.replace("items: {type: string}", hosts);
    let head = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: one}\nspec:\n  mode: fast\n  hosts:\n";
    for (hosts, expected) in [
        (
            "    name: a\n\n    # Of the host.\n    ports:\n      http: 80\n",
            Some("- name: a\n\n      # Of the host.\n      ports:\n        http: 80"),
        ),
        // The keys are names, not fields.
        ("    a:\n      name: a\n", None),
    ] {
        let mut client = Client::start(capabilities("utf-16")).await;
        client.open("file:///gadgets.yaml", 1, &gadgets).await;
        client.open(URI, 1, &format!("{head}{hosts}")).await;
        let found = client.pull(URI, None).await;
        let found = list(found["items"].clone());
        let of_type = found.iter().find(|it| it["code"] == "wrong-type").expect("the error");
        let range = &of_type["range"];
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let offered = list(client.request("textDocument/codeAction", params).await);
        let fix = offered.iter().find(|it| it["title"] == "Make it a list of one object");
        let edit = fix.map(|it| it["edit"]["documentChanges"][0]["edits"][0].clone());
        assert_eq!(
            edit.as_ref().and_then(|it| it["newText"].as_str()),
            expected,
            "{offered:?}"
        );
        if let Some(edit) = edit {
            assert_eq!(edit["range"]["start"], json!({ "line": 6, "character": 4 }), "{edit}");
        }
        client.finish().await;
    }
}

#[tokio::test]
async fn what_keeps_the_value_comes_before_what_removes_it() {
    let gadgets = "file:///gadgets.yaml";
    let ignore = "Ignore unknown-field here";
    for (spec, expected, declared) in [
        (
            "mode: fast, siez: 0",
            ["Change siez to size", "Remove siez", ignore],
            None,
        ),
        (
            "mode: fast, other: 3",
            ["Add other to the CRD", "Remove other", ignore],
            Some("other: {type: integer}\n"),
        ),
        (
            "mode: fast, list: [a]",
            ["Add list to the CRD", "Remove list", ignore],
            Some("list: {type: array, items: {type: string}}\n"),
        ),
    ] {
        let mut client = Client::start(capabilities("utf-16")).await;
        client.open(gadgets, 1, GADGETS).await;
        let resource = format!(
            "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {{name: one}}\nspec:\n  {}\n",
            spec.replace(", ", "\n  ")
        );
        client.open(URI, 1, &resource).await;
        client.pull(URI, None).await;
        let offered = list(ask(&mut client, [5, 2], Value::Null).await);
        let titles: Vec<_> = offered.iter().filter_map(|it| it["title"].as_str()).collect();
        assert_eq!(titles, expected, "{spec}");
        if let Some(declared) = declared {
            let edits = list(offered[0]["edit"]["changes"][gadgets].clone());
            let text = edits[0]["newText"].as_str().unwrap_or_default();
            assert!(text.starts_with(declared), "{edits:?}");
        } else {
            assert_eq!(offered[0]["isPreferred"], true);
        }
        client.finish().await;
    }
}

/// Findings of our own lints have fixes, too: whether a fix works is checked against all displayed diagnostics.
#[tokio::test]
async fn what_lints_find_has_its_fixes() {
    let mut client = Client::start(capabilities("utf-16")).await;
    let text = "\
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
    subresources:
      scale:
        specReplicasPath: .spec.size
        statusReplicasPath: .status.replicas
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {replicas: {type: integer}, name: {type: string}}}
          status: {type: object, properties: {replicas: {type: integer}}}
";
    client.open(URI, 1, text).await;
    let shown = client.pull(URI, None).await["items"].take();
    assert_eq!(shown[0]["code"], "unknown-scale-path", "{shown}");
    let actions = list(ask(&mut client, [13, 33], Value::Null).await);
    let titles: Vec<&str> = actions.iter().filter_map(|it| it["title"].as_str()).collect();
    // A replicas path cannot be fixed by pointing it to a string.
    let expected = [
        "Add size to the schema",
        "Change size to replicas",
        "Ignore unknown-scale-path here",
    ];
    assert_eq!(titles, expected);
    let edits = actions[0]["edit"]["documentChanges"][0]["edits"].clone();
    apply(&mut client, 2, edits).await;
    assert_eq!(client.pull(URI, None).await["items"], json!([]));
    client.finish().await;
}
