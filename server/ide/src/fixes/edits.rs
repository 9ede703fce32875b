//! Edits of a text that keep its layout: they add and remove entries and items, and change values.

pub(super) mod moves;

pub(super) use crd_analyzer_diagnostic::Value;
use crd_analyzer_syntax::{
    lines::line_break_at,
    tree::{CollectionStyle, Entry, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use super::TextEdit;
use crate::write;

fn replace(span: Span, new_text: impl Into<String>) -> TextEdit {
    TextEdit {
        span,
        new_text: new_text.into(),
    }
}

/// The start of the line that contains an offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |it| it + 1)
}

/// Spaces as wide as the text before an offset on its line. `None` if that text is more than indentation, dashes and question marks.
fn indentation(text: &str, at: usize) -> Option<String> {
    let before = &text[line_start(text, at)..at];
    before
        .chars()
        .all(|c| matches!(c, ' ' | '-'))
        .then(|| " ".repeat(before.len()))
}

/// Whether a collection is written in JSON style.
fn is_json(tree: &Tree, mapping: NodeId) -> bool {
    let style = tree.entries(mapping).next().map(|it| tree.kind(it.key));
    style == Some(NodeKind::Scalar(ScalarStyle::DoubleQuoted))
        || tree.text()[tree.document_span().range()].trim_start().starts_with('{')
}

/// Inserts an entry at the start of a mapping. `value` is written in flow style, with JSON quotes in a JSON mapping.
pub(super) fn insert_entry(tree: &Tree, mapping: NodeId, key: &str, value: &Value) -> Option<TextEdit> {
    let text = tree.text();
    let span = tree.span(mapping);
    let first = tree.entries(mapping).next();
    match tree.kind(mapping) {
        NodeKind::Mapping(CollectionStyle::Flow) => {
            let json = is_json(tree, mapping);
            let key = if json {
                format!("\"{key}\"")
            } else {
                write::plain_or_quoted(key)?
            };
            let value = flow(value, json)?;
            let separator = if first.is_some() { ", " } else { "" };
            let at = Span::new(span.start + 1, span.start + 1);
            Some(replace(at, format!("{key}: {value}{separator}")))
        }
        NodeKind::Mapping(CollectionStyle::Block) => {
            let at = tree.full_span(first?.key).start;
            let indentation = indentation(text, at as usize)?;
            let key = write::plain_or_quoted(key)?;
            let value = flow(value, false)?;
            Some(replace(
                Span::new(at, at),
                format!("{key}: {value}{}{indentation}", line_break_at(text, 0)),
            ))
        }
        // The mapping has no text yet, as in `key:` without a value.
        NodeKind::Scalar(_) if tree.is_absent(mapping) => {
            let before = text[..span.start as usize].chars().next_back();
            let blank = if before == Some(' ') { "" } else { " " };
            Some(replace(
                span,
                format!("{blank}{{{}: {}}}", write::plain_or_quoted(key)?, flow(value, false)?),
            ))
        }
        _ => None,
    }
}

/// Replaces a scalar, which may have no text, by a value in flow style.
pub(super) fn set_value(tree: &Tree, scalar: NodeId, value: &Value) -> Option<TextEdit> {
    let span = tree.span(scalar);
    let before = tree.text()[..span.start as usize].chars().next_back();
    let blank = if before == Some(':') { " " } else { "" };
    Some(replace(span, format!("{blank}{}", flow(value, false)?)))
}

/// Formats a value in flow style. `json`: whether to use JSON quotes.
pub(super) fn flow(value: &Value, json: bool) -> Option<String> {
    let string = |text: &str| {
        if json {
            let is_simple = !text.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'));
            is_simple.then(|| format!("\"{text}\""))
        } else {
            write::plain_or_quoted(text)
        }
    };
    match value {
        Value::Text(text) => string(text),
        Value::Bool(value) => Some(value.to_string()),
        Value::AsWritten(text) => Some(text.clone()),
        Value::List(items) => {
            let items: Option<Vec<_>> = items.iter().map(|it| string(it)).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Value::Map(entries) => {
            let entries: Option<Vec<_>> = entries
                .iter()
                .map(|(key, value)| Some(format!("{}: {}", string(key)?, flow(value, json)?)))
                .collect();
            Some(format!("{{{}}}", entries?.join(", ")))
        }
    }
}

/// Removes an entry and the comment on its line. `None` if other text depends on the entry, because an alias refers to its anchor or another entry
/// shares its line.
pub(super) fn remove_entry(tree: &Tree, mapping: NodeId, entry: Entry) -> Option<TextEdit> {
    let has_anchor = |node: NodeId| tree.anchor(node).is_some();
    if tree.subtree(entry.key).chain(tree.subtree(entry.value)).any(has_anchor) {
        return None;
    }
    let text = tree.text();
    let key = tree.full_span(entry.key);
    let end = tree.full_span(entry.value).end.max(key.end);
    let next = tree.next_sibling(entry.value);
    let before = tree.previous_sibling(entry.key);
    if next.is_none() && before.is_none() {
        return Some(replace(tree.span(mapping), "{}"));
    }
    match tree.kind(mapping) {
        NodeKind::Mapping(CollectionStyle::Flow) => Some(match next {
            Some(next) => replace(Span::new(key.start, tree.full_span(next).start), ""),
            None => replace(Span::new(end_of(tree, tree.entry_of(before?)?), end), ""),
        }),
        NodeKind::Mapping(CollectionStyle::Block) => {
            let start = line_start(text, key.start as usize);
            let is_own_line = text[start..key.start as usize].chars().all(|c| c == ' ');
            if !is_own_line {
                // The entry follows a dash, so move the next entry up to the dash.
                return Some(replace(Span::new(key.start, tree.full_span(next?).start), ""));
            }
            let rest = &text[end as usize..];
            let line_end = if text[..end as usize].ends_with('\n') {
                end as usize
            } else {
                rest.find('\n').map_or(text.len(), |it| end as usize + it + 1)
            };
            let limit = tree.document_span().end as usize;
            Some(replace(Span::new(start as u32, line_end.min(limit) as u32), ""))
        }
        _ => None,
    }
}

fn end_of(tree: &Tree, entry: Entry) -> u32 {
    tree.full_span(entry.value).end.max(tree.full_span(entry.key).end)
}

/// Replaces the value of a scalar and keeps its quotes.
pub(super) fn set_scalar(tree: &Tree, scalar: NodeId, text: &str) -> Option<TextEdit> {
    if tree.is_absent(scalar) {
        return None;
    }
    Some(replace(tree.span(scalar), write::whole(tree, scalar, text)?))
}

/// Makes a mapping the only item of a list: puts a dash before its first key, and moves its other lines.
pub(super) fn as_item(tree: &Tree, mapping: NodeId) -> Option<TextEdit> {
    if tree.kind(mapping) != NodeKind::Mapping(CollectionStyle::Block) {
        return None;
    }
    let text = tree.text();
    let start = tree.span(tree.entries(mapping).next()?.key).start as usize;
    let span = Span::new(start as u32, tree.full_span(mapping).end);
    if !text[line_start(text, start)..start].trim_start_matches(' ').is_empty() {
        return None;
    }
    let mut written = "- ".to_owned();
    for (n, line) in text[span.range()].split_inclusive('\n').enumerate() {
        if n > 0 && !line.trim().is_empty() {
            written.push_str("  ");
        }
        written.push_str(line);
    }
    Some(replace(span, written))
}

/// Puts a scalar that is on one line into brackets as the only item of a list, with quotes if needed.
pub(super) fn in_brackets(tree: &Tree, scalar: NodeId) -> Option<TextEdit> {
    let NodeKind::Scalar(style) = tree.kind(scalar) else {
        return None;
    };
    let source = tree.source(scalar);
    if source.contains(['\n', '\r']) || matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
        return None;
    }
    let is_cut = style == ScalarStyle::Plain && source.contains(['[', ']', '{', '}', ',', ':', '?', '#']);
    let item = if is_cut {
        write::plain_or_quoted(&tree.scalar(scalar))?
    } else {
        source.to_owned()
    };
    Some(put(tree.span(scalar), format!("[{item}]")))
}

/// Replaces a scalar with `true` or `false`.
pub(super) fn set_bool(tree: &Tree, scalar: NodeId, value: bool) -> Option<TextEdit> {
    (tree.is_scalar(scalar) && !tree.is_absent(scalar)).then(|| replace(tree.span(scalar), value.to_string()))
}

/// Appends an item to a list of strings.
pub(super) fn add_item(tree: &Tree, list: NodeId, item: &str) -> Option<TextEdit> {
    let text = tree.text();
    let last = tree.items(list).last();
    match tree.kind(list) {
        NodeKind::Sequence(CollectionStyle::Flow) => {
            let quoted = last.map(|it| tree.kind(it)) == Some(NodeKind::Scalar(ScalarStyle::DoubleQuoted));
            let item = flow(&Value::text_of(item), quoted)?;
            Some(match last {
                Some(last) => {
                    let end = tree.full_span(last).end;
                    replace(Span::new(end, end), format!(", {item}"))
                }
                None => replace(tree.span(list), format!("[{item}]")),
            })
        }
        NodeKind::Sequence(CollectionStyle::Block) => {
            let last = last.filter(|it| tree.is_scalar(*it))?;
            let start = tree.full_span(last).start as usize;
            let dashes = &text[line_start(text, start)..start];
            if dashes.trim() != "-" {
                return None;
            }
            let end = tree.full_span(last).end as usize;
            let line_end = text[end..].find(['\r', '\n']).map_or(text.len(), |it| end + it);
            let item = write::plain_or_quoted(item)?;
            Some(replace(
                Span::new(line_end as u32, line_end as u32),
                format!("{}{dashes}{item}", line_break_at(text, 0)),
            ))
        }
        _ => None,
    }
}

/// Whether a node is an alias.
pub(super) fn is_alias(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.kind(node), NodeKind::Alias)
}

/// Appends items to a list of scalars, given as source text.
pub(super) fn add_as_written(tree: &Tree, list: NodeId, items: &[String]) -> Option<TextEdit> {
    let text = tree.text();
    let last = tree.items(list).last().filter(|it| tree.is_scalar(*it))?;
    let span = tree.full_span(last);
    if items.is_empty() {
        return None;
    }
    match tree.kind(list) {
        NodeKind::Sequence(CollectionStyle::Flow) => {
            let added = format!(", {}", items.join(", "));
            Some(put(Span::new(span.end, span.end), added))
        }
        NodeKind::Sequence(CollectionStyle::Block) => {
            let dashes = &text[line_start(text, span.start as usize)..span.start as usize];
            if dashes.trim() != "-" {
                return None;
            }
            let end = span.end as usize;
            let line_end = text[end..].find(['\r', '\n']).map_or(text.len(), |it| end + it) as u32;
            let line_break = line_break_at(text, 0);
            let begin = format!("{line_break}{dashes}");
            let added = format!("{begin}{}", items.join(&begin));
            Some(put(Span::new(line_end, line_end), added))
        }
        _ => None,
    }
}

/// Inserts an entry from another tree's mapping at the corresponding position, after the same neighbor, with its comments and layout.
pub(super) fn insert_like(
    tree: &Tree,
    mapping: NodeId,
    other: &Tree,
    other_mapping: NodeId,
    entry: Entry,
) -> Option<TextEdit> {
    let nodes = other.subtree(entry.key).chain(other.subtree(entry.value));
    for node in nodes {
        if other.anchor(node).is_some() || is_alias(other, node) {
            return None;
        }
    }
    let (text, source) = (tree.text(), other.text());
    let start = other.full_span(entry.key).start as usize;
    let column = start - line_start(source, start);
    let written = source[start..end_of(other, entry) as usize].trim_end();
    let before = other.entries(other_mapping).take_while(|it| it.key != entry.key);
    let same = |it: Entry| {
        let name = other.scalar(it.key);
        tree.entry(mapping, &name)
    };
    let neighbor = before.filter_map(same).last();
    let first = tree.entries(mapping).next()?;
    match tree.kind(mapping) {
        NodeKind::Mapping(CollectionStyle::Flow) => {
            if written.contains(['\n', '\r', '#']) || is_json(tree, mapping) != is_json(other, other_mapping) {
                return None;
            }
            let (at, added) = neighbor.map_or_else(
                || (tree.full_span(first.key).start, format!("{written}, ")),
                |it| (end_of(tree, it), format!(", {written}")),
            );
            Some(put(Span::new(at, at), added))
        }
        NodeKind::Mapping(CollectionStyle::Block) => {
            let line_break = line_break_at(text, 0);
            let indentation = indentation(text, tree.full_span(first.key).start as usize)?;
            let mut lines = written.lines();
            let mut moved = lines.next()?.to_owned();
            for line in lines {
                let blanks = line.len() - line.trim_start_matches(' ').len();
                moved.push_str(line_break);
                if !line.trim().is_empty() {
                    moved.push_str(&indentation);
                    moved.push_str(&line[blanks.min(column)..]);
                }
            }
            let Some(neighbor) = neighbor else {
                let at = tree.full_span(first.key).start;
                return Some(put(Span::new(at, at), format!("{moved}{line_break}{indentation}")));
            };
            let end = end_of(tree, neighbor) as usize;
            let rest = text.get(end..)?;
            Some(if text[..end].ends_with('\n') {
                let at = Span::new(end as u32, end as u32);
                put(at, format!("{indentation}{moved}{line_break}"))
            } else {
                let at = rest.find(['\n', '\r']).map_or(text.len(), |it| end + it) as u32;
                put(Span::new(at, at), format!("{line_break}{indentation}{moved}"))
            })
        }
        _ => None,
    }
}

/// Removes an item from a list that has other items.
pub(super) fn remove_item(tree: &Tree, list: NodeId, item: NodeId) -> Option<TextEdit> {
    let text = tree.text();
    let items: Vec<_> = tree.items(list).collect();
    let at = items.iter().position(|it| *it == item)?;
    let own = tree.full_span(item);
    let next = items.get(at + 1).map(|it| tree.full_span(*it));
    let before = at.checked_sub(1).map(|it| tree.full_span(items[it]));
    if before.is_none() && next.is_none() {
        return None;
    }
    match tree.kind(list) {
        NodeKind::Sequence(CollectionStyle::Flow) => Some(match (before, next) {
            (Some(before), _) => replace(Span::new(before.end, own.end), ""),
            (None, next) => replace(Span::new(own.start, next?.start), ""),
        }),
        NodeKind::Sequence(CollectionStyle::Block) => {
            let start = line_start(text, own.start as usize);
            if text[start..own.start as usize].trim() != "-" {
                return None;
            }
            let end = if text[..own.end as usize].ends_with('\n') {
                own.end as usize
            } else {
                let rest = &text[own.end as usize..];
                rest.find('\n').map_or(text.len(), |it| own.end as usize + it + 1)
            };
            let limit = tree.document_span().end as usize;
            Some(replace(Span::new(start as u32, end.min(limit) as u32), ""))
        }
        _ => None,
    }
}

/// Replaces a span with new text.
pub(super) fn put(span: Span, new_text: impl Into<String>) -> TextEdit {
    replace(span, new_text)
}
