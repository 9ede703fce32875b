//! Errors that the API server would report if open files replaced their versions in git.

use std::{path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, pushed};

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
            required: [size]
            x-kubernetes-validations:
            - {rule: self.size == oldSelf.size, message: size is immutable}
            properties:
              size: {type: integer}
";

pub(crate) const RESOURCE: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec:
  size: 3
";

/// A repository with a CRD and a resource.
pub(crate) fn repository() -> TempDir {
    repository_of(&[("crd.yaml", DEFINITION), ("one.yaml", RESOURCE)])
}

/// A repository with these files.
pub(crate) fn repository_of(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    init(folder.path());
    folder
}

/// Makes a folder a git repository, and commits its files.
pub(crate) fn init(folder: &Path) {
    git(folder, &["init", "--quiet"]);
    commit(folder);
}

fn git(folder: &Path, args: &[&str]) {
    let name = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let done = Command::new("git").args(name).args(args).current_dir(folder).output();
    let done = done.expect("git runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "x"]);
}

pub(crate) fn uri(folder: &TempDir, name: &str) -> String {
    format!("file://{}", folder.path().join(name).display())
}

async fn start(folder: &TempDir, settings: Value) -> Client {
    let mut capabilities = pushed();
    capabilities["textDocument"]["publishDiagnostics"]["relatedInformation"] = json!(true);
    let mut client = Client::start_with(json!({
        "capabilities": capabilities,
        "initializationOptions": settings,
    }))
    .await;
    client.open(&uri(folder, "crd.yaml"), 1, DEFINITION).await;
    client.published(&uri(folder, "crd.yaml"), 1).await;
    client
}

/// The first list for a version that is not empty.
async fn found(client: &mut Client, uri: &str, version: i32) -> Vec<Value> {
    loop {
        let list = client.published(uri, version).await;
        if !list.is_empty() {
            return list;
        }
    }
}

#[tokio::test]
async fn a_change_that_a_transition_rule_refuses_is_marked() {
    let folder = repository();
    let mut client = start(&folder, Value::Null).await;
    let one = uri(&folder, "one.yaml");
    client.open(&one, 1, &RESOURCE.replace('3', "4")).await;
    let list = found(&mut client, &one, 1).await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["code"], "rule-failed");
    assert_eq!(list[0]["severity"], 2, "it is only supposed that the object is stored");
    let changed = json!({ "line": 4, "character": 8 });
    assert_eq!(
        list[0]["range"]["start"], changed,
        "the value that changed, not the object around it"
    );
    let message = list[0]["message"].as_str().expect("a message");
    assert!(message.ends_with("size is immutable"), "{message}");
    let related = list[0]["relatedInformation"].as_array().expect("other places");
    assert_eq!(related[1]["message"], "was 3 in HEAD");
    assert_eq!(
        related[1]["location"]["range"]["start"],
        json!({ "line": 4, "character": 8 })
    );
    // The original value is accepted.
    client.change(&one, 2, &[([4, 8, 4, 9], "3")]).await;
    assert_eq!(client.published(&one, 2).await.len(), 0);
    client.change(&one, 3, &[([4, 8, 4, 9], "5")]).await;
    assert_eq!(client.published(&one, 3).await.len(), 1, "what git has is known");
    client.finish().await;
}

/// The CRD with a different scope, and with a rule that reads an optional field.
fn changed(limit: i32) -> String {
    let rule = format!("- {{rule: self.a > {limit}}}\n            - {{rule: self.size");
    let text = DEFINITION.replace("scope: Namespaced", "scope: Cluster");
    let text = text.replace(
        "size: {type: integer}",
        "size: {type: integer}\n              a: {type: integer}",
    );
    text.replace("- {rule: self.size", &rule)
}

#[tokio::test]
async fn an_edit_is_analyzed_once() {
    let folder = repository();
    let mut client = start(&folder, Value::Null).await;
    let crd = uri(&folder, "crd.yaml");
    client.notify("$/setTrace", json!({ "value": "messages" })).await;
    for version in 2..6 {
        let whole = json!({
            "textDocument": { "uri": crd, "version": version },
            "contentChanges": [{ "text": changed(version) }],
        });
        client.notify("textDocument/didChange", whole).await;
        // The changed limit differs from the revision, and the rule's hazards are found after a pause. The last list has both.
        loop {
            let list = client.published(&crd, version).await;
            let has = |code: &str| list.iter().any(|it| it["code"] == code);
            if has("immutable-field") && has("optional-field-read") {
                break;
            }
        }
        client
            .request("textDocument/foldingRange", json!({ "textDocument": { "uri": crd } }))
            .await;
        let traces = client.waiting("$/logTrace");
        let analyzed = format!("analyzed version {version} of");
        let count = traces
            .iter()
            .filter(|it| it["message"].as_str().is_some_and(|it| it.starts_with(&analyzed)));
        // The first edit may be analyzed before git has answered, so it may be analyzed twice.
        assert!(version == 2 || count.count() == 1, "{traces:?}");
    }
    client.finish().await;
}

#[tokio::test]
async fn definitions_are_updates_too() {
    let folder = repository();
    let mut client = start(&folder, Value::Null).await;
    let crd = uri(&folder, "crd.yaml");
    // The scope of a CRD cannot change.
    let scope = ([6, 9, 6, 19], "Cluster");
    client.change(&crd, 2, &[scope]).await;
    let list = found(&mut client, &crd, 2).await;
    let related = list[0]["relatedInformation"].as_array().expect("other places");
    assert_eq!(related[1]["message"], "was Namespaced in HEAD");
    client.finish().await;
}

#[tokio::test]
async fn nothing_is_asked_where_it_is_off_or_there_is_no_repository() {
    let folder = repository();
    let mut client = start(&folder, json!({ "updateAgainst": "off" })).await;
    let one = uri(&folder, "one.yaml");
    client.open(&one, 1, &RESOURCE.replace('3', "x")).await;
    assert_eq!(client.published(&one, 1).await.len(), 1);
    client.change(&one, 2, &[([4, 8, 4, 9], "4")]).await;
    assert_eq!(client.published(&one, 2).await.len(), 0);
    client.finish().await;
    let elsewhere = TempDir::new().expect("a folder");
    let mut client = start(&elsewhere, Value::Null).await;
    let one = uri(&elsewhere, "one.yaml");
    client.open(&one, 1, RESOURCE).await;
    assert_eq!(client.published(&one, 1).await.len(), 0);
    client.finish().await;
}
