//! Recovery from syntax errors: skipping, dropping and inserting tokens.

use super::super::token::{Kind, Token};
use super::super::tree::TokenIdx;
use super::machine::{Broken, Failure, Halted, Machine};
use super::network::{EPSILON, Kinds, StateId, StateKind, kinds};
use crate::ast::{IssueKind, Limit, Location};

impl Machine<'_, '_> {
    pub(super) fn matched(&mut self) {
        self.recovering = false;
        self.last_error = None;
    }

    /// Checks the next token before an optional, repeated or alternative element, and recovers if the token cannot be there.
    pub(super) fn sync(&mut self, state: StateId) -> Result<(), Broken> {
        self.state = state;
        if self.recovering {
            return Ok(());
        }
        let next = self.program.next[state as usize];
        if next & (EPSILON | kinds(self.look(0)?)) != 0 {
            return Ok(());
        }
        let mut unlimited = usize::MAX;
        match self.program.states[state as usize].kind {
            StateKind::BlockStart | StateKind::StarEntry { .. } => {
                if self.delete_token(&mut unlimited)?.is_none() {
                    return Err(Broken::Failed(Failure::Mismatch {
                        expected: self.expected(),
                    }));
                }
            }
            StateKind::StarBack | StateKind::PlusBack => {
                self.report_unwanted()?;
                let until = self.expected() | self.recovery_set();
                self.skip_until(until, &mut unlimited)?;
            }
            StateKind::Basic | StateKind::BlockEnd | StateKind::RuleStop => {}
        }
        Ok(())
    }

    /// Recovers from a failure of the rule: skips tokens until one of the calling rules can continue.
    pub(super) fn recover(&mut self) -> Result<(), Halted> {
        self.count_recovery()?;
        let mut budget = self.options.recovery_lookahead;
        let (at, state) = (self.current()?, self.state);
        if self
            .last_error
            .as_ref()
            .is_some_and(|(token, states)| *token == at && states.contains(&state))
        {
            // After a repeated failure at the same token, recovery skips a token; otherwise it would loop forever.
            self.skip_one(&mut budget)?;
        }
        let at = self.current()?;
        match &mut self.last_error {
            Some((token, states)) => {
                *token = at;
                states.push(state);
            }
            None => self.last_error = Some((at, vec![state])),
        }
        self.skip_until(self.recovery_set(), &mut budget)
    }

    /// Recovers from an unexpected token: drops it if the next token is expected, otherwise inserts the missing one.
    pub(super) fn recover_inline(&mut self) -> Result<TokenIdx, Broken> {
        self.count_recovery()?;
        let mut budget = self.options.recovery_lookahead;
        if let Some(token) = self.delete_token(&mut budget)? {
            self.skip_one(&mut budget)?;
            return Ok(token);
        }
        let next = self.program.states[self.state as usize].transitions[0].target();
        if self.follow(next) & kinds(self.look(0)?) != 0 {
            self.report_missing()?;
            return Ok(self.invent()?);
        }
        Err(Broken::Failed(Failure::Mismatch {
            expected: self.expected(),
        }))
    }

    pub(super) fn count_recovery(&mut self) -> Result<(), Halted> {
        if self.recoveries == self.options.recovery_limit {
            let token = self.current()?;
            let limit = Limit::Recoveries(self.options.recovery_limit);
            let offset = self.tree.token(token).offset;
            self.report(offset, IssueKind::Limit(limit))?;
            return Err(Halted);
        }
        self.recoveries += 1;
        Ok(())
    }

    pub(super) fn skip_one(&mut self, budget: &mut usize) -> Result<(), Halted> {
        if *budget == 0 {
            let limit = self.options.recovery_lookahead;
            let kind = IssueKind::Limit(Limit::RecoveryTokens(limit));
            self.issues.report(kind, 0, Location::NONE);
            return Err(Halted);
        }
        *budget -= 1;
        self.consume()
    }

    pub(super) fn skip_until(&mut self, until: Kinds, budget: &mut usize) -> Result<(), Halted> {
        loop {
            let kind = self.look(0)?;
            if kind == Kind::Eof || kinds(kind) & until != 0 {
                return Ok(());
            }
            self.skip_one(budget)?;
        }
    }

    /// Drops the current token and returns the next one, if that is expected here.
    pub(super) fn delete_token(&mut self, budget: &mut usize) -> Result<Option<TokenIdx>, Halted> {
        if self.expected() & kinds(self.look(1)?) == 0 {
            return Ok(None);
        }
        self.report_unwanted()?;
        self.skip_one(budget)?;
        let token = self.current()?;
        self.matched();
        Ok(Some(token))
    }

    /// Inserts the first of the expected tokens.
    pub(super) fn invent(&mut self) -> Result<TokenIdx, Halted> {
        let expected = self.expected();
        let at = self.current()?;
        let place = if self.look(0)? == Kind::Eof && at > 0 {
            at - 1
        } else {
            at
        };
        let place = self.tree.token(place);
        let kind = Kind::from_number(expected.trailing_zeros() as u8);
        let text = match kind {
            Kind::Eof => "<missing EOF>".to_owned(),
            kind if kind <= Kind::Null => format!("<missing {}>", kind.name()),
            _ => "<missing undefined>".to_owned(),
        };
        let token = Token {
            kind,
            bytes: (place.bytes.0, place.bytes.0),
            offset: place.offset,
            invented: Some(text),
        };
        Ok(self.tree.invent(token))
    }
}
