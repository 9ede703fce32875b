//! Parts of expressions that are written as in another language, and how CEL writes them.

use std::ops::Range;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::{
    ast::{IssueKind, Source, SyntaxError},
    parser::{TokenClass, WrittenToken, tokens},
};

use crate::words::{
    Words,
    text::{clip, code},
};

/// A part of an expression that is written as in another language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slip {
    /// The part, in bytes of the expression.
    pub range: Range<usize>,
    /// How CEL writes the part, if this is certain.
    pub instead: Option<String>,
    /// What is wrong.
    headline: String,
    /// A short label.
    label: &'static str,
    /// What to write.
    help: String,
    /// The word or the operator that CEL does not have.
    word: String,
    sort: Sort,
}

/// The maximum length of what to write in help, in characters.
const MAX_SHOWN: usize = 120;

/// The longest expression that is searched, in bytes.
const MAX_LENGTH: usize = 10_000;

/// The search spends a unit of work for each so many pairs of bytes, because a token has several bytes.
const BYTES_SQUARED: usize = 16;

/// The part of an expression that causes a problem, if it is written as in another language.
pub(super) fn cause(kind: &IssueKind, text: &str) -> Option<Slip> {
    let found = match kind {
        IssueKind::Syntax(error) => match error {
            SyntaxError::Unrecognized { text } => text.trim_end(),
            SyntaxError::Missing { before: found, .. }
            | SyntaxError::Mismatched { found, .. }
            | SyntaxError::Extraneous { found, .. } => found.as_text(),
            SyntaxError::NoAlternative { .. } => "",
        },
        IssueKind::ReservedName { name } | IssueKind::UndeclaredReference { name, .. } => name,
        IssueKind::NoMatchingOverload { function, operands } if operands.starts_with("(bool") => {
            function.strip_prefix('_')?.strip_suffix('_')?
        }
        _ => return None,
    };
    let is_syntax = matches!(kind, IssueKind::Syntax(_));
    slips(text).into_iter().find(|it| match it.sort {
        Sort::Syntax => is_syntax && (it.word.contains(found) || text[it.range.clone()].contains(found)),
        Sort::Word => it.word == found,
    })
}

/// The words for a part that is written as in another language.
pub(super) fn words(slip: Slip) -> Words {
    Words::new(slip.headline).label(slip.label).help(slip.help)
}

/// How the parser or the checker reports a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// The parser reports it, at the part or after it.
    Syntax,
    /// The word itself is reported.
    Word,
}

/// Whether an expression is short enough for searches in which each token may look at all others. Spends the work of one.
pub(super) fn is_searched(text: &str) -> bool {
    text.len() <= MAX_LENGTH && budget::advise((text.len() * text.len() / BYTES_SQUARED) as u64)
}

/// The parts of an expression that are written as in another language.
pub fn slips(text: &str) -> Vec<Slip> {
    if !is_searched(text) {
        return Vec::new();
    }
    let mut all = tokens(&Source::new(text));
    all.retain(|it| it.class != TokenClass::Comment);
    let written = Written { text, tokens: all };
    (0..written.tokens.len()).filter_map(|at| written.slip(at)).collect()
}

/// The name before the dot of a call to a function that CEL does not have, and how CEL writes the call.
enum Form {
    /// An operator between the target and the argument, and the operator for the opposite.
    Operator(&'static str, &'static str),
    /// A test whether the target is set, and whether the call tests the opposite.
    IsSet(bool),
    /// A test whether the target is empty.
    IsEmpty,
}

fn form(name: &str, arguments: usize) -> Option<Form> {
    Some(match (name, arguments) {
        ("equals" | "equal" | "eq" | "isEqual" | "equalTo", 1) => Form::Operator("==", "!="),
        ("notEquals" | "notEqual" | "ne", 1) => Form::Operator("!=", "=="),
        ("isSet" | "isPresent" | "isDefined" | "exists" | "hasValue" | "has", 0) => Form::IsSet(true),
        ("isNull" | "isUnset" | "isMissing" | "isNil", 0) => Form::IsSet(false),
        ("isEmpty" | "empty", 0) => Form::IsEmpty,
        _ => return None,
    })
}

/// Words of other languages that are not values.
const WORDS: [&str; 7] = ["not", "and", "or", "if", "then", "else", "is"];

struct Written<'t> {
    text: &'t str,
    tokens: Vec<WrittenToken>,
}

impl<'t> Written<'t> {
    fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |it| it.text(self.text).trim_end())
    }

    fn class(&self, at: usize) -> Option<TokenClass> {
        self.tokens.get(at).map(|it| it.class)
    }

    /// The bytes from the first to the last of some tokens.
    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        let start = self.tokens[tokens.start].start as usize;
        let last = tokens.end - 1;
        start..start.max(self.tokens[last].start as usize + self.word(last).len())
    }

    fn part(&self, tokens: Range<usize>) -> &'t str {
        &self.text[self.bytes(tokens)]
    }

    /// Whether a token begins where the token before it ends.
    fn is_attached(&self, at: usize) -> bool {
        at > 0
            && self
                .tokens
                .get(at)
                .is_some_and(|it| it.start == self.tokens[at - 1].end)
    }

    /// The token that closes the bracket at a token.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.class(at) {
                Some(TokenClass::Open) => depth += 1,
                Some(TokenClass::Close) => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The token that opens the bracket that a token closes.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..=close).rev() {
            match self.class(at) {
                Some(TokenClass::Close) => depth += 1,
                Some(TokenClass::Open) => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn is_name(&self, at: usize) -> bool {
        matches!(
            self.class(at),
            Some(TokenClass::Identifier | TokenClass::EscapedIdentifier)
        ) && (self.class(at.wrapping_sub(1)) == Some(TokenClass::Dot) || !WORDS.contains(&self.word(at)))
    }

    /// The first token of the value that ends before a token: a literal, or names, calls and indexes joined by dots.
    fn value_before(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        if matches!(
            self.class(at)?,
            TokenClass::String | TokenClass::Number | TokenClass::Constant
        ) {
            return Some(at);
        }
        loop {
            while self.class(at) == Some(TokenClass::Close) {
                let open = self.opening(at)?;
                let is_applied =
                    open > 0 && (self.is_name(open - 1) || self.class(open - 1) == Some(TokenClass::Close));
                if !is_applied {
                    return Some(open);
                }
                at = open - 1;
            }
            if !self.is_name(at) {
                return None;
            }
            match at.checked_sub(1) {
                Some(dot) if self.class(dot) == Some(TokenClass::Dot) => at = dot.checked_sub(1)?,
                _ => return Some(at),
            }
        }
    }

    /// The end of the value that begins at a token.
    fn value_after(&self, start: usize) -> Option<usize> {
        let mut at = match self.class(start)? {
            TokenClass::String | TokenClass::Number | TokenClass::Constant => start + 1,
            TokenClass::Open => self.closing(start)? + 1,
            _ if self.is_name(start) => start + 1,
            _ => return None,
        };
        loop {
            at = match self.class(at) {
                Some(TokenClass::Dot) if self.is_name(at + 1) => at + 2,
                Some(TokenClass::Open) if self.word(at) != "{" => self.closing(at)? + 1,
                _ => return Some(at),
            };
        }
    }

    /// The last token of the part after a token, up to the end of the brackets around it, and the first `then` or `else` in it.
    fn end_of(&self, start: usize, is_end: impl Fn(&str) -> bool) -> usize {
        let mut at = start;
        while at < self.tokens.len() {
            match self.class(at) {
                Some(TokenClass::Open) => match self.closing(at) {
                    Some(close) => at = close,
                    None => return self.tokens.len(),
                },
                Some(TokenClass::Close | TokenClass::Comma) => return at,
                _ if is_end(self.word(at)) => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    fn slip(&self, at: usize) -> Option<Slip> {
        let word = self.word(at);
        match word {
            "==" | "!=" if self.word(at + 1).starts_with('=') && self.is_attached(at + 1) => Some(self.third_sign(at)),
            "not" if self.class(at + 1) == Some(TokenClass::In) => Some(self.not_in(at)),
            "if" if self.class(at.wrapping_sub(1)) != Some(TokenClass::Dot) => Some(self.condition(at)),
            "?" if self.class(at + 1) == Some(TokenClass::Dot) && self.is_attached(at + 1) && self.is_attached(at) => {
                self.optional(at)
            }
            "=~" => Some(self.matches(at)),
            "=>" => Some(self.arrow(at, at)),
            "-" if self.word(at + 1) == ">" && self.is_attached(at + 1) => Some(self.arrow(at, at + 1)),
            "<" if self.word(at + 1) == ">" && self.is_attached(at + 1) => Some(self.unequal(at)),
            "<" | "<=" | ">" | ">=" => self.chain(at),
            "now" | "today" | "currentTime" | "getTime" if self.word(at + 1) == "(" => Some(self.clock(at)),
            _ if self.class(at) == Some(TokenClass::Dot) => self.call(at),
            _ => None,
        }
    }

    fn third_sign(&self, at: usize) -> Slip {
        let (right, bytes) = (self.word(at), self.bytes(at..at + 2));
        let wrong = format!("{right}=");
        Slip {
            headline: not_an_operator(&wrong),
            sort: Sort::Syntax,
            range: bytes.start..bytes.start + wrong.len(),
            instead: Some(right.to_owned()),
            label: "one `=` too many",
            help: format!("change {} to {}", code(&wrong), code(right)),
            word: wrong,
        }
    }

    fn unequal(&self, at: usize) -> Slip {
        Slip {
            headline: not_an_operator("<>"),
            sort: Sort::Syntax,
            range: self.bytes(at..at + 2),
            instead: Some("!=".to_owned()),
            label: "not an operator",
            help: "change `<>` to `!=`".to_owned(),
            word: "<>".to_owned(),
        }
    }

    fn not_in(&self, at: usize) -> Slip {
        let operands = self.value_before(at).zip(self.value_after(at + 2));
        let (range, instead) = match operands {
            Some((start, end)) => {
                let (left, right) = (self.part(start..at), self.part(at + 2..end));
                (self.bytes(start..end), Some(format!("!({left} in {right})")))
            }
            None => (self.bytes(at..at + 2), None),
        };
        Slip {
            headline: not_an_operator("not in"),
            sort: Sort::Syntax,
            range,
            help: write(instead.as_deref().unwrap_or("!(self.name in [\u{2026}])")),
            instead,
            label: "not an operator",
            word: "not in".to_owned(),
        }
    }

    fn condition(&self, at: usize) -> Slip {
        let is_word = |it: &str| it == "then" || it == "else";
        let then = self.end_of(at + 1, is_word);
        let or = self.end_of(then + 1, |it| it == "else");
        let end = self.end_of(or + 1, |_| false);
        let is_whole = self.word(then) == "then" && then > at + 1 && or > then + 1;
        let instead = match self.word(or) {
            _ if !is_whole => None,
            "else" if end > or + 1 && self.word(or + 1) != "if" => Some(format!(
                "{} ? {} : {}",
                self.part(at + 1..then),
                self.part(then + 1..or),
                self.part(or + 1..end)
            )),
            "else" => None,
            _ => Some(format!(
                "!({}) || ({})",
                self.part(at + 1..then),
                self.part(then + 1..or)
            )),
        };
        let last = if instead.is_some() {
            end.min(self.tokens.len())
        } else {
            at + 1
        };
        let last = if self.word(or) == "else" {
            last
        } else {
            last.min(or.max(at + 1))
        };
        Slip {
            headline: "CEL has no `if`: a condition is written with `?` and `:`".to_owned(),
            sort: Sort::Word,
            range: self.bytes(at..last),
            help: match &instead {
                Some(instead) => write(instead),
                None => "write `condition ? value : other`: CEL has no `if`".to_owned(),
            },
            instead,
            label: "not a word of CEL",
            word: "if".to_owned(),
        }
    }

    fn optional(&self, at: usize) -> Option<Slip> {
        let start = self.value_before(at)?;
        let end = self.value_after(at + 2)?;
        let (value, rest) = (self.part(start..at), self.part(at + 2..end));
        let is_field = !rest.contains(['.', '(', '[']);
        let compared = |it: usize| matches!(self.word(it), "==" | "!=" | "<" | "<=" | ">" | ">=").then_some(it + 1);
        let literal = compared(end).and_then(|it| Some((self.class(it)?, self.word(it))));
        let default = match literal {
            Some((TokenClass::String, _)) => Some("''"),
            Some((TokenClass::Number, number)) if number.contains('.') => Some("0.0"),
            Some((TokenClass::Number, number)) if !number.ends_with('u') => Some("0"),
            Some((TokenClass::Constant, "true" | "false")) => Some("false"),
            _ => None,
        };
        let written = |default: &str| format!("{value}.?{rest}.orValue({default})");
        let instead = default.filter(|_| is_field).map(written);
        let name = rest.split(['.', '(', '[']).next().unwrap_or(rest);
        Some(Slip {
            headline: "`?.` is not an operator of CEL: an optional field is read with `.?`".to_owned(),
            sort: Sort::Syntax,
            range: self.bytes(start..end),
            help: match &instead {
                Some(instead) => format!("{}, or test with {}", write(instead), has(value, name)),
                None => format!(
                    "test with {}, or write {}",
                    has(value, name),
                    code(&format!("{value}.?{name}"))
                ),
            },
            instead,
            label: "`?` comes after the dot",
            word: "?.".to_owned(),
        })
    }

    fn matches(&self, at: usize) -> Slip {
        let operands = self.value_before(at).zip(self.value_after(at + 1));
        let (range, instead) = match operands {
            Some((start, end)) => {
                let (left, right) = (self.part(start..at), self.part(at + 1..end));
                (self.bytes(start..end), Some(format!("{left}.matches({right})")))
            }
            None => (self.bytes(at..at + 1), None),
        };
        Slip {
            headline: not_an_operator(self.word(at)),
            sort: Sort::Syntax,
            range,
            help: write(instead.as_deref().unwrap_or("self.name.matches('^a')")),
            instead,
            label: "not an operator",
            word: self.word(at).to_owned(),
        }
    }

    /// An arrow after the variable of a comprehension.
    fn arrow(&self, at: usize, last: usize) -> Slip {
        let written = self.part(at..last + 1).to_owned();
        let (start, variable) = match at.checked_sub(1) {
            Some(name) if self.is_name(name) => (Some(name), self.word(name)),
            Some(close) if self.word(close) == ")" && close >= 2 && self.is_name(close - 1) => {
                let open = self.opening(close).filter(|it| it + 2 == close);
                (open, self.word(close - 1))
            }
            _ => (None, "it"),
        };
        Slip {
            headline: not_an_operator(&written),
            sort: Sort::Syntax,
            range: self.bytes(start.unwrap_or(at)..last + 1),
            instead: start.map(|_| format!("{variable},")),
            label: "a comma belongs here",
            help: format!(
                "write a comma after the variable: {}",
                code(&format!("{variable}, \u{2026}"))
            ),
            word: written,
        }
    }

    /// Two comparisons of order in one: `a < b < c`.
    fn chain(&self, at: usize) -> Option<Slip> {
        let is_order = |it: &str| matches!(it, "<" | "<=" | ">" | ">=");
        let is_operator = |it: &str| matches!(it, "&&" | "||" | "?" | ":" | "==" | "!=" | "in");
        // With `and`, each comparison is for itself.
        let ends = |it: &str| is_operator(it) || is_order(it) || WORDS.contains(&it);
        let next = self.end_of(at + 1, ends);
        if !is_order(self.word(next)) || next == at + 1 {
            return None;
        }
        let between = self.part(at + 1..next);
        let start = self.value_before(at)?;
        let end = self.value_after(next + 1)?;
        let whole = format!(
            "{} {} {between} && {between} {} {}",
            self.part(start..at),
            self.word(at),
            self.word(next),
            self.part(next + 1..end)
        );
        Some(Slip {
            headline: format!(
                "{} cannot follow another comparison, which gives `true` or `false`",
                code(self.word(next))
            ),
            sort: Sort::Word,
            range: self.bytes(at + 1..next + 1),
            instead: Some(format!("{between} && {between} {}", self.word(next))),
            label: "two comparisons in one",
            help: write(&whole),
            word: self.word(next).to_owned(),
        })
    }

    fn clock(&self, at: usize) -> Slip {
        Slip {
            headline: format!("{} is not a function of CEL: rules have no clock", code(self.word(at))),
            sort: Sort::Word,
            range: self.bytes(at..at + 1),
            instead: None,
            label: "rules have no clock",
            help: "compare with another field or a fixed time: a rule cannot know the time of the request".to_owned(),
            word: self.word(at).to_owned(),
        }
    }

    /// A call of a function that CEL writes in another way. `dot` is the dot before its name.
    fn call(&self, dot: usize) -> Option<Slip> {
        let name = self.word(dot + 1);
        if self.word(dot + 2) != "(" {
            return None;
        }
        let close = self.closing(dot + 2)?;
        let arguments = dot + 3..close;
        let has_comma = (arguments.clone()).any(|it| self.class(it) == Some(TokenClass::Comma));
        let form = form(name, usize::from(!arguments.is_empty()) + usize::from(has_comma))?;
        let start = self.value_before(dot)?;
        let value = self.part(start..dot);
        let is_negated = start.checked_sub(1).is_some_and(|it| self.word(it) == "!");
        let is_field = self.class(start + 1) == Some(TokenClass::Dot) && self.is_name(dot - 1);
        let instead = match form {
            Form::Operator(operator, opposite) => {
                let operator = if is_negated { opposite } else { operator };
                let argument = self.part(arguments);
                let is_value = self.value_after(dot + 3) == Some(close);
                let argument = if is_value {
                    argument.to_owned()
                } else {
                    format!("({argument})")
                };
                format!("{value} {operator} {argument}")
            }
            Form::IsSet(is_set) if is_field => {
                let negation = if is_set == is_negated { "!" } else { "" };
                format!("{negation}has({value})")
            }
            Form::IsSet(_) => return None,
            Form::IsEmpty => format!("size({value}) {} 0", if is_negated { ">" } else { "==" }),
        };
        let first = if is_negated { start - 1 } else { start };
        let is_followed = self.class(close + 1) == Some(TokenClass::Dot);
        Some(Slip {
            headline: format!("{} is not a function of CEL", code(name)),
            sort: Sort::Word,
            range: self.bytes(first..close + 1),
            help: write(&instead),
            instead: (!is_followed).then_some(instead),
            label: "not a function of CEL",
            word: name.to_owned(),
        })
    }
}

fn not_an_operator(written: &str) -> String {
    format!("{} is not an operator of CEL", code(written))
}

fn write(instead: &str) -> String {
    // People copy it, so it is shown in full if possible.
    format!("write `{}`", clip(instead, MAX_SHOWN))
}

fn has(value: &str, name: &str) -> String {
    code(&clip(&format!("has({value}.{name})"), 50))
}

#[cfg(test)]
mod tests;
