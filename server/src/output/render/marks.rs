//! The lines below a source line: its marks and their labels.

use std::{cmp::Reverse, iter::repeat_n};

use crd_analyzer_io::print::{Part, Style};

use super::wrap::{width, wrap};

/// The minimum width, in columns, for a label of several lines beside its mark. With less space, the label goes below the mark.
const LEAST_BEHIND: usize = 30;

/// A marked range of a line, in columns.
#[derive(Clone, Debug)]
pub(super) struct Mark<'a> {
    pub(super) start: usize,
    /// The column after the last one.
    pub(super) end: usize,
    pub(super) is_primary: bool,
    pub(super) style: Style,
    /// The escaped label; empty without a label.
    pub(super) label: &'a str,
}

/// The lines below a source line, each at most `room` columns wide.
pub(super) fn below(mut marks: Vec<Mark<'_>>, room: usize) -> Vec<Vec<Part<'static>>> {
    marks.sort_by_key(|it| Reverse((it.start, it.end)));
    let mut labelled: Vec<&Mark<'_>> = marks.iter().filter(|it| !it.label.is_empty()).collect();
    let mut lines = vec![underlines(&marks)];
    if let Some((at, label)) = label_behind(&marks, &labelled, room) {
        let style = labelled.remove(0).style;
        for (n, text) in label.into_iter().enumerate() {
            let part = Part::new(style, text.to_owned());
            if n == 0 {
                lines[0].extend([Part::plain(" "), part]);
            } else {
                lines.push(in_columns([(at, part)]));
            }
        }
    }
    let leading = |marks: &[&Mark<'_>], before: usize| -> Vec<_> {
        let mut parts: Vec<(usize, Part<'static>)> = Vec::new();
        for it in marks.iter().rev().filter(|it| it.start < before) {
            if parts.last().is_none_or(|last| last.0 < it.start) {
                parts.push((it.start, Part::new(it.style, "|")));
            }
        }
        parts
    };
    // If there are other marks, the label is not directly below its mark, so a line leads to it.
    if !labelled.is_empty() && marks.len() > 1 {
        lines.push(in_columns(leading(&labelled, usize::MAX)));
    }
    for (n, mark) in labelled.iter().enumerate() {
        let left = room.saturating_sub(mark.start).max(1);
        for text in wrap(mark.label, left, left) {
            let mut parts = leading(&labelled[n + 1..], mark.start);
            parts.push((mark.start, Part::new(mark.style, text.to_owned())));
            lines.push(in_columns(parts));
        }
    }
    lines
}

/// Places the label of the last mark to the right of the mark, if the label crosses no other label there. Returns the column and the lines of the
/// label.
fn label_behind<'a>(marks: &[Mark<'_>], labelled: &[&Mark<'a>], room: usize) -> Option<(usize, Vec<&'a str>)> {
    let last = labelled.first()?;
    if marks.iter().any(|it| it.end > last.end) {
        return None;
    }
    let at = last.end + 1;
    let left = room.saturating_sub(at);
    if width(last.label) <= left {
        return Some((at, vec![last.label]));
    }
    (labelled.len() == 1 && left >= LEAST_BEHIND).then(|| (at, wrap(last.label, left, left)))
}

/// `---- ^^^^`
fn underlines(marks: &[Mark<'_>]) -> Vec<Part<'static>> {
    let end = marks.iter().map(|it| it.end).max().unwrap_or(0);
    let mut cells = vec![(' ', Style::Plain); end];
    // The primary mark overwrites the others.
    for is_primary in [false, true] {
        for mark in marks.iter().filter(|it| it.is_primary == is_primary) {
            cells[mark.start..mark.end].fill((if is_primary { '^' } else { '-' }, mark.style));
        }
    }
    let runs = cells.chunk_by(|a, b| a == b);
    runs.map(|run| Part::new(run[0].1, repeat_n(run[0].0, run.len()).collect::<String>()))
        .collect()
}

/// Places parts in their columns, with spaces between them.
fn in_columns(parts: impl IntoIterator<Item = (usize, Part<'static>)>) -> Vec<Part<'static>> {
    let mut line = Vec::new();
    let mut column = 0;
    for (at, part) in parts {
        if at > column {
            line.push(Part::plain(" ".repeat(at - column)));
        }
        column = at.max(column) + width(&part.text);
        line.push(part);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(marks: &[(usize, usize, bool, &str)], room: usize, expected: &[&str]) {
        let marks = marks.iter().map(|&(start, end, is_primary, label)| Mark {
            start,
            end,
            is_primary,
            style: Style::Plain,
            label,
        });
        let lines = below(marks.collect(), room);
        let lines: Vec<String> = lines.iter().map(|it| it.iter().map(|it| &*it.text).collect()).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_label_stands_behind_its_mark() {
        check(&[(2, 5, true, "")], 40, &["  ^^^"]);
        check(&[(2, 5, true, "what it is")], 40, &["  ^^^ what it is"]);
        check(
            &[(2, 5, true, "here"), (8, 10, false, "there")],
            40,
            &["  ^^^   -- there", "  |", "  here"],
        );
        check(&[(2, 10, true, "all"), (4, 6, false, "")], 40, &["  ^^^^^^^^ all"]);
    }

    #[test]
    fn labels_without_room_stand_below() {
        check(
            &[(10, 12, true, "does not fit")],
            20,
            &["          ^^", "          does not", "          fit"],
        );
        check(
            &[(2, 5, true, "a long label of more than forty columns")],
            38,
            &["  ^^^ a long label of more than forty", "      columns"],
        );
    }

    #[test]
    fn labels_do_not_cross_each_other() {
        check(
            &[(0, 9, false, "all"), (2, 3, true, "one"), (6, 7, false, "two")],
            40,
            &["--^---- -", "| |   |", "| |   two", "| one", "all"]
                .map(|it| if it.starts_with("--^") { "--^------" } else { it }),
        );
        check(
            &[(1, 2, true, "one"), (1, 2, false, "two")],
            40,
            &[" ^ one", " |", " two"],
        );
    }
}
