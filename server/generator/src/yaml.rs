//! Writes objects as YAML in the same way as controller-gen, which uses go-yaml v2 (`encode.go`, `sorter.go` and `emitterc.go`): keys are sorted, and
//! long strings are wrapped after column 80.

use crd_analyzer_syntax::{is_plain_text, is_timestamp};
use serde_json::Value;

use crate::writable::read_again;

/// The column after which a line is wrapped at the next space.
const WIDTH: usize = 80;

/// The maximum length of a simple key, in bytes. Longer keys are written with a question mark.
const LONGEST_KEY: usize = 128;

/// An object as a YAML document, without `---`.
pub fn written(object: &Value) -> String {
    let mut emitter = Emitter {
        out: String::new(),
        column: 0,
        is_after_blank: true,
        is_indented: true,
    };
    emitter.node(object, None, false);
    emitter.indent(0);
    emitter.out
}

struct Emitter {
    out: String,
    /// The number of characters on the current line so far.
    column: usize,
    is_after_blank: bool,
    /// Whether the current line has only indentation and dashes so far.
    is_indented: bool,
}

/// The style of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

impl Emitter {
    fn put(&mut self, sign: char) {
        self.out.push(sign);
        self.column += 1;
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn indent(&mut self, indent: usize) {
        if !self.is_indented || self.column > indent || self.column == indent && !self.is_after_blank {
            self.end_line();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.is_after_blank = true;
        self.is_indented = true;
    }

    fn sign(&mut self, sign: char, needs_blank: bool, keeps_indented: bool) {
        if needs_blank && !self.is_after_blank {
            self.put(' ');
        }
        self.put(sign);
        self.is_after_blank = false;
        self.is_indented &= keeps_indented;
    }

    /// Writes a node. `indent` is the indentation of the surrounding object or list. `is_value` means that the node is the value of a key.
    fn node(&mut self, node: &Value, indent: Option<usize>, is_value: bool) {
        match node {
            Value::Object(members) if members.is_empty() => self.word("{}"),
            Value::Array(items) if items.is_empty() => self.word("[]"),
            Value::Object(members) => {
                let indent = indent.map_or(0, |it| it + 2);
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                members.sort_by(|one, other| natural(one.0, other.0));
                for (key, value) in members {
                    self.indent(indent);
                    if key.len() <= LONGEST_KEY && !key.contains(is_break) {
                        self.text(key, indent, true);
                        self.sign(':', false, false);
                    } else {
                        self.sign('?', true, true);
                        self.is_after_blank = false;
                        self.text(key, indent, false);
                        self.indent(indent);
                        self.sign(':', true, true);
                    }
                    self.node(value, Some(indent), true);
                }
            }
            Value::Array(items) => {
                let indent = match indent {
                    None => 0,
                    Some(indent) if is_value && !self.is_indented => indent,
                    Some(indent) => indent + 2,
                };
                for item in items {
                    self.indent(indent);
                    self.sign('-', true, true);
                    self.node(item, Some(indent), false);
                }
            }
            Value::String(text) => self.text(text, indent.unwrap_or(0) + indent_of_text(indent), false),
            Value::Number(number) => self.word(&number_text(number)),
            Value::Bool(is) => self.word(if *is { "true" } else { "false" }),
            Value::Null => self.word("null"),
        }
    }

    /// Writes a word that is never wrapped.
    fn word(&mut self, word: &str) {
        if !self.is_after_blank {
            self.put(' ');
        }
        for sign in word.chars() {
            self.put(sign);
        }
        self.is_after_blank = false;
        self.is_indented = false;
    }

    fn text(&mut self, text: &str, indent: usize, is_key: bool) {
        let text = &*read_again(text);
        let style = style(text, is_key);
        match style {
            Style::Plain => {
                if !self.is_after_blank {
                    self.put(' ');
                }
                self.line(text, indent, (style, is_key));
            }
            Style::Single => {
                self.sign('\'', true, false);
                self.line(text, indent, (style, is_key));
                self.put('\'');
            }
            Style::Double => {
                self.sign('"', true, false);
                self.escaped(text, indent, is_key);
                self.put('"');
            }
            Style::Literal => {
                self.literal(text, indent);
                return;
            }
        }
        self.is_after_blank = false;
        self.is_indented = false;
    }

    /// Writes a string that has no line breaks. Wraps it if it is long.
    fn line(&mut self, text: &str, indent: usize, (style, is_key): (Style, bool)) {
        let mut is_after_space = false;
        let mut rest = text.chars().peekable();
        let mut is_first = true;
        while let Some(sign) = rest.next() {
            if sign == ' ' {
                let is_within = style == Style::Plain || !is_first && rest.peek().is_some();
                if !is_key && !is_after_space && self.column > WIDTH && is_within && rest.peek() != Some(&' ') {
                    self.is_indented = false;
                    self.indent(indent);
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else {
                if sign == '\'' && style == Style::Single {
                    self.put('\'');
                }
                self.put(sign);
                is_after_space = false;
                self.is_indented = false;
            }
            is_first = false;
        }
    }

    /// Writes a string in double quotes.
    fn escaped(&mut self, text: &str, indent: usize, is_key: bool) {
        let mut is_after_space = false;
        let mut rest = text.chars().peekable();
        let mut is_first = true;
        while let Some(sign) = rest.next() {
            if !is_printable(sign) || sign == '\u{FEFF}' || is_break(sign) || sign == '"' || sign == '\\' {
                for escaped in escape(sign).chars() {
                    self.put(escaped);
                }
                is_after_space = false;
            } else if sign == ' ' {
                if !is_key && !is_after_space && self.column > WIDTH && !is_first && rest.peek().is_some() {
                    self.is_indented = false;
                    self.indent(indent);
                    if rest.peek() == Some(&' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                is_after_space = true;
            } else {
                self.put(sign);
                is_after_space = false;
            }
            is_first = false;
        }
    }

    /// Writes a string as a literal block.
    fn literal(&mut self, text: &str, indent: usize) {
        self.sign('|', true, false);
        if text.starts_with(|it| it == ' ' || is_break(it)) {
            self.put('2');
        }
        let mut ends = text.chars().rev().take_while(|it| is_break(*it));
        match (ends.next(), ends.next()) {
            (None, _) => self.put('-'),
            (Some(_), None) if text.chars().count() > 1 => {}
            _ => self.put('+'),
        }
        self.end_line();
        self.is_indented = true;
        self.is_after_blank = true;
        let mut is_begin = true;
        for sign in text.chars() {
            if is_break(sign) {
                if sign == '\n' {
                    self.end_line();
                } else {
                    self.out.push(sign);
                    self.column = 0;
                }
                self.is_indented = true;
                is_begin = true;
            } else {
                if is_begin {
                    self.indent(indent);
                }
                self.put(sign);
                self.is_indented = false;
                is_begin = false;
            }
        }
    }
}

/// The indentation of the second and later lines of a string: two columns more than the surrounding node.
fn indent_of_text(indent: Option<usize>) -> usize {
    if indent.is_some() { 2 } else { 0 }
}

fn is_break(sign: char) -> bool {
    matches!(sign, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(sign: char) -> bool {
    matches!(sign, '\n' | ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}') && sign != '\u{FEFF}'
}

fn escape(sign: char) -> String {
    let short = match sign {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{B}' => 'v',
        '\u{C}' => 'f',
        '\r' => 'r',
        '\u{1B}' => 'e',
        '"' | '\\' => sign,
        '\u{85}' => 'N',
        '\u{A0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            return match sign as u32 {
                code @ ..=0xFF => format!("\\x{code:02X}"),
                code @ ..=0xFFFF => format!("\\u{code:04X}"),
                code => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}

/// The style in which to write a string.
fn style(text: &str, is_key: bool) -> Style {
    let allowed = Allowed::of(text);
    if text.contains('\n') {
        let may = !is_key && allowed.is_block && !text.is_empty();
        return if may { Style::Literal } else { Style::Double };
    }
    let is_text = is_plain_text(text) && !is_timestamp(text) && !is_base_60(text) && text != "<<";
    if !is_text || is_key && text.contains(is_break) {
        return Style::Double;
    }
    if allowed.is_plain && !(text.is_empty() && is_key) {
        Style::Plain
    } else if allowed.is_single {
        Style::Single
    } else {
        Style::Double
    }
}

/// Whether YAML 1.1 would read the string as a number with base 60.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let is_first = parts.next().is_some_and(|it| {
        it.starts_with(|it: char| it.is_ascii_digit()) && it.bytes().all(|it| it.is_ascii_digit() || it == b'_')
    });
    let rest: Vec<&str> = parts.collect();
    let Some((last, between)) = rest.split_last().filter(|_| is_first) else {
        return false;
    };
    let is_part = |it: &str| match it.as_bytes() {
        [one] => one.is_ascii_digit(),
        [one, other] => (b'0'..=b'5').contains(one) && other.is_ascii_digit(),
        _ => false,
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    is_part(last)
        && between.iter().all(|it| is_part(it))
        && fraction.bytes().all(|it| it.is_ascii_digit() || it == b'_')
}

/// The styles in which a string can be written.
struct Allowed {
    is_plain: bool,
    is_single: bool,
    is_block: bool,
}

impl Allowed {
    fn of(text: &str) -> Self {
        let mut has_indicators = text.starts_with("---") || text.starts_with("...");
        let (mut has_special, mut has_breaks) = (false, false);
        let (mut has_break_space, mut has_space_break) = (false, false);
        let mut previous: Option<char> = None;
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            let is_blank = |it: Option<&char>| it.is_none_or(|it| matches!(it, ' ' | '\t'));
            let is_followed = is_blank(signs.peek());
            let is_after = previous.is_none_or(|it| matches!(it, ' ' | '\t' | '\0') || is_break(it));
            has_indicators |= match sign {
                '#' => is_after,
                ':' => is_followed,
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    previous.is_none()
                }
                '?' | '-' => previous.is_none() && is_followed,
                _ => false,
            };
            has_special |= !is_printable(sign);
            let is_after_break = previous.is_some_and(is_break);
            if sign == ' ' {
                has_break_space |= is_after_break;
            } else if is_break(sign) {
                has_breaks = true;
                has_space_break |= previous == Some(' ');
            }
            previous = Some(sign);
        }
        let is_edge = |it: Option<char>| it.is_some_and(|it| it == ' ' || is_break(it));
        let has_edges = is_edge(text.chars().next()) || is_edge(text.chars().next_back());
        let is_broken = has_space_break || has_special;
        Self {
            is_plain: !has_indicators && !has_edges && !has_breaks && !has_break_space && !is_broken,
            is_single: !has_break_space && !is_broken,
            is_block: !text.ends_with(' ') && !is_broken,
        }
    }
}

/// A number as Go writes it.
fn number_text(number: &serde_json::Number) -> String {
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    let Some(number) = number.as_f64() else {
        return number.to_string();
    };
    let shortest = format!("{number:e}");
    let exponent: i32 = shortest
        .split_once('e')
        .and_then(|it| it.1.parse().ok())
        .unwrap_or_default();
    if (-4..21).contains(&exponent) {
        return number.to_string();
    }
    let (digits, _) = shortest.split_once('e').unwrap_or((&shortest, ""));
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Compares keys. Numbers in them are compared by value.
fn natural(one: &str, other: &str) -> std::cmp::Ordering {
    let (left, right): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let both = left.iter().zip(&right);
    let Some(at) = both.clone().position(|(one, other)| one != other) else {
        return left.len().cmp(&right.len());
    };
    let (one, other) = (left[at], right[at]);
    match (one.is_alphabetic(), other.is_alphabetic()) {
        (true, true) => return one.cmp(&other),
        (true, false) => return std::cmp::Ordering::Greater,
        (false, true) => return std::cmp::Ordering::Less,
        (false, false) => {}
    }
    // A zero matters only if another digit precedes it.
    let has_digit_before = (one == '0' || other == '0') && {
        let before = left[..at].iter().rev().take_while(|it| it.is_numeric());
        before.into_iter().any(|it| *it != '0')
    };
    let number = |signs: &[char]| {
        let digits = signs[at..].iter().take_while(|it| it.is_numeric());
        let mut value = i64::from(has_digit_before);
        let mut count = 0;
        for digit in digits {
            value = value.wrapping_mul(10).wrapping_add(i64::from(*digit as u32) - 48);
            count += 1;
        }
        (value, count)
    };
    number(&left).cmp(&number(&right)).then(one.cmp(&other))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::written;

    #[test]
    fn objects_are_written_as_go_writes_them() {
        let long = format!("{} {}", "a".repeat(80), "b".repeat(20));
        for (object, expected) in [
            (
                json!({"b": 1, "a": {"c": [1, {"d": true, "e": null}], "f": {}, "g": []}}),
                "a:\n  c:\n  - 1\n  - d: true\n    e: null\n  f: {}\n  g: []\nb: 1\n",
            ),
            (
                json!({"a10": 1, "a9": 2, "a-b": 3, "ab": 4}),
                "a-b: 3\na9: 2\na10: 1\nab: 4\n",
            ),
            (
                json!({"a": "x: y", "b": "it's # not", "c": "true", "d": "1.5", "e": "~", "f": ""}),
                "a: 'x: y'\nb: 'it''s # not'\nc: \"true\"\nd: \"1.5\"\ne: \"~\"\nf: \"\"\n",
            ),
            (
                json!({"a": "one\ntwo", "b": "one\n", "c": " one\ntwo", "d": "one \ntwo", "e": "tab\tx"}),
                "a: |-\n  one\n  two\nb: |\n  one\nc: |2-\n   one\n  two\nd: \"one \\ntwo\"\ne: \"tab\\tx\"\n",
            ),
            (
                json!({"a": long}),
                &format!("a: {}\n  {}\n", "a".repeat(80), "b".repeat(20)),
            ),
            (
                json!({"a": [["x", "y"], []], "b": 0.5, "c": 1e21, "d": 1e-7}),
                "a:\n- - x\n  - \"y\"\n- []\nb: 0.5\nc: 1e+21\nd: 1e-07\n",
            ),
            (
                json!({"a": "2001-01-01", "b": "1:30", "c": "0x1", "d": "010", "e": "<<"}),
                "a: \"2001-01-01\"\nb: \"1:30\"\nc: \"0x1\"\nd: \"010\"\ne: \"<<\"\n",
            ),
        ] {
            assert_eq!(written(&object), expected, "{object}");
        }
    }
}
