//! Checks that the language server shows the same diagnostics as `check` for each file: the same codes, severities and positions.
//!
//! `CRD_ANALYZER_PARITY=FOLDER cargo test --test lsp parity -- --nocapture` compares the diagnostics for a repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use crd_analyzer_workspace::codes::OFF_BY_DEFAULT;
use serde_json::{Value, json};

use super::Server;

#[allow(dead_code, reason = "the cases are run elsewhere")]
#[path = "../adoption/case.rs"]
mod case;

use case::{Case, cases, root};

/// The maximum time until the language server shows the final diagnostics.
const PATIENCE: Duration = Duration::from_mins(1);

/// How many cases run at a time.
const SIDE_BY_SIDE: usize = 6;

/// A diagnostic: its range, code and severity. Editors distinguish two kinds of hints.
type Shown = (u64, u64, u64, u64, String, &'static str);

/// The diagnostics of each file.
type ByFile = BTreeMap<String, BTreeSet<Shown>>;

/// Codes that only the language server reports, with the reason.
const ONLY_IN_EDITORS: [(&str, &str); 0] = [];

/// Whether a finding follows from another one of its document. JSON has all errors of the API server, and other formats one for each mistake.
fn follows(line: &Value, finding: &Value) -> bool {
    let list = |key: &str| line[key].as_array().cloned().unwrap_or_default();
    let wrong_types: Vec<Value> = list("errors")
        .into_iter()
        .filter(|it| it["code"] == "wrong-type")
        .collect();
    let field = finding["field"].as_str().unwrap_or_default();
    let is_told = finding["help"].as_array().is_some_and(|it| !it.is_empty());
    let mut causes = ["errors", "strict_places", "hints"].into_iter().flat_map(list);
    let has_same_help = |it: Value| {
        let codes = ["unknown-field", "invalid-group", "unknown-conversion-strategy"];
        codes
            .iter()
            .any(|code| it["code"] == *code && it["code"] != finding["code"])
            && it["help"] == finding["help"]
    };
    if is_told && causes.any(has_same_help) {
        return true;
    }
    let errors = list("errors");
    let is_at = |code: &str| {
        errors
            .iter()
            .any(|it| it["code"] == code && it["range"] == finding["range"])
    };
    match finding["code"].as_str() {
        Some("stored-versions") => is_at("storage-version-count"),
        Some("metadata-type") => is_at("unknown-type"),
        Some("unknown-field") => {
            let at = list("strict_places").iter().position(|it| it == finding);
            let said = at.and_then(|it| list("strict").get(it)?.as_str().map(str::to_owned));
            wrong_types.iter().any(|it| {
                let value = it["field"].as_str().unwrap_or("?");
                let said = said.as_deref().unwrap_or_default();
                ['.', '['].iter().any(|sign| said.contains(&format!("\"{value}{sign}")))
            })
        }
        Some("invalid-scale") => wrong_types.iter().any(|it| it["range"] == finding["range"]),
        _ if field.ends_with(".default") => list("hints")
            .iter()
            .any(|it| it["hidden"] == true && it["code"] == finding["code"]),
        _ => false,
    }
}

/// Whether a hidden error is about a rule that the API server reports at a default.
fn is_cause_at_default(line: &Value, hint: &Value) -> bool {
    let errors = line["errors"].as_array().into_iter().flatten();
    let is_it = |it: &Value| {
        let is_default = it["field"].as_str().is_some_and(|it| it.ends_with(".default"));
        is_default && it["code"] == hint["code"]
    };
    hint["hidden"] == true && errors.clone().any(is_it)
}

/// The diagnostics of `check` for a folder.
fn checked(folder: &Path) -> ByFile {
    let output = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"))
        .args(["check", ".", "-o", "jsonl", "--allow-empty"])
        .current_dir(folder)
        .output()
        .expect("it runs");
    let mut files = ByFile::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let file = files
            .entry(line["file"].as_str().expect("a file").to_owned())
            .or_default();
        let error = if line["errors_expected"].is_null() {
            "error"
        } else {
            "hint"
        };
        let list = |key: &str| line[key].as_array().cloned().unwrap_or_default();
        let mut add = |finding: &Value, word: &'static str| {
            if finding["suppressed"] == true || follows(&line, finding) {
                return;
            }
            let at = |end: &str, of: &str| finding["range"][end][of].as_u64().expect("a place");
            let code = finding["code"].as_str().expect("a code").to_owned();
            // JSON contains these diagnostics, but other formats only show them on request.
            if OFF_BY_DEFAULT.contains(&&*code) {
                return;
            }
            let (start, end) = (("start", "line"), ("end", "line"));
            file.insert((
                at(start.0, start.1),
                at("start", "column"),
                at(end.0, end.1),
                at("end", "column"),
                code,
                word,
            ));
        };
        for key in ["decode_error_place", "other_error_place"] {
            if !line[key].is_null() {
                add(&line[key], error);
            }
        }
        for key in ["strict_places", "errors"] {
            for it in list(key) {
                add(&it, error);
            }
        }
        for it in list("warnings") {
            add(&it, "warning");
        }
        for key in ["hints", "unfinished"] {
            for it in list(key) {
                let word = match it["severity"].as_str() {
                    _ if is_cause_at_default(&line, &it) => "error",
                    Some("error") => "error",
                    Some("warning") => "warning",
                    _ => "hint",
                };
                add(&it, word);
            }
        }
    }
    files.retain(|_, shown| !shown.is_empty());
    files
}

/// A client of the language server for a folder and all files that may contain manifests.
struct Editor<'f> {
    server: Server,
    folder: &'f Path,
    requests: u32,
}

impl<'f> Editor<'f> {
    fn start(folder: &'f Path) -> Self {
        let mut server = Server::start(&["lsp"]);
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-32"] },
            "textDocument": { "diagnostic": {}, "publishDiagnostics": { "relatedInformation": true } },
            "workspace": { "diagnostics": { "refreshSupport": true } },
        });
        let params = json!({
            "capabilities": capabilities,
            "workspaceFolders": [{ "uri": uri(folder, ""), "name": "it" }],
            "initializationOptions": { "updateAgainst": "off" },
        });
        server.request(1, "initialize", params);
        server.notify("initialized", &json!({}));
        Self {
            server,
            folder,
            requests: 1,
        }
    }

    fn open(&mut self, file: &str) {
        let bytes = fs::read(self.folder.join(file)).expect("a file");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let document = json!({ "uri": uri(self.folder, file), "languageId": "yaml", "version": 1, "text": text });
        self.server
            .notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn close(&mut self, file: &str) {
        let document = json!({ "textDocument": { "uri": uri(self.folder, file) } });
        self.server.notify("textDocument/didClose", &document);
    }

    /// The current diagnostics of an open file.
    fn shown(&mut self, file: &str) -> BTreeSet<Shown> {
        self.requests += 1;
        let params = json!({ "textDocument": { "uri": uri(self.folder, file) } });
        let answer = self.server.request(self.requests, "textDocument/diagnostic", params);
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        // What a template of a chart includes is shown where it is written by `check`, and at the include by editors.
        let is_own = |it: &&Value| {
            let related = it["relatedInformation"].as_array().into_iter().flatten();
            let mut places = related.filter_map(|it| it["location"]["uri"].as_str());
            !places.any(|it| it.contains("/templates/") && !it.ends_with(file))
        };
        let shown = items.iter().filter(is_own).flat_map(|it| {
            let at = |end: &str, of: &str| it["range"][end][of].as_u64().expect("a place") + 1;
            let word = match it["severity"].as_u64() {
                Some(1) => "error",
                Some(2) => "warning",
                _ => "hint",
            };
            let of = |code: &str| {
                let (start, end) = (at("start", "line"), at("end", "line"));
                let (from, to) = (at("start", "character"), at("end", "character"));
                (start, from, end, to, code.to_owned(), word)
            };
            // Further errors of a value are notes of its first error.
            let related = it["relatedInformation"].as_array().into_iter().flatten();
            let also = related.filter_map(|it| {
                let note = it["message"].as_str()?.strip_prefix("note: also ")?;
                Some(of(note.split_once(':')?.0))
            });
            also.chain([of(it["code"].as_str().unwrap_or_default())])
                .collect::<Vec<_>>()
        });
        shown.collect()
    }

    /// The difference for a file after the language server has finished.
    fn difference(&mut self, file: &str, expected: &BTreeSet<Shown>) -> Option<String> {
        let begin = Instant::now();
        loop {
            let mut shown = self.shown(file);
            shown.retain(|it| !ONLY_IN_EDITORS.iter().any(|only| only.0 == it.4) || expected.contains(it));
            if shown == *expected {
                return None;
            }
            if begin.elapsed() > patience() {
                let mut said = String::new();
                for it in expected.difference(&shown) {
                    let _ = writeln!(said, "  only check:  {file}: {it:?}");
                }
                for it in shown.difference(expected) {
                    let _ = writeln!(said, "  only editor: {file}: {it:?}");
                }
                return Some(said);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(mut self) {
        self.requests += 1;
        self.server.request(self.requests, "shutdown", Value::Null);
        self.server.notify("exit", &Value::Null);
        self.server.process.wait().expect("it ends");
    }
}

/// The maximum time for one file, because users do not wait longer.
fn patience() -> Duration {
    let seconds = std::env::var("CRD_ANALYZER_PATIENCE")
        .ok()
        .and_then(|it| it.parse().ok());
    seconds.map_or(PATIENCE, Duration::from_secs)
}

fn uri(folder: &Path, file: &str) -> String {
    format!("file://{}", folder.join(file).display())
}

/// Collects the files below a folder that may contain manifests.
fn manifests(folder: &Path, below: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder.join(below)).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        if entry.path().is_dir() && !name.starts_with('.') {
            manifests(folder, &path, found);
        } else if [".yaml", ".yml", ".json"].iter().any(|it| name.ends_with(it)) && !name.starts_with('.') {
            found.push(path);
        }
    }
}

/// The differences in a folder. Opens all files at once, or one after the other.
fn differences(folder: &Path, at_once: bool) -> Vec<String> {
    let mut by_file = checked(folder);
    // The output of `check` is complete, so the diagnostics that the configuration disables are removed.
    let config = fs::read_to_string(folder.join(".crd-analyzer.yaml")).unwrap_or_default();
    for shown in by_file.values_mut() {
        shown.retain(|it| !config.contains(&format!("{}: off", it.4)));
    }
    let mut files = Vec::new();
    manifests(folder, "", &mut files);
    files.sort();
    let mut editor = Editor::start(folder);
    let mut found = Vec::new();
    if at_once {
        for file in &files {
            editor.open(file);
        }
    }
    for file in &files {
        if !at_once {
            editor.open(file);
        }
        let expected = by_file.get(file).cloned().unwrap_or_default();
        found.extend(editor.difference(file, &expected));
        if !at_once {
            editor.close(file);
        }
    }
    editor.end();
    found
}

#[test]
fn parity_over_the_cases_of_adoption() {
    if let Some(folder) = std::env::var_os("CRD_ANALYZER_PARITY") {
        let found = differences(Path::new(&folder), false);
        println!(
            "{} files differ in {}\n{}",
            found.len(),
            Path::new(&folder).display(),
            found.concat()
        );
        return;
    }
    let cases: Vec<_> = ["false-green", "false-red", "pipeline"]
        .into_iter()
        .flat_map(cases)
        .collect();
    assert!(cases.len() > 200, "only {} cases", cases.len());
    // Most of the time, a case waits for the language server.
    let wrong: String = std::thread::scope(|scope| {
        let parts = cases.chunks(cases.len().div_ceil(SIDE_BY_SIDE));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| wrong_cases(part))).collect();
        running.into_iter().map(|it| it.join().expect("it ends")).collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// The differences of these cases, in words.
fn wrong_cases(cases: &[PathBuf]) -> String {
    let mut wrong = String::new();
    for path in cases {
        let case = Case::read(&fs::read_to_string(path).expect("a case"));
        let name = path.strip_prefix(root()).unwrap_or(path).display();
        let tree = case.tree();
        let found = differences(tree.path(), true);
        if !found.is_empty() {
            let _ = writeln!(wrong, "{name}\n{}", found.concat());
        }
    }
    wrong
}
