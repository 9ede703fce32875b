//! Positions in the agreed encoding.

use serde_json::json;

use crate::{
    BROKEN, LINE,
    client::{Client, list, pulling},
};

/// Opens a broken CRD, checks the columns of the error, fixes it with an edit there, and checks that the error is gone.
async fn check(offered: &[&str], agreed: &str, columns: (u64, u64)) {
    let mut client = Client::connect();
    let mut capabilities = pulling();
    if !offered.is_empty() {
        capabilities["general"] = json!({ "positionEncodings": offered });
    }
    let answer = client
        .request("initialize", json!({ "capabilities": capabilities }))
        .await;
    assert_eq!(answer["capabilities"]["positionEncoding"], agreed);
    client.notify("initialized", json!({})).await;
    // CR LF does not affect columns.
    let uri = "file:///widgets.yaml";
    client.open(uri, 1, &BROKEN.replace('\n', "\r\n")).await;
    let items = list(client.pull(uri, None).await["items"].take());
    assert_eq!(items.len(), 1, "{items:?}");
    let (start, end) = columns;
    let place = |column| json!({ "line": LINE, "character": column });
    assert_eq!(items[0]["range"], json!({ "start": place(start), "end": place(end) }));
    client.change(uri, 2, &[([LINE, start, LINE, end], "string")]).await;
    let repaired = client.pull(uri, None).await;
    assert_eq!(repaired["items"], json!([]), "the edit went where the error was");
    client.finish().await;
}

#[tokio::test]
async fn bytes() {
    check(&["utf-8", "utf-16"], "utf-8", (38, 43)).await;
}

#[tokio::test]
async fn utf_16_units() {
    check(&["utf-16"], "utf-16", (35, 40)).await;
}

#[tokio::test]
async fn characters() {
    check(&["utf-32"], "utf-32", (34, 39)).await;
}

#[tokio::test]
async fn without_an_offer_utf_16() {
    check(&[], "utf-16", (35, 40)).await;
}

#[tokio::test]
async fn the_first_known_offer() {
    check(&["utf-7", "utf-32", "utf-8"], "utf-32", (34, 39)).await;
}
