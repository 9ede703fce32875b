//! A client that does everything concurrently and at random. Afterwards, the server must report the same as a new server for the same texts.
//!
//! `CRD_ANALYZER_CHAOS=100..400` runs these seeds instead of the few of a normal test run.

mod built;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::{Duration, Instant},
};

use crd_analyzer_fixtures::{
    own,
    random::{Edit, Random, seeds},
};
use crd_analyzer_syntax::{read_json, split::read_document, split::split};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

/// The seeds of a normal test run.
const SEEDS: Range<u64> = 0..6;

/// The number of steps in a session.
const STEPS: usize = 80;

/// The maximum number of pending requests.
const MOST_WAITING: usize = 16;

/// The maximum size of a text, in bytes. Longer ones would slow the session down.
const MOST_BYTES: usize = 12 << 10;

/// How long to wait for two servers to agree. The test makes no assertion about the time that they take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The time between two comparisons. It is longer than the pause in typing of 0.15 s after which the server searches for hazards.
const PAUSE: Duration = Duration::from_millis(300);

/// The capabilities that a server may announce, with the requests that each allows.
const REQUESTS: &[(&str, &[&str])] = &[
    ("codeActionProvider", &["textDocument/codeAction"]),
    ("codeLensProvider", &["textDocument/codeLens"]),
    ("completionProvider", &["textDocument/completion", RESOLVE]),
    ("definitionProvider", &["textDocument/definition"]),
    (
        "diagnosticProvider",
        &["textDocument/diagnostic", "workspace/diagnostic"],
    ),
    ("documentHighlightProvider", &["textDocument/documentHighlight"]),
    ("documentLinkProvider", &["textDocument/documentLink"]),
    ("documentOnTypeFormattingProvider", &["textDocument/onTypeFormatting"]),
    ("documentSymbolProvider", &["textDocument/documentSymbol"]),
    ("executeCommandProvider", &[COMMAND]),
    ("foldingRangeProvider", &["textDocument/foldingRange"]),
    ("hoverProvider", &["textDocument/hover"]),
    ("inlayHintProvider", &["textDocument/inlayHint"]),
    ("referencesProvider", &["textDocument/references"]),
    ("renameProvider", &["textDocument/prepareRename", "textDocument/rename"]),
    ("selectionRangeProvider", &["textDocument/selectionRange"]),
    (
        "semanticTokensProvider",
        &[
            "textDocument/semanticTokens/full",
            "textDocument/semanticTokens/full/delta",
            "textDocument/semanticTokens/range",
        ],
    ),
    ("signatureHelpProvider", &["textDocument/signatureHelp"]),
];

const RESOLVE: &str = "completionItem/resolve";
const COMMAND: &str = "workspace/executeCommand";

/// The errors that are valid answers: the request was cancelled, the document has changed, nothing can be renamed here. Any other error is a failure.
const EXPECTED_ERRORS: &[i64] = &[-32800, -32801, -32802, -32803, -32602];

/// Values of the Kubernetes version setting. One is invalid.
const VERSIONS: &[&str] = &["1.30", "1.30..1.37", "1.37", "x"];

/// The Kubernetes versions at the end, for both servers.
const LAST_VERSION: &str = "1.35..1.37";

struct Document {
    uri: String,
    /// The text of the document at the start.
    original: String,
    text: String,
    /// The version of the document. `None` if it is closed.
    version: Option<i32>,
}

struct Chaos {
    random: Random,
    client: Client,
    documents: Vec<Document>,
    /// The workspace folder with [`built::BUILT`], if any.
    folder: Option<TempDir>,
    encoding: &'static str,
    is_pushed: bool,
    waiting: Vec<(i64, &'static str)>,
    /// An item of the last completion list.
    item: Value,
    /// The command of the last code lens.
    command: Value,
    /// The last published lists of diagnostics, by URI.
    sent: BTreeMap<String, Value>,
}

fn capabilities(encoding: &str, is_pushed: bool) -> Value {
    let mut capabilities = json!({
        "general": { "positionEncodings": [encoding] },
        "textDocument": {
            "publishDiagnostics": { "relatedInformation": true, "dataSupport": true, "versionSupport": true, "tagSupport": { "valueSet": [1, 2] } },
            "completion": { "completionItem": {
                "snippetSupport": true, "documentationFormat": ["markdown"], "resolveSupport": { "properties": ["documentation"] },
            } },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
            "codeLens": {},
            "inlayHint": {},
            "hover": { "contentFormat": ["markdown"] },
            "rename": { "prepareSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "semanticTokens": { "requests": { "full": { "delta": true }, "range": true }, "tokenTypes": [], "tokenModifiers": [], "formats": [] },
        },
        "workspace": {
            "diagnostics": { "refreshSupport": true }, "codeLens": { "refreshSupport": true }, "inlayHint": { "refreshSupport": true },
            "applyEdit": true,
        },
    });
    if !is_pushed {
        capabilities["textDocument"]["diagnostic"] = json!({});
    }
    capabilities
}

fn documents(random: &mut Random) -> Vec<Document> {
    let texts = own::side_by_side(random).into_iter().enumerate();
    let named = texts.map(|(n, text)| Document {
        uri: format!("file:///chaos/{n}.yaml"),
        original: text.clone(),
        text,
        version: None,
    });
    named.collect()
}

impl Chaos {
    async fn start(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let encoding = random.pick(&["utf-16", "utf-8", "utf-32"]);
        let is_pushed = random.once_in(2);
        let folder = (seed % 2 == 1).then(built::folder);
        let client = session(encoding, is_pushed, folder.as_ref()).await;
        let documents = match &folder {
            Some(folder) => built::documents(folder),
            None => documents(&mut random),
        };
        Self {
            documents,
            folder,
            random,
            client,
            encoding,
            is_pushed,
            waiting: Vec::new(),
            item: Value::Null,
            command: Value::Null,
            sent: BTreeMap::new(),
        }
    }

    async fn play(&mut self) {
        for at in 0..self.documents.len() {
            self.open(at).await;
        }
        for _ in 0..STEPS {
            self.step().await;
            while self.waiting.len() > MOST_WAITING {
                self.answer().await;
            }
        }
        while !self.waiting.is_empty() {
            self.answer().await;
        }
    }

    async fn step(&mut self) {
        let at = self.random.below(self.documents.len());
        match self.random.below(20) {
            0..8 => self.edit(at).await,
            8 => {
                // Replace the whole text, as after a git pull or a formatter.
                let text = self.documents[at].original.clone();
                self.replace(at, text).await;
            }
            9 if self.documents[at].version.is_some() => self.close(at).await,
            9 => self.open(at).await,
            10 => {
                let version = self.random.pick(VERSIONS);
                configure(&mut self.client, version).await;
            }
            11 => {
                if let Some(&(id, _)) = self.waiting.get(self.random.below(self.waiting.len())) {
                    self.client.notify("$/cancelRequest", json!({ "id": id })).await;
                }
            }
            12 => {
                let uri = &self.documents[at].uri;
                let params = json!({ "textDocument": { "uri": uri } });
                self.client.notify("textDocument/didSave", params).await;
            }
            _ => self.ask(at).await,
        }
    }

    async fn open(&mut self, at: usize) {
        let document = &mut self.documents[at];
        let version = 1 + self.random.below(1000) as i32;
        document.version = Some(version);
        self.client.open(&document.uri, version, &document.text).await;
    }

    async fn close(&mut self, at: usize) {
        let document = &mut self.documents[at];
        document.version = None;
        let params = json!({ "textDocument": { "uri": document.uri } });
        self.client.notify("textDocument/didClose", params).await;
    }

    /// Sends a notification with one or more edits, each for the text after the previous one.
    async fn edit(&mut self, at: usize) {
        let document = &mut self.documents[at];
        let Some(version) = &mut document.version else { return };
        let mut changes = Vec::new();
        for _ in 0..=self.random.below(3) {
            let edit = between_characters(self.random.edit(&document.text), &document.text);
            changes.push(change(&document.text, &edit, self.encoding));
            edit.apply(&mut document.text);
        }
        *version += 1;
        let params = json!({ "textDocument": { "uri": document.uri, "version": *version }, "contentChanges": changes });
        self.client.notify("textDocument/didChange", params).await;
        if document.text.len() > MOST_BYTES {
            let text = document.original.clone();
            self.replace(at, text).await;
        }
    }

    async fn replace(&mut self, at: usize, text: String) {
        let document = &mut self.documents[at];
        document.text = text;
        let Some(version) = &mut document.version else { return };
        *version += 1;
        let changes = json!([{ "text": document.text }]);
        let params = json!({ "textDocument": { "uri": document.uri, "version": *version }, "contentChanges": changes });
        self.client.notify("textDocument/didChange", params).await;
    }

    async fn ask(&mut self, at: usize) {
        let all: Vec<&str> = REQUESTS.iter().flat_map(|it| it.1).copied().collect();
        let methods = all.iter().filter(|it| !(self.is_pushed && it.ends_with("/diagnostic")));
        let methods: Vec<&str> = methods.copied().collect();
        let method = methods[self.random.below(methods.len())];
        let Document { uri, text, .. } = &self.documents[at];
        let mut place = || {
            let offset = text.floor_char_boundary(self.random.below(text.len() + 1));
            position(text, offset, self.encoding)
        };
        let params = match method {
            RESOLVE if self.item.is_null() => return,
            RESOLVE => self.item.clone(),
            COMMAND if self.command.is_null() => return,
            COMMAND => self.command.clone(),
            _ => {
                let (one, two) = (place(), place());
                let as_numbers = |it: &Value| (it["line"].as_u64(), it["character"].as_u64());
                let is_ordered = as_numbers(&one) <= as_numbers(&two);
                let (start, end) = if is_ordered { (&one, &two) } else { (&two, &one) };
                json!({
                    "textDocument": { "uri": uri }, "position": one, "positions": [one, two], "range": { "start": start, "end": end },
                    "newName": "renamed", "context": { "includeDeclaration": true, "diagnostics": [] },
                    "previousResultId": "1", "previousResultIds": [],
                    "ch": "\n", "options": { "tabSize": 2, "insertSpaces": true },
                })
            }
        };
        let id = self.client.begin(method, params).await;
        self.waiting.push((id, method));
    }

    /// Waits for the answer to one of the pending requests.
    async fn answer(&mut self) {
        let (id, method) = self.waiting.swap_remove(self.random.below(self.waiting.len()));
        let response = self.client.response(id).await;
        if let Some(error) = response.get("error") {
            let is_expected = error["code"].as_i64().is_some_and(|it| EXPECTED_ERRORS.contains(&it));
            assert!(is_expected, "{method}: {response}");
            return;
        }
        let result = &response["result"];
        match method {
            "textDocument/completion" => {
                let items = result.get("items").unwrap_or(result);
                let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
                if let Some(item) = items.get(self.random.below(items.len())) {
                    self.item = item.clone();
                }
            }
            "textDocument/codeLens" => {
                let lenses = result.as_array().map(Vec::as_slice).unwrap_or_default();
                let mut commands = lenses.iter().rev().map(|it| &it["command"]);
                if let Some(command) = commands.find(|it| it["arguments"].is_array()) {
                    self.command = json!({ "command": command["command"], "arguments": command["arguments"] });
                }
            }
            _ => {}
        }
        self.look_at_sent();
    }

    fn look_at_sent(&mut self) {
        take_sent(&mut self.client, &mut self.sent);
    }

    /// Stops typing: opens every document, with a text that the server does not treat as being typed.
    async fn rest(&mut self) {
        configure(&mut self.client, LAST_VERSION).await;
        // Keep one original file: if every file were broken, nothing would be built.
        let is_built = self.folder.is_some();
        let kept = self.random.below(self.documents.len());
        for at in 0..self.documents.len() {
            let Document { text, original, .. } = &self.documents[at];
            let text = if is_built && at != kept { original } else { text };
            // For an unreadable CRD, this server uses the last readable text, but a new server does not know that text.
            let counts = if text.contains("CustomResourceDefinition") && !is_readable(text) {
                original.clone()
            } else {
                text.clone()
            };
            if self.documents[at].version.is_none() {
                self.open(at).await;
            }
            // Errors that are kept while typing disappear after one more edit.
            for _ in 0..2 {
                self.replace(at, counts.clone()).await;
                let uri = self.documents[at].uri.clone();
                shown(&mut self.client, &mut self.sent, self.is_pushed, &[uri]).await;
            }
        }
    }
}

/// Starts a session with a client that supports everything.
async fn session(encoding: &str, is_pushed: bool, folder: Option<&TempDir>) -> Client {
    let mut client = Client::connect();
    let mut params = json!({ "capabilities": capabilities(encoding, is_pushed) });
    if let Some(folder) = folder {
        params["workspaceFolders"] = json!([{ "uri": built::uri_of(folder, ""), "name": "built" }]);
    }
    let mut answer = client.request("initialize", params).await;
    let advertised = answer["capabilities"].take();
    let advertised = advertised.as_object().expect("capabilities").keys();
    let providers: BTreeSet<&str> = advertised
        .map(String::as_str)
        .filter(|it| it.ends_with("Provider"))
        .collect();
    let known: BTreeSet<&str> = REQUESTS.iter().map(|it| it.0).collect();
    let unknown: Vec<_> = providers.symmetric_difference(&known).collect();
    let is_expected = unknown.is_empty() || is_pushed && unknown == [&"diagnosticProvider"];
    assert!(is_expected, "advertised, or asked for, but not both: {unknown:?}");
    client.notify("initialized", json!({})).await;
    client
}

async fn configure(client: &mut Client, version: &str) {
    let settings = json!({ "settings": { "kubernetesVersion": version } });
    client.notify("workspace/didChangeConfiguration", settings).await;
}

/// Stores the published lists. The last list of a document replaces earlier ones.
fn take_sent(client: &mut Client, sent: &mut BTreeMap<String, Value>) {
    for mut list in client.waiting("textDocument/publishDiagnostics") {
        let uri = list["uri"].as_str().expect("a URI").to_owned();
        sent.insert(uri, list["diagnostics"].take());
    }
    client.waiting("window/logMessage");
    client.waiting("window/showMessage");
}

/// The diagnostics that the server shows for the documents now.
async fn shown(
    client: &mut Client,
    sent: &mut BTreeMap<String, Value>,
    is_pushed: bool,
    uris: &[String],
) -> Vec<Value> {
    let mut all = Vec::new();
    for uri in uris {
        let params = json!({ "textDocument": { "uri": uri } });
        if is_pushed {
            // When the answer to another request arrives, all lists published before it have arrived, too.
            client.request("textDocument/foldingRange", params).await;
            take_sent(client, sent);
            all.push(sent.get(uri).cloned().unwrap_or(Value::Null));
            continue;
        }
        let id = client.begin("textDocument/diagnostic", params).await;
        let mut response = client.response(id).await;
        // The server may have dropped the result in the meantime because the CRD has changed.
        all.push(response["result"]["items"].take());
    }
    all
}

/// Prints diagnostics, one per line.
fn lines(diagnostics: &Value) -> String {
    let all = diagnostics.as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Whether every YAML document in the text can be converted to JSON.
fn is_readable(text: &str) -> bool {
    let found = split(text);
    found.error.is_none()
        && found.documents.iter().all(|document| {
            let tree = read_document(&text.into(), *document, &[]);
            tree.is_ok_and(|it| read_json(&it).is_ok())
        })
}

fn change(text: &str, edit: &Edit, encoding: &str) -> Value {
    let [start, end] = [edit.range.start, edit.range.end].map(|it| position(text, it, encoding));
    json!({ "range": { "start": start, "end": end }, "text": edit.text })
}

/// If an edit starts or ends inside CR LF, moves it out, because LSP has no position between the two characters.
fn between_characters(mut edit: Edit, text: &str) -> Edit {
    let moved = |at: usize| at - usize::from(text[..at].ends_with('\r') && text[at..].starts_with('\n'));
    edit.range = moved(edit.range.start)..moved(edit.range.end);
    edit
}

/// The LSP position of a byte offset.
pub(crate) fn position(text: &str, at: usize, encoding: &str) -> Value {
    let before = &text[..at];
    let (mut line, mut start) = (0, 0);
    for (n, _) in before.match_indices(['\n', '\r']) {
        // CR LF is a single line break.
        if !text[n..].starts_with("\r\n") {
            line += 1;
            start = n + 1;
        }
    }
    let column = match encoding {
        "utf-8" => before[start..].len(),
        "utf-16" => before[start..].encode_utf16().count(),
        _ => before[start..].chars().count(),
    };
    json!({ "line": line, "character": column })
}

/// Runs one session, and compares its final diagnostics with those of a new server.
async fn check(seed: u64) {
    let mut chaos = Chaos::start(seed).await;
    chaos.play().await;
    chaos.rest().await;
    let mut fresh = session(chaos.encoding, chaos.is_pushed, chaos.folder.as_ref()).await;
    configure(&mut fresh, LAST_VERSION).await;
    for document in &chaos.documents {
        fresh.open(&document.uri, 1, &document.text).await;
    }
    let uris: Vec<String> = chaos.documents.iter().map(|it| it.uri.clone()).collect();
    let begin = Instant::now();
    let mut fresh_sent = BTreeMap::new();
    // The servers must agree, even after both have had time to find hazards.
    let mut agreed = 0;
    while agreed < 2 {
        tokio::time::sleep(PAUSE).await;
        let is = shown(&mut chaos.client, &mut chaos.sent, chaos.is_pushed, &uris).await;
        let should = shown(&mut fresh, &mut fresh_sent, chaos.is_pushed, &uris).await;
        if is == should && !is.contains(&Value::Null) {
            agreed += 1;
            continue;
        }
        agreed = 0;
        if begin.elapsed() > PATIENCE {
            for (n, document) in chaos.documents.iter().enumerate() {
                let [is, should] = [&is[n], &should[n]].map(lines);
                let text = &document.text;
                assert!(
                    is == should,
                    "seed {seed}, document {n}, after chaos:\n{is}\nfresh:\n{should}\n{text}"
                );
            }
        }
    }
    for mut client in [chaos.client, fresh] {
        take_sent(&mut client, &mut BTreeMap::new());
        client.request("shutdown", Value::Null).await;
        assert_eq!(client.leave(true).await, 0, "seed {seed}");
    }
}

#[test]
fn what_is_shown_after_chaos_is_what_a_fresh_server_shows() {
    for seed in seeds("CRD_ANALYZER_CHAOS", SEEDS) {
        // A failed session can be run again with `CRD_ANALYZER_CHAOS=SEED..SEED+1`.
        println!("seed {seed}");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_time()
            .worker_threads(2)
            .thread_stack_size(16 << 20)
            .build()
            .expect("threads");
        runtime.block_on(check(seed));
        runtime.shutdown_background();
    }
}
