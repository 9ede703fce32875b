//! Estimates the resources of a call before it is evaluated: the bytes of its result, and work that the API server's cost does not include.
//!
//! The API server computes the cost of a call after the call, mostly from the sizes of the operands. So an expression within all cost limits
//! can create values of any size (`replace`, `join`), and the API server allocates the memory. This crate skips such calls.

use crd_analyzer_budget::{self as budget, BYTES_PER_WORK, Unfinished};

use crate::value::{List, Value};

/// The size of an element in a list of strings, in bytes, without its characters.
const TEXT_BYTES: u64 = 56;
/// Up to this many bytes, an upper bound is used instead of the exact number.
const SMALL: u64 = 1 << 16;

/// The resources that a call may need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Need {
    /// Bytes of the result.
    pub(super) bytes: u64,
    /// Units of work.
    pub(super) work: u64,
}

impl Need {
    /// The resources that a call of a function with these operands may need.
    pub(super) fn of(function: &str, args: &[Value]) -> Self {
        let texts: u64 = args.iter().map(Value::text_bytes).sum();
        let elements: u64 = args.iter().map(|it| list(it).map_or(0, |it| it.len() as u64)).sum();
        let lists: u64 = args.iter().map(|it| list(it).map_or(0, List::bytes)).sum();
        let (bytes, more_work) = match function {
            "replace" => (replaced(args), 0),
            "split" => (split(args), 0),
            "join" => (joined(args), elements),
            // Lists are accounted for where they are created.
            "_+_" => (texts, 0),
            "strings.quote" | "jsonpatch.escapeKey" | "url" => (4 * texts, 0),
            "lowerAscii" | "upperAscii" | "substring" | "trim" | "charAt" | "string" | "bytes" | "getQuery"
            | "getEscapedPath" | "quantity" | "semver" => (texts, 0),
            "slice"
            | "flatten"
            | "reverse"
            | "distinct"
            | "sort"
            | "@sortByAssociatedKeys"
            | "optional.unwrap"
            | "unwrapOpt" => (lists, elements),
            "lists.range" => {
                let count = if let [Value::Int(count)] = args { *count } else { 0 };
                ((count.max(0) as u64).saturating_mul(size_of::<Value>() as u64), 0)
            }
            "isSorted" | "sum" | "min" | "max" | "includes" | "indexOf" | "lastIndexOf" => (0, elements),
            _ => (0, 0),
        };
        Self {
            bytes,
            work: texts / BYTES_PER_WORK + more_work,
        }
    }

    /// Whether the budget allows the call.
    pub(super) fn fits(self) -> bool {
        let left = budget::left();
        self.bytes <= left.bytes && self.work <= left.work
    }

    /// Spends the resources from the budget.
    pub(super) fn spend(self) -> Result<(), Unfinished> {
        budget::work(self.work)?;
        // Most calls create no values, or only small ones.
        if self.bytes > 0 {
            budget::bytes(self.bytes)
        } else {
            Ok(())
        }
    }
}

fn list(value: &Value) -> Option<&List> {
    match value {
        Value::List(list) => Some(list),
        _ => None,
    }
}

/// The size of a string after a replacement, in bytes.
fn replaced(args: &[Value]) -> u64 {
    let [Value::String(text), Value::String(from), Value::String(to), ..] = args else {
        return 0;
    };
    let (length, to) = (text.len() as u64, to.len() as u64);
    let mut most = length / (from.len() as u64).max(1) + 1;
    if let Some(Value::Int(limit)) = args.get(3)
        && let Ok(limit) = u64::try_from(*limit)
    {
        most = most.min(limit);
    }
    let bound = length.saturating_add(most.saturating_mul(to));
    if bound <= SMALL {
        return bound;
    }
    let count = (text.matches(&**from).count() as u64).min(most);
    length.saturating_add(count.saturating_mul(to))
}

/// The size of the parts of a split string, in bytes.
fn split(args: &[Value]) -> u64 {
    let [Value::String(text), Value::String(by), ..] = args else {
        return 0;
    };
    let length = text.len() as u64;
    let bound = length + (length / (by.len() as u64).max(1) + 1) * TEXT_BYTES;
    if bound <= SMALL {
        return bound;
    }
    length + (text.matches(&**by).count() as u64 + 1) * TEXT_BYTES
}

/// The size of a joined list of strings, in bytes.
fn joined(args: &[Value]) -> u64 {
    let [Value::List(list), rest @ ..] = args else {
        return 0;
    };
    let separator = rest.first().map_or(0, Value::text_bytes);
    let texts = list.iter().map(|it| it.as_ref().map_or(0, Value::text_bytes));
    texts.fold(0, |sum, text| sum.saturating_add(text).saturating_add(separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(function: &str, args: &[Value], bytes: u64) {
        assert_eq!(Need::of(function, args).bytes, bytes, "{function}");
    }

    #[test]
    fn what_calls_take_is_known_before() {
        let long = Value::from("ab".repeat(50_000));
        let replacement = Value::from("x".repeat(1_000));
        let args = [long.clone(), "a".into(), replacement.clone()];
        check("replace", &args, 100_000 + 50_000 * 1_000);
        check("replace", &[&args[..], &[2.into()]].concat(), 100_000 + 2 * 1_000);
        check(
            "replace",
            &[long.clone(), "".into(), replacement],
            100_000 + 100_001 * 1_000,
        );
        check("split", &[long.clone(), "".into()], 100_000 + 100_002 * TEXT_BYTES);
        check("split", &[long.clone(), "b".into()], 100_000 + 50_001 * TEXT_BYTES);
        let list = Value::list(vec![long.clone(); 10]);
        check("join", &[list, ", ".into()], 1_000_020);
        check("_+_", &[long.clone(), long], 200_000);
        check(
            "lists.range",
            &[1_000_000.into()],
            1_000_000 * size_of::<Value>() as u64,
        );
        check("lists.range", &[(-1).into()], 0);
    }
}
