//! String searches.

use crd_analyzer_budget as budget;
use crd_analyzer_goregexp::GoRegex;

use crate::KubernetesVersion;
use crate::cost::{Call, CallEstimate, Coster};
use crate::library::costs::{STRING, estimate_match, matching, traversal};
use crate::library::declaration::{CallRecord, Cost, Counted, Function, Spelling, cost, function, overload};
use crate::library::operands::{PATTERN_WORK, text, trait_missing};
use crate::value::{EvalError, Result, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "contains",
        "Whether the string contains the other string.",
        Counted::ByOverload,
        &[("'hello world'.contains('o w')", "true")],
        &[overload(
            "contains_string",
            "string.(string) -> bool",
            CONTAINS,
            |_, args| Ok(Value::Bool(text(&args[0])?.contains(text(&args[1])?))),
        )],
    )
    .singleton()
    .total()
    .spelling(Spelling::Part)
    .method_rank(9),
    function(
        "endsWith",
        "Whether the string ends with the other string.",
        Counted::ByOverload,
        &[("'hello'.endsWith('lo')", "true")],
        &[overload(
            "ends_with_string",
            "string.(string) -> bool",
            AFFIX,
            |_, args| Ok(Value::Bool(text(&args[0])?.ends_with(text(&args[1])?))),
        )],
    )
    .singleton()
    .total()
    .spelling(Spelling::Part)
    .method_rank(8),
    function(
        "startsWith",
        "Whether the string begins with the other string.",
        Counted::ByOverload,
        &[("'hello'.startsWith('he')", "true")],
        &[overload(
            "starts_with_string",
            "string.(string) -> bool",
            AFFIX,
            |_, args| Ok(Value::Bool(text(&args[0])?.starts_with(text(&args[1])?))),
        )],
    )
    .singleton()
    .total()
    .spelling(Spelling::Part)
    .method_rank(10),
    function(
        "matches",
        "Whether the regular expression (RE2) is found in the string; anchor it with ^ and $ to match all of it.",
        Counted::ByOverload,
        &[("'v1beta1'.matches('^v[0-9]+')", "true")],
        &[
            overload("matches", "(string, string) -> bool", MATCHES_FUNCTION, matches),
            overload("matches_string", "string.(string) -> bool", MATCHES_METHOD, matches),
        ],
    )
    .singleton()
    .pattern(|pattern, args| Ok(Value::Bool(pattern.is_match(text(&args[0])?)?)))
    .total()
    .method_rank(11),
];

/// The cost of `contains`: the product of both sizes.
const CONTAINS: Cost = cost(
    |coster, call| {
        let (text, part) = (coster.size(call.target?), coster.size(call.args.first()?));
        Some(call.costs(text.times_factor(STRING).times(part.times_factor(STRING))))
    },
    |call| {
        let (text, part) = (call.size_of_value(0), call.size_of_value(1));
        Ok(traversal(text as f64).saturating_mul(traversal(part as f64)))
    },
);

/// The cost of `startsWith` and `endsWith`: the size of the argument. Up to 1.36, the runtime cost uses the target instead.
const AFFIX: Cost = cost(
    |coster, call| Some(call.costs(coster.size(call.args.first()?).times_factor(STRING))),
    |call| {
        let counted = usize::from(call.version.number() >= 37);
        Ok(traversal(call.size_of_value(counted) as f64))
    },
);

/// The cost of `string.matches(pattern)`: the product of both sizes.
const MATCHES_METHOD: Cost = cost(
    |coster, call| {
        let (text, pattern) = (coster.size(call.target?), coster.size(call.args.first()?));
        Some(call.costs(estimate_match(text, pattern)))
    },
    |call| Ok(matches_cost(call)),
);

/// The cost of `matches(string, pattern)`: the product of both sizes since 1.37, 1 before.
const MATCHES_FUNCTION: Cost = cost(estimate_matches_function, |call| {
    if call.version.number() < 37 {
        return Ok(1);
    }
    Ok(matches_cost(call))
});

fn estimate_matches_function(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [text, pattern] = call.args else { return None };
    if coster.features().version.number() < 37 {
        return None;
    }
    Some(call.costs(estimate_match(coster.size(text), coster.size(pattern))))
}

fn matches_cost(call: &CallRecord<'_>) -> u64 {
    matching(call.size_of_value(0), call.size_of_value(1))
}

fn matches(_: KubernetesVersion, args: &[Value]) -> Result {
    match (&args[0], &args[1]) {
        (Value::String(text), Value::String(pattern)) => {
            budget::work(pattern.len() as u64 * PATTERN_WORK)?;
            let pattern = GoRegex::new(pattern).map_err(|e| EvalError::new(e.to_string()))?;
            Ok(Value::Bool(pattern.is_match(text)?))
        }
        (Value::String(_), _) => Err(EvalError::no_such_overload()),
        (other, _) => Err(trait_missing("matches", other)),
    }
}
