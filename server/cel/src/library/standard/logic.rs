//! Logical operators.

use crate::ast::operators;
use crate::cost::{Call, CallEstimate, CostEstimate, Coster};
use crate::library::declaration::{Cost, Counted, Function, Step, cost_of_values, function, overload, step};
use crate::value::{EvalError, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        operators::CONDITIONAL,
        "The second value if the condition holds, else the third; only one of them is evaluated.",
        Counted::ByOverload,
        &[("2 > 1 ? 'more' : 'less'", "'more'")],
        &[step(
            "conditional",
            "(bool, A, A) -> A",
            cost_of_values(estimate_conditional),
            Step::Conditional,
        )],
    ),
    function(
        operators::LOGICAL_AND,
        "Whether both conditions hold. If one is false, the result is false even if the other is an error.",
        Counted::ByOverload,
        &[("true && false", "false")],
        &[step("logical_and", "(bool, bool) -> bool", LOGICAL, Step::And)],
    ),
    function(
        operators::LOGICAL_OR,
        "Whether one of the conditions holds. If one is true, the result is true even if the other is an error.",
        Counted::ByOverload,
        &[("true || false", "true")],
        &[step("logical_or", "(bool, bool) -> bool", LOGICAL, Step::Or)],
    ),
    function(
        operators::LOGICAL_NOT,
        "Whether the condition does not hold.",
        Counted::ByOverload,
        &[("!false", "true")],
        &[overload(
            "logical_not",
            "(bool) -> bool",
            Cost::ONE,
            |_, args| match &args[0] {
                Value::Bool(b) => Ok(Value::Bool(!b)),
                _ => Err(EvalError::no_such_overload()),
            },
        )],
    )
    .singleton(),
    function(
        operators::NOT_STRICTLY_FALSE,
        "True for every value except false; macros use it to decide whether to continue.",
        Counted::ByOverload,
        &[],
        &[step(
            "not_strictly_false",
            "(bool) -> bool",
            Cost::ONE,
            Step::NotStrictlyFalse,
        )],
    ),
];

/// The cost of `&&` and `||`: at least the left operand, at most both.
const LOGICAL: Cost = cost_of_values(|_, call| {
    let [left, right, ..] = call.arg_costs else { return None };
    Some(CallEstimate {
        cost: CostEstimate {
            min: left.min,
            max: left.plus(*right).max,
        },
        result_size: None,
    })
});

/// The estimated cost of `?:`: the condition and one of the branches.
fn estimate_conditional(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let ([_, yes, no], [condition, yes_cost, no_cost]) = (call.args, call.arg_costs) else {
        return None;
    };
    let size = coster.size(yes).union(coster.size(no));
    coster.join_entries(call.node, yes, no);
    Some(CallEstimate {
        cost: condition.plus(yes_cost.union(*no_cost)),
        result_size: Some(size),
    })
}
