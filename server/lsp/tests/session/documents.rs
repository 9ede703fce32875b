//! The server's text equals the client's after edits of any order and size.

use serde_json::json;

use crate::{
    BROKEN, LINE,
    client::{Client, list, pulling},
};

const URI: &str = "file:///widgets.yaml";

async fn codes(client: &mut Client) -> Vec<String> {
    let items = list(client.pull(URI, None).await["items"].take());
    items
        .iter()
        .map(|it| it["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn a_burst_of_edits_is_applied_in_order() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 0, BROKEN).await;
    // Delete the wrong word, and type the right one: each edit is valid only after the previous one.
    client.change(URI, 1, &[([LINE, 35, LINE, 40], "")]).await;
    for (n, letter) in "string".chars().enumerate() {
        let at = 35 + n as u64;
        client
            .change(URI, 2 + n as i32, &[([LINE, at, LINE, at], &letter.to_string())])
            .await;
    }
    assert_eq!(codes(&mut client).await, [] as [&str; 0]);
    // Then alternate between the two texts a hundred times without waiting for an answer.
    for n in 0..100 {
        client
            .change(
                URI,
                10 + 2 * n,
                &[([LINE, 35, LINE, 41], "x"), ([LINE, 36, LINE, 36], "y")],
            )
            .await;
        client
            .change(URI, 11 + 2 * n, &[([LINE, 35, LINE, 37], "string")])
            .await;
    }
    assert_eq!(codes(&mut client).await, [] as [&str; 0]);
    client.change(URI, 999, &[([LINE, 35, LINE, 41], "strng")]).await;
    assert_eq!(codes(&mut client).await.len(), 1);
    client.finish().await;
}

#[tokio::test]
async fn a_whole_text_replaces_all() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, "nothing: here\n").await;
    assert_eq!(codes(&mut client).await, [] as [&str; 0]);
    let document = json!({ "uri": URI, "version": 2 });
    client
        .notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": BROKEN }] }),
        )
        .await;
    assert_eq!(codes(&mut client).await.len(), 1);
    client.finish().await;
}

#[tokio::test]
async fn places_that_are_none_are_clamped() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, BROKEN).await;
    client
        .change(
            URI,
            2,
            &[
                ([900, 7, 901, 2], "# the end\n"),
                ([0, 900, 0, 901], " # the first line"),
            ],
        )
        .await;
    assert_eq!(codes(&mut client).await.len(), 1);
    client.change(URI, 3, &[([9, 9, 2, 2], "")]).await;
    assert_eq!(
        codes(&mut client).await.len(),
        1,
        "a range that ends before it begins is empty"
    );
    client.change(URI, 4, &[([0, 0, 9_999, 0], "")]).await;
    assert_eq!(codes(&mut client).await, [] as [&str; 0]);
    client.finish().await;
}

#[tokio::test]
async fn unknown_documents_are_empty() {
    let mut client = Client::start(pulling()).await;
    client.change("file:///never.yaml", 2, &[([0, 0, 0, 0], "x")]).await;
    client
        .notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": "file:///never.yaml" } }),
        )
        .await;
    assert_eq!(client.pull("file:///never.yaml", None).await["items"], json!([]));
    // A document that is not a file.
    client.open("untitled:Untitled-1", 1, BROKEN).await;
    assert_eq!(
        list(client.pull("untitled:Untitled-1", None).await["items"].take()).len(),
        1
    );
    // Close the document, and open it again with an older version.
    client.open(URI, 7, BROKEN).await;
    client
        .notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }))
        .await;
    assert_eq!(codes(&mut client).await, [] as [&str; 0]);
    client.open(URI, 1, BROKEN).await;
    assert_eq!(codes(&mut client).await.len(), 1);
    client.finish().await;
}
