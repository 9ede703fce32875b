//! Diagnostics that are published to clients that do not pull them.

use serde_json::json;

use crate::{
    BROKEN, LINE,
    client::{Client, pushed},
};

const URI: &str = "file:///widgets.yaml";

#[tokio::test]
async fn lists_carry_the_version_that_they_are_of() {
    let mut client = Client::start(pushed()).await;
    client.open(URI, 3, BROKEN).await;
    let list = client.published(URI, 3).await;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["range"]["start"], json!({ "line": LINE, "character": 35 }));
    client.change(URI, 4, &[([LINE, 35, LINE, 40], "string")]).await;
    assert_eq!(client.published(URI, 4).await.len(), 0);
    client.finish().await;
}

#[tokio::test]
async fn of_quick_edits_the_last_is_sent_and_never_an_older_one_after_it() {
    let mut client = Client::start(pushed()).await;
    client.open(URI, 0, BROKEN).await;
    client.published(URI, 0).await;
    for version in 1..=50 {
        let text = if version % 2 == 0 { "strng" } else { "string" };
        let old = if version % 2 == 0 { 41 } else { 40 };
        client.change(URI, version, &[([LINE, 35, LINE, old], text)]).await;
    }
    assert_eq!(client.published(URI, 50).await.len(), 1);
    // The server publishes fewer lists than there are edits, but in order. When the list for one more edit arrives, all earlier lists have arrived.
    client.change(URI, 51, &[([LINE, 35, LINE, 40], "string")]).await;
    assert_eq!(client.published(URI, 51).await.len(), 0);
    let others = client.other_versions();
    assert!(others.len() < 49 && others.is_sorted(), "{others:?}");
    client.finish_with_lists().await;
}

#[tokio::test]
async fn a_closed_document_has_no_findings() {
    let mut client = Client::start(pushed()).await;
    client.open(URI, 1, BROKEN).await;
    assert_eq!(client.published(URI, 1).await.len(), 1);
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }))
        .await;
    let last = client.notification("textDocument/publishDiagnostics").await;
    assert_eq!(last, json!({ "uri": URI, "diagnostics": [] }));
    // Edit and close: the list for the edit must not come after the empty list for the closed document.
    client.open(URI, 1, BROKEN).await;
    client.change(URI, 2, &[([0, 0, 0, 0], "# x\n")]).await;
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }))
        .await;
    let last = client.notification("textDocument/publishDiagnostics").await;
    assert_eq!(last, json!({ "uri": URI, "diagnostics": [] }));
    client.open("file:///other.yaml", 1, BROKEN).await;
    client.published("file:///other.yaml", 1).await;
    assert_eq!(client.other_versions(), [] as [i64; 0]);
    client.finish().await;
}
