//! JUnit XML: a test suite for each file, and a test case for each document.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape::{line, text};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::{Finding, Severity},
    findings::report::MergedFinding,
};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::{File, Format, Look, Printer, Summary, aside::in_test_data as in_test_data_words, name_of};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format::new("junit", |look| Box::new(Junit::new(look)));

/// Collects the results of all files, because the document starts with the totals.
struct Junit {
    document: Document,
    fails: Severity,
}

impl Junit {
    fn new(look: Look) -> Self {
        Self {
            document: Document::new("crd-analyzer"),
            fails: look.fails,
        }
    }

    /// A test case with its diagnostics. The test case fails if `loudest` reaches the severity in `--fail-on`.
    fn case(&self, name: &str, file: &File<'_>, found: &[(String, &Finding)], loudest: Option<Severity>) -> TestCase {
        let told: Vec<String> = found.iter().map(|(headline, it)| told(file, it, headline)).collect();
        let told = told.join("\n");
        let failed = loudest.is_some_and(|it| it <= self.fails);
        let mut status = TestCaseStatus::success();
        if failed && let Some((headline, first)) = found.first() {
            let more = match found.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(line(&format!("{headline}{more}")));
            status.set_type(first.code);
            status.set_description(text(&told));
        }
        let mut case = TestCase::new(line(name), status);
        case.set_classname(line(file.label));
        if !failed && !told.is_empty() {
            case.set_system_out(text(&told));
        }
        case.extra.insert("file".into(), line(file.label).as_ref().into());
        if let Some((_, first)) = found.first() {
            case.extra
                .insert("line".into(), file.position(first.span.start).0.to_string().into());
        }
        case
    }
}

/// A finding on one line, with the help below it.
fn told(file: &File<'_>, finding: &Finding, headline: &str) -> String {
    let mut told = line(&file.one_line(finding, headline)).into_owned();
    for help in &finding.help {
        told = format!("{told}\n  help: {help}");
    }
    told
}

impl Printer for Junit {
    fn file(&mut self, _: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        let mut suite = TestSuite::new(line(file.label));
        let findings = &file.findings;
        let in_test_data = file.in_test_data.of_file();
        if !findings.is_empty() || !in_test_data.is_empty() {
            let in_test_data = in_test_data.iter().map(|it| (in_test_data_words(&it.headline), it));
            let found = findings.iter().map(|it| (it.headline.clone(), it));
            let found: Vec<_> = found.chain(in_test_data).collect();
            let loudest = findings.iter().map(|it| it.severity).min();
            suite.add_test_case(self.case("the file", file, &found, loudest));
        }
        for (n, (document, _)) in file.documents().enumerate() {
            let asked = document.versions().unwrap_or_else(VersionSet::all);
            let mut shown: Vec<&MergedFinding> = file.all_of_document(n).collect();
            // Errors come first.
            shown.sort_by_key(|it| it.finding.severity);
            let in_test_data = file.in_test_data.of_document(n, document).into_iter();
            let in_test_data = in_test_data.map(|(headline, it)| (in_test_data_words(&headline), it));
            let found = shown.iter().map(|it| (it.headline(asked), &it.finding));
            let found: Vec<_> = found.chain(in_test_data).collect();
            let loudest = document.loudest(shown.iter().copied());
            suite.add_test_case(self.case(&name_of(document), file, &found, loudest));
        }
        if !suite.test_cases.is_empty() {
            self.document.add_test_suite(suite);
        }
        Ok(())
    }

    fn unreadable(&mut self, _: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(line(&format!("cannot be read: {}", unreadable.why)));
        let mut case = TestCase::new("the file", status);
        case.set_classname(line(&unreadable.label));
        let mut suite = TestSuite::new(line(&unreadable.label));
        suite.add_test_case(case);
        self.document.add_test_suite(suite);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        let document = self.document.to_string().map_err(io::Error::other)?;
        out.write_all(document.as_bytes())
    }
}
