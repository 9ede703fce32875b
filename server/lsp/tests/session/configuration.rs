//! Settings of the editor, and configuration files.

use serde_json::{Value, json};

use crate::{
    HINTED,
    client::{Client, list, pulling, pushed},
};

const URI: &str = "file:///widgets.yaml";

/// The severity of the only diagnostic, or `null`.
async fn severity(client: &mut Client, uri: &str) -> Value {
    let items = list(client.pull(uri, None).await["items"].take());
    items.first().map_or(Value::Null, |it| it["severity"].clone())
}

/// The code of the only diagnostic.
async fn code(client: &mut Client) -> String {
    client.open(URI, 1, HINTED).await;
    client.pull(URI, None).await["items"][0]["code"]
        .as_str()
        .expect("a code")
        .to_owned()
}

#[tokio::test]
async fn the_configuration_file_is_checked_completed_and_explained() {
    const FILE: &str = "file:///repo/.crd-analyzer.yaml";
    let mut client = Client::start(pushed()).await;
    client
        .open(FILE, 1, "rulez: {}\nrules:\n  missing-type: off\n  large-manifest: \n")
        .await;
    let found = client.published(FILE, 1).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0]["code"], "invalid-configuration");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["range"]["end"], json!({ "line": 0, "character": 5 }));
    let at = |line: u64, character: u64| json!({ "textDocument": { "uri": FILE }, "position": { "line": line, "character": character } });
    let list = client.request("textDocument/completion", at(3, 18)).await;
    let labels: Vec<_> = list["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|it| &it["label"])
        .collect();
    assert!(labels.contains(&&json!("warning")), "{labels:?}");
    let hover = client.request("textDocument/hover", at(2, 4)).await;
    assert!(
        hover["contents"]["value"]
            .as_str()
            .is_some_and(|it| it.contains("has no")),
        "{hover}"
    );
    client.finish().await;
}

#[tokio::test]
async fn settings_come_with_initialize_and_by_notification() {
    let mut client = Client::start(pulling()).await;
    let code = code(&mut client).await;
    client.finish().await;
    let rules = |level: &str| json!({ "rules": { &code: level } });
    let params = json!({ "capabilities": pulling(), "initializationOptions": rules("warning") });
    let mut client = Client::start_with(params).await;
    client.open(URI, 1, HINTED).await;
    assert_eq!(severity(&mut client, URI).await, 2);
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": { "crd-analyzer": rules("hint") } }),
        )
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, URI).await, 4);
    let off = json!({ "settings": { "crd-analyzer": { "features": { "diagnostics": false } } } });
    client.notify("workspace/didChangeConfiguration", off).await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, URI).await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn settings_are_asked_for_where_the_client_answers() {
    let mut probe = Client::start(pulling()).await;
    let code = code(&mut probe).await;
    probe.finish().await;
    let mut capabilities = pulling();
    capabilities["workspace"]["configuration"] = json!(true);
    capabilities["workspace"]["didChangeConfiguration"] = json!({ "dynamicRegistration": true });
    let mut client = Client::connect();
    client.settings = json!({ "rules": { &code: "info" } });
    client
        .request("initialize", json!({ "capabilities": capabilities }))
        .await;
    client.notify("initialized", json!({})).await;
    let asked = client.until_asked("workspace/configuration").await;
    assert_eq!(asked["items"][0]["section"], "crd-analyzer");
    let registered = client.until_asked("client/registerCapability").await;
    assert_eq!(
        registered["registrations"][0]["method"],
        "workspace/didChangeConfiguration"
    );
    client.until_asked("workspace/diagnostic/refresh").await;
    client.open(URI, 1, HINTED).await;
    assert_eq!(severity(&mut client, URI).await, 3);
    client.settings = json!({ "rules": { &code: "off" } });
    client
        .notify("workspace/didChangeConfiguration", json!({ "settings": null }))
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, URI).await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_told_once() {
    let mut client = Client::start(pushed()).await;
    let wrong = json!({ "settings": { "crd-analyzer": { "kubernetesVersion": "1.2" } } });
    client.notify("workspace/didChangeConfiguration", wrong.clone()).await;
    let told = client.notification("window/showMessage").await;
    assert_eq!(told["type"], 2);
    assert!(
        told["message"]
            .as_str()
            .expect("words")
            .contains("crd-analyzer.kubernetesVersion"),
        "{told}"
    );
    client.notify("workspace/didChangeConfiguration", wrong).await;
    client.open(URI, 1, HINTED).await;
    assert_eq!(
        client.published(URI, 1).await.len(),
        1,
        "the session goes on with what can be used"
    );
    client.finish().await;
}

#[tokio::test]
async fn a_configuration_file_counts_and_is_watched() {
    let mut probe = Client::start(pulling()).await;
    let code = code(&mut probe).await;
    probe.finish().await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(".crd-analyzer.yaml");
    let uri = format!("file://{}/widgets.yaml", folder.path().display());
    let mut capabilities = pulling();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    let folders = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "it" }]);
    let mut client = Client::start_with(json!({ "capabilities": capabilities, "workspaceFolders": folders })).await;
    let registered = client.until_asked("client/registerCapability").await;
    assert_eq!(
        registered["registrations"][0]["method"],
        "workspace/didChangeWatchedFiles"
    );
    assert_eq!(
        registered["registrations"][0]["registerOptions"]["watchers"][0]["globPattern"],
        "**/{.crd-analyzer.yaml,.crd-analyzer.yml}"
    );
    client.open(&uri, 1, HINTED).await;
    assert_eq!(severity(&mut client, &uri).await, 3);
    std::fs::write(&file, format!("rules: {{{code}: warning}}\n")).expect("written");
    let change = json!({ "changes": [{ "uri": format!("file://{}", file.display()), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", change).await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, &uri).await, 2);
    // Save the file in the editor.
    std::fs::write(&file, "exclude: ['*.yaml']\n").expect("written");
    client
        .notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": format!("file://{}", file.display()) } }),
        )
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, &uri).await, Value::Null);
    std::fs::write(&file, "rulez: {}\n").expect("written");
    client
        .notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": format!("file://{}", file.display()) } }),
        )
        .await;
    client.until_asked("workspace/diagnostic/refresh").await;
    assert_eq!(severity(&mut client, &uri).await, 3);
    let told = client.notification("window/showMessage").await;
    assert!(told["message"].as_str().expect("words").contains("rulez"), "{told}");
    client.finish().await;
}
