//! Requests that are answered during an analysis.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Client, pushed};

/// A CRD whose analysis takes seconds, because each property has its own rule to compile. Everything else takes milliseconds.
fn definition() -> String {
    let mut text = crate::BROKEN.replace("properties: {\"é😀\": {type: strng}}", "properties:");
    text.push_str("          first: {type: strng}\n");
    for number in 0..2_000 {
        let parts: Vec<String> = (0..20).map(|it| format!("!self.contains('{number}-{it}')")).collect();
        write!(
            text,
            "          p{number}:\n            description: some text\n            type: string\n            maxLength: 9\n            \
             x-kubernetes-validations: [{{rule: \"{}\"}}]\n",
            parts.join(" && ")
        )
        .expect("a string takes text");
    }
    text
}

/// During an analysis, all other requests are answered, even those for a newer version.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_waits_for_the_judge() {
    let mut capabilities = pushed();
    capabilities["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    let mut client = Client::start(capabilities).await;
    let uri = "file:///crd.yaml".to_owned();
    let text = definition();
    client.open(&uri, 1, &text).await;
    // Wait until the analysis has started.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;

    let line = text.lines().position(|it| it.contains("p1000:")).expect("it is there") as u64;
    client
        .change(&uri, 2, &[([line + 1, 0, line + 1, 0], "            for\n")])
        .await;
    let document = json!({ "uri": uri });
    let at = |line: u64, character: u64| {
        let position = json!({ "line": line, "character": character });
        json!({ "textDocument": document, "position": position })
    };
    let items = client.request("textDocument/completion", at(line + 1, 15)).await;
    let items = items.get("items").unwrap_or(&items).as_array().expect("a list").clone();
    assert!(items.iter().any(|it| it["label"] == "format"), "{items:?}");
    let hover = client.request("textDocument/hover", at(line + 3, 14)).await;
    assert!(
        hover["contents"]["value"]
            .as_str()
            .is_some_and(|it| it.contains("type")),
        "{hover}"
    );
    let whole = json!({ "textDocument": document });
    for method in ["textDocument/documentSymbol", "textDocument/foldingRange"] {
        let answer = client.request(method, whole.clone()).await;
        assert!(answer.as_array().is_some_and(|it| !it.is_empty()), "{method}: {answer}");
    }
    for method in [
        "textDocument/definition",
        "textDocument/documentHighlight",
        "textDocument/signatureHelp",
    ] {
        let _: Value = client.request(method, at(line, 11)).await;
    }
    assert!(client.other_versions().is_empty(), "nothing was judged so far");
    assert!(!client.published(&uri, 2).await.is_empty());
    client.finish_with_lists().await;
}
