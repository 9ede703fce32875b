//! The wording of a diagnostic.

use crate::text;

/// The maximum length of a headline, in characters.
pub const MAX_HEADLINE: usize = 100;

/// The wording of a diagnostic: headline, labels, help and notes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// The problem in one sentence.
    pub headline: String,
    /// A short label for the location of the diagnostic.
    pub label: Option<String>,
    /// The text to type instead.
    pub help: Vec<String>,
    /// The text to type in Go files, if the object is generated from Go types. Empty if `help` is right there, too.
    pub help_in_go: Vec<String>,
    /// The reasons.
    pub notes: Vec<String>,
    /// Whether to also show the API server's message.
    pub quotes_server: bool,
}

impl Words {
    /// Creates the wording with only a headline.
    pub fn new(headline: impl Into<String>) -> Self {
        Self {
            headline: headline.into(),
            ..Self::default()
        }
    }

    /// Sets the label.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds a help text that replaces the others in Go files, because these name keys of YAML.
    #[must_use]
    pub fn in_go(mut self, help: impl Into<String>) -> Self {
        self.help_in_go.push(help.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Suggests another word as label and help.
    #[must_use]
    pub fn did_you_mean(self, written: &str, near: &str) -> Self {
        let near = text::code(near);
        self.label(format!("did you mean {near}?"))
            .help(format!("change {} to {near}", text::code(written)))
    }

    /// Also shows the API server's message.
    #[must_use]
    pub fn quote(mut self) -> Self {
        self.quotes_server = true;
        self
    }
}
