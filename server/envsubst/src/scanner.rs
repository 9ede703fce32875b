//! Splits a text into the tokens of a template (`scanner` of `envsubst/parse`).

/// What the scanner may find next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mode {
    /// Text of accepted characters.
    pub(crate) text: bool,
    /// The start of a variable, `${`.
    pub(crate) open: bool,
    /// The end of a variable, `}`.
    pub(crate) close: bool,
    /// Escapes in text.
    pub(crate) escapes: Escapes,
}

/// Which characters are escaped. The first character of an escape is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    None,
    /// `$$` only.
    Dollar,
    /// `$$`, `\/` and `\\`.
    All,
}

/// What the scanner finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Text,
    Open,
    Close,
    End,
    Illegal,
}

/// Whether a character, the nth of a token counted in bytes after it, is accepted.
pub(crate) type Accepts = fn(char, usize) -> bool;

pub(crate) struct Scanner<'t> {
    text: &'t str,
    /// The offset of the next character.
    pub(crate) at: usize,
    /// The text of the last token, without the characters that escape others.
    pub(crate) token: String,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            token: String::new(),
        }
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The character after the next one.
    pub(crate) fn peek_second(&self) -> Option<char> {
        self.text[self.at..].chars().nth(1)
    }

    pub(crate) fn scan(&mut self, mode: Mode, accepts: Accepts) -> Token {
        self.token.clear();
        let Some(next) = self.peek() else {
            return Token::End;
        };
        if mode.open && self.opens() {
            self.at += 2;
            return Token::Open;
        }
        if mode.close && next == '}' {
            self.at += 1;
            return Token::Close;
        }
        if mode.text && self.takes(mode, accepts) {
            while !(mode.open && self.opens()) && self.takes(mode, accepts) {}
            return Token::Text;
        }
        Token::Illegal
    }

    fn opens(&self) -> bool {
        self.text[self.at..].starts_with("${")
    }

    /// Moves the next character to the token, if it is accepted. If it escapes another one, moves that one.
    fn takes(&mut self, mode: Mode, accepts: Accepts) -> bool {
        let Some(next) = self.peek() else { return false };
        let rest = &self.text[self.at..];
        let escapes = match mode.escapes {
            Escapes::None => false,
            Escapes::Dollar => rest.starts_with("$$"),
            Escapes::All => ["$$", "\\/", "\\\\"].iter().any(|it| rest.starts_with(it)),
        };
        if escapes {
            self.token.push_str(&rest[1..2]);
            self.at += 2;
            return true;
        }
        let is_accepted = accepts(next, self.token.len() + next.len_utf8());
        if is_accepted {
            self.token.push(next);
            self.at += next.len_utf8();
        }
        is_accepted
    }
}
