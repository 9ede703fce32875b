//! Parses JSON values as Go's `encoding/json` does, which controller-gen uses for the argument of `+default`.

use std::ops::Range;

use super::{
    guessed::Guessed,
    refused::{Problem, Refused},
};
use crate::literal::{Literal, Value};

/// The marker whose argument is JSON.
pub(crate) const MARKER: &str = "default";

/// The maximum depth of nested values.
const MAX_DEPTH: usize = 50;

/// Whether a `+default` marker names a Go constant or is `null`. In these cases, controller-gen sets nothing.
pub fn sets_nothing(marker: &str) -> bool {
    let value = marker.split_once('=').map_or("", |it| it.1).trim();
    value.starts_with("ref(") || value == "null"
}

/// Parses a part of a text, which must be the whole argument of a marker. If the marker sets nothing, the result is `Unknown`.
pub fn read(text: &str, span: Range<usize>) -> Guessed {
    let Some(written) = text.get(span.clone()) else {
        return Guessed::Unknown;
    };
    if written.trim_start().starts_with("ref(") || written.trim() == "null" {
        return Guessed::Unknown;
    }
    let mut reader = Reader {
        text: written,
        at: 0,
        begin: span.start,
        is_deep: false,
    };
    let value = reader.value(0);
    reader.blanks();
    match value {
        _ if reader.is_deep => Guessed::Unknown,
        Some(value) if reader.at == written.len() => Guessed::Value(value),
        _ => Guessed::Refused(Refused {
            span: span.start + reader.at..span.end,
            problem: Problem::Json,
        }),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The offset of the parsed text in the file.
    begin: usize,
    is_deep: bool,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Skips a character if it is the next one. Returns whether it was skipped.
    fn has(&mut self, sign: char) -> bool {
        self.blanks();
        let is_there = self.rest().starts_with(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn literal(&self, value: Value, start: usize) -> Literal {
        Literal::of(value, self.begin + start..self.begin + self.at)
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        self.blanks();
        self.is_deep |= depth > MAX_DEPTH;
        if self.is_deep {
            return None;
        }
        let start = self.at;
        match self.rest().chars().next()? {
            '"' => self.string(),
            '[' => {
                self.at += 1;
                let mut items = Vec::new();
                if !self.has(']') {
                    loop {
                        items.push(self.value(depth + 1)?);
                        if self.has(']') {
                            break;
                        }
                        if !self.has(',') {
                            return None;
                        }
                    }
                }
                Some(self.literal(Value::List(items), start))
            }
            '{' => {
                self.at += 1;
                let mut members = Vec::new();
                if !self.has('}') {
                    loop {
                        self.blanks();
                        let key = self.string()?;
                        if !self.has(':') {
                            return None;
                        }
                        let value = self.value(depth + 1)?;
                        members.push((key, value));
                        if self.has('}') {
                            break;
                        }
                        if !self.has(',') {
                            return None;
                        }
                    }
                }
                Some(self.literal(Value::map(members), start))
            }
            '-' | '0'..='9' => self.number(),
            _ => {
                let words = [
                    ("true", Value::Bool(true)),
                    ("false", Value::Bool(false)),
                    ("null", Value::Null),
                ];
                let (word, value) = words.into_iter().find(|it| self.rest().starts_with(it.0))?;
                self.at += word.len();
                Some(self.literal(value, start))
            }
        }
    }

    fn number(&mut self) -> Option<Literal> {
        let start = self.at;
        let rest = self.rest();
        let is_of = |it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.' | 'e' | 'E');
        let word = &rest[..rest.find(|it| !is_of(it)).unwrap_or(rest.len())];
        let digits = |text: &'a str| {
            let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
            (end > 0).then(|| (&text[..end], &text[end..]))
        };
        let (whole, mut left) = digits(word.strip_prefix('-').unwrap_or(word))?;
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        if let Some(fraction) = left.strip_prefix('.') {
            left = digits(fraction)?.1;
        }
        if let Some(exponent) = left.strip_prefix(['e', 'E']) {
            left = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?.1;
        }
        if !left.is_empty() {
            return None;
        }
        let value: f64 = word.parse().ok().filter(|it: &f64| it.is_finite())?;
        self.at += word.len();
        Some(self.literal(Value::Number(value), start))
    }

    fn string(&mut self) -> Option<Literal> {
        let start = self.at;
        let mut rest = self.rest().strip_prefix('"')?;
        let mut value = String::new();
        loop {
            let next = rest.chars().next().filter(|it| *it >= ' ')?;
            rest = &rest[next.len_utf8()..];
            match next {
                '"' => break,
                '\\' => {
                    let escaped = rest.chars().next()?;
                    rest = &rest[escaped.len_utf8()..];
                    value.push(match escaped {
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        '"' | '\\' | '/' => escaped,
                        'u' => {
                            let (character, length) = unicode(rest)?;
                            rest = &rest[length..];
                            character
                        }
                        _ => return None,
                    });
                }
                other => value.push(other),
            }
        }
        self.at = self.text.len() - rest.len();
        let span = self.begin + start..self.begin + self.at;
        // Most JSON strings are also valid Go strings with the same value.
        let same = Literal::quoted(&self.text[start..self.at], span);
        let value = Value::String(value);
        Some(
            same.filter(|it| it.value == value)
                .unwrap_or_else(|| self.literal(value, start)),
        )
    }
}

/// The character for an escape with four digits, or for two surrogates, and the length of the escape in bytes.
fn unicode(rest: &str) -> Option<(char, usize)> {
    let digits = |at: usize| {
        let digits = rest.get(at..at + 4)?;
        digits
            .bytes()
            .all(|it| it.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let first = digits(0)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 4));
    }
    let is_pair = (0xD800..0xDC00).contains(&first) && rest[4..].starts_with("\\u");
    let second = is_pair.then(|| digits(6)).flatten();
    match second.filter(|it| (0xDC00..0xE000).contains(it)) {
        Some(second) => {
            let character = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))?;
            Some((character, 10))
        }
        None => Some(('\u{FFFD}', 4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_json() {
        let of = |written: &str| match read(written, 0..written.len()) {
            Guessed::Value(value) => Ok(value.value),
            Guessed::Refused(refused) => Err(written[refused.span].to_owned()),
            Guessed::Unknown => Err("unknown".to_owned()),
        };
        let text = |it: &str| Ok(Value::String(it.to_owned()));
        assert_eq!(of(r#""a\u00e4\/\ud83d\ude00""#), text("aä/\u{1F600}"));
        assert_eq!(of("-1.5e1"), Ok(Value::Number(-15.0)));
        assert_eq!(of(" true "), Ok(Value::Bool(true)));
        for (written, left) in [
            ("abc", "abc"),
            ("[1,]", "]"),
            ("01", "01"),
            ("\"a", "\"a"),
            ("{a: 1}", "a: 1}"),
            ("1 2", "2"),
        ] {
            assert_eq!(of(written), Err(left.to_owned()), "{written}");
        }
        assert_eq!(of("null"), Err("unknown".to_owned()));
        assert_eq!(of("ref(A)"), Err("unknown".to_owned()));
        assert_eq!(of(&"[".repeat(10_000)), Err("unknown".to_owned()));
        let Ok(Value::Map(members)) = of(r#"{"a": [1, null], "b": {}, "a": 2}"#) else {
            panic!("a map");
        };
        let keys: Vec<_> = members.iter().map(|it| it.0.value.clone()).collect();
        assert_eq!(keys, [Value::String("b".to_owned()), Value::String("a".to_owned())]);
        assert_eq!(members[1].1.value, Value::Number(2.0));
    }
}
