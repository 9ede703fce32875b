//! Formats strings for insertion into YAML scalars, in the style of the scalar.

use crd_analyzer_syntax::tree::{NodeId, NodeKind, ScalarStyle, Tree};

/// Formats a string for insertion into a scalar. `None` if the scalar's style cannot represent the string.
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

/// Formats a string to replace a scalar that is a key or a short value. Keeps the scalar's quotes, and adds quotes if they are needed.
pub(crate) fn whole(tree: &Tree, scalar: NodeId, text: &str) -> Option<String> {
    match tree.kind(scalar) {
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => Some(format!("'{}'", piece(tree, scalar, text)?)),
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => Some(format!("\"{}\"", piece(tree, scalar, text)?)),
        NodeKind::Scalar(ScalarStyle::Plain) => plain_or_quoted(text),
        _ => None,
    }
}

/// Formats a string as a new scalar, without quotes if YAML reads it as the same string.
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

/// Words that YAML 1.1 does not read as strings.
const WORDS: [&str; 11] = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
];

/// Whether YAML reads a text without quotes as the same string, wherever it is.
pub(crate) fn is_plain(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/' | '$'));
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$');
    begins && text.chars().all(fits) && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}
