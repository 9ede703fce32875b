//! Cursors between the tokens of indented collections: after a colon or dash, and on empty lines.

use crd_analyzer_syntax::{
    paths::Step,
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use super::{CursorContext, Slot, Token, column, line_end, line_start, path};

/// The context of a cursor that is neither on a scalar nor in brackets or braces.
pub(super) fn place(tree: &Tree, offset: u32) -> Option<CursorContext<'_>> {
    let start = line_start(tree, offset);
    let before = &tree.text()[start as usize..offset as usize];
    if before.trim_matches([' ', '\t']).is_empty() {
        on_empty_line(tree, offset)
    } else {
        behind_indicator(tree, offset, before)
    }
}

/// The context after `key: ` or `- `.
fn behind_indicator<'t>(tree: &'t Tree, offset: u32, before: &str) -> Option<CursorContext<'t>> {
    let node = last_written(tree, offset)?;
    if let Some((before, quote)) = open_quote(before) {
        return behind_quote(tree, offset, before, quote);
    }
    let trimmed = before.trim_end_matches([' ', '\t']);
    let has_blank = trimmed.len() < before.len();
    let rest = &tree.text()[offset as usize..line_end(tree, offset) as usize];
    // Text that is typed here would join the other text on the line.
    if !(rest.trim().is_empty() || rest.trim_start().starts_with('#')) {
        return before_plain_text(tree, offset, node, trimmed);
    }
    if let Some(found) = behind_plain_text(tree, offset, node) {
        return Some(found);
    }
    if trimmed.ends_with(':') {
        let entry = tree.entry_of(node).filter(|it| it.key == node)?;
        // Only blanks and the colon may be between the key and the cursor.
        let between = tree.text().get(tree.span(node).end as usize..offset as usize)?;
        if between.trim_matches([' ', '\t']) != ":" {
            return None;
        }
        let written = tree.span(entry.value);
        if !written.is_empty() {
            return None;
        }
        return Some(value(tree, offset, entry.value, false));
    }
    if trimmed.split_ascii_whitespace().all(|it| it == "-") && has_blank {
        // The innermost list whose dash is before the cursor.
        let (list, index) = item_at(tree, offset)?;
        let item = tree.items(list).nth(index);
        let is_written = |it: NodeId| !tree.span(it).is_empty() && tree.span(it).start < offset;
        if item.is_some_and(is_written) {
            return None;
        }
        let mut found = path(tree, list);
        found.push(Step::Index(index));
        return Some(CursorContext {
            tree,
            offset,
            path: found,
            slot: Slot::Value {
                node: item,
                on_own_line: true,
            },
            token: Token::none(offset),
            is_flow: false,
        });
    }
    None
}

/// Splits a line that ends with a quote after a colon or dash.
fn open_quote(before: &str) -> Option<(&str, char)> {
    let quote = before.chars().next_back().filter(|it| matches!(it, '\'' | '"'))?;
    let rest = &before[..before.len() - 1];
    let trimmed = rest.trim_end_matches([' ', '\t']);
    let is_value = trimmed.len() < rest.len() && (trimmed.ends_with(':') || trimmed.ends_with('-'));
    is_value.then_some((rest, quote))
}

/// The context after a quote that the user has just typed.
fn behind_quote<'t>(tree: &'t Tree, offset: u32, before: &str, quote: char) -> Option<CursorContext<'t>> {
    let rest = &tree.text()[offset as usize..line_end(tree, offset) as usize];
    if !rest.trim().is_empty() {
        return None;
    }
    let key = before.trim_end_matches([' ', '\t']);
    let mut node = last_written(tree, offset - 1)?;
    let mut place = if key.ends_with(':') {
        while tree.entry_of(node).is_none_or(|it| it.key != node) {
            node = tree.parent(node)?;
        }
        value(tree, offset, tree.entry_of(node)?.value, false)
    } else {
        let (list, index) = item_at(tree, offset)?;
        let mut found = path(tree, list);
        found.push(Step::Index(index));
        CursorContext {
            path: found,
            ..value(tree, offset, list, true)
        }
    };
    place.token = Token::open(offset, quote);
    Some(place)
}

/// The list whose dash is the last text before a cursor, and the index of the item after that dash.
fn item_at(tree: &Tree, offset: u32) -> Option<(NodeId, usize)> {
    let start = line_start(tree, offset);
    let before = &tree.text()[start as usize..offset as usize];
    let dash = start + before.rfind('-')? as u32;
    let node = tree.last_from(offset)?;
    let mut chain = std::iter::once(node).chain(tree.ancestors(node));
    let list = chain.find(|it| {
        tree.kind(*it) == NodeKind::Sequence(CollectionStyle::Block)
            && column(tree, tree.span(*it).start) == column(tree, dash)
    })?;
    // Items that start after the dash are not before it.
    let index = tree.items(list).take_while(|it| item_start(tree, *it) < dash).count();
    Some((list, index))
}

/// The start of an item. If the item is absent, the position of its dash.
fn item_start(tree: &Tree, item: NodeId) -> u32 {
    let start = tree.full_span(item).start;
    if tree.is_absent(item) {
        start.saturating_sub(1)
    } else {
        start
    }
}

/// The last node that has text before a cursor.
fn last_written(tree: &Tree, offset: u32) -> Option<NodeId> {
    let mut node = tree.last_from(offset)?;
    loop {
        let is_nothing = tree.span(node).is_empty();
        let begins_here = tree.span(node).start == offset;
        if !is_nothing && !begins_here {
            return Some(node);
        }
        // A collection starts with its first child, so continue with the node before it.
        node = previous(tree, node)?;
    }
}

/// The node before a node in the order of the text.
fn previous(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let start = tree.span(node).start;
    let parent = tree.parent(node);
    let before = parent.and_then(|parent| tree.children(parent).take_while(|it| *it != node).last());
    match before {
        Some(before) => tree.subtree(before).next_back(),
        None => parent.filter(|it| tree.span(*it).start <= start),
    }
}

fn value(tree: &Tree, offset: u32, node: NodeId, on_own_line: bool) -> CursorContext<'_> {
    CursorContext {
        tree,
        offset,
        path: path(tree, node),
        slot: Slot::Value {
            node: Some(node),
            on_own_line,
        },
        token: Token::none(offset),
        is_flow: false,
    }
}

/// The context on a line with only blanks before the cursor.
fn on_empty_line(tree: &Tree, offset: u32) -> Option<CursorContext<'_>> {
    let rest = &tree.text()[offset as usize..line_end(tree, offset) as usize];
    if !(rest.trim().is_empty() || rest.trim_start().starts_with('#')) {
        return None;
    }
    let at = column(tree, offset);
    let Some(root) = tree.root() else {
        return Some(key(tree, offset, Vec::new(), None, None));
    };
    let Some(last) = last_written(tree, line_start(tree, offset)) else {
        // The cursor is before all content.
        let is_mapping = tree.kind(root) == NodeKind::Mapping(CollectionStyle::Block);
        return is_mapping.then(|| key(tree, offset, Vec::new(), Some(root), None));
    };
    if let Some(found) = in_block_scalar(tree, offset, last, at) {
        return Some(found);
    }
    let parent_column = tree.parent(last).map(|it| column(tree, tree.span(it).start));
    if parent_column.is_some_and(|it| it < at)
        && let Some(found) = behind_plain_text(tree, offset, last)
    {
        return Some(found);
    }
    // The last node has no value yet: `key:` or `-` is at the end of its line.
    if let Some(entry) = tree.entry_of(last).filter(|it| it.key == last) {
        let parent = tree.parent(last)?;
        let own = column(tree, tree.span(parent).start);
        let following = tree.span(entry.value);
        if following.is_empty() && at > own {
            return Some(value(tree, offset, entry.value, true));
        }
        if !following.is_empty() && following.start >= offset {
            // The cursor is at the start of the value on the following lines.
            let column_of_value = column(tree, following.start);
            match tree.kind(entry.value) {
                // The value on the following lines belongs to a key that is still missing here.
                _ if at > own && at < column_of_value => return Some(value(tree, offset, entry.value, true)),
                NodeKind::Mapping(CollectionStyle::Block) if at > own || at == column_of_value => {
                    return Some(key(tree, offset, path(tree, entry.value), Some(entry.value), None));
                }
                // The cursor is at the first dash of a list, where an item could be inserted.
                NodeKind::Sequence(CollectionStyle::Block) if at == column_of_value && at > own => {
                    return Some(value(tree, offset, entry.value, true));
                }
                _ if at > own => return None,
                _ => {}
            }
        }
    }
    let chain = std::iter::once(last).chain(tree.ancestors(last));
    let mut list = None;
    let mut found = None;
    for node in chain {
        let own = column(tree, tree.span(node).start);
        match tree.kind(node) {
            NodeKind::Sequence(CollectionStyle::Block) => {
                if let Some(item) = waiting_item(tree, node, offset, at, own) {
                    return Some(item);
                }
                if own == at {
                    list = Some(node);
                } else if own < at {
                    break;
                }
            }
            NodeKind::Mapping(CollectionStyle::Block) if own <= at => {
                found = Some(node);
                break;
            }
            _ => {}
        }
    }
    match (found, list) {
        (Some(mapping), list) if column(tree, tree.span(mapping).start) == at || list.is_none() => {
            Some(key(tree, offset, path(tree, mapping), Some(mapping), list))
        }
        (_, Some(list)) => Some(dash(tree, offset, list)),
        _ => None,
    }
}

/// The context of the item that is missing after a dash before the cursor.
fn waiting_item(tree: &Tree, list: NodeId, offset: u32, at: u32, own: u32) -> Option<CursorContext<'_>> {
    if at <= own {
        return None;
    }
    let (index, item) = tree
        .items(list)
        .enumerate()
        .take_while(|it| item_start(tree, it.1) < offset)
        .last()?;
    if !tree.is_absent(item) {
        return None;
    }
    let mut found = path(tree, list);
    found.push(Step::Index(index));
    Some(CursorContext {
        path: found,
        ..value(tree, offset, item, true)
    })
}

fn key<'t>(
    tree: &'t Tree,
    offset: u32,
    path: Vec<Step<'t>>,
    mapping: Option<NodeId>,
    list: Option<NodeId>,
) -> CursorContext<'t> {
    CursorContext {
        tree,
        offset,
        path,
        slot: Slot::Key {
            mapping,
            entry: None,
            has_colon: false,
            list,
        },
        token: Token::none(offset),
        is_flow: false,
    }
}

fn dash(tree: &Tree, offset: u32, list: NodeId) -> CursorContext<'_> {
    let mut found = path(tree, list);
    found.push(Step::Index(
        tree.items(list).take_while(|it| tree.span(*it).start < offset).count(),
    ));
    CursorContext {
        tree,
        offset,
        path: found,
        slot: Slot::Dash { list },
        token: Token::none(offset),
        is_flow: false,
    }
}

/// The context after a colon, before a plain scalar on the same line. Typed text becomes the start of the scalar.
fn before_plain_text<'t>(tree: &'t Tree, offset: u32, node: NodeId, before: &str) -> Option<CursorContext<'t>> {
    let entry = tree
        .entry_of(node)
        .filter(|it| it.key == node && before.ends_with(':'))?;
    let span = tree.span(entry.value);
    let is_text = tree.kind(entry.value) == NodeKind::Scalar(ScalarStyle::Plain);
    let is_next = is_text && span.start > offset && span.start <= line_end(tree, offset);
    is_next.then(|| {
        let mut place = value(tree, offset, entry.value, false);
        place.token.span = Span::new(offset, span.end);
        place.token.style = Some(ScalarStyle::Plain);
        place.token.has_blank = true;
        place
    })
}

/// The context of a cursor after a plain scalar in brackets or braces.
pub(super) fn behind_text_in_flow(tree: &Tree, offset: u32) -> Option<CursorContext<'_>> {
    behind_plain_text(tree, offset, last_written(tree, offset)?)
}

/// The context after blanks that follow a plain scalar value. Typed text continues the scalar.
fn behind_plain_text(tree: &Tree, offset: u32, node: NodeId) -> Option<CursorContext<'_>> {
    let end = tree.span(node).end;
    let between = tree.text().get(end as usize..offset as usize)?;
    let is_text = tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain) && !tree.is_absent(node);
    let is_value = tree.entry_of(node).is_none_or(|it| it.key != node);
    if !is_text || !is_value || between.is_empty() || !between.trim().is_empty() {
        return None;
    }
    let mut place = super::token::place(tree, end, node)?;
    place.offset = offset;
    place.token.span.end = offset;
    place.token.prefix.push(' ');
    place.token.has_blank = true;
    Some(place)
}

/// The context after the text of a block scalar, if a line with this indentation continues the scalar.
fn in_block_scalar(tree: &Tree, offset: u32, last: NodeId, at: u32) -> Option<CursorContext<'_>> {
    if !matches!(
        tree.kind(last),
        NodeKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded)
    ) {
        return None;
    }
    let span = tree.span(last);
    let indentation = content_column(tree, span).unwrap_or_else(|| {
        let line = &tree.text()[line_start(tree, span.start) as usize..];
        (line.len() - line.trim_start_matches([' ', '-']).len()) as u32 + 1
    });
    if at < indentation {
        return None;
    }
    let mut place = value(tree, offset, last, false);
    place.token.span = Span::new(offset, offset);
    place.token.style = match tree.kind(last) {
        NodeKind::Scalar(style) => Some(style),
        _ => None,
    };
    place.token.prefix = tree.scalar(last).into_owned();
    Some(place)
}

/// The column in which the text of a block scalar begins.
pub(super) fn content_column(tree: &Tree, span: Span) -> Option<u32> {
    let text = &tree.text()[span.range()];
    let lines = text.lines().skip(1);
    let first = lines.clone().find(|it| !it.trim().is_empty())?;
    Some((first.len() - first.trim_start_matches(' ').len()) as u32)
}
