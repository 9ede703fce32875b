//! Lists and sets (`cel-go` `ext/{lists,sets}.go`, `k8s.io/apiserver/pkg/cel/library/lists.go`).

use std::cmp::Ordering;

use super::{Binding, arithmetic, elements, int, overloaded, singleton, trait_missing};
use crate::KubernetesVersion;
use crate::value::{Duration, EvalError, List, Result, Value, compare, equal, equal_to};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "isSorted" => overloaded(|_, args| is_sorted(elements(&args[0])?)),
        "sum" => overloaded(|called, args| sum(called.overload, elements(&args[0])?)),
        "min" => overloaded(|_, args| extreme(elements(&args[0])?, "min", Ordering::Greater)),
        "max" => overloaded(|_, args| extreme(elements(&args[0])?, "max", Ordering::Less)),
        "includes" => overloaded(|_, args| {
            Ok(Value::Bool(match &args[0] {
                Value::List(list) => list.iter().flatten().any(|e| matches!(equal(&e, &args[1]), Ok(true))),
                value => matches!(equal(value, &args[1]), Ok(true)),
            }))
        }),
        "sets.contains" => {
            overloaded(|_, args| contains_all(elements(&args[0])?, elements(&args[1])?).map(Value::Bool))
        }
        "sets.equivalent" => overloaded(|_, args| {
            let (a, b) = (elements(&args[0])?, elements(&args[1])?);
            Ok(Value::Bool(contains_all(a, b)? && contains_all(b, a)?))
        }),
        "sets.intersects" => overloaded(|_, args| {
            let (a, b) = (elements(&args[0])?, elements(&args[1])?);
            let any = a
                .iter()
                .flatten()
                .any(|element| matches!(b.contains(&element), Ok(true)));
            Ok(Value::Bool(any))
        }),
        "slice" => overloaded(|_, args| slice(elements(&args[0])?, int(&args[1])?, int(&args[2])?)),
        "flatten" => singleton(|called, args| {
            let Value::List(list) = &args[0] else {
                let depth = args
                    .get(1)
                    .map(|it| it.printed_type(called.version))
                    .unwrap_or_default();
                let of = args[0].printed_type(called.version);
                return Err(EvalError::new(format!("no such overload: {of}.flatten({depth})")));
            };
            let depth = args.get(1).map_or(Ok(1), int)?;
            if depth < 0 {
                return Err(EvalError::new("level must be non-negative"));
            }
            let mut flat = Vec::new();
            flatten(list, depth, &mut flat);
            List::of_results(flat).map(Value::List)
        }),
        "sort" => singleton(|_, args| match &args[0] {
            Value::List(list) => sort(list, list),
            other => Err(trait_missing("sort", other)),
        }),
        "@sortByAssociatedKeys" => singleton(|_, args| match &args[0] {
            Value::List(list) => sort(list, elements(&args[1])?),
            other => Err(trait_missing("@sortByAssociatedKeys", other)),
        }),
        "lists.range" => overloaded(|called, args| range(int(&args[0])?, called.version)),
        "reverse" => overloaded(|_, args| {
            let all: Vec<Result> = elements(&args[0])?.iter().collect();
            List::of_results(all.into_iter().rev()).map(Value::List)
        }),
        "distinct" => overloaded(|_, args| {
            let list = elements(&args[0])?;
            if list.is_empty() {
                return Ok(args[0].clone());
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
        }),
        "first" => overloaded(|_, args| end(elements(&args[0])?, 0)),
        "last" => overloaded(|_, args| {
            let list = elements(&args[0])?;
            end(list, list.len().saturating_sub(1))
        }),
        _ => return None,
    })
}

fn end(list: &List, index: usize) -> Result {
    list.get(index).map_or(Ok(Value::NONE), |value| match value {
        Err(error) if error.is_fatal() => Err(error),
        value => Ok(Value::some(value.unwrap_or_else(Value::failure))),
    })
}

/// An element that can be less or greater than others of its type.
fn comparable(element: Result) -> Result {
    match element? {
        Value::Null
        | Value::List(_)
        | Value::Map(_)
        | Value::Optional(_)
        | Value::Type(_)
        | Value::Opaque(_)
        | Value::Raw(_) => Err(EvalError::no_such_overload()),
        element => Ok(element),
    }
}

fn is_sorted(list: &List) -> Result {
    let mut previous: Option<Value> = None;
    for element in list.iter() {
        let element = comparable(element)?;
        if let Some(previous) = &previous
            && matches!(compare(previous, &element), Ok(Ordering::Greater))
        {
            return Ok(Value::Bool(false));
        }
        previous = Some(element);
    }
    Ok(Value::Bool(true))
}

fn sum(overload: &str, list: &List) -> Result {
    let zero = match overload {
        "list_uint_sum_uint" => Value::Uint(0),
        "list_double_sum_double" => Value::Double(0.0),
        "list_duration_sum_duration" => Value::Duration(Duration(0)),
        _ => Value::Int(0),
    };
    list.iter()
        .try_fold(zero, |sum, element| arithmetic::add(&sum, &element?))
}

fn extreme(list: &List, name: &str, replace: Ordering) -> Result {
    let mut result: Option<Value> = None;
    for element in list.iter() {
        let element = comparable(element)?;
        let replaces = result
            .as_ref()
            .is_none_or(|best| matches!(compare(best, &element), Ok(order) if order == replace));
        if replaces {
            result = Some(element);
        }
    }
    result.ok_or_else(|| EvalError::new(format!("{name} called on empty list")))
}

fn contains_all(list: &List, part: &List) -> Result<bool> {
    for element in part.iter() {
        // An error is in no list, but lists from outside ask first what it is.
        if !list.contains(&element.unwrap_or_else(Value::failure))? {
            return Ok(false);
        }
    }
    Ok(true)
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

fn flatten(list: &List, depth: i64, flat: &mut Vec<Result>) {
    for element in list.iter() {
        match element {
            Ok(Value::List(inner)) if depth > 0 => flatten(&inner, depth - 1, flat),
            other => flat.push(other),
        }
    }
}

/// The largest list that is made of a number. The cost limit ends an evaluation only after it is made.
const MAX_RANGE: i64 = 10_000_000;
/// The same of the servers that say so.
const LARGEST_ALLOWED: i64 = 1_000_000;
/// Since this minor, a range is checked for its size.
const RANGES_ARE_CHECKED_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

fn range(count: i64, version: KubernetesVersion) -> Result {
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
    if count > MAX_RANGE {
        return Err(EvalError::fatal("operation cancelled: actual cost limit exceeded"));
    }
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
        Ok(
            Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
        ) => keys[0].as_ref().map(Value::type_name).unwrap_or_default(),
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
