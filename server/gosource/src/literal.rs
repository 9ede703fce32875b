//! Values in the arguments of markers, and the mapping between a string's value and its source text (`pkg/markers/parse.go` of
//! `sigs.k8s.io/controller-tools`, which parses strings with Go's `strconv.Unquote`).

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use crd_analyzer_gostd::{parse_float, take_char};

use crate::check::catalog::Type;

/// The value of a quoted Go string.
pub fn unquoted(written: &str) -> Option<String> {
    match Literal::quoted(written, 0..written.len())?.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The syntax in which a string is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The string is in double quotes, with Go's escape sequences.
    Quoted,
    /// The string is in backquotes, without escape sequences.
    Raw,
    /// The string has no quotes.
    Bare,
}

/// The value of an argument.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A string.
    String(String),
    /// An integer.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// No value.
    Null,
    /// A list of values.
    List(Vec<Literal>),
    /// A map with string keys.
    Map(Vec<(Literal, Literal)>),
}

/// A value in the arguments of a marker.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    /// The value itself.
    pub value: Value,
    /// The range of the source text including quotes, in bytes of the file.
    pub span: Range<usize>,
    form: Form,
    /// Whether the closing quote is missing, because the user is typing.
    is_begun: bool,
}

impl Value {
    /// A map with these members. If a key is repeated, only its last member is kept.
    pub(crate) fn map(mut members: Vec<(Literal, Literal)>) -> Self {
        let mut seen = HashSet::new();
        // Go through the members from the last to the first.
        let counts = members
            .iter()
            .rev()
            .map(|it| it.0.text().is_none_or(|key| seen.insert(key)));
        let mut counts: Vec<bool> = counts.collect();
        members.retain(|_| counts.pop().unwrap_or(true));
        Self::Map(members)
    }
}

impl Literal {
    /// The value, if it is a string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A value at this range of a file. It is not a quoted string.
    pub(crate) fn of(value: Value, span: Range<usize>) -> Self {
        Self {
            value,
            span,
            form: Form::Bare,
            is_begun: false,
        }
    }

    /// An unquoted string at this range of a file.
    pub fn bare(text: String, span: Range<usize>) -> Self {
        Self::of(Value::String(text), span)
    }

    /// Parses a quoted string at this range. `None` if it is not a valid Go string, or if its bytes are not UTF-8.
    pub(crate) fn quoted(written: &str, span: Range<usize>) -> Option<Self> {
        let form = match written.as_bytes().first()? {
            b'"' => Form::Quoted,
            b'`' => Form::Raw,
            _ => return None,
        };
        let value = pieces(written, form)?.into_iter().map(|it| it.value).collect();
        Some(Self {
            value: Value::String(value),
            span,
            form,
            is_begun: false,
        })
    }

    /// Parses a scalar of this type. `None` if controller-gen rejects it, or parses it by rules that are not implemented here.
    pub fn read(text: &str, span: Range<usize>, of: &Type) -> Option<Self> {
        let written = text.get(span.clone())?;
        let start = span.end - written.trim_start().len();
        let written = written.trim();
        let span = start..start + written.len();
        let form = match written.as_bytes().first()? {
            b'"' => Form::Quoted,
            b'`' => Form::Raw,
            _ => Form::Bare,
        };
        let literal = |value| {
            Some(Self {
                value,
                span: span.clone(),
                form,
                is_begun: false,
            })
        };
        let string = || {
            Some(Value::String(
                pieces(written, form)?.into_iter().map(|it| it.value).collect(),
            ))
        };
        match of {
            Type::String => literal(string()?),
            Type::Bool => literal(Value::Bool(written.parse().ok()?)),
            Type::Int => literal(Value::Integer(written.parse().ok()?)),
            Type::Number => literal(number(written)?),
            Type::Any | Type::Raw | Type::List(_) => None,
        }
    }

    /// Whether another literal has the same value.
    pub fn says_same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::List(items), Value::List(others)) => {
                items.len() == others.len() && items.iter().zip(others).all(|(it, other)| it.says_same(other))
            }
            (Value::Map(members), Value::Map(others)) => {
                let others: HashMap<Option<&str>, &Self> = others.iter().map(|it| (it.0.text(), &it.1)).collect();
                let is_other =
                    |(key, value): &(Self, Self)| others.get(&key.text()).is_some_and(|it| value.says_same(it));
                members.len() == others.len() && members.iter().all(is_other)
            }
            (Value::Integer(value), Value::Number(other)) | (Value::Number(other), Value::Integer(value)) => {
                (*value as f64 - other).abs() < f64::EPSILON
            }
            (value, other) => value == other,
        }
    }

    /// Whether Go's `omitempty` leaves the value out of JSON.
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::String(text) => text.is_empty(),
            Value::Integer(number) => *number == 0,
            Value::Number(number) => *number == 0.0,
            Value::Bool(is) => !is,
            Value::Null => true,
            Value::List(items) => items.is_empty(),
            Value::Map(members) => members.is_empty(),
        }
    }

    /// Parses a string whose closing quote is still missing.
    pub fn begun(text: &str, span: Range<usize>) -> Option<Self> {
        let written = text.get(span.clone())?;
        let start = span.end - written.trim_start().len();
        let written = &text[start..span.end];
        let form = match written.as_bytes().first()? {
            b'"' => Form::Quoted,
            b'`' => Form::Raw,
            _ => return None,
        };
        let closed = format!("{written}{}", &written[..1]);
        let pieces = pieces(&closed, form)?;
        Some(Self {
            value: Value::String(pieces.into_iter().map(|it| it.value).collect()),
            span: start..span.end,
            form,
            is_begun: true,
        })
    }

    /// The source range of a part of a string, in bytes of the file. `text` is the file's text, and `value` a byte range of the string's value.
    pub fn place(&self, text: &str, value: Range<usize>) -> Range<usize> {
        let pieces = self.pieces(text);
        let at = |offset: usize, is_end: bool| {
            let mut before = 0;
            let mut place = self.content().start;
            for piece in &pieces {
                // At a boundary between two pieces, the end of a range belongs to the first piece, and the start of a range to the second.
                if before > offset || before == offset && (!is_end || before == 0) {
                    break;
                }
                let whole = before + piece.value.len_utf8();
                place = piece.span.end;
                if whole >= offset && is_end {
                    break;
                }
                before = whole;
            }
            place
        };
        let (start, end) = (at(value.start, false), at(value.end, true));
        start..end.max(start)
    }

    /// The offset in the string's value for an offset in the file. `None` if the offset is outside of the string.
    pub fn offset(&self, text: &str, place: usize) -> Option<usize> {
        let content = self.content();
        if place < content.start || place > content.end {
            return None;
        }
        let pieces = self.pieces(text);
        let before = pieces.iter().take_while(|it| it.span.end <= place);
        Some(before.map(|it| it.value.len_utf8()).sum())
    }

    /// The source text for a value, in the syntax of this string. `None` if the syntax cannot represent the value.
    pub fn written(&self, value: &str) -> Option<String> {
        match self.form {
            Form::Quoted => {
                let mut written = String::new();
                for character in value.chars() {
                    match character {
                        '"' | '\\' => written.extend(['\\', character]),
                        '\n' => written.push_str("\\n"),
                        '\t' => written.push_str("\\t"),
                        '\r' => written.push_str("\\r"),
                        other => written.push(other),
                    }
                }
                Some(written)
            }
            Form::Raw => (!value.contains(['`', '\n', '\r'])).then(|| value.to_owned()),
            Form::Bare => (!value.contains(['"', '`', ',', ';', '}', '\n', '\r'])).then(|| value.to_owned()),
        }
    }

    /// The range between the quotes, in bytes of the file.
    pub fn content(&self) -> Range<usize> {
        let quotes = usize::from(self.form != Form::Bare);
        self.span.start + quotes..self.span.end - if self.is_begun { 0 } else { quotes }
    }

    /// The characters of the string, each with its range in the file.
    fn pieces(&self, text: &str) -> Vec<Piece> {
        let written = text.get(self.span.clone()).unwrap_or_default();
        let mut closed = Cow::Borrowed(written);
        if self.is_begun {
            closed.to_mut().push_str(&written[..1]);
        }
        let mut pieces = pieces(&closed, self.form).unwrap_or_default();
        for piece in &mut pieces {
            piece.span = self.span.start + piece.span.start..self.span.start + piece.span.end;
        }
        pieces
    }
}

/// Parses a number as Go does.
fn number(written: &str) -> Option<Value> {
    let integer = written.parse().ok().map(Value::Integer);
    let fraction = || parse_float(written).filter(|it| it.is_finite()).map(Value::Number);
    integer.or_else(fraction)
}

/// A character of a string, and its source range.
struct Piece {
    value: char,
    span: Range<usize>,
}

/// The characters of a string's source text, each with its range in the text.
fn pieces(written: &str, form: Form) -> Option<Vec<Piece>> {
    let plain = |start: usize, text: &str| {
        let pieces = text.char_indices().map(|(at, value)| Piece {
            value,
            span: start + at..start + at + value.len_utf8(),
        });
        pieces.collect::<Vec<_>>()
    };
    match form {
        // A quoted string in the middle is a part of the text, with its quotes.
        Form::Bare => Some(plain(0, written)),
        Form::Raw => {
            let inner = written.strip_prefix('`')?.strip_suffix('`')?;
            (!inner.contains('`')).then(|| plain(1, inner))
        }
        Form::Quoted => {
            let (mut found, mut bytes) = (Vec::new(), Vec::new());
            let mut at = 1;
            loop {
                let rest = written.get(at..)?;
                if rest.starts_with('"') {
                    return (at + 1 == written.len()).then_some(found);
                }
                bytes.clear();
                let end = written.len() - take_char(rest, '"', &mut bytes)?.len();
                // A single byte of a longer character is no character.
                let value = std::str::from_utf8(&bytes).ok()?.chars().next()?;
                found.push(Piece { value, span: at..end });
                at = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(written: &str) -> Option<Literal> {
        Literal::read(written, 0..written.len(), &Type::String)
    }

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let value = string(written).map(|it| it.value);
        assert_eq!(value, expected.map(|it| Value::String(it.to_owned())), "{written}");
    }

    #[test]
    fn strings_are_read_as_go_reads_them() {
        check(r#""a""#, Some("a"));
        check(r#" "a \"b\" \\ \n \u00e4 \x41 \101" "#, Some("a \"b\" \\ \n ä A A"));
        check(r#""a"#, None);
        check(r#""\q""#, None);
        check(r#""\xff""#, None);
        check(r"`a \d ", None);
        check(r"`a \d`", Some(r"a \d"));
        check("a b", Some("a b"));
        check("a\"b, c\"", Some("a\"b, c\""));
        check("", None);
    }

    #[test]
    fn other_values_have_their_types() {
        let of = |written: &str, of: &Type| Literal::read(written, 0..written.len(), of).map(|it| it.value);
        assert_eq!(of("5", &Type::Int), Some(Value::Integer(5)));
        assert_eq!(of("x", &Type::Int), None);
        assert_eq!(of("-0.5", &Type::Number), Some(Value::Number(-0.5)));
        assert_eq!(of("010", &Type::Number), Some(Value::Integer(10)));
        assert_eq!(of("0x1p4", &Type::Number), Some(Value::Number(16.0)));
        assert_eq!(of("0x1F", &Type::Number), None);
        assert_eq!(of("true", &Type::Bool), Some(Value::Bool(true)));
    }

    #[test]
    fn places_and_offsets_belong_together() {
        let written = r#""a\nä\"b""#;
        let literal = string(written).expect("a string");
        let Value::String(value) = &literal.value else {
            unreachable!()
        };
        let place = |part: &str| {
            let start = value.find(part).expect("a part");
            &written[literal.place(written, start..start + part.len())]
        };
        assert_eq!(place("a"), "a");
        assert_eq!(place("\n"), "\\n");
        assert_eq!(place("ä\"b"), "ä\\\"b");
        assert_eq!(place("b"), "b");
        assert_eq!(literal.place(written, 0..0), 1..1);
        let end = value.len();
        assert_eq!(literal.place(written, end..end), written.len() - 1..written.len() - 1);
        for (offset, _) in value.char_indices() {
            let place = literal.place(written, offset..offset).start;
            assert_eq!(literal.offset(written, place), Some(offset), "{offset}");
        }
        assert_eq!(literal.offset(written, 0), None);
        assert_eq!(literal.written("a\"\\\n"), Some("a\\\"\\\\\\n".to_owned()));
        let begun = Literal::begun("rule=\"a.b", 5..9).expect("a string");
        assert_eq!((begun.content(), begun.offset("rule=\"a.b", 9)), (6..9, Some(3)));
        assert_eq!(string("`a`").and_then(|it| it.written("`")), None);
    }
}
