//! The parser's states inside brackets and braces.

use super::parse::{Allowed, Parser, State};
use super::token::TokenKind;
use super::{Failure, Problem};
use crate::tree::CollectionStyle;

impl<const TRACKED: bool> Parser<'_, TRACKED> {
    pub(super) fn flow_sequence_entry(&mut self, first: bool) -> Result<(), Failure> {
        if first {
            self.begin()?;
        }
        let mut token = self.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return Err(self.unseparated(
                        "while parsing a flow sequence",
                        Problem::MissingCommaOrBracket,
                        token,
                    ));
                }
                token = self.next()?;
            }
            if token.kind == TokenKind::Key {
                // `[a: b]`: an entry that is a single-pair mapping.
                self.state = State::FlowSequenceEntryMappingKey;
                self.builder.open_mapping(CollectionStyle::Flow, token.start);
                if TRACKED {
                    self.builder.set_line(token.line);
                }
                self.take();
                return Ok(());
            }
            if token.kind != TokenKind::FlowSequenceEnd {
                self.push_state(State::FlowSequenceEntry);
                return self.node(Allowed::Flow);
            }
        }
        self.close(token.end);
        self.take();
        Ok(())
    }

    pub(super) fn flow_sequence_entry_mapping_key(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // go-yaml drops this token, which makes most such texts invalid.
                self.take();
                self.state = State::FlowSequenceEntryMappingValue;
                self.absent_after(token);
                Ok(())
            }
            _ => {
                self.push_state(State::FlowSequenceEntryMappingValue);
                self.node(Allowed::Flow)
            }
        }
    }

    pub(super) fn flow_sequence_entry_mapping_value(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        if token.kind == TokenKind::Value {
            let next = self.next()?;
            if !matches!(next.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                self.push_state(State::FlowSequenceEntryMappingEnd);
                return self.node(Allowed::Flow);
            }
            self.state = State::FlowSequenceEntryMappingEnd;
            self.absent_after(token);
            return Ok(());
        }
        self.state = State::FlowSequenceEntryMappingEnd;
        self.absent_before(token);
        Ok(())
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<(), Failure> {
        if first {
            self.begin()?;
        }
        let mut token = self.peek()?;
        if token.kind != TokenKind::FlowMappingEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return Err(self.unseparated("while parsing a flow mapping", Problem::MissingCommaOrBrace, token));
                }
                token = self.next()?;
            }
            if token.kind == TokenKind::Key {
                token = self.next()?;
                if matches!(
                    token.kind,
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd
                ) {
                    self.state = State::FlowMappingValue;
                    self.absent_before(token);
                    return Ok(());
                }
                self.push_state(State::FlowMappingValue);
                return self.node(Allowed::Flow);
            }
            if token.kind != TokenKind::FlowMappingEnd {
                self.push_state(State::FlowMappingEmptyValue);
                return self.node(Allowed::Flow);
            }
        }
        self.close(token.end);
        self.take();
        Ok(())
    }

    pub(super) fn flow_mapping_value(&mut self, empty: bool) -> Result<(), Failure> {
        let mut token = self.peek()?;
        if !empty && token.kind == TokenKind::Value {
            token = self.next()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                self.push_state(State::FlowMappingKey);
                return self.node(Allowed::Flow);
            }
        }
        self.state = State::FlowMappingKey;
        self.absent_before(token);
        Ok(())
    }
}
