//! The Test Anything Protocol, version 14, with a test for each document.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_workspace::findings::finding::{Finding, Severity};
use serde_json::{Value, json};

use super::{
    File, Format, Look, Printer, Summary,
    aside::in_test_data as in_test_data_words,
    name_of,
    test::tap::{Tests, block},
};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format::new("tap", |look| Box::new(Tap::new(look)));

/// Prints a line for each document, with its diagnostics as a YAML block.
struct Tap {
    tests: Tests,
    fails: Severity,
}

impl Tap {
    fn new(look: Look) -> Self {
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
        let in_test_data = file.in_test_data.of_file();
        if !findings.is_empty() || !in_test_data.is_empty() {
            let is_ok = findings.iter().all(|it| it.severity > self.fails);
            let in_test_data = in_test_data.iter().map(|it| (in_test_data_words(&it.headline), it));
            let found = findings.iter().map(|it| (it.headline.clone(), it)).chain(in_test_data);
            let found: Vec<_> = found.map(|(headline, it)| value(file, it, &headline)).collect();
            self.test(out, file.label, is_ok, &found)?;
        }
        for (n, (document, _)) in file.documents().enumerate() {
            let Some(asked) = document.versions() else { continue };
            let is_ok = document
                .loudest(file.all_of_document(n))
                .is_none_or(|it| it > self.fails);
            let in_test_data = file.in_test_data.of_document(n, document).into_iter();
            let in_test_data = in_test_data.map(|(headline, it)| (in_test_data_words(&headline), it));
            let found = file.all_of_document(n).map(|it| (it.headline(asked), &it.finding));
            let found = found.chain(in_test_data);
            let found: Vec<_> = found.map(|(headline, it)| value(file, it, &headline)).collect();
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
