//! Paths to a field of a schema: `fieldPath` of a rule and `jsonPath` of a selectable field
//! (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `ValidFieldPath`).

use std::fmt;
use std::ops::Range;

use crate::field::{Cause, Path, Segment};
use crate::structural::{AdditionalProperties, Structural};

/// The number of bytes without a delimiter after which the API server silently stops reading a path
/// (`bufio.MaxScanTokenSize`).
const TOKEN_LIMIT: usize = 64 * 1024;

/// The reason why a path does not lead to a field of the schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldPathError {
    /// A problem, and its byte range in the path.
    Invalid(PathProblem, Range<usize>),
    /// The API server crashes because it looks up a field in a schema that does not exist.
    Crash(Range<usize>),
}

/// A problem in a path. Displays as the API server's message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathProblem {
    /// The path is malformed.
    Malformed(String),
    /// The path names a property that the schema does not have.
    NotFound,
}

impl PathProblem {
    /// The cause for an error about this problem; `part` is the affected part of the path.
    pub fn cause(self, part: &str) -> Cause {
        match self {
            Self::Malformed(detail) => Cause::Malformed(detail),
            Self::NotFound => Cause::NotFound(part.to_owned()),
        }
    }
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(detail) => f.write_str(detail),
            Self::NotFound => f.write_str("does not refer to a valid field"),
        }
    }
}

impl fmt::Display for FieldPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problem, _) => problem.fmt(f),
            Self::Crash(_) => f.write_str("nil pointer dereference"),
        }
    }
}

impl std::error::Error for FieldPathError {}

/// Follows `.name` and, if `allow_brackets` is set, `['name']` from `schema` down. Returns the path, and the schema at the end of the path or `None`
/// if any value is allowed there.
pub fn resolve<'s>(
    text: &str,
    mut schema: Option<Structural<'s>>,
    allow_brackets: bool,
) -> Result<(Path, Option<Structural<'s>>), FieldPathError> {
    let mut path = Path::root();
    let mut tokens = Tokens { text, at: 0 };
    while let Some(token) = tokens.next() {
        let name = match token.text {
            "[" if !allow_brackets => return Err(token.invalid("array notation is not allowed".to_owned())),
            "[" => {
                let quoted = tokens.expect_more()?;
                let inner = quoted.text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
                let Some(inner) = inner else {
                    let detail = format!("expected single quoted string but got {}", quoted.text);
                    return Err(quoted.invalid(detail));
                };
                match unescape(inner) {
                    Ok(name) => (name, quoted),
                    Err(detail) => return Err(quoted.invalid(format!("invalid string literal: {detail}"))),
                }
            }
            "." => {
                let name = tokens.expect_more()?;
                (name.text.to_owned(), name)
            }
            other => return Err(token.invalid(format!("expected [ or . but got: {other}"))),
        };
        let (name, at) = name;
        let unknown = || FieldPathError::Invalid(PathProblem::NotFound, at.range());
        let Some(parent) = schema else {
            return Err(FieldPathError::Crash(at.range()));
        };
        if !parent.has_no_properties() {
            schema = Some(parent.property(&name).ok_or_else(unknown)?);
            path.push(Segment::Field(name));
        } else if let Some(additional) = parent.additional_properties() {
            schema = AdditionalProperties::schema(additional);
            path.push(Segment::Key(name));
        } else {
            return Err(unknown());
        }
        if token.text == "[" {
            let close = tokens.expect_more()?;
            if close.text != "]" {
                return Err(close.invalid(format!("expected ] but got {}", close.text)));
            }
        }
    }
    Ok((path, schema))
}

#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl Token<'_> {
    fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn invalid(self, detail: String) -> FieldPathError {
        FieldPathError::Invalid(PathProblem::Malformed(detail), self.range())
    }
}

/// An iterator over the delimiters (`.`, `[`, `]`), the quoted strings with everything between their quotes, and the other text.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    fn expect_more(&mut self) -> Result<Token<'t>, FieldPathError> {
        let end = self.text.len();
        self.next().ok_or_else(|| {
            let problem = PathProblem::Malformed("unexpected end of JSON path".to_owned());
            FieldPathError::Invalid(problem, end..end)
        })
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let length = match *bytes.first()? {
            b'.' | b'[' | b']' => 1,
            b'\'' => {
                let close = (1..bytes.len()).find(|&i| bytes[i] == b'\'' && bytes[i - 1] != b'\\');
                close.map_or(bytes.len(), |i| i + 1)
            }
            _ => bytes.iter().position(|b| b".[]".contains(b)).unwrap_or(bytes.len()),
        };
        // Like Go's scanner, this needs one more byte to find the end of a token, unless a quote ends the token.
        let is_closed = bytes[0] == b'\'' && length > 1 && bytes[length - 1] == b'\'' && bytes[length - 2] != b'\\';
        let seen = if is_closed { length } else { length + 1 };
        if length > 1 && seen > TOKEN_LIMIT {
            self.at = self.text.len();
            return None;
        }
        let token = Token {
            text: &rest[..length],
            start: self.at,
        };
        self.at += length;
        Some(token)
    }
}

/// Resolves the escapes in a quoted string. The error names the last invalid escape (`unescapeSingleQuote`).
fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut wrong = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next_if(|&next| next != '\n') {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\u{b}'),
            Some(next @ ('\'' | '\\')) => out.push(next),
            Some(next) => wrong = Some(format!("invalid escape char \\{next}")),
            None => out.push('\\'),
        }
    }
    wrong.map_or(Ok(out), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JsonSchemaProps, SchemaOrBool};

    /// `{a: {b}, m: map of strings, any: map of anything}`
    fn schema() -> JsonSchemaProps {
        let leaf = || JsonSchemaProps {
            r#type: "string".to_owned(),
            ..JsonSchemaProps::default()
        };
        let map = |schema: Option<JsonSchemaProps>| JsonSchemaProps {
            additional_properties: Some(Box::new(SchemaOrBool {
                allows: true,
                schema: schema.map(Box::new),
            })),
            ..JsonSchemaProps::default()
        };
        let object = |properties: Vec<(&str, JsonSchemaProps)>| JsonSchemaProps {
            properties: properties.into_iter().map(|(name, it)| (name.to_owned(), it)).collect(),
            ..JsonSchemaProps::default()
        };
        object(vec![
            ("a", object(vec![("b", leaf()), ("x.y'", leaf())])),
            ("any", map(None)),
            ("m", map(Some(leaf()))),
        ])
    }

    fn check(text: &str, expected: Result<&str, &str>) {
        let schema = schema();
        let structural = Structural::new(&schema).expect("the schema is structural");
        let seen = resolve(text, Some(structural), true)
            .map(|(path, _)| path.to_string())
            .map_err(|error| error.to_string());
        assert_eq!(
            seen.as_ref().map(String::as_str).map_err(String::as_str),
            expected,
            "{text}"
        );
    }

    #[test]
    fn follows_fields_and_keys() {
        check(".a.b", Ok("a.b"));
        check("['a']['b']", Ok("a.b"));
        check(".m.k", Ok("m[k]"));
        check(".m['k.l']", Ok("m[k.l]"));
        check(".any.k", Ok("any[k]"));
        check(r".a['x.y\'']", Ok("a.x.y'"));
    }

    #[test]
    fn says_what_is_wrong() {
        check("a", Err("expected [ or . but got: a"));
        check(".", Err("unexpected end of JSON path"));
        check("..", Err("does not refer to a valid field"));
        check(".c", Err("does not refer to a valid field"));
        check(".a.b.c", Err("does not refer to a valid field"));
        check("[a]", Err("expected single quoted string but got a"));
        check("['a", Err("expected single quoted string but got 'a"));
        check("[']", Err("expected single quoted string but got ']"));
        check(".a['b'", Err("unexpected end of JSON path"));
        check(".a['b'x", Err("expected ] but got x"));
        check(r"['a\q']", Err(r"invalid string literal: invalid escape char \q"));
        check(".any.k.l", Err("nil pointer dereference"));
    }
}
