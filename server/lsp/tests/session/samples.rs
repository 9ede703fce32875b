//! Tests trying a rule on objects.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, list, pushed};

const CRD: &str = "\
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
            required: [low, high]
            properties: {low: {type: integer}, high: {type: integer}}
            x-kubernetes-validations:
            - rule: self.low <= self.high
              message: low is at most high
";

const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {low: 12, high: 345}\n";

/// The line of the rule.
const RULE: u64 = 20;

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

fn capabilities() -> Value {
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    capabilities["textDocument"]["inlayHint"] = json!({});
    capabilities["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    capabilities["workspace"]["applyEdit"] = json!(true);
    capabilities["workspace"]["workspaceEdit"] = json!({ "documentChanges": true, "resourceOperations": ["create"] });
    capabilities["window"]["showDocument"] = json!({ "support": true });
    capabilities
}

/// Starts a session in a folder with a CRD and an object, and opens the CRD.
async fn open(capabilities: Value) -> (Client, TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    std::fs::write(folder.path().join("crd.yaml"), CRD).expect("written");
    std::fs::write(folder.path().join("one.yaml"), WIDGET).expect("written");
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders });
    let mut client = Client::start_with(params).await;
    let crd = uri(folder.path(), "crd.yaml");
    client.open(&crd, 1, CRD).await;
    (client, folder, crd)
}

async fn lens(client: &mut Client, uri: &str, title: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": uri } });
    let found = list(client.request("textDocument/codeLens", params).await);
    found.into_iter().filter(|it| it["command"]["title"] == title).collect()
}

async fn run(client: &mut Client, command: &Value) -> Value {
    let click = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.request("workspace/executeCommand", click).await
}

/// The inlay hints, each with its line.
async fn hints(client: &mut Client, uri: &str) -> Vec<(u64, String)> {
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": whole });
    let hints = client.request("textDocument/inlayHint", params).await;
    let hints = hints.as_array().cloned().unwrap_or_default();
    let text = |it: &Value| it["label"].as_str().unwrap_or_default().trim().to_owned();
    let line = |it: &Value| it["position"]["line"].as_u64().unwrap_or_default();
    hints.iter().map(|it| (line(it), text(it))).collect()
}

/// Tries the rule. Returns the URI and the text of the test file that the client is asked to show.
async fn tried(client: &mut Client, crd: &str) -> (String, String) {
    let lens = lens(client, crd, "Try this rule").await;
    assert_eq!(lens.len(), 1, "{lens:?}");
    assert_eq!(lens[0]["range"]["start"], json!({ "line": RULE, "character": 12 }));
    // The argument of the command is a place. It contains no text.
    let place = json!([{ "uri": crd, "range": {
        "start": { "line": RULE, "character": 20 }, "end": { "line": RULE, "character": 41 }
    } }]);
    assert_eq!(lens[0]["command"]["arguments"], place);
    run(client, &lens[0]["command"]).await;
    let shown = client.until_asked("window/showDocument").await;
    let sample = shown["uri"].as_str().expect("a file").to_owned();
    let text = std::fs::read_to_string(sample.strip_prefix("file://").expect("a path")).expect("a file");
    (sample, text)
}

fn line_with(text: &str, what: &str) -> u64 {
    let found = text.lines().position(|it| it.contains(what));
    found.unwrap_or_else(|| panic!("{what} in\n{text}")) as u64
}

#[tokio::test]
async fn results_follow_the_objects_and_the_rule() {
    let (mut client, _folder, crd) = open(capabilities()).await;
    let (sample, text) = tried(&mut client, &crd).await;
    // The object that the rule accepts is the one in the workspace.
    let high = line_with(&text, "high: 345");
    client.open(&sample, 1, &text).await;
    let found = hints(&mut client, &sample).await;
    let accepted = line_with(&text, "create:");
    let expected = [
        (accepted, "accepted".to_owned()),
        (high - 1, "true".to_owned()),
        (high, "├─ self.low = 12".to_owned()),
        (high + 1, "└─ self.high = 345".to_owned()),
    ];
    assert_eq!(found[..4], expected, "{text}");
    assert_eq!(found[4].1, "rejected by this rule: low is at most high");
    assert!(found[5].1.starts_with("false"), "{found:?}");
    // Edit the object.
    client.change(&sample, 2, &[([high, 14, high, 17], "1")]).await;
    let found = hints(&mut client, &sample).await;
    assert!(found[0].1.starts_with("rejected by this rule: "), "{found:?}");
    assert_eq!(found[1], (high - 1, "false".to_owned()));
    // Edit the rule.
    client.change(&crd, 2, &[([RULE, 29, RULE, 31], ">=")]).await;
    client.until_asked("workspace/inlayHint/refresh").await;
    let found = hints(&mut client, &sample).await;
    assert_eq!(
        found[..2],
        [(accepted, "accepted".to_owned()), (high - 1, "true".to_owned())]
    );
    client.change(&crd, 3, &[([RULE, 20, RULE, 24], "sel")]).await;
    let found = hints(&mut client, &sample).await;
    assert!(found[1].1.starts_with("the rule does not compile: "), "{found:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_hover_says_the_same() {
    let (mut client, _folder, crd) = open(capabilities()).await;
    let (sample, text) = tried(&mut client, &crd).await;
    client.open(&sample, 1, &text).await;
    let at = json!({ "line": line_with(&text, "high: 345"), "character": 9 });
    let params = json!({ "textDocument": { "uri": sample }, "position": at });
    let hover = client.request("textDocument/hover", params).await;
    let expected = "```text\naccepted\n\nspec: true\n├─ self.low = 12\n└─ self.high = 345\n```";
    assert_eq!(hover["contents"]["value"], expected, "{hover}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn an_example_becomes_a_test_beside_the_crd() {
    let (mut client, folder, crd) = open(capabilities()).await;
    let (sample, text) = tried(&mut client, &crd).await;
    client.open(&sample, 1, &text).await;
    let lenses = lens(&mut client, &sample, "Make a test of this").await;
    assert_eq!(lenses.len(), 2, "{text}");
    run(&mut client, &lenses[1]["command"]).await;
    let edit = client.until_asked("workspace/applyEdit").await;
    let changes = &edit["edit"]["documentChanges"];
    let file = uri(folder.path(), "crd.test.yaml");
    assert_eq!(changes[0], json!({ "kind": "create", "uri": file }));
    let new = changes[1]["edits"][0]["newText"].as_str().expect("a text").to_owned();
    assert!(
        new.contains("crd: crd.yaml\ntests:\n") && new.contains("rejected:\n"),
        "{new}"
    );
    assert!(!new.contains(folder.path().to_str().expect("UTF-8")), "{new}");
    // The next test is added to the text in the editor, which may differ from the file on disk.
    std::fs::write(folder.path().join("crd.test.yaml"), &new).expect("written");
    client.open(&file, 1, &format!("# mine\n{new}")).await;
    run(&mut client, &lenses[0]["command"]).await;
    let edit = client.until_asked("workspace/applyEdit").await;
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": file, "version": 1 }));
    let added = change["edits"][0]["newText"].as_str().expect("a text");
    assert!(
        added.contains("(accepted)") && added.contains("expect: accepted"),
        "{added}"
    );
    client.finish_with_lists().await;
}

#[tokio::test]
async fn what_is_open_is_shown_as_it_is_and_strangers_are_refused() {
    let (mut client, folder, crd) = open(capabilities()).await;
    let (sample, text) = tried(&mut client, &crd).await;
    client.open(&sample, 1, "mine").await;
    std::fs::write(sample.strip_prefix("file://").expect("a path"), "mine").expect("written");
    let (again, kept) = tried(&mut client, &crd).await;
    assert_eq!((again, kept.as_str()), (sample.clone(), "mine"));
    // If the place has no rule, a message tells the user so.
    let nowhere = json!({ "uri": crd, "range": { "start": { "line": 3, "character": 0 }, "end": { "line": 3, "character": 0 } } });
    run(
        &mut client,
        &json!({ "command": "crd-analyzer.tryRule", "arguments": [nowhere] }),
    )
    .await;
    let told = client.notification("window/showMessage").await;
    assert_eq!(told["message"], "crd-analyzer finds no rule to try at this place");
    // A test file cannot make the language server read files outside the workspace.
    let outside = tempfile::tempdir().expect("a folder");
    let other = outside.path().join("crd.yaml");
    std::fs::write(&other, CRD).expect("written");
    let hostile = text.replace(
        &*folder.path().join("crd.yaml").to_string_lossy(),
        &other.to_string_lossy(),
    );
    assert_ne!(hostile, text);
    let file = uri(folder.path(), "hostile.test.yaml");
    client.open(&file, 1, &hostile).await;
    let found = hints(&mut client, &file).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.starts_with("no file of the workspace"), "{found:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn clients_without_lenses_have_actions() {
    let mut capabilities = capabilities();
    capabilities["textDocument"]["codeLens"].take();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    let (mut client, _folder, crd) = open(capabilities).await;
    let actions = async |client: &mut Client, uri: &str, line: u64| {
        let at = json!({ "line": line, "character": 25 });
        let params = json!({ "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] } });
        list(client.request("textDocument/codeAction", params).await)
    };
    assert_eq!(actions(&mut client, &crd, 3).await, Vec::<Value>::new());
    let found = actions(&mut client, &crd, RULE).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["title"], "Try this rule");
    run(&mut client, &found[0]).await;
    let shown = client.until_asked("window/showDocument").await;
    let sample = shown["uri"].as_str().expect("a file").to_owned();
    let text = std::fs::read_to_string(sample.strip_prefix("file://").expect("a path")).expect("a file");
    client.open(&sample, 1, &text).await;
    let found = actions(&mut client, &sample, line_with(&text, "name: ")).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["title"], "Make a test of this");
    client.finish_with_lists().await;
}

/// A kubebuilder project with a rule in a marker.
const TYPES: &str = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n\t\
                     metav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\n\
                     // +kubebuilder:validation:XValidation:rule=\"self.low <= self.high\"\ntype WidgetSpec struct {\n\tLow  int32 `json:\"low\"`\n\t\
                     High int32 `json:\"high\"`\n}\n";

#[tokio::test]
async fn rules_of_markers_can_be_tried() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    write("PROJECT", "domain: example.com\n");
    write("go.mod", "module example.com/it\n\ngo 1.22\n");
    write("api/v1/groupversion_info.go", "// +groupName=example.com\npackage v1\n");
    write("api/v1/widget_types.go", TYPES);
    let generated = CRD.replace(
        "metadata: {name: widgets.example.com}",
        "metadata: {name: widgets.example.com, annotations: {controller-gen.kubebuilder.io/version: v0.16.1}}",
    );
    write("config/crd/bases/example.com_widgets.yaml", &generated);
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let params = json!({ "capabilities": capabilities(), "workspaceFolders": folders });
    let mut client = Client::start_with(params).await;
    let go = uri(folder.path(), "api/v1/widget_types.go");
    client.open(&go, 1, TYPES).await;
    let lens = lens(&mut client, &go, "Try this rule").await;
    assert_eq!(lens.len(), 1, "{lens:?}");
    run(&mut client, &lens[0]["command"]).await;
    let shown = client.until_asked("window/showDocument").await;
    let sample = shown["uri"].as_str().expect("a file").to_owned();
    let text = std::fs::read_to_string(sample.strip_prefix("file://").expect("a path")).expect("a file");
    client.open(&sample, 1, &text).await;
    let found = hints(&mut client, &sample).await;
    assert_eq!(found[0].1, "accepted", "{found:?} of\n{text}");
    assert!(found[1].1.starts_with("true"), "{found:?}");
    // The test file uses the rule that the marker currently contains.
    let line = line_with(TYPES, "XValidation");
    let column = TYPES.lines().find_map(|it| it.find("<=")).expect("the rule") as u64;
    client.change(&go, 2, &[([line, column, line, column + 2], ">")]).await;
    let found = hints(&mut client, &sample).await;
    assert!(found[1].1.starts_with("false"), "{found:?} of\n{text}");
    // The new test is added beside the CRD in the repository.
    let makes = self::lens(&mut client, &sample, "Make a test of this").await;
    run(&mut client, &makes[0]["command"]).await;
    let edit = client.until_asked("workspace/applyEdit").await;
    let file = uri(folder.path(), "config/crd/bases/example.com_widgets.test.yaml");
    assert_eq!(edit["edit"]["documentChanges"][0]["uri"], file, "{edit}");
    client.finish_with_lists().await;
}
