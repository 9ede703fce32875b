//! JUnit XML: a test suite for each file, and a test case for each test.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape::{line, text};
use crd_analyzer_suite::coverage::CrdCoverage;
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::{Format, Printer, Report, Summary, details, in_a_row};

pub(super) const FORMAT: Format = Format {
    name: "junit",
    help: "JUnit XML, which CI systems show",
    is_text: false,
    printer: |_| Box::new(Junit::default()),
};

/// Collects the results of all files, because the document starts with the totals.
struct Junit {
    document: Document,
}

impl Default for Junit {
    fn default() -> Self {
        Self {
            document: Document::new("crd-analyzer"),
        }
    }
}

impl Printer for Junit {
    fn file(&mut self, _: &mut dyn Write, report: &Report) -> io::Result<()> {
        let mut suite = TestSuite::new(line(&report.label));
        for problem in &report.problems {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(text(&problem.message));
            status.set_description(line(&report.place(problem.span)));
            let mut case = TestCase::new("the file can be run", status);
            case.set_classname(line(&report.label));
            suite.add_test_case(case);
        }
        for shown in report.printed_cases() {
            let status = match shown.outcome.failures.first() {
                _ if shown.is_skipped() => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message("not for these Kubernetes versions");
                    status
                }
                None => TestCaseStatus::success(),
                Some(first) => {
                    let asked = shown.outcome.versions;
                    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(text(&first.message(asked)));
                    let failures = shown.outcome.failures.iter().map(|failed| {
                        let place = report.place(failed.failure.span);
                        let mut lines = vec![format!("{place}: {}", failed.message(asked))];
                        lines.extend(details(failed, shown.outcome.passes_on));
                        lines.join("\n")
                    });
                    status.set_description(text(&failures.collect::<Vec<_>>().join("\n\n")));
                    status
                }
            };
            let mut case = TestCase::new(line(&shown.name()), status);
            case.set_classname(line(&report.label));
            case.extra.insert("file".into(), line(&report.label).as_ref().into());
            let (line, _) = report.position(shown.case.span.start);
            case.extra.insert("line".into(), line.to_string().into());
            suite.add_test_case(case);
        }
        self.document.add_test_suite(suite);
        Ok(())
    }

    /// A rule that no test makes fail is reported as a skipped test.
    fn coverage(&mut self, _: &mut dyn Write, crds: &[CrdCoverage]) -> io::Result<()> {
        for crd in crds {
            let mut suite = TestSuite::new(line(&format!("rules of {}", crd.name)));
            for rule in &crd.rules {
                let status = match rule.gap() {
                    None => TestCaseStatus::success(),
                    Some(gap) => {
                        let mut status = TestCaseStatus::skipped();
                        status.set_message(gap);
                        status
                    }
                };
                let name = format!("{} {}", rule.rule.version, in_a_row(rule));
                let mut case = TestCase::new(line(&name), status);
                case.set_classname(line(&crd.name));
                case.extra.insert("file".into(), line(&crd.label).as_ref().into());
                case.extra
                    .insert("line".into(), crd.position(rule).0.to_string().into());
                suite.add_test_case(case);
            }
            self.document.add_test_suite(suite);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        let document = self.document.to_string().map_err(io::Error::other)?;
        out.write_all(document.as_bytes())
    }
}
