//! Equality and order operators.

use std::cmp::Ordering;

use crate::KubernetesVersion;
use crate::ast::operators;
use crate::cost::{Call, CallEstimate, CostEstimate, Coster, Operand};
use crate::library::costs::{COMPARISON, STRING, estimate_comparison};
use crate::library::declaration::{Cost, Counted, Function, Step, cost, function, overload, step};
use crate::library::operands::trait_missing;
use crate::types::Type;
use crate::value::{Result, Value, compare};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        operators::EQUALS,
        "Whether both values are equal.",
        Counted::ByOverload,
        &[("'a' == 'a'", "true"), ("duration('1h') == duration('60m')", "true")],
        &[step("equals", "(A, A) -> bool", EQUALITY, Step::Equals)],
    ),
    function(
        operators::NOT_EQUALS,
        "Whether the values differ.",
        Counted::ByOverload,
        &[("1 != 2", "true")],
        &[step("not_equals", "(A, A) -> bool", INEQUALITY, Step::NotEquals)],
    ),
    function(
        operators::LESS,
        "Whether the first value is less than the second.",
        Counted::ByOverload,
        &[("1 < 2", "true")],
        &[
            overload("less_bool", "(bool, bool) -> bool", Cost::ONE, less),
            overload("less_int64", "(int, int) -> bool", Cost::ONE, less),
            overload("less_int64_double", "(int, double) -> bool", Cost::ONE, less),
            overload("less_int64_uint64", "(int, uint) -> bool", Cost::ONE, less),
            overload("less_uint64", "(uint, uint) -> bool", Cost::ONE, less),
            overload("less_uint64_double", "(uint, double) -> bool", Cost::ONE, less),
            overload("less_uint64_int64", "(uint, int) -> bool", Cost::ONE, less),
            overload("less_double", "(double, double) -> bool", Cost::ONE, less),
            overload("less_double_int64", "(double, int) -> bool", Cost::ONE, less),
            overload("less_double_uint64", "(double, uint) -> bool", Cost::ONE, less),
            overload("less_string", "(string, string) -> bool", COMPARISON, less),
            overload("less_bytes", "(bytes, bytes) -> bool", COMPARISON, less),
            overload("less_timestamp", "(timestamp, timestamp) -> bool", Cost::ONE, less),
            overload("less_duration", "(duration, duration) -> bool", Cost::ONE, less),
        ],
    )
    .singleton(),
    function(
        operators::LESS_EQUALS,
        "Whether the first value is at most the second.",
        Counted::ByOverload,
        &[("2 <= 2", "true")],
        &[
            overload("less_equals_bool", "(bool, bool) -> bool", Cost::ONE, less_equals),
            overload("less_equals_int64", "(int, int) -> bool", Cost::ONE, less_equals),
            overload(
                "less_equals_int64_double",
                "(int, double) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload(
                "less_equals_int64_uint64",
                "(int, uint) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload("less_equals_uint64", "(uint, uint) -> bool", Cost::ONE, less_equals),
            overload(
                "less_equals_uint64_double",
                "(uint, double) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload(
                "less_equals_uint64_int64",
                "(uint, int) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload("less_equals_double", "(double, double) -> bool", Cost::ONE, less_equals),
            overload(
                "less_equals_double_int64",
                "(double, int) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload(
                "less_equals_double_uint64",
                "(double, uint) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload(
                "less_equals_string",
                "(string, string) -> bool",
                COMPARISON,
                less_equals,
            ),
            overload("less_equals_bytes", "(bytes, bytes) -> bool", COMPARISON, less_equals),
            overload(
                "less_equals_timestamp",
                "(timestamp, timestamp) -> bool",
                Cost::ONE,
                less_equals,
            ),
            overload(
                "less_equals_duration",
                "(duration, duration) -> bool",
                Cost::ONE,
                less_equals,
            ),
        ],
    )
    .singleton(),
    function(
        operators::GREATER,
        "Whether the first value is greater than the second.",
        Counted::ByOverload,
        &[("2 > 1", "true")],
        &[
            overload("greater_bool", "(bool, bool) -> bool", Cost::ONE, greater),
            overload("greater_int64", "(int, int) -> bool", Cost::ONE, greater),
            overload("greater_int64_double", "(int, double) -> bool", Cost::ONE, greater),
            overload("greater_int64_uint64", "(int, uint) -> bool", Cost::ONE, greater),
            overload("greater_uint64", "(uint, uint) -> bool", Cost::ONE, greater),
            overload("greater_uint64_double", "(uint, double) -> bool", Cost::ONE, greater),
            overload("greater_uint64_int64", "(uint, int) -> bool", Cost::ONE, greater),
            overload("greater_double", "(double, double) -> bool", Cost::ONE, greater),
            overload("greater_double_int64", "(double, int) -> bool", Cost::ONE, greater),
            overload("greater_double_uint64", "(double, uint) -> bool", Cost::ONE, greater),
            overload("greater_string", "(string, string) -> bool", COMPARISON, greater),
            overload("greater_bytes", "(bytes, bytes) -> bool", COMPARISON, greater),
            overload(
                "greater_timestamp",
                "(timestamp, timestamp) -> bool",
                Cost::ONE,
                greater,
            ),
            overload("greater_duration", "(duration, duration) -> bool", Cost::ONE, greater),
        ],
    )
    .singleton(),
    function(
        operators::GREATER_EQUALS,
        "Whether the first value is at least the second.",
        Counted::ByOverload,
        &[("2 >= 2", "true")],
        &[
            overload("greater_equals_bool", "(bool, bool) -> bool", Cost::ONE, greater_equals),
            overload("greater_equals_int64", "(int, int) -> bool", Cost::ONE, greater_equals),
            overload(
                "greater_equals_int64_double",
                "(int, double) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_int64_uint64",
                "(int, uint) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_uint64",
                "(uint, uint) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_uint64_double",
                "(uint, double) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_uint64_int64",
                "(uint, int) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_double",
                "(double, double) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_double_int64",
                "(double, int) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_double_uint64",
                "(double, uint) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_string",
                "(string, string) -> bool",
                COMPARISON,
                greater_equals,
            ),
            overload(
                "greater_equals_bytes",
                "(bytes, bytes) -> bool",
                COMPARISON,
                greater_equals,
            ),
            overload(
                "greater_equals_timestamp",
                "(timestamp, timestamp) -> bool",
                Cost::ONE,
                greater_equals,
            ),
            overload(
                "greater_equals_duration",
                "(duration, duration) -> bool",
                Cost::ONE,
                greater_equals,
            ),
        ],
    )
    .singleton(),
];

/// The cost of `==`. Since 1.32, Kubernetes' own types have their own costs.
pub(crate) const EQUALITY: Cost = cost(estimate_equality, |call| match call.operands {
    [Ok(Value::Opaque(_)), _] if call.version.number() >= 32 => Ok(1),
    _ => COMPARISON.actual.of(call),
});

/// The cost of `!=`.
pub(crate) const INEQUALITY: Cost = COMPARISON;

/// The length of the longest format name.
const MAX_FORMAT_NAME: u64 = 64;

fn estimate_equality(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    if coster.features().version.number() >= 32
        && let [left, right] = call.args
        && left.ty.type_name() == right.ty.type_name()
        && let Some(cost) = estimate_library_equality(coster, &left.ty, right)
    {
        return Some(call.costs(cost));
    }
    estimate_comparison(coster, call)
}

fn estimate_library_equality(coster: &Coster<'_>, ty: &Type, right: &Operand) -> Option<CostEstimate> {
    let name = match ty {
        Type::Opaque(opaque) => {
            return matches!(&*opaque.name, "net.IP" | "net.CIDR").then_some(CostEstimate::fixed(1));
        }
        Type::Struct(name) => &**name,
        _ => return None,
    };
    match name {
        "kubernetes.Quantity"
        | "kubernetes.Semver"
        | "kubernetes.authorization.Authorizer"
        | "kubernetes.authorization.PathCheck"
        | "kubernetes.authorization.GroupCheck"
        | "kubernetes.authorization.ResourceCheck"
        | "kubernetes.authorization.Decision" => Some(CostEstimate::fixed(1)),
        "kubernetes.NamedFormat" => Some(
            CostEstimate {
                min: 1,
                max: MAX_FORMAT_NAME,
            }
            .times_factor(STRING),
        ),
        "kubernetes.URL" => {
            // The API server uses the right operand twice.
            let max = coster.computed_size(right).map_or(1, |size| size.max);
            Some(CostEstimate { min: 1, max }.times_factor(STRING))
        }
        _ => None,
    }
}

fn less(_: KubernetesVersion, args: &[Value]) -> Result {
    relation(operators::LESS, args, Ordering::is_lt)
}

fn less_equals(_: KubernetesVersion, args: &[Value]) -> Result {
    relation(operators::LESS_EQUALS, args, Ordering::is_le)
}

fn greater(_: KubernetesVersion, args: &[Value]) -> Result {
    relation(operators::GREATER, args, Ordering::is_gt)
}

fn greater_equals(_: KubernetesVersion, args: &[Value]) -> Result {
    relation(operators::GREATER_EQUALS, args, Ordering::is_ge)
}

fn relation(operator: &str, args: &[Value], holds: fn(Ordering) -> bool) -> Result {
    if !args[0].is_comparable() {
        return Err(trait_missing(operator, &args[0]));
    }
    compare(&args[0], &args[1]).map(|order| Value::Bool(holds(order)))
}
