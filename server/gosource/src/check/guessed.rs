//! Parses values whose type controller-gen guesses, such as defaults, examples and enum values (`AnyType` in `pkg/markers/parse.go` of
//! `sigs.k8s.io/controller-tools`). Before 0.22, controller-gen guesses that a value is a number if it starts with digits.

use std::ops::Range;

use super::{
    catalog::{Release, Type},
    refused::{Problem, Refused},
    scan::{Scanner, Token},
};
use crate::literal::{Literal, Value};

/// The maximum depth of nested values.
const MAX_DEPTH: usize = 50;

/// The first release that looks at the text after the digits before it guesses a number, and that reads a colon in a string without quotes.
pub(super) const LOOKS_BEHIND: Release = Release(22);

/// The result of parsing a value as controller-gen does.
#[derive(Clone, PartialEq, Debug)]
pub enum Guessed {
    /// A valid value.
    Value(Literal),
    /// An error that controller-gen reports. Its span is in bytes of the text that contains the value.
    Refused(Refused),
    /// It is unknown whether controller-gen accepts the value.
    Unknown,
}

/// The guessed type of a value.
#[derive(Clone, Debug)]
enum Of {
    Integer,
    Number,
    Text,
    Bool,
    List(Box<Of>),
    /// A map with values of any type.
    Map,
    Any,
}

impl Of {
    fn read(of: &Type) -> Option<Self> {
        Some(match of {
            Type::Int => Self::Integer,
            Type::Number => Self::Number,
            Type::String => Self::Text,
            Type::Bool => Self::Bool,
            Type::List(of) => Self::List(Box::new(Self::read(of)?)),
            Type::Any => Self::Any,
            Type::Raw => return None,
        })
    }
}

/// Parses the part of a text at `span`. That part must contain exactly one value of type `of`.
pub fn read(text: &str, span: Range<usize>, of: &Type, release: Release) -> Guessed {
    let (Some(written), Some(of)) = (text.get(span.clone()), Of::read(of)) else {
        return Guessed::Unknown;
    };
    let mut reader = Reader {
        scanner: Scanner::new(written),
        begin: span.start,
        release,
        is_unknown: false,
    };
    let value = reader.value(&of, false, 0);
    reader.end();
    match (reader.scanner.problem, value) {
        _ if reader.is_unknown => Guessed::Unknown,
        (Some((of, problem)), _) => Guessed::Refused(Refused {
            span: span.start + of.start..span.start + of.end,
            problem,
        }),
        (None, Some(value)) => Guessed::Value(value),
        (None, None) => Guessed::Unknown,
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    /// The offset of the parsed text in the file.
    begin: usize,
    release: Release,
    is_unknown: bool,
}

impl Reader<'_> {
    /// Reports an error if some text is left.
    fn end(&mut self) {
        if self.scanner.problem.is_none() && self.scanner.scan() != Token::End {
            let rest = self.scanner.token.start..self.scanner.text.len();
            self.scanner.problem = Some((rest, Problem::Extra));
        }
    }

    /// Reports an error from `start` to the end of the last token.
    fn refuse(&mut self, start: usize, problem: Problem) -> Option<Literal> {
        let end = self.scanner.token.end.max(start);
        self.scanner.refuse(start..end, problem);
        None
    }

    fn literal(&self, value: Value, span: Range<usize>) -> Option<Literal> {
        let span = self.begin + span.start..self.begin + span.end;
        self.scanner.problem.is_none().then(|| Literal::of(value, span))
    }

    fn value(&mut self, of: &Of, is_in_list: bool, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            self.is_unknown = true;
            return None;
        }
        match of {
            Of::Any => {
                let guessed = self.guess(!is_in_list, depth)?;
                self.value(&guessed, false, depth + 1)
            }
            Of::Integer | Of::Number => self.number(matches!(of, Of::Number)),
            Of::Bool => {
                let token = self.scanner.scan();
                let span = self.scanner.token.clone();
                match (token, &self.scanner.text[span.clone()]) {
                    (Token::Word, word @ ("true" | "false")) => self.literal(Value::Bool(word == "true"), span),
                    _ => self.refuse(span.start, Problem::Bool),
                }
            }
            Of::Text => self.string(false),
            Of::List(of) => self.list(of, depth),
            Of::Map => self.map(depth),
        }
    }

    fn number(&mut self, may_be_fraction: bool) -> Option<Literal> {
        let start = self.scanner.at;
        if self.scanner.peek() == Some('-') {
            self.scanner.scan();
        }
        let token = self.scanner.scan();
        let span = self.scanner.token.clone();
        let is_negative = self.scanner.text[start..].starts_with('-');
        let sign = if is_negative { "-" } else { "" };
        let text = format!("{sign}{}", &self.scanner.text[span.clone()]);
        let start = if is_negative { start } else { span.start };
        match token {
            Token::Integer if !may_be_fraction => match text.parse() {
                Ok(value) => self.literal(Value::Integer(value), start..span.end),
                Err(_) => self.refuse(start, Problem::Integer),
            },
            Token::Integer | Token::Number if may_be_fraction => match crd_analyzer_gostd::parse_float(&text) {
                Some(value) => self.literal(Value::Number(value), start..span.end),
                _ => self.refuse(start, Problem::Number),
            },
            _ if may_be_fraction => self.refuse(start, Problem::Number),
            _ => self.refuse(start, Problem::Integer),
        }
    }

    /// Whether an unquoted string ends before a character.
    fn ends(&self, at: Option<char>, is_key: bool) -> bool {
        match at {
            None | Some(',' | ';' | '}') => true,
            Some(':') => is_key || self.release < LOOKS_BEHIND,
            Some(_) => false,
        }
    }

    fn string(&mut self, is_key: bool) -> Option<Literal> {
        self.scanner.has_numbers = false;
        let token = self.scanner.scan();
        let span = self.scanner.token.clone();
        if token == Token::Text {
            self.scanner.has_numbers = true;
            if self.scanner.problem.is_some() {
                return None;
            }
            let span = self.begin + span.start..self.begin + span.end;
            let read = Literal::quoted(&self.scanner.text[self.scanner.token.clone()], span);
            self.is_unknown |= read.is_none();
            return read;
        }
        // Read tokens up to a separator. If the last token consists of blanks, it has no text, but the string extends to its end.
        let start = span.start;
        let mut next = self.scanner.peek_sign();
        while !self.ends(next, is_key) {
            self.scanner.scan();
            next = self.scanner.peek_sign();
        }
        self.scanner.has_numbers = true;
        let end = self.scanner.token.end.max(start);
        let text = self.scanner.text[start..end].to_owned();
        self.literal(Value::String(text), start..end)
    }

    fn list(&mut self, of: &Of, depth: usize) -> Option<Literal> {
        let mut found = Vec::new();
        let is_in_braces = self.scanner.peek_sign() == Some('{');
        let start = self.scanner.at;
        if is_in_braces {
            self.scanner.scan();
        }
        loop {
            let next = self.scanner.peek_sign();
            if matches!(next, None | Some('}')) || !is_in_braces && next == Some(',') {
                break;
            }
            found.extend(self.value(of, true, depth + 1));
            if self.is_unknown || self.scanner.problem.is_some() {
                return None;
            }
            let next = self.scanner.peek_sign();
            if matches!(next, Some('}')) || !is_in_braces && matches!(next, None | Some(',')) {
                break;
            }
            let wanted = if is_in_braces { ',' } else { ';' };
            if self.scanner.scan() != Token::Sign(wanted) {
                return self.refuse(self.scanner.token.start, Problem::Separator);
            }
        }
        if is_in_braces && self.scanner.scan() != Token::Sign('}') {
            return self.refuse(self.scanner.token.start, Problem::Separator);
        }
        self.literal(Value::List(found), start..self.scanner.at)
    }

    fn map(&mut self, depth: usize) -> Option<Literal> {
        let mut found = Vec::new();
        if self.scanner.scan() != Token::Sign('{') {
            return self.refuse(self.scanner.token.start, Problem::Separator);
        }
        let start = self.scanner.token.start;
        while !matches!(self.scanner.peek_sign(), None | Some('}')) {
            let key = self.string(true);
            if self.scanner.scan() != Token::Sign(':') {
                return self.refuse(self.scanner.token.start, Problem::Colon);
            }
            let value = self.value(&Of::Any, false, depth + 1);
            if self.is_unknown || self.scanner.problem.is_some() {
                return None;
            }
            if let (Some(key), Some(value)) = (key, value) {
                found.push((key, value));
            }
            if self.scanner.peek_sign() == Some('}') {
                break;
            }
            if self.scanner.scan() != Token::Sign(',') {
                return self.refuse(self.scanner.token.start, Problem::Separator);
            }
        }
        if self.scanner.scan() != Token::Sign('}') {
            return self.refuse(self.scanner.token.start, Problem::Separator);
        }
        self.literal(Value::map(found), start..self.scanner.at)
    }

    /// Guesses the type of the next value. Before 0.22, errors that occur while guessing are reported.
    fn guess(&mut self, may_be_list: bool, depth: usize) -> Option<Of> {
        let mut problem = None;
        let guessed = guess(self.scanner.rest(), may_be_list, (self.release, &mut problem), depth);
        if let Some((span, of)) = problem.filter(|_| self.release < LOOKS_BEHIND) {
            let at = self.scanner.at;
            self.scanner.refuse(at + span.start..at + span.end, of);
        }
        self.is_unknown |= guessed.is_none();
        guessed
    }
}

/// The release, and the first error in a text that is scanned only to guess a type.
type Wrong<'w> = (Release, &'w mut Option<(Range<usize>, Problem)>);

fn guess(text: &str, may_be_list: bool, (release, wrong): Wrong<'_>, depth: usize) -> Option<Of> {
    if depth > MAX_DEPTH {
        return None;
    }
    if may_be_list {
        let item = guess(text, false, (release, &mut *wrong), depth)?;
        let mut scanner = Scanner::new(text);
        let is_list = loop {
            match scanner.scan() {
                Token::Sign(',') | Token::End => break false,
                Token::Sign(';') => break true,
                _ => {}
            }
        };
        if wrong.is_none() {
            *wrong = scanner.problem;
        }
        return Some(if is_list { Of::List(Box::new(item)) } else { item });
    }
    let mut scanner = Scanner::new(text);
    let guessed = match scanner.peek_sign() {
        Some('"' | '\'' | '`') => return Some(Of::Text),
        Some('{') => {
            scanner.scan();
            let hint = scanner.peek_sign();
            let at = scanner.at;
            let mut inner = None;
            let first = guess(scanner.rest(), false, (release, &mut inner), depth + 1)?;
            if let Some((span, of)) = inner {
                scanner.refuse(at + span.start..at + span.end, of);
            }
            let mut is_map = false;
            if matches!(first, Of::Text) {
                let mut reader = Reader {
                    scanner: scanner.clone(),
                    begin: 0,
                    release,
                    is_unknown: false,
                };
                reader.string(true);
                is_map = reader.scanner.scan() == Token::Sign(':') || hint == Some('}');
                scanner = reader.scanner;
            }
            if is_map { Of::Map } else { Of::List(Box::new(first)) }
        }
        hint => guess_word(&mut scanner, hint, release),
    };
    if wrong.is_none() {
        *wrong = scanner.problem;
    }
    Some(guessed)
}

/// Guesses the type of a value without quotes and braces.
fn guess_word(scanner: &mut Scanner<'_>, hint: Option<char>, release: Release) -> Of {
    let mut token = scanner.scan();
    if matches!(hint, Some('t' | 'f')) {
        let word = &scanner.text[scanner.token.clone()];
        return if matches!(word, "true" | "false") {
            Of::Bool
        } else {
            Of::Text
        };
    }
    if token == Token::Sign('-') {
        token = scanner.scan();
    }
    let of = match token {
        Token::Integer => Of::Integer,
        Token::Number => Of::Number,
        _ => return Of::Text,
    };
    if release < LOOKS_BEHIND {
        return of;
    }
    let ends = |it: Option<char>| matches!(it, None | Some(',' | ';' | '}'));
    if scanner.problem.is_none() && ends(scanner.peek_sign()) {
        of
    } else {
        Of::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a value as JSON, but without quotes around keys.
    fn json(of: &Literal) -> String {
        let all = |items: Vec<String>| items.join(",");
        match &of.value {
            Value::String(text) => format!("{text:?}"),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => format!("{number:?}"),
            Value::Bool(is) => is.to_string(),
            Value::Null => "null".to_owned(),
            Value::List(items) => format!("[{}]", all(items.iter().map(json).collect())),
            Value::Map(members) => {
                let members = members.iter().map(|it| format!("{}:{}", json(&it.0), json(&it.1)));
                format!("{{{}}}", all(members.collect()))
            }
        }
    }

    fn said(written: &str, of: &Type, release: u8) -> String {
        match read(written, 0..written.len(), of, Release(release)) {
            Guessed::Value(value) => json(&value),
            Guessed::Refused(refused) => format!("{:?} at {}", refused.problem, &written[refused.span]),
            Guessed::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn values_are_those_of_controller_gen() {
        for (written, expected) in [
            ("5", "5"),
            ("-3", "-3"),
            ("1.0", "1.0"),
            ("012", "12"),
            ("1_0", "Integer at 1_0"),
            ("0x1p4", "16.0"),
            ("true", "true"),
            ("no", "\"no\""),
            ("tea", "\"tea\""),
            ("\"1\"", "\"1\""),
            ("`a\\d`", "\"a\\\\d\""),
            ("'x'", "\"'x'\""),
            ("{}", "{}"),
            ("{a: 1}", "{\"a\":1}"),
            ("{a: 1, a: b:c}", "{\"a\":\"b:c\"}"),
            ("{\"a\": {b: {1,2}}, c: true}", "{\"a\":{\"b\":[1,2]},\"c\":true}"),
            ("{1,2}", "[1,2]"),
            ("a;b", "[\"a\",\"b\"]"),
            ("a ;b", "[\"\",\"b\"]"),
            ("100Mi", "\"100Mi\""),
            ("087", "\"087\""),
            ("2024-01-15", "\"2024-01-15\""),
            ("a:b", "\"a:b\""),
            ("a,b", "Extra at ,b"),
            ("1;a", "Integer at a"),
            ("true;x", "Bool at x"),
            ("{a: 1;2}", "Separator at a"),
            ("{a", "Separator at "),
            ("\"a", "Quote at \"a"),
            ("\"\\q\"", "Escape at \\q"),
            ("\"a\" b", "Extra at b"),
        ] {
            assert_eq!(said(written, &Type::Any, 23), expected, "{written}");
        }
    }

    #[test]
    fn earlier_releases_look_at_the_first_digits() {
        for (written, expected) in [
            ("100Mi", "Extra at Mi"),
            ("087", "Number at 087"),
            ("a:b", "Extra at :b"),
            ("5", "5"),
        ] {
            assert_eq!(said(written, &Type::Any, 21), expected, "{written}");
        }
    }

    #[test]
    fn lists_have_items_of_all_types() {
        let any = Type::List(Box::new(Type::Any));
        let text = Type::List(Box::new(Type::String));
        for (of, written, expected) in [
            (&any, "a;1;true", "[\"a\",1,true]"),
            (&any, "Pod,Container,All", "Extra at ,Container,All"),
            (&any, "{a, b}", "[\"a\",\"b\"]"),
            (&any, "{a;b}", "Separator at ;"),
            (&text, "a;1", "[\"a\",\"1\"]"),
            (&text, "{\"a,b\", c}", "[\"a,b\",\"c\"]"),
        ] {
            assert_eq!(said(written, of, 23), expected, "{written}");
        }
    }

    #[test]
    fn deep_values_are_not_decided() {
        let deep = "{a: ".repeat(2_000) + "1" + &"}".repeat(2_000);
        assert_eq!(said(&deep, &Type::Any, 23), "unknown");
    }
}
