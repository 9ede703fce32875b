//! The output of `eval`, with one file for each format.

pub(crate) mod json;
mod text;

use std::io::{self, Write};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::eval::Outcome;
use serde_json::Value;

use super::format::choose;

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Whether the format prints the Kubernetes version itself. If not, a heading names all versions with the same output.
    pub(crate) names_version: bool,
    /// Prints answers. The number is the line width for text output, in columns.
    pub(crate) print: fn(&mut dyn Write, usize, &Answers<'_>) -> io::Result<()>,
}

choose!(Format, ALL);

/// The answers of one Kubernetes version.
pub(crate) struct Answers<'a> {
    pub(crate) version: KubernetesVersion,
    /// The expression. `None` if the rules of a CRD are evaluated.
    pub(crate) expression: Option<&'a str>,
    pub(crate) answered: &'a [Answered],
}

/// The result of one evaluation.
#[derive(Debug)]
pub(crate) enum Answered {
    /// An expression, evaluated with or without a value.
    Expression {
        /// The path of the value in the given object. Empty if the value is not inside an object.
        place: String,
        /// The value.
        value: Option<Value>,
        outcome: Outcome,
    },
    /// A rule of the CRD, evaluated on one value.
    Rule {
        place: String,
        /// The index of the rule in its schema.
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
