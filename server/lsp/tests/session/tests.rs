//! Tests how editors list, run and update tests.

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
        required: [size]
        properties: {size: {type: integer, maximum: 100}}
";

const TESTS: &str = "\
crd: crd.yaml
tests:
  - name: small
    create: {size: 3}
    expect: accepted
  - name: large
    create: {size: 300}
    expect:
      rejected:
        - type: Invalid value
          field: size
          contains: less than or equal to 50
  - name: huge
    create: {size: 3000}
    expect: accepted
";

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

/// Starts a session in a folder with a CRD and its tests, and opens the tests.
async fn open(mut capabilities: Value, shows_tests: bool) -> (Client, TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    for (path, text) in [
        ("crd.yaml", CRD),
        ("crd.test.yaml", TESTS),
        ("other.test.yaml", "tests: 3\n"),
        ("tool.test.yaml", "a: 1\n"),
    ] {
        std::fs::write(folder.path().join(path), text).expect("written");
    }
    capabilities["workspace"]["applyEdit"] = json!(true);
    capabilities["workspace"]["workspaceEdit"] = json!({ "documentChanges": true });
    let folders = json!([{ "uri": uri(folder.path(), ""), "name": "it" }]);
    let options = json!({ "client": { "showTests": shows_tests } });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": folders, "initializationOptions": options });
    let mut client = Client::start_with(params).await;
    let tests = uri(folder.path(), "crd.test.yaml");
    client.open(&tests, 1, TESTS).await;
    (client, folder, tests)
}

async fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": uri } });
    let found = client.request("textDocument/codeLens", params).await;
    found.as_array().cloned().unwrap_or_default()
}

fn told(lenses: &[Value]) -> Vec<(u64, &str)> {
    let line = |it: &Value| it["range"]["start"]["line"].as_u64().unwrap_or_default();
    lenses
        .iter()
        .map(|it| (line(it), it["command"]["title"].as_str().unwrap_or_default()))
        .collect()
}

async fn click(client: &mut Client, command: &Value) {
    let click = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.request("workspace/executeCommand", click).await;
}

fn with_lenses() -> Value {
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeLens"] = json!({});
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    capabilities
}

#[tokio::test]
async fn a_view_of_tests_lists_and_runs_them() {
    let (mut client, folder, tests) = open(with_lenses(), true).await;
    let found = client.request("crd-analyzer/tests", json!({})).await;
    let range = |line: u64, end: u64| json!({ "start": { "line": line, "character": 10 }, "end": { "line": line, "character": end } });
    let expected = json!({ "files": [
        { "uri": tests, "problem": null, "tests": [
            { "name": "small", "range": range(2, 15) },
            { "name": "large", "range": range(5, 15) },
            { "name": "huge", "range": range(12, 14) },
        ] },
        { "uri": uri(folder.path(), "other.test.yaml"), "problem": "`crd` is missing: the path of the CRD, relative to the folder of this file", "tests": [] },
    ] });
    assert_eq!(found, expected);
    let ran = client.request("crd-analyzer/runTests", json!({ "uri": tests })).await;
    let states: Vec<_> = list(ran["tests"].clone())
        .into_iter()
        .map(|it| it["state"].clone())
        .collect();
    assert_eq!(states, ["passed", "failed", "failed"], "{ran}");
    let failure = &ran["tests"][1]["failures"][0];
    assert_eq!(failure["message"], "the cause at `size` has another message");
    assert_eq!(failure["range"]["start"], json!({ "line": 11, "character": 20 }));
    let actual = failure["actual"].as_str().expect("an answer");
    assert!(actual.contains("less than or equal to 100"), "{failure}");
    // Run one test with the unsaved text of the CRD.
    let crd = uri(folder.path(), "crd.yaml");
    client.open(&crd, 1, &CRD.replace("100", "50")).await;
    let ran = client
        .request("crd-analyzer/runTests", json!({ "uri": tests, "tests": ["large"] }))
        .await;
    let expected = json!({ "tests": [{ "name": "large", "state": "passed", "failures": [] }], "problems": [] });
    assert_eq!(ran, expected);
    // The test view shows the results, so there are no lenses.
    assert_eq!(told(&lenses(&mut client, &tests).await), []);
    // The difference is at the part of the expectation that is wrong, and in its form.
    let end = "contains: less than or equal to 50".len() as u64 + 10;
    client
        .change(&tests, 2, &[([11, 10, 11, end], "detail: too large")])
        .await;
    let ran = client.request("crd-analyzer/runTests", json!({ "uri": tests })).await;
    let failure = &ran["tests"][1]["failures"][0];
    let at = |column: u64| json!({ "line": 11, "character": column });
    assert_eq!(failure["range"], json!({ "start": at(18), "end": at(27) }));
    assert_eq!(failure["expected"], "too large");
    assert_eq!(failure["actual"], "size in body should be less than or equal to 50");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn lenses_run_tests_and_update_what_they_expect() {
    let (mut client, folder, tests) = open(with_lenses(), false).await;
    let found = lenses(&mut client, &tests).await;
    let expected = [(0, "Run all tests"), (2, "Run test"), (5, "Run test"), (12, "Run test")];
    assert_eq!(told(&found), expected);
    click(&mut client, &found[0]["command"]).await;
    client.until_asked("workspace/codeLens/refresh").await;
    let found = lenses(&mut client, &tests).await;
    let expected = [
        (2, "Test passed"),
        (5, "Test failed: the cause at `size` has another message"),
        (5, "Update the expectation"),
        (12, "Test failed: it is rejected"),
        (12, "Update the expectation"),
    ];
    assert_eq!(told(&found), expected);
    click(&mut client, &found[2]["command"]).await;
    let edit = client.until_asked("workspace/applyEdit").await;
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": tests, "version": 1 }));
    let edits = list(change["edits"].clone());
    assert_eq!(edits.len(), 1, "{edits:?}");
    assert_eq!(edits[0]["range"]["start"]["line"], 11);
    // After an edit, the results are no longer valid.
    client.change(&tests, 2, &[([3, 19, 3, 20], "7")]).await;
    let found = lenses(&mut client, &tests).await;
    assert!(told(&found).iter().all(|it| it.1.starts_with("Run ")), "{found:?}");
    // The test view can also update a closed file.
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": tests } }))
        .await;
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    click(
        &mut client,
        &json!({ "command": "crd-analyzer.updateTests", "arguments": [{ "uri": tests, "range": whole }] }),
    )
    .await;
    let edit = client.until_asked("workspace/applyEdit").await;
    assert_eq!(list(edit["edit"]["changes"][&tests].clone()).len(), 2, "{edit}");
    drop(folder);
    client.finish_with_lists().await;
}

#[tokio::test]
async fn clients_without_lenses_have_actions_and_messages() {
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] =
        json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } });
    capabilities["window"]["showDocument"] = json!({ "support": true });
    let (mut client, _folder, tests) = open(capabilities, false).await;
    let actions = async |client: &mut Client| {
        let at = json!({ "line": 12, "character": 12 });
        let params = json!({ "textDocument": { "uri": tests }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] } });
        list(client.request("textDocument/codeAction", params).await)
    };
    let found = actions(&mut client).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["title"], "Run test");
    click(&mut client, &found[0]).await;
    let told = client.notification("window/showMessage").await;
    assert_eq!(told["message"], "Test failed: it is rejected");
    let found = actions(&mut client).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1]["title"], "Update the expectation");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn nothing_outside_the_workspace_is_read() {
    let (mut client, folder, _) = open(with_lenses(), true).await;
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("crd.yaml"), CRD).expect("written");
    std::fs::write(outside.path().join("crd.test.yaml"), TESTS).expect("written");
    let stranger = uri(outside.path(), "crd.test.yaml");
    assert_eq!(
        client
            .request("crd-analyzer/runTests", json!({ "uri": stranger }))
            .await,
        Value::Null
    );
    let listed = client.request("crd-analyzer/tests", json!({ "uri": stranger })).await;
    assert_eq!(listed, json!({ "files": [] }));
    let text = TESTS.replace("crd.yaml", &outside.path().join("crd.yaml").to_string_lossy());
    let file = uri(folder.path(), "hostile.test.yaml");
    client.open(&file, 1, &text).await;
    let ran = client.request("crd-analyzer/runTests", json!({ "uri": file })).await;
    assert_eq!(ran["tests"], json!([]), "{ran}");
    assert_eq!(list(ran["problems"].clone()).len(), 1, "{ran}");
    client.finish_with_lists().await;
}

/// A CRD with rules at lines 16 and 17.
const RULES: &str = "\
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
        properties: {size: {type: integer}}
        x-kubernetes-validations:
        - rule: self.size != 7
        - rule: self.size >= oldSelf.size
";

/// Waits until the lenses about untested rules are as expected.
async fn untested(client: &mut Client, crd: &str, expected: &[(u64, &str)]) {
    loop {
        let found = lenses(client, crd).await;
        let told: Vec<_> = told(&found).into_iter().filter(|it| it.1.contains("no test")).collect();
        if told == expected {
            return;
        }
        client.until_asked("workspace/codeLens/refresh").await;
    }
}

#[tokio::test]
async fn rules_that_no_test_makes_fail_are_marked() {
    let (mut client, folder, _) = open(with_lenses(), true).await;
    let tests = "crd: rules.yaml\ntests:\n- {name: seven, create: {size: 7}, expect: rejected}\n";
    let file = uri(folder.path(), "rules.test.yaml");
    client.open(&file, 1, tests).await;
    let crd = uri(folder.path(), "rules.yaml");
    client.open(&crd, 1, RULES).await;
    untested(&mut client, &crd, &[(17, "no test evaluates this rule")]).await;
    // Edit the test.
    client
        .change(&file, 2, &[([2, 31, 2, 32], "8"), ([2, 43, 2, 51], "accepted")])
        .await;
    untested(
        &mut client,
        &crd,
        &[
            (16, "no test makes this rule fail"),
            (17, "no test evaluates this rule"),
        ],
    )
    .await;
    // Edit the rule. While it does not compile, the last results stay.
    client.change(&crd, 2, &[([16, 16, 16, 20], "sel")]).await;
    client
        .change(&crd, 3, &[([16, 16, 16, 19], "self"), ([16, 29, 16, 30], "8")])
        .await;
    untested(&mut client, &crd, &[(17, "no test evaluates this rule")]).await;
    // Without tests, there are no lenses.
    client.change(&file, 3, &[([0, 5, 0, 15], "crd.yaml")]).await;
    untested(&mut client, &crd, &[]).await;
    client.finish_with_lists().await;
}
