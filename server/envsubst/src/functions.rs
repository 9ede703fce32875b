//! What operators make of a value (`envsubst/funcs.go`).

use crd_analyzer_budget as budget;

use crate::pattern::matches;

/// The longest value, in bytes, that operators with patterns are computed for. Their work grows with the square of it.
const LONGEST: usize = 1 << 10;

/// Applies an operator to a value. `None` if the result is unknown: Flux cuts or changes characters outside of ASCII bytewise, and ends where a part
/// has a negative length.
pub(crate) fn apply(operator: &str, value: &str, arguments: &[String]) -> Option<String> {
    let first = arguments.first().map(String::as_str);
    let second = arguments.get(1).map(String::as_str);
    match operator {
        "" => return Some(or_default(value, arguments)),
        "," | ",," | "^" | "^^" if !value.is_ascii() => return None,
        "#" if first.is_none() => return Some(value.len().to_string()),
        ":" | "#" | "##" | "%" | "%%" if !(value.is_ascii() && first?.is_ascii()) => return None,
        _ => {}
    }
    Some(match operator {
        "," => first_changed(value, u8::to_ascii_lowercase),
        ",," => value.to_ascii_lowercase(),
        "^" => first_changed(value, u8::to_ascii_uppercase),
        "^^" => value.to_ascii_uppercase(),
        ":" => part(value, first?, second)?,
        "#" => value[removed(value, first?, false)?..].to_owned(),
        "##" => value[removed(value, first?, true)?..].to_owned(),
        "%" | "%%" => {
            let end = removed(&reversed(value), &reversed(first?), operator == "%%")?;
            value[..value.len() - end].to_owned()
        }
        "/" => replaced(value, first?, (second.unwrap_or_default(), 1))?,
        "//" => replaced(value, first?, (second.unwrap_or_default(), usize::MAX))?,
        "/#" => match second {
            Some(new) if value.starts_with(first?) => replaced(value, first?, (new, 1))?,
            _ => value.to_owned(),
        },
        "/%" => match (value.strip_suffix(first?), second) {
            (Some(start), Some(new)) => format!("{start}{new}"),
            _ => value.to_owned(),
        },
        _ => or_default(value, arguments),
    })
}

fn or_default(value: &str, arguments: &[String]) -> String {
    if value.is_empty() {
        arguments.concat()
    } else {
        value.to_owned()
    }
}

fn first_changed(value: &str, change: fn(&u8) -> u8) -> String {
    let Some(first) = value.bytes().next() else {
        return String::new();
    };
    format!("{}{}", char::from(change(&first)), &value[1..])
}

/// The part of a value from an offset. A negative offset counts from the end. If an argument is not a number, the value stays as it is.
fn part(value: &str, offset: &str, length: Option<&str>) -> Option<String> {
    let all = i64::try_from(value.len()).ok()?;
    let Ok(mut start) = offset.parse::<i64>() else {
        return Some(value.to_owned());
    };
    if start < 0 {
        start = (all + start).max(0);
    }
    let end = match length.map(str::parse::<i64>) {
        None => all,
        Some(Err(_)) => return Some(value.to_owned()),
        Some(Ok(length)) => start.checked_add(length)?,
    };
    if end >= all {
        let start = usize::try_from(start.min(all)).ok()?;
        return Some(value[start..].to_owned());
    }
    let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    value.get(range).map(str::to_owned)
}

fn replaced(value: &str, old: &str, (new, times): (&str, usize)) -> Option<String> {
    let found = value.matches(old).take(times).count();
    let bytes = value.len() + found * new.len();
    budget::work(value.len() as u64).ok()?;
    budget::bytes(bytes as u64).ok()?;
    Some(value.replacen(old, new, times))
}

/// The length of the start of a value that a pattern matches: the longest such start, or the shortest.
fn removed(value: &str, pattern: &str, is_longest: bool) -> Option<usize> {
    if value.len() > LONGEST || pattern.len() > LONGEST {
        return None;
    }
    let mut shortest = 0;
    for end in (1..=value.len()).rev() {
        budget::work((end * pattern.len()) as u64).ok()?;
        match matches(pattern.as_bytes(), &value.as_bytes()[..end]) {
            Err(_) => return Some(0),
            Ok(true) if is_longest => return Some(end),
            Ok(true) => shortest = end,
            Ok(false) => {}
        }
    }
    Some(shortest)
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}
