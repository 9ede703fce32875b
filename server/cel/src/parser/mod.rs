//! Parses an expression into an [`Ast`] as the API server's `cel-go` does: with the same positions, macro expansions and error
//! messages.

mod build;
mod descent;
mod expansion;
mod extent;
mod lexer;
pub mod macros;
mod options;
mod recovery;
#[cfg(test)]
mod tests;
mod token;
mod tokens;
mod tree;
mod unescape;
mod visit;

use build::Builder;
pub use extent::{Extents, as_written};
use lexer::{Lexed, Lexer};
pub use options::{EscapedIdentifiers, ParseOptions};
use token::Kind;
pub use tokens::{TokenClass, WrittenToken, tokens};
use tree::{Tree, TreeIdx};
pub use visit::RESERVED;
use visit::Visitor;

use crate::ast::{Ast, IssueKind, Issues, Limit, Location, Source};

/// The outcome of parsing.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree. If there are issues, it has placeholders ([`ExprKind::Unspecified`](crate::ast::ExprKind::Unspecified)), or no root.
    pub ast: Ast,
    /// The problems. Only an expression without issues can be type-checked.
    pub issues: Issues,
}

/// Parses an expression (`cel-go` `Parser.Parse`).
pub fn parse(source: &Source, options: &ParseOptions) -> Parsed {
    let mut issues = Issues::new();
    let builder = Builder::new(source);
    if source.len() > options.size_limit {
        let limit = Limit::Length {
            length: source.len(),
            limit: options.size_limit,
        };
        issues.report(IssueKind::Limit(limit), 1, Location::NONE);
        return Parsed {
            ast: builder.ast,
            issues,
        };
    }
    let mut tree = Tree::default();
    let start = match quick(source, options, &mut tree) {
        Some(start) => Ok(start),
        None => recovery::parse(source, options, &mut tree, &mut issues),
    };
    let Ok(start) = start else {
        return Parsed {
            ast: builder.ast,
            issues,
        };
    };
    let mut visitor = Visitor::new(&tree, options, builder, &mut issues);
    let root = visitor.visit_start(start);
    let mut ast = visitor.builder.ast;
    if let Ok(root) = root {
        ast.set_root(root);
    }
    Parsed { ast, issues }
}

/// The parse tree of an expression without syntax errors.
fn quick(source: &Source, options: &ParseOptions, tree: &mut Tree) -> Option<TreeIdx> {
    let mut lexer = Lexer::new(source, options.escaped_identifiers != EscapedIdentifiers::Unknown);
    loop {
        let Lexed::Token(token) = lexer.next() else { return None };
        let end = token.kind == Kind::Eof;
        tree.tokens.push(token);
        if end {
            return descent::parse(tree).ok();
        }
    }
}
