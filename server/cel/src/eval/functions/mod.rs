//! What the functions do, by their names.
//!
//! A function that several libraries have (`find`, `indexOf`, `string`) has one binding for all: the values, or the overload that the
//! checker decided on, tell which is meant.

mod arithmetic;
mod conversion;
mod kubernetes;
mod lists;
mod strings;
mod strings_format;
mod time;

use crd_analyzer_goregexp::GoRegex;

use crate::KubernetesVersion;
use crate::value::{EvalError, List, Map, Result, Value};

/// What runs a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    /// What it does with the values.
    pub(super) call: fn(Called<'_>, &[Value]) -> Result,
    /// Whether there is one implementation for all overloads, which sees to the types itself.
    pub(super) singleton: bool,
}

/// Which function is run, and on which server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called<'a> {
    /// The overload; empty if there is one implementation for all.
    pub(super) overload: &'a str,
    pub(super) version: KubernetesVersion,
}

const fn singleton(call: fn(Called<'_>, &[Value]) -> Result) -> Binding {
    Binding { call, singleton: true }
}

const fn overloaded(call: fn(Called<'_>, &[Value]) -> Result) -> Binding {
    Binding { call, singleton: false }
}

/// A function whose operands are of types that have no values here, so that nothing ever is one of its overloads: the authorizer's.
pub(super) const NEVER_CALLED: Binding = overloaded(|_, _| Err(EvalError::no_such_overload()));

/// What runs the function of a name.
pub(super) fn binding(function: &str) -> Option<Binding> {
    arithmetic::binding(function)
        .or_else(|| conversion::binding(function))
        .or_else(|| strings::binding(function))
        .or_else(|| lists::binding(function))
        .or_else(|| time::binding(function))
        .or_else(|| kubernetes::binding(function))
        .or_else(|| own(function))
}

/// Values of any type: containment, sizes, optionals, maps.
fn own(function: &str) -> Option<Binding> {
    Some(match function {
        "@in" | "in" | "_in_" => singleton(|_, args| match args {
            [value, Value::List(list)] => list.contains(value).map(Value::Bool),
            [value, Value::Map(map)] => map.find(value).map(|found| Value::Bool(found.is_some())),
            _ => Err(EvalError::no_such_overload()),
        }),
        "size" => singleton(|_, args| match args {
            [value] => match value.size() {
                Some(size) => Ok(Value::Int(size as i64)),
                None => Err(trait_missing("size", value)),
            },
            _ => Err(EvalError::no_such_overload()),
        }),
        // Decided where it is called.
        "@not_strictly_false" | "__not_strictly_false__" => singleton(|_, args| Ok(args[0].clone())),
        "optional.of" => overloaded(|_, args| Ok(Value::some(args[0].clone()))),
        "optional.ofNonZeroValue" => overloaded(|_, args| {
            Ok(if args[0].is_zero() {
                Value::NONE
            } else {
                Value::some(args[0].clone())
            })
        }),
        "optional.none" => overloaded(|_, _| Ok(Value::NONE)),
        "value" => overloaded(|_, args| match &args[0] {
            Value::Optional(Some(value)) => (**value).clone().or_failure(),
            Value::Optional(None) => Err(EvalError::new("optional.none() dereference")),
            _ => Err(EvalError::no_such_overload()),
        }),
        "hasValue" => overloaded(|_, args| match &args[0] {
            Value::Optional(value) => Ok(Value::Bool(value.is_some())),
            _ => Err(EvalError::no_such_overload()),
        }),
        "optional.unwrap" | "unwrapOpt" => overloaded(|_, args| {
            let mut values = Vec::new();
            for value in elements(&args[0])?.iter() {
                match value? {
                    Value::Optional(Some(value)) => values.push((*value).clone()),
                    Value::Optional(None) => {}
                    value => return Err(EvalError::new(format!("value {value} is not optional"))),
                }
            }
            Ok(Value::list(values))
        }),
        "cel.@mapInsert" => overloaded(|_, args| match args {
            [Value::Map(map), key, value] => map.insert(key, value),
            [Value::Map(map), Value::Map(more)] => {
                let mut result: Map = map.clone();
                for key in more.keys() {
                    if let Value::Map(inserted) = result.insert(&key, &more.at(&key)?)? {
                        result = inserted;
                    }
                }
                Ok(Value::Map(result))
            }
            _ => Err(EvalError::no_such_overload()),
        }),
        _ => return None,
    })
}

/// The error of an operator or method whose first operand cannot do what it asks for.
fn trait_missing(function: &str, first: &Value) -> EvalError {
    match first {
        // These have a say in what can be called on them, and say less.
        Value::String(_) | Value::Duration(_) | Value::Timestamp(_) => EvalError::no_such_overload(),
        _ => EvalError::new(format!("no such overload: {function}")),
    }
}

fn elements(value: &Value) -> Result<&List> {
    match value {
        Value::List(list) => Ok(list),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn int(value: &Value) -> Result<i64> {
    match value {
        Value::Int(int) => Ok(*int),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// A call with a pattern that was compiled beforehand.
pub(super) fn with_pattern(function: &str, pattern: &GoRegex, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    match function {
        "matches" => Ok(Value::Bool(pattern.is_match(text))),
        "find" => Ok(strings::find(pattern, text)),
        _ => Ok(strings::find_all(pattern, text, args.get(2).map_or(Ok(-1), int)?)),
    }
}
