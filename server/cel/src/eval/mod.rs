//! Running checked expressions (`cel-go` `interpreter`), and what that costs.
//!
//! A [`Program`] is planned once and can run any number of times. Planning folds constants as the API server does, because what is folded
//! costs nothing when it runs.

mod attribute;
mod comprehension;
mod cost;
mod explain;
mod memory;
mod message;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod wire;

use std::{ops::Range, sync::Arc};

use crd_analyzer_budget::{Limits, Unfinished};

pub use explain::{Entry, Iteration, Part, explain};
use plan::{AttrIdx, Attribute, Step, StepIdx, StepKind};

use crate::KubernetesVersion;
use crate::checker::Checked;
use crate::decls::Environment;
use crate::value::{EvalError, Result, Value};

/// What one evaluation may take beside its cost. Values that are made count, also those that are not kept. Within the API server's own
/// limits of cost, expressions that people write make some megabytes.
const EVALUATION: Limits = Limits {
    work: Limits::DOCUMENT.work,
    bytes: 96 << 20,
    ..Limits::NONE
};

/// Where the values of variables come from.
pub trait Variables {
    /// The value of a variable, or the error of computing it; `None` if the variable does not exist.
    fn resolve(&self, name: &str) -> Option<Result>;
}

impl Variables for [(&str, Value)] {
    fn resolve(&self, name: &str) -> Option<Result> {
        self.iter()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| Ok(value.clone()))
    }
}

impl<const N: usize> Variables for [(&str, Value); N] {
    fn resolve(&self, name: &str) -> Option<Result> {
        self.as_slice().resolve(name)
    }
}

/// What became of an expression.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Its value, or the error in the API server's words.
    pub result: Result,
    /// What evaluating it cost.
    pub cost: u64,
}

/// Receives the values of an expression's parts during an evaluation.
pub trait Observer {
    /// The part with this id has a value or fails. A part can be reported several times; the last report counts.
    fn value(&mut self, id: i64, result: &Result);
    /// A fold begins.
    fn enter(&mut self, comprehension: i64);
    /// The fold that began last takes its next entry: its variables.
    fn iteration(&mut self, variables: &[(&Arc<str>, &Result)]);
    /// The fold that began last has taken all its entries.
    fn end_iterations(&mut self);
    /// The fold that began last is over.
    fn leave(&mut self);

    /// How much was observed so far, for [`Observer::forget`].
    fn mark(&self) -> usize {
        0
    }

    /// The observations between two marks decided nothing. If one term or entry decides alone, the others do not matter.
    fn forget(&mut self, observed: Range<usize>) {
        let _ = observed;
    }
}

/// An expression that is ready to run.
#[derive(Debug)]
pub struct Program {
    steps: Vec<Step>,
    attributes: Vec<Attribute>,
    root: StepIdx,
    /// Whether `has()` costs 1. On Kubernetes it does not.
    presence_test_has_cost: bool,
    version: KubernetesVersion,
    /// One past the greatest id of an expression.
    ids: usize,
    /// Planning took too much: then there is nothing to run.
    unfinished: Option<Unfinished>,
}

impl Program {
    /// Plans an expression. A constant part that is an error (`int('x')`) is one here already.
    pub fn new(checked: &Checked, environment: &Environment) -> Result<Self> {
        plan::plan(checked, environment, true)
    }

    /// Plans an expression without folding constants, so that they cost what they would if they were none. The API server does not do this.
    pub fn without_folding(checked: &Checked, environment: &Environment) -> Result<Self> {
        plan::plan(checked, environment, false)
    }

    /// Runs the expression, until it costs more than `limit`.
    pub fn eval(&self, variables: &dyn Variables, limit: Option<u64>) -> Evaluation {
        run::run(self, variables, limit, None)
    }

    /// The same, and tells what the parts of the expression come to.
    pub fn eval_observed(
        &self,
        variables: &dyn Variables,
        limit: Option<u64>,
        observer: &mut dyn Observer,
    ) -> Evaluation {
        run::run(self, variables, limit, Some(observer))
    }

    fn step(&self, step: StepIdx) -> &Step {
        &self.steps[step.0 as usize]
    }

    fn attribute(&self, attribute: AttrIdx) -> &Attribute {
        &self.attributes[attribute.0 as usize]
    }

    /// The id of an attribute as `cel-go` has it, which is that of what was last added to it.
    fn attribute_id(&self, attribute: AttrIdx) -> i64 {
        plan::attribute_id(&self.attributes, attribute)
    }

    /// The id that a step's value has on the stack.
    fn id(&self, step: StepIdx) -> i64 {
        let step = self.step(step);
        match step.kind {
            StepKind::Attribute(attribute) => self.attribute_id(attribute),
            _ => step.id,
        }
    }
}

/// An error that says which function was given values that it does not take.
fn no_such_overload(function: &str, args: &[Value], version: KubernetesVersion) -> EvalError {
    let name = |value: &Value| match value {
        Value::Optional(_) if version < KubernetesVersion::minor(31) => crate::types::OLD_OPTIONAL.to_owned(),
        value => value.type_name(),
    };
    let types: Vec<_> = args.iter().map(name).collect();
    EvalError::new(format!("no such overload: {function}({})", types.join(", ")))
}
