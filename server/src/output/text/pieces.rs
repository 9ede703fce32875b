//! The pieces of source that belong to a finding: its own place, and those related to it, in other files too.

use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::finding::{Finding, Related};

use crate::output::{File, label_of};

/// Places further apart than this many lines are shown as two pieces of the source.
const LINES_IN_ONE_PIECE: u32 = 40;

/// A marked range longer than this many lines is marked at its first line only.
const LINES_MARKED: u32 = 6;

/// A file that pieces are cut from.
struct Cloth<'a> {
    label: String,
    text: &'a str,
    lines: &'a LineIndex,
}

type Mark<'a> = (Span, AnnotationKind, Option<&'a str>);

/// The pieces of a finding, its own place first; places of one file that are near to each other are in one piece.
pub(super) fn of<'a>(file: &'a File<'_>, finding: &'a Finding) -> Vec<Snippet<'a, Annotation<'a>>> {
    let cloth = Cloth {
        label: file.label.to_owned(),
        text: &file.report.text,
        lines: file.lines(),
    };
    let mut marks: Vec<Mark<'_>> = vec![(finding.span, AnnotationKind::Primary, None)];
    let mut elsewhere = Vec::new();
    for Related { span, message, file } in &finding.related {
        let mark = (*span, AnnotationKind::Context, Some(message.as_str()));
        match file {
            None => marks.push(mark),
            Some(other) => elsewhere.push((other, mark)),
        }
    }
    let mut pieces = cut(&cloth, marks);
    while let Some((other, _)) = elsewhere.first() {
        let other = *other;
        let (same, rest): (Vec<_>, Vec<_>) = elsewhere.into_iter().partition(|(it, _)| *it == other);
        elsewhere = rest;
        let cloth = Cloth {
            label: label_of(other),
            text: &other.text,
            lines: other.lines(),
        };
        pieces.extend(cut(&cloth, same.into_iter().map(|(_, mark)| mark).collect()));
    }
    pieces
}

fn cut<'a>(cloth: &Cloth<'a>, mut marks: Vec<Mark<'a>>) -> Vec<Snippet<'a, Annotation<'a>>> {
    let line = |offset: u32| cloth.lines.line_of(offset);
    let mut pieces = Vec::new();
    while let Some((first, ..)) = marks.first() {
        let at = line(first.start);
        let (near, far) = marks
            .into_iter()
            .partition(|(span, ..)| line(span.start).abs_diff(at) <= LINES_IN_ONE_PIECE);
        marks = far;
        pieces.push(piece(cloth, near));
    }
    pieces
}

fn piece<'a>(cloth: &Cloth<'a>, marks: Vec<Mark<'a>>) -> Snippet<'a, Annotation<'a>> {
    let Cloth { label, text, lines } = cloth;
    let line = |offset: u32| lines.line_of(offset);
    let first = marks.iter().map(|(span, ..)| line(span.start)).min().unwrap_or(0);
    let last = marks
        .iter()
        .map(|(span, ..)| line(span.end).min(line(span.start) + LINES_MARKED))
        .max()
        .unwrap_or(first);
    let start = lines.line_start(first) as usize;
    let end = if last + 1 < lines.line_count() {
        lines.line_start(last + 1) as usize
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
        .path(label.clone())
        .line_start(first as usize + 1)
        .annotations(annotations)
}

fn line_end(text: &str, from: u32) -> usize {
    let from = from as usize;
    text[from..].find(['\r', '\n']).map_or(text.len(), |at| from + at)
}
