//! Lists and sets (`cel-go` `ext/{lists,sets}.go`, `k8s.io/apiserver/pkg/cel/library/lists.go`).

use std::cmp::Ordering;

use super::{Binding, arithmetic, elements, int, overloaded, singleton, trait_missing};
use crate::KubernetesVersion;
use crate::value::{Duration, EvalError, List, Result, Value, compare, equal};

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
        "flatten" => singleton(|_, args| {
            let Value::List(list) = &args[0] else {
                let depth = args.get(1).map(Value::type_name).unwrap_or_default();
                let of = args[0].type_name();
                return Err(EvalError::new(format!("no such overload: {of}.flatten({depth})")));
            };
            let depth = args.get(1).map_or(Ok(1), int)?;
            if depth < 0 {
                return Err(EvalError::new("level must be non-negative"));
            }
            let mut flat = Vec::new();
            flatten(list, depth, &mut flat)?;
            Ok(Value::list(flat))
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
            let mut all = elements(&args[0])?.iter().collect::<Result<Vec<_>>>()?;
            all.reverse();
            Ok(Value::list(all))
        }),
        "distinct" => overloaded(|_, args| {
            let mut distinct: Vec<Value> = Vec::new();
            for element in elements(&args[0])?.iter() {
                let element = element?;
                if !distinct.iter().any(|other| matches!(equal(&element, other), Ok(true))) {
                    distinct.push(element);
                }
            }
            Ok(Value::list(distinct))
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
    list.get(index).map_or(Ok(Value::NONE), |value| value.map(Value::some))
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
    list.iter().try_fold(zero, |sum, element| {
        // The server loses what was wrong.
        arithmetic::add(&sum, &element?)
    })
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
        if !list.contains(&element?)? {
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
    list.iter()
        .skip(start as usize)
        .take((end - start) as usize)
        .collect::<Result<Vec<_>>>()
        .map(Value::list)
}

fn flatten(list: &List, depth: i64, flat: &mut Vec<Value>) -> Result<()> {
    for element in list.iter() {
        match element? {
            Value::List(inner) if depth > 0 => flatten(&inner, depth - 1, flat)?,
            other => flat.push(other),
        }
    }
    Ok(())
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
    let mut pairs = Vec::with_capacity(list.len());
    for (key, value) in keys.iter().zip(list.iter()) {
        pairs.push((key?, value?));
    }
    let Some((first, _)) = pairs.first() else {
        return Ok(Value::List(list.clone()));
    };
    let kind = first.type_name();
    let comparable = matches!(&*kind, "bool" | "int" | "uint" | "double" | "string" | "bytes")
        || matches!(first, Value::Duration(_) | Value::Timestamp(_));
    if !comparable {
        return Err(EvalError::new("list elements must be comparable"));
    }
    if pairs.iter().any(|(key, _)| key.type_name() != kind) {
        return Err(EvalError::new("list elements must have the same type"));
    }
    pairs.sort_by(|(a, _), (b, _)| compare(a, b).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, value)| value).collect()))
}
