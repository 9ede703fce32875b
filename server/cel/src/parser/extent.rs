//! The byte ranges of the parts of an expression.
//!
//! The tree only contains the position of one token of each part ([`Span`](crate::ast::Span)), but editors need to show the whole part.

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{Lexed, Lexer};
use super::token::Kind;
use crate::ast::{Ast, ExprKind, NodeId, Source, operators};

/// Parts below this depth get the extent of their token only.
const MAX_DEPTH: usize = 500;

/// Computes the extents of the parts of one expression.
#[derive(Debug)]
pub struct Extents {
    tokens: Vec<Token>,
}

#[derive(Debug)]
struct Token {
    kind: Kind,
    bytes: Range<usize>,
    /// The index of the matching bracket.
    partner: Option<usize>,
}

/// The indices of the first and last token of a part.
type Reach = (usize, usize);

impl Extents {
    /// Reads the tokens of a valid expression.
    pub fn new(source: &Source) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let mut open = Vec::new();
        let mut lexer = Lexer::new(source, true);
        loop {
            match lexer.next() {
                Lexed::Token(token) if token.kind == Kind::Eof => break,
                Lexed::Token(token) => {
                    let at = tokens.len();
                    let mut partner = None;
                    match token.kind {
                        Kind::LParen | Kind::LBracket | Kind::LBrace => open.push(at),
                        Kind::RParen | Kind::RBracket | Kind::RBrace => {
                            partner = open.pop();
                            if let Some(partner) = partner {
                                tokens[partner].partner = Some(at);
                            }
                        }
                        _ => {}
                    }
                    tokens.push(Token {
                        kind: token.kind,
                        bytes: token.bytes.0 as usize..token.bytes.1 as usize,
                        partner,
                    });
                }
                Lexed::Error { .. } => {}
            }
        }
        Self { tokens }
    }

    /// The byte ranges of all parts that are in the source text, by id.
    pub fn all(&self, ast: &Ast) -> HashMap<i64, Range<usize>> {
        let mut reaches = HashMap::new();
        if let Some(root) = ast.root() {
            self.reach(ast, root, 0, &mut reaches);
        }
        reaches
            .into_iter()
            .map(|(id, (first, last))| (id, self.tokens[first].bytes.start..self.tokens[last].bytes.end))
            .collect()
    }

    fn reach(&self, ast: &Ast, node: NodeId, depth: usize, found: &mut HashMap<i64, Reach>) -> Option<Reach> {
        let id = ast[node].id;
        let span = ast.source_info.span(id)?.bytes;
        let own = self.tokens.partition_point(|it| it.bytes.end <= span.0 as usize);
        self.tokens.get(own)?;
        let end = self.tokens.partition_point(|it| it.bytes.start < span.1 as usize);
        let mut reach = (own, end.saturating_sub(1).max(own));
        let (kind, parts) = as_written(ast, node);
        match kind {
            ExprKind::Select { .. } => {
                let is_name = |it: &Token| !matches!(it.kind, Kind::Dot | Kind::QuestionMark);
                if let Some(name) = self.tokens[own..].iter().position(is_name) {
                    reach.1 = own + name;
                }
            }
            ExprKind::Call { target, function, .. } => {
                if let Some(partner) = self.tokens[own].partner {
                    reach = (own.min(partner), own.max(partner));
                }
                let is_call = self.tokens[own].kind == Kind::LParen && operators::display_name(function).is_none();
                if is_call && target.is_none() {
                    reach.0 = self.name_before(own);
                }
            }
            ExprKind::List { .. } | ExprKind::Map { .. } | ExprKind::Struct { .. } => {
                if let Some(partner) = self.tokens[own].partner {
                    reach = (own.min(partner), own.max(partner));
                }
                if matches!(kind, ExprKind::Struct { .. }) {
                    reach.0 = self.name_before(reach.0);
                }
            }
            _ => {}
        }
        if depth < MAX_DEPTH {
            for part in parts {
                if let Some(part) = self.reach(ast, part, depth + 1, found) {
                    let part = self.with_parentheses(part);
                    reach = (reach.0.min(part.0), reach.1.max(part.1));
                }
            }
        }
        found.insert(id, reach);
        Some(reach)
    }

    /// The first token of the dotted name that ends before a token.
    fn name_before(&self, token: usize) -> usize {
        let mut first = token;
        while let Some(before) = first.checked_sub(1)
            && matches!(
                self.tokens[before].kind,
                Kind::Identifier | Kind::EscIdentifier | Kind::Dot
            )
        {
            first = before;
        }
        first
    }

    /// Extends a part by the parentheses around it.
    fn with_parentheses(&self, (mut first, mut last): Reach) -> Reach {
        while let Some(before) = first.checked_sub(1)
            && self.tokens[before].kind == Kind::LParen
            && self.tokens[before].partner == Some(last + 1)
        {
            first = before;
            last += 1;
        }
        (first, last)
    }
}

/// The kind and children of a part as it was written: expanded macros appear as calls.
pub fn as_written(ast: &Ast, node: NodeId) -> (&ExprKind, Vec<NodeId>) {
    let node = ast.macro_call(ast[node].id).unwrap_or(node);
    (&ast[node].kind, ast.children(node))
}
