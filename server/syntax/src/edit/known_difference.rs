//! Texts that both parsers accept, but for which they build different trees.

use super::scan;
use crate::scalar::break_len;
use crate::tree::{CollectionStyle, NodeId, NodeKind, Tree};

/// The reason why the editing parser's tree may differ from this tree of the verdict parser, or `None` if both trees are the same. No author intends
/// the way in which go-yaml reads these texts.
pub fn known_difference(verdict: &Tree) -> Option<&'static str> {
    if has_text_behind_root(verdict) {
        return Some("text behind the root");
    }
    verdict.nodes().find_map(|it| of_node(verdict, it))
}

/// Whether text follows the root node. go-yaml stops at the end of the root node, but while a person edits, the text after it may be meant as a part
/// of the root.
fn has_text_behind_root(verdict: &Tree) -> bool {
    let text = verdict.text();
    let end = verdict
        .root()
        .map_or(verdict.document_span().start, |it| verdict.full_span(it).end) as usize;
    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let begins_line = end == 0 || text[..end].ends_with(breaks);
    let rest = text[end..].split(breaks).enumerate().find(|(_, it)| {
        let text = it.trim_start_matches([' ', '\t', '\u{feff}']);
        !text.is_empty() && !text.starts_with('#')
    });
    rest.is_some_and(|(line, it)| !((line > 0 || begins_line) && scan::is_document_marker(it.as_bytes(), 0)))
}

fn of_node(verdict: &Tree, node: NodeId) -> Option<&'static str> {
    let bytes = verdict.text().as_bytes();
    let span = verdict.span(node);
    match verdict.kind(node) {
        // go-yaml emits an opening bracket before it knows that the bracket's collection is a key, unless something inside may be a key too. The
        // colon then gets an empty key of its own.
        NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow)
            if is_before_colon(bytes, span.end)
                && matches!(first_token(bytes, span.start), Some(b'?' | b']' | b'}')) =>
        {
            Some("a collection without a key before a colon")
        }
        // go-yaml takes the token after a question mark in a list as the key, even if the token is a colon, a comma or a closing bracket.
        NodeKind::Mapping(CollectionStyle::Flow) if bytes[span.start as usize] == b'?' => {
            let key = verdict.children(node).next()?;
            verdict
                .span(key)
                .is_empty()
                .then_some("nothing behind a question mark in a list")
        }
        _ => None,
    }
}

fn is_before_colon(bytes: &[u8], end: u32) -> bool {
    bytes.get(scan::skip_blanks(bytes, end as usize)) == Some(&b':')
}

/// The first byte of a flow collection's content, after blanks and comments.
fn first_token(bytes: &[u8], start: u32) -> Option<u8> {
    let mut at = start as usize + 1;
    loop {
        at = scan::skip_blanks(bytes, at);
        at = match (bytes.get(at)?, break_len(bytes, at)) {
            (b'#', _) => scan::line_end(bytes, at),
            (&token, 0) => return Some(token),
            (_, len) => at + len,
        };
    }
}
