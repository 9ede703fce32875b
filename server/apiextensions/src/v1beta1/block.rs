//! Lines of block style YAML: the extent of an entry, and its text with another indentation.

use crd_analyzer_syntax::tree::{CollectionStyle, Entry, NodeId, NodeKind, Span, Tree};

/// Whether a node is a block style mapping.
pub(super) fn is_block_mapping(tree: &Tree, node: NodeId) -> bool {
    tree.kind(node) == NodeKind::Mapping(CollectionStyle::Block)
}

/// The offset after the line break of the line that contains `offset`, or the end of the text.
fn after_line(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |it| offset + it + 1)
}

/// The offset of the start of the line that contains `offset`.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |it| it + 1)
}

/// The column of `offset`, in bytes; block style is indented with spaces only.
pub(super) fn column(text: &str, offset: usize) -> usize {
    offset - line_start(text, offset)
}

/// The end of the last line of a value, including its line break.
///
/// A block scalar may end after its own line break. Any other value ends within its last line, and a comment may follow the value in that line.
pub(super) fn end_of_lines(tree: &Tree, node: NodeId) -> usize {
    let end = tree.full_span(node).end as usize;
    let text = tree.text();
    // The text of the tree may have one more line break than the file.
    let last = tree.document_span().end as usize;
    if end > 0 && text.as_bytes()[end - 1] == b'\n' {
        end
    } else {
        after_line(text, end).min(last)
    }
}

/// The whole lines of an entry that is the first in its line, with the comments directly above it.
pub(super) fn entry_lines(tree: &Tree, entry: Entry) -> Span {
    let text = tree.text();
    let key = tree.full_span(entry.key).start as usize;
    let indent = column(text, key);
    let mut start = line_start(text, key);
    while start > 0 {
        let above = line_start(text, start - 1);
        let line = &text[above..start];
        let trimmed = line.trim_start_matches(' ');
        if !trimmed.starts_with('#') || line.len() - trimmed.len() != indent {
            break;
        }
        start = above;
    }
    let value = if tree.is_absent(entry.value) {
        entry.key
    } else {
        entry.value
    };
    Span::new(start as u32, end_of_lines(tree, value) as u32)
}

/// The whole lines of an entry that is the first in its line, without the comments above it.
pub(super) fn own_lines(tree: &Tree, entry: Entry) -> Span {
    let key = tree.full_span(entry.key).start as usize;
    Span::new(line_start(tree.text(), key) as u32, entry_lines(tree, entry).end)
}

/// Whether only spaces precede the node in its line.
pub(super) fn begins_line(tree: &Tree, node: NodeId) -> bool {
    let text = tree.text();
    let start = tree.full_span(node).start as usize;
    text[line_start(text, start)..start].bytes().all(|it| it == b' ')
}

/// Moves all lines except blank ones from column `from` to column `to`.
pub(super) fn reindent(lines: &str, from: usize, to: usize) -> String {
    let mut out = String::with_capacity(lines.len() + lines.len() / 8);
    for line in lines.split_inclusive('\n') {
        if line.trim().is_empty() {
            out.push_str(line.trim_start_matches(' '));
            continue;
        }
        let blanks = line.len() - line.trim_start_matches(' ').len();
        out.extend(std::iter::repeat_n(' ', (blanks + to).saturating_sub(from)));
        out.push_str(&line[blanks..]);
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out
}
