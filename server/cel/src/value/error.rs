//! Why an expression has no value.

use std::fmt;
use std::sync::Arc;

use crd_analyzer_budget::Unfinished;

use crate::KubernetesVersion;

/// An error of evaluation, in the words of the API server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalError {
    message: Arc<str>,
    fatal: bool,
    unfinished: Option<Unfinished>,
}

impl From<Unfinished> for EvalError {
    /// The evaluation stops without a result. The API server never gives this error.
    fn from(unfinished: Unfinished) -> Self {
        Self {
            unfinished: Some(unfinished),
            ..Self::fatal(unfinished.to_string())
        }
    }
}

impl EvalError {
    /// An error that is a value of the language: `||`, `&&` and quantifiers can make up for it.
    pub fn new(message: impl Into<Arc<str>>) -> Self {
        Self {
            message: message.into(),
            fatal: false,
            unfinished: None,
        }
    }

    /// An error that ends the evaluation.
    pub fn fatal(message: impl Into<Arc<str>>) -> Self {
        Self {
            message: message.into(),
            fatal: true,
            unfinished: None,
        }
    }

    /// An operation on values that it is not made for.
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// An error that API servers before 1.33 take for a format without arguments, so that `%` becomes something else.
    pub(crate) fn of_format(message: String, version: KubernetesVersion) -> Self {
        if version < KubernetesVersion::minor(33) && message.contains('%') {
            return Self::new(crate::go::format_without_arguments(&message));
        }
        Self::new(message)
    }

    /// Whether it ends the evaluation.
    pub fn is_fatal(&self) -> bool {
        self.fatal
    }

    /// What there was not enough of, if the evaluation was not finished.
    pub fn unfinished(&self) -> Option<Unfinished> {
        self.unfinished
    }

    /// What the API server's program fails with, if this is such a failure. Running an expression it recovers, planning one it does not.
    pub fn as_crash(&self) -> Option<&str> {
        self.message.strip_prefix("internal error: ").filter(|_| self.fatal)
    }

    /// What it says.
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
