//! Tests of the language server as editors start it: the process, its streams and its exit code. The messages are tested in
//! `server/lsp/tests`.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]

use crd_analyzer_fixtures::cluster::{Answer, Kubectl};
use serde_json::{Value, json};
use server::Server;

mod parity;
mod server;

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
