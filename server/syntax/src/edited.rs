//! The tree of a text that differs from one already parsed in a part of one plain scalar: nothing is parsed again.
//!
//! Most keystrokes in a CRD are in the middle of a name, a type, a rule or a description. There the parser would see the same tokens
//! as before, so only spans change. Everything that could change a token (an indicator, white space at an end, the first character of
//! a line, quotes, brackets, a line break) is left to the parser.

use std::sync::Arc;

use crate::{
    common,
    reader::Encoding,
    split::Document,
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

/// The longest line on which a key may change, in bytes: go-yaml accepts keys of less than 1,024 characters.
const MAX_KEY_LINE: usize = 1000;

/// One replacement that turns a text into another.
struct Change {
    start: usize,
    old_end: usize,
    new_end: usize,
}

impl Change {
    /// The smallest one.
    fn between(old: &[u8], new: &[u8]) -> Self {
        let ahead = common::ahead(old, new);
        let behind = common::behind(&old[ahead..], &new[ahead..]);
        Self {
            start: ahead,
            old_end: old.len() - behind,
            new_end: new.len() - behind,
        }
    }

    /// Where an offset at or behind the change is in the new text.
    fn moved(&self, offset: u32) -> u32 {
        (offset as usize - self.old_end + self.new_end) as u32
    }
}

/// Turns the tree of `before` into the one of `document` in `text`, if the two differ in the middle of one plain scalar only. The
/// result equals the one of [`crate::split::read_document`]. Returns whether it did; if not, the tree is as it was, and the text has to be
/// parsed.
pub fn read_edited(tree: &mut Tree, before: Document, text: &Arc<str>, document: Document) -> bool {
    let Some((node, change)) = plain_edit(tree, before, text, document) else {
        return false;
    };
    let end = change.old_end as u32;
    // No other node begins in the scalar or at its end, so what begins behind the change moves, and what ends there, too.
    let follow = |span: &mut Span| {
        if span.start >= end {
            span.start = change.moved(span.start);
        }
        if span.end >= end {
            span.end = change.moved(span.end);
        }
    };
    let first_behind = node.0 as usize + 1;
    for data in &mut tree.nodes[first_behind..] {
        follow(&mut data.span);
    }
    follow(&mut tree.nodes[node.0 as usize].span);
    let mut above = tree.nodes[node.0 as usize].parent;
    while let Some(data) = tree.nodes.get_mut(above as usize) {
        follow(&mut data.span);
        above = data.parent;
    }
    for span in &mut tree.comments {
        follow(span);
    }
    for (_, properties) in &mut tree.properties {
        for span in [&mut properties.anchor, &mut properties.tag].into_iter().flatten() {
            follow(span);
        }
    }
    follow(&mut tree.span);
    tree.text = text.into();
    true
}

/// The scalar that an edit is in, if the parser would see the same tokens after it.
fn plain_edit(tree: &Tree, before: Document, text: &Arc<str>, document: Document) -> Option<(NodeId, Change)> {
    let is_utf8 = |it: Document| !it.unterminated && it.encoding != Encoding::Utf16;
    if !(is_utf8(before) && is_utf8(document)) || before.index != document.index {
        return None;
    }
    let (old, new) = (tree.text().as_bytes(), text.as_bytes());
    let change = Change::between(old, new);
    let is_harmless = |it: &u8| (0x20..0x7F).contains(it);
    let (removed, added) = (&old[change.start..change.old_end], &new[change.start..change.new_end]);
    if !removed.iter().chain(added).all(is_harmless) {
        return None;
    }
    // In this document, which else stays where it is.
    let span = before.span;
    let is_inside = (span.start as usize) < change.start && change.old_end <= span.end as usize;
    if !is_inside || document.span != Span::new(span.start, change.moved(span.end)) {
        return None;
    }
    // An edit of something else may leave a scalar that is as long: at its end the change is in it, too.
    let node = tree.last_from(change.start.checked_sub(1)? as u32)?;
    let data = tree.data(node);
    let is_in_scalar = (data.span.start as usize) < change.start && change.old_end <= data.span.end as usize;
    if data.kind != NodeKind::Scalar(ScalarStyle::Plain) || data.has_properties || !is_in_scalar {
        return None;
    }
    let is_block = |it: NodeId| {
        matches!(
            tree.kind(it),
            NodeKind::Mapping(CollectionStyle::Block) | NodeKind::Sequence(CollectionStyle::Block)
        )
    };
    if !tree.ancestors(node).all(is_block) {
        return None;
    }
    let line_start = memchr::memrchr(b'\n', &new[..change.start]).map_or(0, |it| it + 1);
    let line_end = change.new_end + memchr::memchr(b'\n', &new[change.new_end..])?;
    let begin = line_start.max(data.span.start as usize);
    let end = line_end.min(change.moved(data.span.end) as usize);
    let is_key = new[end..line_end].trim_ascii_start().starts_with(b":");
    let is_too_long = is_key && line_end - line_start > MAX_KEY_LINE;
    (!is_too_long && keeps_tokens(&new[begin..end], change.start - begin)).then_some((node, change))
}

/// Whether a line of a plain scalar is one that the parser takes as a whole, and as a continuation of what is before. `edited`: where
/// in it the edit begins; what is before that is as it was.
fn keeps_tokens(line: &[u8], edited: usize) -> bool {
    let indent = line.iter().take_while(|it| **it == b' ').count();
    let content = &line[indent..];
    let (Some(first), Some(last)) = (content.first(), content.last()) else {
        return false;
    };
    let is_blank = |it: Option<&u8>| matches!(it, None | Some(b' ' | b'\t'));
    let ends_token = |(at, byte): (usize, &u8)| match byte {
        b':' => is_blank(content.get(at + 1)),
        b'#' => is_blank(at.checked_sub(1).map(|it| &content[it])),
        b'\t' | b'\r' => true,
        _ => false,
    };
    edited > indent
        && first.is_ascii_alphanumeric()
        && last.is_ascii_graphic()
        && content.is_ascii()
        && !content.iter().enumerate().any(ends_token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::{read_document, split};

    const TEXT: &str = "# é\na: some text\nmany:\n  words: here are\n    several lines, see\n    http://x.y:8 z # why\n  f: {a: b c}\n  q: 'it is'\n  l: [one, two]\n  t: !!str ab\nlist:\n- name: n  # c\n  x:\n- second entry: 1\n---\nb: other\n";

    /// Checks every edit of a text that replaces up to two bytes by a text, and returns how many need no parser.
    fn check_all(text: &str, insertions: &[&str]) -> usize {
        let documents = |text: &Arc<str>| split(text).documents;
        let old: Arc<str> = text.into();
        let mut taken = 0;
        for document in documents(&old) {
            let Ok(tree) = read_document(&old, document, &[]) else {
                continue;
            };
            for start in 0..text.len() {
                for removed in 0..3 {
                    if !text.is_char_boundary(start) || text.get(start..start + removed).is_none() {
                        continue;
                    }
                    for added in insertions {
                        let mut new = text.to_owned();
                        new.replace_range(start..start + removed, added);
                        let new: Arc<str> = new.into();
                        let found = documents(&new);
                        let Some(after) = found.iter().find(|it| it.index == document.index) else {
                            continue;
                        };
                        let mut edited = tree.clone();
                        if !read_edited(&mut edited, document, &new, *after) {
                            continue;
                        }
                        taken += usize::from(*new != *text);
                        let expected = read_document(&new, *after, &[]);
                        assert_eq!(Ok(edited), expected, "of {new:?}");
                    }
                }
            }
        }
        taken
    }

    #[test]
    fn an_edit_in_a_plain_scalar_gives_the_tree_of_the_parser() {
        let insertions = [
            "", "x", " ", ":", ": ", " #", "#", "-", "\n", "'", "\"", "{", ",", "]", "&a ", "é", "x y", ":\n", "\t",
        ];
        let taken = check_all(TEXT, &insertions);
        assert!(taken > 500, "{taken}");
    }

    #[test]
    fn a_text_that_has_to_be_parsed_leaves_the_tree_as_it_is() {
        let old: Arc<str> = "a: b\n".into();
        let document = split(&old).documents[0];
        let mut tree = read_document(&old, document, &[]).expect("YAML");
        let before = tree.clone();
        let new: Arc<str> = "a: 'b\n".into();
        let after = split(&new).documents[0];
        assert!(!read_edited(&mut tree, document, &new, after));
        assert_eq!(tree, before);
    }
}
