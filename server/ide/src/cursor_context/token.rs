//! Cursors on a scalar.

use crd_analyzer_syntax::tree::{Entry, NodeId, NodeKind, ScalarStyle, Span, Tree};

use super::{CursorContext, Slot, line_end, line_start, path};

/// The scalar at the cursor, or an empty token if there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// The span that a completion replaces, including quotes. If the cursor is not in a token, it is empty.
    pub span: Span,
    /// The style of the scalar; `None` outside of tokens.
    pub style: Option<ScalarStyle>,
    /// The decoded text before the cursor.
    pub prefix: String,
    /// Whether the opening quote has no closing quote.
    pub is_open: bool,
    /// Whether the scalar is plain, and blanks separate it from the cursor.
    pub has_blank: bool,
}

impl Token {
    /// An empty token at an offset.
    pub(super) fn none(offset: u32) -> Self {
        Self {
            span: Span::new(offset, offset),
            style: None,
            prefix: String::new(),
            is_open: false,
            has_blank: false,
        }
    }
}

impl Token {
    /// A token that consists of an opening quote before the cursor.
    pub(super) fn open(offset: u32, quote: char) -> Self {
        Self {
            span: Span::new(offset - 1, offset),
            style: Some(if quote == '"' {
                ScalarStyle::DoubleQuoted
            } else {
                ScalarStyle::SingleQuoted
            }),
            is_open: true,
            ..Self::none(offset)
        }
    }
}

/// The scalar at a cursor. If a key is missing before a colon, the gap.
pub(super) fn touched(tree: &Tree, offset: u32) -> Option<NodeId> {
    let mut node = tree.last_from(offset)?;
    // If one token ends at the cursor and another starts there, prefer the second, unless it has no text.
    loop {
        if is_on(tree, node, offset) {
            return Some(node);
        }
        let begins_here = tree.span(node).start == offset || tree.is_absent(node) || tree.kind(node) == NodeKind::Error;
        if !begins_here {
            return None;
        }
        node = tree.last_from(tree.span(node).start.checked_sub(1)?)?;
        if tree.span(node).end < offset {
            return None;
        }
    }
}

fn is_on(tree: &Tree, node: NodeId, offset: u32) -> bool {
    let span = tree.span(node);
    match tree.kind(node) {
        // `: value`, where the key is missing.
        NodeKind::Error | NodeKind::Scalar(ScalarStyle::Plain) if span.is_empty() => {
            span.start == offset && is_key(tree, node) && has_colon(tree, offset)
        }
        NodeKind::Scalar(ScalarStyle::Plain) => span.touches(offset) && !is_before_text(tree, node, offset),
        NodeKind::Scalar(ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) => {
            span.start < offset && (offset < span.end || offset == span.end && is_open(tree, node))
        }
        NodeKind::Scalar(ScalarStyle::Literal | ScalarStyle::Folded) => {
            let is_content = span.start < offset && offset <= span.end && offset > line_end(tree, span.start);
            is_content && !is_before_content(tree, span, offset)
        }
        _ => false,
    }
}

/// Whether a cursor is on an empty line of a block scalar, with less indentation than the scalar's text. A key there would end the scalar.
fn is_before_content(tree: &Tree, span: Span, offset: u32) -> bool {
    let (start, end) = (line_start(tree, offset), line_end(tree, offset));
    let line = &tree.text()[start as usize..end as usize];
    line.trim().is_empty() && super::lines::content_column(tree, span).is_some_and(|it| offset - start < it)
}

/// Whether a cursor is on an empty line of a plain scalar, no deeper than the keys around it. A key there would end the scalar.
fn is_before_text(tree: &Tree, node: NodeId, offset: u32) -> bool {
    let (start, end) = (line_start(tree, offset), line_end(tree, offset));
    let keys = tree
        .parent(node)
        .map_or(0, |it| super::column(tree, tree.span(it).start));
    tree.span(node).start < start
        && offset - start <= keys
        && tree.text()[start as usize..end as usize].trim().is_empty()
}

/// Whether a quoted scalar has no closing quote.
pub(super) fn is_open(tree: &Tree, node: NodeId) -> bool {
    let source = tree.source(node);
    let Some(quote) = source.chars().next() else {
        return false;
    };
    if !matches!(quote, '"' | '\'') {
        return false;
    }
    let inner = &source[1..];
    let Some(before) = inner.strip_suffix(quote) else {
        return true;
    };
    // An escaped quote at the end does not close the scalar.
    if quote == '"' {
        (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
    } else {
        inner.matches('\'').count().is_multiple_of(2)
    }
}

pub(super) fn is_key(tree: &Tree, node: NodeId) -> bool {
    entry_of_key(tree, node).is_some()
}

/// The entry of a key.
pub(super) fn entry_of_key(tree: &Tree, node: NodeId) -> Option<Entry> {
    tree.entry_of(node).filter(|it| it.key == node)
}

/// Whether a colon follows on the same line.
pub(super) fn has_colon(tree: &Tree, end: u32) -> bool {
    tree.text()[end as usize..]
        .trim_start_matches([' ', '\t'])
        .starts_with(':')
}

/// The context of a cursor on a scalar.
pub(super) fn place(tree: &Tree, offset: u32, node: NodeId) -> Option<CursorContext<'_>> {
    let span = tree.span(node);
    let NodeKind::Scalar(style) = tree.kind(node) else {
        let entry = entry_of_key(tree, node)?;
        let mapping = tree.parent(node)?;
        return Some(CursorContext {
            tree,
            offset,
            path: path(tree, mapping),
            slot: Slot::Key {
                mapping: Some(mapping),
                entry: Some(entry),
                has_colon: true,
                list: None,
            },
            token: Token::none(offset),
            is_flow: is_in_flow(tree, node),
        });
    };
    let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
    let mut token = Token {
        span,
        style: Some(style),
        prefix: prefix(tree, node, offset),
        is_open: !is_block && is_open(tree, node),
        has_blank: false,
    };
    // The parser treats the text after an unterminated quote as a plain scalar.
    let quote = tree.text()[..span.start as usize].chars().next_back();
    if style == ScalarStyle::Plain
        && let Some(quote @ ('\'' | '"')) = quote
    {
        token.span.start -= 1;
        token.is_open = true;
        if quote == '"' {
            token.style = Some(ScalarStyle::DoubleQuoted);
            token.prefix = token.prefix.replace("\\\"", "\"").replace("\\\\", "\\");
        } else {
            token.style = Some(ScalarStyle::SingleQuoted);
            token.prefix = token.prefix.replace("''", "'");
        }
    }
    let is_flow = is_in_flow(tree, node);
    if let Some(entry) = entry_of_key(tree, node) {
        let mapping = tree.parent(node)?;
        let slot = Slot::Key {
            mapping: Some(mapping),
            entry: Some(entry),
            has_colon: has_colon(tree, span.end),
            list: None,
        };
        return Some(CursorContext {
            tree,
            offset,
            path: path(tree, mapping),
            slot,
            token,
            is_flow,
        });
    }
    Some(CursorContext {
        tree,
        offset,
        path: path(tree, node),
        slot: Slot::Value {
            node: Some(node),
            on_own_line: !is_flow && !is_block && begins_line(tree, span.start),
        },
        token,
        is_flow,
    })
}

/// The context of a cursor on a tag without a value. An unquoted expression that starts with `!` looks like such a tag.
pub(super) fn in_tag(tree: &Tree, offset: u32) -> Option<CursorContext<'_>> {
    let node = tree.last_from(offset).filter(|it| tree.is_absent(*it))?;
    let tag = tree.properties(node)?.tag?;
    tree.entry_of(node).filter(|it| it.value == node)?;
    (tag.start < offset && offset <= tag.end).then(|| CursorContext {
        tree,
        offset,
        path: path(tree, node),
        slot: Slot::Value {
            node: Some(node),
            on_own_line: false,
        },
        token: Token {
            span: tag,
            style: Some(ScalarStyle::Plain),
            prefix: tree.text()[tag.start as usize..offset as usize].to_owned(),
            is_open: false,
            has_blank: false,
        },
        is_flow: is_in_flow(tree, node),
    })
}

/// Whether an offset has only blanks and dashes before it on its line.
pub(super) fn begins_line(tree: &Tree, offset: u32) -> bool {
    let before = &tree.text()[line_start(tree, offset) as usize..offset as usize];
    before.split_ascii_whitespace().all(|it| it == "-")
}

pub(super) fn is_in_flow(tree: &Tree, node: NodeId) -> bool {
    tree.parent(node).is_some_and(|it| super::flow::is_flow(tree, it))
}

/// The decoded text before the cursor.
fn prefix(tree: &Tree, node: NodeId, offset: u32) -> String {
    let value = tree.scalar(node);
    let at = tree.source_map(node).to_value(offset).unwrap_or(value.len());
    let mut prefix = value.get(..at).unwrap_or(&value).to_owned();
    // Blanks at the end of a line are not part of the value, but they separate a word that is typed after them.
    if tree.text()[..offset as usize].ends_with([' ', '\t'])
        && !prefix.is_empty()
        && !prefix.ends_with([' ', '\t', '\n'])
    {
        prefix.push(' ');
    }
    prefix
}
