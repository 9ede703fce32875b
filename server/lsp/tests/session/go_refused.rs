//! Fields and types in Go files that controller-gen rejects.

use serde_json::{Value, json};

use crate::{
    client::{Client, pushed},
    go_update::{CARTS, without_crd},
    older::in_step,
};

const CODE: &str = "go-type-refused";

async fn opened(folder: &std::path::Path, uri: &str, text: &str) -> Client {
    let of_workspace = json!({ "uri": format!("file://{}", folder.display()), "name": "shop" });
    let params = json!({ "capabilities": pushed(), "workspaceFolders": [of_workspace] });
    let mut client = Client::start_with(params).await;
    client.open(uri, 1, text).await;
    client
}

fn is_told(list: &[Value]) -> bool {
    list.iter().any(|it| it["code"] == CODE)
}

/// The line and columns of a part of a text.
fn place(text: &str, part: &str) -> [u64; 4] {
    let mut lines = text.lines().enumerate();
    let (line, at) = lines.find_map(|(n, it)| Some((n, it.find(part)?))).expect("the part");
    let (line, start) = (line as u64, at as u64);
    [line, start, line, start + part.len() as u64]
}

#[tokio::test]
async fn a_rejected_field_is_told_until_it_is_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (uri, text) = in_step(folder.path());
    let mut client = opened(folder.path(), &uri, &text).await;
    assert_eq!(client.published(&uri, 1).await.len(), 0);
    let field = place(&text, "int32 `json:\"price\"`");
    client
        .change(&uri, 2, &[(field, "map[int]int32 `json:\"price\"`")])
        .await;
    let found = client.published_when(&uri, is_told).await;
    let told = found.iter().find(|it| it["code"] == CODE).expect("it");
    assert_eq!(told["severity"], 1);
    assert_eq!(
        told["range"]["start"],
        json!({ "line": field[0], "character": field[1] })
    );
    // An edit elsewhere moves it.
    client.change(&uri, 3, &[([1, 0, 1, 0], "\n// Orders.\n")]).await;
    let moved = |list: &[Value]| {
        let lines = list.iter().filter(|it| it["code"] == CODE);
        lines
            .map(|it| it["range"]["start"]["line"].as_u64())
            .eq([Some(field[0] + 2)])
    };
    client.published_when(&uri, moved).await;
    let line = field[0] + 2;
    let to = [line, field[1], line, field[1] + 13];
    client.change(&uri, 4, &[(to, "int32")]).await;
    client.published_when(&uri, |list| !is_told(list)).await;
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_kind_without_a_crd_is_told_and_made_when_it_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let (uri, _) = without_crd(folder.path(), CARTS);
    std::fs::write(folder.path().join("Makefile"), "CONTROLLER_TOOLS_VERSION ?= v0.23.0\n").expect("a file");
    let text = CARTS.replacen(
        "type Owner struct {",
        "type Owner struct {\n\tAny any `json:\"any\"`\n\tOther Undeclared `json:\"other\"`",
        1,
    );
    std::fs::write(folder.path().join("api/v1/types.go"), &text).expect("a file");
    let mut client = opened(folder.path(), &uri, &text).await;
    let found = client.published_when(&uri, is_told).await;
    // The language server of Go tells which types are not declared.
    assert!(found.len() == 1 && is_told(&found), "{found:?}");
    let any = place(&text, "any `json:\"any\"`");
    let other = place(&text, "Undeclared");
    let edits = [(any, "string `json:\"any\"`"), (other, "string")];
    client.change(&uri, 2, &edits).await;
    // Now the CRD is generated, and its errors are told.
    let is_of_crd = |list: &[Value]| !list.is_empty() && !is_told(list);
    client.published_when(&uri, is_of_crd).await;
    client.finish_with_lists().await;
}
