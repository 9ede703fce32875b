//! The state of a walk over one schema.

use crd_analyzer_schema::field::Error;

use super::cel::{CompiledNode, TotalCost};
use super::options::{Options, SchemaQuestion};

/// A walk over one schema and its results.
pub(super) struct NodeWalk<'w> {
    pub(super) options: &'w Options<'w>,
    pub(super) question: SchemaQuestion,
    /// Whether the API server compiles rules. If not, the errors of the rules are hidden.
    pub(super) compiles_rules: bool,
    pub(super) schema_errors: Vec<Error>,
    pub(super) cel_errors: Vec<Error>,
    pub(super) hidden: Vec<Error>,
    pub(super) crash: Option<Error>,
    pub(super) total_cost: TotalCost,
    pub(super) compiled: Vec<CompiledNode>,
    pub(super) depth: usize,
}

impl<'w> NodeWalk<'w> {
    pub(super) fn new(options: &'w Options<'w>, question: SchemaQuestion, compiles_rules: bool) -> Self {
        Self {
            options,
            question,
            compiles_rules,
            schema_errors: Vec::new(),
            cel_errors: Vec::new(),
            hidden: Vec::new(),
            crash: None,
            total_cost: TotalCost::default(),
            compiled: Vec::new(),
            depth: 0,
        }
    }
}
