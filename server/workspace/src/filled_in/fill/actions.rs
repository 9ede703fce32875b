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
    /// A comment or an assignment, which prints nothing.
    Nothing,
}

impl Action {
    /// The code between the braces, without trim markers and blanks.
    pub(crate) fn code<'t>(&self, text: &'t str) -> &'t str {
        let inner = &text[self.span.start + 2..self.span.end - 2];
        inner.trim_start_matches('-').trim_end_matches('-').trim()
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
