//! Cursors between the tokens of a collection in braces or brackets.

use crd_analyzer_syntax::{
    paths::Step,
    tree::{CollectionStyle, NodeId, NodeKind, Tree},
};

use super::{CursorContext, Slot, Token, path};

pub(super) fn is_flow(tree: &Tree, node: NodeId) -> bool {
    matches!(
        tree.kind(node),
        NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow)
    )
}

/// The innermost collection in brackets or braces around a cursor. If it is not closed, it includes the blanks and separators after its last child.
pub(super) fn around(tree: &Tree, offset: u32) -> Option<NodeId> {
    let last = tree.last_from(offset.checked_sub(1)?)?;
    let nodes = std::iter::once(last).chain(tree.ancestors(last));
    for node in nodes.filter(|it| is_flow(tree, *it)) {
        let span = tree.span(node);
        if span.start < offset && offset < span.end {
            return Some(node);
        }
        let text = tree.text();
        let is_closed =
            text[span.range()].len() > 1 && text[span.range()].ends_with(['}', ']']) && !ends_with_child(tree, node);
        let between = text.get(span.end as usize..offset as usize)?;
        if !is_closed
            && between
                .chars()
                .all(|it| it.is_ascii_whitespace() || matches!(it, ',' | ':'))
        {
            return Some(node);
        }
    }
    None
}

/// Whether a collection ends where its last child ends, which means that it is not closed.
fn ends_with_child(tree: &Tree, node: NodeId) -> bool {
    let end = tree.span(node).end;
    tree.children(node)
        .last()
        .is_some_and(|it| !tree.span(it).is_empty() && tree.span(it).end == end)
}

/// The context of a cursor between the children of a collection in brackets or braces.
pub(super) fn place(tree: &Tree, offset: u32, node: NodeId) -> Option<CursorContext<'_>> {
    let mut before = None;
    let mut count = 0;
    for (index, child) in tree.children(node).enumerate() {
        if tree.span(child).start >= offset {
            break;
        }
        before = Some((index, child));
        count = index + 1;
    }
    let from = match before {
        Some((_, child)) => tree.span(child).end,
        None => tree.span(node).start + 1,
    };
    // If a bracket is not closed, the text after it also belongs to the collection.
    let between = &tree.text()[from as usize..offset.max(from) as usize];
    let is_mapping = matches!(tree.kind(node), NodeKind::Mapping(_));
    let mut place = CursorContext {
        tree,
        offset,
        path: path(tree, node),
        slot: Slot::Key {
            mapping: Some(node),
            entry: None,
            has_colon: false,
            list: None,
        },
        token: Token::none(offset),
        is_flow: true,
    };
    let is_new = between.contains(',') || before.is_none();
    if !is_mapping {
        if !is_new {
            return None;
        }
        place.path.push(Step::Index(count));
        place.slot = Slot::Value {
            node: None,
            on_own_line: false,
        };
        return Some(place);
    }
    if is_new {
        return Some(place);
    }
    let (index, child) = before?;
    let is_key = index % 2 == 0;
    let value = if is_key {
        // The value starts after the cursor, or is missing.
        between.contains(':').then(|| tree.entry_of(child)).flatten()?
    } else if tree.is_absent(child) || tree.kind(child) == NodeKind::Error {
        tree.entry_of(child)?
    } else {
        return None;
    };
    let key_end = tree.span(value.key).end;
    let after_key = tree.text().get(key_end as usize..offset as usize)?;
    if !after_key.contains(':') {
        return None;
    }
    let is_written = !tree.span(value.value).is_empty();
    if is_written {
        return None;
    }
    place.path = path(tree, value.value);
    place.slot = Slot::Value {
        node: Some(value.value),
        on_own_line: false,
    };
    Some(place)
}
