//! The Test Anything Protocol, version 14: a test a document.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_workspace::finding::{Finding, Severity};
use serde_json::{Value, json};

use super::{
    File, Look, Printer, Summary, name_of,
    test::tap::{Tests, block},
};
use crate::input::Unreadable;

/// Prints a line a document, with what was found as a block of YAML.
pub(super) struct Tap {
    tests: Tests,
    fails: Severity,
}

impl Tap {
    pub(super) fn new(look: Look) -> Self {
        Self {
            tests: Tests::default(),
            fails: look.fails,
        }
    }

    fn test(&mut self, out: &mut dyn Write, name: &str, is_ok: bool, found: &[Value]) -> io::Result<()> {
        self.tests.line(out, is_ok, name)?;
        writeln!(out)?;
        if found.is_empty() {
            return Ok(());
        }
        block(out, &[("diagnostics", json!(found))])
    }
}

fn value(file: &File<'_>, finding: &Finding, headline: &str) -> Value {
    let (line, column) = file.position(finding.span.start);
    json!({
        "at": format!("{}:{line}:{column}", escape::line(file.label)), "severity": finding.word(), "code": finding.code,
        "message": headline, "help": finding.help,
    })
}

impl Printer for Tap {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        let findings = &file.findings;
        if !findings.is_empty() {
            let is_ok = findings.iter().all(|it| it.severity > self.fails);
            let found: Vec<_> = findings.iter().map(|it| value(file, it, &it.headline)).collect();
            self.test(out, file.label, is_ok, &found)?;
        }
        for (document, shown) in file.documents() {
            let Some(asked) = document.versions() else { continue };
            let is_ok = document.loudest(shown).is_none_or(|it| it > self.fails);
            let found: Vec<_> = shown
                .iter()
                .map(|it| value(file, &it.finding, &it.headline(asked)))
                .collect();
            self.test(out, &format!("{}: {}", file.label, name_of(document)), is_ok, &found)?;
        }
        Ok(())
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let found = json!({"severity": "error", "message": format!("cannot be read: {}", unreadable.why)});
        self.test(out, &unreadable.label, false, &[found])
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        self.tests.end(out)
    }
}
