//! Strings and patterns (`cel-go` `common/types/string.go`, `ext/strings.go`; `k8s.io/apiserver/pkg/cel/library/regex.go`).

use crd_analyzer_goregexp::GoRegex;

use super::{Binding, elements, int, overloaded, singleton, strings_format, text, trait_missing};
use crate::KubernetesVersion;
use crate::value::{EvalError, List, Result, Value, equal};

pub(super) fn binding(function: &str) -> Option<Binding> {
    Some(match function {
        "contains" => singleton(|_, args| Ok(Value::Bool(text(&args[0])?.contains(text(&args[1])?)))),
        "endsWith" => singleton(|_, args| Ok(Value::Bool(text(&args[0])?.ends_with(text(&args[1])?)))),
        "startsWith" => singleton(|_, args| Ok(Value::Bool(text(&args[0])?.starts_with(text(&args[1])?)))),
        "matches" => singleton(|_, args| match (&args[0], &args[1]) {
            (Value::String(text), Value::String(pattern)) => {
                let pattern = GoRegex::new(pattern).map_err(|e| EvalError::new(e.to_string()))?;
                Ok(Value::Bool(pattern.is_match(text)))
            }
            (Value::String(_), _) => Err(EvalError::no_such_overload()),
            (other, _) => Err(trait_missing("matches", other)),
        }),
        "find" => overloaded(|_, args| Ok(find(&pattern(&args[1])?, text(&args[0])?))),
        "findAll" => overloaded(|_, args| {
            Ok(find_all(
                &pattern(&args[1])?,
                text(&args[0])?,
                args.get(2).map_or(Ok(-1), int)?,
            ))
        }),
        "charAt" => overloaded(|_, args| char_at(text(&args[0])?, int(&args[1])?)),
        "indexOf" => overloaded(|called, args| match &args[0] {
            Value::List(list) => Ok(index_of(list, &args[1], false)),
            _ => index_in_text(
                called.version,
                text(&args[0])?,
                text(&args[1])?,
                args.get(2).map_or(Ok(0), int)?,
            ),
        }),
        "lastIndexOf" => overloaded(|called, args| match &args[0] {
            Value::List(list) => Ok(index_of(list, &args[1], true)),
            _ => last_index_in_text(
                called.version,
                text(&args[0])?,
                text(&args[1])?,
                args.get(2).map(int).transpose()?,
            ),
        }),
        "lowerAscii" => overloaded(|_, args| Ok(text(&args[0])?.to_ascii_lowercase().into())),
        "upperAscii" => overloaded(|_, args| Ok(text(&args[0])?.to_ascii_uppercase().into())),
        "replace" => overloaded(|_, args| {
            let (from, to) = (text(&args[1])?, text(&args[2])?);
            let count = args.get(3).map_or(Ok(-1), int)?;
            Ok(match usize::try_from(count) {
                Ok(count) => text(&args[0])?.replacen(from, to, count).into(),
                Err(_) => text(&args[0])?.replace(from, to).into(),
            })
        }),
        "split" => overloaded(|_, args| {
            Ok(split(
                text(&args[0])?,
                text(&args[1])?,
                args.get(2).map_or(Ok(-1), int)?,
            ))
        }),
        "substring" => {
            overloaded(|_, args| substring(text(&args[0])?, int(&args[1])?, args.get(2).map(int).transpose()?))
        }
        // What Go's unicode.IsSpace holds for white space.
        "trim" => overloaded(|_, args| Ok(text(&args[0])?.trim().into())),
        "format" => {
            overloaded(|called, args| strings_format::format(called.version, text(&args[0])?, elements(&args[1])?))
        }
        "join" => overloaded(|_, args| join(elements(&args[0])?, args.get(1).map_or(Ok(""), text)?)),
        "strings.quote" => overloaded(|_, args| Ok(quote(text(&args[0])?).into())),
        _ => return None,
    })
}

fn pattern(value: &Value) -> Result<GoRegex> {
    GoRegex::new(text(value)?).map_err(|e| EvalError::new(format!("Illegal regex: {e}")))
}

pub(super) fn find(pattern: &GoRegex, text: &str) -> Value {
    pattern.find(text).map_or("", |found| &text[found]).into()
}

pub(super) fn find_all(pattern: &GoRegex, text: &str, limit: i64) -> Value {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Value::list(
        pattern
            .find_all(text)
            .take(limit)
            .map(|found| text[found].into())
            .collect(),
    )
}

fn out_of_range(index: i64) -> EvalError {
    EvalError::new(format!("index out of range: {index}"))
}

/// The byte at which a character begins; the end of the text for the one past the last.
fn byte_of(text: &str, index: usize) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(index)
}

fn char_at(text: &str, index: i64) -> Result {
    let at = usize::try_from(index)
        .ok()
        .and_then(|i| byte_of(text, i))
        .ok_or_else(|| out_of_range(index))?;
    Ok(text[at..].chars().next().map_or_else(String::new, String::from).into())
}

/// Where a search from a character begins, or what it finds whatever is there. The answers at the edges changed.
fn search_start(
    version: KubernetesVersion,
    text: &str,
    part: &str,
    from: i64,
) -> Result<std::result::Result<usize, i64>> {
    let length = text.chars().count() as i64;
    if part.is_empty() && version.number() < 37 {
        return Ok(Err(from));
    }
    if from < 0 || (from >= length && version.number() < 32) {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(Err(from.min(length)));
    }
    Ok(if from >= length { Err(-1) } else { Ok(from as usize) })
}

fn index_in_text(version: KubernetesVersion, text: &str, part: &str, from: i64) -> Result {
    if from == 0 && part.is_empty() {
        return Ok(Value::Int(0));
    }
    let found = match search_start(version, text, part, from)? {
        Err(known) => known,
        Ok(start) => byte_of(text, start)
            .and_then(|at| Some(at + text[at..].find(part)?))
            .map_or(-1, |at| text[..at].chars().count() as i64),
    };
    Ok(Value::Int(found))
}

fn last_index_in_text(version: KubernetesVersion, text: &str, part: &str, from: Option<i64>) -> Result {
    let length = text.chars().count() as i64;
    if from.is_none() && part.is_empty() {
        return Ok(Value::Int(length));
    }
    if from.is_none() && text.len() < part.len() && version.number() >= 34 {
        return Ok(Value::Int(-1));
    }
    let from = match search_start(version, text, part, from.unwrap_or(length - 1))? {
        Err(known) => return Ok(Value::Int(known)),
        Ok(start) => start,
    };
    // The part may begin at that character at the latest.
    let at = byte_of(text, from).unwrap_or(text.len());
    let mut end = (at + part.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Ok(Value::Int(
        text[..end]
            .rfind(part)
            .map_or(-1, |at| text[..at].chars().count() as i64),
    ))
}

fn index_of(list: &List, value: &Value, last: bool) -> Value {
    let is_it = |index: &usize| {
        let element = list.get(*index);
        matches!(element.map(|e| e.and_then(|e| equal(&e, value))), Some(Ok(true)))
    };
    let found = if last {
        (0..list.len()).rev().find(is_it)
    } else {
        (0..list.len()).find(is_it)
    };
    Value::Int(found.map_or(-1, |index| index as i64))
}

fn split(text: &str, by: &str, limit: i64) -> Value {
    let limit = match usize::try_from(limit) {
        Ok(0) => return Value::list(Vec::new()),
        Ok(limit) => limit,
        Err(_) => usize::MAX,
    };
    if by.is_empty() {
        let mut parts: Vec<Value> = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if parts.len() + 1 == limit {
                parts.push(rest.into());
                break;
            }
            let (first, after) = rest.split_at(c.len_utf8());
            parts.push(first.into());
            rest = after;
        }
        return Value::list(parts);
    }
    Value::list(text.splitn(limit, by).map(Value::from).collect())
}

fn substring(text: &str, start: i64, end: Option<i64>) -> Result {
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(EvalError::new(format!(
            "invalid substring range. start: {start}, end: {end}"
        )));
    }
    let byte = |index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|i| byte_of(text, i))
            .ok_or_else(|| out_of_range(index))
    };
    let first = byte(start)?;
    let last = end.map_or(Ok(text.len()), byte)?;
    Ok(text[first..last].into())
}

fn join(list: &List, separator: &str) -> Result {
    let mut joined = String::new();
    for (at, element) in list.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        match element {
            Ok(Value::String(text)) => joined.push_str(&text),
            Ok(other) => return Err(EvalError::new(format!("join: invalid input: {other}"))),
            Err(error) => return Err(EvalError::new(format!("join: invalid input: {error}"))),
        }
    }
    Ok(joined.into())
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
