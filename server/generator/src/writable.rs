//! Texts that controller-gen changes or cannot write. It reads what it has written as JSON with its YAML library, which knows more line breaks than
//! JSON, and rejects control characters.

use std::borrow::Cow;

use serde_json::Value;

use crate::node::{Node, Origin, Part};

/// A line break of YAML that JSON does not write as an escape.
const BREAK: char = '\u{85}';

/// What the YAML library reads of a text that is written as JSON: a line break and the blanks around it become one blank, as in any string in double
/// quotes.
pub(crate) fn read_again(text: &str) -> Cow<'_, str> {
    if !text.contains(BREAK) {
        return text.into();
    }
    let mut read = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(BREAK) {
        read.push_str(rest[..at].trim_end_matches(' '));
        let after = rest[at..].trim_start_matches([' ', BREAK]);
        let between = &rest[at..rest.len() - after.len()];
        let breaks = between.chars().filter(|it| *it == BREAK).count();
        match breaks {
            1 => read.push(' '),
            breaks => read.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        rest = after;
    }
    read.push_str(rest);
    read.into()
}

/// Whether the YAML library accepts a text. Characters below the blank are written as escapes.
fn is_writable(text: &str) -> bool {
    !text.contains(|it| matches!(it, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}'..='\u{ffff}'))
}

/// The origin of the first text in a part that controller-gen cannot write. `around` is the origin of what surrounds the part.
pub(crate) fn unwritable<'p>(part: &'p Part, around: Option<&'p Origin>) -> Option<&'p Origin> {
    let from = part.from.as_ref().or(around);
    match &part.node {
        Node::Map(members) => members.iter().find_map(|(key, it)| {
            if is_writable(key) {
                unwritable(it, from)
            } else {
                it.from.as_ref().or(from)
            }
        }),
        Node::List(items) => items.iter().find_map(|it| unwritable(it, from)),
        Node::Value(value) => from.filter(|_| !is_value_writable(value)),
    }
}

fn is_value_writable(value: &Value) -> bool {
    match value {
        Value::String(text) => is_writable(text),
        Value::Array(items) => items.iter().all(is_value_writable),
        Value::Object(members) => members.iter().all(|it| is_writable(it.0) && is_value_writable(it.1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::read_again;

    #[test]
    fn line_breaks_become_blanks() {
        for (text, expected) in [
            ("a b", "a b"),
            ("a\u{85}b", "a b"),
            ("a  \u{85}  b\u{85}", "a b "),
            ("\u{85}a \u{85} \u{85}\u{85} b", " a\n\nb"),
            ("a\t\u{85}\tb", "a\t \tb"),
        ] {
            assert_eq!(read_again(text), expected, "{text:?}");
        }
    }
}
