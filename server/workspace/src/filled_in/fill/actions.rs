//! The actions of a template.

use std::ops::Range;

/// An action `{{ … }}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Action {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The action prints something.
    Value,
    /// `if`, `with` or `range`: the block is conditional or repeated.
    Begin,
    /// `define` or `block`: the block is used elsewhere.
    Define,
    Else,
    End,
    /// A comment, an assignment, or `fail`, which print nothing.
    Nothing,
}

impl Action {
    /// The code between the braces, without trim markers and blanks.
    pub(crate) fn code<'t>(&self, text: &'t str) -> &'t str {
        let inner = &text[self.span.start + 2..self.span.end - 2];
        inner.trim_start_matches('-').trim_end_matches('-').trim()
    }

    /// Whether an offset is between the braces.
    pub(crate) fn holds(&self, offset: usize) -> bool {
        self.span.start < offset && offset < self.span.end
    }

    /// Whether the action removes the blanks and line breaks before it.
    pub(crate) fn trims_before(&self, text: &str) -> bool {
        let mut inner = text[self.span.start + 2..].chars();
        inner.next() == Some('-') && inner.next().is_some_and(char::is_whitespace)
    }

    /// Whether the action removes the blanks and line breaks after it.
    pub(crate) fn trims_after(&self, text: &str) -> bool {
        let mut inner = text[..self.span.end - 2].chars().rev();
        inner.next() == Some('-') && inner.next().is_some_and(char::is_whitespace)
    }
}

/// All actions, in order. `None` if an action is not closed.
pub(crate) fn actions(text: &str) -> Option<Vec<Action>> {
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("{{") {
        let start = at + found;
        let inner = start + 2;
        let end = end_of(text, inner)?;
        let span = start..end;
        let action = Action {
            span,
            kind: Kind::Nothing,
        };
        let code = action.code(text);
        let word = code
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_assignment = code.starts_with('$') && (code.contains(":=") || code.contains(" = "));
        let kind = match word {
            "if" | "with" | "range" => Kind::Begin,
            "define" | "block" => Kind::Define,
            "else" => Kind::Else,
            "end" => Kind::End,
            "fail" => Kind::Nothing,
            _ if code.starts_with("/*") || is_assignment || code.is_empty() => Kind::Nothing,
            _ => Kind::Value,
        };
        actions.push(Action { kind, ..action });
        at = end;
    }
    Some(actions)
}

/// The end of an action whose text starts at `at`. Strings in quotes may contain braces.
fn end_of(text: &str, at: usize) -> Option<usize> {
    let code = text[at..].trim_start_matches('-').trim_start();
    if code.starts_with("/*") {
        return text[at..]
            .find("*/")
            .and_then(|it| Some(at + it + text[at + it..].find("}}")? + 2));
    }
    let bytes = text.as_bytes();
    let mut quote = 0;
    let mut n = at;
    while n < bytes.len() {
        match bytes[n] {
            b'\\' if quote == b'"' => n += 1,
            byte @ (b'"' | b'`') if quote == 0 => quote = byte,
            byte if quote == byte => quote = 0,
            b'}' if quote == 0 && bytes.get(n + 1) == Some(&b'}') => return Some(n + 2),
            _ => {}
        }
        n += 1;
    }
    None
}

/// The commands of a pipeline. `None` if strings or parentheses are not closed.
pub(crate) fn commands(code: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut start) = (0_usize, 0, 0);
    let mut bytes = code.bytes().enumerate();
    while let Some((n, byte)) = bytes.next() {
        match byte {
            b'\\' if quote == b'"' => {
                bytes.next();
            }
            b'"' | b'`' if quote == 0 => quote = byte,
            byte if quote == byte => quote = 0,
            _ if quote != 0 => {}
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b'|' if depth == 0 => {
                found.push(code[start..n].trim());
                start = n + 1;
            }
            _ => {}
        }
    }
    found.push(code[start..].trim());
    (depth == 0 && quote == 0).then_some(found)
}

/// Whether an action always prints a text in quotes. `quote` prints nothing for a value that is missing, so the value must have a default, or Helm
/// must require it.
pub(super) fn is_quoted(code: &str) -> bool {
    let Some(commands) = commands(code) else { return false };
    let [.., before, "quote" | "squote"] = commands.as_slice() else {
        return false;
    };
    let is_required = before.starts_with("required \"");
    let default = before.strip_prefix("default ").map(str::trim);
    is_required || default.is_some_and(|it| it.starts_with('"') && !it.starts_with("\"\""))
}

#[cfg(test)]
mod tests {
    use super::is_quoted;

    #[test]
    fn quotes_that_are_always_printed() {
        for code in [
            ".a | default \"b|c\" | quote",
            "required \"say a\" .a | squote",
            ".a | required \"say a\" | quote",
        ] {
            assert!(is_quoted(code), "{code}");
        }
        for code in [
            ".a | quote",
            "quote .a",
            ".a | default .b | quote",
            ".a | default \"\" | quote",
            ".a | default \"b\"",
            "default \"\" .a | quote",
            "\"a | default \\\"b\\\" | quote",
            "(.a | default \"b\" | quote)",
        ] {
            assert!(!is_quoted(code), "{code}");
        }
    }
}
