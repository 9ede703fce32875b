//! LSP's rules for the start and the end of a session, and for invalid messages.

use serde_json::{Value, json};

use crate::{
    BROKEN,
    client::{Client, list, pulling, pushed},
};

#[tokio::test]
async fn offers_what_it_can_do() {
    let mut client = Client::connect();
    let answer = client.request("initialize", json!({ "capabilities": pulling() })).await;
    let offer = &answer["capabilities"];
    assert_eq!(offer["textDocumentSync"]["change"], 2);
    assert_eq!(offer["textDocumentSync"]["openClose"], true);
    assert_eq!(offer["diagnosticProvider"]["identifier"], "crd-analyzer");
    assert_eq!(offer["workspace"]["workspaceFolders"]["supported"], true);
    assert_eq!(answer["serverInfo"]["name"], "crd-analyzer");
    client.finish().await;
    let mut client = Client::connect();
    let answer = client.request("initialize", json!({ "capabilities": pushed() })).await;
    assert!(
        answer["capabilities"].get("diagnosticProvider").is_none(),
        "never both pulled and pushed"
    );
    client.finish().await;
}

#[tokio::test]
async fn exit_codes() {
    assert_eq!(Client::connect().leave(true).await, 1, "exit before initialize");
    assert_eq!(
        Client::start(pulling()).await.leave(true).await,
        1,
        "exit without shutdown"
    );
    assert_eq!(
        Client::start(pulling()).await.leave(false).await,
        1,
        "the client hangs up"
    );
    Client::start(pulling()).await.finish().await;
    let mut client = Client::start(pulling()).await;
    client.request("shutdown", Value::Null).await;
    assert_eq!(client.leave(false).await, 0, "the client hangs up after shutdown");
}

#[tokio::test]
async fn requests_out_of_order_are_errors() {
    let mut client = Client::connect();
    let params = json!({ "textDocument": { "uri": "file:///a.yaml" } });
    let early = client.begin("textDocument/diagnostic", params.clone()).await;
    assert_eq!(
        client.response(early).await["error"]["code"],
        -32002,
        "before initialize"
    );
    client.request("initialize", json!({ "capabilities": pulling() })).await;
    let again = client.begin("initialize", json!({ "capabilities": {} })).await;
    assert_eq!(
        client.response(again).await["error"]["code"],
        -32600,
        "initialize twice"
    );
    client.request("shutdown", Value::Null).await;
    let late = client.begin("textDocument/diagnostic", params).await;
    assert_eq!(client.response(late).await["error"]["code"], -32600, "after shutdown");
    assert_eq!(client.leave(true).await, 0);
}

#[tokio::test]
async fn malformed_messages_do_not_end_the_session() {
    let mut client = Client::start(pulling()).await;
    for params in [
        json!({}),
        json!({ "textDocument": 3 }),
        json!([]),
        json!({ "textDocument": { "uri": 5 } }),
    ] {
        let id = client.begin("textDocument/diagnostic", params.clone()).await;
        assert_eq!(client.response(id).await["error"]["code"], -32602, "{params}");
    }
    let unknown = client.begin("textDocument/nothing", json!({})).await;
    assert_eq!(client.response(unknown).await["error"]["code"], -32601);
    client
        .notify("textDocument/didChange", json!({ "textDocument": null }))
        .await;
    client.notify("$/unknown", json!({})).await;
    client.send_raw("{not json").await;
    assert_eq!(client.response_without_id().await["error"]["code"], -32700);
    // The session still works.
    client.open("file:///a.yaml", 1, BROKEN).await;
    assert_eq!(list(client.pull("file:///a.yaml", None).await["items"].take()).len(), 1);
    client.finish().await;
}

#[tokio::test]
async fn a_cancelled_request_is_answered_as_such() {
    let mut client = Client::start(pulling()).await;
    let uri = "file:///large.yaml";
    let rules = "\n              - {rule: \"self.a.all(x, x.size() > 1)\"}".repeat(2_000);
    let text = BROKEN.replace("{type: strng}", "{type: array, items: {type: string}}")
        + "        x-kubernetes-validations:"
        + &rules
        + "\n";
    client.open(uri, 1, &text).await;
    let id = client
        .begin("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))
        .await;
    client.notify("$/cancelRequest", json!({ "id": id })).await;
    let response = client.response(id).await;
    // The answer may come before the cancellation, but there is exactly one answer.
    let code = &response["error"]["code"];
    assert!(*code == -32800 || response.get("result").is_some(), "{response}");
    // Cancelling an unknown request is not an error.
    client.notify("$/cancelRequest", json!({ "id": 9_999 })).await;
    client.pull(uri, None).await;
    client.finish().await;
}
