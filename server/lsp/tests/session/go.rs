//! Go files with API types.

use serde_json::json;

use crate::client::{Client, pushed};

const TYPES: &str = "\
package v1

type WidgetSpec struct {
\t// +kubebuilder:validation:MaxLenght=20
\tName string `json:\"name\"`
}
";

#[tokio::test]
async fn markers_are_checked_while_somebody_types() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = format!("file://{}/api/v1/widget_types.go", folder.path().display());
    let mut client = Client::start(pushed()).await;
    client.open(&uri, 1, TYPES).await;
    let list = client.published(&uri, 1).await;
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0]["code"], "unknown-marker");
    assert_eq!(list[0]["range"]["start"], json!({ "line": 3, "character": 5 }));
    client.change(&uri, 2, &[([3, 34, 3, 37], "gth")]).await;
    assert_eq!(client.published(&uri, 2).await.len(), 0);
    // Features that read YAML leave the file to the Go language server.
    let position = json!({ "line": 3, "character": 10 });
    let at = json!({ "textDocument": { "uri": uri }, "position": position });
    for method in [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/definition",
    ] {
        assert_eq!(client.request(method, at.clone()).await, json!(null), "{method}");
    }
    let of_file = json!({ "textDocument": { "uri": uri } });
    for method in [
        "textDocument/foldingRange",
        "textDocument/documentSymbol",
        "textDocument/codeLens",
    ] {
        assert_eq!(client.request(method, of_file.clone()).await, json!(null), "{method}");
    }
    client.finish().await;
}

#[tokio::test]
async fn go_files_are_asked_for_in_projects_of_kubebuilder() {
    for (is_project, expected) in [(true, true), (false, false)] {
        let folder = tempfile::tempdir().expect("a folder");
        if is_project {
            std::fs::write(folder.path().join("PROJECT"), "domain: example.com\n").expect("a file");
        }
        let mut capabilities = pushed();
        capabilities["textDocument"]["synchronization"] = json!({ "dynamicRegistration": true });
        capabilities["workspace"] = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
        let folder = json!({ "uri": format!("file://{}", folder.path().display()), "name": "a" });
        let params = json!({ "capabilities": capabilities, "workspaceFolders": [folder] });
        let mut client = Client::start_with(params).await;
        let asked = client.until_asked("client/registerCapability").await;
        let asked = if asked["params"].is_null() {
            asked
        } else {
            asked["params"].clone()
        };
        let registrations = asked["registrations"].as_array().expect("a list");
        let of_go = registrations.iter().any(|it| it["method"] == "textDocument/didOpen");
        assert_eq!(of_go, expected, "{registrations:?}");
        client.finish().await;
    }
}
