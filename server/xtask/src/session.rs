//! A client of the language server that talks to it through pipes, like an editor.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

/// A position in a document.
pub(crate) fn position((line, column): (usize, usize)) -> Value {
    json!({ "line": line, "character": column })
}

/// The client's capabilities: published diagnostics contain a document version, and progress is reported.
fn capabilities() -> Value {
    json!({
        "textDocument": { "publishDiagnostics": { "versionSupport": true } },
        "window": { "workDoneProgress": true },
    })
}

/// A client that waits for responses to its requests and drops other messages.
pub(crate) struct EditorSession {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Diagnostics published since the last edit, received while waiting for another message.
    passed_over: Vec<Value>,
}

impl EditorSession {
    /// Starts the language server and initializes it.
    pub(crate) fn start(analyzer: &Path) -> anyhow::Result<Self> {
        let mut session = Self::spawn(analyzer)?;
        session.request(
            "initialize",
            &json!({ "processId": null, "rootUri": null, "capabilities": capabilities() }),
        )?;
        Ok(session)
    }

    fn spawn(analyzer: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(analyzer)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("a piped child has a standard output")?);
        Ok(Self {
            child,
            input,
            output,
            next_id: 0,
            passed_over: Vec::new(),
        })
    }

    /// Starts the language server in a folder, and waits until the folder is indexed. Returns the number of files as reported by its progress.
    pub(crate) fn start_in(analyzer: &Path, folder: &Path) -> anyhow::Result<(Self, String)> {
        Self::start_as(analyzer, folder, json!({ "capabilities": capabilities() }))
    }

    /// Starts the language server in a folder with these client parameters, without waiting for the index.
    pub(crate) fn introduce(analyzer: &Path, folder: &Path, mut client: Value) -> anyhow::Result<Self> {
        let mut session = Self::spawn(analyzer)?;
        client["processId"] = Value::Null;
        client["workspaceFolders"] = json!([{ "uri": format!("file://{}", folder.display()), "name": "corpus" }]);
        session.request("initialize", &client)?;
        session.notify("initialized", &json!({}))?;
        Ok(session)
    }

    /// Like [`Self::start_in`], with these client parameters. The folder must have enough files for progress to be reported.
    pub(crate) fn start_as(analyzer: &Path, folder: &Path, client: Value) -> anyhow::Result<(Self, String)> {
        let mut session = Self::introduce(analyzer, folder, client)?;
        let mut said = String::new();
        loop {
            let message = session.receive()?;
            if message.get("id").is_some() {
                session.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }))?;
            }
            let value = &message["params"]["value"];
            if let Some(text) = value["message"].as_str() {
                text.clone_into(&mut said);
            }
            if message["method"] == "$/progress" && value["kind"] == "end" {
                return Ok((session, said));
            }
        }
    }

    /// Waits for the published diagnostics of a version of a document.
    pub(crate) fn next(&mut self, uri: &str, version: u64) -> anyhow::Result<Value> {
        self.published(uri, version)
    }

    /// The process id of the language server.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a document and returns its published diagnostics.
    pub(crate) fn open(&mut self, uri: &str, text: &str) -> anyhow::Result<Value> {
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 0, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
        self.published(uri, 0)
    }

    /// Replaces a part of a line of a document, and returns the published diagnostics of that version.
    pub(crate) fn edit(
        &mut self,
        uri: &str,
        version: u64,
        line: usize,
        columns: [usize; 2],
        text: &str,
    ) -> anyhow::Result<Value> {
        self.change(uri, version, columns.map(|column| (line, column)), text)?;
        self.published(uri, version)
    }

    /// Replaces a part of a document, from one line and column to another, without waiting.
    pub(crate) fn change(
        &mut self,
        uri: &str,
        version: u64,
        places: [(usize, usize); 2],
        text: &str,
    ) -> anyhow::Result<()> {
        let [start, end] = places.map(position);
        let change = json!({ "range": { "start": start, "end": end }, "text": text });
        let document = json!({ "uri": uri, "version": version });
        self.passed_over.clear();
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [change] }),
        )
    }

    /// Shuts the language server down like an editor.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        self.request("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        drop(self.input.take());
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the server ended with {status}");
        }
        Ok(())
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: &Value) -> anyhow::Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Sends a request, and returns the response.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params.clone();
        }
        self.send(&message)?;
        loop {
            let mut message = self.receive()?;
            if message.get("method").is_none() && message["id"] == id {
                return Ok(message["result"].take());
            }
            if message["method"] == "textDocument/publishDiagnostics" {
                self.passed_over.push(message["params"].take());
            } else if message.get("method").is_some() && message.get("id").is_some() {
                // All requests of the server are accepted.
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }))?;
            }
        }
    }

    fn published(&mut self, uri: &str, version: u64) -> anyhow::Result<Value> {
        let is_meant = |params: &Value| params["uri"] == uri && params["version"] == version;
        if let Some(at) = self.passed_over.iter().position(is_meant) {
            return Ok(self.passed_over.remove(at)["diagnostics"].take());
        }
        loop {
            let mut params = self.receive()?["params"].take();
            if is_meant(&params) {
                return Ok(params["diagnostics"].take());
            }
            self.passed_over.push(params);
        }
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let body = message.to_string();
        let input = self.input.as_mut().context("the session has not ended")?;
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(input.flush()?)
    }

    fn receive(&mut self) -> anyhow::Result<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server hung up");
            }
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Drop for EditorSession {
    fn drop(&mut self) {
        // If the client did not shut the server down, this kills it. Otherwise this has no effect.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
