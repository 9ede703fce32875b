//! Snippets: the text that an item inserts, and the resulting position of the cursor.

use regex::{Captures, Regex};

/// The transformation of a placeholder: `${1/regex/format/}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Transform {
    /// The number of the placeholder that provides the text.
    pub(super) of: u32,
    regex: String,
    format: String,
}

impl Transform {
    /// Parses the text between `${` and `/}`.
    fn read(text: &str) -> Option<Self> {
        let (of, rest) = text.split_once('/')?;
        let (regex, format) = rest.split_once('/')?;
        Some(Self {
            of: of.parse().ok()?,
            regex: regex.to_owned(),
            format: format.to_owned(),
        })
    }

    pub(super) fn apply(&self, text: &str) -> String {
        let (Ok(regex), Ok(group)) = (
            Regex::new(&self.regex),
            Regex::new(r"\$\{(\d+):(?:/(\w+)|\+([^}]*))\}|\$(\d+)"),
        ) else {
            return text.to_owned();
        };
        let write = |found: &Captures<'_>| {
            let of = |number: &str| {
                let at: usize = number.parse().unwrap_or_default();
                found.get(at).map_or("", |it| it.as_str()).to_owned()
            };
            let piece = |piece: &Captures<'_>| match (piece.get(1), piece.get(2), piece.get(3), piece.get(4)) {
                (Some(number), Some(_), ..) => of(number.as_str()).to_uppercase(),
                (Some(number), _, Some(then), _) if !of(number.as_str()).is_empty() => then.as_str().to_owned(),
                (.., Some(number)) => of(number.as_str()),
                _ => String::new(),
            };
            group.replace_all(&self.format, piece).into_owned()
        };
        regex.replace(text, write).into_owned()
    }
}

/// A piece of a snippet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Text(String),
    /// A placeholder with its initial text.
    Place {
        number: u32,
        has: Vec<String>,
        made: Option<Transform>,
    },
}

/// Parses a snippet. Lines after the first one get the indentation of the line in which it is inserted.
pub(super) fn pieces(snippet: &str, indentation: usize) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut text = String::new();
    let mut rest = snippet.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\\' => text.extend(rest.next()),
            '\n' => {
                text.push('\n');
                text.push_str(&" ".repeat(indentation));
            }
            '$' => {
                found.push(Piece::Text(std::mem::take(&mut text)));
                let is_braced = rest.next_if_eq(&'{').is_some();
                let mut number = String::new();
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                let mut has = vec![String::new()];
                let mut made = None;
                let mut ahead = rest.clone();
                if is_braced && ahead.by_ref().take(3).collect::<String>() == ":${" {
                    rest = ahead;
                    let mut inner = String::new();
                    while !inner.ends_with("/}") {
                        match rest.next() {
                            Some(it) => inner.push(it),
                            None => break,
                        }
                    }
                    rest.next_if_eq(&'}');
                    made = Transform::read(inner.trim_end_matches("/}"));
                } else if is_braced {
                    let is_choice = rest.next() == Some('|');
                    while let Some(char) = rest.next().filter(|it| *it != '}') {
                        match char {
                            '\\' => has.last_mut().into_iter().for_each(|it| it.extend(rest.next())),
                            ',' if is_choice => has.push(String::new()),
                            '|' if is_choice => {}
                            _ => has.last_mut().into_iter().for_each(|it| it.push(char)),
                        }
                        if rest.peek().is_none() {
                            break;
                        }
                    }
                }
                found.push(Piece::Place {
                    number: number.parse().unwrap_or_default(),
                    has,
                    made,
                });
            }
            _ => text.push(char),
        }
    }
    found.push(Piece::Text(text));
    found.retain(|it| *it != Piece::Text(String::new()));
    found
}

/// The initial text of the pieces, and the number of bytes from the start of the first placeholder to the end. The cursor goes to that start.
pub(super) fn written(pieces: &[Piece]) -> (String, usize) {
    let mut text = String::new();
    let mut at = None;
    for piece in pieces {
        match piece {
            Piece::Text(it) => text.push_str(it),
            Piece::Place { has, .. } => {
                at.get_or_insert(text.len());
                text.push_str(&has[0]);
            }
        }
    }
    let back = text.len() - at.unwrap_or(text.len());
    (text, back)
}

/// Whether `text` starts with the pieces, if each placeholder is filled in with text on one line. Returns the values of the placeholders and the
/// length of the match.
pub(super) fn filled(pieces: &[Piece], text: &str) -> Option<(Vec<(u32, String)>, usize)> {
    let mut places: Vec<(u32, String)> = Vec::new();
    let mut at = 0;
    for (n, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(it) => at += text[at..].starts_with(it.as_str()).then_some(it.len())?,
            Piece::Place { number, .. } => {
                if let Some(known) = places.iter().find(|it| it.0 == *number) {
                    at += text[at..].starts_with(&known.1).then_some(known.1.len())?;
                    continue;
                }
                let line = text[at..].split('\n').next()?;
                let value = match pieces.get(n + 1) {
                    Some(Piece::Text(next)) => {
                        let next = next.split('\n').next().unwrap_or_default();
                        if next.is_empty() {
                            line
                        } else {
                            &line[..line.find(next)?]
                        }
                    }
                    Some(Piece::Place { .. }) => "",
                    None => line,
                };
                places.push((*number, value.to_owned()));
                at += value.len();
            }
        }
    }
    Some((places, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_can_be_made_of_another() {
        let read = pieces(
            "a: ${1:x}\nb: ${2:${1/^(.)(.*?)(?:(ies)|s)?$/${1:/upcase}$2${3:+y}/}}\nc: $1",
            0,
        );
        let made = read.iter().find_map(|it| match it {
            Piece::Place { made: Some(made), .. } => Some(made),
            _ => None,
        });
        let made = made.expect("a transform");
        assert_eq!(made.of, 1);
        for (plural, kind) in [("backups", "Backup"), ("policies", "Policy"), ("sheep", "Sheep")] {
            assert_eq!(made.apply(plural), kind);
        }
        let (places, _) = filled(&read, "a: ys\nb: Y\nc: ys").expect("it fits");
        assert_eq!(places, [(1, "ys".to_owned()), (2, "Y".to_owned())]);
    }

    #[test]
    fn a_snippet_is_read_and_filled_in() {
        let read = pieces("type: ${2|a,b|}\nrule: ${1:x\\}}\\$ $0", 2);
        let (text, back) = written(&read);
        assert_eq!(
            (text.as_str(), back),
            ("type: a\n  rule: x}$ ", "a\n  rule: x}$ ".len())
        );
        let (places, end) = filled(&read, "type: b\n  rule: self$ \nmore").expect("it fits");
        assert_eq!(places, [(2, "b".into()), (1, "self".into()), (0, String::new())]);
        assert_eq!(end, "type: b\n  rule: self$ ".len());
        assert_eq!(filled(&read, "type: b\n rule"), None);
    }
}
