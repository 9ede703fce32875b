//! Renders diagnostics as text: the headline, the source with marked places, and the help. No line is wider than the terminal, and the work grows
//! with the output, not with the length of the source.

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

/// The maximum length of a title or a label, in characters.
const MOST_OF_A_LINE: usize = 1_000;

/// The maximum length of a note, in characters and in lines.
const MOST_OF_A_NOTE: usize = 4_000;
const MOST_LINES_OF_A_NOTE: usize = 60;

/// The maximum number of places to show for a diagnostic.
const MOST_PLACES: usize = 10;

/// The indentation of the second and later lines of a title.
const INDENT: usize = 4;

/// A file whose diagnostics are rendered.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The path to print.
    pub(crate) label: &'a str,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
}

/// A marked place.
#[derive(Clone)]
pub(crate) struct LabeledSpan<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) span: Span,
    /// The label of the place; empty without a label.
    pub(crate) label: &'a str,
}

/// A note at the end of a diagnostic.
pub(crate) struct Note<'a> {
    /// `help` or `note`. Empty for lines that do not start with one of these words.
    pub(crate) word: &'static str,
    pub(crate) text: Cow<'a, str>,
}

/// The headline, the places and the notes of a diagnostic.
pub(crate) struct Diagnostic<'a> {
    /// The severity: `error`, `warning` or `hint`.
    pub(crate) word: &'a str,
    pub(crate) style: Style,
    pub(crate) code: Option<&'a str>,
    pub(crate) title: &'a str,
    /// The marked places. The first is the location of the diagnostic.
    pub(crate) places: Vec<LabeledSpan<'a>>,
    pub(crate) notes: Vec<Note<'a>>,
}

/// Renders diagnostics for a given line width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renderer {
    width: usize,
}

/// The minimum line width, in columns. Narrower text would be unreadable.
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

    /// Prints a line with a word at its start: `error: text`.
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

    /// Prints text, wrapped to the line width.
    pub(crate) fn text(self, out: &mut Terminal<'_>, text: &str) -> io::Result<()> {
        self.indented(out, "", &" ".repeat(INDENT), text)
    }

    /// Prints text, wrapped to the line width. `first` indents the first line, `rest` the others.
    pub(crate) fn indented(self, out: &mut Terminal<'_>, first: &str, rest: &str, text: &str) -> io::Result<()> {
        let text = escape::line(text);
        let text = shortened(&text, MOST_OF_A_NOTE);
        // The indentation is at most half of the line.
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
