//! The client of the test sessions.

use std::{
    collections::VecDeque,
    io::Write as _,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    task::JoinHandle,
};

/// How long to wait for an expected message. A test never waits to see that a message does not come: it provokes a later message instead.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client and its connection to a server.
pub(crate) struct Client {
    output: Option<WriteHalf<DuplexStream>>,
    input: BufReader<ReadHalf<DuplexStream>>,
    server: JoinHandle<u8>,
    /// The file for a trace of the messages, if requested.
    trace: Option<std::fs::File>,
    /// The cache folder of the server.
    _cache: TempDir,
    next_id: i64,
    /// Messages received while waiting for another one.
    waiting: VecDeque<Value>,
    /// The requests that the server has sent. The client answers them immediately.
    pub(crate) asked: Vec<Value>,
    /// The answer to `workspace/configuration`.
    pub(crate) settings: Value,
}

impl Client {
    /// Connects a client to a server that waits for `initialize`.
    pub(crate) fn connect() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (their_input, their_output) = tokio::io::split(theirs);
        let cache = tempfile::tempdir().expect("a folder");
        let serving = crd_analyzer_lsp::serve(their_input, their_output, Some(cache.path().to_owned()));
        let server = tokio::spawn(serving);
        let (input, output) = tokio::io::split(ours);
        Self {
            output: Some(output),
            input: BufReader::new(input),
            server,
            trace: trace(),
            _cache: cache,
            next_id: 0,
            waiting: VecDeque::new(),
            asked: Vec::new(),
            settings: Value::Null,
        }
    }

    /// Starts and initializes a session with a client that has these capabilities.
    pub(crate) async fn start(capabilities: Value) -> Self {
        Self::start_with(json!({ "capabilities": capabilities })).await
    }

    /// Starts and initializes a session.
    pub(crate) async fn start_with(params: Value) -> Self {
        let mut client = Self::connect();
        client.request("initialize", params).await;
        client.notify("initialized", json!({})).await;
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_raw(&message.to_string()).await;
    }

    /// Writes a message to the trace, in the format of `tests/editors/protocol`.
    fn write_down(&mut self, from: &str, message: &Value) {
        if let Some(file) = &mut self.trace {
            writeln!(file, "{}", json!({ "from": from, "message": message })).expect("the trace can be written");
        }
    }

    pub(crate) async fn send_raw(&mut self, body: &str) {
        if let Ok(message) = serde_json::from_str(body) {
            self.write_down("client", &message);
        }
        let framed = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send_bytes(framed.as_bytes()).await;
    }

    /// Sends bytes unchanged.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let output = self.output.as_mut().expect("the client has not hung up");
        output.write_all(bytes).await.expect("the server reads");
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Sends a request and returns its ID.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message).await;
        self.next_id
    }

    /// The whole response to a request.
    pub(crate) async fn response(&mut self, id: i64) -> Value {
        self.find(|it| it.get("method").is_none() && it["id"] == id).await
    }

    /// The response to a request with a string as its ID.
    pub(crate) async fn response_to(&mut self, id: &str) -> Value {
        self.find(|it| it.get("method").is_none() && it["id"] == id).await
    }

    /// The error response to a message without an ID.
    pub(crate) async fn response_without_id(&mut self) -> Value {
        self.find(|it| it.get("method").is_none() && it["id"].is_null()).await
    }

    /// Sends a request and returns its result.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        let mut response = self.response(id).await;
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].take()
    }

    /// The parameters of the next notification of a method.
    pub(crate) async fn notification(&mut self, method: &str) -> Value {
        self.find(|it| it["method"] == method).await["params"].take()
    }

    /// The parameters of the notifications of a method received so far.
    pub(crate) fn waiting(&mut self, method: &str) -> Vec<Value> {
        let all = std::mem::take(&mut self.waiting);
        let (found, others): (Vec<Value>, _) = all.into_iter().partition(|it| it["method"] == method);
        self.waiting = others.into();
        found.into_iter().map(|mut it| it["params"].take()).collect()
    }

    /// Waits until the server sends a request with this method, and returns its parameters.
    pub(crate) async fn until_asked(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.asked.iter().position(|it| it["method"] == method) {
                return self.asked.remove(at)["params"].take();
            }
            let message = self.read().await;
            self.waiting.extend(message);
        }
    }

    /// The first message that fits. Messages before it are kept for later.
    async fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at).expect("it is there");
        }
        loop {
            match self.read().await {
                Some(message) if fits(&message) => return message,
                other => self.waiting.extend(other),
            }
        }
    }

    /// The next message. `None` for a request, which is answered.
    async fn read(&mut self) -> Option<Value> {
        let message = tokio::time::timeout(PATIENCE, self.read_any())
            .await
            .expect("a message comes in time");
        if message.get("method").is_none() || message.get("id").is_none() {
            return Some(message);
        }
        let result = match message["method"].as_str() {
            Some("workspace/configuration") => json!([self.settings]),
            _ => Value::Null,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        self.asked.push(message);
        self.send(&answer).await;
        None
    }

    async fn read_any(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let count = self.input.read_line(&mut line).await.expect("the server writes");
            assert_ne!(count, 0, "the server hung up");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).await.expect("the server writes");
        let message = serde_json::from_slice(&body).expect("JSON");
        self.write_down("server", &message);
        message
    }

    /// Waits for the progress reports of a token from the beginning to the end.
    pub(crate) async fn progress(&mut self, token: &Value) {
        let is_it = |it: &Value| it["method"] == "$/progress" && it["params"]["token"] == *token;
        let begin = self.find(is_it).await;
        assert_eq!(begin["params"]["value"]["kind"], "begin");
        while self.find(is_it).await["params"]["value"]["kind"] != "end" {}
    }

    /// Opens a document.
    pub(crate) async fn open(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "languageId": "yaml", "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    /// Changes a document. An edit is `[start line, start column, end line, end column]` and the new text.
    pub(crate) async fn change(&mut self, uri: &str, version: i32, edits: &[([u64; 4], &str)]) {
        let changes: Vec<_> = edits
            .iter()
            .map(|([line, column, end_line, end_column], text)| {
                let start = json!({ "line": line, "character": column });
                let end = json!({ "line": end_line, "character": end_column });
                json!({ "range": { "start": start, "end": end }, "text": text })
            })
            .collect();
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        )
        .await;
    }

    /// Pulls the diagnostics of a document.
    pub(crate) async fn pull(&mut self, uri: &str, previous: Option<&str>) -> Value {
        let mut params = json!({ "textDocument": { "uri": uri } });
        if let Some(previous) = previous {
            params["previousResultId"] = json!(previous);
        }
        self.request("textDocument/diagnostic", params).await
    }

    /// The next list that the server publishes for a document with this version.
    pub(crate) async fn published(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let is_it = |it: &Value| {
            it["method"] == "textDocument/publishDiagnostics"
                && it["params"]["uri"] == uri
                && it["params"]["version"] == version
        };
        let mut message = self.find(is_it).await;
        list(message["params"]["diagnostics"].take())
    }

    /// The first list for a document that `is_wanted` accepts.
    pub(crate) async fn published_when(&mut self, uri: &str, is_wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let is_it = |it: &Value| it["method"] == "textDocument/publishDiagnostics" && it["params"]["uri"] == uri;
            let mut message = self.find(is_it).await;
            let list = list(message["params"]["diagnostics"].take());
            if is_wanted(&list) {
                return list;
            }
        }
    }

    /// The last list received for a document so far. Forgets the older ones.
    pub(crate) fn last_published(&mut self, uri: &str) -> Vec<Value> {
        let is_it = |it: &Value| it["method"] == "textDocument/publishDiagnostics" && it["params"]["uri"] == uri;
        let Some(last) = self.waiting.iter().rposition(is_it) else {
            return Vec::new();
        };
        let found = self.waiting[last]["params"]["diagnostics"].clone();
        let mut at = 0;
        self.waiting.retain(|it| {
            at += 1;
            at > last || !is_it(it)
        });
        list(found)
    }

    /// The next list that the server publishes for a closed document.
    pub(crate) async fn published_without_version(&mut self, uri: &str) -> Vec<Value> {
        let is_it = |it: &Value| {
            it["method"] == "textDocument/publishDiagnostics"
                && it["params"]["uri"] == uri
                && it["params"].get("version").is_none_or(Value::is_null)
        };
        let mut message = self.find(is_it).await;
        list(message["params"]["diagnostics"].take())
    }

    /// The document versions of all lists that were received but not yet read.
    pub(crate) fn other_versions(&self) -> Vec<i64> {
        let lists = self
            .waiting
            .iter()
            .filter(|it| it["method"] == "textDocument/publishDiagnostics");
        lists.map(|it| it["params"]["version"].as_i64().unwrap_or(-1)).collect()
    }

    /// Drops the lists of diagnostics that were received but not read.
    pub(crate) fn forget_published(&mut self) {
        self.waiting
            .retain(|it| it["method"] != "textDocument/publishDiagnostics");
    }

    /// Ends the session like [`Self::finish`], but accepts lists of diagnostics that were not read. Their number depends on how far the server's
    /// background work got.
    pub(crate) async fn finish_with_lists(mut self) {
        self.request("shutdown", Value::Null).await;
        self.forget_published();
        self.exit().await;
    }

    /// Ends the session with `shutdown` and `exit`. Fails if the server has sent messages that the test has not read.
    pub(crate) async fn finish(mut self) {
        self.request("shutdown", Value::Null).await;
        self.exit().await;
    }

    async fn exit(mut self) {
        self.notify("exit", Value::Null).await;
        let code = tokio::time::timeout(PATIENCE, &mut self.server)
            .await
            .expect("it exits")
            .expect("it does not panic");
        assert_eq!(code, 0, "the exit code after shutdown");
        assert!(self.waiting.is_empty(), "not looked at: {:?}", self.waiting);
    }

    /// Closes the connection, or sends `exit` without `shutdown`.
    pub(crate) async fn leave(mut self, says_exit: bool) -> u8 {
        if says_exit {
            self.notify("exit", Value::Null).await;
        } else {
            self.output = None;
            self.input = BufReader::new(tokio::io::split(tokio::io::duplex(1).0).0);
        }
        tokio::time::timeout(PATIENCE, &mut self.server)
            .await
            .expect("it exits")
            .expect("it does not panic")
    }
}

/// A new trace file in the folder of `CRD_ANALYZER_TRACES`, for `tests/editors/protocol/validate.cjs`.
fn trace() -> Option<std::fs::File> {
    static SESSIONS: AtomicUsize = AtomicUsize::new(0);
    let folder = std::env::var_os("CRD_ANALYZER_TRACES")?;
    let name = format!("session-{}.jsonl", SESSIONS.fetch_add(1, Ordering::Relaxed));
    Some(std::fs::File::create(std::path::Path::new(&folder).join(name)).expect("the trace can be written"))
}

/// The items of a JSON list.
pub(crate) fn list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        other => panic!("no list: {other}"),
    }
}

/// The capabilities of a client that pulls diagnostics.
pub(crate) fn pulling() -> Value {
    json!({
        "textDocument": { "diagnostic": {}, "publishDiagnostics": published() },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    })
}

/// The capabilities of a client that receives published diagnostics.
pub(crate) fn pushed() -> Value {
    json!({ "textDocument": { "publishDiagnostics": published() } })
}

pub(crate) fn published() -> Value {
    json!({
        "relatedInformation": true,
        "codeDescriptionSupport": true,
        "dataSupport": true,
        "versionSupport": true,
        "tagSupport": { "valueSet": [1, 2] },
    })
}
