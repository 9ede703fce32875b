//! The syntactic context before a cursor in an expression.

use std::ops::Range;

use crd_analyzer_cel::{
    ast::Source,
    parser::{TokenClass, WrittenToken, tokens},
};

/// The text before the cursor.
#[derive(Clone, Debug)]
pub(super) enum Situation {
    /// A value and a dot: a member is expected.
    Member {
        /// The range of the value.
        receiver: Range<usize>,
        /// Whether the dot is followed by a question mark.
        is_optional: bool,
        /// The start of the name that is being typed.
        start: usize,
    },
    /// A token after which an operand is expected.
    Name {
        /// The start of the name that is being typed.
        start: usize,
        /// The tokens before the name.
        tokens: Vec<WrittenToken>,
    },
    /// The start of a string.
    Text {
        /// The start of the string's content.
        start: usize,
        /// The tokens before the string.
        tokens: Vec<WrittenToken>,
        /// The quote of the string.
        quote: char,
    },
    /// An operand, after which an operator is expected.
    Operator {
        /// The start of the name that is being typed.
        start: usize,
    },
}

impl Situation {
    /// The typed part of the name or string.
    pub(super) fn partial<'t>(&self, text: &'t str) -> &'t str {
        match self {
            Self::Member { start, .. }
            | Self::Name { start, .. }
            | Self::Text { start, .. }
            | Self::Operator { start } => &text[*start..],
        }
    }
}

/// Analyzes the text before a cursor; `None` if nothing can be offered.
pub(super) fn situation(text: &str) -> Option<Situation> {
    if let Some((open, quote, content)) = open_string(text) {
        return Some(Situation::Text {
            start: content,
            tokens: lex(&text[..open]),
            quote,
        });
    }
    let all = tokens(&Source::new(text));
    let in_comment = all
        .last()
        .is_some_and(|it| it.class == TokenClass::Comment && it.end as usize == text.len());
    if in_comment {
        return None;
    }
    let mut tokens: Vec<_> = all.into_iter().filter(|it| it.class != TokenClass::Comment).collect();
    let is_partial = tokens.last().is_some_and(|it| {
        let is_word = matches!(it.class, TokenClass::Identifier | TokenClass::Constant | TokenClass::In);
        is_word && it.end as usize == text.len()
    });
    let start = if is_partial {
        tokens.pop().map_or(text.len(), |it| it.start as usize)
    } else {
        text.len()
    };
    let last = tokens.last();
    let touches = last.is_some_and(|it| it.end as usize == text.len());
    match last.map(|it| (it.class, it.text(text))) {
        Some((TokenClass::Dot, _)) => member(text, &tokens, tokens.len() - 1, start, false),
        Some((TokenClass::Operator, "?")) if is_optional_dot(&tokens, text) => {
            member(text, &tokens, tokens.len() - 2, start, true)
        }
        // No name can continue `1` or `'x'`.
        Some((TokenClass::Number | TokenClass::String | TokenClass::EscapedIdentifier, _)) if touches => None,
        Some((TokenClass::Unknown, _)) => None,
        Some((class, _)) if is_operand_end(class) => {
            // Offer operators only after the user has typed a letter. Before that, any operator is possible.
            let is_begun = start < text.len();
            (is_begun && start > 0 && !touches_operand(text, start)).then_some(Situation::Operator { start })
        }
        _ => Some(Situation::Name { start, tokens }),
    }
}

/// Whether the typed text directly follows an operand.
fn touches_operand(text: &str, start: usize) -> bool {
    !text[..start].ends_with([' ', '\t', '\n', '\r'])
}

fn is_optional_dot(tokens: &[WrittenToken], text: &str) -> bool {
    let before = tokens.len().checked_sub(2).map(|it| tokens[it]);
    let question = tokens.last();
    before
        .zip(question)
        .is_some_and(|(dot, question)| dot.text(text) == "." && dot.end == question.start)
}

pub(super) fn is_operand_end(class: TokenClass) -> bool {
    matches!(
        class,
        TokenClass::Identifier
            | TokenClass::EscapedIdentifier
            | TokenClass::Constant
            | TokenClass::Number
            | TokenClass::String
            | TokenClass::Close
    )
}

fn member(text: &str, tokens: &[WrittenToken], dot: usize, start: usize, is_optional: bool) -> Option<Situation> {
    let first = receiver_start(text, tokens, dot)?;
    let receiver = tokens[first].start as usize..tokens[dot].start as usize;
    let end = text[receiver.clone()].trim_end().len() + receiver.start;
    Some(Situation::Member {
        receiver: receiver.start..end,
        is_optional,
        start,
    })
}

/// The first token of the operand that ends just before a token.
pub(super) fn receiver_start(text: &str, tokens: &[WrittenToken], before: usize) -> Option<usize> {
    let mut at = before.checked_sub(1)?;
    loop {
        at = primary_start(text, tokens, at)?;
        let Some(previous) = at.checked_sub(1) else {
            return Some(at);
        };
        let is_dot = |it: usize| tokens[it].class == TokenClass::Dot;
        let dot = if is_dot(previous) {
            previous
        } else if tokens[previous].text(text) == "?" && previous.checked_sub(1).is_some_and(is_dot) {
            previous - 1
        } else {
            return Some(at);
        };
        at = dot.checked_sub(1)?;
    }
}

/// The first token of the name, literal, call, index or bracket that ends with a token.
fn primary_start(text: &str, tokens: &[WrittenToken], end: usize) -> Option<usize> {
    let mut end = end;
    loop {
        match tokens[end].class {
            TokenClass::Close => {
                let open = matching_open(tokens, end)?;
                let callee = open.checked_sub(1).map(|it| tokens[it].class);
                match (tokens[open].text(text), callee) {
                    ("(" | "{", Some(TokenClass::Identifier)) => return Some(open - 1),
                    ("[", Some(class)) if is_operand_end(class) => end = open - 1,
                    _ => return Some(open),
                }
            }
            class if is_operand_end(class) => return Some(end),
            _ => return None,
        }
    }
}

fn matching_open(tokens: &[WrittenToken], close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (0..=close).rev() {
        match tokens[at].class {
            TokenClass::Close => depth += 1,
            TokenClass::Open => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens of a text without comments.
pub(super) fn lex(text: &str) -> Vec<WrittenToken> {
    let all = tokens(&Source::new(text));
    all.into_iter().filter(|it| it.class != TokenClass::Comment).collect()
}

/// The unterminated string at the end of a text: its start, its quote, and the start of its content. Strings in triple quotes are not found.
fn open_string(text: &str) -> Option<(usize, char, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
            }
            quote @ (b'\'' | b'"') => {
                let is_raw = at.checked_sub(1).is_some_and(|it| matches!(bytes[it], b'r' | b'R'));
                let triple = [quote; 3];
                if bytes[at..].starts_with(&triple) {
                    let end = text[at + 3..].find(std::str::from_utf8(&triple).ok()?)?;
                    at += end + 6;
                    continue;
                }
                let open = at;
                at += 1;
                loop {
                    match bytes.get(at) {
                        None => return Some((open, quote as char, open + 1)),
                        Some(b'\\') if !is_raw => at += 2,
                        Some(it) if *it == quote => break,
                        Some(_) => at += 1,
                    }
                }
                at += 1;
            }
            b'`' => at += text[at + 1..].find('`').map_or(text.len() - at, |it| it + 2),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        match situation(text) {
            None => "-".to_owned(),
            Some(Situation::Member {
                receiver,
                is_optional,
                start,
            }) => {
                let question = if is_optional { "?" } else { "" };
                format!("{}.{question}/{}", &text[receiver], &text[start..])
            }
            Some(Situation::Name { start, .. }) => format!("name /{}", &text[start..]),
            Some(Situation::Text { start, quote, .. }) => format!("text {quote}/{}", &text[start..]),
            Some(Situation::Operator { start }) => format!("operator /{}", &text[start..]),
        }
    }

    #[test]
    fn what_is_typed_is_told_from_what_is_before() {
        for (text, expected) in [
            ("", "name /"),
            ("se", "name /se"),
            ("self.", "self./"),
            ("self.re", "self./re"),
            ("self.a.b.re", "self.a.b./re"),
            ("x && self.?a", "self.?/a"),
            ("self.a[0].b", "self.a[0]./b"),
            ("(self.a + f(x)).b", "(self.a + f(x))./b"),
            ("size(self.a).b", "size(self.a)./b"),
            ("self.a.map(x, x.b).", "self.a.map(x, x.b)./"),
            ("self.all(x, x.a.", "x.a./"),
            ("'a'.si", "'a'./si"),
            ("[1, 2].", "[1, 2]./"),
            ("self.a\n  .b", "self.a./b"),
            ("self.a == ", "name /"),
            ("self.a == 'x", "text '/x"),
            ("self.a == 'x' ", "-"),
            ("self.a i", "operator /i"),
            ("self.a == \"it's", "text \"/it's"),
            ("self.a // why", "-"),
            ("1", "-"),
            ("'x'", "-"),
            ("!se", "name /se"),
            ("a ? b", "name /b"),
            ("self.?", "self.?/"),
            (".", "-"),
            ("optional.n", "optional./n"),
        ] {
            assert_eq!(show(text), expected, "{text}");
        }
    }

    #[test]
    fn no_text_is_too_odd() {
        let pieces = [
            "self", ".", "(", ")", "[", "]", "'", "\"", "?", " ", "é", "\\", "//", "\n", "'''", "`", "in", "1",
        ];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(pieces[(state % pieces.len() as u64) as usize]);
            }
            if let Some(found) = situation(&text) {
                assert!(text.ends_with(found.partial(&text)));
            }
        }
    }
}
