//! Updates the tree of an already parsed text after a change in one place.
//!
//! Many keystrokes in a CRD are in the middle of a name, a type, a rule or a description. After such a keystroke, the parser would find the same
//! tokens as before, so only spans change. If the edit could change a token (an indicator, white space at an end, the first character of a line,
//! quotes, brackets, a line break), the entry around the edit is parsed again ([`crate::spliced`]).

use std::sync::Arc;

use crate::{
    change::Change,
    spliced::{Spliced, read_spliced},
    split::Document,
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

/// The maximum length of a line on which a key may change, in bytes. It is limited because go-yaml accepts keys of less than 1,024 characters.
const MAX_KEY_LINE: usize = 1000;

/// The effect of an edit on a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edited {
    /// The text is the same.
    Nothing,
    /// One scalar without anchor and tag has a different text; all nodes stay the same.
    Scalar(NodeId),
    /// The nodes of one entry were replaced, and the nodes after it were renumbered.
    Entry(Spliced),
}

/// Turns the tree of `before` into the tree of `document` in `text`, if the two differ only in one scalar or in one entry. The result equals
/// the result of [`crate::split::read_document`]. If `None`, the tree is unchanged, and the text has to be parsed.
pub fn read_edited(tree: &mut Tree, before: Document, text: &Arc<str>, document: Document) -> Option<Edited> {
    if before == document && **tree.text() == **text {
        return Some(Edited::Nothing);
    }
    let change = change_in_document(tree, before, text, document)?;
    if let Some(node) = scalar_around(tree, text, &change) {
        let is_quoted = tree.data(node).kind == NodeKind::Scalar(ScalarStyle::DoubleQuoted);
        move_spans(tree, node, &change);
        if is_quoted {
            let data = &mut tree.nodes[node.0 as usize];
            data.decode = memchr::memchr(b'\\', &text.as_bytes()[data.span.range()]).is_some();
        }
        tree.text = text.into();
        return Some(Edited::Scalar(node));
    }
    read_spliced(tree, before, text, document, &change).map(Edited::Entry)
}

/// The change, if it is after the first byte of the document and only moved the end of the document.
fn change_in_document(tree: &Tree, before: Document, text: &Arc<str>, document: Document) -> Option<Change> {
    if before.unterminated || document.unterminated || before.index != document.index {
        return None;
    }
    let change = Change::between(tree.text().as_bytes(), text.as_bytes());
    let span = before.span;
    let is_inside = (span.start as usize) < change.start && change.old_end <= span.end as usize;
    (is_inside && document.span == Span::new(span.start, change.moved(span.end))).then_some(change)
}

/// Moves the spans after a change in a scalar.
fn move_spans(tree: &mut Tree, node: NodeId, change: &Change) {
    // No other node starts in the scalar or at its end. So all spans that start after the change move, and so do the ends that are after the change.
    let follow = |span: &mut Span| *span = change.moved_span(*span);
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
}

/// The scalar that contains the change, if the parser would still find the same tokens.
fn scalar_around(tree: &Tree, text: &str, change: &Change) -> Option<NodeId> {
    let (old, new) = (tree.text().as_bytes(), text.as_bytes());
    let is_harmless = |it: &u8| (0x20..0x7F).contains(it);
    let (removed, added) = (&old[change.start..change.old_end], &new[change.start..change.new_end]);
    if !removed.iter().chain(added).all(is_harmless) {
        return None;
    }
    // Another edit can give a scalar of the same length. The change is then at the scalar's end.
    let node = tree.last_from(change.start.checked_sub(1)? as u32)?;
    let data = tree.data(node);
    let is_in_scalar = (data.span.start as usize) < change.start && change.old_end <= data.span.end as usize;
    if data.has_properties || !is_in_scalar {
        return None;
    }
    let line_start = memchr::memrchr(b'\n', &new[..change.start]).map_or(0, |it| it + 1);
    let behind = memchr::memchr(b'\n', &new[change.new_end..]);
    let line_end = behind.map_or(new.len(), |it| change.new_end + it);
    let token_end = change.moved(data.span.end) as usize;
    let end = line_end.min(token_end);
    let is_key = new[end..line_end].trim_ascii_start().starts_with(b":");
    if is_key && line_end - line_start > MAX_KEY_LINE {
        return None;
    }
    let is_same_token = match data.kind {
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => {
            change.old_end < data.span.end as usize && is_quoted_line(&new[data.span.start as usize..token_end])
        }
        NodeKind::Scalar(ScalarStyle::Plain) => {
            let begin = line_start.max(data.span.start as usize);
            behind.is_some()
                && tree.ancestors(node).all(|it| is_block(tree, it))
                && keeps_tokens(&new[begin..end], change.start - begin)
        }
        _ => false,
    };
    is_same_token.then_some(node)
}

fn is_block(tree: &Tree, node: NodeId) -> bool {
    matches!(
        tree.kind(node),
        NodeKind::Mapping(CollectionStyle::Block) | NodeKind::Sequence(CollectionStyle::Block)
    )
}

/// Whether a text is one string in double quotes, on one line, with no escapes but those of one character that JSON has.
fn is_quoted_line(token: &[u8]) -> bool {
    let Some(content) = token.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")) else {
        return false;
    };
    let mut rest = content.iter();
    while let Some(byte) = rest.next() {
        let is_whole = match byte {
            b'"' | b'\n' | b'\r' => false,
            b'\\' => rest.next().is_some_and(|it| b"\"\\/bfnrt".contains(it)),
            _ => true,
        };
        if !is_whole {
            return false;
        }
    }
    true
}

/// Whether the parser takes a line of a plain scalar as a whole, as a continuation of the text before it. `edited` is the offset in the line at which
/// the edit starts; the text before it is unchanged.
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

    /// Checks every edit of `text` that replaces up to two bytes by one of `insertions`. Returns the number of edits that need no parser.
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
                        if read_edited(&mut edited, document, &new, *after).is_none() {
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
            "",
            "x",
            " ",
            ":",
            ": ",
            " #",
            "#",
            "-",
            "\n",
            "'",
            "\"",
            "{",
            ",",
            "]",
            "&a ",
            "é",
            "x y",
            ":\n",
            "\t",
            "\n  k: v",
            "\n- i",
            ": |\n  ",
            "? ",
            "\n  # c\n",
            "...\n",
            "\r",
        ];
        let taken = check_all(TEXT, &insertions);
        assert!(taken > 500, "{taken}");
    }

    #[test]
    fn an_edit_in_a_quoted_string_gives_the_tree_of_the_parser() {
        const JSON: &str = r#"{"a": "some text", "b\"c": ["x", "say \"no\" \\ \u0041\n"], "d": {"e": 1, "f": ""}}"#;
        const BLOCK: &str = "a: \"some text\"\nb: \"two\n  lines\" # why\n\"c d\": &e \"f\"\n";
        let insertions = [
            "", "x", " ", ": ", " #", "\\", "\"", "\\\"", "\\n", "\\q", "\n", ",", "}", "é", "\", \"",
        ];
        let taken = check_all(JSON, &insertions);
        assert!(taken > 200, "{taken}");
        let with_break = format!("{JSON}\n");
        assert!(check_all(&with_break, &insertions) > 200);
        let taken = check_all(BLOCK, &insertions);
        assert!(taken > 50, "{taken}");
    }

    #[test]
    fn a_text_that_has_to_be_parsed_leaves_the_tree_as_it_is() {
        let old: Arc<str> = "a: b\n".into();
        let document = split(&old).documents[0];
        let mut tree = read_document(&old, document, &[]).expect("YAML");
        let before = tree.clone();
        let new: Arc<str> = "a: 'b\n".into();
        let after = split(&new).documents[0];
        assert_eq!(read_edited(&mut tree, document, &new, after), None);
        assert_eq!(tree, before);
    }
}
