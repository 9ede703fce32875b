//! Converts property names to CEL identifiers and back (`k8s.io/apiserver/pkg/cel`, `Escape`, `Unescape`).

use std::borrow::Cow;

/// Whether a word is reserved in CEL. A property with such a name is escaped with underscores.
pub fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "as" | "break"
            | "const"
            | "continue"
            | "else"
            | "false"
            | "for"
            | "function"
            | "if"
            | "import"
            | "in"
            | "let"
            | "loop"
            | "namespace"
            | "null"
            | "package"
            | "return"
            | "true"
            | "var"
            | "void"
            | "while"
    )
}

/// The CEL identifier of a property, or `None` if rules cannot access it.
///
/// Letters, digits and single underscores stay the same. `.`, `-`, `/` and `__` are spelled out (`__dot__`). Reserved words
/// are enclosed in underscores. A name that begins with a digit or has other characters is not accessible.
pub fn escape(property: &str) -> Option<Cow<'_, str>> {
    let first = *property.as_bytes().first()?;
    if first.is_ascii_digit() {
        return None;
    }
    if is_reserved(property) {
        return Some(Cow::Owned(format!("__{property}__")));
    }
    let (mut is_plain, mut before) = (true, 0);
    for byte in property.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => {}
            b'_' => is_plain &= before != b'_',
            b'.' | b'-' | b'/' => is_plain = false,
            _ => return None,
        }
        before = byte;
    }
    if is_plain {
        return Some(Cow::Borrowed(property));
    }
    let mut escaped = String::with_capacity(property.len() + 16);
    let mut rest = property;
    while let Some(c) = rest.chars().next() {
        let (text, length) = match c {
            '.' => ("__dot__", 1),
            '-' => ("__dash__", 1),
            '/' => ("__slash__", 1),
            '_' if rest.starts_with("__") => ("__underscores__", 2),
            _ => (&rest[..1], 1),
        };
        escaped.push_str(text);
        rest = &rest[length..];
    }
    Some(Cow::Owned(escaped))
}

/// The property of an escaped identifier, or `None` if the identifier is not valid.
pub fn unescape(escaped: &str) -> Option<Cow<'_, str>> {
    let mut property = String::new();
    let mut rest = escaped;
    let mut copied = false;
    // Finds the leftmost `__…__` with at least one other character between the underscores, then continues after the match.
    while let Some((start, end)) = find_escape(rest) {
        let word = &rest[start + 2..end - 2];
        let text = match word {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            _ if is_reserved(word) && end - start == escaped.len() => word,
            _ => return None,
        };
        property.push_str(&rest[..start]);
        property.push_str(text);
        rest = &rest[end..];
        copied = true;
    }
    if !copied {
        return Some(Cow::Borrowed(escaped));
    }
    property.push_str(rest);
    Some(Cow::Owned(property))
}

/// The range of the first match of `_{2}[^_]+_{2}`.
fn find_escape(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = text[at..].find("__").map(|found| at + found) {
        let word = start + 2;
        let end = bytes[word..]
            .iter()
            .position(|b| *b == b'_')
            .map_or(bytes.len(), |found| word + found);
        if end > word && bytes[end..].starts_with(b"__") {
            return Some((start, end + 2));
        }
        at = start + 1;
    }
    None
}
