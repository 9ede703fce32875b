//! Inserts a keyword into a schema in the author's style.

use crd_analyzer_diagnostic::{Change, Value};
use crd_analyzer_syntax::{
    paths::path_of,
    tree::{CollectionStyle, Entry, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use crate::fixes::{TextEdit, change};

/// The edit that adds `keyword: value` to the mapping at `span`, and the corresponding change. `None` if the span has no mapping, if the mapping
/// already has the keyword, or if other places may share it by its anchor.
pub(super) fn entry(file: &str, tree: &Tree, span: Span, keyword: &str, value: i64) -> Option<(TextEdit, Change)> {
    let is_it = |node: &NodeId| tree.span(*node) == span && matches!(tree.kind(*node), NodeKind::Mapping(_));
    let mapping = tree.nodes().find(is_it)?;
    let is_anchored = |node: NodeId| tree.anchor(node).is_some();
    if is_anchored(mapping) || tree.ancestors(mapping).any(is_anchored) || tree.get(mapping, keyword).is_some() {
        return None;
    }
    let edit = match tree.kind(mapping) {
        NodeKind::Mapping(CollectionStyle::Flow) => flow(tree, mapping, keyword, value),
        _ => block(file, tree, mapping, keyword, value),
    };
    let path = change::path(&path_of(tree, mapping)).child(keyword);
    Some((edit?, Change::Set(path, Value::AsWritten(value.to_string()))))
}

/// The entry after which to insert the keyword. If the keys are sorted, it is the last smaller key; otherwise it is `type`. `None` means before all
/// entries.
fn previous(tree: &Tree, entries: &[Entry], keyword: &str) -> Option<Entry> {
    let key = |it: &Entry| tree.scalar(it.key).into_owned();
    let is_sorted = entries.len() > 1 && entries.windows(2).all(|it| key(&it[0]) <= key(&it[1]));
    if is_sorted {
        return entries.iter().rev().find(|it| key(it).as_str() < keyword).copied();
    }
    let of_type = entries.iter().find(|it| key(it) == "type");
    of_type.or(entries.last()).copied()
}

fn block(file: &str, tree: &Tree, mapping: NodeId, keyword: &str, value: i64) -> Option<TextEdit> {
    let text = tree.text();
    let entries: Vec<Entry> = tree.entries(mapping).collect();
    let first = *entries.first()?;
    let first_key = tree.full_span(first.key).start as usize;
    let line = text[..first_key].rfind('\n').map_or(0, |it| it + 1);
    // Only blanks, or the dash of a list item, precede the first key.
    let indent: String = text[line..first_key]
        .chars()
        .map(|it| if it == '\t' { '\t' } else { ' ' })
        .collect();
    let line_break = if text[line..].split('\n').next()?.ends_with('\r') {
        "\r\n"
    } else {
        "\n"
    };
    let key = quoted_like(tree, first.key, keyword);
    let Some(previous) = previous(tree, &entries, keyword) else {
        let at = first_key as u32;
        return Some(TextEdit {
            span: Span::new(at, at),
            new_text: format!("{key}: {value}{line_break}{indent}"),
        });
    };
    let (at, glue) = end_of_lines(file, tree, previous, line_break);
    Some(TextEdit {
        span: Span::new(at, at),
        new_text: if glue.is_empty() {
            format!("{indent}{key}: {value}{line_break}")
        } else {
            format!("{glue}{indent}{key}: {value}")
        },
    })
}

/// The end of an entry's lines. Also the separator that is needed there if the file ends without a line break.
fn end_of_lines<'b>(file: &str, tree: &Tree, entry: Entry, line_break: &'b str) -> (u32, &'b str) {
    // The tree's text may have one more line break at the end than the file.
    let last = if tree.is_absent(entry.value) {
        entry.key
    } else {
        entry.value
    };
    let end = tree.full_span(last).end as usize;
    if end > 0 && file.as_bytes().get(end - 1) == Some(&b'\n') {
        return (end as u32, "");
    }
    match file.get(end..).and_then(|it| it.find('\n')) {
        Some(at) => ((end + at + 1) as u32, ""),
        None => (file.len() as u32, line_break),
    }
}

fn flow(tree: &Tree, mapping: NodeId, keyword: &str, value: i64) -> Option<TextEdit> {
    let text = tree.text();
    let entries: Vec<Entry> = tree.entries(mapping).collect();
    let open = tree.span(mapping).start as usize;
    let Some(first) = entries.first().copied() else {
        let at = open as u32 + 1;
        return Some(TextEdit {
            span: Span::new(at, at),
            new_text: format!("{keyword}: {value}"),
        });
    };
    let previous = previous(tree, &entries, keyword);
    let like = previous.unwrap_or(first);
    let key = quoted_like(tree, like.key, keyword);
    let colon = colon(tree, like);
    // Check that each entry is on its own line, or that all are on one line.
    let key_start = |entry: Entry| tree.full_span(entry.key).start as usize;
    let line_before = |at: usize| text[..at].rfind('\n').map_or(0, |it| it + 1);
    let start = key_start(like);
    let line = line_before(start);
    let stands_alone = text[line..start].bytes().all(|it| matches!(it, b' ' | b'\t'));
    let separator = if stands_alone {
        let line_break = if text[line..].split('\n').next()?.ends_with('\r') {
            "\r\n"
        } else {
            "\n"
        };
        format!("{line_break}{}", &text[line..start])
    } else {
        let is_tight = entries.windows(2).next().is_some_and(|it| {
            let between = tree.full_span(it[0].value).end as usize..key_start(it[1]);
            text.get(between) == Some(",")
        });
        if is_tight || colon == ":" {
            String::new()
        } else {
            " ".to_owned()
        }
    };
    let Some(previous) = previous else {
        let at = key_start(first) as u32;
        return Some(TextEdit {
            span: Span::new(at, at),
            new_text: format!("{key}{colon}{value},{separator}"),
        });
    };
    if tree.is_absent(previous.value) {
        return None;
    }
    let at = tree.full_span(previous.value).end;
    Some(TextEdit {
        span: Span::new(at, at),
        new_text: format!(",{separator}{key}{colon}{value}"),
    })
}

/// The text between a key and its value, as in an existing entry: a colon, usually followed by a blank.
fn colon(tree: &Tree, entry: Entry) -> &'static str {
    let between = tree.full_span(entry.key).end as usize..tree.full_span(entry.value).start as usize;
    let is_quoted = matches!(tree.kind(entry.key), NodeKind::Scalar(ScalarStyle::DoubleQuoted));
    match tree.text().get(between) {
        Some(":") if is_quoted => ":",
        Some(" : ") if is_quoted => " : ",
        _ => ": ",
    }
}

/// The keyword in the same quotes as an existing key.
fn quoted_like(tree: &Tree, key: NodeId, keyword: &str) -> String {
    match tree.kind(key) {
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => format!("\"{keyword}\""),
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => format!("'{keyword}'"),
        _ => keyword.to_owned(),
    }
}
