//! The Test Anything Protocol, version 14 (testanything.org), with a line for each test and a YAML block for each failure.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_suite::coverage::CrdCoverage;
use serde_json::json;

use super::{Format, Printer, Report, Summary, covered, details, gap_line};

pub(super) const FORMAT: Format = Format {
    name: "tap",
    help: "The Test Anything Protocol, version 14",
    is_text: false,
    printer: |_| Box::new(Tap::default()),
};

/// The number of tests so far.
#[derive(Default)]
pub(in crate::output) struct Tests {
    count: usize,
}

impl Tests {
    /// Starts the line of a test. The first line of the output is the protocol version.
    pub(in crate::output) fn line(&mut self, out: &mut dyn Write, is_ok: bool, name: &str) -> io::Result<()> {
        self.begin(out)?;
        self.count += 1;
        let word = if is_ok { "ok" } else { "not ok" };
        write!(out, "{word} {} - {}", self.count, escape::tap_description(name))
    }

    fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.count == 0 {
            writeln!(out, "TAP version 14")?;
        }
        Ok(())
    }

    /// Prints the number of tests.
    pub(in crate::output) fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        writeln!(out, "1..{}", self.count)
    }
}

/// Prints the results of test files.
#[derive(Default)]
struct Tap {
    tests: Tests,
}

/// Prints a YAML block. JSON strings are valid YAML.
pub(in crate::output) fn block(out: &mut dyn Write, entries: &[(&str, serde_json::Value)]) -> io::Result<()> {
    writeln!(out, "  ---")?;
    for (key, value) in entries {
        writeln!(out, "  {key}: {}", escape::json(&value.to_string()))?;
    }
    writeln!(out, "  ...")
}

impl Printer for Tap {
    fn file(&mut self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        for problem in &report.problems {
            self.tests.line(out, false, &report.label)?;
            writeln!(out)?;
            block(
                out,
                &[
                    ("message", json!(problem.message)),
                    ("at", json!(report.place(problem.span))),
                ],
            )?;
        }
        for shown in report.printed_cases() {
            let is_passed = shown.outcome.is_passed();
            self.tests
                .line(out, is_passed, &format!("{}: {}", report.label, shown.name()))?;
            let skipped = if shown.is_skipped() {
                " # SKIP not for these Kubernetes versions"
            } else {
                ""
            };
            writeln!(out, "{skipped}")?;
            for failed in &shown.outcome.failures {
                let message = failed.message(shown.outcome.versions);
                let mut entries = vec![
                    ("message", json!(message)),
                    ("at", json!(report.place(failed.failure.span))),
                ];
                let details = details(failed, shown.outcome.passes_on);
                if !details.is_empty() {
                    entries.push(("data", json!(details)));
                }
                block(out, &entries)?;
            }
        }
        Ok(())
    }

    /// Prints comments, which readers of the protocol skip.
    fn coverage(&mut self, out: &mut dyn Write, crds: &[CrdCoverage]) -> io::Result<()> {
        self.tests.begin(out)?;
        for crd in crds {
            writeln!(out, "# {}", escape::line(&covered(crd)))?;
            for text in crd.rules.iter().filter_map(|it| gap_line(crd, it)) {
                writeln!(out, "# {}", escape::line(&text))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        self.tests.end(out)
    }
}
