//! The estimated costs of functions. Declarations in [`library`](crate::library) name them.
//!
//! From `cel-go` `checker/cost.go` (`functionCost`), `ext/sets.go`, `ext/lists.go`, and `k8s.io/apiserver/pkg/cel/library/cost.go`
//! (`CostEstimator.EstimateCallCost`), which comes before the functions of `cel-go`.

mod kubernetes;
mod lists;

pub(crate) use kubernetes::*;
pub(crate) use lists::*;

use super::{Call, CallEstimate, CostEstimate, Coster, Operand, SizeEstimate};
use crate::types::Type;

/// Going through a string costs this for each character.
const STRING: f64 = 0.1;
/// A regular expression is taken to have a step for so many of its characters.
const REGEX: f64 = 0.25;
/// Making a list.
const LIST: u64 = 10;
/// Making an object.
const STRUCT: u64 = 40;
/// The longest name of a format.
const MAX_FORMAT: u64 = 64;
/// The longest regular expression of a format.
const MAX_FORMAT_REGEX: f64 = 128.0;

const ONE: SizeEstimate = SizeEstimate::fixed(1);

fn capped(coster: &Coster<'_>, call: &Call<'_>) -> Option<CostEstimate> {
    let (left, right) = (coster.size(call.args.first()?), coster.size(call.args.get(1)?));
    let max = left.max.min(right.max);
    Some(
        CostEstimate {
            min: u64::from(max > 0),
            max,
        }
        .times_factor(STRING),
    )
}

/// Comparing two values: up to the end of the shorter one.
pub(crate) fn comparison(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(capped(coster, call)?))
}

/// `==`: the types of Kubernetes' libraries have costs of their own (since 1.32).
pub(crate) fn equality(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    if coster.features().version.number() >= 32
        && let [left, right] = call.args
        && left.ty.type_name() == right.ty.type_name()
        && let Some(cost) = library_equality(coster, &left.ty, right)
    {
        return Some(call.costs(cost));
    }
    comparison(coster, call)
}

fn library_equality(coster: &Coster<'_>, ty: &Type, right: &Operand) -> Option<CostEstimate> {
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
                max: MAX_FORMAT,
            }
            .times_factor(STRING),
        ),
        "kubernetes.URL" => {
            // The server looks at the right operand twice.
            let max = coster.computed_size(right).map_or(1, |size| size.max);
            Some(CostEstimate { min: 1, max }.times_factor(STRING))
        }
        _ => None,
    }
}

/// `&&`, `||`: at least the left operand, at most both.
pub(crate) fn logical(_: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [left, right, ..] = call.arg_costs else { return None };
    Some(CallEstimate {
        cost: CostEstimate {
            min: left.min,
            max: left.plus(*right).max,
        },
        result_size: None,
    })
}

/// `?:`: the condition and one of the branches.
pub(crate) fn conditional(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
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

/// `+` of strings and byte sequences: the length of the result.
pub(crate) fn concatenation(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = joined_size(coster, call)?;
    Some(call.gives(size.times_factor(STRING), size))
}

/// `+` of lists.
pub(crate) fn list_concatenation(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = joined_size(coster, call)?;
    Some(call.gives(CostEstimate::fixed(1), size))
}

fn joined_size(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<SizeEstimate> {
    let [left, right] = call.args else { return None };
    let size = coster.size(left).plus(coster.size(right));
    coster.join_entries(call.node, left, right);
    Some(size)
}

/// `in` a list: every element.
pub(crate) fn membership(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [_, list] = call.args else { return None };
    Some(call.costs(coster.size(list).times_factor(1.0)))
}

/// `bytes(string)`: a character is at most four bytes.
pub(crate) fn string_to_bytes(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.size(call.args.first()?);
    Some(call.gives(
        size.times_factor(STRING),
        SizeEstimate {
            min: size.min,
            max: size.max.wrapping_mul(4),
        },
    ))
}

/// `string(bytes)`: at most four bytes are a character.
pub(crate) fn bytes_to_string(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.size(call.args.first()?);
    Some(call.gives(
        size.times_factor(STRING),
        SizeEstimate {
            min: size.min / 4,
            max: size.max,
        },
    ))
}

/// `strings.quote`: every character may be escaped.
pub(crate) fn quote(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.size(call.args.first()?);
    let quoted = SizeEstimate {
        min: size.min.wrapping_add(2),
        max: size.max.wrapping_mul(2).wrapping_add(2),
    };
    Some(call.gives(size.times_factor(STRING), quoted))
}

/// `format`: the format string. Nothing is known of the result.
pub(crate) fn format(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(coster.size(call.target?).times_factor(STRING)))
}

/// `startsWith`, `endsWith`: the other string.
pub(crate) fn affix(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    Some(call.costs(coster.size(call.args.first()?).times_factor(STRING)))
}

/// `contains`: both strings multiplied.
pub(crate) fn contains(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let (text, part) = (coster.size(call.target?), coster.size(call.args.first()?));
    Some(call.costs(text.times_factor(STRING).times(part.times_factor(STRING))))
}

fn match_cost(text: SizeEstimate, pattern: SizeEstimate) -> CostEstimate {
    text.plus(ONE).times_factor(STRING).times(pattern.times_factor(REGEX))
}

/// `string.matches(pattern)`: string and pattern multiplied.
pub(crate) fn matches_member(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let (text, pattern) = (coster.size(call.target?), coster.size(call.args.first()?));
    Some(call.costs(match_cost(text, pattern)))
}

/// `matches(string, pattern)`: the same since 1.37, 1 before.
pub(crate) fn matches_global(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [text, pattern] = call.args else { return None };
    if coster.features().version.number() < 37 {
        return None;
    }
    Some(call.costs(match_cost(coster.size(text), coster.size(pattern))))
}

/// `find`, `findAll`: string and pattern multiplied.
pub(crate) fn find(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let text = coster.library_size(call.target?);
    let pattern = coster.library_size(call.args.first()?);
    Some(call.gives(match_cost(text, pattern), SizeEstimate { min: 0, max: text.max }))
}

/// Going through the target once, which gives a string of that size.
pub(crate) fn traverse_target(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.target?);
    Some(call.gives(size.times_factor(STRING), size))
}

/// `url`: going through the argument once. The size of the result is known since 1.32.
pub(crate) fn traverse_argument(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.args.first()?);
    let cost = size.times_factor(STRING);
    Some(if coster.features().version.number() >= 32 {
        call.gives(cost, size)
    } else {
        call.costs(cost)
    })
}

/// `replace`: reading the string and making the result, whose size is bounded by how often the part can occur.
pub(crate) fn replace(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [part, with, ..] = call.args else { return None };
    let size = coster.library_size(call.target?);
    let (part, with) = (coster.library_size(part), coster.library_size(with));
    // The longest result: an empty part stands between all characters; a longer replacement replaces the shortest parts.
    let (max_count, max_kept) = if part.min == 0 {
        (size.max.saturating_add(1), size.max)
    } else if with.max <= part.min {
        (0, size.max)
    } else {
        (divided(size.max, part.min), 0)
    };
    // The shortest result.
    let (min_count, min_kept) = if part.max == 0 {
        (size.min.saturating_add(1), size.min)
    } else if part.max <= with.min {
        (0, size.min)
    } else {
        (divided(size.min, part.max), 0)
    };
    let count = SizeEstimate {
        min: min_count,
        max: max_count,
    };
    let kept = SizeEstimate {
        min: min_kept,
        max: max_kept,
    };
    Some(call.gives(size.times_factor(2.0 * STRING), count.times(with).plus(kept)))
}

/// The quotient rounded up; 2^64 becomes 2^63, as Go's conversion gives on the servers' processors.
fn divided(size: u64, by: u64) -> u64 {
    let quotient = (size as f64 / by as f64).ceil();
    if quotient >= 18_446_744_073_709_551_616.0 {
        1 << 63
    } else {
        quotient as u64
    }
}

/// `split`: reading the string and making the parts, at most one a character.
pub(crate) fn split(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let size = coster.library_size(call.target?);
    let limit = call.args.get(1).and_then(|limit| coster.int_literal(limit));
    let max = limit.map_or(size.max, |limit| limit as u64);
    Some(call.gives(size.times_factor(2.0 * STRING), SizeEstimate { min: 0, max }))
}

/// `join`: the elements and the separators between them.
pub(crate) fn join(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let target = call.target?;
    let count = coster.library_size(target);
    let mut size = SizeEstimate::fixed(0);
    if let Some(element) = coster.element(target) {
        size = count.times(coster.library_size(&element));
    }
    if let Some(separator) = call.args.first() {
        let between = SizeEstimate {
            min: count.min.saturating_sub(1),
            max: count.max.saturating_sub(1),
        };
        size = size.plus(coster.library_size(separator).times(between));
    }
    Some(call.gives(size.times_factor(STRING), size))
}
