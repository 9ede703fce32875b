//! The oracle: a program that returns the answers of `sigs.k8s.io/yaml`.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

pub(crate) struct Oracle {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The result of Kubernetes for a text.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Json { text: String, strict: Option<String> },
    Error(String),
    Panic(String),
}

impl Oracle {
    /// Builds and starts the program. Panics if that is not possible.
    pub(crate) fn start() -> Self {
        let source = super::repository().join("tests/conformance/yamljson");
        let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("yamljson");
        let built = Command::new("go")
            .arg("build")
            .arg("-o")
            .arg(&binary)
            .arg(".")
            .current_dir(&source)
            .status();
        let is_built = built.is_ok_and(|it| it.success());
        assert!(is_built, "Go cannot build {}", source.display());
        let mut child = Command::new(binary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, input, output }
    }

    /// Sends all texts and returns the answers in the same order.
    pub(crate) fn ask<'a>(&mut self, texts: impl Iterator<Item = &'a [u8]>) -> Vec<Answer> {
        let requests = texts.map(|it| match std::str::from_utf8(it) {
            Ok(text) => serde_json::json!({ "text": text }),
            Err(_) => serde_json::json!({ "base64": base64(it) }),
        });
        self.exchange(requests.collect()).iter().map(answer).collect()
    }

    /// Splits each file. Returns the documents, and the error that stopped the split.
    pub(crate) fn split<'a>(&mut self, files: impl Iterator<Item = &'a str>) -> Vec<(Vec<String>, Option<String>)> {
        let requests = files.map(|it| serde_json::json!({ "text": it, "split": true }));
        let bodies = |it: &Value| it["bodies"].as_array().into_iter().flatten().map(text_of).collect();
        let answers = self.exchange(requests.collect());
        answers
            .iter()
            .map(|it| (bodies(it), it["error"].as_str().map(ToOwned::to_owned)))
            .collect()
    }

    /// Reads each file like kubectl. Returns the resources as JSON, and the error that stopped the reading.
    pub(crate) fn objects<'a>(&mut self, files: impl Iterator<Item = &'a [u8]>) -> Vec<(Vec<String>, Option<String>)> {
        let requests = files.map(|it| serde_json::json!({ "base64": base64(it), "file": true }));
        let bodies = |it: &Value| it["bodies"].as_array().into_iter().flatten().map(text_of).collect();
        let answers = self.exchange(requests.collect());
        answers
            .iter()
            .map(|it| (bodies(it), it["error"].as_str().map(ToOwned::to_owned)))
            .collect()
    }

    fn exchange(&mut self, requests: Vec<Value>) -> Vec<Value> {
        let count = requests.len();
        let mut lines = String::new();
        for (id, mut request) in requests.into_iter().enumerate() {
            request["id"] = id.into();
            writeln!(lines, "{request}").expect("a string");
        }
        // The program answers while it reads, so we must write and read at the same time.
        let mut input = self.input.take().expect("the input");
        let writer = std::thread::spawn(move || {
            input
                .write_all(lines.as_bytes())
                .and_then(|()| input.flush())
                .expect("a listening program");
            input
        });
        let answers = (0..count).map(|id| self.read(id)).collect();
        self.input = Some(writer.join().expect("the writer"));
        answers
    }

    fn read(&mut self, id: usize) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], id);
        answer
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn answer(value: &Value) -> Answer {
    let text = |key: &str| value[key].as_str().map(ToOwned::to_owned);
    match (text("json"), text("error"), text("panic")) {
        (Some(json), ..) => Answer::Json {
            text: json,
            strict: text("strict"),
        },
        (_, Some(error), _) => Answer::Error(error),
        (_, _, panic) => Answer::Panic(panic.unwrap_or_default()),
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().fold(0_u32, |all, &it| all << 8 | u32::from(it)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[(all >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
