//! A language server that opens a file.

use std::{
    io::{BufRead, BufReader, Write as _},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::repository::Place;

/// Opens a file in the language server, whose folder is `workspace`. Waits for the diagnostics, and until git and all other work have ended.
pub(crate) fn open(place: &Place, workspace: &str, file: &str) -> Vec<Value> {
    run(place, place.command(workspace, ["lsp"]), workspace, file, true)
}

/// Like [`open`], with another command for the language server, and in a trusted or untrusted workspace.
pub(crate) fn run(place: &Place, mut command: Command, workspace: &str, file: &str, trusted: bool) -> Vec<Value> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the language server starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut send = |message: Value| {
        let text = message.to_string();
        write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        stdin.flush().expect("the server reads");
    };
    let folder = format!("file://{}", place.path(workspace).display());
    let uri = format!("{folder}/{file}");
    let text = std::fs::read_to_string(place.path(workspace).join(file)).expect("it is there");
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": true}}},
        "workspaceFolders": [{"uri": folder, "name": "w"}],
        "initializationOptions": {"trusted": trusted},
    }}));
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut messages = Vec::new();
    let mut wait_for = |is_meant: &dyn Fn(&Value) -> bool| {
        loop {
            let message = receive(&mut stdout).expect("the server answers");
            let is_it = is_meant(&message);
            messages.push(message);
            if is_it {
                return;
            }
        }
    };
    wait_for(&|it| it["id"] == 1);
    send(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    send(
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "yaml", "version": 1, "text": text,
        }}}),
    );
    wait_for(&|it| it["method"] == "textDocument/publishDiagnostics");
    // git runs in the background, so the test waits for it before the language server shuts down.
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..200 {
        if !place.is_git_at_work() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}));
    wait_for(&|it| it["id"] == 2);
    send(json!({"jsonrpc": "2.0", "method": "exit"}));
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    messages
}

fn receive(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
