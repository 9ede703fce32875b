//! Diagnostics that the client pulls.

use serde_json::json;

use crate::{
    BROKEN, LINE,
    client::{Client, list, pulling},
};

const URI: &str = "file:///widgets.yaml";

#[tokio::test]
async fn a_list_has_a_name_and_is_not_sent_twice() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, BROKEN).await;
    let first = client.pull(URI, None).await;
    assert_eq!(first["kind"], "full");
    let name = first["resultId"].as_str().expect("a name").to_owned();
    let second = client.pull(URI, Some(&name)).await;
    assert_eq!(second, json!({ "kind": "unchanged", "resultId": name }));
    // An edit that does not change the diagnostics.
    client.change(URI, 2, &[([LINE + 1, 0, LINE + 1, 0], "# note\n")]).await;
    assert_eq!(client.pull(URI, Some(&name)).await["kind"], "unchanged");
    // An edit that moves the diagnostic.
    client.change(URI, 3, &[([0, 0, 0, 0], "# note\n")]).await;
    let moved = client.pull(URI, Some(&name)).await;
    assert_eq!(moved["kind"], "full");
    assert_eq!(moved["items"][0]["range"]["start"]["line"], LINE + 1);
    client.finish().await;
}

#[tokio::test]
async fn a_finding_has_all_that_the_client_can_show() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, BROKEN).await;
    let items = list(client.pull(URI, None).await["items"].take());
    let item = &items[0];
    assert_eq!(item["severity"], 1);
    assert_eq!(item["source"], "crd-analyzer");
    let code = item["code"].as_str().expect("a code");
    let page = item["codeDescription"]["href"].as_str().expect("a page");
    let page = std::fs::read_to_string(page.strip_prefix("file://").expect("a file")).expect("it is there");
    assert!(page.starts_with(&format!("# {code}\n")), "{page}");
    assert!(
        item["message"].as_str().expect("words").contains("is not a type"),
        "{item}"
    );
    assert_eq!(item["data"]["code"], code);
    client.finish().await;
}

#[tokio::test]
async fn both_duplicate_keys_are_named() {
    let mut client = Client::start(pulling()).await;
    let text = BROKEN.replace("strng", "string") + "  group: example.com\n";
    client.open(URI, 1, &text).await;
    let items = list(client.pull(URI, None).await["items"].take());
    assert_eq!(items.len(), 1, "{items:?}");
    let related = list(items[0]["relatedInformation"].clone());
    assert_eq!(related[1]["location"]["uri"], URI);
    assert_ne!(related[1]["location"]["range"], items[0]["range"]);
    client.finish().await;
}

#[tokio::test]
async fn what_the_client_cannot_show_is_left_out() {
    let mut capabilities = pulling();
    capabilities["textDocument"]["publishDiagnostics"] = json!({});
    let mut client = Client::start(capabilities).await;
    let text = BROKEN.replace("strng", "string") + "  group: example.com\n";
    client.open(URI, 1, &text).await;
    let items = list(client.pull(URI, None).await["items"].take());
    for field in ["relatedInformation", "codeDescription", "tags", "data"] {
        assert!(items[0].get(field).is_none(), "{field}");
    }
    client.finish().await;
}

#[tokio::test]
async fn clients_that_cannot_be_asked_to_pull_again_are_sent_lists() {
    let mut client = Client::start(
        json!({ "textDocument": { "diagnostic": {}, "publishDiagnostics": { "versionSupport": true } } }),
    )
    .await;
    client.open(URI, 1, BROKEN).await;
    assert_eq!(client.published(URI, 1).await.len(), 1);
    client.finish().await;
}

#[tokio::test]
async fn nothing_is_said_of_other_documents() {
    let mut client = Client::start(pulling()).await;
    for (n, text) in [
        "kind: Deployment\nspec: {}\n",
        "a: [",
        "",
        "{{ .Values.x }}\n",
        "apiVersion: v1\nkind: List\nitems: 3\n",
    ]
    .iter()
    .enumerate()
    {
        let uri = format!("file:///{n}.yaml");
        client.open(&uri, 1, text).await;
        assert_eq!(client.pull(&uri, None).await["items"], json!([]), "{text:?}");
    }
    client.finish().await;
}

#[tokio::test]
async fn many_requests_at_once_are_all_answered() {
    let mut client = Client::start(pulling()).await;
    client.open(URI, 1, BROKEN).await;
    let mut ids = Vec::new();
    for _ in 0..200 {
        ids.push(
            client
                .begin("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }))
                .await,
        );
    }
    for id in ids {
        assert_eq!(list(client.response(id).await["result"]["items"].take()).len(), 1);
    }
    client.finish().await;
}

#[tokio::test]
async fn a_template_is_said_to_be_one_once() {
    let mut client = Client::start(pulling()).await;
    let text = BROKEN.replace(
        "{name: widgets.example.com}",
        "\n  name: {{ .Values.name }}\n  {{- if .Values.labels }}\n  labels: {{ .Values.labels }}",
    );
    client.open(URI, 1, &text).await;
    let items = list(client.pull(URI, None).await["items"].take());
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(
        (&items[0]["code"], &items[0]["severity"]),
        (&json!("template"), &json!(3))
    );
    assert_eq!(items[0]["range"]["start"], json!({ "line": 3, "character": 8 }));
    client.finish().await;
}

#[tokio::test]
async fn text_that_does_not_parse_has_its_error() {
    let mut client = Client::start(pulling()).await;
    client
        .open(URI, 1, &BROKEN.replace("metadata: {", "metadata: {a: [}, "))
        .await;
    assert_eq!(client.pull(URI, None).await["items"][0]["code"], "invalid-yaml");
    client.finish().await;
}
