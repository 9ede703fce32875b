//! Excerpts of source with marked places.

use std::{collections::BTreeMap, io};

use crd_analyzer_io::{
    escape,
    print::{Part, Style, Terminal},
};

use super::{
    LabeledSpan, MOST_OF_A_LINE, Source,
    marks::{self, Mark},
    window::{self, Marked},
    wrap::{shortened, width},
};

/// The maximum distance in lines between two places in one excerpt.
const LINES_IN_ONE_PIECE: u32 = 40;

/// The maximum number of lines to mark. A longer range is marked only at its first line.
const LINES_MARKED: u32 = 6;

/// An excerpt of one file, with places that are near each other.
pub(super) struct Piece<'a> {
    source: Source<'a>,
    /// The start of the first place, in bytes.
    start: u32,
    is_primary: bool,
    lines: BTreeMap<u32, Vec<Segment>>,
}

/// A marked range of a line, in bytes from the start of the line.
#[derive(Clone)]
struct Segment {
    start: usize,
    end: usize,
    is_primary: bool,
    /// The escaped label; empty without a label.
    label: String,
}

/// The excerpts for some places. The excerpt with the first place comes first.
pub(super) fn of<'a>(places: &[LabeledSpan<'a>]) -> Vec<Piece<'a>> {
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    for (n, place) in places.iter().enumerate() {
        let line = place.source.lines.line_of(place.span.start);
        let is_near = |it: &&mut Piece<'_>| {
            let is_same = std::ptr::eq(it.source.text, place.source.text) && it.source.label == place.source.label;
            is_same && it.source.lines.line_of(it.start).abs_diff(line) <= LINES_IN_ONE_PIECE
        };
        if let Some(piece) = pieces.iter_mut().find(is_near) {
            piece.mark(place, false);
        } else {
            let mut piece = Piece {
                source: place.source,
                start: place.span.start,
                is_primary: n == 0,
                lines: BTreeMap::new(),
            };
            piece.mark(place, n == 0);
            pieces.push(piece);
        }
    }
    pieces
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

impl<'a> Piece<'a> {
    /// The number of digits of the last line number.
    pub(super) fn digits(&self) -> usize {
        let last = self.lines.last_key_value().map_or(0, |it| *it.0);
        (last + 1).to_string().len()
    }

    /// A line without its line break.
    fn line(&self, line: u32) -> &'a str {
        let lines = self.source.lines;
        let (start, end) = (lines.line_start(line) as usize, lines.line_start(line + 1) as usize);
        self.source.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Adds the lines of a place.
    fn mark(&mut self, place: &LabeledSpan<'_>, is_primary: bool) {
        let lines = self.source.lines;
        let span = place.span;
        let first = lines.line_of(span.start);
        let mut last = lines.line_of(span.end.max(span.start));
        if last - first >= LINES_MARKED {
            last = first;
        }
        // Lines at the end are not marked if only their indentation belongs to the place.
        while last > first && span.end as usize <= lines.line_start(last) as usize + indentation(self.line(last)) {
            last -= 1;
        }
        let label = escape::line(place.label);
        let label = shortened(&label, MOST_OF_A_LINE);
        for number in first..=last {
            let text = self.line(number);
            let within = |offset: u32| {
                let at = offset.saturating_sub(lines.line_start(number)) as usize;
                text.floor_char_boundary(at.min(text.len()))
            };
            let start = if number == first {
                within(span.start)
            } else {
                indentation(text)
            };
            let segment = Segment {
                start,
                end: within(span.end).max(start),
                is_primary,
                label: if number == last {
                    label.clone().into_owned()
                } else {
                    String::new()
                },
            };
            self.lines.entry(number).or_default().push(segment);
        }
    }

    /// Prints the excerpt. `columns` is the line width, and `digits` the width of the line numbers.
    pub(super) fn print(&self, out: &mut Terminal<'_>, columns: usize, digits: usize, style: Style) -> io::Result<()> {
        let frame = " ".repeat(digits);
        if !self.source.label.is_empty() {
            self.heading(out, &frame)?;
        }
        out.parts(&[Part::new(Style::Frame, format!("{frame} |"))])?;
        let room = columns.saturating_sub(digits + 3).max(1);
        let mut before: Option<u32> = None;
        for (&number, segments) in &self.lines {
            match before.map(|it| number - it) {
                Some(2) => {
                    let between = window::around(self.line(number - 1), &[], room);
                    source_line(out, digits, number - 1, &between.text)?;
                }
                Some(3..) => out.parts(&[Part::new(Style::Frame, "...")])?,
                _ => {}
            }
            before = Some(number);
            self.marked_line(out, number, segments, Columns { digits, room, style })?;
        }
        Ok(())
    }

    /// Prints the location, as `--> file:line:column`. The location is never wrapped, because programs turn it into a link.
    fn heading(&self, out: &mut Terminal<'_>, frame: &str) -> io::Result<()> {
        let (line, column) = self.source.lines.line_column(self.source.text, self.start);
        let place = format!("{}:{}:{}", escape::line(self.source.label), line + 1, column + 1);
        let arrow = if self.is_primary { "--> " } else { "::: " };
        out.parts(&[Part::new(Style::Frame, format!("{frame}{arrow}")), Part::plain(place)])
    }

    fn marked_line(
        &self,
        out: &mut Terminal<'_>,
        number: u32,
        segments: &[Segment],
        columns: Columns,
    ) -> io::Result<()> {
        let Columns { digits, room, style } = columns;
        let text = self.line(number);
        let mut segments = segments.to_vec();
        segments.sort_by_key(|it| (it.start, it.end));
        let marked = |it: &Segment| Marked {
            start: it.start,
            end: it.end,
            label: width(&it.label),
        };
        for group in window::groups(text, &segments, room, marked) {
            let window = window::around(text, &group.iter().map(marked).collect::<Vec<_>>(), room);
            source_line(out, digits, number, &window.text)?;
            let marks = group.iter().map(|it| {
                let (start, end) = window.columns(it.start, it.end);
                Mark {
                    start,
                    end,
                    is_primary: it.is_primary,
                    style: if it.is_primary { style } else { Style::Frame },
                    label: &it.label,
                }
            });
            for parts in marks::below(marks.collect(), room) {
                let mut line = vec![Part::new(Style::Frame, format!("{} | ", " ".repeat(digits)))];
                line.extend(parts);
                out.parts(&line)?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Columns {
    digits: usize,
    room: usize,
    style: Style,
}

fn source_line(out: &mut Terminal<'_>, digits: usize, number: u32, text: &str) -> io::Result<()> {
    let frame = format!("{:>digits$} |", number + 1);
    if text.is_empty() {
        return out.parts(&[Part::new(Style::Frame, frame)]);
    }
    out.parts(&[Part::new(Style::Frame, frame), Part::plain(format!(" {text}"))])
}
