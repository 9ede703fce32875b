//! Parses a text with variables (`Parse` of `envsubst/parse`).

use std::{fmt, ops::Range};

use crd_analyzer_budget as budget;
use crd_analyzer_goregexp::{is_digit, is_letter};

use crate::scanner::{Accepts, Escapes, Mode, Scanner, Token};

/// A text with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// The texts and variables in their order.
    pub nodes: Vec<Node>,
}

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Text in which the escapes are resolved.
    Text(String),
    /// A variable, with all that is between its braces.
    Variable(Variable),
}

/// A variable, such as `${NAME}` or `${NAME:=default}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name, a sequence of letters, digits and `_`.
    pub name: String,
    /// The place of the name in the text, in bytes.
    pub name_span: Range<usize>,
    /// The operator after the name, such as `:=` or `^^`. `#` before the name asks for the length. Empty if the value stays as it is.
    pub(crate) operator: String,
    pub(crate) arguments: Vec<Node>,
}

impl Variable {
    /// Whether the variable may be undefined, because its operator gives a default.
    pub fn has_default(&self) -> bool {
        matches!(
            self.operator.as_str(),
            "-" | "+" | "=" | "?" | ":-" | ":+" | ":=" | ":?"
        )
    }
}

/// The reason why Flux cannot parse a text with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSubstitution {
    /// What is wrong.
    pub cause: Cause,
    /// The place in the text, in bytes: from `${` of the variable to the place where parsing ended.
    pub span: Range<usize>,
}

/// What is wrong with a variable. [`fmt::Display`] has Flux's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Something else than Flux expects is after the name or an operator.
    BadSubstitution,
    /// The name is followed by something that is neither an operator nor `}`.
    MissingBrace,
    /// `${` is not followed by a name.
    Name,
    /// An operator has no argument, or the variable does not end.
    Argument,
    /// This program does not parse the variables to their end, because they are nested too deeply, or there are too many. Flux has no such limits.
    NotFollowed,
}

/// The words of Flux's own errors.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadSubstitution => "bad substitution",
            Self::MissingBrace => "missing closing brace",
            Self::Name => "unable to parse variable name",
            Self::Argument => "unable to parse substitution within function",
            Self::NotFollowed => "the variables are nested too deeply, or there are too many",
        })
    }
}

/// How deeply variables may be nested.
const DEPTH: usize = 40;

/// The memory for a variable, in bytes.
const A_VARIABLE: u64 = 256;

/// Parses a text. A text without variables is a template, too.
pub fn parse(text: &str) -> Result<Template, BadSubstitution> {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        depth: 0,
    };
    let mut nodes = Vec::new();
    loop {
        let mode = Mode {
            open: true,
            escapes: Escapes::Dollar,
            ..TEXT
        };
        match parser.scanner.scan(mode, |_, _| true) {
            Token::Text => nodes.push(parser.text()),
            Token::Open => nodes.push(parser.variable()?),
            _ => return Ok(Template { nodes }),
        }
    }
}

/// Text without variables and escapes.
const TEXT: Mode = Mode {
    text: true,
    open: false,
    close: false,
    escapes: Escapes::None,
};

/// Text that may be a variable.
const ARGUMENT: Mode = Mode { open: true, ..TEXT };

/// Text with escapes that may be a variable.
const ESCAPED: Mode = Mode {
    escapes: Escapes::All,
    ..ARGUMENT
};

const CLOSE: Mode = Mode {
    text: false,
    close: true,
    ..TEXT
};

fn is_of_name(c: char, _: usize) -> bool {
    c == '_' || is_letter(c) || is_digit(c)
}

fn is_inside(c: char, _: usize) -> bool {
    c != '}'
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    depth: usize,
}

impl Parser<'_> {
    fn text(&mut self) -> Node {
        Node::Text(std::mem::take(&mut self.scanner.token))
    }

    /// Parses a variable after its `${`.
    fn variable(&mut self) -> Result<Node, BadSubstitution> {
        let start = self.scanner.at - 2;
        self.depth += 1;
        let parsed = if self.depth > DEPTH || budget::bytes(A_VARIABLE).is_err() {
            Err(Cause::NotFollowed.into())
        } else {
            self.inside()
        };
        self.depth -= 1;
        match parsed {
            Ok(variable) => Ok(Node::Variable(variable)),
            Err(Failed::Here(cause)) => Err(BadSubstitution {
                cause,
                span: start..self.scanner.at,
            }),
            Err(Failed::Inside(bad)) => Err(bad),
        }
    }

    /// Parses the name, the operator and the arguments.
    fn inside(&mut self) -> Result<Variable, Failed> {
        if self.scanner.peek() == Some('#') {
            let operator = self.expect(|c, n| c == '#' && n == 1)?;
            let start = self.scanner.at;
            let name = self.expect(is_of_name)?;
            let name_span = start..self.scanner.at;
            self.close(Cause::BadSubstitution)?;
            return Ok(Variable {
                name,
                name_span,
                operator,
                arguments: Vec::new(),
            });
        }
        let start = self.scanner.at;
        if self.scanner.scan(TEXT, is_of_name) != Token::Text {
            return Err(Cause::Name.into());
        }
        let name = std::mem::take(&mut self.scanner.token);
        let name_span = start..self.scanner.at;
        let mut arguments = Vec::new();
        let operator = match self.scanner.peek() {
            Some(':') => match self.scanner.peek_second() {
                Some('=' | '-' | '?' | '+') => self.default(&mut arguments)?,
                // Flux steps back by the width of this character, and not of the colon.
                Some(c) if c.len_utf8() > 1 => return Err(Cause::BadSubstitution.into()),
                None => return Err(Cause::BadSubstitution.into()),
                _ => self.part(&mut arguments)?,
            },
            Some('=') => self.default(&mut arguments)?,
            Some(',' | '^') => {
                let operator = self.expect(|c, n| (c == ',' || c == '^') && n < 3)?;
                self.close(Cause::BadSubstitution)?;
                operator
            }
            Some('/') => self.replacement(&mut arguments)?,
            Some('#') => self.removal(|c, n| c == '#' && n < 3, &mut arguments)?,
            Some('%') => self.removal(|c, n| c == '%' && n < 3, &mut arguments)?,
            _ => {
                self.close(Cause::MissingBrace)?;
                String::new()
            }
        };
        Ok(Variable {
            name,
            name_span,
            operator,
            arguments,
        })
    }

    /// `:=default`, and the like. Several variables and texts may follow each other.
    fn default(&mut self, arguments: &mut Vec<Node>) -> Result<String, Failed> {
        let accepts: Accepts = if self.scanner.peek() == Some('=') {
            |c, n| c == '=' && n == 1
        } else {
            |c, n| n == 1 && c == ':' || n == 2 && "=-?+".contains(c)
        };
        let operator = self.expect(accepts)?;
        while self.scanner.peek() != Some('}') {
            arguments.push(self.argument(ARGUMENT, is_inside)?);
        }
        self.close(Cause::BadSubstitution)?;
        Ok(operator)
    }

    /// `:offset`, `:offset:length`.
    fn part(&mut self, arguments: &mut Vec<Node>) -> Result<String, Failed> {
        let operator = self.expect(|c, n| c == ':' && n == 1)?;
        arguments.push(self.argument(ARGUMENT, |c, _| c != ':' && c != '}')?);
        let mode = Mode { close: true, ..TEXT };
        match self.scanner.scan(mode, |c, _| c == ':') {
            Token::Close => return Ok(operator),
            Token::Text => {}
            _ => return Err(Cause::BadSubstitution.into()),
        }
        arguments.push(self.argument(ARGUMENT, is_inside)?);
        self.close(Cause::BadSubstitution)?;
        Ok(operator)
    }

    /// `/old/new`, `//old/new`, `/#old/new` or `/%old/new`.
    fn replacement(&mut self, arguments: &mut Vec<Node>) -> Result<String, Failed> {
        let operator = self.expect(|c, n| n == 1 && c == '/' || n == 2 && "/#%".contains(c))?;
        arguments.push(self.argument(ESCAPED, |c, _| c != '/')?);
        self.expect(|c, _| c == '/')?;
        if self.scanner.peek() != Some('}') {
            arguments.push(self.argument(ESCAPED, is_inside)?);
        }
        self.close(Cause::BadSubstitution)?;
        Ok(operator)
    }

    /// `#start`, `##start`, `%end` or `%%end`.
    fn removal(&mut self, accepts: Accepts, arguments: &mut Vec<Node>) -> Result<String, Failed> {
        let operator = self.expect(accepts)?;
        arguments.push(self.argument(ARGUMENT, is_inside)?);
        self.close(Cause::BadSubstitution)?;
        Ok(operator)
    }

    fn expect(&mut self, accepts: Accepts) -> Result<String, Failed> {
        match self.scanner.scan(TEXT, accepts) {
            Token::Text => Ok(std::mem::take(&mut self.scanner.token)),
            _ => Err(Cause::BadSubstitution.into()),
        }
    }

    fn argument(&mut self, mode: Mode, accepts: Accepts) -> Result<Node, Failed> {
        match self.scanner.scan(mode, accepts) {
            Token::Open => self.variable().map_err(Failed::Inside),
            Token::Text => Ok(self.text()),
            _ => Err(Cause::Argument.into()),
        }
    }

    fn close(&mut self, otherwise: Cause) -> Result<(), Failed> {
        match self.scanner.scan(CLOSE, |_, _| false) {
            Token::Close => Ok(()),
            _ => Err(otherwise.into()),
        }
    }
}

enum Failed {
    /// The variable that is being parsed is wrong.
    Here(Cause),
    /// A variable inside of it is wrong.
    Inside(BadSubstitution),
}

impl From<Cause> for Failed {
    fn from(cause: Cause) -> Self {
        Self::Here(cause)
    }
}
