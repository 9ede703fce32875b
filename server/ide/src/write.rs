//! Text put into scalars, in the quoting that they have.

use crd_analyzer_syntax::tree::{NodeId, NodeKind, ScalarStyle, Tree};

/// A piece of a scalar's value as it is written in the scalar. `None` if that cannot be.
pub(crate) fn piece(tree: &Tree, scalar: NodeId, text: &str) -> Option<String> {
    if text.contains(|c: char| c.is_control()) {
        return None;
    }
    match tree.kind(scalar) {
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => Some(text.replace('\'', "''")),
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => Some(text.replace('\\', "\\\\").replace('"', "\\\"")),
        NodeKind::Scalar(_) => Some(text.to_owned()),
        _ => None,
    }
}

/// A whole value instead of a scalar that is a key or a short value: in the quotes that the scalar has, or in such that it needs.
pub(crate) fn whole(tree: &Tree, scalar: NodeId, text: &str) -> Option<String> {
    match tree.kind(scalar) {
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => Some(format!("'{}'", piece(tree, scalar, text)?)),
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => Some(format!("\"{}\"", piece(tree, scalar, text)?)),
        NodeKind::Scalar(ScalarStyle::Plain) => plain_or_quoted(text),
        _ => None,
    }
}

/// A value as it is written where nothing is yet: plain if that reads as the same string.
pub(crate) fn plain_or_quoted(text: &str) -> Option<String> {
    if text.contains(|c: char| c.is_control()) {
        return None;
    }
    Some(if is_plain(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    })
}

/// Words that are not strings in YAML 1.1.
const WORDS: [&str; 11] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
];

/// Whether a text is the same string without quotes, wherever it stands.
pub(crate) fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/' | '$'));
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$');
    begins && text.chars().all(fits) && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
