//! The language server as editors start it: the process, its streams and its exit code. What is said in a session is tested in
//! `server/lsp/tests`.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

#[path = "../hostile/rules.rs"]
mod hostile_rules;

const BROKEN: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: objct}}}
";

struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"))
            .args(arguments)
            // Pages of codes are written below.
            .envs(["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"].map(|it| (it, env!("CARGO_TARGET_TMPDIR"))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it writes"));
        Self { process, input, output }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("not hung up");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("it writes"), 0, "it hung up");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("it writes");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        loop {
            let mut answer = self.read();
            if answer["id"] == id {
                return answer["result"].take();
            }
        }
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn initialize(&mut self) {
        let answer = self.request(1, "initialize", json!({ "processId": null, "capabilities": {} }));
        assert_eq!(answer["serverInfo"]["name"], "crd-analyzer");
        self.notify("initialized", &json!({}));
    }

    /// The exit code, and that nothing but messages was written.
    fn code(mut self) -> Option<i32> {
        self.input = None;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).expect("it writes");
        assert_eq!(String::from_utf8_lossy(&rest), "");
        self.process.wait().expect("it ends").code()
    }
}

#[test]
fn a_session_from_start_to_end() {
    for arguments in [&["lsp"][..], &["lsp", "--stdio"]] {
        let mut server = Server::start(arguments);
        server.initialize();
        let document = json!({ "uri": "file:///widgets.yaml", "languageId": "yaml", "version": 1, "text": BROKEN });
        server.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let list = server.read();
        assert_eq!(list["method"], "textDocument/publishDiagnostics");
        assert_eq!(list["params"]["version"], 1);
        let column = BROKEN
            .lines()
            .nth(8)
            .and_then(|it| it.find("objct"))
            .expect("the error");
        assert_eq!(
            list["params"]["diagnostics"][0]["range"]["start"],
            json!({ "line": 8, "character": column })
        );
        server.request(2, "shutdown", Value::Null);
        server.notify("exit", &Value::Null);
        assert_eq!(server.code(), Some(0));
    }
}

#[test]
fn an_end_without_shutdown_is_a_failure() {
    let mut server = Server::start(&["lsp"]);
    server.initialize();
    server.notify("exit", &Value::Null);
    assert_eq!(server.code(), Some(1), "exit");
    let mut server = Server::start(&["lsp"]);
    server.initialize();
    assert_eq!(server.code(), Some(1), "the client hangs up");
    assert_eq!(Server::start(&["lsp"]).code(), Some(1), "before anything");
}

#[test]
fn rules_that_are_too_much_are_answered() {
    let mut server = Server::start(&["lsp"]);
    server.initialize();
    for rule in hostile_rules::rules() {
        let text = hostile_rules::definition(&rule.text);
        let uri = "file:///widgets.json";
        let document = json!({ "uri": uri, "languageId": "json", "version": 1, "text": text });
        server.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let list = server.read();
        assert_eq!(list["params"]["version"], 1, "{}", rule.name);
        let findings = list["params"]["diagnostics"].as_array().expect("a list");
        // One severity is for what the server refuses.
        let refuses = findings.iter().any(|it| it["severity"] == 1);
        assert_eq!(refuses, rule.error.is_some(), "{}: {findings:?}", rule.name);
        server.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
        assert_eq!(server.read()["params"]["diagnostics"], json!([]));
    }
    server.request(2, "shutdown", Value::Null);
    server.notify("exit", &Value::Null);
    assert_eq!(server.code(), Some(0));
}
