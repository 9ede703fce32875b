//! Diagnostics: what is reported for a document, and where.
//!
//! Each answers in this order: what is wrong ([`Finding::headline`]), where ([`Finding::label`], [`Finding::related`]), why
//! ([`Finding::notes`]), what to type ([`Finding::help`]), and last the API server's own text ([`Finding::server_note`]).

use std::sync::Arc;

use crd_analyzer_diagnostic::Proposed;
use crd_analyzer_schema::field;
use crd_analyzer_syntax::tree::Span;

pub use crate::builds::basis::Basis;
use crate::documents::source::SourceText;

/// Who says it. The classes are never mixed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The API server of this Kubernetes version rejects the object.
    Error,
    /// An error that the API server reports only after earlier errors are fixed. No part of its answer.
    LaterError,
    /// The API server accepts the object with this warning.
    Warning,
    /// Ours: hazards, compatibility. Never a verdict.
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
    /// The word in outputs. Only editors tell the two kinds of hints apart.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information | Self::Hint => "hint",
        }
    }
}

impl Class {
    /// How loud findings of this class are, unless configured otherwise.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::LaterError | Self::Hint => Severity::Information,
        }
    }
}

/// What outputs write before the code of a [`Class::LaterError`].
pub const AFTER_FIXING: &str = "error (after fixing the above)";

/// The API server's own words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ServerSays {
    /// A cause of a rejection.
    Cause {
        /// The cause's reason: `FieldValueInvalid` and so on.
        reason: &'static str,
        /// The words of the reason: `Invalid value` and so on.
        words: &'static str,
        /// The field, in the API server's internal form.
        field: String,
        /// The words after the value.
        detail: String,
        /// The value as rendered in the message; may be empty.
        bad_value: String,
    },
    /// Why the document cannot be read as a CRD at all.
    Decode(String),
    /// What strict field validation rejects.
    Strict(String),
    /// A rejection without causes, or that the API server fails.
    Other(String),
    /// The text of a Warning header.
    Warning(String),
}

impl ServerSays {
    /// What the API server says of a field.
    pub(crate) fn cause(error: &field::Error) -> Self {
        Self::Cause {
            reason: error.kind.reason(),
            words: error.kind.words(),
            field: error.path.to_string(),
            detail: error.detail.clone(),
            bad_value: error.bad_value.clone(),
        }
    }

    /// The message as a client prints it, without values that are the API server's own structs: those say nothing to a person.
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

/// Whether a value is a printed struct of the API server: its fields have capital letters.
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

/// Who builds an object like this.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BuiltFor {
    /// The words before the name; empty for the kustomization of the file's own folder.
    pub(crate) what: &'static str,
    /// The folder, or the Kustomization of Flux.
    pub(crate) name: Option<String>,
    /// The object, if the finding is in a patch.
    pub(crate) object: Option<String>,
}

/// One diagnostic of one document.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// Who says it.
    pub class: Class,
    /// How loud.
    pub severity: Severity,
    /// The diagnostic code, kebab-case; `crd-analyzer explain CODE` prints its page.
    pub code: &'static str,
    /// What is wrong: one sentence that makes sense alone.
    pub headline: String,
    /// The API server's own text; absent for hints of our own.
    pub server: Option<ServerSays>,
    /// The API server's text says more than the headline, so that it is shown without being asked for.
    pub quotes_server: bool,
    /// Where, in bytes of the file.
    pub span: Span,
    /// What is at `span`, in three to six words.
    pub label: Option<String>,
    /// Other places: the versions that a hoisted path represents, the first of two duplicate keys.
    pub related: Vec<Related>,
    /// Why, one paragraph each.
    pub notes: Vec<String>,
    /// What to type, one paragraph each.
    pub help: Vec<String>,
    /// The changes that would fix it, where its check proposes some.
    pub proposed: Option<Arc<Proposed>>,
    /// The word that was meant, where the headline names it.
    pub meant: Option<String>,
    /// Why the place is not where the cause was written: what is missing is shown at its parent.
    pub elsewhere: Option<String>,
    /// A comment in the file asks not to show it.
    pub suppressed: bool,
    /// The text at `span` has no effect.
    pub unnecessary: bool,
    /// The text at `span` is deprecated.
    pub deprecated: bool,
    /// The same is said elsewhere in the file: it counts for the verdict and is not shown.
    pub repeats: bool,
    /// The builds that have it, until a note names them.
    pub(crate) builds: Vec<BuiltFor>,
    /// What it is about, if it is a finding of an object that something builds.
    pub basis: Option<Box<Basis>>,
    /// Whether the finding only follows from others. It is then displayed as a note of those.
    pub follows: bool,
    /// Whether everything else that is wrong with its document follows from it.
    pub(crate) explains_rest: bool,
}

impl Finding {
    /// A finding of this class with its usual severity and nothing else to say.
    pub fn new(class: Class, code: &'static str, span: Span, headline: impl Into<String>) -> Self {
        Self {
            class,
            severity: class.severity(),
            code,
            headline: headline.into(),
            server: None,
            quotes_server: false,
            span,
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            proposed: None,
            meant: None,
            elsewhere: None,
            suppressed: false,
            unnecessary: false,
            deprecated: false,
            repeats: false,
            builds: Vec::new(),
            basis: None,
            follows: false,
            explains_rest: false,
        }
    }

    /// The same finding in another class, with the usual severity of that class.
    #[must_use]
    pub fn in_class(self, class: Class) -> Self {
        Self {
            class,
            severity: class.severity(),
            ..self
        }
    }

    /// The word before the code: `error`, `error (after fixing the above)`, `warning` or `hint`.
    pub const fn word(&self) -> &'static str {
        match self.class {
            Class::LaterError => AFTER_FIXING,
            _ => self.severity.word(),
        }
    }

    /// The API server's own text as the last note, where it says more than the headline or everything is wanted.
    pub fn server_note(&self, is_verbose: bool) -> Option<String> {
        let server = self.server.as_ref().filter(|_| is_verbose || self.quotes_server)?;
        let text = server.message();
        (text != self.headline).then(|| format!("the API server reports: {text}"))
    }
}
