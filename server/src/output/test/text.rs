//! For people: the place in the test file that expects something else, and what came out.

use std::{
    io::{self, Write},
    time::Duration,
};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use crd_analyzer_suite::{Case, run::Failed};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::versions::VersionSet;

use super::{Printer, Report, Shown, Summary, details, message};
use crate::output::counted;

/// A failure, and how often it is the same: of one test on several variants of the definition, or one that keeps several tests from being run.
struct Same<'r> {
    case: &'r Case,
    failed: &'r Failed,
    message: String,
    passes_on: Option<VersionSet>,
    variants: Vec<&'r str>,
    others: Vec<&'r str>,
}

impl Same<'_> {
    fn is(&self, shown: &Shown<'_>, failed: &Failed) -> bool {
        let is_same_test = self.case.span == shown.case.span && self.passes_on == shown.outcome.passes_on;
        self.failed == failed && (is_same_test || failed.failure.is_setup)
    }
}

pub(super) struct Text {
    renderer: Renderer,
    verbose: bool,
}

impl Text {
    pub(super) fn new(color: bool, verbose: bool) -> Self {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        Self {
            renderer: renderer.term_width(160),
            verbose,
        }
    }

    fn print(
        &self,
        out: &mut dyn Write,
        report: &Report,
        level: Level<'_>,
        title: &str,
        span: Span,
        details: &[String],
    ) -> io::Result<()> {
        let first = report.lines.line_of(span.start);
        let start = report.lines.line_start(first) as usize;
        let end = report.text[span.end as usize..]
            .find('\n')
            .map_or(report.text.len(), |it| span.end as usize + it + 1);
        let mark = AnnotationKind::Primary.span(span.start as usize - start..span.end as usize - start);
        let snippet = Snippet::source(&report.text[start..end])
            .path(&report.label)
            .line_start(first as usize + 1)
            .annotation(mark);
        let mut group = level.primary_title(title).element(snippet);
        if !details.is_empty() {
            group = group.element(Level::NOTE.no_name().message(details.join("\n")));
        }
        writeln!(out, "{}\n", self.renderer.render(&[group]))
    }
}

impl Printer for Text {
    fn file(&mut self, out: &mut dyn Write, report: &Report) -> io::Result<()> {
        for problem in &report.problems {
            self.print(out, report, Level::ERROR, &problem.message, problem.span, &[])?;
        }
        for problem in &report.warnings {
            self.print(out, report, Level::WARNING, &problem.message, problem.span, &[])?;
        }
        let mut failures: Vec<Same<'_>> = Vec::new();
        for shown in report.shown() {
            let word = match shown.outcome {
                _ if shown.is_skipped() => Some("skipped"),
                outcome if outcome.is_passed() => Some("passed "),
                _ => None,
            };
            if let Some(word) = word.filter(|_| self.verbose) {
                writeln!(out, "{word}  {}: {}", report.label, shown.name())?;
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
                        message: message(failed, asked),
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
            self.print(out, report, Level::ERROR, &title, it.failed.failure.span, &details)?;
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
        writeln!(
            out,
            "{files}, {all}: {} in {} ms",
            parts.join(", "),
            elapsed.as_millis()
        )
    }
}
