//! Edits that move an entry to another mapping of the same text, with its comments and the right indentation.

use crd_analyzer_syntax::{
    lines::line_break_at,
    tree::{CollectionStyle, Entry, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use super::{TextEdit, end_of, indentation, line_start, put, remove_entry};

/// How much deeper a new block is indented than its key.
const STEP: usize = 2;

/// Where an entry is moved to.
#[derive(Clone, Copy, Debug)]
pub(in crate::fixes) enum Target<'k> {
    /// To the end of the value of an entry: a mapping, or nothing yet.
    Into(Entry),
    /// Into a new mapping with this key, which takes the place of the entry.
    New(&'k str),
    /// To the place after another entry.
    After(Entry),
}

/// Moves an entry of a mapping. `None` if its text cannot be moved as it is, because other text shares its lines or depends on it.
pub(in crate::fixes) fn entry(tree: &Tree, mapping: NodeId, own: Entry, target: Target<'_>) -> Option<Vec<TextEdit>> {
    match (tree.kind(mapping), target) {
        (NodeKind::Mapping(CollectionStyle::Block), Target::New(key)) => {
            let lines = Lines::of(tree, own)?;
            let break_ = line_break_at(tree.text(), 0);
            let new_text = format!(
                "{}{key}:{break_}{}",
                " ".repeat(lines.column),
                lines.shifted(tree, lines.column + STEP)
            );
            Some(vec![put(lines.span, new_text)])
        }
        (NodeKind::Mapping(CollectionStyle::Block), Target::Into(to)) => into(tree, mapping, own, to),
        (NodeKind::Mapping(CollectionStyle::Block), Target::After(to)) => {
            let lines = Lines::of(tree, own)?;
            // The other entry must keep something.
            tree.previous_sibling(own.key)?;
            let around = Lines::of(tree, to)?;
            Some(moved(tree, &lines, around.span.end, around.column)?)
        }
        (NodeKind::Mapping(CollectionStyle::Flow), Target::New(key)) => {
            let (start, end) = (tree.full_span(own.key).start, end_of(tree, own));
            Some(vec![
                put(Span::new(start, start), format!("{key}: {{")),
                put(Span::new(end, end), "}"),
            ])
        }
        (NodeKind::Mapping(CollectionStyle::Flow), Target::Into(to)) => {
            let written = on_one_line(tree, own)?;
            let removed = remove_entry(tree, mapping, own)?;
            let edit = match tree.kind(to.value) {
                NodeKind::Mapping(CollectionStyle::Flow) => append(tree, to.value, written),
                NodeKind::Mapping(CollectionStyle::Block) => {
                    let last = Lines::of(tree, tree.entries(to.value).last()?)?;
                    line(tree, &last, written)
                }
                _ => return None,
            };
            Some(vec![edit, removed])
        }
        (NodeKind::Mapping(CollectionStyle::Flow), Target::After(to)) => {
            let written = on_one_line(tree, own)?;
            tree.previous_sibling(own.key)?;
            let removed = remove_entry(tree, mapping, own)?;
            let edit = match tree.kind(tree.parent(to.key)?) {
                NodeKind::Mapping(CollectionStyle::Flow) => {
                    let end = end_of(tree, to);
                    put(Span::new(end, end), format!(", {written}"))
                }
                _ => line(tree, &Lines::of(tree, to)?, written),
            };
            Some(vec![removed, edit])
        }
        _ => None,
    }
}

/// Adds an entry, given as source text, after another entry of the same mapping.
pub(in crate::fixes) fn add_after(tree: &Tree, mapping: NodeId, entry: Entry, written: &str) -> Option<TextEdit> {
    match tree.kind(mapping) {
        NodeKind::Mapping(CollectionStyle::Block) => Some(line(tree, &Lines::of(tree, entry)?, written)),
        NodeKind::Mapping(CollectionStyle::Flow) => {
            let is_json = matches!(tree.kind(entry.key), NodeKind::Scalar(ScalarStyle::DoubleQuoted));
            let end = end_of(tree, entry);
            (!is_json).then(|| put(Span::new(end, end), format!(", {written}")))
        }
        _ => None,
    }
}

/// Moves a key without a value to the place after another entry that contains it. The lines after the key become its value.
pub(in crate::fixes) fn key_with_following_lines(tree: &Tree, own: Entry, around: Entry) -> Option<Vec<TextEdit>> {
    let lines = Lines::of(tree, own)?;
    let around = Lines::of(tree, around)?;
    (around.column < lines.column).then(|| vec![put(lines.span, lines.shifted(tree, around.column))])
}

fn into(tree: &Tree, mapping: NodeId, own: Entry, to: Entry) -> Option<Vec<TextEdit>> {
    let lines = Lines::of(tree, own)?;
    let break_ = line_break_at(tree.text(), 0);
    match tree.kind(to.value) {
        NodeKind::Mapping(CollectionStyle::Block) => {
            let last = Lines::of(tree, tree.entries(to.value).last()?)?;
            moved(tree, &lines, last.span.end, last.column)
        }
        NodeKind::Scalar(_) if tree.is_absent(to.value) => {
            let key = Lines::of(tree, to)?;
            moved(tree, &lines, key.span.end, key.column + STEP)
        }
        NodeKind::Mapping(CollectionStyle::Flow) if tree.entries(to.value).next().is_none() => {
            let key = Lines::of(tree, to)?;
            let span = tree.span(to.value);
            let after = tree.text().get(span.end as usize..key.span.end as usize)?;
            after.trim().is_empty().then_some(())?;
            let text = lines.shifted(tree, key.column + STEP);
            let start = span.start - u32::from(tree.text()[..span.start as usize].ends_with(' '));
            Some(vec![
                put(Span::new(start, span.end), format!("{break_}{}", text.trim_end())),
                put(lines.span, ""),
            ])
        }
        NodeKind::Mapping(CollectionStyle::Flow) => {
            let written = on_one_line(tree, own)?;
            Some(vec![append(tree, to.value, written), remove_entry(tree, mapping, own)?])
        }
        _ => None,
    }
}

/// The edits that write lines at another offset with another indentation. If the lines are there already, only their indentation changes.
fn moved(tree: &Tree, lines: &Lines, at: u32, column: usize) -> Option<Vec<TextEdit>> {
    let text = lines.shifted(tree, column);
    // The lines follow the place, or are the last of the entry that ends there.
    if lines.span.start == at || lines.span.end == at {
        return Some(vec![put(lines.span, text)]);
    }
    let has_anchor = |it: NodeId| tree.anchor(it).is_some() || matches!(tree.kind(it), NodeKind::Alias);
    let nodes = || tree.subtree(lines.entry.key).chain(tree.subtree(lines.entry.value));
    if nodes().any(has_anchor) {
        return None;
    }
    let break_ = line_break_at(tree.text(), 0);
    let is_last = at as usize == tree.text().len() && !tree.text().ends_with('\n');
    let text = match (is_last, text.ends_with('\n')) {
        (true, _) => format!("{break_}{}", text.trim_end()),
        (false, true) => text,
        (false, false) => text + break_,
    };
    Some(vec![put(Span::new(at, at), text), put(lines.span, "")])
}

/// Adds an entry at the end of a flow mapping.
fn append(tree: &Tree, mapping: NodeId, written: &str) -> TextEdit {
    let Some(last) = tree.entries(mapping).last() else {
        return put(tree.span(mapping), format!("{{{written}}}"));
    };
    let end = end_of(tree, last);
    put(Span::new(end, end), format!(", {written}"))
}

/// Adds an entry on a line of its own after the lines of another.
fn line(tree: &Tree, after: &Lines, written: &str) -> TextEdit {
    let at = Span::new(after.span.end, after.span.end);
    let break_ = line_break_at(tree.text(), 0);
    let indentation = " ".repeat(after.column);
    if tree.text()[..after.span.end as usize].ends_with('\n') {
        put(at, format!("{indentation}{written}{break_}"))
    } else {
        put(at, format!("{break_}{indentation}{written}"))
    }
}

/// The text of an entry that can be written in a flow mapping as it is.
fn on_one_line(tree: &Tree, own: Entry) -> Option<&str> {
    let written = &tree.text()[tree.full_span(own.key).start as usize..end_of(tree, own) as usize];
    let rest = &tree.text()[end_of(tree, own) as usize..];
    let has_comment = rest.lines().next().is_some_and(|it| it.trim_start().starts_with('#'));
    let is_plain = tree.kind(own.value) == NodeKind::Scalar(ScalarStyle::Plain);
    let is_cut = is_plain && tree.source(own.value).contains([',', '[', ']', '{', '}']);
    let is_block = matches!(
        tree.kind(own.value),
        NodeKind::Mapping(CollectionStyle::Block) | NodeKind::Sequence(CollectionStyle::Block)
    );
    (!written.contains(['\n', '\r', '#']) && !has_comment && !is_cut && !is_block).then_some(written)
}

/// The whole lines of an entry of a block mapping, with the comment lines above it.
struct Lines {
    entry: Entry,
    span: Span,
    /// The column of the key.
    column: usize,
}

impl Lines {
    /// `None` if something else is on the first line of the entry.
    fn of(tree: &Tree, entry: Entry) -> Option<Self> {
        let text = tree.text();
        let key = tree.full_span(entry.key).start as usize;
        let mut start = line_start(text, key);
        let column = indentation(text, key)?.len();
        if text[start..key].contains('-') {
            return None;
        }
        let limit = tree.document_span();
        while start > limit.start as usize {
            let above = line_start(text, text[..start].trim_end_matches(['\n', '\r']).len());
            let line = &text[above..start];
            let is_comment = line.trim_start_matches(' ').starts_with('#');
            if !is_comment
                || line.len() - line.trim_start_matches(' ').len() != column
                || line.matches('\n').count() > 1
            {
                break;
            }
            start = above;
        }
        let end = end_of(tree, entry) as usize;
        let end = if text[..end].ends_with('\n') {
            end
        } else {
            text[end..].find('\n').map_or(text.len(), |it| end + it + 1)
        };
        let end = end.min(limit.end as usize);
        Some(Self {
            entry,
            span: Span::new(start as u32, end as u32),
            column,
        })
    }

    /// The lines, indented so that the key is at a column.
    fn shifted(&self, tree: &Tree, column: usize) -> String {
        let lines = tree.text()[self.span.range()].split_inclusive('\n');
        lines.fold(String::new(), |mut shifted, line| {
            let rest = line.trim_start_matches(' ');
            if rest.trim().is_empty() {
                shifted.push_str(line);
            } else {
                let deeper = (line.len() - rest.len()).saturating_sub(self.column);
                shifted.push_str(&" ".repeat(column + deeper));
                shifted.push_str(rest);
            }
            shifted
        })
    }
}
