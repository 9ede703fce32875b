//! Cost functions that several libraries share.
//!
//! The functions are from `cel-go` `checker/cost.go`, `interpreter/runtimecost.go` and `ext`, and from `k8s.io/apiserver/pkg/cel/library/cost.go`
//! (`EstimateCallCost` and `CallCost`), which takes precedence over `cel-go`.

use crd_analyzer_budget as budget;

use super::declaration::{CallRecord, Cost, cost};
use crate::cost::{Call, CallEstimate, CostEstimate, Coster, SizeEstimate};
use crate::types::Kind;
use crate::value::{List, Map, Result, Value};

/// Cost units for each character of a string that is read.
pub(super) const STRING: f64 = 0.1;
/// Cost units for each character of a regular expression.
pub(super) const REGEX: f64 = 0.25;
/// Cost units for making a list.
pub(super) const LIST: u64 = 10;
/// Cost units for making an object.
pub(super) const STRUCT: u64 = 40;

/// The cost of a parser: a function that reads its first argument, a string.
pub(super) const PARSE: Cost = cost(
    |coster, call| Some(call.costs(coster.library_size(call.args.first()?).times_factor(STRING))),
    |call| Ok(traversal(call.size(0) as f64)),
);

/// The cost of a method that reads its target once and whose result has the size of the target.
pub(super) const READ_TARGET: Cost = cost(
    |coster, call| {
        let size = coster.library_size(call.target?);
        Some(call.gives(size.times_factor(STRING), size))
    },
    |call| Ok(traversal(call.size(0) as f64)),
);

/// The cost of a method that reads every element of a list, including the characters of strings.
pub(super) const SCAN: Cost = cost(
    |coster, call| estimate_scan(coster, call).or_else(|| estimate_scan_of_string(coster, call)),
    |call| Ok(call.operands.first().map_or(0, |list| list.as_ref().map_or(1, look_at))),
);

/// The cost of comparing two strings or byte sequences, up to the end of the shorter one.
pub(super) const COMPARISON: Cost = cost(estimate_comparison, |call| {
    let shorter = call.size_of_value(0).min(call.size_of_value(1));
    Ok(traversal(shorter as f64))
});

pub(super) fn estimate_comparison(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let (left, right) = (coster.size(call.args.first()?), coster.size(call.args.get(1)?));
    let max = left.max.min(right.max);
    let shorter = CostEstimate {
        min: u64::from(max > 0),
        max,
    };
    Some(call.costs(shorter.times_factor(STRING)))
}

/// The estimated cost of reading the elements of a list, including the characters of strings; `None` if the element type is unknown.
pub(super) fn estimate_scan(coster: &Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let target = call.target?;
    let element = coster.element(target)?;
    let mut cost = CostEstimate::fixed(1);
    if matches!(element.ty.kind(), Kind::String | Kind::Bytes) {
        cost = cost.plus(coster.library_size(&element).times_factor(STRING));
    }
    Some(call.costs(coster.library_size(target).times_cost(cost)))
}

fn estimate_scan_of_string(coster: &Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.target?);
    Some(call.costs(size.times_factor(STRING)))
}

/// The estimated cost of a regular expression match: the product of both sizes.
pub(super) fn estimate_match(text: SizeEstimate, pattern: SizeEstimate) -> CostEstimate {
    let text = text.plus(SizeEstimate::fixed(1)).times_factor(STRING);
    text.times(pattern.times_factor(REGEX))
}

/// The runtime cost of a regular expression match, from both sizes.
pub(super) fn matching(text: u64, pattern: u64) -> u64 {
    let text = ((1.0 + text as f64) * STRING).ceil() as u64;
    text.saturating_mul((pattern as f64 * REGEX).ceil() as u64)
}

/// The runtime cost of reading a string of this size.
pub(super) fn traversal(size: f64) -> u64 {
    (size * STRING).ceil() as u64
}

/// The runtime cost of creating a list of this size at `factor` cost units per element.
pub(super) fn new_list(factor: f64, size: u64) -> u64 {
    ((size as f64 * factor) as u64).saturating_add(1 + LIST)
}

/// Budgeted work for visiting one value. Each visited value is cloned.
const LOOK_WORK: u64 = 8;

/// The runtime cost of visiting a value and everything in it.
fn look_at(value: &Value) -> u64 {
    // Computed values share parts, so the traversal can be huge. The budget of the evaluation records that it was cut off.
    if budget::work(LOOK_WORK).is_err() {
        return 1;
    }
    match value {
        Value::String(s) => (s.len() as f64 * STRING) as u64,
        Value::Bytes(b) => (b.len() as f64 * STRING) as u64,
        Value::List(list) => look_at_list(list),
        Value::Map(map) => look_at_map(map),
        _ => 1,
    }
}

fn look_at_list(list: &List) -> u64 {
    list.iter().map(|e| e.as_ref().map_or(1, look_at)).sum()
}

fn look_at_map(map: &Map) -> u64 {
    map.keys()
        .iter()
        .map(|key| look_at(key) + map.at(key).as_ref().map_or(1, look_at))
        .sum()
}

impl CallRecord<'_> {
    /// The size of an operand (characters, bytes, elements or entries), or 1 for other values.
    pub(super) fn size(&self, at: usize) -> u64 {
        self.operands.get(at).map_or(1, size)
    }

    /// Like [`Self::size`]. Since 1.33, the size of an optional is that of its value.
    pub(super) fn size_of_value(&self, at: usize) -> u64 {
        match self.operands.get(at) {
            Some(Ok(Value::Optional(Some(value)))) if self.version.number() >= 33 => value.size().unwrap_or(1) as u64,
            operand => operand.map_or(1, size),
        }
    }

    /// The size of the result.
    pub(super) fn result_size(&self) -> u64 {
        size(self.result)
    }
}

fn size(value: &Result) -> u64 {
    value.as_ref().ok().and_then(Value::size).unwrap_or(1) as u64
}
