//! Cuts a text into tokens. Blanks between the words of an action are tokens, because they separate arguments.

mod words;

use crate::token::{Kind, Token};

/// The blanks that trim markers remove, and that separate words.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// What opens and closes an action, and a comment in it.
const LEFT: &str = "{{";
const RIGHT: &str = "}}";
const COMMENT: &str = "/*";
const COMMENT_END: &str = "*/";

/// The length of a trim marker with its blank.
const MARKER: usize = 2;

/// Reads the tokens of a text, one at a time.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    /// The offset of the next character.
    at: usize,
    /// The offset at which the current token begins.
    start: usize,
    is_in_action: bool,
    /// The number of parentheses that are open in the action.
    depth: usize,
    /// What is wrong, if the last token is an error.
    pub(crate) error: String,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            start: 0,
            is_in_action: false,
            depth: 0,
            error: String::new(),
        }
    }

    /// The next token. Nothing follows an error.
    pub(crate) fn next(&mut self) -> Token {
        if self.is_in_action {
            self.in_action()
        } else {
            self.in_text()
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes characters as long as they are of a kind.
    fn take_while(&mut self, is_of: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_of) {
            self.bump();
        }
    }

    /// The token that ends here.
    fn token(&mut self, kind: Kind) -> Token {
        let token = Token {
            kind,
            start: self.start,
            end: self.at,
        };
        self.start = self.at;
        token
    }

    /// Leaves out what is read of the current token.
    fn skip(&mut self, length: usize) {
        self.at += length;
        self.start = self.at;
    }

    /// An error in the current token.
    fn fail(&mut self, message: impl Into<String>) -> Token {
        self.error = message.into();
        self.token(Kind::Error)
    }

    /// Reads text up to an action. Comments are left out.
    fn in_text(&mut self) -> Token {
        loop {
            let Some(before) = self.rest().find(LEFT) else {
                self.at = self.text.len();
                let is_end = self.at == self.start;
                return self.token(if is_end { Kind::Eof } else { Kind::Text });
            };
            if before > 0 {
                let whole = &self.rest()[..before];
                let has_marker = has_left_marker(&self.rest()[before + LEFT.len()..]);
                let kept = if has_marker {
                    whole.trim_end_matches(BLANKS).len()
                } else {
                    before
                };
                self.at += kept;
                let token = self.token(Kind::Text);
                self.skip(before - kept);
                if kept > 0 {
                    return token;
                }
            }
            let marker = usize::from(has_left_marker(&self.rest()[LEFT.len()..])) * MARKER;
            if !self.rest()[LEFT.len() + marker..].starts_with(COMMENT) {
                self.at += LEFT.len();
                let token = self.token(Kind::LeftDelim);
                self.skip(marker);
                self.is_in_action = true;
                self.depth = 0;
                return token;
            }
            self.skip(LEFT.len() + marker);
            if let Err(failed) = self.comment() {
                return failed;
            }
        }
    }

    /// Leaves out a comment and the end of its action.
    fn comment(&mut self) -> Result<(), Token> {
        let Some(end) = self.rest()[COMMENT.len()..].find(COMMENT_END) else {
            self.at += COMMENT.len();
            return Err(self.fail("unclosed comment"));
        };
        self.at += COMMENT.len() + end + COMMENT_END.len();
        let Some(has_marker) = self.right_delim() else {
            return Err(self.fail("comment ends before closing delimiter"));
        };
        self.skip_right(has_marker);
        Ok(())
    }

    /// Whether the closing braces of an action have a trim marker. `None` if other characters come next.
    fn right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_marker(rest) && rest[MARKER..].starts_with(RIGHT) {
            return Some(true);
        }
        rest.starts_with(RIGHT).then_some(false)
    }

    /// Leaves out closing braces, and the blanks after them if there is a trim marker.
    fn skip_right(&mut self, has_marker: bool) {
        let marker = usize::from(has_marker) * MARKER;
        self.skip(marker + RIGHT.len());
        if has_marker {
            let blanks = self.rest().len() - self.rest().trim_start_matches(BLANKS).len();
            self.skip(blanks);
        }
    }

    /// The closing braces of an action.
    fn close(&mut self, has_marker: bool) -> Token {
        let start = self.at + usize::from(has_marker) * MARKER;
        self.skip_right(has_marker);
        self.is_in_action = false;
        Token {
            kind: Kind::RightDelim,
            start,
            end: start + RIGHT.len(),
        }
    }

    /// Reads a token of an action.
    fn in_action(&mut self) -> Token {
        if let Some(has_marker) = self.right_delim() {
            if self.depth == 0 {
                return self.close(has_marker);
            }
            return self.fail("unclosed left paren");
        }
        let Some(next) = self.peek() else {
            return self.fail("unclosed action");
        };
        if BLANKS.contains(&next) {
            return self.blanks();
        }
        let digit_follows = || self.rest()[next.len_utf8()..].starts_with(|it: char| it.is_ascii_digit());
        let ends_here = self.at + next.len_utf8() == self.text.len();
        match next {
            '+' | '-' | '0'..='9' => return self.number(),
            '.' if digit_follows() || ends_here => return self.number(),
            _ => {}
        }
        self.bump();
        match next {
            '=' => self.token(Kind::Assign),
            ':' => {
                if self.bump() == Some('=') {
                    self.token(Kind::Declare)
                } else {
                    self.fail("expected :=")
                }
            }
            '|' => self.token(Kind::Pipe),
            '"' => self.quoted('"'),
            '`' => self.raw(),
            '$' => self.name(Kind::Variable),
            '\'' => self.quoted('\''),
            '.' => self.name(Kind::Field),
            '(' => {
                self.depth += 1;
                self.token(Kind::LeftParen)
            }
            ')' => match self.depth.checked_sub(1) {
                Some(depth) => {
                    self.depth = depth;
                    self.token(Kind::RightParen)
                }
                None => self.fail("unexpected right paren"),
            },
            _ if words::is_of_word(next) => self.word(),
            ' '..='~' => self.token(Kind::Char),
            _ => self.fail(format!("unrecognized character in action: {}", words::code_point(next))),
        }
    }

    /// Reads blanks. The last one may belong to closing braces with a trim marker.
    fn blanks(&mut self) -> Token {
        self.take_while(|it| BLANKS.contains(&it));
        let last = &self.text[self.at - 1..];
        if has_right_marker(last) && last[MARKER..].starts_with(RIGHT) {
            self.at -= 1;
            if self.at == self.start {
                return self.close(true);
            }
        }
        self.token(Kind::Space)
    }
}

/// Whether what follows opening braces is a trim marker.
fn has_left_marker(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|it| it.starts_with(BLANKS))
}

/// Whether a text begins with the trim marker of closing braces.
fn has_right_marker(rest: &str) -> bool {
    rest.strip_prefix(BLANKS).is_some_and(|it| it.starts_with('-'))
}
