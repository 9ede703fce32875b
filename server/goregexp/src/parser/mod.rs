//! The parser (`regexp/syntax.Parse` with the flags of `regexp.Compile`): operators and groups. Like Go's parser, it is a stack machine, because the
//! limits on size and depth depend on the order in which nodes are created.

mod bracket;
mod escape;
mod factor;
mod limits;
mod stack;

use std::ops::Range;

use crate::error::{ErrorCode, GoRegexError};
use crate::tree::{Id, Node, Op, Rune, Tree, flags};
use limits::Limits;

/// Parses `pattern`. The error is the same as in Go.
pub(crate) fn parse(pattern: &str) -> Result<Tree, GoRegexError> {
    let mut parser = Parser {
        src: pattern,
        flags: flags::ONE_LINE,
        nodes: Vec::new(),
        stack: Vec::new(),
        free: Vec::new(),
        captures: 0,
        no_class_name_end: false,
        limits: Limits::default(),
    };
    match parser.run() {
        Ok(root) => Ok(Tree {
            nodes: parser.nodes,
            root,
        }),
        Err(Fail { code, span }) => Err(GoRegexError::new(code, pattern, span.unwrap_or(0..pattern.len()))),
    }
}

/// An error. Without a span, it is about the whole pattern.
pub(crate) struct Fail {
    code: ErrorCode,
    span: Option<Range<usize>>,
}

fn fail<T>(code: ErrorCode, span: Range<usize>) -> Result<T, Fail> {
    Err(Fail { code, span: Some(span) })
}

fn fail_whole<T>(code: ErrorCode) -> Result<T, Fail> {
    Err(Fail { code, span: None })
}

/// The bounds of `{min,max}`, and the offset after it.
struct Counts {
    min: i32,
    max: i32,
    end: usize,
}

struct Parser<'a> {
    src: &'a str,
    flags: u8,
    nodes: Vec<Node>,
    stack: Vec<Id>,
    /// Nodes to reuse. The last one is reused next. Go limits the number of nodes that it allocates, so reuse affects the result.
    free: Vec<Id>,
    captures: u32,
    /// Whether the rest of the pattern contains no `:]`. If so, the parser need not search for it again.
    no_class_name_end: bool,
    limits: Limits,
}

impl Parser<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.src.as_bytes().get(at).copied()
    }

    /// The rune at `at` and the offset after it. At the end of the pattern, the rune is the same as in Go's decoder.
    fn rune(&self, at: usize) -> (Rune, usize) {
        match self.src[at..].chars().next() {
            Some(c) => (c as Rune, at + c.len_utf8()),
            None => (0xFFFD, at),
        }
    }

    fn run(&mut self) -> Result<Id, Fail> {
        let mut at = 0;
        let mut last_repeat = None;
        while let Some(byte) = self.byte(at) {
            let mut repeat = None;
            match byte {
                b'(' if self.byte(at + 1) == Some(b'?') => at = self.perl_flags(at)?,
                b'(' => {
                    self.captures += 1;
                    let cap = self.captures;
                    self.open(cap)?;
                    at += 1;
                }
                b'|' => {
                    self.vertical_bar()?;
                    at += 1;
                }
                b')' => {
                    self.right_paren()?;
                    at += 1;
                }
                b'^' => {
                    let one_line = self.flags & flags::ONE_LINE != 0;
                    self.op(if one_line { Op::BeginText } else { Op::BeginLine })?;
                    at += 1;
                }
                b'$' => {
                    let one_line = self.flags & flags::ONE_LINE != 0;
                    self.op(if one_line { Op::EndText } else { Op::EndLine })?;
                    at += 1;
                }
                b'.' => {
                    let dot_nl = self.flags & flags::DOT_NL != 0;
                    self.op(if dot_nl { Op::AnyChar } else { Op::AnyCharNotNl })?;
                    at += 1;
                }
                b'[' => at = self.bracket(at)?,
                b'*' | b'+' | b'?' => {
                    let op = match byte {
                        b'*' => Op::Star,
                        b'+' => Op::Plus,
                        _ => Op::Quest,
                    };
                    repeat = Some(at);
                    at = self.repeat(op, (0, 0), at, at + 1, last_repeat)?;
                }
                b'{' => match self.counts(at) {
                    None => {
                        self.literal('{' as Rune)?;
                        at += 1;
                    }
                    Some(Counts { min, max, end }) => {
                        if !(0..=1000).contains(&min) || max > 1000 || (max >= 0 && min > max) {
                            return fail(ErrorCode::InvalidRepeatSize, at..end);
                        }
                        repeat = Some(at);
                        at = self.repeat(Op::Repeat, (min, max), at, end, last_repeat)?;
                    }
                },
                b'\\' => at = self.backslash(at)?,
                _ => {
                    let (rune, end) = self.rune(at);
                    self.literal(rune)?;
                    at = end;
                }
            }
            last_repeat = repeat;
        }
        self.concat()?;
        if self.swap_vertical_bar() {
            self.stack.pop();
        }
        self.alternate()?;
        match self.stack[..] {
            [root] => Ok(root),
            _ => fail_whole(ErrorCode::MissingParen),
        }
    }

    /// Wraps the top of the stack in a repetition. `at` is the offset of the operator, and `end` is the offset after the operator. Returns the offset
    /// where parsing continues.
    fn repeat(
        &mut self,
        op: Op,
        (min, max): (i32, i32),
        at: usize,
        mut end: usize,
        last_repeat: Option<usize>,
    ) -> Result<usize, Fail> {
        let mut node_flags = self.flags;
        if self.byte(end) == Some(b'?') {
            end += 1;
            node_flags ^= flags::NON_GREEDY;
        }
        if let Some(last) = last_repeat {
            return fail(ErrorCode::InvalidRepeatOp, last..end);
        }
        let Some(&sub) = self.stack.last().filter(|&&top| !self.node(top).op.is_pseudo()) else {
            return fail(ErrorCode::MissingRepeatArgument, at..end);
        };
        let id = self.new_node(op);
        let node = self.node_mut(id);
        node.min = min;
        node.max = max;
        node.flags = node_flags;
        node.subs = vec![sub];
        self.stack.pop();
        self.stack.push(id);
        self.check_limits(id)?;
        if op == Op::Repeat && (min >= 2 || max >= 2) && !self.repeat_is_valid(id) {
            return fail(ErrorCode::InvalidRepeatSize, at..end);
        }
        Ok(end)
    }

    /// Parses `{n}`, `{n,}` or `{n,m}` at `at`. If a bound has too many digits, `min` is -1.
    fn counts(&self, at: usize) -> Option<Counts> {
        let (mut min, mut at) = self.int(at + 1)?;
        let mut max = min;
        if self.byte(at) == Some(b',') {
            at += 1;
            if self.byte(at) == Some(b'}') {
                max = -1;
            } else {
                (max, at) = self.int(at)?;
                if max < 0 {
                    min = -1;
                }
            }
        }
        (self.byte(at) == Some(b'}')).then_some(Counts { min, max, end: at + 1 })
    }

    /// Parses a decimal number without leading zeros at `at`. Returns the number (-1 if it has too many digits) and the offset after it.
    fn int(&self, at: usize) -> Option<(i32, usize)> {
        let digits = self.src.as_bytes()[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let text = &self.src[at..at + digits];
        if digits == 0 || (digits >= 2 && text.starts_with('0')) {
            return None;
        }
        let mut n = 0;
        for digit in text.bytes() {
            if n >= 100_000_000 {
                n = -1;
                break;
            }
            n = n * 10 + i32::from(digit - b'0');
        }
        Some((n, at + digits))
    }

    /// Parses `(?`: a named group, flags, or a group with flags.
    fn perl_flags(&mut self, start: usize) -> Result<usize, Fail> {
        let rest = &self.src[start..];
        let name_start = if rest.len() > 4 && rest[2..].starts_with("P<") {
            4
        } else if rest.len() > 3 && rest[2..].starts_with('<') {
            3
        } else {
            0
        };
        if name_start > 0 {
            let Some(end) = rest.find('>') else {
                return fail(ErrorCode::InvalidNamedCapture, start..self.src.len());
            };
            let name = &rest[name_start..end];
            if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
                return fail(ErrorCode::InvalidNamedCapture, start..start + end + 1);
            }
            self.captures += 1;
            let cap = self.captures;
            self.open(cap)?;
            return Ok(start + end + 1);
        }

        let mut at = start + 2;
        let (mut set, mut negated, mut saw_flag) = (self.flags, false, false);
        while at < self.src.len() {
            let (c, next) = self.rune(at);
            at = next;
            let flag = match u8::try_from(c).unwrap_or(0) {
                b'i' => (flags::FOLD_CASE, true),
                b'm' => (flags::ONE_LINE, false),
                b's' => (flags::DOT_NL, true),
                b'U' => (flags::NON_GREEDY, true),
                b'-' if !negated => {
                    negated = true;
                    saw_flag = false;
                    continue;
                }
                close @ (b':' | b')') if !negated || saw_flag => {
                    if close == b':' {
                        self.open(0)?;
                    }
                    self.flags = set;
                    return Ok(at);
                }
                _ => break,
            };
            saw_flag = true;
            let on = flag.1 != negated;
            set = if on { set | flag.0 } else { set & !flag.0 };
        }
        fail(ErrorCode::InvalidPerlOp, start..at)
    }
}
