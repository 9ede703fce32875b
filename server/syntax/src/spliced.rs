//! Updates the tree of an already parsed text after a change in one entry of a mapping, by parsing only that entry again.
//!
//! An entry that starts on its own line, in a block mapping, is parsed in the same way at any position: before the entry, only the surrounding
//! collections are open, and the line of the next node, which is at most as deep as the entry, closes the entry. If anything else affects the result
//! (aliases, directives, keys after `?`, the end of the document), the whole document is parsed.

use std::sync::Arc;

use crate::{
    change::Change,
    reader,
    split::Document,
    tree::{CollectionStyle, NO_PARENT, NodeData, NodeId, NodeKind, Span, Tree},
};

/// The maximum depth of an entry, and of the nodes inside it. Both together are far below the parser's limit.
const MAX_DEPTH: usize = 1000;

/// The largest part of a text that is parsed to find an entry, as a divisor of the length of the text. For larger parts, parsing the whole text is as
/// fast.
const MAX_SHARE: usize = 4;

/// An entry of a tree, and the lines that it covers.
struct Segment {
    /// The nodes from the entry's key up to the next entry.
    nodes: std::ops::Range<usize>,
    /// The span from the start of the line of the entry's key to the start of the line of the next node, or to the end of the document.
    lines: Span,
    /// The mapping that contains the entry.
    mapping: NodeId,
}

/// The entries that replaced other entries in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spliced {
    /// The mapping that contains the entries.
    pub(crate) mapping: NodeId,
    pub(crate) numbers: Renumbered,
}

/// Turns the tree of `before` into the tree of `document` in `text` by parsing the smallest entry around the change. If `None`, the tree is
/// unchanged.
pub(crate) fn read_spliced(
    tree: &mut Tree,
    before: Document,
    text: &Arc<str>,
    document: Document,
    change: &Change,
) -> Option<Spliced> {
    let (segment, fresh) = parsed_segment(tree, before, text, document, change)?;
    let breaks =
        |text: &str, end: usize| memchr::memchr_iter(b'\n', &text.as_bytes()[change.start..end]).count() as i64;
    let added_lines = breaks(text, change.new_end) - breaks(tree.text(), change.old_end);
    let numbers = splice(tree, &segment, fresh, added_lines, change);
    tree.text = text.into();
    Some(Spliced {
        mapping: segment.mapping,
        numbers,
    })
}

fn parsed_segment(
    tree: &Tree,
    before: Document,
    text: &Arc<str>,
    document: Document,
    change: &Change,
) -> Option<(Segment, Tree)> {
    let (old, new) = (tree.text().as_bytes(), text.as_bytes());
    let is_harmless = |it: &u8| matches!(it, b'\t' | b'\n' | 0x20..0x7F);
    let (removed, added) = (&old[change.start..change.old_end], &new[change.start..change.new_end]);
    let first = tree.data(tree.root()?).span.start as usize;
    let has_directives = memchr::memchr(b'%', &old[before.span.start as usize..first]).is_some();
    // If the text has unusual characters, the tree stores the line of every node.
    let is_tracked = tree.lines.first().is_some_and(|it| it.0 == NodeId(0));
    if !removed.iter().chain(added).all(is_harmless) || has_directives || tree.has_aliases() || is_tracked {
        return None;
    }
    let mut left = new.len() / MAX_SHARE;
    for segment in segments_around(tree, before, change) {
        let lines = Span::new(segment.lines.start, change.moved(segment.lines.end));
        let written = &new[lines.range()];
        left = left.checked_sub(written.len())?;
        if !written.ends_with(b"\n") || written.split(|it| *it == b'\n').any(is_left_to_the_parser) {
            return None;
        }
        // Text that is indented less than this entry may belong to the surrounding entry.
        let fresh = reader::read_decoded(text, lines, &[], document.encoding).ok();
        if let Some(fresh) = fresh.filter(|it| is_entries_of(it, tree, &segment, lines)) {
            return Some((segment, fresh));
        }
    }
    None
}

/// Whether a line may end the document, or may be a key or a value that is not written as `key: value`.
fn is_left_to_the_parser(line: &[u8]) -> bool {
    let content = line.trim_ascii_start();
    line.starts_with(b"...") || line.starts_with(b"---") || content.starts_with(b"?") || content.starts_with(b":")
}

/// The entries whose lines contain the change, if the change is after the first byte of the entry's key; smallest entry first.
fn segments_around(tree: &Tree, before: Document, change: &Change) -> Vec<Segment> {
    let mut found = Vec::new();
    let Some(at) = change.start.checked_sub(1).and_then(|it| tree.last_from(it as u32)) else {
        return found;
    };
    if tree.ancestors(at).count() > MAX_DEPTH {
        return found;
    }
    for node in std::iter::once(at).chain(tree.ancestors(at)) {
        let Some(parent) = tree.parent(node) else { break };
        match tree.kind(parent) {
            NodeKind::Mapping(CollectionStyle::Block) => found.extend(segment_of(tree, before, node, parent)),
            NodeKind::Sequence(CollectionStyle::Block) => {}
            // Lines have no meaning in flow collections.
            _ => found.clear(),
        }
    }
    found.retain(|it| {
        let begin = tree.nodes[it.nodes.start].span.start as usize;
        begin < change.start && change.old_end <= it.lines.end as usize
    });
    found
}

/// The block mapping entry with this key or value, if it does not share its lines with other nodes.
fn segment_of(tree: &Tree, before: Document, node: NodeId, mapping: NodeId) -> Option<Segment> {
    let entry = tree.entry_of(node)?;
    let text = tree.text().as_bytes();
    let key = tree.data(entry.key);
    let line_start = |at: usize| memchr::memrchr(b'\n', &text[..at]).map_or(before.span.start as usize, |it| it + 1);
    let begin = line_start(key.span.start as usize);
    let is_indent = |it: &u8| *it == b' ';
    if key.has_properties || begin < before.span.start as usize {
        return None;
    }
    let indent = key.span.start as usize - begin;
    if !text[begin..key.span.start as usize].iter().all(is_indent) {
        return None;
    }
    let after = tree.end(entry.value) as usize;
    let end = match tree.nodes.get(after) {
        None => before.span.end as usize,
        Some(next) => {
            let next_start = tree.full_span(NodeId(after as u32)).start as usize;
            let end = line_start(next_start);
            let ahead = &text[end..next_start];
            let next_indent = ahead.iter().take_while(|it| is_indent(it)).count();
            // Dashes before the key belong to the collections around the entry.
            let is_first = ahead[next_indent..].iter().all(|it| matches!(it, b' ' | b'-'));
            let follows = next.span.start > key.span.start && next_indent <= indent;
            if !(is_first && follows) {
                return None;
            }
            end
        }
    };
    Some(Segment {
        nodes: entry.key.0 as usize..after,
        lines: Span::new(begin as u32, end as u32),
        mapping,
    })
}

/// Whether a tree consists only of entries that can replace a segment.
fn is_entries_of(fresh: &Tree, tree: &Tree, segment: &Segment, lines: Span) -> bool {
    let Some(root) = fresh.root() else { return false };
    let begins_alike = fresh.data(root).span.start == tree.nodes[segment.nodes.start].span.start;
    let is_mapping = fresh.kind(root) == NodeKind::Mapping(CollectionStyle::Block);
    // An absent value at the very end would belong to the position of the next node.
    let is_at_end = |it: &NodeData| it.span.start >= lines.end;
    // The parser ignores the text after the first node of a document.
    let rest = &fresh.text().as_bytes()[fresh.data(root).span.end as usize..lines.end as usize];
    let is_unread = |it: &[u8]| !matches!(it.trim_ascii().first(), None | Some(b'#'));
    begins_alike
        && !rest.split(|it| *it == b'\n').any(is_unread)
        && is_mapping
        && !fresh.data(root).has_properties
        && fresh.lines.is_empty()
        && !fresh.has_aliases()
        && !fresh.nodes.iter().any(is_at_end)
        && depth(fresh) <= MAX_DEPTH
}

fn depth(tree: &Tree) -> usize {
    let mut depths = vec![0_usize; tree.nodes.len()];
    let mut deepest = 0;
    for (at, node) in tree.nodes.iter().enumerate() {
        if node.parent != NO_PARENT {
            depths[at] = depths[node.parent as usize] + 1;
            deepest = deepest.max(depths[at]);
        }
    }
    deepest
}

/// The change of node identifiers when new entries replace a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Renumbered {
    /// The identifier of the segment's first node.
    pub(crate) first: u32,
    /// The identifier of the first node after the segment, before and after the change.
    pub(crate) behind: (u32, u32),
}

impl Renumbered {
    /// The new identifier of a node after the segment.
    pub(crate) fn behind(&self, node: u32) -> u32 {
        node - self.behind.0 + self.behind.1
    }

    /// The new identifier of a node in the tree of the new entries. The root of that tree becomes the mapping.
    fn fresh(&self, node: u32) -> u32 {
        node + self.first - 1
    }

    /// The range of a sorted list that belongs to the segment's nodes.
    fn range_of<T>(&self, list: &[(NodeId, T)]) -> std::ops::Range<usize> {
        let at = |node: u32| list.partition_point(|it| it.0.0 < node);
        at(self.first)..at(self.behind.0)
    }
}

/// Replaces a segment by the entries of a tree.
fn splice(tree: &mut Tree, segment: &Segment, fresh: Tree, added_lines: i64, change: &Change) -> Renumbered {
    let numbers = Renumbered {
        first: segment.nodes.start as u32,
        behind: (
            segment.nodes.end as u32,
            (segment.nodes.start + fresh.nodes.len() - 1) as u32,
        ),
    };
    splice_nodes(tree, segment, fresh.nodes, &numbers, change);
    let range = numbers.range_of(&tree.properties);
    for (node, properties) in &mut tree.properties[range.end..] {
        node.0 = numbers.behind(node.0);
        for span in [&mut properties.anchor, &mut properties.tag].into_iter().flatten() {
            *span = change.moved_span(*span);
        }
    }
    let of_entries = fresh.properties.into_iter();
    tree.properties
        .splice(range, of_entries.map(|(node, it)| (NodeId(numbers.fresh(node.0)), it)));
    let range = numbers.range_of(&tree.lines);
    for (node, line) in &mut tree.lines[range.end..] {
        node.0 = numbers.behind(node.0);
        *line = (i64::from(*line) + added_lines) as u32;
    }
    tree.lines.drain(range);
    let at = |offset: u32| tree.comments.partition_point(|it| it.start < offset);
    let range = at(segment.lines.start)..at(segment.lines.end);
    for comment in &mut tree.comments[range.end..] {
        *comment = change.moved_span(*comment);
    }
    tree.comments.splice(range, fresh.comments);
    tree.span = change.moved_span(tree.span);
    tree.forget_siblings();
    numbers
}

fn splice_nodes(tree: &mut Tree, segment: &Segment, fresh: Vec<NodeData>, numbers: &Renumbered, change: &Change) {
    for node in &mut tree.nodes[segment.nodes.end..] {
        node.span = change.moved_span(node.span);
        if node.parent >= numbers.behind.0 && node.parent != NO_PARENT {
            node.parent = numbers.behind(node.parent);
        }
        if is_collection(node.kind) {
            node.extra = numbers.behind(node.extra);
        }
    }
    let end = fresh[0].span.end;
    let mut above = segment.mapping.0;
    while let Some(node) = tree.nodes.get_mut(above as usize) {
        // A collection ends where its last child ends.
        let ends_here = node.extra == numbers.behind.0;
        node.span.end = if ends_here { end } else { change.moved(node.span.end) };
        node.extra = numbers.behind(node.extra);
        above = node.parent;
    }
    let entries = fresh.into_iter().skip(1).map(|mut node| {
        node.parent = match node.parent {
            0 => segment.mapping.0,
            other => numbers.fresh(other),
        };
        if is_collection(node.kind) {
            node.extra = numbers.fresh(node.extra);
        }
        node
    });
    tree.nodes.splice(segment.nodes.clone(), entries);
}

fn is_collection(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Mapping(_) | NodeKind::Sequence(_))
}
