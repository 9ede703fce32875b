//! The words of a diagnostic.

use crate::text;

/// The longest headline, in characters.
pub const MAX_HEADLINE: usize = 100;

/// The wording of a diagnostic: headline, labels, help and notes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// What is wrong.
    pub headline: String,
    /// What is at the place of the diagnostic.
    pub label: Option<String>,
    /// What to type.
    pub help: Vec<String>,
    /// Why.
    pub notes: Vec<String>,
    /// The API server's text says more.
    pub quotes_server: bool,
}

impl Words {
    /// A headline, and nothing else yet.
    pub fn new(headline: impl Into<String>) -> Self {
        Self {
            headline: headline.into(),
            ..Self::default()
        }
    }

    /// Says what is at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says what to type.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Says why.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Another word was meant.
    #[must_use]
    pub fn did_you_mean(self, written: &str, near: &str) -> Self {
        let near = text::code(near);
        self.label(format!("did you mean {near}?"))
            .help(format!("change {} to {near}", text::code(written)))
    }

    /// The API server's text is shown, too.
    #[must_use]
    pub fn quote(mut self) -> Self {
        self.quotes_server = true;
        self
    }
}
