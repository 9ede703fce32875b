//! Text output: the expectation in the test file that failed, and the actual result.

use std::{
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::print::{Style, Terminal};
use crd_analyzer_suite::{Case, coverage::CrdCoverage, run::Failed};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::config::versions::VersionSet;

use super::{CaseResult, Format, Look, Printer, Report, Summary, covered, details, gap_line};
use crate::output::{
    counted,
    render::{Diagnostic, LabeledSpan, Note, Renderer, Source},
};

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "For people: each failed test, with the expected and the actual result",
    is_text: true,
    printer: |look| Box::new(Text::new(look)),
};

/// A failure that occurs several times: for one test on several variants of the CRD, or as a setup error of several tests.
struct Same<'r> {
    case: &'r Case,
    failed: &'r Failed,
    message: String,
    passes_on: Option<VersionSet>,
    variants: Vec<&'r str>,
    others: Vec<&'r str>,
}

impl Same<'_> {
    fn is(&self, shown: &CaseResult<'_>, failed: &Failed) -> bool {
        let is_same_test = self.case.span == shown.case.span && self.passes_on == shown.outcome.passes_on;
        self.failed == failed && (is_same_test || failed.failure.is_setup)
    }
}

struct Text {
    renderer: Renderer,
    color: bool,
    verbose: bool,
}

/// A printed message about a test file.
struct Said<'s> {
    word: &'static str,
    style: Style,
    title: &'s str,
    span: Span,
    details: &'s [String],
}

impl Text {
    fn new(look: Look) -> Self {
        Self {
            renderer: Renderer::new(look.columns),
            color: look.color,
            verbose: look.verbose,
        }
    }

    fn print(&self, out: &mut Terminal<'_>, report: &Report, said: &Said<'_>) -> io::Result<()> {
        let place = LabeledSpan {
            source: Source {
                label: &report.label,
                text: &report.text,
                lines: &report.lines,
            },
            span: said.span,
            label: "",
        };
        let details = (!said.details.is_empty()).then(|| Note {
            word: "",
            text: said.details.join("\n").into(),
        });
        let diagnostic = Diagnostic {
            word: said.word,
            style: said.style,
            code: None,
            title: said.title,
            places: vec![place],
            notes: details.into_iter().collect(),
        };
        self.renderer.print(out, &diagnostic)?;
        out.blank()
    }
}

impl Printer for Text {
    fn file(&mut self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        let out = &mut Terminal::new(out, self.color);
        let problems = report.problems.iter().map(|it| ("error", Style::Error, it));
        let warnings = report.warnings.iter().map(|it| ("warning", Style::Warning, it));
        for (word, style, problem) in problems.chain(warnings) {
            let said = Said {
                word,
                style,
                title: &problem.message,
                span: problem.span,
                details: &[],
            };
            self.print(out, report, &said)?;
        }
        let mut failures: Vec<Same<'_>> = Vec::new();
        for shown in report.printed_cases() {
            let word = match shown.outcome {
                _ if shown.is_skipped() => Some("skipped"),
                outcome if outcome.is_passed() => Some("passed "),
                _ => None,
            };
            if let Some(word) = word.filter(|_| self.verbose) {
                let text = format!("{word}  {}: {}", report.label, shown.name());
                self.renderer.text(out, &text)?;
            }
            for failed in &shown.outcome.failures {
                let asked = shown.outcome.versions;
                match failures.iter_mut().find(|it| it.is(&shown, failed)) {
                    Some(it) => {
                        it.variants.extend(shown.variant);
                        if it.case.span != shown.case.span && !it.others.contains(&shown.case.name.as_str()) {
                            it.others.push(&shown.case.name);
                        }
                    }
                    None => failures.push(Same {
                        case: shown.case,
                        failed,
                        message: failed.message(asked),
                        passes_on: shown.outcome.passes_on,
                        variants: shown.variant.into_iter().collect(),
                        others: Vec::new(),
                    }),
                }
            }
        }
        for it in failures {
            let mut details = details(it.failed, it.passes_on);
            if !it.variants.is_empty() {
                details.push(format!("with {}", it.variants.join(", ")));
            }
            if !it.others.is_empty() {
                details.push(format!("the same for {}", counted(it.others.len(), "other test")));
            }
            let title = format!("{}: {}", it.case.name, it.message);
            let said = Said {
                word: "error",
                style: Style::Error,
                title: &title,
                span: it.failed.failure.span,
                details: &details,
            };
            self.print(out, report, &said)?;
        }
        Ok(())
    }

    fn coverage(&mut self, out: &mut dyn Write, crds: &[CrdCoverage]) -> io::Result<()> {
        let out = &mut Terminal::new(out, self.color);
        for crd in crds {
            self.renderer.text(out, &covered(crd))?;
            for text in crd.rules.iter().filter_map(|it| gap_line(crd, it)) {
                self.renderer.indented(out, "  ", "      ", &text)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()> {
        let Summary {
            files,
            passed,
            failed,
            skipped,
            updated,
            unreadable,
            ..
        } = *summary;
        let all = counted(passed + failed + skipped, "test");
        let mut parts = vec![format!("{passed} passed"), format!("{failed} failed")];
        for (n, what) in [(skipped, "skipped"), (updated, "updated")] {
            if n > 0 {
                parts.push(format!("{n} {what}"));
            }
        }
        if unreadable > 0 {
            parts.push(format!("{} cannot be run", counted(unreadable, "file")));
        }
        let files = counted(files, "file");
        let line = format!("{files}, {all}: {} in {} ms", parts.join(", "), elapsed.as_millis());
        let mut terminal = Terminal::new(out, self.color);
        self.renderer.text(&mut terminal, &line)?;
        if let Some(note) = summary.note() {
            self.renderer.text(&mut terminal, &note)?;
        }
        Ok(())
    }
}
