//! Builds nodes from tokens, like go-yaml's parser states (`parserc.go`) and the part of its decoder that processes events (`decode.go`, `parser`).

use std::collections::HashMap;
use std::sync::Arc;

use super::cursor::Cursor;
use super::scan::{Scanner, failure};
use super::tag::{Tag, read_tag_directive};
use super::token::{Token, TokenKind};
use super::{Defect, Encoding, Failure, Problem, ReadError};
use crate::tree::{CollectionStyle, NodeId, Properties, ScalarStyle, Span, Tree, TreeBuilder};

/// The construct that the parser expects next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
}

/// The kinds of nodes that are allowed at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Allowed {
    Block,
    BlockOrIndentless,
    Flow,
}

pub(super) struct Parser<'t, const TRACKED: bool> {
    scanner: Scanner<'t, TRACKED>,
    text: &'t str,
    pub(super) builder: TreeBuilder,
    pub(super) state: State,
    states: Vec<State>,
    /// The first tokens of the collections that are open.
    marks: Vec<Token>,
    tag_directives: Vec<(String, String)>,
    anchors: HashMap<&'t str, NodeId>,
    /// The end of the last node.
    pub(super) last_end: u32,
}

/// Parses the first document of the text at `span`.
pub(super) fn parse<const TRACKED: bool>(
    text: &Arc<str>,
    span: Span,
    defect: Option<Defect>,
    encoding: Encoding,
) -> Result<Tree, Failure> {
    let cursor = Cursor::<TRACKED>::new(text.as_bytes(), span, defect, encoding);
    let mut parser = Parser {
        last_end: cursor.pos as u32,
        scanner: Scanner::new(cursor),
        text,
        builder: TreeBuilder::new(text, span, span.range().len() / 16),
        state: State::DocumentStart,
        states: Vec::new(),
        marks: Vec::new(),
        tag_directives: Vec::new(),
        anchors: HashMap::new(),
    };
    parser.document()?;
    let mut builder = parser.builder;
    builder.set_comments(parser.scanner.comments);
    Ok(builder.finish())
}

impl<const TRACKED: bool> Parser<'_, TRACKED> {
    pub(super) fn peek(&mut self) -> Result<Token, Failure> {
        self.scanner.peek()
    }

    pub(super) fn take(&mut self) {
        self.scanner.take();
    }

    pub(super) fn next(&mut self) -> Result<Token, Failure> {
        self.take();
        self.peek()
    }

    /// Parses up to the end of the first document.
    fn document(&mut self) -> Result<(), Failure> {
        self.peek()?;
        self.take();
        if !self.document_start()? {
            return Ok(());
        }
        loop {
            match self.state {
                State::DocumentStart => return Ok(()),
                State::DocumentContent => self.document_content()?,
                State::DocumentEnd => {
                    // In go-yaml, the end of the document is a separate event, so one more token is read.
                    self.peek()?;
                    self.state = State::DocumentStart;
                }
                State::BlockNode => self.node(Allowed::Block)?,
                State::BlockSequenceFirstEntry => self.block_sequence_entry(true)?,
                State::BlockSequenceEntry => self.block_sequence_entry(false)?,
                State::IndentlessSequenceEntry => self.indentless_sequence_entry()?,
                State::BlockMappingFirstKey => self.block_mapping_key(true)?,
                State::BlockMappingKey => self.block_mapping_key(false)?,
                State::BlockMappingValue => self.block_mapping_value()?,
                State::FlowSequenceFirstEntry => self.flow_sequence_entry(true)?,
                State::FlowSequenceEntry => self.flow_sequence_entry(false)?,
                State::FlowSequenceEntryMappingKey => self.flow_sequence_entry_mapping_key()?,
                State::FlowSequenceEntryMappingValue => self.flow_sequence_entry_mapping_value()?,
                State::FlowSequenceEntryMappingEnd => {
                    self.peek()?;
                    self.builder.close(self.last_end);
                    self.state = State::FlowSequenceEntry;
                }
                State::FlowMappingFirstKey => self.flow_mapping_key(true)?,
                State::FlowMappingKey => self.flow_mapping_key(false)?,
                State::FlowMappingValue => self.flow_mapping_value(false)?,
                State::FlowMappingEmptyValue => self.flow_mapping_value(true)?,
            }
        }
    }

    /// Starts the document. Returns whether a document exists.
    fn document_start(&mut self) -> Result<bool, Failure> {
        let token = self.peek()?;
        self.states.push(State::DocumentEnd);
        match token.kind {
            TokenKind::StreamEnd => return Ok(false),
            TokenKind::VersionDirective | TokenKind::TagDirective | TokenKind::DocumentStart => {
                self.directives()?;
                let token = self.peek()?;
                if token.kind != TokenKind::DocumentStart {
                    return Err(self.error(Problem::DocumentStart, token));
                }
                self.state = State::DocumentContent;
                self.last_end = token.end;
                self.take();
            }
            _ => {
                self.directives()?;
                self.state = State::BlockNode;
            }
        }
        Ok(true)
    }

    fn directives(&mut self) -> Result<(), Failure> {
        let mut version = false;
        let mut token = self.peek()?;
        loop {
            match token.kind {
                TokenKind::VersionDirective => {
                    if version {
                        return Err(self.error(Problem::DuplicateYamlDirective, token));
                    }
                    if token.extra != 0x101 {
                        return Err(self.error(Problem::IncompatibleVersion, token));
                    }
                    version = true;
                }
                TokenKind::TagDirective => {
                    let directive = read_tag_directive(self.text, Span::new(token.start, token.end));
                    if self.tag_directives.iter().any(|it| it.0 == directive.0) {
                        return Err(self.error(Problem::DuplicateTagDirective, token));
                    }
                    self.tag_directives.push(directive);
                }
                _ => break,
            }
            token = self.next()?;
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tag_directives.iter().any(|it| it.0 == handle) {
                self.tag_directives.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn document_content(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::VersionDirective
            | TokenKind::TagDirective
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.pop_state();
                self.absent_before(token);
                Ok(())
            }
            _ => self.node(Allowed::Block),
        }
    }

    fn pop_state(&mut self) {
        // Every pop has a matching push. The first pushed state is the end of the document.
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    pub(super) fn push_state(&mut self, state: State) {
        self.states.push(state);
    }

    /// A parser error at a token.
    fn error(&self, problem: Problem, token: Token) -> Failure {
        failure(
            problem,
            false,
            token.line,
            0,
            self.token_span(token),
            "",
            Span::default(),
        )
    }

    fn error_in(&self, context: &'static str, begin: Token, problem: Problem, token: Token) -> Failure {
        let context_span = Span::new(begin.start, begin.end.max(begin.start));
        failure(
            problem,
            false,
            token.line,
            begin.line,
            self.token_span(token),
            context,
            context_span,
        )
    }

    /// The span of a token. For an empty token, this is the span of the character at its position.
    fn token_span(&self, token: Token) -> Span {
        if token.end > token.start {
            return Span::new(token.start, token.end);
        }
        let rest = &self.text[token.start as usize..self.scanner.cursor.bytes.len().max(token.start as usize)];
        Span::new(
            token.start,
            token.start + rest.chars().next().map_or(0, char::len_utf8) as u32,
        )
    }

    /// Adds an absent node at the end of a token.
    pub(super) fn absent_after(&mut self, token: Token) {
        self.absent(token.end, token.line);
    }

    /// Adds an absent node at the start of a token.
    pub(super) fn absent_before(&mut self, token: Token) {
        self.absent(token.start, token.line);
    }

    fn absent(&mut self, at: u32, line: u32) {
        // A token at the end of the text may have a line number that does not exist in the text. Other tokens may be lines after this position.
        let here = at.min(self.scanner.cursor.bytes.len() as u32);
        self.builder
            .scalar_known(ScalarStyle::Plain, Span::new(here, here), 0, false);
        if TRACKED || here as usize == self.scanner.cursor.bytes.len() {
            self.builder.set_line(line);
        }
        self.last_end = here;
    }

    pub(super) fn node(&mut self, allowed: Allowed) -> Result<(), Failure> {
        let mut token = self.peek()?;
        let first = token;
        if token.kind == TokenKind::Alias {
            self.pop_state();
            return self.alias(token);
        }
        let mut properties = Properties::default();
        let mut tag_token = None;
        let mut end = token.start;
        for _ in 0..2 {
            match token.kind {
                TokenKind::Anchor if properties.anchor.is_none() => {
                    properties.anchor = Some(Span::new(token.start, token.end));
                }
                TokenKind::Tag if properties.tag.is_none() => {
                    properties.tag = Some(Span::new(token.start, token.end));
                    tag_token = Some(token);
                }
                _ => break,
            }
            end = token.end;
            token = self.next()?;
        }
        if let Some(tag_token) = tag_token {
            properties.tag_name = Some(self.resolve_tag(tag_token, first)?);
        }

        let block = allowed != Allowed::Flow;
        let collection = match token.kind {
            TokenKind::BlockEntry if allowed == Allowed::BlockOrIndentless => {
                self.state = State::IndentlessSequenceEntry;
                self.builder.open_sequence(CollectionStyle::Block, token.start)
            }
            TokenKind::Scalar(style) => {
                self.pop_state();
                let span = Span::new(token.start, token.end);
                let node = self.builder.scalar_known(style, span, token.extra, token.decode);
                self.last_end = token.end;
                self.register(node, properties, first);
                self.take();
                return Ok(());
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirstEntry;
                self.builder.open_sequence(CollectionStyle::Flow, token.start)
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirstKey;
                self.builder.open_mapping(CollectionStyle::Flow, token.start)
            }
            TokenKind::BlockSequenceStart if block => {
                self.state = State::BlockSequenceFirstEntry;
                self.builder.open_sequence(CollectionStyle::Block, token.start)
            }
            TokenKind::BlockMappingStart if block => {
                self.state = State::BlockMappingFirstKey;
                self.builder.open_mapping(CollectionStyle::Block, token.start)
            }
            _ if !properties.is_empty() => {
                self.pop_state();
                let node = self
                    .builder
                    .scalar_known(ScalarStyle::Plain, Span::new(end, end), 0, false);
                self.last_end = end;
                self.register(node, properties, first);
                return Ok(());
            }
            _ => {
                let context = if block {
                    "while parsing a block node"
                } else {
                    "while parsing a flow node"
                };
                return Err(self.error_in(context, first, Problem::MissingNode, token));
            }
        };
        self.register(collection, properties, first);
        Ok(())
    }

    /// Stores anchor, tag and line of the node that was just added.
    fn register(&mut self, node: NodeId, properties: Properties, first: Token) {
        if TRACKED {
            self.builder.set_line(first.line);
        }
        if let Some(anchor) = properties.anchor {
            let text = self.text;
            self.anchors.insert(&text[anchor.range()][1..], node);
        }
        self.builder.set_properties(properties);
    }

    fn alias(&mut self, token: Token) -> Result<(), Failure> {
        let span = Span::new(token.start, token.end);
        let name = &self.text[span.range()][1..];
        let Some(&target) = self.anchors.get(name) else {
            let problem = Problem::UnknownAnchor(name.into());
            return Err(Box::new(ReadError {
                message: format!("yaml: {}", problem.server_words()),
                problem,
                span,
                context: None,
            }));
        };
        self.builder.alias(span, Some(target));
        if TRACKED {
            self.builder.set_line(token.line);
        }
        self.last_end = token.end;
        self.take();
        Ok(())
    }

    fn resolve_tag(&self, token: Token, first: Token) -> Result<Box<str>, Failure> {
        let tag = Tag::read(&self.text[token.start as usize..token.end as usize]);
        if tag.handle.is_empty() {
            return Ok(tag.suffix.into());
        }
        match self.tag_directives.iter().find(|it| it.0 == tag.handle) {
            Some((_, prefix)) => Ok([prefix, tag.suffix.as_ref()].concat().into()),
            None => Err(self.error_in("while parsing a node", first, Problem::UndefinedTagHandle, token)),
        }
    }

    /// Takes the first token of a collection and stores it.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        self.marks.push(token);
        self.take();
        Ok(())
    }

    /// Closes a collection at `end`.
    pub(super) fn close(&mut self, end: u32) {
        self.pop_state();
        self.marks.pop();
        self.builder.close(end);
        self.last_end = end;
    }

    /// An error about an entry in brackets or braces that has no separator after it. It is at the entry, even if the next token is on another line. A
    /// value without quotes may have taken in the dash of the next line.
    pub(super) fn unseparated(&mut self, context: &'static str, problem: Problem, token: Token) -> Failure {
        let mut error = self.error_here(context, problem, token);
        let before = self.text.get(..self.last_end as usize).unwrap_or_default();
        let without_dash = before.strip_suffix('-').map(|it| it.trim_end_matches(' '));
        let before = without_dash
            .filter(|it| it.ends_with('\n'))
            .unwrap_or(before)
            .trim_end();
        let is_below = self
            .text
            .get(before.len()..token.start as usize)
            .is_some_and(|it| it.contains('\n'));
        if is_below {
            let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
            let start = before.len() - line.trim_start().len();
            error.span = Span::new(start as u32, before.len() as u32);
        }
        error
    }

    /// An error in the innermost collection.
    pub(super) fn error_here(&mut self, context: &'static str, problem: Problem, token: Token) -> Failure {
        let begin = self.marks.pop().unwrap_or(token);
        self.error_in(context, begin, problem, token)
    }

    fn block_sequence_entry(&mut self, first: bool) -> Result<(), Failure> {
        if first {
            self.begin()?;
        }
        let token = self.peek()?;
        match token.kind {
            TokenKind::BlockEntry => match self.next()?.kind {
                TokenKind::BlockEntry | TokenKind::BlockEnd => {
                    self.state = State::BlockSequenceEntry;
                    self.absent_after(token);
                    Ok(())
                }
                _ => {
                    self.push_state(State::BlockSequenceEntry);
                    self.node(Allowed::Block)
                }
            },
            TokenKind::BlockEnd => {
                self.close(self.last_end);
                self.take();
                Ok(())
            }
            _ => Err(self.error_here("while parsing a block collection", Problem::MissingDash, token)),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        if token.kind != TokenKind::BlockEntry {
            self.pop_state();
            self.builder.close(self.last_end);
            return Ok(());
        }
        match self.next()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.state = State::IndentlessSequenceEntry;
                self.absent_after(token);
                Ok(())
            }
            _ => {
                self.push_state(State::IndentlessSequenceEntry);
                self.node(Allowed::Block)
            }
        }
    }

    fn block_mapping_key(&mut self, first: bool) -> Result<(), Failure> {
        if first {
            self.begin()?;
        }
        let token = self.peek()?;
        match token.kind {
            TokenKind::Key => match self.next()?.kind {
                TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.state = State::BlockMappingValue;
                    self.absent_after(token);
                    Ok(())
                }
                _ => {
                    self.push_state(State::BlockMappingValue);
                    self.node(Allowed::BlockOrIndentless)
                }
            },
            TokenKind::BlockEnd => {
                self.close(self.last_end);
                self.take();
                Ok(())
            }
            _ => {
                let problem = if self.is_after_quote(token) {
                    Problem::TextAfterQuote
                } else {
                    Problem::MissingKey
                };
                Err(self.error_here("while parsing a block mapping", problem, token))
            }
        }
    }

    /// Whether a token follows the closing quote of a value on the same line.
    fn is_after_quote(&self, token: Token) -> bool {
        let end = token.start as usize;
        let line = self.text[self.scanner.cursor.line_start(end)..end].trim_end_matches(' ');
        let begins = [": '", ": \"", "- '", "- \""];
        line.ends_with(['\'', '"']) && begins.iter().any(|it| line.contains(it))
    }

    fn block_mapping_value(&mut self) -> Result<(), Failure> {
        let token = self.peek()?;
        if token.kind != TokenKind::Value {
            // go-yaml puts the absent value at the next token. We put it after its key.
            self.state = State::BlockMappingKey;
            let line = token.line;
            let at = self.last_end;
            self.builder
                .scalar_known(ScalarStyle::Plain, Span::new(at, at), 0, false);
            self.builder.set_line(line);
            return Ok(());
        }
        match self.next()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.state = State::BlockMappingKey;
                self.absent_after(token);
                Ok(())
            }
            _ => {
                self.push_state(State::BlockMappingKey);
                self.node(Allowed::BlockOrIndentless)
            }
        }
    }
}
