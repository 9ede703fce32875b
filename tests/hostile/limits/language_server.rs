//! Documents that would need much work or memory. The language server must stay within its limits for every request, and continue to answer.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::{built, idle, server::Server, system};

/// The document for requests.
const URI: &str = "file:///repo/one.yaml";

/// A connection to a language server. The system limits the process of the language server.
struct Session {
    server: Server,
    requests: u32,
}

impl Session {
    fn start() -> Self {
        Self::start_with(&Value::Null)
    }

    /// Starts the language server with a folder as its workspace.
    fn start_in(folder: &Path) -> Self {
        Self::start_with(&json!([{ "uri": uri(folder, ""), "name": "repository" }]))
    }

    fn start_with(folders: &Value) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let mut server = Server::start_as(folder, &["lsp"], |it| system::limited(&it));
        let capabilities = json!({
            "textDocument": {
                "publishDiagnostics": { "relatedInformation": true },
                "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
                "semanticTokens": { "requests": { "full": true }, "tokenTypes": [], "tokenModifiers": [], "formats": [] },
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "codeLens": {}, "inlayHint": {}, "foldingRange": {}, "rename": { "prepareSupport": true },
            },
        });
        server.request(
            1,
            "initialize",
            json!({ "capabilities": capabilities, "workspaceFolders": folders }),
        );
        server.notify("initialized", &json!({}));
        Self { server, requests: 1 }
    }

    /// Opens a document, and waits for its diagnostics.
    #[track_caller]
    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.server
            .notify("textDocument/didOpen", &json!({ "textDocument": document }));
        self.diagnostics(uri, 1)
    }

    #[track_caller]
    fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        loop {
            let mut list = self.server.notification("textDocument/publishDiagnostics");
            if list["uri"] == uri && list["version"] == version {
                self.expect_little_memory("diagnostics");
                return match list["diagnostics"].take() {
                    Value::Array(it) => it,
                    other => panic!("{other} are not diagnostics"),
                };
            }
        }
    }

    /// Sends a request, and returns the response or the error.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let answer = self.server.request(self.requests, method, params);
        self.expect_little_memory(method);
        answer
    }

    #[track_caller]
    fn expect_little_memory(&self, what: &str) {
        let peak = system::peak(self.server.process.id());
        assert!(
            peak.is_none_or(|it| it < system::MAX_MEMORY),
            "{what}: {peak:?} MB are too many"
        );
    }

    /// Sends all kinds of requests about a position and about the whole document, edits the document at that position, and closes it.
    #[track_caller]
    fn examine(&mut self, place: &Value) {
        let document = json!({ "uri": URI });
        let end = json!({ "line": 10_000_000, "character": 0 });
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let here = json!({ "start": place, "end": place });
        for range in [&here, &whole] {
            let context = json!({ "diagnostics": [] });
            self.ask(
                "textDocument/codeAction",
                json!({ "textDocument": document, "range": range, "context": context }),
            );
        }
        let context = json!({ "diagnostics": [], "only": ["source.fixAll"] });
        self.ask(
            "textDocument/codeAction",
            json!({ "textDocument": document, "range": whole, "context": context }),
        );
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/signatureHelp",
            "textDocument/definition",
            "textDocument/documentHighlight",
            "textDocument/prepareRename",
            "crd-analyzer/effectiveObject",
        ] {
            self.ask(method, json!({ "textDocument": document, "position": place }));
        }
        for method in [
            "textDocument/documentSymbol",
            "textDocument/semanticTokens/full",
            "textDocument/inlayHint",
            "textDocument/codeLens",
            "textDocument/documentLink",
            "textDocument/foldingRange",
        ] {
            self.ask(method, json!({ "textDocument": document, "range": whole }));
        }
        let changes = json!([{ "range": here, "text": " " }]);
        self.server.notify(
            "textDocument/didChange",
            &json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": changes }),
        );
        self.diagnostics(URI, 2);
        self.server
            .notify("textDocument/didClose", &json!({ "textDocument": document }));
        // The server only handles the next request after it has closed the document.
        self.ask("crd-analyzer/status", json!({ "textDocument": document }));
    }

    fn finish(mut self) {
        self.ask("shutdown", Value::Null);
        self.server.notify("exit", &Value::Null);
        // Background work determines the number of diagnostics that are published before the end.
        while let Some(message) = self.server.read_unless_ended() {
            assert_eq!(message["method"], "textDocument/publishDiagnostics");
        }
        assert_eq!(self.server.code(), Some(0), "it ended within its limits");
    }
}

fn uri(folder: &Path, path: &str) -> String {
    format!("file://{}", folder.join(path).display())
}

/// The number of files that are opened per repository.
const MOST_OPEN: usize = 3;

/// Whether a file is short. Other tests cover long files, which get thousands of diagnostics.
fn is_short(text: &str) -> bool {
    text.lines().count() <= 500
}

/// Among the first files of a repository, opens those for which `is_wanted` is true, and waits until the language server is idle. Returns the codes
/// of the diagnostics that are shown then.
fn opened(repository: &built::Repository, is_wanted: fn(&str) -> bool) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in &repository.files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let mut session = Session::start_in(folder.path());
    let first = repository.files.iter().take(MOST_OPEN);
    for (path, text) in first.filter(|it| is_wanted(&it.1)) {
        let document = json!({ "uri": uri(folder.path(), path), "languageId": "yaml", "version": 1, "text": text });
        let params = json!({ "textDocument": document });
        session.server.notify("textDocument/didOpen", &params);
    }
    let process = session.server.process.id();
    let document = json!({ "uri": uri(folder.path(), &repository.files[0].0) });
    for _ in 0..2 {
        idle::until_idle(process);
        // The server may have waited for the client to read. Builds are checked again after a change.
        let answer = session.ask("crd-analyzer/status", json!({ "textDocument": document }));
        assert_eq!(answer["definitions"], 1, "{}: {answer}", repository.name);
    }
    session.expect_little_memory(repository.name);
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for message in session.server.passed_over.drain(..) {
        let codes = message["params"]["diagnostics"].as_array().into_iter().flatten();
        let codes = codes.filter_map(|it| it["code"].as_str().map(str::to_owned)).collect();
        shown.insert(message["params"]["uri"].to_string(), codes);
    }
    session.finish();
    shown.into_values().flatten().collect()
}

/// Checks repositories, several at the same time: most of the time, a check waits until a language server is idle.
fn at_the_same_time(repositories: Vec<built::Repository>, check: impl Fn(&built::Repository) + Sync) {
    const AT_ONCE: usize = 4;
    let next = std::sync::Mutex::new(repositories.into_iter());
    let take = || next.lock().ok()?.next();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(repository) = take() {
                    check(&repository);
                }
            });
        }
    });
}

#[test]
fn repositories_of_which_gigabytes_are_made_are_shown_in_part() {
    at_the_same_time(built::too_large(), |repository| {
        let codes = opened(repository, is_short);
        // If a repository has many objects, the diagnostic is in the file of an object, and this file is not open.
        let is_elsewhere = !repository.files.iter().take(MOST_OPEN).all(|it| is_short(&it.1));
        assert!(
            is_elsewhere || codes.iter().any(|it| it == "not-finished"),
            "{}: {codes:?}",
            repository.name
        );
    });
}

#[test]
fn repositories_of_many_objects_and_kustomizations_are_shown() {
    at_the_same_time(built::many(), |repository| {
        let codes = opened(repository, |_| true);
        assert!(
            !codes.iter().any(|it| it == "not-finished"),
            "{}: {codes:?}",
            repository.name
        );
    });
}

/// A CRD whose `spec` has this schema.
fn definition(spec: &Value) -> String {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "properties": { "spec": spec },
            } } }],
        },
    })
    .to_string()
}

fn resource(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec:\n{spec}")
}

/// Opens a document together with a CRD, sends requests about the position of the first diagnostic, and checks the number of diagnostics.
#[track_caller]
fn check(text: &str, diagnostics: std::ops::RangeInclusive<usize>) {
    let mut session = Session::start();
    let properties: serde_json::Map<String, Value> = (0..50)
        .map(|n| (format!("replicas{n}"), json!({"type": "integer"})))
        .chain([(
            "items".to_owned(),
            json!({"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}),
        )])
        .collect();
    session.open(
        "file:///repo/crd.yaml",
        &definition(&json!({"type": "object", "properties": properties})),
    );
    let found = session.open(URI, text);
    assert!(diagnostics.contains(&found.len()), "{} diagnostics", found.len());
    let place = found.first().map_or_else(
        || json!({ "line": 0, "character": 5 }),
        |it| it["range"]["start"].clone(),
    );
    session.examine(&place);
    session.finish();
}

#[test]
fn unknown_fields_in_tens_of_thousands_of_items() {
    check(
        &resource(&format!("  items:\n{}", "  - nam: 1\n".repeat(80_000))),
        1_001..=1_001,
    );
}

#[test]
fn tens_of_thousands_of_misspelt_fields() {
    let fields = (0..20_000).fold(String::new(), |text, n| text + &format!("  replicasx{n}: 1\n"));
    check(&resource(&fields), 1_001..=1_001);
}

#[test]
fn thousands_of_rules_that_cannot_be_parsed() {
    let rules = vec![json!({"rule": "a b"}); 2_000];
    let schema = json!({"type": "object", "x-kubernetes-validations": rules});
    check(&definition(&schema), 1..=1_001);
}

#[test]
fn one_long_line() {
    let items = vec![r#"{"name":"a","nam":1}"#; 20_000].join(",");
    let text = format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a"}},"spec":{{"items":[{items}]}}}}"#
    );
    check(&text, 1_001..=1_001);
}

#[test]
fn thousands_of_suppressions_and_duplicate_keys() {
    let comments = "# crd-analyzer: ignore[unknown-field] no\n".repeat(20_000);
    check(&format!("{comments}{}", resource("  replicas1: 1\n")), 1..=1_001);
    check(&resource(&"  replicas1: 1\n".repeat(50_000)), 1..=1_001);
}

#[test]
fn ten_thousand_changes_in_one_message() {
    let mut session = Session::start();
    session.open(URI, "a: 1\n");
    let start = json!({ "line": 0, "character": 0 });
    let change = json!({ "range": { "start": start, "end": start }, "text": "x" });
    session.server.notify(
        "textDocument/didChange",
        &json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": vec![change; 10_000] }),
    );
    session.diagnostics(URI, 2);
    session.finish();
}

#[test]
fn ten_thousand_documents() {
    let mut session = Session::start();
    for n in 0..10_000 {
        let text = resource("  replicas1: 1\n");
        let document =
            json!({ "uri": format!("file:///repo/{n}.yaml"), "languageId": "yaml", "version": 1, "text": text });
        session
            .server
            .notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }
    session.ask(
        "textDocument/hover",
        json!({ "textDocument": { "uri": "file:///repo/9999.yaml" }, "position": { "line": 1, "character": 1 } }),
    );
    session.finish();
}

#[test]
fn messages_that_cannot_be_read() {
    use std::io::Write as _;

    let mut session = Session::start();
    let input = session.server.input.as_mut().expect("not hung up");
    for bad in [
        "Content-Length: 1000000000\r\n\r\n{}".to_owned(),
        "Content-Length: 2\r\n\r\n{]".to_owned(),
        format!("Content-Length: 200000\r\n\r\n{}", "[".repeat(200_000)),
        "x".repeat(100_000),
    ]
    .map(|it| it.repeat(20))
    {
        input.write_all(bad.as_bytes()).expect("it reads");
    }
    let found = session.open(URI, "a: 1\n");
    assert!(found.is_empty(), "{found:?}");
    session.finish();
}
