//! Answers requests as the API server would, one JSON line per document, without source positions. For differential tests.
//!
//! `judge [--k8s MINOR] < REQUESTS`: a request is a path, `NEW<tab>OLD` for an update, or a JSON object with `id` and
//! `text` or `file`, and `old_text` or `old` for an update. Every answer is flushed.

#![allow(clippy::disallowed_methods, reason = "a program for people reads files")]
#![expect(clippy::print_stderr, reason = "a program, not a library")]

#[path = "judge/documents.rs"]
mod documents;

use std::io::{BufRead, Write};
use std::process::ExitCode;

use crd_analyzer_apiextensions::strategy::CrdVerdict;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::Error;
use serde_json::{Map, Value, json};

use documents::{answers, stored};

fn main() -> ExitCode {
    let mut version = KubernetesVersion::NEWEST;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let minor = arguments.next().and_then(|it| it.trim_start_matches("1.").parse().ok());
        let ("--k8s", Some(minor)) = (argument.as_str(), minor) else {
            eprintln!("usage: judge [--k8s MINOR] < REQUESTS");
            return ExitCode::FAILURE;
        };
        version = KubernetesVersion::minor(minor);
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return ExitCode::FAILURE };
        if line.trim().is_empty() {
            continue;
        }
        let request = Request::parse(line.trim());
        for answer in request.answer(version) {
            if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

struct Request {
    label: String,
    text: Result<Vec<u8>, String>,
    old_text: Option<Result<Vec<u8>, String>>,
}

impl Request {
    fn parse(line: &str) -> Self {
        if let Ok(Value::Object(fields)) = serde_json::from_str(line) {
            let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (file, old) = (field("file"), field("old"));
            let old_text = field("old_text");
            return Self {
                label: if file.is_empty() { field("id") } else { file.clone() },
                text: if file.is_empty() {
                    Ok(field("text").into_bytes())
                } else {
                    read(&file)
                },
                old_text: match (old.as_str(), old_text.as_str()) {
                    ("", "") => None,
                    ("", _) => Some(Ok(old_text.into_bytes())),
                    _ => Some(read(&old)),
                },
            };
        }
        let (path, old) = line
            .split_once('\t')
            .map_or((line, None), |(path, old)| (path, Some(old)));
        Self {
            label: path.to_owned(),
            text: read(path),
            old_text: old.map(read),
        }
    }

    fn answer(&self, version: KubernetesVersion) -> Vec<Value> {
        let answered = self.text.as_ref().map_err(String::clone).and_then(|text| {
            let old = match &self.old_text {
                None => None,
                Some(old) => Some(stored(old.as_ref().map_err(String::clone)?, version)?),
            };
            answers(text, old.as_ref(), version)
        });
        match answered {
            Ok(answers) => answers
                .iter()
                .map(|it| self.line(it.index, &it.name, &it.verdict, version))
                .collect(),
            Err(why) => {
                let mut line = self.line(0, "", &CrdVerdict::default(), version);
                line["decode_error"] = Value::from(why);
                line["accepted"] = Value::from(false);
                line["accepted_strict"] = Value::from(false);
                vec![line]
            }
        }
    }

    fn line(&self, doc: u32, name: &str, verdict: &CrdVerdict, version: KubernetesVersion) -> Value {
        if let Some(reason) = &verdict.unjudged {
            return json!({"file": self.label, "doc": doc, "k8s": version.to_string(), "panic": format!("{reason:?}")});
        }
        let mut errors: Vec<Value> = verdict.errors.iter().map(error).collect();
        errors.sort_by_key(|it| {
            let field = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            (field("field"), field("type"), field("detail"))
        });
        let mut warnings: Vec<&str> = verdict.warnings.iter().map(|it| it.text.as_str()).collect();
        warnings.sort_unstable();
        let mut line = json!({
            "file": self.label,
            "doc": doc,
            "name": name,
            "k8s": version.to_string(),
            "decode_error": verdict.decode_error.as_ref().map(|it| &it.text),
            "strict": verdict.strict.iter().map(|it| &it.text).collect::<Vec<_>>(),
            "accepted": verdict.is_accepted(),
            "accepted_strict": verdict.is_accepted_strictly(),
            "errors": errors,
            "warnings": warnings,
        });
        if let (Some(other), Value::Object(line)) = (&verdict.other_error, &mut line) {
            line.insert("other_error".to_owned(), Value::from(other.as_str()));
        }
        line
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|it| it.to_string())
}

fn error(error: &Error) -> Value {
    let mut out = Map::new();
    out.insert("type".to_owned(), Value::from(error.kind.reason()));
    out.insert("field".to_owned(), Value::from(error.path.to_string()));
    out.insert("detail".to_owned(), Value::from(error.detail.as_str()));
    if !error.bad_value.is_empty() {
        out.insert("bad_value".to_owned(), Value::from(shortened(&error.bad_value)));
    }
    Value::Object(out)
}

/// Truncates long values to 200 bytes, as in the expected answers.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(LONGEST)])
}
