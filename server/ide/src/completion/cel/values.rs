//! Completion of values in a comparison with a field: the values of the field's `enum`.

use crd_analyzer_cel::parser::{TokenClass, WrittenToken};
use crd_analyzer_schema::JsonSchemaProps;

use super::{
    super::{Item, ItemKind, escape_snippet},
    context::receiver_start,
    quoting::Quoting,
    scopes::{Local, Scoped},
};

/// The values of an `enum`, quoted, if the cursor follows a comparison with a field that has one.
pub(super) fn compared(
    scoped: &Scoped<'_, '_>,
    text: &str,
    tokens: &[WrittenToken],
    locals: &[Local],
    quoting: &Quoting<'_, '_>,
) -> Vec<Item> {
    let quote = quoting.inner_quote();
    let values = enumeration(scoped, text, tokens, locals);
    values
        .into_iter()
        .map(|value| {
            let written = literal(&value, quote);
            let mut item = Item::new(written.as_str(), ItemKind::EnumMember);
            item.snippet = None;
            item.text = written;
            item
        })
        .collect()
}

/// The values of an `enum`, if the cursor is in an unfinished string that is compared with a field.
pub(super) fn in_text(
    scoped: &Scoped<'_, '_>,
    text: &str,
    tokens: &[WrittenToken],
    locals: &[Local],
    quote: char,
) -> Vec<Item> {
    let values = enumeration(scoped, text, tokens, locals);
    let file = &scoped.context.place.tree.text()[scoped.context.place.offset as usize..];
    let is_closed = file.lines().next().is_some_and(|it| it.contains(quote));
    values
        .into_iter()
        .map(|value| {
            let mut item = Item::new(value.as_str(), ItemKind::EnumMember);
            let mut written = escaped(&value, quote);
            if !is_closed {
                written.push(quote);
            }
            item.text = written;
            item
        })
        .collect()
}

fn literal(value: &str, quote: char) -> String {
    format!("{quote}{}{quote}", escaped(value, quote))
}

fn escaped(value: &str, quote: char) -> String {
    let mut escaped = String::new();
    for char in value.chars() {
        if char == quote || char == '\\' {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// The `enum` values of the field on the left of the comparison.
fn enumeration(scoped: &Scoped<'_, '_>, text: &str, tokens: &[WrittenToken], locals: &[Local]) -> Vec<String> {
    let Some(operator) = operator(text, tokens) else {
        return Vec::new();
    };
    let Some(first) = receiver_start(text, tokens, operator) else {
        return Vec::new();
    };
    let operand = text[tokens[first].start as usize..tokens[operator].start as usize].trim_end();
    let schema = scoped.schema_of(operand, locals);
    schema.map(strings).unwrap_or_default()
}

fn strings(schema: &JsonSchemaProps) -> Vec<String> {
    let of = |it: &JsonSchemaProps| {
        it.r#enum
            .iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let mut found = of(schema);
    for clause in schema.all_of.iter().chain(&schema.any_of).chain(&schema.one_of) {
        found.extend(of(clause));
    }
    found.retain(|it| escape_snippet(it).len() < 200);
    found
}

/// The comparison operator before the value at the cursor, as in `a ==` or `a in ['x',`.
fn operator(text: &str, tokens: &[WrittenToken]) -> Option<usize> {
    let last = tokens.len().checked_sub(1)?;
    if matches!(tokens[last].text(text), "==" | "!=") {
        return Some(last);
    }
    // Go back over the elements of a list.
    let mut at = last;
    loop {
        match (tokens[at].class, tokens[at].text(text)) {
            (TokenClass::String | TokenClass::Comma, _) => at = at.checked_sub(1)?,
            (TokenClass::Open, "[") => break,
            _ => return None,
        }
    }
    let before = at.checked_sub(1)?;
    (tokens[before].class == TokenClass::In).then_some(before)
}
