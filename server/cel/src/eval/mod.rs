//! Evaluates checked expressions (`cel-go` `interpreter`) and computes their runtime cost.
//!
//! A [`Program`] is planned once and can run any number of times. Planning folds constants like the API server does, because folded
//! constants cost nothing at run time.

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

/// The budget of one evaluation, in addition to its cost. Temporary values are included. Within the API server's cost limits, realistic
/// expressions create some megabytes of values.
const EVALUATION: Limits = Limits {
    work: Limits::DOCUMENT.work,
    bytes: 96 << 20,
    ..Limits::NONE
};

/// Provides the values of variables.
pub trait Variables {
    /// The value of a variable, or the error when the value is computed; `None` if the variable does not exist.
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

/// The outcome of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value, or the error in the API server's words.
    pub result: Result,
    /// The runtime cost in cost units.
    pub cost: u64,
}

/// Receives the values of an expression's parts during an evaluation.
pub trait Observer {
    /// The part with this id has a value or fails. A part can be reported several times; the last report applies.
    fn value(&mut self, id: i64, result: &Result);
    /// A comprehension begins.
    fn enter(&mut self, comprehension: i64);
    /// The innermost comprehension begins its next iteration, with these variables.
    fn iteration(&mut self, variables: &[(&Arc<str>, &Result)]);
    /// The innermost comprehension has no more iterations.
    fn end_iterations(&mut self);
    /// The innermost comprehension ends.
    fn leave(&mut self);

    /// The number of observations so far, for [`Observer::forget`].
    fn mark(&self) -> usize {
        0
    }

    /// Drops the observations between two marks, which did not affect the result: a single other term or entry decided it.
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
    /// Whether `has()` costs 1. In Kubernetes, `has()` costs nothing.
    presence_test_has_cost: bool,
    version: KubernetesVersion,
    /// One more than the largest expression id.
    ids: usize,
    /// The budget that planning exceeded, if any. The program cannot run then.
    unfinished: Option<Unfinished>,
}

impl Program {
    /// Plans an expression. If a constant part fails (`int('x')`), planning fails with the same error.
    pub fn new(checked: &Checked, environment: &Environment) -> Result<Self> {
        plan::plan(checked, environment, true)
    }

    /// Plans an expression without constant folding, so that constants cost as much as other parts. The API server does not do this.
    pub fn without_folding(checked: &Checked, environment: &Environment) -> Result<Self> {
        plan::plan(checked, environment, false)
    }

    /// Evaluates the expression. Stops when the cost exceeds `limit`.
    pub fn eval(&self, variables: &dyn Variables, limit: Option<u64>) -> Evaluation {
        run::run(self, variables, limit, None)
    }

    /// Like [`Self::eval`], and reports the values of the expression's parts to an observer.
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

    /// The id of an attribute as in `cel-go`: the id of its last qualifier.
    fn attribute_id(&self, attribute: AttrIdx) -> i64 {
        plan::attribute_id(&self.attributes, attribute)
    }

    /// The id of a step's value on the stack.
    fn id(&self, step: StepIdx) -> i64 {
        let step = self.step(step);
        match step.kind {
            StepKind::Attribute(attribute) => self.attribute_id(attribute),
            _ => step.id,
        }
    }
}

/// The error for a call of a function whose operands match no overload.
fn no_such_overload(function: &str, args: &[Value], version: KubernetesVersion) -> EvalError {
    let name = |value: &Value| match value {
        Value::Optional(_) if version < KubernetesVersion::minor(31) => crate::types::OLD_OPTIONAL.to_owned(),
        value => value.type_name(),
    };
    let types: Vec<_> = args.iter().map(name).collect();
    EvalError::new(format!("no such overload: {function}({})", types.join(", ")))
}
