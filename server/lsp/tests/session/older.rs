//! Tests diagnostics about CRDs that are older than their Go types.

use serde_json::{Value, json};

use crate::{
    client::{Client, list, pushed},
    go::{ORDER, ORDERS, project},
};

/// Creates a project whose CRD is up to date. Returns the URI and the text of the file with the types.
pub(crate) fn in_step(folder: &std::path::Path) -> (String, String) {
    let uri = project(folder);
    let import = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n";
    let meta = "type Order struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n";
    let text = ORDER
        .replace("package v1\n", import)
        .replace("type Order struct {\n", meta);
    std::fs::write(folder.join("api/v1/order_types.go"), &text).expect("a file");
    let vendored = folder.join("vendor/k8s.io/apimachinery/pkg/apis/meta/v1");
    std::fs::create_dir_all(&vendored).expect("folders");
    let types = "package v1\n\ntype TypeMeta struct {\n\tKind string `json:\"kind,omitempty\"`\n\
                 \tAPIVersion string `json:\"apiVersion,omitempty\"`\n}\n\ntype ObjectMeta struct{}\n";
    std::fs::write(vendored.join("types.go"), types).expect("a file");
    (uri, text)
}

#[tokio::test]
async fn an_open_crd_that_is_older_is_marked_and_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (types, text) = in_step(folder.path());
    let crd = folder.path().join("config/crd/bases/shop.example.com_orders.yaml");
    let crd = format!("file://{}", crd.display());
    let mut capabilities = pushed();
    capabilities["textDocument"]["publishDiagnostics"]["relatedInformation"] = json!(true);
    let kinds = json!({ "codeActionKind": { "valueSet": ["quickfix"] } });
    capabilities["textDocument"]["codeAction"] = json!({ "codeActionLiteralSupport": kinds });
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&crd, 1, ORDERS).await;
    assert_eq!(client.published(&crd, 1).await.len(), 0);
    let line = ORDERS
        .lines()
        .position(|it| it.contains("maximum: 100"))
        .expect("a limit") as u64;
    let is_older = |list: &[Value]| matches!(list, [one] if one["code"] == "stale-crd");
    client.change(&crd, 2, &[([line, 25, line, 28], "50")]).await;
    let found = client.published_when(&crd, is_older).await;
    let message = found[0]["message"].as_str().expect("a message");
    assert!(
        message.contains("`maximum` in the CRD of `Order` differs from the Go types"),
        "{message}"
    );
    assert_eq!(found[0]["range"]["start"], json!({ "line": line, "character": 16 }));
    let related = list(found[0]["relatedInformation"].clone());
    let place = related
        .iter()
        .find(|it| it["message"] == "the types")
        .expect("the marker");
    assert_eq!(place["location"]["uri"], types.as_str());
    // The fix changes only the outdated line.
    let params = json!({
        "textDocument": { "uri": crd }, "range": found[0]["range"], "context": { "diagnostics": [] },
    });
    let actions = list(client.request("textDocument/codeAction", params).await);
    let is_written = |it: &&Value| it["title"].as_str().is_some_and(|it| it.starts_with("Write "));
    let written = actions.iter().find(is_written);
    assert_eq!(written, actions.first(), "before the fixes that only suppress");
    let edits = written.and_then(|it| it["edit"]["changes"][&crd].as_array());
    let edits = edits.unwrap_or_else(|| panic!("{actions:?}"));
    let range = json!({ "start": { "line": line, "character": 0 }, "end": { "line": line + 1, "character": 0 } });
    assert_eq!(
        edits[..],
        [json!({ "range": range, "newText": "                maximum: 100\n" })]
    );
    client
        .change(&crd, 3, &[([line, 0, line + 1, 0], "                maximum: 100\n")])
        .await;
    assert_eq!(client.published_when(&crd, <[Value]>::is_empty).await.len(), 0);
    // An edit of the types also makes the CRD older. A limit below another key is at the wrong place.
    client.open(&types, 1, &text).await;
    let marker = text.lines().position(|it| it.contains("Maximum=100")).expect("it") as u64;
    client.change(&types, 2, &[([marker, 36, marker, 39], "70")]).await;
    client.published_when(&crd, is_older).await;
    client.published_when(&types, is_older).await;
    // As long as a marker of the field has an error, the file shows only the error.
    let wrong = "\t// +kubebuilder:validation:MaxLength=x\n";
    client.change(&types, 3, &[([marker, 0, marker, 0], wrong)]).await;
    let is_wrong = |list: &[Value]| matches!(list, [one] if one["code"] == "invalid-marker");
    client.published_when(&types, is_wrong).await;
    client.change(&types, 4, &[([marker, 0, marker + 1, 0], "")]).await;
    client.published_when(&types, is_older).await;
    client.change(&types, 5, &[([marker, 36, marker, 38], "100")]).await;
    assert_eq!(client.published_when(&crd, <[Value]>::is_empty).await.len(), 0);
    client.change(&crd, 4, &[([line, 0, line + 1, 0], "")]).await;
    let moved = ([line + 2, 24, line + 2, 24], "\n                maximum: 100");
    client.change(&crd, 5, &[moved]).await;
    client.published_when(&crd, is_older).await;
    assert!(ORDER.contains("Maximum=100"));
    client.finish_with_lists().await;
}
