//! The messages of syntax errors.

use super::super::token::Kind;
use super::super::tree::TokenIdx;
use super::machine::{Failure, Halted, Machine};
use super::network::Kinds;
use crate::ast::{Input, IssueKind, Limit, SyntaxError};

impl Machine<'_, '_> {
    pub(super) fn syntax_error(&mut self, offset: u32, error: SyntaxError) -> Result<(), Halted> {
        self.report(offset, IssueKind::Syntax(error))
    }

    pub(super) fn syntax_error_at(&mut self, token: TokenIdx, error: SyntaxError) -> Result<(), Halted> {
        self.syntax_error(self.tree.token(token).offset, error)
    }

    pub(super) fn report(&mut self, offset: u32, kind: IssueKind) -> Result<(), Halted> {
        let location = self.source.location(offset as i32);
        if self.reported >= self.options.error_limit {
            let limit = Limit::SyntaxErrors(self.options.error_limit);
            self.issues.report(IssueKind::Limit(limit), 0, location);
            return Err(Halted);
        }
        self.reported += 1;
        let message = self.options.worded(&kind.server_words());
        self.issues.report_worded(kind, 0, location, message);
        Ok(())
    }

    pub(super) fn report_failure(&mut self, failure: &Failure) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        match *failure {
            Failure::NoViable { start, offending } => {
                let input = self.input(start, offending);
                // `cel-go` has another message if a field name is a keyword.
                let error = match input.as_deref().and_then(keyword_after_one_character) {
                    Some(keyword) => SyntaxError::Mismatched {
                        found: Input::text(keyword),
                        expected: vec![Kind::Identifier],
                    },
                    None => SyntaxError::NoAlternative {
                        input: input.map_or(Input::End, |it| Input::text(&it)),
                    },
                };
                self.syntax_error_at(offending, error)
            }
            Failure::Mismatch { expected } => {
                let token = self.current()?;
                let error = SyntaxError::Mismatched {
                    found: self.shown(token),
                    expected: tokens_of(expected),
                };
                self.syntax_error_at(token, error)
            }
        }
    }

    pub(super) fn report_unwanted(&mut self) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.current()?;
        let error = SyntaxError::Extraneous {
            found: self.shown(token),
            expected: tokens_of(self.expected()),
        };
        self.syntax_error_at(token, error)
    }

    pub(super) fn report_missing(&mut self) -> Result<(), Halted> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        let token = self.current()?;
        let error = SyntaxError::Missing {
            expected: tokens_of(self.expected()),
            before: self.shown(token),
        };
        self.syntax_error_at(token, error)
    }

    /// The input from one token to another, without characters that are part of no token; `None` for the end.
    pub(super) fn input(&self, start: TokenIdx, end: TokenIdx) -> Option<String> {
        let (start, end) = (self.tree.token(start), self.tree.token(end));
        if start.kind == Kind::Eof {
            return None;
        }
        let end = if end.kind == Kind::Eof {
            end.bytes.0
        } else {
            end.bytes.1
        };
        let mut from = start.bytes.0;
        let mut input = String::new();
        for skipped in self.skipped.iter().filter(|s| s.0 >= start.bytes.0 && s.1 <= end) {
            input.push_str(&self.source.text()[from as usize..skipped.0 as usize]);
            from = skipped.1;
        }
        input.push_str(&self.source.text()[from as usize..end as usize]);
        Some(input)
    }

    pub(super) fn shown(&self, token: TokenIdx) -> Input {
        let token = self.tree.token(token);
        if token.kind == Kind::Eof {
            return Input::End;
        }
        Input::text(token.text(self.source.text()))
    }
}

/// The keyword in an input of one character and a keyword.
fn keyword_after_one_character(input: &str) -> Option<&str> {
    let mut chars = input.chars();
    chars.next().filter(|c| *c != '\n')?;
    Some(chars.as_str()).filter(|rest| matches!(*rest, "true" | "false" | "null"))
}

/// The kinds in a set.
fn tokens_of(set: Kinds) -> Vec<Kind> {
    (0..63)
        .filter(|bit| set & (1 << bit) != 0)
        .map(Kind::from_number)
        .collect()
}
