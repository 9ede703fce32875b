//! How what became of expressions is printed: one file a format.

pub(crate) mod json;
mod text;

use std::io::{self, Write};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::eval::Outcome;
use serde_json::Value;

use super::format::choose;

/// Every format.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// How results are printed.
#[derive(Debug)]
pub(crate) struct Format {
    /// What people type.
    name: &'static str,
    /// What it is.
    help: &'static str,
    /// It names the Kubernetes version itself. Else, the versions with the same text are named before it.
    pub(crate) names_version: bool,
    /// Prints answers, in so many columns if it is for people.
    pub(crate) print: fn(&mut dyn Write, usize, &Answers<'_>) -> io::Result<()>,
}

choose!(Format, ALL);

/// What one Kubernetes version answers.
pub(crate) struct Answers<'a> {
    pub(crate) version: KubernetesVersion,
    /// The expression; `None` if the rules of a CRD were asked about.
    pub(crate) expression: Option<&'a str>,
    pub(crate) answered: &'a [Answered],
}

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
