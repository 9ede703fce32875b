//! Parses a text as Go does. Go looks at up to three tokens before it decides, and reports the line of the token that it read last, so the same tokens are
//! read here. Blocks and parentheses are kept in lists, because a text may nest them very deeply.

mod blocks;
mod numbers;
mod operands;
mod pipeline;
mod tree;

use std::{collections::HashMap, ops::Range};

use crd_analyzer_budget as budget;

use crate::{
    error::{Cause, Error, Open},
    lexer::Lexer,
    token::{Keyword, Kind, Token},
};
use tree::{Owner, Tree};

/// The maximum number of blanks before an action whose column is compared with others.
const MOST_COLUMNS: usize = 200;

/// A text that Go can parse.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Parsed {
    /// The templates that the text defines, with `define` or `block`.
    pub defines: Vec<Define>,
    /// The templates that it names.
    pub calls: Vec<Call>,
}

/// A template that a text defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Define {
    /// The value of the quoted name.
    pub name: String,
    /// The quoted name.
    pub span: Range<usize>,
}

/// A template that a text names in an action `template`, or as the first argument of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The value of the quoted name.
    pub name: String,
    /// The quoted name.
    pub span: Range<usize>,
    /// The template that names it, by its index in [`Parsed::defines`]. `None` if it is the file itself.
    pub within: Option<usize>,
}

/// Parses a text. `is_function` says whether a function exists, and `names_template` whether its first argument is the name of a template. `Ok(None)` if the
/// budget does not suffice.
///
/// # Errors
///
/// If Go cannot parse the text.
pub fn parse(
    text: &str,
    is_function: &dyn Fn(&str) -> bool,
    names_template: &dyn Fn(&str) -> bool,
) -> Result<Option<Parsed>, Box<Error>> {
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        is_function,
        names_template,
        trees: vec![Tree::new(Owner::File, 0)],
        named: HashMap::new(),
        odd: Vec::new(),
        delim: 0,
        parsed: Parsed::default(),
        is_unfinished: false,
    };
    match parser.file() {
        // A text that is not read to its end has an error at the end.
        _ if parser.is_unfinished => Ok(None),
        Ok(()) => Ok(Some(parser.parsed)),
        Err(error) => Err(error),
    }
}

/// What is expected, or the error that ends parsing.
type Result<T, E = Box<Error>> = std::result::Result<T, E>;

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    is_function: &'t dyn Fn(&str) -> bool,
    names_template: &'t dyn Fn(&str) -> bool,
    /// The template of the file, and the templates around the current place that actions in it define.
    trees: Vec<Tree<'t>>,
    /// The names that the file defines so far, and whether a template with the name prints something.
    named: HashMap<String, bool>,
    /// The blocks whose end is written further to the left than the block, by their keyword and offset. It may be the end of another block.
    odd: Vec<(&'static str, usize)>,
    /// The offset of the current action.
    delim: usize,
    parsed: Parsed,
    is_unfinished: bool,
}

impl<'t> Parser<'t> {
    fn tree(&mut self) -> &mut Tree<'t> {
        // The template of the file stays.
        let last = self.trees.len() - 1;
        &mut self.trees[last]
    }

    /// The next token of the lexer.
    fn read(&mut self) -> Token {
        if budget::work(1).is_err() {
            self.is_unfinished = true;
            let end = self.text.len();
            return Token {
                kind: Kind::Eof,
                start: end,
                end,
            };
        }
        self.lexer.next()
    }

    /// Takes the next token.
    fn next(&mut self) -> Token {
        if let Some(pending) = self.tree().pending.checked_sub(1) {
            self.tree().pending = pending;
        } else {
            let token = self.read();
            self.tree().tokens[0] = token;
        }
        let tree = self.tree();
        tree.tokens[tree.pending]
    }

    /// Puts the last token back.
    fn back(&mut self) {
        self.tree().pending += 1;
    }

    /// Puts tokens back before the last one, which is put back, too. The first one comes first again.
    fn back_to(&mut self, before: &[Token]) {
        let tree = self.tree();
        for (place, token) in tree.tokens[1..].iter_mut().zip(before.iter().rev()) {
            *place = *token;
        }
        tree.pending = 1 + before.len();
    }

    fn peek(&mut self) -> Token {
        let token = self.next();
        self.back();
        token
    }

    /// Takes the next token other than a space.
    fn next_word(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    /// Leaves out spaces.
    fn peek_word(&mut self) -> Token {
        let token = self.next_word();
        self.back();
        token
    }

    /// Takes a token of this kind.
    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token> {
        let token = self.next_word();
        if token.kind == kind {
            Ok(token)
        } else {
            self.unexpected(token, context)
        }
    }

    /// An error at a place. Go reports the line of the token that it read last.
    fn error(&mut self, message: impl Into<String>, span: Range<usize>, cause: Cause) -> Box<Error> {
        Box::new(Error {
            message: message.into(),
            started: None,
            at: self.tree().tokens[0].start,
            span,
            action: self.delim,
            open: self.open(),
            cause,
        })
    }

    /// Like [`Self::error`], if nothing is known of the cause.
    fn fail<T>(&mut self, message: impl Into<String>, span: Range<usize>) -> Result<T> {
        Err(self.error(message, span, Cause::Other))
    }

    /// The error for a token that cannot be here.
    fn unexpected<T>(&mut self, token: Token, context: &str) -> Result<T> {
        if token.kind == Kind::Error {
            return Err(self.malformed(token));
        }
        let message = format!("unexpected {} in {context}", token.named(self.text));
        self.fail(message, self.shown(token))
    }

    /// The error that the lexer found.
    fn malformed(&mut self, token: Token) -> Box<Error> {
        let text = self.text;
        let is_on_another_line = |it: &usize| text.as_bytes()[*it..token.start].contains(&b'\n');
        let started = self.tree().action.filter(is_on_another_line);
        let message = std::mem::take(&mut self.lexer.error);
        let (span, cause) = if message == "unclosed action" {
            (first_line(text, self.delim), Cause::ActionNotClosed)
        } else {
            (self.shown(token), Cause::Other)
        };
        let error = self.error(message, span, cause);
        Box::new(Error { started, ..*error })
    }

    /// The part of a token to show: its first line, and at least a character. The end of the file is shown at the action before it.
    fn shown(&self, token: Token) -> Range<usize> {
        let Some(first) = self.text[token.start..].chars().next() else {
            return first_line(self.text, self.delim);
        };
        let least = token.start + first.len_utf8();
        token.start..first_line(self.text, token.start).end.min(token.end).max(least)
    }

    /// The first line of a range.
    fn first_line_of(&self, span: Range<usize>) -> Range<usize> {
        span.start..first_line(self.text, span.start).end.min(span.end)
    }

    /// The current action, up to a place.
    fn action_up_to(&self, end: usize) -> Range<usize> {
        self.delim..end.min(first_line(self.text, self.delim).end)
    }

    /// Parses the file.
    fn file(&mut self) -> Result<()> {
        loop {
            let is_list = self.trees.len() > 1 || !self.tree().blocks.is_empty();
            if is_list {
                if self.peek_word().kind == Kind::Eof {
                    return self.not_closed();
                }
            } else {
                match self.peek().kind {
                    Kind::Eof => return Ok(()),
                    Kind::LeftDelim => {
                        let delim = self.next();
                        if self.next_word().kind == Kind::Keyword(Keyword::Define) {
                            self.delim = delim.start;
                            self.define()?;
                            continue;
                        }
                        self.back_to(&[delim]);
                    }
                    _ => {}
                }
            }
            self.text_or_action()?;
        }
    }

    /// The error at the end of the file.
    fn not_closed(&mut self) -> Result<()> {
        let end = self.text.len();
        let mut error = self.error("unexpected EOF", end..end, Cause::NotClosed);
        if let Some(open) = &error.open {
            error.span = open.span.clone();
        }
        Err(error)
    }

    /// The block that is open here and probably lacks its end.
    fn open(&mut self) -> Option<Open> {
        let tree = self.tree();
        let (keyword, start) = match tree.blocks.last() {
            Some(block) => (block.keyword, block.start),
            None => (tree.owner.keyword()?, tree.start),
        };
        // A block in it may have taken its end.
        let mut inside = self.odd.iter().filter(|it| it.1 > start);
        let (keyword, start) = match (inside.next(), inside.next()) {
            (Some(odd), None) => *odd,
            _ => (keyword, start),
        };
        let span = first_action(self.text, start);
        Some(Open { keyword, span })
    }

    /// The column of an action. `None` if it is not the first text of its line.
    fn column(&self, action: usize) -> Option<usize> {
        let before = &self.text.as_bytes()[action.saturating_sub(MOST_COLUMNS)..action];
        let column = before.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
        let is_first = column == action || before.iter().rev().nth(column) == Some(&b'\n');
        is_first.then_some(column)
    }

    fn text_or_action(&mut self) -> Result<()> {
        let token = self.next_word();
        match token.kind {
            Kind::Text => {
                if !token.written(self.text).trim().is_empty() {
                    self.tree().is_blank = false;
                }
                Ok(())
            }
            Kind::LeftDelim => {
                self.delim = token.start;
                self.tree().action = Some(token.start);
                self.action()
            }
            _ => self.unexpected(token, "input"),
        }
    }
}

/// The line of a place, from there on, without the blanks at its end.
fn first_line(text: &str, start: usize) -> Range<usize> {
    let line = text[start..].lines().next().unwrap_or_default();
    start..start + line.trim_end().len()
}

/// The action at a place, or its first line if it has several.
fn first_action(text: &str, start: usize) -> Range<usize> {
    let line = first_line(text, start);
    let end = text[line.clone()].find("}}").map_or(line.end, |it| start + it + 2);
    start..end
}
