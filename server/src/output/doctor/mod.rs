//! What `crd-analyzer doctor` finds: one file a format.

mod json;
mod text;

use std::io::{self, Write};

use serde_json::Value;

use super::format::choose;

/// Every format.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// The output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// What people type.
    name: &'static str,
    /// What it is.
    help: &'static str,
    /// Prints sections, in so many columns if it is for people.
    pub(crate) print: fn(&mut dyn Write, usize, &[Section]) -> io::Result<()>,
}

choose!(Format, ALL);

/// Whether something is as it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Good,
    /// The user may want to know it.
    Note,
    /// Something does not work until the user changes it.
    Broken,
}

impl State {
    /// The word in outputs.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Broken => "broken",
        }
    }
}

/// What was found about one thing.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) state: State,
    pub(crate) text: String,
    /// What is named, one by one.
    pub(crate) items: Vec<String>,
    /// What to type or to change.
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

    /// The same with what to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// What was found about one subject.
#[derive(Debug)]
pub(crate) struct Section {
    /// Its name for programs.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<Line>,
    /// What the lines say, for programs.
    pub(crate) facts: Value,
}

impl Section {
    /// Whether something does not work.
    pub(crate) fn is_broken(&self) -> bool {
        self.lines.iter().any(|it| it.state == State::Broken)
    }
}
