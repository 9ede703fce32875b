//! JSON lines output: one line for each test, with the result of each Kubernetes version.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_suite::coverage::CrdCoverage;
use crd_analyzer_syntax::tree::Span;
use serde_json::{Map, Value, json};

use super::{Format, Printer, Report, Summary};
use crate::output::jsonl::write_line;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    help: "JSON lines: one for each test",
    is_text: false,
    printer: |_| Box::new(Jsonl),
};

struct Jsonl;

fn range(report: &Report, span: Span) -> Value {
    let at = |offset: u32| {
        let (line, column) = report.position(offset);
        json!({"line": line, "column": column, "offset": offset})
    };
    json!({"start": at(span.start), "end": at(span.end)})
}

impl Printer for Jsonl {
    fn file(&mut self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        for problem in &report.problems {
            let line = json!({
                "file": report.label, "status": "error", "message": problem.message, "range": range(report, problem.span),
            });
            write_line(out, &line)?;
        }
        for shown in report.printed_cases() {
            let status = match shown.outcome {
                _ if shown.is_skipped() => "skipped",
                outcome if outcome.is_passed() => "passed",
                _ => "failed",
            };
            let failures = shown.outcome.failures.iter().map(|it| {
                let failure = &it.failure;
                let minors: Vec<String> = it.versions.iter().map(|it| it.to_string()).collect();
                json!({
                    "k8s": minors, "message": failure.message, "got": failure.got, "setup": failure.is_setup,
                    "expected": failure.diff.as_ref().map(|it| &it.0), "stored": failure.diff.as_ref().map(|it| &it.1),
                    "range": range(report, failure.span),
                })
            });
            let answers = shown
                .outcome
                .answers()
                .map(|(version, answer)| (version.to_string(), answer));
            let line = json!({
                "file": report.label, "name": shown.case.name, "definition": shown.variant, "status": status,
                "range": range(report, shown.case.span), "failures": failures.collect::<Vec<_>>(),
                "passes_on": shown.outcome.passes_on.map(|it| it.iter().map(|it| it.to_string()).collect::<Vec<_>>()),
                "answers": answers.collect::<Map<_, _>>(),
            });
            write_line(out, &line)?;
        }
        Ok(())
    }

    fn coverage(&mut self, out: &mut dyn Write, crds: &[CrdCoverage]) -> io::Result<()> {
        for crd in crds {
            for rule in &crd.rules {
                let (line, column) = crd.position(rule);
                let line = json!({
                    "file": crd.label, "crd": crd.name, "version": rule.rule.version, "rule": rule.rule.text,
                    "tests": {"evaluated": rule.evaluated, "failed": rule.failed},
                    "position": {"line": line, "column": column, "offset": rule.rule.span.start},
                });
                write_line(out, &line)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
