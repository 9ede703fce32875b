//! Quick fixes for arguments that controller-gen rejects.

use crd_analyzer_gosource::check::{
    Finding,
    arguments::{Problem, escape},
    catalog::Type,
    parts::{Part, Parts},
};
use crd_analyzer_workspace::words::meant::meant;

use super::{File, Repair, expression, put};

/// The repair of a problem. `meant` is the argument that was meant by a value without a name.
pub(super) fn repair(
    file: &File<'_>,
    finding: &Finding,
    parts: &Parts,
    (problem, meant): (&Problem, Option<&str>),
) -> Option<Repair> {
    let text = file.text;
    match problem {
        Problem::Bool => bool(text, finding),
        Problem::Integer | Problem::Number => number(text, finding, *problem == Problem::Integer),
        Problem::Unknown(name) => spelling(file, parts, name),
        Problem::Name => items(text, finding, parts).or_else(|| expression::unquoted(text, finding, parts)),
        Problem::Equals => Some(colon(finding, meant)),
        Problem::Unquoted(quoted) => whole_value(text, finding, parts, ("Put the value in quotes", quoted)),
        Problem::Pair(meant) => whole_value(text, finding, parts, ("Write = between the name and the value", meant)),
        Problem::InnerQuote => backquotes(text, finding, parts),
        Problem::Extra => comma(file, finding, parts),
        Problem::Comma => items_of_one(text, parts),
        Problem::Escape => backslashes(text, finding, parts),
        Problem::Missing(_)
        | Problem::Quote
        | Problem::Separator
        | Problem::Colon
        | Problem::Json
        | Problem::Another(_)
        | Problem::Several(_) => None,
    }
}

/// Writes a colon before the first argument, and its name if that is missing.
fn colon(finding: &Finding, meant: Option<&str>) -> Repair {
    let (title, written) = match meant {
        Some(name) => (format!("Write :{name}="), format!(":{name}=")),
        None => ("Write : before the first argument".to_owned(), ":".to_owned()),
    };
    Repair::certain(title, vec![put(finding.span.clone(), written)])
}

/// Replaces a value that ends too early.
fn whole_value(text: &str, finding: &Finding, parts: &Parts, (title, new): (&str, &str)) -> Option<Repair> {
    let all = &parts.arguments;
    let part = all.iter().rev().find(|it| it.span.start < finding.span.start)?;
    let value = part.value.clone()?;
    let written = &text[value.clone()];
    let start = value.end - written.trim_start().len();
    let span = start..start + written.trim().len();
    let is_one = !written.contains(';');
    is_one.then(|| Repair::certain(title, vec![put(span, new)]))
}

/// Whether something that looks like another argument follows a quote, as in `";message="`. Then the separator is wrong, and not the quote.
fn begins_argument(text: &str) -> bool {
    text.match_indices('"').any(|(at, _)| {
        let Some(next) = text[at + 1..].trim_start().strip_prefix([';', ',']) else {
            return false;
        };
        let next = next.trim_start();
        let rest = next.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        rest.len() < next.len() && rest.starts_with('=') && !rest.starts_with("==")
    })
}

/// Puts a string with quotes inside into backquotes.
fn backquotes(text: &str, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let all = &parts.arguments;
    let first = all.iter().rposition(|it| it.span.start < finding.span.start)?;
    let start = all[first].value.clone()?.start;
    // Quotes inside the string may enclose its commas, so its end is before the next argument that the marker has.
    let is_argument = |it: &Part| it.value.is_some() && it.name.is_some() && parts.argument(text, it).is_some();
    let next = all[first + 1..].iter().find(|it| is_argument(it));
    let last_end = all.last()?.span.end;
    let end = next.map_or(last_end, |it| it.span.start - 1);
    let written = text.get(start..end)?.trim();
    let inside = written.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains(['`', '\\']) || begins_argument(inside) {
        return None;
    }
    let start = end - text[start..end].trim_start().len();
    let (open, close) = (start..start + 1, start + written.len() - 1..start + written.len());
    let edits = vec![put(open, "`"), put(close, "`")];
    Some(Repair::certain("Put the string in backquotes", edits))
}

/// A value without its quotes.
fn bare(written: &str) -> &str {
    let inside = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote);
    inside('"')
        .or_else(|| inside('\''))
        .or_else(|| inside('`'))
        .unwrap_or(written)
}

fn bool(text: &str, finding: &Finding) -> Option<Repair> {
    let written = bare(text.get(finding.span.clone())?);
    let value = ["true", "false"]
        .into_iter()
        .find(|it| it.eq_ignore_ascii_case(written))?;
    Some(Repair::certain(
        format!("Write {value}"),
        vec![put(finding.span.clone(), value)],
    ))
}

/// Fixes a number in quotes, or an integer that is written with a fraction of zero.
fn number(text: &str, finding: &Finding, is_integer: bool) -> Option<Repair> {
    let written = bare(text.get(finding.span.clone())?);
    let is_plain = written
        .bytes()
        .all(|it| it.is_ascii_digit() || matches!(it, b'-' | b'.'));
    let whole = written.split_once('.').map_or(written, |(whole, fraction)| {
        if fraction.bytes().all(|it| it == b'0') {
            whole
        } else {
            written
        }
    });
    let value = if is_integer {
        whole.parse::<i64>().ok().map(|_| whole)
    } else {
        written.parse::<f64>().ok().map(|_| written)
    };
    let value = value.filter(|_| is_plain)?;
    Some(Repair::certain(
        format!("Write {value}"),
        vec![put(finding.span.clone(), value)],
    ))
}

/// Changes the name of an argument to a similar one.
fn spelling(file: &File<'_>, parts: &Parts, name: &str) -> Option<Repair> {
    let text = file.text;
    let of = |it: &Part| it.name.clone().filter(|it| &text[it.clone()] == name);
    let span = parts.arguments.iter().find_map(of)?;
    let free = parts.missing(text, file.markers.release);
    let near = meant(name, free.map(|it| it.name.as_str()))?;
    Some(Repair::certain(
        format!("Change {name} to {near}"),
        vec![put(span, near)],
    ))
}

/// Fixes a list whose items are separated by commas, and not by semicolons.
fn items(text: &str, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let all = &parts.arguments;
    let at = all
        .iter()
        .position(|it| it.span.end >= finding.span.start && it.value.is_none())?;
    let list = all[..at].iter().rev().find(|it| it.value.is_some())?;
    let is_list = matches!(parts.argument(text, list)?.r#type, Type::List(_));
    let first = all.iter().position(|it| it == list)? + 1;
    let items = all[first..].iter().take_while(|it| it.value.is_none());
    let is_list = is_list && !text[all[at].span.clone()].trim().is_empty();
    let edits: Vec<_> = items.map(|it| put(it.span.start - 1..it.span.start, ";")).collect();
    is_list.then(|| Repair::certain("Separate the items by semicolons", edits))
}

/// Like [`items`], for a marker whose only argument is a list.
fn items_of_one(text: &str, parts: &Parts) -> Option<Repair> {
    let [part] = parts.arguments.as_slice() else {
        return None;
    };
    let is_list = matches!(parts.argument(text, part)?.r#type, Type::List(_));
    let value = part.value.clone()?;
    let written = &text[value.clone()];
    let is_plain = !written.contains(['"', '`', '{', '}']);
    let is_items = part.name.is_none() && is_list && is_plain;
    is_items.then(|| {
        let commas = written.match_indices(',').map(|it| value.start + it.0);
        let edits = commas.map(|it| put(it..it + 1, ";")).collect();
        Repair::certain("Separate the items by semicolons", edits)
    })
}

/// Inserts a comma before an argument that follows a blank.
fn comma(file: &File<'_>, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let text = file.text;
    let rest = text.get(finding.span.start..)?;
    let name = rest.split('=').next()?;
    let before = text[..finding.span.start].trim_end().len();
    let is_argument = parts.missing(text, file.markers.release).any(|it| it.name == name);
    (is_argument && before < finding.span.start).then(|| {
        let edit = put(before..finding.span.start, ",");
        Repair::certain("Separate the arguments by a comma", vec![edit])
    })
}

/// Doubles the backslashes of a quoted regular expression, except those of Go escapes.
fn backslashes(text: &str, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let is_pattern = parts.definition?.name.ends_with(":Pattern");
    let [part] = parts.arguments.as_slice() else {
        return None;
    };
    let value = part
        .value
        .clone()
        .filter(|it| is_pattern && it.contains(&finding.span.start))?;
    let written = text[value.clone()].trim();
    let inside = written.strip_prefix('"')?.strip_suffix('"')?;
    let start = value.end - text[value.clone()].trim_start().len() + 1;
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(next) = inside[at..].find('\\') {
        let place = at + next;
        let rest = &inside[place + 1..];
        match rest.chars().next()? {
            // These escapes mean the same in Go and in a regular expression.
            '\\' | '"' => {}
            // This is also a Go escape, which the author may have meant.
            _ if escape(rest).is_some() => return None,
            _ => edits.push(put(start + place..start + place, "\\")),
        }
        at = place + 1 + rest.chars().next()?.len_utf8();
    }
    (!edits.is_empty()).then(|| Repair::certain("Write two backslashes", edits))
}
