//! What is answered while a version is being judged.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Client, pushed};

/// A definition of some size, with an error: so that the Go around it is asked.
fn definition() -> String {
    let mut text = crate::BROKEN.replace("properties: {\"é😀\": {type: strng}}", "properties:");
    text.push_str("          first: {type: strng}\n");
    for number in 0..2_000 {
        write!(
            text,
            "          p{number}:\n            description: some text\n            type: string\n"
        )
        .expect("a string takes text");
    }
    text
}

/// The judge of the text reads a Go file that goes on and on, as a pipe does. Meanwhile all else is answered, for a newer version, too.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_waits_for_the_judge() {
    let folder = tempfile::tempdir().expect("a folder");
    let go = folder.path().join("v1/types.go");
    std::fs::create_dir(folder.path().join("v1")).expect("a folder");
    std::fs::write(folder.path().join("go.mod"), "module example.com/widgets\n").expect("a file");
    let made = std::process::Command::new("mkfifo").arg(&go).status().expect("mkfifo");
    assert!(made.success());
    let mut capabilities = pushed();
    capabilities["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    let mut client = Client::start(capabilities).await;
    let uri = format!("file://{}/crd.yaml", folder.path().display());
    let text = definition();
    client.open(&uri, 1, &text).await;
    // Opens when the other end is: the judge is at work then, and cannot end before this end is closed.
    let path = go.clone();
    let open = move || std::fs::OpenOptions::new().write(true).open(path);
    let mut pipe = tokio::task::spawn_blocking(open)
        .await
        .expect("no panic")
        .expect("the pipe opens");

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

    // Who reads it again finds a file.
    std::fs::remove_file(&go).expect("a file");
    std::fs::write(&go, "package v1\n").expect("a file");
    std::io::Write::write_all(&mut pipe, b"package v1\n").expect("the judge reads");
    drop(pipe);
    assert!(!client.published(&uri, 2).await.is_empty());
    client.forget_published();
    client.finish().await;
}
