//! What is said about a document, and where.

use std::sync::Arc;

use crd_analyzer_schema::field;
use crd_analyzer_syntax::tree::Span;

use crate::source::SourceText;

/// Who says it. The three are never mixed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The API server of the minor asked about rejects the object.
    Error,
    /// The API server accepts the object with this warning.
    Warning,
    /// Ours: hazards, compatibility, what the server would say next. Never a verdict.
    Hint,
}

/// How loud a finding is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Shown as an error.
    Error,
    /// Shown as a warning.
    Warning,
    /// Shown as information.
    Information,
    /// Shown unobtrusively.
    Hint,
}

impl Severity {
    /// The word in outputs and configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "info",
            Self::Hint => "hint",
        }
    }
}

impl Class {
    /// How loud findings of this class are, unless configured otherwise.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Hint => Severity::Information,
        }
    }
}

/// The server's own words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ServerSays {
    /// A cause of a rejection.
    Cause {
        /// The cause's reason: `FieldValueInvalid` and so on.
        reason: &'static str,
        /// The words of the reason: `Invalid value` and so on.
        words: &'static str,
        /// The field, in the server's internal form.
        field: String,
        /// The words after the value.
        detail: String,
        /// The value as rendered in the message; may be empty.
        bad_value: String,
    },
    /// Why the document cannot be read as a definition at all.
    Decode(String),
    /// What strict field validation rejects.
    Strict(String),
    /// A rejection without causes, or that the server fails.
    Other(String),
    /// The text of a Warning header.
    Warning(String),
}

impl ServerSays {
    /// What the server says of a field.
    pub(crate) fn cause(error: &field::Error) -> Self {
        Self::Cause {
            reason: error.kind.reason(),
            words: error.kind.words(),
            field: error.path.to_string(),
            detail: error.detail.clone(),
            bad_value: error.bad_value.clone(),
        }
    }

    /// The message as a client prints it, without values that are the server's own structs: those say nothing to a person.
    pub fn message(&self) -> String {
        match self {
            Self::Cause {
                words,
                field,
                detail,
                bad_value,
                ..
            } => {
                let mut message = format!("{field}: {words}");
                let value = if is_struct(bad_value) { "{…}" } else { bad_value };
                for part in [value, detail] {
                    if !part.is_empty() {
                        message.push_str(": ");
                        message.push_str(part);
                    }
                }
                message
            }
            Self::Decode(text) | Self::Strict(text) | Self::Other(text) | Self::Warning(text) => text.clone(),
        }
    }
}

impl ServerSays {
    /// Whether the server's words are worth a note beside a title: those of a cause, and those that the title puts in other words.
    pub fn is_noted_beside(&self, title: &str) -> bool {
        match self {
            Self::Cause { .. } => true,
            Self::Decode(text) => text != title,
            Self::Strict(_) | Self::Other(_) | Self::Warning(_) => false,
        }
    }

    /// The message beside a title: long words that are the title's are not said again.
    pub fn message_beside(&self, title: &str) -> String {
        let message = self.message();
        match message.strip_suffix(title) {
            Some(rest) if title.len() > LONG && !rest.is_empty() => format!("{rest}…"),
            _ => message,
        }
    }
}

/// Words longer than this, in bytes, are not said twice.
const LONG: usize = 120;

/// Whether a value is a printed struct of the server: its fields have capital letters.
fn is_struct(value: &str) -> bool {
    let first = value.trim_start_matches('[').strip_prefix("{\"");
    first.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) || value.contains("apiextensions.")
}

/// Another place that belongs to a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Related {
    /// Where, in bytes of the file.
    pub span: Span,
    /// What is there.
    pub message: String,
    /// The file, if it is another one.
    pub file: Option<Arc<SourceText>>,
}

/// One finding of one document.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// Who says it.
    pub class: Class,
    /// How loud.
    pub severity: Severity,
    /// The diagnostic code, kebab-case; `crd-analyzer explain CODE` prints its page.
    pub code: &'static str,
    /// What is wrong, in one line that makes sense alone.
    pub message: String,
    /// The server's words; absent for hints of ours.
    pub server: Option<ServerSays>,
    /// Where, in bytes of the file.
    pub span: Span,
    /// Other places: the versions that a hoisted path stands for, the first of two duplicate keys.
    pub related: Vec<Related>,
    /// Why, one paragraph each.
    pub notes: Vec<String>,
    /// What to do, one paragraph each.
    pub help: Vec<String>,
    /// Why the place is not where the cause was written: what is missing is shown at its parent.
    pub elsewhere: Option<String>,
    /// The server would say this only after earlier findings are repaired.
    pub hidden: bool,
    /// A comment in the file asks not to show it.
    pub suppressed: bool,
    /// The text at `span` has no effect.
    pub unnecessary: bool,
    /// The text at `span` is deprecated.
    pub deprecated: bool,
    /// It goes when others go, and is told as a note of theirs.
    pub follows: bool,
}

impl Finding {
    /// A finding of this class with its usual severity and nothing else to say.
    pub fn new(class: Class, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            class,
            severity: class.severity(),
            code,
            message: message.into(),
            server: None,
            span,
            related: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            elsewhere: None,
            hidden: false,
            suppressed: false,
            unnecessary: false,
            deprecated: false,
            follows: false,
        }
    }
}
