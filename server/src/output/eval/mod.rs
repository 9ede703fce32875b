//! How what became of expressions is printed: one file a format.

pub(crate) mod json;
pub(crate) mod text;

use crd_analyzer_workspace::eval::Outcome;
use serde_json::Value;

/// The results under one Kubernetes version.
#[derive(Debug)]
pub(crate) enum Answered {
    /// The expression, on a value or without one.
    Expression {
        /// The path of the value in the given object. Empty if the value was given itself.
        place: String,
        /// The value.
        value: Option<Value>,
        outcome: Outcome,
    },
    /// A rule of the CRD on one value.
    Rule {
        place: String,
        /// The rule's position at its node.
        index: usize,
        rule: String,
        message: String,
        value: Value,
        outcome: Outcome,
        /// The API server's error about the value.
        errors: Vec<String>,
    },
}

impl Answered {
    /// The result of the expression.
    pub(crate) fn outcome(&self) -> &Outcome {
        match self {
            Self::Expression { outcome, .. } | Self::Rule { outcome, .. } => outcome,
        }
    }
}
