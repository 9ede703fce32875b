//! One JSON document: the lines of the `jsonl` format as a list, what could not be read, and a summary.

use std::{
    io::{self, Write},
    time::Duration,
};

use serde_json::{Value, json};

use super::{File, Printer, Summary, jsonl};
use crate::input::Unreadable;

/// Collects everything and prints it at the end.
#[derive(Default)]
pub(super) struct Json {
    answers: Vec<Value>,
    unreadable: Vec<Value>,
    effective: bool,
}

impl Json {
    pub(super) fn new(effective: bool) -> Self {
        Self {
            effective,
            ..Self::default()
        }
    }
}

impl Printer for Json {
    fn file(&mut self, _: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for document in &file.report.documents {
            for (version, verdict) in &document.verdicts {
                self.answers.push(serde_json::to_value(jsonl::line(
                    file,
                    document,
                    *version,
                    verdict,
                    self.effective,
                ))?);
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        self.unreadable
            .push(json!({"file": unreadable.label, "why": unreadable.why}));
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, _: Duration) -> io::Result<()> {
        let document = json!({
            "answers": self.answers,
            "unreadable": self.unreadable,
            "summary": {
                "files": summary.files,
                "definitions": summary.definitions,
                "resources": summary.resources,
                "unknown": summary.unknown,
                "errors": summary.errors,
                "warnings": summary.warnings,
                "hints": summary.hints,
            },
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        out.write_all(b"\n")
    }
}
