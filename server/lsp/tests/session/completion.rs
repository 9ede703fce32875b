//! Completion, as clients receive it.

use serde_json::{Value, json};

use crate::client::{Client, pulling};

const URI: &str = "file:///work/widgets.yaml";

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
          \"é😀\": {type: string, fo
          spec:
            type: object
            x-kubernetes-validations:
            - rule: 'self.mode != ''é😀'' && self.
            properties:
              mode: {type: string, enum: [Fast, Slow], description: How *fast* it is.}
";

/// The capabilities of a client that supports everything.
fn able() -> Value {
    let refresh = json!({ "diagnostics": { "refreshSupport": true } });
    json!({ "workspace": refresh, "textDocument": { "diagnostic": {}, "completion": { "completionItemKind": { "valueSet": [20] }, "completionItem": {
        "snippetSupport": true,
        "insertReplaceSupport": true,
        "labelDetailsSupport": true,
        "commitCharactersSupport": true,
        "preselectSupport": true,
        "documentationFormat": ["markdown", "plaintext"],
        "resolveSupport": { "properties": ["documentation"] },
        "insertTextModeSupport": { "valueSet": [1, 2] },
    } } } })
}

/// The position after a string, in UTF-16.
fn behind(text: &str, needle: &str) -> Value {
    let at = text.find(needle).expect("the needle") + needle.len();
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

async fn ask(client: &mut Client, uri: &str, position: &Value) -> Value {
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    client.request("textDocument/completion", params).await
}

fn item<'a>(list: &'a Value, label: &str) -> &'a Value {
    let items = list["items"].as_array().expect("items");
    items
        .iter()
        .find(|it| it["label"] == label)
        .unwrap_or_else(|| panic!("{label} in {list}"))
}

#[tokio::test]
async fn an_item_says_what_it_replaces_in_the_units_of_the_client() {
    let mut client = Client::start(able()).await;
    client.open(URI, 1, DEFINITION).await;
    let position = behind(DEFINITION, "{type: string, fo");
    let list = ask(&mut client, URI, &position).await;
    assert_eq!(list["isIncomplete"], false);
    let format = item(&list, "format");
    let line = position["line"].as_u64().expect("a line");
    let column = position["character"].as_u64().expect("a column");
    let range = json!({ "start": { "line": line, "character": column - 2 }, "end": position });
    assert_eq!(format["textEdit"], json!({ "range": range, "newText": "format: $0" }));
    assert_eq!(format["insertTextFormat"], 2);
    assert_eq!(format["kind"], 10);
    assert_eq!(format.get("documentation"), None, "it comes later");
    let sorted: Vec<_> = list["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|it| it["sortText"].as_str())
        .collect();
    assert!(sorted.is_sorted());

    let params = format.clone();
    let resolved = client.request("completionItem/resolve", params).await;
    assert_eq!(resolved["documentation"]["kind"], "markdown");
    assert!(
        resolved["documentation"]["value"]
            .as_str()
            .expect("text")
            .contains("warning")
    );
    client.finish().await;
}

#[tokio::test]
async fn a_word_can_be_replaced_or_gone_on_with() {
    let mut client = Client::start(able()).await;
    client.open(URI, 1, DEFINITION).await;
    let list = ask(&mut client, URI, &behind(DEFINITION, "  sco")).await;
    let edit = &item(&list, "scope")["textEdit"];
    assert_eq!(edit["newText"], "scope");
    assert_eq!(edit["insert"]["end"]["character"], 5);
    assert_eq!(edit["replace"]["end"]["character"], 7);
    client.finish().await;
}

#[tokio::test]
async fn expressions_are_completed_in_their_quotes() {
    let mut client = Client::start(able()).await;
    client.open(URI, 1, DEFINITION).await;
    let position = behind(DEFINITION, "&& self.");
    let list = ask(&mut client, URI, &position).await;
    let mode = item(&list, "mode");
    assert_eq!(mode["textEdit"]["newText"], "mode");
    assert_eq!(mode["textEdit"]["range"]["start"], position);
    assert_eq!(mode["commitCharacters"], json!(["."]));
    assert_eq!(mode["labelDetails"]["description"], "string");
    let resolved = client.request("completionItem/resolve", mode.clone()).await;
    assert_eq!(resolved["documentation"]["value"], "How *fast* it is.");
    client.finish().await;
}

#[tokio::test]
async fn what_a_client_cannot_do_is_left_out() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, DEFINITION).await;
    let list = ask(&mut client, URI, &behind(DEFINITION, "  sco")).await;
    let scope = item(&list, "scope");
    assert!(scope["textEdit"]["range"].is_object());
    assert!(scope["documentation"].is_string());
    for absent in [
        "labelDetails",
        "commitCharacters",
        "insertTextFormat",
        "preselect",
        "data",
    ] {
        assert_eq!(scope.get(absent), None, "{absent}");
    }
    let text = serde_json::to_string(&list).expect("JSON");
    assert!(!text.contains("$0") && !text.contains("${"), "{text}");
    // Item kinds of later LSP versions are not used either.
    let object = "apiVersion: example.com/v1\nkind: Widget\nspec:\n  mode: ";
    client
        .open(URI, 2, &DEFINITION.replace("fo\n", "}\n").replace("self.\n", "self'\n"))
        .await;
    client.open("file:///work/one.yaml", 1, object).await;
    let list = ask(&mut client, "file:///work/one.yaml", &behind(object, "mode: ")).await;
    assert_eq!(item(&list, "Fast")["kind"], 12);
    client.finish().await;
}

#[tokio::test]
async fn objects_are_completed_from_unsaved_definitions() {
    let mut client = Client::start(able()).await;
    client
        .open(URI, 1, &DEFINITION.replace("fo\n", "}\n").replace("self.\n", "self'\n"))
        .await;
    let object = "apiVersion: example.com/v1\nkind: Widget\nspec:\n  mode: ";
    client.open("file:///work/one.yaml", 1, object).await;
    let list = ask(&mut client, "file:///work/one.yaml", &behind(object, "mode: ")).await;
    assert_eq!(item(&list, "Fast")["kind"], 20);
    // A change of the CRD changes the items.
    let line = DEFINITION.lines().position(|it| it.contains("Fast")).expect("the line") as u64;
    let column = DEFINITION
        .lines()
        .nth(line as usize)
        .expect("the line")
        .find("Fast")
        .expect("the value") as u64;
    client
        .change(URI, 2, &[([line, column, line, column + 4], "Quick")])
        .await;
    let list = ask(&mut client, "file:///work/one.yaml", &behind(object, "mode: ")).await;
    item(&list, "Quick");
    client.finish().await;
}

#[tokio::test]
async fn nothing_is_offered_where_it_is_switched_off_or_nobodys_business() {
    let settings = json!({ "features": { "completion": false } });
    let params = json!({ "capabilities": able(), "initializationOptions": settings });
    let mut client = Client::start_with(params).await;
    client.open(URI, 1, DEFINITION).await;
    assert_eq!(ask(&mut client, URI, &behind(DEFINITION, "  sco")).await, Value::Null);
    client.finish().await;

    let mut client = Client::start(able()).await;
    client.open(URI, 1, "some:\n  thing: else\n").await;
    assert_eq!(
        ask(&mut client, URI, &json!({ "line": 1, "character": 4 })).await,
        Value::Null
    );
    // Type a space before a key: this must not request a completion.
    client
        .open(
            "file:///work/two.yaml",
            1,
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n \n",
        )
        .await;
    let params = json!({
        "textDocument": { "uri": "file:///work/two.yaml" },
        "position": { "line": 2, "character": 1 },
        "context": { "triggerKind": 2, "triggerCharacter": " " },
    });
    assert_eq!(client.request("textDocument/completion", params).await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn a_blank_in_a_rule_asks_for_nothing() {
    for (rule, expected) in [
        ("self.count > 1 && ", false),
        ("self.count > 1 ", false),
        ("self.count > ", false),
        ("", true),
    ] {
        let text = TYPED.replace(
            "description: some prose",
            &format!(
                "properties: {{count: {{type: integer}}}}\n        x-kubernetes-validations:\n        - message: m\n          rule: {rule}"
            ),
        );
        let mut client = code().await;
        client.open(URI, 1, &text).await;
        let mut params = json!({
            "textDocument": { "uri": URI },
            "position": behind(&text, &format!("rule: {rule}")),
            "context": { "triggerKind": 2, "triggerCharacter": " " },
        });
        let found = client.request("textDocument/completion", params.clone()).await;
        assert_eq!(!found.is_null(), expected, "behind {rule:?}");
        // An explicit request gets a list.
        if !rule.ends_with("1 ") {
            params["context"] = json!({ "triggerKind": 1 });
            let found = client.request("textDocument/completion", params).await;
            assert!(!found.is_null(), "behind {rule:?}");
        }
        client.finish().await;
    }
}

#[tokio::test]
async fn a_question_mark_asks_only_behind_a_dot_or_a_bracket() {
    for (rule, expected) in [("self.?", true), ("self.count > 1 ?", false)] {
        let text = TYPED.replace(
            "description: some prose",
            &format!(
                "x-kubernetes-validations:\n        - rule: {rule}\n        properties: {{count: {{type: integer}}}}"
            ),
        );
        let mut client = code().await;
        client.open(URI, 1, &text).await;
        let params = json!({
            "textDocument": { "uri": URI },
            "position": behind(&text, rule),
            "context": { "triggerKind": 2, "triggerCharacter": "?" },
        });
        let found = client.request("textDocument/completion", params).await;
        assert_eq!(!found.is_null(), expected, "behind {rule}");
        client.finish().await;
    }
}

/// Starts a session with a client that declares the capabilities of VS Code in its initialization options.
async fn code() -> Client {
    let options = json!({ "client": { "triggerSuggest": true, "offersWords": true } });
    Client::start_with(json!({ "capabilities": able(), "initializationOptions": options })).await
}

const TYPED: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        description: some prose
";

#[tokio::test]
async fn the_next_list_is_asked_for_where_the_client_has_a_command_for_it() {
    let asks = "editor.action.triggerSuggest";
    let text = TYPED.replace("  scope: Cluster\n", "  sc\n");
    for (mut client, expected) in [(code().await, json!(asks)), (Client::start(able()).await, Value::Null)] {
        client.open(URI, 1, &text).await;
        let list = ask(&mut client, URI, &behind(&text, "\n  sc")).await;
        assert_eq!(item(&list, "scope")["command"]["command"], expected);
        assert_eq!(item(&list, "preserveUnknownFields")["command"]["command"], expected);
        client.finish().await;
    }
}

#[tokio::test]
async fn the_first_list_waits_for_the_definitions_of_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..150 {
        let definition = crate::resources::DEFINITION.replace("Widget", &format!("Widget{number}"));
        std::fs::write(folder.path().join(format!("{number}.yaml")), definition).expect("it can be written");
    }
    let root = lsp_types::Uri::from_file_path(folder.path())
        .expect("a path")
        .to_string();
    let mut client = Client::start_with(json!({
        "capabilities": able(),
        "workspaceFolders": [{ "uri": root, "name": "it" }],
    }))
    .await;
    let text = "apiVersion: example.com/v1\nkind: Widget149\n";
    let uri = format!("{root}/resource.yaml");
    client.open(&uri, 1, text).await;
    let list = ask(&mut client, &uri, &json!({ "line": 2, "character": 0 })).await;
    assert_eq!(item(&list, "spec")["label"], "spec");
    client.finish().await;
}

/// While the user types fast, many requests are about a text that has changed. After an error, VS Code would offer words of open files.
#[tokio::test]
async fn words_of_other_files_stay_away_while_the_user_types() {
    let mut client = code().await;
    client.open(URI, 1, TYPED).await;
    let at = behind(TYPED, "description: some pro");
    let mut ids = Vec::new();
    for version in 2..100 {
        let params = json!({ "textDocument": { "uri": URI }, "position": at });
        ids.push(client.begin("textDocument/completion", params).await);
        client.change(URI, version, &[([0, 0, 0, 0], "# more\n")]).await;
        client.change(URI, version + 100, &[([0, 0, 1, 0], "")]).await;
    }
    for id in ids {
        let answer = client.response(id).await;
        assert_eq!(answer["result"]["items"][0]["filterText"], "\0", "{answer}");
    }
    client.finish().await;
}

#[tokio::test]
async fn words_of_other_files_stay_away_where_nothing_fits() {
    let mut client = code().await;
    client.open(URI, 1, TYPED).await;
    let list = ask(&mut client, URI, &behind(TYPED, "description: some pro")).await;
    let items = list["items"].as_array().expect("items");
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["filterText"], "\0", "no one can type that");
    assert_eq!(
        items[0]["textEdit"]["range"]["start"]["character"], 8,
        "an item that replaces nothing always matches"
    );
    // The client gets a list for a line without text, and for files that are not manifests.
    client
        .open("file:///work/compose.yaml", 1, "services:\n  web: im\n")
        .await;
    let other = ask(
        &mut client,
        "file:///work/compose.yaml",
        &json!({ "line": 1, "character": 9 }),
    )
    .await;
    assert_eq!(other, Value::Null);
    client.finish().await;

    let mut client = Client::start(able()).await;
    client.open(URI, 1, TYPED).await;
    assert_eq!(
        ask(&mut client, URI, &behind(TYPED, "description: some pro")).await,
        Value::Null
    );
    client.finish().await;
}

#[tokio::test]
async fn a_value_that_is_typed_to_its_end_is_not_offered() {
    let mut client = Client::start(able()).await;
    client.open(URI, 1, TYPED).await;
    assert_eq!(
        ask(&mut client, URI, &behind(TYPED, "scope: Cluster")).await,
        Value::Null
    );
    client.change(URI, 2, &[([5, 12, 5, 16], "")]).await;
    let list = ask(&mut client, URI, &json!({ "line": 5, "character": 12 })).await;
    assert_eq!(list["isIncomplete"], true, "the client asks again when more is typed");
    assert_eq!(item(&list, "Cluster")["textEdit"]["newText"], "Cluster");
    client.finish().await;
}

#[tokio::test]
async fn the_status_says_what_counts() {
    let mut client = Client::start(able()).await;
    client.open(URI, 1, TYPED).await;
    let params = json!({ "textDocument": { "uri": URI } });
    let status = client.request("crd-analyzer/status", params).await;
    assert_eq!(status["isKnown"], true);
    assert_eq!(status["fromCluster"], 0);
    assert!(
        status["kubernetes"].as_str().is_some_and(|it| it.starts_with("1.")),
        "{status}"
    );
    let params = json!({ "textDocument": { "uri": "file:///work/none.yaml" } });
    assert_eq!(client.request("crd-analyzer/status", params).await, Value::Null);
    client.finish().await;
}
