//! The output of `doctor`, with one file for each format.

mod json;
mod text;

use std::io::{self, Write};

use serde_json::Value;

use super::format::choose;

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Prints sections. The number is the line width for text output, in columns.
    pub(crate) print: fn(&mut dyn Write, usize, &[Section]) -> io::Result<()>,
}

choose!(Format, ALL);

/// The state of one aspect of the installation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Good,
    /// A note that is not a problem.
    Note,
    /// Nothing of a subject is checked, although the folder has it. An important note.
    Idle,
    /// A part of the setup does not work until the user repairs that part.
    Broken,
}

impl State {
    /// The word for the state in outputs.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note | Self::Idle => "note",
            Self::Broken => "broken",
        }
    }
}

/// A statement about one aspect.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) state: State,
    pub(crate) text: String,
    /// The items that the statement lists, such as files.
    pub(crate) items: Vec<String>,
    /// The command that the user can type, or the change that the user can make.
    pub(crate) help: Option<String>,
}

impl Line {
    pub(crate) fn new(state: State, text: impl Into<String>) -> Self {
        Self {
            state,
            text: text.into(),
            items: Vec::new(),
            help: None,
        }
    }

    /// Adds a command or change for the user.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// The results about one subject.
#[derive(Debug)]
pub(crate) struct Section {
    /// The name in JSON output.
    pub(crate) name: &'static str,
    /// The title in text output.
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<Line>,
    /// The content of the lines for JSON output.
    pub(crate) facts: Value,
}

impl Section {
    /// Whether a line of the section has the state `Broken`.
    pub(crate) fn is_broken(&self) -> bool {
        self.lines.iter().any(|it| it.state == State::Broken)
    }
}
