//! Messages to the language server: valid messages in any order, and arbitrary bytes.

use std::{collections::BTreeSet, ops::Range, time::Duration};

use crd_analyzer_syntax::{
    read_json,
    split::{Document, read_document, split},
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf,
        WriteHalf,
    },
    runtime::{Builder, Runtime},
    time::timeout,
};

use crate::{
    Target,
    dictionary::{JSON, YAML, definition, owned},
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "lsp",
    run,
    seeds: |cases| {
        let texts = cases.manifests().filter(|it| it.len() < 2000).enumerate();
        let session = |(n, text): (usize, &str)| {
            let asked = [n % METHODS.len(), (n + 7) % METHODS.len(), (n + 13) % METHODS.len()];
            let [a, b, c] = asked.map(|it| it as u8);
            let n = n as u8;
            let mut bytes = input(&[0, OPEN, 0], &[text]);
            bytes.extend_from_slice(&[0, ASK, 0, a, n, n, CHANGE, 0, n, 9, 3]);
            bytes.extend_from_slice(b"x: \0");
            bytes.extend_from_slice(&[ASK, 0, b, 1, n, ASK, 0, c, n, 2, DIAGNOSE, 0]);
            bytes
        };
        let mut seeds: Vec<Vec<u8>> = texts.map(session).collect();
        let raw = RAW.iter().map(|it| [&[0, RAW_MESSAGE], it.as_bytes()].concat());
        seeds.extend(raw);
        let bytes = RAW
            .iter()
            .map(|it| format!("\u{1}Content-Length: {}\r\n\r\n{it}", it.len()).into_bytes());
        seeds.extend(bytes);
        seeds.extend(FRAMES.iter().map(|it| format!("\u{1}{it}").into_bytes()));
        seeds
    },
    words: || {
        let mut words = definition();
        words.extend(owned(JSON));
        words.extend(owned(YAML));
        words.extend(METHODS.iter().map(|it| (*it).to_owned()));
        words.extend(owned(&[
            "Content-Length: ",
            "\r\n\r\n",
            "\"jsonrpc\":\"2.0\"",
            "\"method\":\"",
            "\"params\":{",
            "\"id\":",
        ]));
        words
    },
};

const OPEN: u8 = 0;
const CHANGE: u8 = 1;
const ASK: u8 = 2;
const CLOSE: u8 = 3;
const CANCEL: u8 = 4;
const RAW_MESSAGE: u8 = 5;
const SETTINGS: u8 = 6;
const DIAGNOSE: u8 = 7;
const KINDS: usize = 8;

/// Requests with a position in a document.
const METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/onTypeFormatting",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "workspace/diagnostic",
    "crd-analyzer/effectiveObject",
];

const RAW: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":0,"character":-1}}}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:a","version":7},"contentChanges":[{"text":"a: 1"}]}}"#,
    r#"{"jsonrpc":"2.0","id":"x","result":null}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"x","arguments":[]}}"#,
    r#"[1,{"id":null}]"#,
];

/// Message headers, valid and invalid.
const FRAMES: &[&str] = &[
    "Content-Length: 99\r\n\r\n{}",
    "Content-Length: 999999999\r\n\r\n{}",
    "Content-Length: x\r\nContent-Length: 5\r\n\r\n{}",
    "Content-Type: a\r\n\r\n{}",
    "content-length:2\n\n[]{}\r\n\r\n",
    "Content-Length: 0\r\n\r\nContent-Length: 4\r\n\r\n\u{7f}\u{80}",
    "Content-Length: 39\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}",
    "Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"$/a\"}",
];

/// The ID of the last request.
const LAST: &str = "the last request";

/// The maximum number of messages in an input. More messages would be slow.
const MOST_MESSAGES: usize = 40;

/// The time to wait for an answer. The driver limits the work; this limit is for answers that never come.
const PATIENCE: Duration = Duration::from_secs(50);

/// The number of times that two different answers are compared again, and the pause between these comparisons.
const MOST_COMPARISONS: usize = 50;
const PAUSE: Duration = Duration::from_millis(100);

fn run(bytes: &[u8]) {
    // Inputs that refer to files or folders are skipped, because the server must not read the user's disk.
    let leads_to_files = ["file:", "older", "ootUri", "ootPath", "\\u00"];
    if leads_to_files.iter().any(|it| contains(bytes, it.as_bytes())) {
        return;
    }
    let mut input = Input::new(bytes);
    let is_raw = input.number() & 1 != 0;
    let runtime = runtime();
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_input, their_output) = tokio::io::split(theirs);
        let serving = tokio::spawn(crd_analyzer_lsp::serve(their_input, their_output, None));
        let (from, to) = tokio::io::split(ours);
        if is_raw {
            send_bytes(from, to, input.rest()).await;
        } else {
            let mut client = Client::new(from, to);
            let script = client.play(input);
            timeout(PATIENCE, script).await.expect("every request is answered");
        }
        let ended = timeout(PATIENCE, serving).await.expect("the session ends");
        ended.expect("the session does not panic");
    });
    runtime.shutdown_timeout(PATIENCE);
}

fn runtime() -> Runtime {
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.enable_time().worker_threads(1).thread_stack_size(64 << 20);
    runtime.build().expect("threads can be started")
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|it| it == word)
}

/// Sends bytes, then requests. The last request is always answered, unless the bytes may end the session. The first requests may become part of a
/// message that starts in the bytes.
async fn send_bytes(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, bytes: &[u8]) {
    let may_end = contains(bytes, b"exit") || contains(bytes, b"\\u");
    let sending = async {
        // The session may end before all bytes are read.
        let _ = to.write_all(bytes).await;
        for id in ["first", "second", LAST] {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": "untitled/nothing" }).to_string();
            let framed = format!("Content-Length: {}\r\n\r\n{request}", request.len());
            let _ = to.write_all(framed.as_bytes()).await;
        }
        let _ = to.shutdown().await;
    };
    let reading = async {
        let mut answers = Vec::new();
        let _ = from.read_to_end(&mut answers).await;
        answers
    };
    let ((), answers) = timeout(PATIENCE, async { tokio::join!(sending, reading) })
        .await
        .expect("the session ends");
    let id = format!("\"id\":\"{LAST}\"");
    assert!(
        may_end || contains(&answers, id.as_bytes()),
        "the request behind the bytes has no answer: {}",
        String::from_utf8_lossy(&answers)
    );
}

/// A document as the client sees it.
#[derive(Default)]
struct Open {
    version: i32,
    text: String,
}

struct Client {
    from: BufReader<ReadHalf<DuplexStream>>,
    to: WriteHalf<DuplexStream>,
    next_id: i64,
    /// The IDs of pending requests.
    asked: BTreeSet<i64>,
    documents: [Option<Open>; 2],
    /// The agreed position encoding.
    encoding: &'static str,
    /// Whether a message may have changed a document in an unknown way.
    is_unsure: bool,
}

impl Client {
    fn new(from: ReadHalf<DuplexStream>, to: WriteHalf<DuplexStream>) -> Self {
        Self {
            from: BufReader::new(from),
            to,
            next_id: 0,
            asked: BTreeSet::new(),
            documents: [None, None],
            encoding: ENCODINGS[0],
            is_unsure: false,
        }
    }

    async fn play(&mut self, mut input: Input<'_>) {
        self.encoding = ENCODINGS[input.below(ENCODINGS.len())];
        let capabilities = json!({
            "general": { "positionEncodings": [self.encoding] },
            "textDocument": {
                "diagnostic": {},
                "completion": { "completionItem": { "snippetSupport": true } },
                "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
            },
        });
        let id = self.ask("initialize", json!({ "capabilities": capabilities })).await;
        self.until_answered(id).await;
        self.notify("initialized", json!({})).await;
        for _ in 0..MOST_MESSAGES {
            if input.is_empty() {
                break;
            }
            self.step(&mut input).await;
        }
        self.compare().await;
        let id = self.ask("shutdown", Value::Null).await;
        self.until_answered(id).await;
        while !self.asked.is_empty() {
            self.read().await;
        }
        self.notify("exit", Value::Null).await;
    }

    async fn step(&mut self, input: &mut Input<'_>) {
        let kind = input.below(KINDS) as u8;
        match kind {
            RAW_MESSAGE => {
                let body = input.part();
                self.is_unsure = true;
                // A message with an ID would get two answers, and `exit` ends the session, so such messages are not sent.
                if !contains(body, b"exit") && !contains(body, b"shutdown") && !contains(body, b"\"id\"") {
                    self.send(body).await;
                }
                return;
            }
            CANCEL => {
                let id = i64::from(input.number());
                self.notify("$/cancelRequest", json!({ "id": id })).await;
                return;
            }
            SETTINGS => {
                let settings = ["1.30", "1.30..1.37", "all", "x"][input.below(4)];
                let settings = json!({ "kubernetesVersion": settings });
                self.notify("workspace/didChangeConfiguration", json!({ "settings": settings }))
                    .await;
                return;
            }
            _ => {}
        }
        let which = input.below(2);
        let uri = URIS[which];
        match kind {
            OPEN => {
                let text = input.text().to_string();
                self.documents[which] = Some(Open { version: 1, text });
                let text = &self.documents[which].as_ref().expect("it was set").text;
                let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
                self.notify("textDocument/didOpen", json!({ "textDocument": document }))
                    .await;
            }
            CHANGE => self.change(which, input).await,
            CLOSE => {
                self.documents[which] = None;
                self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))
                    .await;
            }
            DIAGNOSE => {
                self.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))
                    .await;
            }
            _ => {
                let method = METHODS[input.below(METHODS.len())];
                let position = json!({ "line": input.number(), "character": input.number() });
                let range = json!({ "start": { "line": 0, "character": 0 }, "end": position });
                let params = json!({
                    "textDocument": { "uri": uri }, "position": position, "positions": [position], "range": range, "newName": "renamed", "ch": "\n", "options": { "tabSize": 2, "insertSpaces": true },
                    "context": { "includeDeclaration": true, "diagnostics": [] }, "previousResultId": "1", "previousResultIds": [],
                });
                self.ask(method, params).await;
            }
        }
    }

    async fn change(&mut self, which: usize, input: &mut Input<'_>) {
        let (at, removed) = (input.place(0xFFFF), usize::from(input.number()));
        let insert = input.text();
        let Some(open) = &self.documents[which] else { return };
        let start = open.text.floor_char_boundary(at % (open.text.len() + 1));
        let end = open.text.ceil_char_boundary((start + removed).min(open.text.len()));
        self.edit(which, start..end, &insert).await;
    }

    async fn edit(&mut self, which: usize, bytes: Range<usize>, insert: &str) {
        let Some(open) = &mut self.documents[which] else { return };
        let range = json!({
            "start": position(&open.text, bytes.start, self.encoding), "end": position(&open.text, bytes.end, self.encoding),
        });
        open.text.replace_range(bytes, insert);
        open.version += 1;
        let document = json!({ "uri": URIS[which], "version": open.version });
        let changes = json!([{ "range": range, "text": insert }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params).await;
    }

    /// Replaces the whole text twice, which the server does not treat as typing. While the user types, some errors are shown later, and others stay
    /// until the next edit.
    async fn stop_typing(&mut self, which: usize) {
        for _ in 0..2 {
            let Some(open) = &mut self.documents[which] else { return };
            open.version += 1;
            let document = json!({ "uri": URIS[which], "version": open.version });
            let params = json!({ "textDocument": document, "contentChanges": [{ "text": open.text }] });
            self.notify("textDocument/didChange", params).await;
            self.diagnose(URIS[which]).await;
        }
    }

    /// The diagnostics of a document as a string.
    async fn diagnose(&mut self, uri: &str) -> String {
        let params = json!({ "textDocument": { "uri": uri } });
        let id = self.ask("textDocument/diagnostic", params).await;
        let mut answer = self.until_answered(id).await;
        answer["result"]["items"].take().to_string().replace(uri, "")
    }

    /// Checks that an edited document has the same diagnostics as a new document with the same text.
    async fn compare(&mut self) {
        // While a CRD is unreadable, its last readable text applies to the other document.
        let mut texts = self.documents.iter().flatten().map(|it| it.text.as_str());
        let is_lost = |it: &str| it.contains("CustomResourceDefinition") && !is_readable(it);
        if self.is_unsure || self.documents.iter().all(Option::is_some) && texts.any(is_lost) {
            return;
        }
        for (which, uri) in URIS.into_iter().enumerate() {
            self.stop_typing(which).await;
            let Some(open) = &self.documents[which] else { continue };
            let text = open.text.clone();
            let document = json!({ "uri": FRESH, "languageId": "yaml", "version": 1, "text": text });
            let params = json!({ "textDocument": document });
            self.notify("textDocument/didOpen", params).await;
            let (mut edited, mut fresh) = (self.diagnose(uri).await, self.diagnose(FRESH).await);
            for _ in 0..MOST_COMPARISONS {
                if edited == fresh {
                    break;
                }
                // Hazards are only found some time later.
                tokio::time::sleep(PAUSE).await;
                (edited, fresh) = (self.diagnose(uri).await, self.diagnose(FRESH).await);
            }
            assert_eq!(edited, fresh, "of {text:?}");
            let params = json!({ "textDocument": { "uri": FRESH } });
            self.notify("textDocument/didClose", params).await;
        }
    }

    async fn send(&mut self, body: &[u8]) {
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        self.to.write_all(header.as_bytes()).await.expect("the session reads");
        self.to.write_all(body).await.expect("the session reads");
    }

    async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(message.to_string().as_bytes()).await;
    }

    async fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.asked.insert(self.next_id);
        self.send(message.to_string().as_bytes()).await;
        self.next_id
    }

    async fn until_answered(&mut self, id: i64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The next message. Requests of the server get empty answers.
    async fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let count = self.from.read_line(&mut line).await.expect("the session writes");
            assert_ne!(count, 0, "the session hung up");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).await.expect("the session writes");
        let message: Value = serde_json::from_slice(&body).expect("the session writes JSON");
        if message.get("method").is_some() && message.get("id").is_some() {
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": null });
            self.send(answer.to_string().as_bytes()).await;
        } else if message.get("method").is_none()
            && let Some(id) = message["id"].as_i64()
        {
            assert!(self.asked.remove(&id), "answered twice, or never asked: {message}");
        }
        message
    }
}

/// Whether every YAML document in the text can be converted to JSON.
fn is_readable(text: &str) -> bool {
    let found = split(text);
    let is_readable = |it: &Document| {
        let tree = read_document(&text.into(), *it, &[]);
        tree.is_ok_and(|it| read_json(&it).is_ok())
    };
    found.error.is_none() && found.documents.iter().all(is_readable)
}

const URIS: [&str; 2] = ["untitled:a.yaml", "untitled:b.yaml"];
const FRESH: &str = "untitled:c.yaml";
const ENCODINGS: [&str; 3] = ["utf-16", "utf-8", "utf-32"];

/// The LSP position of a byte offset.
fn position(text: &str, at: usize, encoding: &str) -> Value {
    let before = &text[..at];
    let mut line = 0;
    let mut start = 0;
    for (n, _) in before.match_indices(['\n', '\r']) {
        // CR LF is a single line break.
        if !(before[n..].starts_with('\r') && text[n..].starts_with("\r\n")) {
            line += 1;
            start = n + 1;
        }
    }
    let before = &text[start..at];
    let column = match encoding {
        "utf-8" => before.len(),
        "utf-16" => before.encode_utf16().count(),
        _ => before.chars().count(),
    };
    json!({ "line": line, "character": column })
}
