//! Diagnostics: the problems that are reported for a document, and their places.
//!
//! Each diagnostic says, in this order: what is wrong ([`Finding::headline`]), where ([`Finding::label`], [`Finding::related`]), why
//! ([`Finding::notes`]), what to type ([`Finding::help`]), and last the API server's own text ([`Finding::server_note`]).

use std::sync::Arc;

use crd_analyzer_diagnostic::Proposed;
use crd_analyzer_schema::field;
use crd_analyzer_syntax::tree::Span;

pub use crate::builds::basis::Basis;
use crate::documents::source::SourceText;

/// The source of a finding. A finding has exactly one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The API server of this Kubernetes version rejects the object.
    Error,
    /// An error that the API server reports only after earlier errors are fixed. It is not part of the API server's answer.
    LaterError,
    /// The API server accepts the object with this warning.
    Warning,
    /// A hint from crd-analyzer, about hazards or compatibility. It is never part of the verdict.
    Hint,
}

/// How prominently a finding is shown.
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
    /// The word for the severity in outputs. Only editors distinguish information from hints.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information | Self::Hint => "hint",
        }
    }
}

impl Class {
    /// The default severity of findings of this class.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::LaterError | Self::Hint => Severity::Information,
        }
    }
}

/// The words that outputs print before the code of a [`Class::LaterError`].
pub const AFTER_FIXING: &str = "error (after fixing the above)";

/// The original words of the API server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ServerSays {
    /// A cause of a rejection.
    Cause {
        /// The reason of the cause, such as `FieldValueInvalid`.
        reason: &'static str,
        /// The words for the reason in a message, such as `Invalid value`.
        words: &'static str,
        /// The field, in the API server's internal form.
        field: String,
        /// The detail that follows the value in the message.
        detail: String,
        /// The value as the message shows it; may be empty.
        bad_value: String,
    },
    /// The error if the document cannot be read as a CRD at all.
    Decode(String),
    /// An error from strict field validation.
    Strict(String),
    /// A rejection without causes, or a failure of the API server.
    Other(String),
    /// The text of a Warning header.
    Warning(String),
}

impl ServerSays {
    /// The API server's words for an error at a field.
    pub(crate) fn cause(error: &field::Error) -> Self {
        Self::Cause {
            reason: error.kind.reason(),
            words: error.kind.words(),
            field: error.path.to_string(),
            detail: error.detail.clone(),
            bad_value: error.bad_value.clone(),
        }
    }

    /// The message as a client prints it. Leaves out values that are internal structs of the API server, because they do not help users.
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

/// Whether a value is a printed Go struct of the API server, whose field names start with capital letters.
fn is_struct(value: &str) -> bool {
    let first = value.trim_start_matches('[').strip_prefix("{\"");
    first.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())) || value.contains("apiextensions.")
}

/// Another place that is related to a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Related {
    /// The span in the file.
    pub span: Span,
    /// A description of the place.
    pub message: String,
    /// The file of the place, if it is not the finding's own file.
    pub file: Option<Arc<SourceText>>,
}

/// The kustomization or Flux Kustomization whose build has a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BuiltFor {
    /// The words before the name in a message. Empty if the kustomization is in the file's own folder.
    pub(crate) what: &'static str,
    /// The folder of the kustomization, or the name of the Flux Kustomization.
    pub(crate) name: Option<String>,
    /// The name of the object, if the finding is in a patch.
    pub(crate) object: Option<String>,
}

/// A diagnostic of a document.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// The source of the finding.
    pub class: Class,
    /// How prominently the finding is shown.
    pub severity: Severity,
    /// The diagnostic code, kebab-case; `crd-analyzer explain CODE` prints its page.
    pub code: &'static str,
    /// The headline, which says what is wrong in one sentence and can be understood without the rest.
    pub headline: String,
    /// The original words of the API server. `None` for crd-analyzer's own hints.
    pub server: Option<ServerSays>,
    /// Whether the API server's words say more than the headline, so that they are shown even without verbose output.
    pub quotes_server: bool,
    /// The span in the file.
    pub span: Span,
    /// A description of the text at `span`, three to six words long.
    pub label: Option<String>,
    /// Other places, such as the other versions of a CRD with the same error, or the first of two duplicate keys.
    pub related: Vec<Related>,
    /// Why it is a problem, one paragraph for each note.
    pub notes: Vec<String>,
    /// What to type, one paragraph for each alternative.
    pub help: Vec<String>,
    /// What to type in a Go file, if the object is generated from Go types. Empty if `help` is right there, too.
    pub(crate) help_in_go: Vec<String>,
    /// Changes that fix the problem, if the check proposes any.
    pub proposed: Option<Arc<Proposed>>,
    /// The word that is meant instead of the one at the span, if the label or the help suggests one.
    pub meant: Option<String>,
    /// The reason why the span is not where the cause is written. For example, a missing field is shown at its parent.
    pub elsewhere: Option<String>,
    /// Whether a comment in the file suppresses the finding.
    pub suppressed: bool,
    /// Whether the text at `span` has no effect.
    pub unnecessary: bool,
    /// Whether the text at `span` is deprecated.
    pub deprecated: bool,
    /// Whether another place in the file has the same finding. If so, this finding affects the verdict but is not shown.
    pub repeats: bool,
    /// The builds that have this finding, until a note names them.
    pub(crate) builds: Vec<BuiltFor>,
    /// The field that the finding is about, if a kustomization builds the object.
    pub basis: Option<Box<Basis>>,
    /// Whether the finding is only a consequence of other findings. If so, it is shown as a note of them.
    pub follows: bool,
    /// Whether all other problems of the document are a consequence of this finding.
    pub(crate) explains_rest: bool,
}

impl Finding {
    /// A finding of this class, with the default severity and without notes or help.
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
            help_in_go: Vec::new(),
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

    /// The same finding in another class, with the default severity of that class.
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

    /// The original words of the API server, as the last note. `None` if they say no more than the headline, unless verbose output is requested.
    pub fn server_note(&self, is_verbose: bool) -> Option<String> {
        let server = self.server.as_ref().filter(|_| is_verbose || self.quotes_server)?;
        let text = server.message();
        (text != self.headline).then(|| format!("the API server reports: {text}"))
    }
}
