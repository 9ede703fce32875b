//! Pipelines: the commands of an action, and those in parentheses.

use std::ops::Range;

use crd_analyzer_gostd::{quote, unquote};

use super::{
    Parser, Result,
    operands::{Operand, Term},
};
use crate::token::{Keyword, Kind, Token};

/// The maximum number of parentheses in each other.
const MOST_PARENTHESES: usize = 10_000;

/// A pipeline whose end is not read yet.
struct Pipeline {
    context: &'static str,
    /// The kind of the token that ends it.
    end: Kind,
    /// The number of commands so far.
    commands: usize,
    /// The first command after the first one that begins with a value, and the value.
    odd: Option<(usize, Range<usize>)>,
    /// The current command.
    command: Option<Command>,
}

/// A command whose end is not read yet.
#[derive(Default)]
struct Command {
    arguments: usize,
    /// The first operand.
    first: Option<(Operand, Range<usize>)>,
}

impl Parser<'_> {
    /// Parses commands up to closing braces.
    pub(super) fn pipeline(&mut self, context: &'static str) -> Result<()> {
        let mut open = vec![self.begin(context, Kind::RightDelim)?];
        while let Some(mut pipeline) = open.pop() {
            if pipeline.command.is_some() {
                self.peek_word();
                match self.term()? {
                    Term::Parenthesis if open.len() >= MOST_PARENTHESES => {
                        let span = self.action_up_to(usize::MAX);
                        return self.fail("max expression depth exceeded", span);
                    }
                    Term::Parenthesis => {
                        open.push(pipeline);
                        pipeline = self.begin("parenthesized pipeline", Kind::RightParen)?;
                    }
                    Term::Operand(operand, token) => self.add_operand(&mut pipeline, (operand, token))?,
                    Term::None => self.end_operand(&mut pipeline)?,
                }
                open.push(pipeline);
                continue;
            }
            let token = self.next_word();
            if token.kind != pipeline.end {
                if !begins_operand(token.kind) {
                    return self.unexpected(token, pipeline.context);
                }
                self.back();
                pipeline.commands += 1;
                pipeline.command = Some(Command::default());
                open.push(pipeline);
                continue;
            }
            self.check(&pipeline, token)?;
            if let Some(mut around) = open.pop() {
                self.add_operand(&mut around, (Operand::Pipeline, token))?;
                open.push(around);
            }
        }
        Ok(())
    }

    /// Begins a pipeline with the variables that it declares.
    fn begin(&mut self, context: &'static str, end: Kind) -> Result<Pipeline> {
        let mut declared = 0;
        loop {
            let variable = self.peek_word();
            if variable.kind != Kind::Variable {
                break;
            }
            self.next();
            let after = self.peek();
            let next = self.peek_word();
            let is_comma = next.kind == Kind::Char && next.written(self.text) == ",";
            if !is_comma && !matches!(next.kind, Kind::Assign | Kind::Declare) {
                if after.kind == Kind::Space {
                    self.back_to(&[variable, after]);
                } else {
                    self.back_to(&[variable]);
                }
                break;
            }
            self.next_word();
            declared += 1;
            let name = variable.written(self.text);
            self.tree().variables.declare(name);
            if !is_comma {
                break;
            }
            if context != "range" || declared > 1 {
                return self.fail(format!("too many declarations in {context}"), variable.start..next.end);
            }
            let second = self.peek_word();
            if !matches!(second.kind, Kind::Variable | Kind::RightDelim | Kind::RightParen) {
                let span = self.shown(second);
                return self.fail("range can only initialize variables", span);
            }
        }
        Ok(Pipeline {
            context,
            end,
            commands: 0,
            odd: None,
            command: None,
        })
    }

    /// Checks a pipeline at the token that ends it.
    fn check(&mut self, pipeline: &Pipeline, end: Token) -> Result<()> {
        if pipeline.commands == 0 {
            let span = if end.kind == Kind::RightParen {
                end.span()
            } else {
                self.action_up_to(end.end)
            };
            return self.fail(format!("missing value for {}", pipeline.context), span);
        }
        match &pipeline.odd {
            Some((stage, span)) => {
                let span = self.first_line_of(span.clone());
                self.fail(format!("non executable command in pipeline stage {stage}"), span)
            }
            None => Ok(()),
        }
    }

    /// Adds an operand with the fields that follow it to the current command.
    fn add_operand(&mut self, pipeline: &mut Pipeline, (mut operand, token): (Operand, Token)) -> Result<()> {
        let mut span = token.span();
        if self.peek().kind == Kind::Field {
            while self.peek().kind == Kind::Field {
                span.end = self.next().end;
            }
            operand = match operand {
                Operand::Value | Operand::String => {
                    let message = format!("unexpected . after term {}", quote(token.written(self.text)));
                    return self.fail(message, self.first_line_of(span));
                }
                Operand::Other => Operand::Other,
                Operand::Function | Operand::Pipeline => Operand::Other,
            };
        }
        if let Some(command) = &mut pipeline.command {
            command.arguments += 1;
            if let Some((Operand::Function, function)) = &command.first
                && command.arguments == 2
                && operand == Operand::String
            {
                let function = &self.text[function.clone()];
                if (self.names_template)(function)
                    && let Some(name) = unquote(token.written(self.text))
                {
                    self.call(name, token);
                }
            }
            if command.first.is_none() {
                command.first = Some((operand, span));
            }
        }
        self.end_operand(pipeline)
    }

    /// Reads what follows an operand, and ends the command if another command or the end of the pipeline follows.
    fn end_operand(&mut self, pipeline: &mut Pipeline) -> Result<()> {
        let token = self.next();
        match token.kind {
            Kind::Space => return Ok(()),
            Kind::RightDelim | Kind::RightParen => self.back(),
            Kind::Pipe => {}
            _ => return self.unexpected(token, "operand"),
        }
        let Some((operand, span)) = pipeline.command.take().and_then(|it| it.first) else {
            return self.fail("empty command", self.shown(token));
        };
        let is_odd = matches!(operand, Operand::Value | Operand::String);
        if is_odd && pipeline.commands > 1 && pipeline.odd.is_none() {
            pipeline.odd = Some((pipeline.commands, span));
        }
        Ok(())
    }
}

/// Whether a token can begin an operand.
fn begins_operand(kind: Kind) -> bool {
    match kind {
        Kind::Bool
        | Kind::CharConstant
        | Kind::Complex
        | Kind::Field
        | Kind::Identifier
        | Kind::Number
        | Kind::RawString
        | Kind::String
        | Kind::Variable
        | Kind::LeftParen
        | Kind::Keyword(Keyword::Dot | Keyword::Nil) => true,
        Kind::Error
        | Kind::Eof
        | Kind::Text
        | Kind::LeftDelim
        | Kind::RightDelim
        | Kind::Space
        | Kind::Assign
        | Kind::Declare
        | Kind::Pipe
        | Kind::RightParen
        | Kind::Char
        | Kind::Keyword(_) => false,
    }
}
