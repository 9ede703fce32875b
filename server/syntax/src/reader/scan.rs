//! Builds tokens from characters: determines the token at a position, the collections that the indentation opens and closes, and the tokens that are
//! keys. (`scannerc.go`, without the contents of scalars, tags and directives.)

use super::cursor::{Cursor, Mark};
use super::token::{NO_KEY, Queue, Token, TokenKind};
use super::{ErrorContext, Failure, Problem, ReadError};
use crate::tree::Span;

/// go-yaml's limit on nesting, both for brackets and for indentation.
pub(super) const MAX_DEPTH: usize = 10_000;

/// The maximum length in characters of a key without `?`.
const MAX_SIMPLE_KEY: u32 = 1024;

/// A position where a key without `?` may have started.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// Whether the position must be a key, because it is at the indentation of a block mapping.
    required: bool,
    /// Whether the queue waits at the token of this position until it is known whether the token is a key.
    awaited: bool,
    token_number: usize,
    mark: Mark,
}

#[derive(Debug)]
pub(super) struct Scanner<'t, const TRACKED: bool> {
    pub(super) cursor: Cursor<'t, TRACKED>,
    queue: Queue,
    started: bool,
    /// Whether it is known that the head of the queue is not a key.
    token_available: bool,
    /// The column of the current block collection; -1 outside all of them.
    pub(super) indent: i32,
    indents: Vec<i32>,
    simple_key_allowed: bool,
    /// One entry per level of brackets, plus one for the level outside.
    simple_keys: Vec<SimpleKey>,
    pub(super) flow_level: usize,
    pub(super) comments: Vec<Span>,
}

impl<'t, const TRACKED: bool> Scanner<'t, TRACKED> {
    pub(super) fn new(cursor: Cursor<'t, TRACKED>) -> Self {
        Self {
            cursor,
            queue: Queue::default(),
            started: false,
            token_available: false,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: vec![SimpleKey::default()],
            flow_level: 0,
            comments: Vec::new(),
        }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&mut self) -> Result<Token, Failure> {
        if !self.token_available {
            self.fetch_more()?;
        }
        // `fetch_more` always leaves a token, and callers do not peek after the end of the stream.
        Ok(self.queue.head().copied().unwrap_or(Token::new(
            TokenKind::StreamEnd,
            self.cursor.mark(),
            self.cursor.pos as u32,
        )))
    }

    /// Takes the token that `peek` returned.
    pub(super) fn take(&mut self) {
        self.token_available = false;
        self.queue.take();
    }

    /// A scanner error at the cursor.
    pub(super) fn error(&self, context: &'static str, begin: Mark, problem: Problem) -> Failure {
        let at = self.cursor.pos as u32;
        let begin_span = Span::new(begin.pos, at.max(begin.pos));
        failure(
            problem,
            true,
            self.cursor.line,
            begin.line,
            self.error_span(),
            context,
            begin_span,
        )
    }

    /// Like [`Scanner::error`], but at the span where a person would look for the error.
    pub(super) fn error_at(&self, span: Span, context: &'static str, begin: Mark, problem: Problem) -> Failure {
        let mut error = self.error(context, begin, problem);
        error.span = span;
        error
    }

    /// The span of the character at the cursor.
    fn error_span(&self) -> Span {
        let start = self.cursor.pos;
        let mut end = self.cursor.bytes.len().min(start + 1);
        while self.cursor.bytes.get(end).is_some_and(|it| it & 0xC0 == 0x80) {
            end += 1;
        }
        Span::new(start as u32, end as u32)
    }

    fn fetch_more(&mut self) -> Result<(), Failure> {
        while self.head_may_be_key()? {
            self.fetch_next()?;
        }
        self.token_available = true;
        Ok(())
    }

    /// Whether the scanner needs more tokens to determine whether the head of the queue is a key.
    fn head_may_be_key(&mut self) -> Result<bool, Failure> {
        let Some(head) = self.queue.head() else { return Ok(true) };
        let level = head.key_level;
        if level == NO_KEY {
            return Ok(false);
        }
        let number = self.queue.head_number();
        match self.simple_keys.get(level as usize) {
            Some(key) if key.awaited && key.possible && key.token_number == number => {
                self.simple_key_is_valid(level as usize)
            }
            _ => Ok(false),
        }
    }

    fn fetch_next(&mut self) -> Result<(), Failure> {
        self.cursor.need(1)?;
        if !self.started {
            self.started = true;
            self.queue.push(Token::new(
                TokenKind::StreamStart,
                self.cursor.mark(),
                self.cursor.pos as u32,
            ));
            return Ok(());
        }
        self.scan_to_next_token()?;
        self.unroll_indent(self.cursor.column() as i32);
        self.cursor.need(4)?;
        if self.cursor.at_end() {
            return self.fetch_stream_end();
        }
        let first = self.cursor.byte(0);
        if self.cursor.column() == 0 {
            if first == b'%' {
                return self.fetch_directive();
            }
            if let Some(kind) = self.document_indicator() {
                return self.fetch_document_indicator(kind);
            }
        }
        match first {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.cursor.is_blankz(1) => self.fetch_block_entry(),
            b'?' if self.flow_level > 0 || self.cursor.is_blankz(1) => self.fetch_key(),
            b':' if self.flow_level > 0 || self.cursor.is_blankz(1) => self.fetch_value(),
            b'*' => self.fetch_keyable(|it| it.scan_anchor(TokenKind::Alias)),
            b'&' => self.fetch_keyable(|it| it.scan_anchor(TokenKind::Anchor)),
            b'!' => self.fetch_keyable(Self::scan_tag),
            b'|' if self.flow_level == 0 => self.fetch_block_scalar(true),
            b'>' if self.flow_level == 0 => self.fetch_block_scalar(false),
            b'\'' => self.fetch_keyable(|it| it.scan_quoted(true)),
            b'"' => self.fetch_keyable(|it| it.scan_quoted(false)),
            b'-' | b'?' | b':' => self.fetch_plain(),
            b'|' | b'>' | b'#' | b'%' | b'@' | b'`' => Err(self.error(
                "while scanning for the next token",
                self.cursor.mark(),
                Problem::NoToken,
            )),
            b'\t' => Err(self.error(
                "while scanning for the next token",
                self.cursor.mark(),
                Problem::TabBegins,
            )),
            _ => self.fetch_plain(),
        }
    }

    /// The kind of the token, if `---` or `...` is at the start of this line.
    pub(super) fn document_indicator(&self) -> Option<TokenKind> {
        let kind = match self.cursor.byte(0) {
            b'-' => TokenKind::DocumentStart,
            b'.' => TokenKind::DocumentEnd,
            _ => return None,
        };
        let first = self.cursor.byte(0);
        (self.cursor.byte(1) == first && self.cursor.byte(2) == first && self.cursor.is_blankz(3)).then_some(kind)
    }

    fn simple_key_is_valid(&mut self, level: usize) -> Result<bool, Failure> {
        let key = self.simple_keys[level];
        if !key.possible {
            return Ok(false);
        }
        let here = self.cursor.mark();
        if key.mark.line < here.line || key.mark.index + MAX_SIMPLE_KEY < here.index {
            if key.required {
                return Err(self.missing_colon(key));
            }
            self.simple_keys[level].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    /// The error for text that must be a key. The error is reported on the line of this text, where the colon is missing, and not at the token after
    /// it.
    fn missing_colon(&self, key: SimpleKey) -> Failure {
        let start = key.mark.pos as usize;
        let mut end = start;
        while end < self.cursor.pos && crate::scalar::break_len(self.cursor.bytes, end) == 0 {
            end += 1;
        }
        while end > start && matches!(self.cursor.bytes[end - 1], b' ' | b'\t') {
            end -= 1;
        }
        let span = Span::new(start as u32, end as u32);
        let problem = if has_colon_without_blank(&self.cursor.bytes[start..end]) {
            Problem::ColonWithoutBlank
        } else {
            Problem::MissingColon
        };
        self.error_at(span, "while scanning a simple key", key.mark, problem)
    }

    /// The problem of a colon where no value can start, by the line of the colon and the one above. If the mistake is in the line above, also the span
    /// of its text.
    fn value_not_allowed(&self) -> (Problem, Option<Span>) {
        let before = |end: usize| self.cursor.line_start(end);
        let blanks = |line: &[u8]| line.iter().take_while(|it| **it == b' ').count();
        let has_value = |line: &[u8]| {
            line.windows(3)
                .any(|it| it[..2] == *b": " && !matches!(it[2], b' ' | b'#'))
        };
        let start = before(self.cursor.pos);
        let line = &self.cursor.bytes[start..self.cursor.pos];
        if line.windows(2).any(|it| it == b": ") || start == 0 {
            return (Problem::ValueNotAllowed, None);
        }
        let above_end = start - 1 - usize::from(self.cursor.bytes[..start].ends_with(b"\r\n"));
        let above = &self.cursor.bytes[before(above_end)..above_end];
        let text_above = || {
            let start = before(above_end) + above.len() - above.trim_ascii_start().len();
            Some(Span::new(start as u32, (start + above.trim_ascii().len()) as u32))
        };
        if has_value(above) && blanks(line) > blanks(above) {
            (Problem::IndentedKey, None)
        } else if blanks(line) == blanks(above) && has_colon_without_blank(above.trim_ascii()) {
            (Problem::KeyAfterColon, text_above())
        } else if blanks(line) == blanks(above) && !above.contains(&b':') && !above.trim_ascii().is_empty() {
            (Problem::KeyAfterText, text_above())
        } else {
            (Problem::ValueNotAllowed, None)
        }
    }

    /// Records that a key may start at this position. Returns the level for the token, or `NO_KEY`.
    fn save_simple_key(&mut self) -> Result<u32, Failure> {
        if !self.simple_key_allowed {
            return Ok(NO_KEY);
        }
        let required = self.flow_level == 0 && self.indent == self.cursor.column() as i32;
        let key = SimpleKey {
            possible: true,
            awaited: true,
            required,
            token_number: self.queue.next_number(),
            mark: self.cursor.mark(),
        };
        self.remove_simple_key()?;
        let level = self.simple_keys.len() - 1;
        self.simple_keys[level] = key;
        Ok(level as u32)
    }

    fn remove_simple_key(&mut self) -> Result<(), Failure> {
        let level = self.simple_keys.len() - 1;
        let key = self.simple_keys[level];
        if key.possible {
            if key.required {
                return Err(self.missing_colon(key));
            }
            self.simple_keys[level].possible = false;
        }
        Ok(())
    }

    /// Opens a block collection if the column is deeper than the current one. `before` is the number of the token before which the collection starts.
    fn roll_indent(&mut self, column: u32, before: Option<usize>, kind: TokenKind, mark: Mark) -> Result<(), Failure> {
        if self.flow_level > 0 || self.indent >= column as i32 {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column as i32;
        if self.indents.len() > MAX_DEPTH {
            let key = self.simple_keys[self.simple_keys.len() - 1];
            let span = Span::new(mark.pos, (mark.pos + 1).min(self.cursor.bytes.len() as u32));
            return Err(self.error_at(span, "while increasing indent level", key.mark, Problem::TooDeep));
        }
        let token = Token::new(kind, mark, mark.pos);
        match before {
            Some(number) => self.queue.insert(number, token),
            None => self.queue.push(token),
        }
        Ok(())
    }

    /// Closes the block collections that are deeper than the column.
    fn unroll_indent(&mut self, column: i32) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.queue.push(Token::new(
                TokenKind::BlockEnd,
                self.cursor.mark(),
                self.cursor.pos as u32,
            ));
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), Failure> {
        self.cursor.force_line();
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.queue.push(Token::new(
            TokenKind::StreamEnd,
            self.cursor.mark(),
            self.cursor.pos as u32,
        ));
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Failure> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_directive()?;
        self.queue.push(token);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: TokenKind) -> Result<(), Failure> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.push_indicator(kind, 3);
        Ok(())
    }

    /// Pushes a token of one-byte characters.
    fn push_indicator(&mut self, kind: TokenKind, len: usize) {
        let mark = self.cursor.mark();
        self.cursor.skip_ascii(len);
        self.queue.push(Token::new(kind, mark, self.cursor.pos as u32));
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), Failure> {
        let key_level = self.save_simple_key()?;
        let mark = self.cursor.mark();
        let token_number = self.queue.next_number();
        self.simple_keys.push(SimpleKey {
            token_number,
            mark,
            ..SimpleKey::default()
        });
        self.flow_level += 1;
        if self.flow_level > MAX_DEPTH {
            return Err(self.error("while increasing flow level", mark, Problem::TooDeep));
        }
        self.simple_key_allowed = true;
        self.cursor.skip_ascii(1);
        let mut token = Token::new(kind, mark, self.cursor.pos as u32);
        token.key_level = key_level;
        self.queue.push(token);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), Failure> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            // If a key was not possible inside a bracket, go-yaml forgets that the bracket itself may be a key. It emits the bracket at once, and a
            // colon after the collection comes too late.
            let inside = self.simple_keys.pop();
            if let (Some(inside), Some(bracket)) = (inside, self.simple_keys.last_mut())
                && inside.token_number == bracket.token_number
            {
                bracket.awaited = false;
            }
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), Failure> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Failure> {
        if self.flow_level == 0 {
            let mark = self.cursor.mark();
            if !self.simple_key_allowed {
                return Err(self.error("", mark, Problem::SequenceNotAllowed));
            }
            self.roll_indent(mark.column, None, TokenKind::BlockSequenceStart, mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Failure> {
        if self.flow_level == 0 {
            let mark = self.cursor.mark();
            if !self.simple_key_allowed {
                return Err(self.error("", mark, Problem::KeyNotAllowed));
            }
            self.roll_indent(mark.column, None, TokenKind::BlockMappingStart, mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Failure> {
        let level = self.simple_keys.len() - 1;
        if self.simple_key_is_valid(level)? {
            let key = self.simple_keys[level];
            self.queue
                .insert(key.token_number, Token::new(TokenKind::Key, key.mark, key.mark.pos));
            self.roll_indent(
                key.mark.column,
                Some(key.token_number),
                TokenKind::BlockMappingStart,
                key.mark,
            )?;
            self.simple_keys[level].possible = false;
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                let mark = self.cursor.mark();
                if !self.simple_key_allowed {
                    let (problem, above) = self.value_not_allowed();
                    return Err(match above {
                        Some(span) => self.error_at(span, "", mark, problem),
                        None => self.error("", mark, problem),
                    });
                }
                self.roll_indent(mark.column, None, TokenKind::BlockMappingStart, mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }

    /// Pushes a token that may start a key, and after which a key cannot start.
    fn fetch_keyable(&mut self, scan: impl FnOnce(&mut Self) -> Result<Token, Failure>) -> Result<(), Failure> {
        let key_level = self.save_simple_key()?;
        self.simple_key_allowed = false;
        let mut token = scan(self)?;
        token.key_level = key_level;
        self.queue.push(token);
        Ok(())
    }

    fn fetch_plain(&mut self) -> Result<(), Failure> {
        let key_level = self.save_simple_key()?;
        self.simple_key_allowed = false;
        let (mut token, ends_in_new_line) = self.scan_plain()?;
        if ends_in_new_line {
            self.simple_key_allowed = true;
        }
        token.key_level = key_level;
        self.queue.push(token);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<(), Failure> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let token = self.scan_block_scalar(literal)?;
        self.queue.push(token);
        Ok(())
    }

    /// Skips blanks, comments and line breaks.
    fn scan_to_next_token(&mut self) -> Result<(), Failure> {
        loop {
            self.cursor.need(1)?;
            if TRACKED && self.cursor.column() == 0 && self.cursor.buffer_starts_with_bom() && !self.cursor.at_end() {
                self.cursor.skip();
            }
            self.cursor.need(1)?;
            loop {
                self.cursor.skip_spaces(usize::MAX)?;
                if self.cursor.byte(0) != b'\t' || self.flow_level == 0 && self.simple_key_allowed {
                    break;
                }
                self.cursor.skip_ascii(1);
                self.cursor.need(1)?;
            }
            if self.cursor.byte(0) == b'#' {
                self.scan_comment()?;
            }
            if self.cursor.break_here() == 0 {
                return Ok(());
            }
            self.cursor.need(2)?;
            self.cursor.skip_break();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Skips a comment and records its span.
    pub(super) fn scan_comment(&mut self) -> Result<(), Failure> {
        let start = self.cursor.pos as u32;
        self.cursor.skip_to_line_end()?;
        self.comments.push(Span::new(start, self.cursor.pos as u32));
        Ok(())
    }
}

/// Builds the error with go-yaml's message (`parser.fail`). The line in the message is that of the problem, or otherwise of the context. Only scanner
/// errors count lines from 1.
pub(super) fn failure(
    problem: Problem,
    scanner: bool,
    problem_line: u32,
    context_line: u32,
    span: Span,
    context: &'static str,
    context_span: Span,
) -> Failure {
    let line = if problem_line != 0 {
        problem_line + u32::from(scanner)
    } else {
        context_line
    };
    let words = problem.server_words();
    let message = if line == 0 {
        format!("yaml: {words}")
    } else {
        format!("yaml: line {line}: {words}")
    };
    let context = (!context.is_empty()).then_some(ErrorContext {
        text: context,
        span: context_span,
    });
    Box::new(ReadError {
        problem,
        message,
        span,
        context,
    })
}

/// Whether a text begins with a key whose colon has no blank after it, such as `kind:Widget`. An address such as `http://a` does not count.
fn has_colon_without_blank(text: &[u8]) -> bool {
    let end = text.iter().position(|it| matches!(it, b':' | b' ' | b'/'));
    end.is_some_and(|it| it > 0 && text[it] == b':' && text.get(it + 1).is_some_and(|it| !matches!(it, b'/' | b' ')))
}
