//! The pictures of README, the documentation and the VS Code extension show what the language server says today.
//!
//! `editors/vscode/screenshots.sh` makes the pictures. Beside each one it writes the texts that the window showed. A test here opens the same files
//! with the same edits. If it fails, make the pictures again and look at them.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, published};

/// A file of a picture, as it is on the screen.
struct Open<'a> {
    path: &'a str,
    /// Words that were edited, before and after.
    edits: &'a [(&'a str, &'a str)],
    /// Where the cursor is: after this text.
    cursor: &'a str,
}

const UNFIXED: Open<'_> = Open {
    path: "crontabs.crd.yaml",
    edits: &[],
    cursor: "self.r",
};

const FIXED: Open<'_> = Open {
    path: "crontabs.crd.yaml",
    edits: &[
        ("self.replica\n", "self.replicas\n"),
        ("type: array\n", "type: array\n                  maxItems: 256\n"),
        ("items: {type: string}", "items: {type: string, maxLength: 253}"),
    ],
    cursor: "self.hosts",
};

fn repository() -> &'static Path {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR"));
    ours.ancestors().nth(2).expect("the repository")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

/// A text without what a window leaves out or adds: spaces, and the marks of Markdown.
fn plain(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).collect()
}

/// The strings in a value, a line each.
fn strings(value: &Value, said: &mut String) {
    match value {
        Value::String(text) => writeln!(said, "{text}").expect("a string"),
        Value::Array(items) => items.iter().for_each(|it| strings(it, said)),
        Value::Object(fields) => fields.values().for_each(|it| strings(it, said)),
        _ => {}
    }
}

/// A session over a copy of a folder.
struct Session {
    client: Client,
    folder: TempDir,
}

impl Session {
    async fn start(folder: &str) -> Self {
        let ours = tempfile::tempdir().expect("a folder");
        copy(&repository().join(folder), ours.path());
        fs::create_dir_all(ours.path().join(".git")).expect("a folder");
        let markdown = json!(["markdown"]);
        let capabilities = json!({
            "textDocument": {
                "publishDiagnostics": published(),
                "codeLens": {},
                "hover": { "contentFormat": markdown },
                "completion": { "completionItem": { "snippetSupport": true, "labelDetailsSupport": true } },
            },
            "workspace": { "codeLens": { "refreshSupport": true }, "applyEdit": true },
            "window": { "showDocument": { "support": true } },
        });
        let uri = format!("file://{}", ours.path().display());
        // What `editors/vscode/src/extension.ts` says of itself.
        let extension = json!({ "offersWords": true, "showEffectiveObject": true, "showFailingObjects": true, "messageLines": true });
        let client = Client::start_with(json!({
            "capabilities": capabilities,
            "workspaceFolders": [{ "uri": uri, "name": "pictures" }],
            "initializationOptions": { "trusted": true, "client": extension },
        }))
        .await;
        Self { client, folder: ours }
    }

    /// Opens a file. Returns its address and the place of the cursor.
    async fn open(&mut self, file: &Open<'_>) -> (String, Value) {
        let path = self.folder.path().join(file.path);
        let saved = fs::read_to_string(&path).expect("a file of the picture");
        let mut text = saved.clone();
        for (before, after) in file.edits {
            assert!(text.contains(before), "{before} is not in {}", file.path);
            text = text.replacen(before, after, 1);
        }
        let uri = format!("file://{}", path.display());
        let language = path.extension().and_then(|it| it.to_str()).expect("a language");
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": saved });
        let opened = json!({ "textDocument": document });
        self.client.notify("textDocument/didOpen", opened).await;
        let edited = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
        self.client.notify("textDocument/didChange", edited).await;
        let end = text.find(file.cursor).expect("the place of the cursor") + file.cursor.len();
        let before = &text[..end];
        let column = before.len() - before.rfind('\n').map_or(0, |it| it + 1);
        let position = json!({ "line": before.matches('\n').count(), "character": column });
        (uri, position)
    }

    /// What the server says in these files: the messages of diagnostics, and everything that a window may show.
    async fn said(&mut self, open: &[(String, Value)]) -> (Vec<String>, String) {
        let (mut messages, mut said) = (Vec::new(), String::new());
        for (uri, position) in open {
            let diagnostics = self.client.last_published(uri);
            for it in diagnostics {
                let message = it["message"].as_str().expect("a message");
                messages.push(message.lines().next().unwrap_or_default().to_owned());
                let code = it["code"].as_str().unwrap_or_default();
                writeln!(said, "{message} crd-analyzer({code})").expect("a string");
                strings(&it["relatedInformation"], &mut said);
            }
            let document = json!({ "uri": uri });
            let at = json!({ "textDocument": document, "position": position });
            for (method, params) in [
                ("textDocument/codeLens", json!({ "textDocument": document })),
                ("textDocument/hover", at.clone()),
                ("textDocument/completion", at),
            ] {
                strings(&self.client.request(method, params).await, &mut said);
            }
        }
        (messages, plain(&said))
    }
}

/// Compares the texts in a picture with what the server says in these files. It says some of it only after a pause.
async fn check(picture: &str, folder: &str, files: &[Open<'_>]) {
    let path = repository().join(format!("editors/vscode/images/{picture}.txt"));
    let shown = fs::read_to_string(path).expect("the texts of the picture");
    let problems_are_shown = shown.contains("problem: ");
    let mut session = Session::start(folder).await;
    let mut open = Vec::new();
    for file in files {
        open.push(session.open(file).await);
    }
    let mut difference = String::new();
    for _ in 0..100 {
        let (messages, said) = session.said(&open).await;
        difference.clear();
        for line in shown.lines() {
            let (_, text) = line.split_once(": ").expect("a kind and a text");
            if !said.contains(&plain(text)) {
                writeln!(difference, "no longer said: {line}").expect("a string");
            }
        }
        for message in messages {
            if problems_are_shown && !shown.contains(&message) {
                writeln!(difference, "not in the picture: {message}").expect("a string");
            }
        }
        if difference.is_empty() {
            return session.client.finish_with_lists().await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{picture}.png is old: run editors/vscode/screenshots.sh, and look at the pictures\n{difference}");
}

#[tokio::test]
async fn the_picture_of_diagnostics_shows_what_is_said() {
    check("findings", "tests/editors/demo", &[UNFIXED]).await;
}

#[tokio::test]
async fn the_picture_of_a_completion_shows_what_is_offered() {
    let edits = [
        ("self.replica\n", "self.replicas\n"),
        ("self.replicas < 100'", "self.replicas < 100 && self.'"),
    ];
    let typed = Open {
        edits: &edits,
        cursor: "100 && self.",
        ..UNFIXED
    };
    check("completion", "tests/editors/demo", &[typed]).await;
}

#[tokio::test]
async fn the_picture_of_a_resource_shows_what_is_said_of_it() {
    let resource = Open {
        path: "nightly.yaml",
        edits: &[],
        cursor: "policy: For",
    };
    check("resource", "tests/editors/demo", &[FIXED, resource]).await;
}

#[tokio::test]
async fn the_picture_of_a_go_file_shows_what_is_said_of_it() {
    let edits = [(
        "rule=\"self.price <= self.limit\",message=\"the price is over the limit\"",
        "rule=\"self.tags.all(a, self.tags.exists(b, a == b))\"",
    )];
    let types = Open {
        path: "api/v1/order_types.go",
        edits: &edits,
        cursor: "rule=\"self.tags",
    };
    check("go", "tests/editors/fixture-go", &[types]).await;
}
