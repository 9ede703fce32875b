//! Collects the language server's responses for the files of a folder: diagnostics, and the answers to each request at random positions.

use std::{path::Path, thread, time::Duration};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::Answers;
use crate::{
    session::{EditorSession, position},
    typing,
};

/// Requests about a whole document.
const OF_DOCUMENTS: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
];

/// Requests about a position.
const OF_PLACES: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/signatureHelp",
    "textDocument/selectionRange",
    "textDocument/rename",
];

/// The interval between requests for diagnostics, and the maximum number of requests. Diagnostics are final if they are the same in two answers.
const TURN: Duration = Duration::from_millis(300);
const MOST_TURNS: usize = 20;

pub(super) fn ask(
    binary: &Path,
    folder: &Path,
    sample: &[String],
    places: usize,
    seed: u64,
    answers: &mut Answers,
) -> anyhow::Result<()> {
    if sample.is_empty() {
        return Ok(());
    }
    let mut session = EditorSession::introduce(binary, folder, typing::client())?;
    wait_for_index(&mut session, folder)?;
    let mut random = fastrand::Rng::with_seed(seed);
    for file in sample {
        let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
            continue;
        };
        let uri = format!("file://{}", folder.join(file).display());
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        session.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
        let document = json!({ "uri": uri });
        let found = settled_diagnostics(&mut session, &document)?;
        let mut put = |question: String, answer: &Value| {
            answers.insert(format!("{question} in an editor, {file}"), lines_of(answer));
        };
        put("textDocument/diagnostic".to_owned(), &found);
        for method in OF_DOCUMENTS {
            let answer = session.request(method, &json!({ "textDocument": document }))?;
            put((*method).to_owned(), &answer);
        }
        let lines: Vec<&str> = text.lines().collect();
        let whole = json!({ "start": position((0, 0)), "end": position((lines.len(), 0)) });
        let answer = session.request(
            "textDocument/inlayHint",
            &json!({ "textDocument": document, "range": whole }),
        )?;
        put("textDocument/inlayHint".to_owned(), &answer);
        for diagnostic in found["items"].as_array().into_iter().flatten() {
            let range = &diagnostic["range"];
            let context = json!({ "diagnostics": [diagnostic] });
            let asked = json!({ "textDocument": document, "range": range, "context": context });
            let answer = session.request("textDocument/codeAction", &asked)?;
            put(format!("textDocument/codeAction at {}", range["start"]), &answer);
        }
        for _ in 0..places.min(lines.len()) {
            let line = random.usize(..lines.len());
            let column = random.usize(..=lines[line].encode_utf16().count());
            for method in OF_PLACES {
                let at = position((line, column));
                let mut asked = json!({ "textDocument": document, "position": at });
                match *method {
                    "textDocument/references" => asked["context"] = json!({ "includeDeclaration": true }),
                    "textDocument/rename" => asked["newName"] = json!("renamed"),
                    "textDocument/selectionRange" => asked = json!({ "textDocument": document, "positions": [at] }),
                    _ => {}
                }
                let answer = session.request(method, &asked)?;
                put(format!("{method} at {}:{}", line + 1, column + 1), &answer);
            }
        }
        session.notify("textDocument/didClose", &json!({ "textDocument": document }))?;
    }
    session.end().context("the language server ended badly")
}

/// Waits for the index: the server answers a hover on an unrelated document after it has indexed the folder.
fn wait_for_index(session: &mut EditorSession, folder: &Path) -> anyhow::Result<()> {
    let uri = format!("file://{}/same-waits.yaml", folder.display());
    let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": "kind: Wait\n" });
    session.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
    let document = json!({ "uri": uri });
    let at = json!({ "textDocument": document, "position": position((0, 0)) });
    session.request("textDocument/hover", &at)?;
    session.notify("textDocument/didClose", &json!({ "textDocument": document }))
}

/// The final diagnostics of a document. Some diagnostics, such as those that need a search or a build, are only computed after the first answer.
fn settled_diagnostics(session: &mut EditorSession, document: &Value) -> anyhow::Result<Value> {
    let mut last = Value::Null;
    for _ in 0..MOST_TURNS {
        let now = session.request("textDocument/diagnostic", &json!({ "textDocument": document }))?;
        if now["items"] == last["items"] {
            return Ok(now);
        }
        last = now;
        thread::sleep(TURN);
    }
    Ok(last)
}

/// The items of an answer, one per line, so that differences are readable. Omits the result id.
fn lines_of(answer: &Value) -> String {
    let items = answer.get("items").unwrap_or(answer);
    let mut text = String::new();
    for item in items.as_array().map_or(std::slice::from_ref(items), Vec::as_slice) {
        text.push_str(&item.to_string());
        text.push('\n');
    }
    text
}
