//! Folding ranges and selection ranges.

use serde_json::{Value, json};

use crate::{
    BROKEN, LINE,
    client::{Client, pulling},
};

const URI: &str = "file:///widgets.yaml";

async fn folds(client: &mut Client) -> Value {
    let params = json!({ "textDocument": { "uri": URI } });
    client.request("textDocument/foldingRange", params).await
}

async fn selections(client: &mut Client, places: &[[u64; 2]]) -> Value {
    let positions: Vec<_> = places
        .iter()
        .map(|[line, character]| json!({ "line": line, "character": character }))
        .collect();
    let params = json!({ "textDocument": { "uri": URI }, "positions": positions });
    client.request("textDocument/selectionRange", params).await
}

/// The start and end columns of the first ranges of a selection, from inside to outside.
fn columns(selection: &Value, steps: usize) -> Vec<(u64, u64)> {
    std::iter::successors(Some(selection), |it| it.get("parent"))
        .take(steps)
        .map(|it| {
            let column = |name: &str| it["range"][name]["character"].as_u64().expect("a column");
            (column("start"), column("end"))
        })
        .collect()
}

/// The first and last lines of folding ranges.
fn lines(folds: &Value) -> Vec<(u64, u64)> {
    let folds = folds.as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |fold: &Value, name: &str| fold[name].as_u64().expect("a line");
    folds
        .iter()
        .map(|it| (line(it, "startLine"), line(it, "endLine")))
        .collect()
}

#[tokio::test]
async fn folds_follow_the_text_also_while_it_is_broken() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, BROKEN).await;
    let whole = [(3, 14), (7, 14), (8, 14), (11, 14), (12, 14)];
    assert_eq!(lines(&folds(&mut client).await), whole);
    client.change(URI, 2, &[([6, 0, 6, 0], "  ne\n")]).await;
    let moved = whole.map(|(first, last)| (if first > 5 { first + 1 } else { first }, last + 1));
    assert_eq!(lines(&folds(&mut client).await), moved);
    client.change(URI, 3, &[([6, 4, 6, 4], "w: [1,\n   2]")]).await;
    let more = lines(&folds(&mut client).await);
    assert!(more.contains(&(6, 7)) && more.contains(&(3, 16)), "{more:?}");
    client.finish().await;
}

#[tokio::test]
async fn a_client_gets_no_more_folds_than_it_takes() {
    let mut capabilities = pulling();
    capabilities["textDocument"]["foldingRange"] = json!({ "rangeLimit": 2 });
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, BROKEN).await;
    assert_eq!(lines(&folds(&mut client).await), [(3, 14), (7, 14)]);
    client.finish().await;
}

#[tokio::test]
async fn selections_grow_in_the_columns_of_the_client() {
    let mut capabilities = pulling();
    for (encoding, face) in [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)] {
        capabilities["general"] = json!({ "positionEncodings": [encoding] });
        let mut client = Client::start(capabilities.clone()).await;
        client.open(URI, 1, BROKEN).await;
        // `        properties: {"é😀": {type: strng}}`, after the emoji.
        let key = 22 + face;
        let found = selections(&mut client, &[[LINE, key + 12], [LINE, 9]]).await;
        let expected = [
            (key + 10, key + 15),
            (key + 4, key + 15),
            (key + 3, key + 16),
            (21, key + 16),
            (20, key + 17),
        ];
        assert_eq!(columns(&found[0], 5), expected, "{encoding}");
        assert_eq!(columns(&found[1], 2), [(8, 18), (8, key + 17)], "{encoding}");
        client.finish().await;
    }
}

#[tokio::test]
async fn other_yaml_has_none_and_neither_has_who_switched_them_off() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, "a:\n  b:\n    c: 1\n").await;
    assert_eq!(folds(&mut client).await, Value::Null);
    assert_eq!(selections(&mut client, &[[2, 4]]).await, Value::Null);
    client.finish().await;

    let options = json!({ "features": { "folding": false, "selection": false } });
    let params = json!({ "capabilities": pulling(), "initializationOptions": options });
    let mut client = Client::start_with(params).await;
    client.open(URI, 1, BROKEN).await;
    assert_eq!(folds(&mut client).await, Value::Null);
    assert_eq!(selections(&mut client, &[[LINE, 10]]).await, Value::Null);
    client.finish().await;
}

#[tokio::test]
async fn a_new_line_begins_where_the_line_above_says() {
    let mut client = Client::start(pulling()).await;
    client
        .open(URI, 1, "apiVersion: example.com/v1\nkind: Widget\nspec:\n\n")
        .await;
    let params = |line: u64| {
        json!({
            "textDocument": { "uri": URI },
            "position": { "line": line, "character": 0 },
            "ch": "\n",
            "options": { "tabSize": 2, "insertSpaces": true },
        })
    };
    let edits = client.request("textDocument/onTypeFormatting", params(3)).await;
    let here = json!({ "line": 3, "character": 0 });
    assert_eq!(
        edits,
        json!([{ "range": { "start": here, "end": here }, "newText": "  " }])
    );
    let none = client.request("textDocument/onTypeFormatting", params(2)).await;
    assert_eq!(none, Value::Null);
    client.finish().await;
}
