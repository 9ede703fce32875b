//! Tests of the language server as editors start it: the process, its streams and its exit code. The messages are tested in
//! `server/lsp/tests`.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crd_analyzer_fixtures::cluster::{Answer, Kubectl};
use serde_json::{Value, json};

mod budgets;
#[path = "../hostile/built.rs"]
mod built;
#[path = "../hostile/rules.rs"]
mod hostile_rules;
mod idle;
#[path = "../hostile/limits.rs"]
mod limits;
mod parity;

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
    /// Messages received while waiting for a response.
    passed_over: VecDeque<Value>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        // Pages of codes are written into this folder.
        Self::start_in(Path::new(env!("CARGO_TARGET_TMPDIR")), arguments)
    }

    /// Starts the language server with system limits.
    fn start_limited() -> Self {
        Self::start_as(Path::new(env!("CARGO_TARGET_TMPDIR")), &["lsp"], |it| {
            limits::limited(&it)
        })
    }

    /// Starts the language server. `folder` is the home folder. It contains the cache, the kubeconfig and programs.
    fn start_in(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_as(folder, arguments, |it| it)
    }

    fn start_as(folder: &Path, arguments: &[&str], run: impl FnOnce(Command) -> Command) -> Self {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let own = std::iter::once(folder.join("bin"));
        let path = std::env::join_paths(own.chain(std::env::split_paths(&others))).expect("a PATH");
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"));
        command
            .args(arguments)
            .env("PATH", path)
            .envs(["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"].map(|it| (it, folder)))
            .env("KUBECONFIG", folder.join("kubeconfig"));
        let mut process = run(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it writes"));
        Self {
            process,
            input,
            output,
            passed_over: VecDeque::new(),
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("not hung up");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    }

    fn read(&mut self) -> Value {
        self.read_unless_ended().expect("it hung up")
    }

    /// The next message; `None` if the server closed its output.
    fn read_unless_ended(&mut self) -> Option<Value> {
        if self.output.fill_buf().expect("it writes").is_empty() {
            return None;
        }
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
        Some(serde_json::from_slice(&body).expect("JSON"))
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
            self.passed_over.push_back(answer);
        }
    }

    /// The parameters of the next notification with this method.
    fn notification(&mut self, method: &str) -> Value {
        loop {
            let mut message = self.passed_over.pop_front().unwrap_or_else(|| self.read());
            if message["method"] == method {
                return message["params"].take();
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

    /// The exit code. Checks that the output of the server contained only messages.
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

/// A CRD of widgets with this maximum for `size`, in the form that a cluster stores.
fn widgets(most: u32) -> String {
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"size": {"type": "integer", "maximum": most}},
            }}}],
        },
    })
    .to_string()
}

#[test]
fn definitions_come_from_the_cluster_of_the_settings() {
    let home = tempfile::tempdir().expect("a folder");
    let cluster = Kubectl::new(home.path(), &Answer::Definitions(vec![widgets(5)]));
    cluster.kubeconfig(home.path(), "kind/a");
    for (settings, expected) in [
        (json!({}), 0),
        (json!({"cluster": "kind/a"}), 1),
        (json!({"cluster": true}), 1),
    ] {
        let mut server = Server::start_in(home.path(), &["lsp"]);
        let capabilities = json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } });
        let options = json!({ "capabilities": capabilities, "initializationOptions": settings });
        server.request(1, "initialize", options);
        server.notify("initialized", &json!({}));
        let text = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nsize: 7\n";
        let document = json!({ "uri": "file:///repo/one.yaml", "languageId": "yaml", "version": 1, "text": text });
        server.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        let mut list = server.notification("textDocument/publishDiagnostics");
        if expected == 1 {
            while list["diagnostics"].as_array().is_some_and(Vec::is_empty) {
                list = server.notification("textDocument/publishDiagnostics");
            }
            let related = &list["diagnostics"][0]["relatedInformation"][1];
            assert_eq!(related["message"], "`maximum` is set here, from the cluster kind/a");
            let uri = related["location"]["uri"].as_str().unwrap_or_default();
            let path = uri.strip_prefix("file://").expect("a file").replace("%25", "%");
            let text = std::fs::read_to_string(&path).expect("the definition can be opened");
            assert!(text.contains("\"maximum\": 5"), "{path}: {text}");
        }
        assert_eq!(list["diagnostics"].as_array().map(Vec::len), Some(expected));
        let before = cluster.asked();
        let again = json!({ "command": "crd-analyzer.readCluster", "arguments": [] });
        server.request(2, "workspace/executeCommand", again);
        let said = server.notification("window/showMessage");
        let message = said["message"].as_str().unwrap_or_default();
        if expected == 1 {
            assert_eq!(message, "1 definition of the cluster kind/a");
            assert_eq!(cluster.asked(), before + 1);
        } else {
            assert!(message.contains("does not name a cluster"), "{message}");
            assert_eq!(before, 0, "no setting asked for a cluster");
        }
        server.request(3, "shutdown", Value::Null);
        server.notify("exit", &Value::Null);
        assert_eq!(server.process.wait().expect("it ends").code(), Some(0));
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
        // Only rejections have the severity "error".
        let refuses = findings.iter().any(|it| it["severity"] == 1);
        assert_eq!(refuses, rule.error.is_some(), "{}: {findings:?}", rule.name);
        server.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
        assert_eq!(server.read()["params"]["diagnostics"], json!([]));
    }
    server.request(2, "shutdown", Value::Null);
    server.notify("exit", &Value::Null);
    assert_eq!(server.code(), Some(0));
}
