//! For people: the source with the places marked, then what each minor makes of the document.

use std::{
    io::{self, Write},
    time::Duration,
};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    finding::{Finding, Related, ServerSays, Severity},
    report::{DocumentReport, Shown, Subject, Verdict},
    versions::VersionSet,
};

use super::{File, Printer, Summary};
use crate::input::Unreadable;

/// Places further apart than this many lines are shown as two pieces of the source.
const LINES_IN_ONE_PIECE: u32 = 40;

/// A marked range longer than this many lines is marked at its first line only.
const LINES_MARKED: u32 = 6;

/// Prints annotated source.
pub(super) struct Text {
    renderer: Renderer,
}

impl Text {
    pub(super) fn new(color: bool) -> Self {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        Self {
            renderer: renderer.term_width(160),
        }
    }

    fn finding(&self, out: &mut dyn Write, file: &File<'_>, shown: &Shown, asked: VersionSet) -> io::Result<()> {
        let finding = &shown.finding;
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Information => Level::INFO,
            Severity::Hint => Level::NOTE.with_name("hint"),
        };
        let mut message = finding.message.clone();
        if shown.versions != asked {
            message = format!("{message} (Kubernetes {})", shown.versions);
        }
        if finding.hidden {
            message.push_str(" (shown by the server once the errors above are fixed)");
        }
        let mut group = level
            .primary_title(message)
            .id(finding.code)
            .elements(pieces(file, finding));
        if let Some(server @ ServerSays::Cause { .. }) = &finding.server {
            group = group.element(Level::NOTE.message(format!("the server says: {}", server.message())));
        }
        for note in &finding.notes {
            group = group.element(Level::NOTE.message(note));
        }
        for help in &finding.help {
            group = group.element(Level::HELP.message(help));
        }
        writeln!(out, "{}\n", self.renderer.render(&[group]))
    }

    fn verdict(out: &mut dyn Write, file: &File<'_>, document: &DocumentReport) -> io::Result<()> {
        // What a server would say of a patch alone is no news to its author.
        let asked = document.subject == Subject::Definition;
        let Some(rejected) = document.rejected_by().filter(|_| asked) else {
            return Ok(());
        };
        let name = if document.name.is_empty() {
            String::new()
        } else {
            format!(" {}", document.name)
        };
        let accepted = document
            .accepted_by()
            .map_or(String::new(), |accepted| format!(", accepted by {accepted}"));
        let count = |(_, verdict): &(_, Verdict)| {
            usize::from(verdict.decode_error.is_some())
                + usize::from(verdict.other_error.is_some())
                + verdict.strict.len()
                + verdict.errors.len()
        };
        let errors = document.verdicts.iter().map(count).max().unwrap_or(0);
        writeln!(
            out,
            "{}:{name} rejected by Kubernetes {rejected}{accepted} ({})\n",
            file.label,
            counted(errors, "error")
        )
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// The pieces of source to show: the finding's place and its related places, those that are near in one piece.
fn pieces<'a>(file: &'a File<'_>, finding: &'a Finding) -> Vec<Snippet<'a, Annotation<'a>>> {
    let text = &*file.report.text;
    let mut marks: Vec<(Span, AnnotationKind, Option<&str>)> = vec![(finding.span, AnnotationKind::Primary, None)];
    let mut elsewhere = Vec::new();
    for Related { span, message, file } in &finding.related {
        match file {
            None => marks.push((*span, AnnotationKind::Context, Some(message.as_str()))),
            Some(file) => elsewhere.push((file, message)),
        }
    }
    let line = |offset: u32| file.lines.line_column(text, offset).0;
    let mut pieces = Vec::new();
    while !marks.is_empty() {
        let at = line(marks[0].0.start);
        let (near, far) = marks
            .into_iter()
            .partition(|(span, ..)| line(span.start).abs_diff(at) <= LINES_IN_ONE_PIECE);
        marks = far;
        pieces.push(piece(file, near));
    }
    pieces
}

fn piece<'a>(file: &'a File<'_>, marks: Vec<(Span, AnnotationKind, Option<&'a str>)>) -> Snippet<'a, Annotation<'a>> {
    let text = &*file.report.text;
    let line = |offset: u32| file.lines.line_column(text, offset).0;
    let first = marks.iter().map(|(span, ..)| line(span.start)).min().unwrap_or(0);
    let last = marks
        .iter()
        .map(|(span, ..)| line(span.end).min(line(span.start) + LINES_MARKED))
        .max()
        .unwrap_or(first);
    let start = file.lines.line_start(first) as usize;
    let end = if last + 1 < file.lines.line_count() {
        file.lines.line_start(last + 1) as usize
    } else {
        text.len()
    };
    let annotations = marks.into_iter().map(|(span, kind, label)| {
        let stop = if line(span.end) - line(span.start) > LINES_MARKED {
            line_end(text, span.start)
        } else {
            span.end as usize
        };
        let range = span.start as usize - start..stop.max(span.start as usize) - start;
        let annotation = kind.span(range);
        match label {
            Some(label) => annotation.label(label),
            None => annotation,
        }
    });
    Snippet::source(&text[start..end])
        .path(file.label)
        .line_start(first as usize + 1)
        .annotations(annotations)
}

fn line_end(text: &str, from: u32) -> usize {
    let from = from as usize;
    text[from..].find(['\r', '\n']).map_or(text.len(), |at| from + at)
}

impl Printer for Text {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for finding in &file.report.findings {
            let shown = Shown {
                finding: finding.clone(),
                versions: VersionSet::all(),
            };
            self.finding(out, file, &shown, VersionSet::all())?;
        }
        for document in &file.report.documents {
            let Some(asked) = document.versions() else { continue };
            for shown in document.shown(file.config) {
                self.finding(out, file, &shown, asked)?;
            }
            Self::verdict(out, file, document)?;
        }
        Ok(())
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        let group: Group<'_> = Group::with_title(
            Level::ERROR.primary_title(format!("cannot read {}: {}", unreadable.label, unreadable.why)),
        );
        writeln!(out, "{}\n", self.renderer.render(&[group]))
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary, elapsed: Duration) -> io::Result<()> {
        let mut parts = vec![
            counted(summary.files, "file"),
            counted(summary.definitions, "CRD"),
            counted(summary.errors, "error"),
            counted(summary.warnings, "warning"),
            counted(summary.hints, "hint"),
        ];
        if summary.unreadable > 0 {
            parts.push(format!("{} unreadable", summary.unreadable));
        }
        writeln!(out, "{} in {} ms", parts.join(", "), elapsed.as_millis())
    }
}
