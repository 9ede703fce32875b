//! Parses the arguments of a marker as controller-gen does (`pkg/markers/parse.go` of `sigs.k8s.io/controller-tools`, which uses Go's
//! `text/scanner`).

use crd_analyzer_gostd::parse_float;

use super::{
    catalog::{Argument, Definition, Release, Type},
    guessed::{self, Guessed},
    json,
    scan::{Scanner, Token},
    split::Split,
};
pub use super::{
    escape::escape,
    refused::{Problem, Refused},
};

/// Whether controller-gen rejects the arguments of a marker. `marker` includes its plus sign.
pub fn is_refused(definition: &Definition, release: Release, marker: &str) -> bool {
    refused(definition, release, &super::Split::of(marker)).is_some()
}

/// Parses the arguments of a marker. Returns the first error that controller-gen reports.
pub(super) fn refused(definition: &Definition, release: Release, split: &Split<'_>) -> Option<Refused> {
    if definition.is_assigned(split.whole, split.has_equals) {
        let problem = Problem::Equals;
        return Some(Refused { span: 0..0, problem });
    }
    // In `a:b:c=1`, `c` is an argument of `a:b`.
    let has_named = definition.name != split.whole;
    let named = has_named.then(|| split.whole.rsplit(':').next().unwrap_or_default().trim());
    let text = split.arguments;
    if let Some(read) = guessed(definition, release, text) {
        return match read {
            Guessed::Refused(refused) => Some(refused),
            Guessed::Value(_) | Guessed::Unknown => None,
        };
    }
    let converted = converted(definition, release, text);
    if converted == Some(true) {
        return None;
    }
    let mut reader = Reader {
        definition,
        release,
        text,
        at: 0,
    };
    let mut seen: Vec<String> = Vec::new();
    let arguments: Vec<&Argument> = definition.arguments.iter().filter(|it| it.since <= release).collect();
    let is_anonymous = matches!(arguments.as_slice(), [it] if it.name.is_empty());
    let read = if is_anonymous {
        if reader.peek().is_some() {
            seen.push(String::new());
            reader.value(&arguments[0].r#type)
        } else {
            Ok(())
        }
    } else {
        reader.arguments(&arguments, named, &mut seen)
    };
    let missing = || {
        let missing = arguments
            .iter()
            .find(|it| !it.is_optional && !seen.contains(&it.name))?;
        let problem = Problem::Missing(missing.name.clone());
        Some(Refused {
            span: 0..text.len(),
            problem,
        })
    };
    if let Err(refused) = read {
        return Some(refused);
    }
    reader.blanks();
    let rest = reader.at..text.len();
    let extra = (!rest.is_empty()).then(|| Refused {
        problem: Problem::of_rest(definition, text, 0, rest.start),
        span: rest,
    });
    let not_converted = || {
        let is_whole = arguments.first()?.r#type == Type::Int;
        let problem = if is_whole { Problem::Integer } else { Problem::Number };
        (converted == Some(false)).then_some(Refused {
            span: 0..text.len(),
            problem,
        })
    };
    extra.or_else(missing).or_else(not_converted)
}

/// Whether a marker's value is a valid number, for markers whose whole text is converted since 0.23. `None` for other markers and for an empty text.
fn converted(definition: &Definition, release: Release, text: &str) -> Option<bool> {
    let word = definition.name.rsplit(':').next()?.to_ascii_lowercase();
    let is_one = ["maximum", "minimum", "maxitems"].contains(&&*word);
    // A comment may follow the numbers of these markers.
    let end = text.find('#').filter(|_| definition.name.starts_with("k8s:"));
    let text = text[..end.unwrap_or(text.len())].trim();
    if release < Release(23) || !is_one || text.is_empty() {
        return None;
    }
    Some(if word == "maxitems" {
        text.parse::<i64>().is_ok()
    } else {
        parse_float(text).is_some()
    })
}

/// Parses a value whose type controller-gen guesses. `None` if the marker's definition determines the type.
fn guessed(definition: &Definition, release: Release, text: &str) -> Option<Guessed> {
    let [argument] = definition.arguments.as_slice() else {
        return None;
    };
    let is_json = definition.name == json::MARKER;
    if !(is_json || argument.r#type.is_any()) {
        return None;
    }
    let whole = 0..text.len();
    let refused = |problem| {
        let span = whole.clone();
        Guessed::Refused(Refused { span, problem })
    };
    Some(match text {
        "" if is_json => refused(Problem::Json),
        "" if argument.is_optional => Guessed::Unknown,
        "" => refused(Problem::Missing(String::new())),
        _ if is_json => json::read(text, whole),
        _ => match guessed::read(text, whole, &argument.r#type, release) {
            Guessed::Refused(Refused {
                span,
                problem: Problem::Extra,
            }) => Guessed::Refused(Refused {
                problem: Problem::of_rest(definition, text, 0, span.start),
                span,
            }),
            other => other,
        },
    })
}

type Read = Result<(), Refused>;

struct Reader<'a> {
    definition: &'a Definition,
    release: Release,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn refuse(&self, begin: usize, problem: Problem) -> Read {
        let rest = &self.text[begin..];
        let end = rest.find([',', ' ']).map_or(self.text.len(), |it| begin + it);
        Err(Refused {
            span: begin..end.max(begin),
            problem,
        })
    }

    /// Parses arguments of the form `name=value,name=value`.
    fn arguments(&mut self, arguments: &[&Argument], named: Option<&str>, seen: &mut Vec<String>) -> Read {
        // If `named` is set, the first argument's name was part of the marker's name, and the text starts with its value.
        let mut first = named;
        if arguments.is_empty() || (self.peek().is_none() && first.is_none()) {
            return Ok(());
        }
        loop {
            let begin = self.at;
            let name = if let Some(name) = first.take() {
                name
            } else {
                self.blanks();
                let begin = self.at;
                let name = self.identifier();
                self.blanks();
                if name.is_empty() || self.peek() != Some('=') {
                    return self.refuse(begin, Problem::Name);
                }
                self.at += 1;
                name
            };
            let Some(argument) = arguments.iter().find(|it| it.name == name) else {
                return Err(Refused {
                    span: begin..self.at.max(begin),
                    problem: Problem::Unknown(name.to_owned()),
                });
            };
            seen.push(name.to_owned());
            let value = self.at;
            self.value(&argument.r#type)?;
            if self.peek().is_none() {
                return Ok(());
            }
            self.blanks();
            match self.peek() {
                Some(',') => self.at += 1,
                None => return Ok(()),
                Some(_) => {
                    return Err(Refused {
                        span: self.at..self.text.len(),
                        problem: Problem::of_rest(self.definition, self.text, value, self.at),
                    });
                }
            }
        }
    }

    fn identifier(&mut self) -> &'a str {
        let rest = self.rest();
        let is_of = |it: char| it == '_' || it.is_alphanumeric();
        let end = rest.find(|it| !is_of(it)).unwrap_or(rest.len());
        if rest.starts_with(|it: char| it.is_numeric()) {
            return "";
        }
        self.at += end;
        &rest[..end]
    }

    fn value(&mut self, of: &Type) -> Read {
        match of {
            // controller-gen keeps the text as it is, but scans it, so it must consist of Go tokens.
            Type::Raw => self.tokens(),
            Type::Any => {
                self.at = self.text.len();
                Ok(())
            }
            Type::String => self.string(),
            Type::Bool => {
                self.blanks();
                let begin = self.at;
                let word = self.identifier();
                if matches!(word, "true" | "false") {
                    Ok(())
                } else {
                    self.refuse(begin, Problem::Bool)
                }
            }
            Type::Int => self.number(false),
            Type::Number => self.number(true),
            Type::List(of) => self.list(of),
        }
    }

    /// Scans the rest of the text.
    fn tokens(&mut self) -> Read {
        let begin = self.at;
        let mut scanner = Scanner::new(self.rest());
        while scanner.scan() != Token::End {}
        self.at = self.text.len();
        scanner.problem.map_or(Ok(()), |(span, problem)| {
            Err(Refused {
                span: begin + span.start..begin + span.end,
                problem,
            })
        })
    }

    /// Parses a number in Go's syntax, including base 2, 8 and 16, and underscores.
    fn number(&mut self, may_be_fraction: bool) -> Read {
        let begin = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        self.blanks();
        let rest = self.rest();
        let is_of = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
        let mut end = rest.find(|it| !is_of(it)).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_decimal = !word.starts_with("0x") && !word.starts_with("0X");
        if is_decimal && word.ends_with(['e', 'E']) && rest[end..].starts_with(['+', '-']) {
            let more = rest[end + 1..].find(|it: char| !it.is_ascii_digit());
            end = more.map_or(rest.len(), |it| end + 1 + it);
        }
        let word = &rest[..end];
        let is_number = word.starts_with(|it: char| it.is_ascii_digit() || it == '.');
        let is_fraction = is_decimal && word.contains(['.', 'e', 'E']);
        let is_whole = word.bytes().all(|it| it.is_ascii_digit());
        let is_converted = if may_be_fraction {
            parse_float(word).is_some()
        } else {
            word.parse::<i64>().is_ok()
        };
        let (fits, problem) = if may_be_fraction {
            (is_number && is_converted, Problem::Number)
        } else {
            (is_whole && !is_fraction && is_converted, Problem::Integer)
        };
        // Go also accepts other bases and underscores, but controller-gen cannot convert all such numbers.
        let is_special = is_number && (word.contains('_') || !is_decimal || word.len() > 1 && word.starts_with('0'));
        let mut scanner = Scanner::new(rest);
        scanner.scan();
        let is_one = scanner.problem.is_none() && scanner.token == (0..end);
        if if is_special { is_one && is_converted } else { fits } {
            self.at += end;
            return Ok(());
        }
        self.refuse(begin, problem)
    }

    fn string(&mut self) -> Read {
        self.blanks();
        match self.peek() {
            Some(quote @ ('"' | '`')) => self.quoted(quote),
            _ => self.bare(),
        }
    }

    /// Parses a quoted string in Go's syntax.
    fn quoted(&mut self, quote: char) -> Read {
        let begin = self.at;
        let mut at = begin + 1;
        while let Some(character) = self.text[at..].chars().next() {
            at += character.len_utf8();
            if character == quote {
                self.at = at;
                return Ok(());
            }
            if character == '\\' && quote == '"' {
                let escape = escape(&self.text[at..]);
                at += escape.ok_or(Refused {
                    span: at - 1..(at + 1).min(self.text.len()),
                    problem: Problem::Escape,
                })?;
            }
        }
        Err(Refused {
            span: begin..self.text.len(),
            problem: Problem::Quote,
        })
    }

    /// Parses the tokens up to a separator. The first token may be a separator itself. A quoted string is one token.
    fn bare(&mut self) -> Read {
        if matches!(self.peek(), Some(',' | ';' | '}' | ':')) {
            self.at += 1;
        }
        while let Some(next) = self.peek() {
            match next {
                ',' | ';' | '}' => break,
                ':' if self.release < guessed::LOOKS_BEHIND => break,
                '"' | '`' => self.quoted(next)?,
                _ => self.at += next.len_utf8(),
            }
        }
        Ok(())
    }

    fn list(&mut self, of: &Type) -> Read {
        self.blanks();
        let is_in_braces = self.peek() == Some('{');
        if is_in_braces {
            self.at += 1;
        }
        let (separator, ends): (char, &[char]) = if is_in_braces {
            (',', &['}'])
        } else {
            (';', &[',', '}'])
        };
        loop {
            self.blanks();
            match self.peek() {
                None => break,
                Some(next) if ends.contains(&next) => break,
                Some(_) => {}
            }
            let item = self.at;
            self.value(of)?;
            self.blanks();
            match self.peek() {
                None => break,
                Some(next) if ends.contains(&next) => break,
                Some(next) if next == separator => self.at += 1,
                Some(':') => {
                    return Err(Refused {
                        span: self.at..self.text.len(),
                        problem: Problem::of_rest(self.definition, self.text, item, self.at),
                    });
                }
                Some(_) => {
                    return Err(Refused {
                        span: self.at..self.text.len(),
                        problem: Problem::Separator,
                    });
                }
            }
        }
        if is_in_braces {
            if self.peek() != Some('}') {
                return Err(Refused {
                    span: self.at..self.text.len(),
                    problem: Problem::Separator,
                });
            }
            self.at += 1;
        }
        Ok(())
    }
}
