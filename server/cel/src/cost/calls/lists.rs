//! Functions of lists and sets.

use super::{LIST, STRING};
use crate::cost::{Call, CallEstimate, CostEstimate, Coster, Operand, SizeEstimate};
use crate::types::Kind;

/// `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`: every element, and the text of elements that are text; of a string, its
/// characters.
pub(crate) fn list_or_string_scan(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    scan_elements(coster, call).or_else(|| {
        let size = coster.library_size(call.target?);
        Some(call.costs(size.times_factor(STRING)))
    })
}

/// `includes`: every element; a value that is no list is taken for one of unknown length.
pub(crate) fn includes(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    scan_elements(coster, call).or_else(|| {
        let size = coster.library_size(call.target?);
        Some(call.costs(size.times_cost(CostEstimate::fixed(1))))
    })
}

fn scan_elements(coster: &Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let target = call.target?;
    let element = coster.element(target)?;
    let mut cost = CostEstimate::fixed(1);
    if matches!(element.ty.kind(), Kind::String | Kind::Bytes) {
        cost = cost.plus(coster.library_size(&element).times_factor(STRING));
    }
    Some(call.costs(coster.library_size(target).times_cost(cost)))
}

/// `sets.contains`, `sets.intersects`: each element with each.
pub(crate) fn sets_once(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    sets(coster, call, 1.0)
}

/// `sets.equivalent`: the same in both directions.
pub(crate) fn sets_twice(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    sets(coster, call, 2.0)
}

fn sets(coster: &Coster<'_>, call: &Call<'_>, factor: f64) -> Option<CallEstimate> {
    let [left, right] = call.args else { return None };
    let pairs = coster.library_size(left).times(coster.library_size(right));
    Some(call.costs(pairs.times_factor(factor).plus(CostEstimate::fixed(1))))
}

fn makes_list(call: &Call<'_>, factor: f64, size: SizeEstimate) -> CallEstimate {
    call.gives(size.times_factor(factor).plus(CostEstimate::fixed(1 + LIST)), size)
}

fn natural(coster: &Coster<'_>, operand: &Operand, otherwise: u64) -> u64 {
    coster
        .int_literal(operand)
        .map_or(otherwise, |value| u64::try_from(value).unwrap_or(0))
}

/// `slice`: the elements between the indices, where they are written as numbers.
pub(crate) fn list_slice(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [start, end] = call.args else { return None };
    let size = coster.library_size(call.target?);
    let count = natural(coster, end, size.max).wrapping_sub(natural(coster, start, 0));
    Some(makes_list(call, 1.0, SizeEstimate::fixed(count)))
}

/// `lists.range`: the number of ints.
pub(crate) fn list_range(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let count = natural(coster, call.args.first()?, u64::MAX);
    Some(makes_list(call, 1.0, SizeEstimate::fixed(count)))
}

/// `reverse`: every element.
pub(crate) fn list_reverse(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(makes_list(call, 1.0, coster.library_size(call.target?)))
}

/// `flatten`: every element, as often as the depth says.
pub(crate) fn list_flatten(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let depth = call.args.first().map_or(1, |depth| natural(coster, depth, u64::MAX));
    Some(makes_list(call, depth as f64, coster.library_size(call.target?)))
}

fn pairs(coster: &Coster<'_>, call: &Call<'_>, list: &Operand, factor: f64) -> CallEstimate {
    let size = coster.library_size(list);
    makes_list(call, factor, size.times(size))
}

/// `distinct`: each element with each.
pub(crate) fn list_distinct(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(pairs(coster, call, call.target?, 2.0))
}

/// `sort`: each element with each.
pub(crate) fn list_sort(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(pairs(coster, call, call.target?, 2.0))
}

/// `sort` of strings or byte sequences.
pub(crate) fn list_sort_text(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(pairs(coster, call, call.target?, 2.0 + STRING))
}

/// `sortBy`: each key with each.
pub(crate) fn list_sort_by(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(pairs(coster, call, call.args.first()?, 2.0))
}

/// `sortBy` with keys that are strings or byte sequences.
pub(crate) fn list_sort_by_text(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(pairs(coster, call, call.args.first()?, 2.0 + STRING))
}
