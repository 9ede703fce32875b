//! The values in commands.

use crd_analyzer_gostd::{quote, unquote};

use super::{Parser, Result, numbers};
use crate::{
    error::Cause,
    token::{Keyword, Kind, Token},
};

/// What an operand is, as far as messages depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// A boolean, a number, `nil`, or the dot.
    Value,
    String,
    Function,
    /// A pipeline in parentheses.
    Pipeline,
    /// A field, a variable, or fields of something.
    Other,
}

/// What comes next in a command.
pub(super) enum Term {
    Operand(Operand, Token),
    /// A parenthesis opens.
    Parenthesis,
    /// Something else.
    None,
}

impl Parser<'_> {
    /// Takes an operand without the fields that follow it, if there is one.
    pub(super) fn term(&mut self) -> Result<Term> {
        let token = self.next_word();
        let text = self.text;
        let written = token.written(text);
        let operand = match token.kind {
            Kind::Identifier => {
                if !(self.is_function)(written) {
                    let message = format!("function {} not defined", quote(written));
                    return Err(self.error(message, token.span(), Cause::Function(written.to_owned())));
                }
                Operand::Function
            }
            Kind::Variable => {
                let variables = &self.tree().variables;
                if !variables.has(written) {
                    let cause = Cause::Variable(written.to_owned(), variables.names());
                    let message = format!("undefined variable {}", quote(written));
                    return Err(self.error(message, token.span(), cause));
                }
                Operand::Other
            }
            Kind::Keyword(Keyword::Dot | Keyword::Nil) | Kind::Bool => Operand::Value,
            Kind::Field => Operand::Other,
            Kind::CharConstant | Kind::Complex | Kind::Number => {
                if let Some(message) = numbers::problem(written, token.kind) {
                    return self.fail(message, token.span());
                }
                Operand::Value
            }
            Kind::LeftParen => return Ok(Term::Parenthesis),
            Kind::String | Kind::RawString => {
                if unquote(written).is_none() {
                    return self.fail("invalid syntax", self.first_line_of(token.span()));
                }
                Operand::String
            }
            _ => {
                self.back();
                return Ok(Term::None);
            }
        };
        Ok(Term::Operand(operand, token))
    }
}
