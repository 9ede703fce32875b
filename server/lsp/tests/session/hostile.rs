//! Hostile names, paths, values and descriptions: nothing that an editor shows may move the cursor, hide text, load something or run a command.

use crd_analyzer_fixtures::markdown::dangers;
use lsp_types::Uri;
use serde_json::{Value, json};

use crate::client::{Client, list, pulling};

/// A double-quoted YAML scalar that moves the cursor, changes the text direction, hides text, starts a line with a workflow command, loads an image,
/// and runs a command.
const QUOTED: &str = r#""a\u001b[2J\u009b31mb\u202ec\u2066d\u200be\U000E0041f\n::error file=x::g\r##[error]h ![i](https://evil.example/x.png) [j](command:k) <img src=l> [m]: command:n""#;

/// The same content as literal characters, as far as YAML accepts them.
const RAW: &str =
    "'a\u{202e}b\u{2066}c\u{200b}d ##[error]f ::error::g ![i](https://evil.example/x.png) [j](command:k) <img src=l>'";

/// Keys whose values are not displayed: text to insert into the document, and crd-analyzer's own addresses and numbers.
const NOT_SHOWN: &[&str] = &[
    "arguments",
    "data",
    "filterText",
    "href",
    "insertText",
    "newText",
    "placeholder",
    "resultId",
    "sortText",
    "target",
    "targetUri",
    "uri",
];

/// Requests with a position. The test also resolves completion items.
const AT_A_PLACE: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "crd-analyzer/effectiveObject",
];

/// Requests with a document.
const OF_A_DOCUMENT: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "textDocument/documentLink",
    "textDocument/diagnostic",
];

/// The maximum number of positions to test in a document.
const MOST_PLACES: usize = 30;

fn definition(quoted: &str, raw: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com, labels: {{{quoted}: {quoted}}}}}
spec:
  group: example.com
  names: {{kind: Widget, plural: widgets, shortNames: [{quoted}]}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: {quoted}
    schema:
      openAPIV3Schema:
        type: object
        description: {quoted}
        properties:
          spec:
            type: object
            description: {raw}
            required: [{quoted}]
            properties:
              {quoted}: {{type: string, title: {quoted}, description: {raw}, enum: [{quoted}, {raw}], default: 7}}
              name:
                type: string
                description: {quoted}
                pattern: {quoted}
                format: {quoted}
                maxLength: 3
                x-kubernetes-validations:
                - {{rule: \"self == 'x'\", message: {quoted}}}
                - {{rule: {quoted}, message: {raw}}}
                - {{rule: 'self.size() > 1', messageExpression: {quoted}, fieldPath: {quoted}, reason: {quoted}}}
              list: {{type: array, items: {{type: strnig, description: {quoted}}}}}
"
    )
}

fn resource(quoted: &str, raw: &str) -> String {
    format!(
        "apiVersion: example.com/v1
kind: Widget
metadata: {{name: {quoted}, labels: {{{quoted}: {quoted}}}, annotations: {{{raw}: {raw}}}}}
spec:
  name: {quoted}
  {quoted}: {raw}
  list: [{quoted}, {{{quoted}: 1}}]
  {raw}: 1
"
    )
}

/// Whether a character is invisible, other than line breaks and tabs.
fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
        || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Counts the strings that were checked.
#[derive(Default)]
struct Seen {
    /// The number of strings that contain part of the hostile text.
    texts: usize,
    /// The number of such strings that are Markdown.
    markdown: usize,
}

impl Seen {
    /// Checks all visible strings of an answer or a message.
    fn check(&mut self, what: &str, value: &Value) {
        match value {
            Value::String(text) => {
                self.texts += usize::from(text.contains("evil.example"));
                assert!(!text.contains(is_hidden), "{what}: {text:?}");
                assert!(!text.contains("##["), "{what}: {text:?}");
            }
            Value::Array(items) => items.iter().for_each(|it| self.check(what, it)),
            Value::Object(fields) => {
                if fields.get("kind").is_some_and(|it| it == "markdown") {
                    let text = fields["value"].as_str().expect("Markdown");
                    self.markdown += usize::from(text.contains("evil.example"));
                    assert_eq!(dangers(text), [""; 0], "{what}: {text}");
                }
                for (key, value) in fields.iter().filter(|it| !NOT_SHOWN.contains(&it.0.as_str())) {
                    self.check(&format!("{what} {key}"), value);
                }
            }
            _ => {}
        }
    }

    /// Checks messages. They may also appear in a log, so no line may be a workflow command.
    fn check_messages(&mut self, client: &mut Client) {
        for method in ["window/showMessage", "window/logMessage", "$/logTrace", "$/progress"] {
            for message in client.waiting(method) {
                self.check(method, &message);
                let text = message["message"].as_str().unwrap_or_default();
                assert!(
                    !text.lines().any(|it| it.trim_start().starts_with("::")),
                    "{method}: {text:?}"
                );
            }
        }
    }
}

fn capabilities() -> Value {
    let mut capabilities = pulling();
    let markdown = json!(["markdown"]);
    let text = json!({
        "hover": { "contentFormat": markdown },
        "completion": { "completionItem": { "documentationFormat": markdown, "snippetSupport": true, "resolveSupport": { "properties": ["documentation"] } } },
        "signatureHelp": { "signatureInformation": { "documentationFormat": markdown } },
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
        "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
        "codeLens": {}, "inlayHint": {}, "rename": { "prepareSupport": true },
    });
    for (key, value) in text.as_object().expect("a map") {
        capabilities["textDocument"][key] = value.clone();
    }
    capabilities["window"] = json!({ "workDoneProgress": true });
    capabilities
}

/// Positions all over a document, at the starts of words, with columns in UTF-16.
fn places(text: &str) -> Vec<Value> {
    let mut places = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let words = content.match_indices([':', ' ', '"', '\'', '.', '[', '(']);
        for (at, found) in words {
            let column = content[..at + found.len()].encode_utf16().count();
            places.push(json!({ "line": line, "character": column }));
        }
    }
    let step = places.len().div_ceil(MOST_PLACES).max(1);
    places.into_iter().step_by(step).collect()
}

/// Sends every request for a document.
async fn examine(client: &mut Client, uri: &str, text: &str, seen: &mut Seen) {
    let document = json!({ "uri": uri });
    let end = json!({ "line": text.lines().count(), "character": 0 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let context = json!({ "diagnostics": client.pull(uri, None).await["items"] });
    for method in OF_A_DOCUMENT {
        let params = json!({ "textDocument": document, "range": range, "context": context });
        let answer = client.request(method, params).await;
        seen.check(method, &answer);
    }
    for place in places(text) {
        for method in AT_A_PLACE {
            let id = client
                .begin(method, json!({ "textDocument": document, "position": place }))
                .await;
            let response = client.response(id).await;
            // A failed rename returns an error, whose message the client displays.
            seen.check(method, &response["error"]);
            seen.check(method, &response["result"]);
            if *method != "textDocument/completion" {
                continue;
            }
            let result = &response["result"];
            let items = result.get("items").unwrap_or(result);
            for item in items.as_array().into_iter().flatten().take(4) {
                let resolved = client.request("completionItem/resolve", item.clone()).await;
                seen.check("completionItem/resolve", &resolved);
            }
        }
    }
}

#[tokio::test]
async fn what_is_shown_of_hostile_documents_can_only_be_read() {
    let mut client = Client::start_with(json!({ "capabilities": capabilities(), "trace": "verbose" })).await;
    let mut seen = Seen::default();
    let broken = format!("{}  {QUOTED}: [\n", definition(QUOTED, RAW));
    let twice = definition(QUOTED, RAW).replace(
        "    served: true\n",
        &format!("    served: true\n    served: true\n    {QUOTED}: 1\n"),
    );
    let plain = definition("\"x\"", "'y'");
    let documents = [
        ("crd.yaml", definition(QUOTED, RAW)),
        ("one.yaml", resource(QUOTED, RAW)),
        ("raw.yaml", resource(RAW, RAW)),
        ("broken.yaml", broken),
        ("twice.yaml", twice),
        // A valid CRD, for which more requests have answers.
        (
            "good/crd.yaml",
            plain
                .replace("strnig", "string")
                .replace("default: 7", "default: x")
                .replace(
                    "            description: 'y'\n",
                    &format!("            description: {QUOTED}\n"),
                ),
        ),
        ("good/one.yaml", resource(QUOTED, RAW)),
    ];
    for (name, text) in &documents {
        client.open(&format!("file:///hostile/{name}"), 1, text).await;
    }
    for (name, text) in &documents {
        examine(&mut client, &format!("file:///hostile/{name}"), text, &mut seen).await;
    }
    seen.check_messages(&mut client);
    assert!(
        seen.texts > 150 && seen.markdown > 15,
        "{} texts, {} in Markdown",
        seen.texts,
        seen.markdown
    );
    client.finish().await;
}

/// File and folder names and the content of a configuration file appear in messages and related information.
#[tokio::test]
#[cfg(unix)]
async fn names_of_files_and_what_configuration_says_can_only_be_read() {
    const NAME: &str = "a\u{1b}[2J\u{202e}b\n::error file=x::g\r##[error]h![i](command:j)";
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join(NAME);
    std::fs::create_dir(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("a file");
        Uri::from_file_path(folder.join(name)).expect("a path").to_string()
    };
    let crd = definition("\"x\"", "'y'")
        .replace("strnig", "string")
        .replace("default: 7", "default: x");
    write("crd.yaml", &crd);
    let one = write("one.yaml", &resource("\"x\"", "'y'"));
    let mut seen = Seen::default();
    for config in [
        format!("rules: {{{QUOTED}: off}}\n"),
        format!("{QUOTED}: 1\n"),
        format!("crds: [{QUOTED}]\n"),
        format!("kubernetesVersion: {QUOTED}\n"),
        format!("exclude: [{QUOTED}, \"[\"]\n"),
        RAW.to_owned(),
    ] {
        write(".crd-analyzer.yaml", &config);
        let uri = Uri::from_file_path(&folder).expect("a path");
        let folders = json!([{ "uri": uri.as_str(), "name": NAME }]);
        let params = json!({ "capabilities": capabilities(), "workspaceFolders": folders, "trace": "verbose" });
        let mut client = Client::start_with(params).await;
        let settings = json!({ "kubernetesVersion": NAME, "crds": [NAME], "updateAgainst": NAME, "cluster": 3 });
        client
            .notify("workspace/didChangeConfiguration", json!({ "settings": settings }))
            .await;
        let text = resource("\"x\"", "'y'");
        client.open(&one, 1, &text).await;
        let items = list(client.pull(&one, None).await["items"].take());
        seen.check("textDocument/diagnostic", &Value::Array(items));
        // The message arrives before the answer to a later request.
        client.notification("window/showMessage").await;
        examine(&mut client, &one, &text, &mut seen).await;
        seen.check_messages(&mut client);
        for asked in std::mem::take(&mut client.asked) {
            seen.check("a request of the server", &asked);
        }
        client.leave(true).await;
    }
}
