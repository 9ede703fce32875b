//! Functions on lists (`cel-go` `ext.Lists`, version 3).

use std::cmp::Ordering;

use crd_analyzer_budget as budget;

use super::costs::{LIST, STRING, new_list};
use super::declaration::{CallRecord, Cost, Counted, Function, Library, Overload, cost, function, overload};
use super::operands::{elements, int, trait_missing};
use crate::KubernetesVersion;
use crate::cost::{Call, CallEstimate, CostEstimate, Coster, Operand, SizeEstimate};
use crate::value::{EvalError, List, Result, Value, compare, equal_to};

/// The lists library as Kubernetes enables it since 1.34.
pub(super) const LIBRARY: Library = Library {
    name: "lists",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "slice",
        "The elements from one index up to, but not including, another.",
        Counted::ByOverload,
        &[("[1, 2, 3, 4].slice(1, 3)", "[2, 3]")],
        &[overload(
            "list_slice",
            "list(T).(int, int) -> list(T)",
            SLICE,
            |_, args| slice(elements(&args[0])?, int(&args[1])?, int(&args[2])?),
        )],
    )
    .passes_on(),
    function(
        "flatten",
        "The elements of the lists in a list, to an optional depth.",
        Counted::ByOverload,
        &[("[[1], [2, 3]].flatten()", "[1, 2, 3]")],
        &[
            overload("list_flatten", "list(list(T)).() -> list(T)", FLATTEN, flatten),
            overload(
                "list_flatten_int",
                "list(dyn).(int) -> list(dyn)",
                FLATTEN_TO_DEPTH,
                flatten,
            ),
        ],
    )
    .singleton(),
    function(
        "sort",
        "The elements in ascending order.",
        Counted::ByOverload,
        &[("[3, 1, 2].sort()", "[1, 2, 3]")],
        &[
            sorted("list_int_sort", "list(int).() -> list(int)", SORT),
            sorted("list_uint_sort", "list(uint).() -> list(uint)", SORT),
            sorted("list_double_sort", "list(double).() -> list(double)", SORT),
            sorted("list_bool_sort", "list(bool).() -> list(bool)", SORT),
            sorted(
                "list_google.protobuf.Duration_sort",
                "list(duration).() -> list(duration)",
                SORT,
            ),
            sorted(
                "list_google.protobuf.Timestamp_sort",
                "list(timestamp).() -> list(timestamp)",
                SORT,
            ),
            sorted("list_string_sort", "list(string).() -> list(string)", SORT_TEXT),
            sorted("list_bytes_sort", "list(bytes).() -> list(bytes)", SORT_TEXT),
        ],
    )
    .singleton()
    .passes_on(),
    function(
        "@sortByAssociatedKeys",
        "Sorts the elements by their keys; sortBy expands to this.",
        Counted::ByOverload,
        &[],
        &[
            sorted_by(
                "list_int_sortByAssociatedKeys",
                "list(T).(list(int)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_uint_sortByAssociatedKeys",
                "list(T).(list(uint)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_double_sortByAssociatedKeys",
                "list(T).(list(double)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_bool_sortByAssociatedKeys",
                "list(T).(list(bool)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_google.protobuf.Duration_sortByAssociatedKeys",
                "list(T).(list(duration)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_google.protobuf.Timestamp_sortByAssociatedKeys",
                "list(T).(list(timestamp)) -> list(T)",
                SORT_BY,
            ),
            sorted_by(
                "list_string_sortByAssociatedKeys",
                "list(T).(list(string)) -> list(T)",
                SORT_BY_TEXT,
            ),
            sorted_by(
                "list_bytes_sortByAssociatedKeys",
                "list(T).(list(bytes)) -> list(T)",
                SORT_BY_TEXT,
            ),
        ],
    )
    .singleton(),
    function(
        "lists.range",
        "The ints from 0 up to a number.",
        Counted::ByOverload,
        &[("lists.range(3)", "[0, 1, 2]")],
        &[overload("lists_range", "(int) -> list(int)", RANGE, |version, args| {
            range(int(&args[0])?, version)
        })
        .work(|version, args| {
            let count = args.first().and_then(|it| int(it).ok()).unwrap_or(0);
            check_range(count, version)?;
            Ok(u64::try_from(count).unwrap_or(0))
        })],
    ),
    function(
        "reverse",
        "The elements from last to first.",
        Counted::ByOverload,
        &[("[1, 2].reverse()", "[2, 1]")],
        &[overload("list_reverse", "list(T).() -> list(T)", REVERSE, |_, args| {
            let all: Vec<Result> = elements(&args[0])?.iter().collect();
            List::of_results(all.into_iter().rev()).map(Value::List)
        })],
    )
    .passes_on(),
    function(
        "distinct",
        "The elements without those that came before.",
        Counted::ByOverload,
        &[("[1, 2, 1].distinct()", "[1, 2]")],
        &[overload("list_distinct", "list(T).() -> list(T)", DISTINCT, |_, args| {
            distinct(&args[0])
        })
        .work(pairs)],
    )
    .passes_on(),
];

const fn sorted(id: &'static str, signature: &'static str, cost: Cost) -> Overload {
    overload(id, signature, cost, |_, args| match &args[0] {
        Value::List(list) => sort(list, list),
        other => Err(trait_missing("sort", other)),
    })
}

const fn sorted_by(id: &'static str, signature: &'static str, cost: Cost) -> Overload {
    overload(id, signature, cost, |_, args| match &args[0] {
        Value::List(list) => sort(list, elements(&args[1])?),
        other => Err(trait_missing("@sortByAssociatedKeys", other)),
    })
}

/// The cost of `slice`: the number of elements between the indices, if these are literals.
const SLICE: Cost = cost(
    |coster, call| {
        let [start, end] = call.args else { return None };
        let size = coster.library_size(call.target?);
        let count = natural(coster, end, size.max).wrapping_sub(natural(coster, start, 0));
        Some(makes_list(call, 1.0, SizeEstimate::fixed(count)))
    },
    |call| Ok(new_list(1.0, call.result_size())),
);

/// The cost of `lists.range`: the number of ints.
const RANGE: Cost = cost(
    |coster, call| {
        let count = natural(coster, call.args.first()?, u64::MAX);
        Some(makes_list(call, 1.0, SizeEstimate::fixed(count)))
    },
    |call| Ok(new_list(1.0, call.result_size())),
);

/// The cost of `reverse`: the number of elements.
const REVERSE: Cost = cost(
    |coster, call| Some(makes_list(call, 1.0, coster.library_size(call.target?))),
    |call| Ok(new_list(1.0, call.result_size())),
);

/// The cost of `flatten()`: the number of elements.
const FLATTEN: Cost = cost(estimate_flatten, |call| Ok(new_list(1.0, call.size(0))));

/// The cost of `flatten(depth)`: the number of elements times the depth.
const FLATTEN_TO_DEPTH: Cost = cost(estimate_flatten, |call| match call.operands.get(1) {
    // A negative depth is an error. Up to 1.36, its cost overflows.
    Some(Ok(Value::Int(depth))) if *depth < 0 && call.version.number() < 37 => {
        let cost = (call.size(0) as f64 * *depth as f64) as i64;
        Ok((cost as u64).wrapping_add(1 + LIST))
    }
    Some(Ok(Value::Int(..0))) => Ok(new_list(1.0, call.size(0))),
    Some(Ok(Value::Int(depth))) => Ok(new_list(*depth as f64, call.size(0))),
    other => Err(panic(&format!("ref.Val is {}, not types.Int", go_type(other)))),
});

/// The cost of `distinct`: comparing each element with every other one.
const DISTINCT: Cost = cost(
    |coster, call| Some(estimate_pairs(coster, call, call.target?, 2.0)),
    |call| comparing(call, 0),
);

/// The cost of `sort`: comparing each element with every other one.
const SORT: Cost = DISTINCT;

/// The cost of `sort` for strings or byte sequences.
const SORT_TEXT: Cost = cost(
    |coster, call| Some(estimate_pairs(coster, call, call.target?, 2.0 + STRING)),
    |call| comparing(call, 0),
);

/// The cost of `sortBy`: comparing each key with every other one.
const SORT_BY: Cost = cost(
    |coster, call| Some(estimate_pairs(coster, call, call.args.first()?, 2.0)),
    |call| comparing(call, 1),
);

/// The cost of `sortBy` with keys that are strings or byte sequences.
const SORT_BY_TEXT: Cost = cost(
    |coster, call| Some(estimate_pairs(coster, call, call.args.first()?, 2.0 + STRING)),
    |call| comparing(call, 1),
);

fn makes_list(call: &Call<'_>, factor: f64, size: SizeEstimate) -> CallEstimate {
    call.gives(size.times_factor(factor).plus(CostEstimate::fixed(1 + LIST)), size)
}

fn natural(coster: &Coster<'_>, operand: &Operand, otherwise: u64) -> u64 {
    coster
        .int_literal(operand)
        .map_or(otherwise, |value| u64::try_from(value).unwrap_or(0))
}

fn estimate_flatten(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let depth = call.args.first().map_or(1, |depth| natural(coster, depth, u64::MAX));
    Some(makes_list(call, depth as f64, coster.library_size(call.target?)))
}

fn estimate_pairs(coster: &Coster<'_>, call: &Call<'_>, list: &Operand, factor: f64) -> CallEstimate {
    let size = coster.library_size(list);
    makes_list(call, factor, size.times(size))
}

/// The runtime cost of comparing all elements of a list with each other. The API server panics if the operand is not a list.
fn comparing(call: &CallRecord<'_>, at: usize) -> Result<u64> {
    let list = call.operands.get(at);
    let missing = match list {
        Some(Ok(Value::List(list))) => {
            let size = list.len() as u64;
            let factor = match list.iter().next() {
                Some(Ok(Value::String(_) | Value::Bytes(_))) => 2.0 + STRING,
                _ => 2.0,
            };
            return Ok(new_list(factor, size.saturating_mul(size)));
        }
        Some(Ok(
            Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
        )) => "Contains",
        _ => "Add",
    };
    Err(panic(&format!(
        "{} is not traits.Lister: missing method {missing}",
        go_type(list)
    )))
}

/// The panic of the API server's cost tracker for an operand of an unexpected type.
fn panic(conversion: &str) -> EvalError {
    EvalError::fatal(format!("internal error: interface conversion: {conversion}"))
}

fn go_type(value: Option<&Result>) -> &'static str {
    match value {
        Some(Ok(value)) => value.go_type(),
        _ => "*types.Err",
    }
}

/// The number of element pairs that `distinct` compares.
#[expect(
    clippy::unnecessary_wraps,
    reason = "one of the functions that tell the work of a call"
)]
fn pairs(_: KubernetesVersion, args: &[Value]) -> Result<u64> {
    Ok(match args {
        [Value::List(list)] => (list.len() as u64).saturating_mul(list.len() as u64),
        _ => 0,
    })
}

fn slice(list: &List, start: i64, end: i64) -> Result {
    let fail = |why: String| Err(EvalError::new(format!("cannot slice({start}, {end}), {why}")));
    if start < 0 || end < 0 {
        return fail("negative indexes not supported".to_owned());
    }
    if start > end {
        return fail("start index must be less than or equal to end index".to_owned());
    }
    if (list.len() as i64) < end {
        return fail(format!("list is length {}", list.len()));
    }
    List::of_results(list.iter().skip(start as usize).take((end - start) as usize)).map(Value::List)
}

fn flatten(version: KubernetesVersion, args: &[Value]) -> Result {
    let Value::List(list) = &args[0] else {
        let depth = args.get(1).map(|it| it.printed_type(version)).unwrap_or_default();
        let of = args[0].printed_type(version);
        return Err(EvalError::new(format!("no such overload: {of}.flatten({depth})")));
    };
    let depth = args.get(1).map_or(Ok(1), int)?;
    if depth < 0 {
        return Err(EvalError::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(list, depth, &mut flat);
    List::of_results(flat).map(Value::List)
}

fn flatten_into(list: &List, depth: i64, flat: &mut Vec<Result>) {
    for element in list.iter() {
        if budget::bytes(size_of::<Result>() as u64).is_err() {
            return;
        }
        match element {
            Ok(Value::List(inner)) if depth > 0 => flatten_into(&inner, depth - 1, flat),
            other => flat.push(other),
        }
    }
}

fn distinct(value: &Value) -> Result {
    let list = elements(value)?;
    if list.is_empty() {
        return Ok(value.clone());
    }
    let mut distinct: Vec<Result> = Vec::new();
    for element in list.iter() {
        let is_known = |known: &Result| match (&element, known) {
            (Ok(element), Ok(known)) => matches!(equal_to(element, known), Ok(true)),
            _ => false,
        };
        if !distinct.iter().any(is_known) {
            distinct.push(element);
        }
    }
    List::of_results(distinct).map(Value::List)
}

/// The length of the longest list that `lists.range` can create, on API servers that have this limit.
const LARGEST_ALLOWED: i64 = 1_000_000;
/// Since this Kubernetes version, the API server checks the size of a range.
const RANGES_ARE_CHECKED_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// Checks whether the API server rejects a range of this size before it does any work.
fn check_range(count: i64, version: KubernetesVersion) -> Result<()> {
    if version >= RANGES_ARE_CHECKED_SINCE && count < 0 {
        return Err(EvalError::new(format!(
            "lists.range: size must be non-negative, got {count}"
        )));
    }
    if version >= RANGES_ARE_CHECKED_SINCE && count > LARGEST_ALLOWED {
        return Err(EvalError::new(format!(
            "lists.range: size {count} exceeds maximum allowed ({LARGEST_ALLOWED})"
        )));
    }
    Ok(())
}

fn range(count: i64, version: KubernetesVersion) -> Result {
    check_range(count, version)?;
    Ok(Value::list((0..count).map(Value::Int).collect()))
}

fn sort(list: &List, keys: &List) -> Result {
    if list.len() != keys.len() {
        return Err(EvalError::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            list.len(),
            keys.len()
        )));
    }
    if list.is_empty() {
        return Ok(Value::List(list.clone()));
    }
    let keys: Vec<Result> = keys.iter().collect();
    let kind = match &keys[0] {
        Err(fatal) if fatal.is_fatal() => return Err(fatal.clone()),
        Ok(first) if first.is_comparable() => first.type_name(),
        _ => return Err(EvalError::new("list elements must be comparable")),
    };
    let is_alike = |key: &Result| key.as_ref().is_ok_and(|key| key.type_name() == kind);
    if !keys.iter().all(is_alike) {
        return Err(EvalError::new("list elements must have the same type"));
    }
    let is_less = |a: usize, b: usize| match (&keys[a], &keys[b]) {
        (Ok(a), Ok(b)) => matches!(compare(a, b), Ok(Ordering::Less)),
        _ => false,
    };
    let order = crate::go::sorted(keys.len(), is_less);
    List::of_results(order.into_iter().filter_map(|at| list.get(at))).map(Value::List)
}
