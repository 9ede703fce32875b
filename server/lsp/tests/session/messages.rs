//! After any message, the server still answers the next request.

use serde_json::{Value, json};

use crate::{
    BROKEN,
    client::{Client, list, pulling},
};

/// The methods that a client may call.
const REQUESTS: &[&str] = &[
    "initialize",
    "textDocument/diagnostic",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/documentHighlight",
    "textDocument/foldingRange",
    "textDocument/onTypeFormatting",
    "textDocument/selectionRange",
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "workspace/executeCommand",
    "workspace/diagnostic",
    "crd-analyzer/effectiveObject",
    "crd-analyzer/status",
    "textDocument/nothing",
    "$/nothing",
    "",
];

const NOTIFICATIONS: &[&str] = &[
    "initialized",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "crd-analyzer/trustGranted",
    "$/setTrace",
    "$/cancelRequest",
    "$/nothing",
];

/// Parameters that are invalid, or that refer to something that does not exist.
const PARAMS: &[&str] = &[
    "",
    ",\"params\":null",
    ",\"params\":3",
    ",\"params\":\"x\"",
    ",\"params\":[]",
    ",\"params\":[1e3,-0,{}]",
    ",\"params\":{}",
    r#","params":{"textDocument":null,"position":null,"settings":null,"changes":[null],"event":{}}"#,
    r#","params":{"textDocument":{"uri":5,"version":1.5},"contentChanges":[{"text":3}]}"#,
    r#","params":{"textDocument":{"uri":"","version":1e3},"position":{"line":1e3,"character":-0}}"#,
    r#","params":{"textDocument":{"uri":"::","languageId":"","version":9223372036854775808,"text":"a"},"position":{"line":-1,"character":0}}"#,
    r#","params":{"textDocument":{"uri":"untitled:x"},"position":{"line":4294967295,"character":4294967295},"range":{"start":{"line":9,"character":9},"end":{"line":0,"character":0}},"newName":"","ch":"","options":{"tabSize":0,"insertSpaces":true},"context":{"includeDeclaration":true,"diagnostics":[]},"positions":[],"previousResultId":"","command":"","label":"","id":{}}"#,
];

/// Sends a message and then a request, which must be answered.
async fn next_is_answered(client: &mut Client, raw: &[u8], next: &str) -> Value {
    client.send_bytes(raw).await;
    let params = json!({ "textDocument": { "uri": "untitled:next" } });
    let id = client.begin(next, params).await;
    client.response(id).await
}

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[tokio::test]
async fn parameters_of_every_method_may_be_wrong() {
    let mut client = Client::start(pulling()).await;
    for params in PARAMS {
        for method in REQUESTS {
            let message = format!(r#"{{"jsonrpc":"2.0","id":"x","method":"{method}"{params}}}"#);
            let answer = next_is_answered(&mut client, &framed(&message), "crd-analyzer/status").await;
            assert!(answer.get("result").is_some(), "behind {message}: {answer}");
            let own = client.response_to("x").await;
            let expected: &[i64] = match *method {
                "initialize" => &[-32600],
                "textDocument/nothing" | "$/nothing" | "" => &[-32601],
                _ => &[-32602, -32603, -32803, -32801],
            };
            let code = own["error"]["code"].as_i64();
            assert!(
                own.get("result").is_some() && expected.len() > 1 || code.is_some_and(|it| expected.contains(&it)),
                "{message}: {own}"
            );
        }
        for method in NOTIFICATIONS {
            let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#);
            let answer = next_is_answered(&mut client, &framed(&message), "crd-analyzer/status").await;
            assert!(answer.get("result").is_some(), "behind {message}: {answer}");
        }
    }
    // The session still works.
    client.open("file:///a.yaml", 1, BROKEN).await;
    assert_eq!(list(client.pull("file:///a.yaml", None).await["items"].take()).len(), 1);
    client.finish().await;
}

#[tokio::test]
async fn requests_and_notifications_may_be_mixed_up() {
    let mut client = Client::start(pulling()).await;
    for method in NOTIFICATIONS.iter().chain(&["exit"]) {
        let message = format!(r#"{{"jsonrpc":"2.0","id":"x","method":"{method}"}}"#);
        let answer = next_is_answered(&mut client, &framed(&message), "crd-analyzer/status").await;
        assert!(answer.get("result").is_some(), "behind {message}: {answer}");
        let expected = if method.starts_with("$/") { -32601 } else { -32600 };
        assert_eq!(client.response_to("x").await["error"]["code"], expected, "{message}");
    }
    for method in REQUESTS.iter().chain(&["shutdown"]) {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"capabilities":{{}}}}}}"#);
        let answer = next_is_answered(&mut client, &framed(&message), "crd-analyzer/status").await;
        assert!(answer.get("result").is_some(), "behind {message}: {answer}");
    }
    client.finish().await;
}

/// An invalid message gets the same answer in every state of the session.
#[tokio::test]
async fn what_is_no_message_is_answered_before_and_after() {
    let malformed: &[(&[u8], i64)] = &[
        (b"Content-Length: 0\r\n\r\n", -32700),
        (b"Content-Length: 4\r\n\r\n{no}", -32700),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (
            b"Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ab\"}",
            -32600,
        ),
        (
            b"Content-Length: 41\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ab\"}",
            -32600,
        ),
        (b"Content-Type: x\r\n\r\n{}", -32600),
        (b"Content-Length: 9999\r\n\r\n{}", -32600),
        (b"Content-Length: 999999999\r\n\r\n{}", -32600),
        (b"Content-Length: x\r\n\r\n{}", -32600),
        (b"{}", -32600),
    ];
    let mut client = Client::connect();
    for state in ["before", "during", "after"] {
        for (raw, code) in malformed {
            let answer = next_is_answered(&mut client, raw, "textDocument/nothing").await;
            let text = String::from_utf8_lossy(raw);
            assert_eq!(answer["error"]["code"], -32601, "{state} {text:?}");
            let own = client.response_without_id().await;
            assert_eq!(own["error"]["code"], *code, "{state} {text:?}");
        }
        let status = next_is_answered(&mut client, b"", "crd-analyzer/status").await;
        match state {
            "before" => {
                assert_eq!(status["error"]["code"], -32002);
                client.request("initialize", json!({ "capabilities": pulling() })).await;
                client.notify("initialized", json!({})).await;
            }
            "during" => {
                assert!(status.get("result").is_some(), "{status}");
                client.request("shutdown", Value::Null).await;
            }
            _ => assert_eq!(status["error"]["code"], -32600),
        }
    }
    assert_eq!(client.leave(true).await, 0);
}
