//! Evaluation errors.

use std::fmt;
use std::sync::Arc;

use crd_analyzer_budget::Unfinished;

use crate::KubernetesVersion;

/// An evaluation error, in the words of the API server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalError {
    message: Arc<str>,
    kind: ErrorKind,
    fatal: bool,
    unfinished: Option<Unfinished>,
}

/// The kind of an error, for callers that do not parse the message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// A map or an object does not have this key.
    NoSuchKey,
    /// A list does not have this index.
    NoSuchIndex,
    /// A number is divided by zero.
    DivisionByZero,
    /// A number is too large for its type.
    Overflow,
    /// An optional has no value.
    NoValue,
    /// Any other error.
    Other,
}

/// The prefix of the message for a missing key.
const NO_SUCH_KEY: &str = "no such key: ";

impl From<Unfinished> for EvalError {
    /// The evaluation stops without a result. The API server never returns this error.
    fn from(unfinished: Unfinished) -> Self {
        Self {
            unfinished: Some(unfinished),
            ..Self::fatal(unfinished.to_string())
        }
    }
}

impl EvalError {
    /// An error that is a value of the language: `||`, `&&` and quantifiers can absorb it.
    pub fn new(message: impl Into<Arc<str>>) -> Self {
        Self {
            message: message.into(),
            kind: ErrorKind::Other,
            fatal: false,
            unfinished: None,
        }
    }

    /// Like [`Self::new`], with a known kind.
    pub(crate) fn of(kind: ErrorKind, message: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            ..Self::new(message)
        }
    }

    /// The error for a missing key of a map or an object.
    pub(crate) fn no_such_key(key: impl fmt::Display) -> Self {
        Self::of(ErrorKind::NoSuchKey, format!("{NO_SUCH_KEY}{key}"))
    }

    /// The error for an integer overflow.
    pub(crate) fn int_overflow() -> Self {
        Self::of(ErrorKind::Overflow, "integer overflow")
    }

    /// The error for an overflow of an unsigned integer.
    pub(crate) fn uint_overflow() -> Self {
        Self::of(ErrorKind::Overflow, "unsigned integer overflow")
    }

    /// An error that ends the evaluation.
    pub fn fatal(message: impl Into<Arc<str>>) -> Self {
        Self {
            message: message.into(),
            kind: ErrorKind::Other,
            fatal: true,
            unfinished: None,
        }
    }

    /// The error for an operation that does not support its operands.
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// An error that API servers before 1.33 pass to a Go format function without arguments, which garbles each `%`.
    pub(crate) fn of_format(message: String, version: KubernetesVersion) -> Self {
        if version < KubernetesVersion::minor(33) && message.contains('%') {
            return Self::new(crate::go::format_without_arguments(&message));
        }
        Self::new(message)
    }

    /// Whether the error ends the evaluation.
    pub fn is_fatal(&self) -> bool {
        self.fatal
    }

    /// The exhausted budget, if the evaluation was not finished.
    pub fn unfinished(&self) -> Option<Unfinished> {
        self.unfinished
    }

    /// The API server's panic, if the error is one. The API server recovers from panics during evaluation, but not during planning.
    pub fn as_crash(&self) -> Option<&str> {
        self.message.strip_prefix("internal error: ").filter(|_| self.fatal)
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The missing key, if a missing key is the error.
    pub fn missing_key(&self) -> Option<&str> {
        let key = self.message.get(NO_SUCH_KEY.len()..)?;
        (self.kind == ErrorKind::NoSuchKey).then_some(key)
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
