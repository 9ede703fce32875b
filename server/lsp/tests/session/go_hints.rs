//! Tests of hints about rules in Go files, and of their fixes.

use serde_json::json;

use crate::{
    client::{Client, pushed},
    go::{ORDER, fixes, project, repairs},
};
#[tokio::test]
async fn hints_about_rules_have_fixes() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = project(folder.path());
    let order = ORDER.replace(
        "\tLimit int32 `json:\"limit\"`",
        "\t// +optional\n\tLimit int32 `json:\"limit,omitempty\"`",
    );
    let mut capabilities = pushed();
    capabilities["textDocument"]["codeAction"] = fixes();
    let of_workspace = json!({ "uri": format!("file://{}", folder.path().display()), "name": "shop" });
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(&uri, 1, &order).await;
    let is_it = |it: &serde_json::Value| it["code"] == json!("optional-field-read");
    let list = client.published_when(&uri, |list| list.iter().any(is_it)).await;
    let hint = list.iter().find(|it| is_it(it)).expect("the hint").clone();
    let edits = repairs(&mut client, &uri, &hint).await;
    let guard = ("!has(self.limit) || ".to_owned(), json!({ "line": 7, "character": 45 }));
    assert!(edits.contains(&guard), "{edits:?}");
    client.finish_with_lists().await;
}
