//! Words that may be keys, but are in a column where YAML allows no key, and the indentation that fixes them.

use crd_analyzer_syntax::tree::{CollectionStyle, NodeKind, ScalarStyle, Span};

use super::{CursorContext, Slot, Token, column, line_end, line_start, path};

impl CursorContext<'_> {
    /// The context of a key, if the cursor is on a word that YAML parses as part of the value above but that is probably a key with too much
    /// indentation: `type: string`, and a word on the next line. Also returns whether the value above is a number, a Boolean or null.
    pub fn key_below_value(&self) -> Option<(Self, bool)> {
        let Slot::Value { node: Some(node), .. } = self.slot else {
            return None;
        };
        let tree = self.tree;
        let start = line_start(tree, self.offset);
        let written = tree.span(node);
        if tree.kind(node) != NodeKind::Scalar(ScalarStyle::Plain) || written.is_empty() || written.start >= start {
            return None;
        }
        tree.entry_of(node).filter(|it| it.value == node)?;
        let mapping = tree.parent(node)?;
        if tree.kind(mapping) != NodeKind::Mapping(CollectionStyle::Block) {
            return None;
        }
        let line = &tree.text()[start as usize..line_end(tree, self.offset) as usize];
        let word = line.trim_matches(' ');
        let word_start = start + (line.len() - line.trim_start_matches(' ').len()) as u32;
        if word.contains([' ', '\t', ':']) || self.offset < word_start {
            return None;
        }
        let span = Span::new(word_start, word_start + word.len() as u32);
        let token = if word.is_empty() {
            Token::none(self.offset)
        } else {
            Token {
                span,
                style: Some(ScalarStyle::Plain),
                prefix: tree.text()[word_start as usize..self.offset as usize].to_owned(),
                ..Token::none(self.offset)
            }
        };
        let first = tree.source(node).lines().next().unwrap_or_default().trim_end();
        let is_number = first.parse::<f64>().is_ok() || matches!(first, "true" | "false" | "null");
        let place = Self {
            tree,
            offset: self.offset,
            path: path(tree, mapping),
            slot: Slot::Key {
                mapping: Some(mapping),
                entry: None,
                has_colon: false,
                list: None,
            },
            token,
            is_flow: false,
        };
        Some((place, is_number))
    }

    /// If a key is not in the column of the other keys of its mapping: the span of its indentation, and the right column.
    pub fn wrong_indentation(&self) -> Option<(Span, u32)> {
        let Slot::Key {
            mapping: Some(mapping), ..
        } = self.slot
        else {
            return None;
        };
        let tree = self.tree;
        let start = line_start(tree, self.offset);
        let written = Span::new(start, self.token.span.start.max(start));
        let is_indentation = tree.text()[written.range()].bytes().all(|it| it == b' ');
        let keys = column(tree, tree.span(mapping).start);
        (!self.is_flow && is_indentation && keys != written.end - start).then_some((written, keys))
    }
}
