//! Diagnostics as text: what is wrong, the source around it with the places marked, and what helps. No line is wider than the terminal, and
//! the effort grows with what is printed, not with the length of the source.

mod marks;
mod pieces;
mod window;
pub(crate) mod wrap;

use std::{borrow::Cow, io};

use crd_analyzer_io::{
    escape,
    print::{Part, Style, Terminal},
};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};

use wrap::{last_columns, shortened, width, wrap};

/// Characters of a title or a label that are shown.
const MOST_OF_A_LINE: usize = 1_000;

/// Characters of a note that are shown, and lines.
const MOST_OF_A_NOTE: usize = 4_000;
const MOST_LINES_OF_A_NOTE: usize = 60;

/// Places that are shown of a diagnostic.
const MOST_PLACES: usize = 10;

/// Where lines behind the first of a title begin.
const INDENT: usize = 4;

/// The rendered diagnostics of a file.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The path as it is printed.
    pub(crate) label: &'a str,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
}

/// A place that is marked.
#[derive(Clone)]
pub(crate) struct LabeledSpan<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) span: Span,
    /// What is there; empty if nothing is to be said.
    pub(crate) label: &'a str,
}

/// Something to show at the end.
pub(crate) struct Note<'a> {
    /// `help` or `note`; empty for lines without a word before them.
    pub(crate) word: &'static str,
    pub(crate) text: Cow<'a, str>,
}

/// What is wrong, and where.
pub(crate) struct Diagnostic<'a> {
    /// `error`, `warning`, `hint`.
    pub(crate) word: &'a str,
    pub(crate) style: Style,
    pub(crate) code: Option<&'a str>,
    pub(crate) title: &'a str,
    /// The first is where it is.
    pub(crate) places: Vec<LabeledSpan<'a>>,
    pub(crate) notes: Vec<Note<'a>>,
}

/// Prints diagnostics in so many columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renderer {
    width: usize,
}

/// In fewer columns than this nothing can be read.
const LEAST_WIDTH: usize = 20;

impl Renderer {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width: width.max(LEAST_WIDTH),
        }
    }

    /// Prints a diagnostic.
    pub(crate) fn print(self, out: &mut Terminal<'_>, shown: &Diagnostic<'_>) -> io::Result<()> {
        let code = shown.code.map_or(String::new(), |code| format!("[{code}]"));
        self.title(out, shown.style, &format!("{}{code}", shown.word), shown.title)?;
        let pieces = pieces::of(&shown.places[..shown.places.len().min(MOST_PLACES)]);
        let digits = pieces.iter().map(pieces::Piece::digits).max().unwrap_or(0);
        for piece in &pieces {
            piece.print(out, self.width, digits, shown.style)?;
        }
        let left_out = shown.places.len().saturating_sub(MOST_PLACES);
        if left_out > 0 {
            self.note(out, digits, "note", &format!("and {left_out} more places"))?;
        }
        for Note { word, text } in &shown.notes {
            self.note(out, digits, word, text)?;
        }
        Ok(())
    }

    /// Prints a line with a word before it: `error: text`.
    pub(crate) fn title(self, out: &mut Terminal<'_>, style: Style, word: &str, text: &str) -> io::Result<()> {
        let text = escape::line(text);
        let text = shortened(&text, MOST_OF_A_LINE);
        let first = self.width.saturating_sub(width(word) + 2);
        for (n, line) in wrap(&text, first, self.width - INDENT).into_iter().enumerate() {
            if n == 0 {
                let end = if line.is_empty() { ":" } else { ": " };
                out.parts(&[Part::new(style, word), Part::new(Style::Bold, format!("{end}{line}"))])?;
            } else {
                out.parts(&[Part::plain(" ".repeat(INDENT)), Part::new(Style::Bold, line)])?;
            }
        }
        Ok(())
    }

    /// Prints a text, broken where it is wider than the terminal.
    pub(crate) fn text(self, out: &mut Terminal<'_>, text: &str) -> io::Result<()> {
        self.indented(out, "", &" ".repeat(INDENT), text)
    }

    /// Prints a text behind `first`, and behind `rest` what does not fit into a line.
    pub(crate) fn indented(self, out: &mut Terminal<'_>, first: &str, rest: &str, text: &str) -> io::Result<()> {
        let text = escape::line(text);
        let text = shortened(&text, MOST_OF_A_NOTE);
        // What is indented by more than half of the line is shown as if it were not so deep.
        let [first, rest] = [first, rest].map(|it| last_columns(it, self.width / 2));
        let room = |indent: &str| self.width - width(indent);
        for (n, line) in wrap(&text, room(first), room(rest)).into_iter().enumerate() {
            let indent = if n == 0 { first } else { rest };
            out.line(format_args!("{indent}{line}"))?;
        }
        Ok(())
    }

    fn note(self, out: &mut Terminal<'_>, digits: usize, word: &str, text: &str) -> io::Result<()> {
        let text = escape::text(text);
        let text = shortened(&text, MOST_OF_A_NOTE);
        let frame = format!("{} = ", " ".repeat(digits));
        let word = if word.is_empty() {
            String::new()
        } else {
            format!("{word}: ")
        };
        let indent = frame.len() + word.len();
        let room = self.width.saturating_sub(indent).max(1);
        let mut lines = text.lines().flat_map(|it| {
            let it = it.trim_end();
            wrap(it, room, room)
        });
        let mut is_first = true;
        for line in lines.by_ref().take(MOST_LINES_OF_A_NOTE) {
            let line = line.replace('\t', "    ");
            if is_first {
                out.parts(&[
                    Part::new(Style::Frame, &*frame),
                    Part::new(Style::Bold, &*word),
                    Part::plain(line),
                ])?;
            } else {
                out.line(format_args!("{}{line}", " ".repeat(indent)))?;
            }
            is_first = false;
        }
        if lines.next().is_some() {
            out.line(format_args!("{}…", " ".repeat(indent)))?;
        }
        Ok(())
    }
}
