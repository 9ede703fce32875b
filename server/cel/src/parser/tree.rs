//! The parse tree between tokens and [`Ast`](crate::ast::Ast), with the node kinds and labels of `cel-go`'s grammar.
//!
//! Two parsers build this tree: a fast parser for valid expressions, which omits nodes that only wrap another node, and a parser that recovers from
//! errors like ANTLR, in whose trees any part may be missing.

use super::token::{Kind, Token};

/// The index of a token in [`Tree::tokens`], or (with [`INVENTED`]) of a token that error recovery inserted.
pub(super) type TokenIdx = u32;

/// Added to the index of a token that is not in the source text.
const INVENTED: TokenIdx = 1 << 31;
/// The index of a node in a [`Tree`].
pub(super) type TreeIdx = u32;

/// The grammar rule of a node. Nodes that only wrap another node are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Start,
    Expr,
    ConditionalOr,
    ConditionalAnd,
    Relation,
    Calc,
    /// A unary expression whose first token is already invalid.
    Unary,
    MemberExpr,
    LogicalNot,
    Negate,
    PrimaryExpr,
    Select,
    MemberCall,
    Index,
    /// A primary expression whose first token is already invalid.
    Primary,
    Ident,
    GlobalCall,
    Nested,
    CreateList,
    CreateStruct,
    CreateMessage,
    ConstantLiteral,
    ExprList,
    ListInit,
    FieldInitializerList,
    OptField,
    MapInitializerList,
    /// A name that is neither plain nor in backticks.
    EscapeIdent,
    SimpleIdentifier,
    EscapedIdentifier,
    OptExpr,
    /// A literal whose first token is already invalid.
    Literal,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    BoolTrue,
    BoolFalse,
    Null,
}

/// The role of a part within its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Label {
    /// The (first) operand, or the wrapped node.
    E,
    /// The second operand, or all operands after the first.
    E1,
    /// The third operand.
    E2,
    /// The operator.
    Op,
    /// The question mark.
    Opt,
    /// A name.
    Id,
    /// The opening parenthesis of a method call.
    Open,
    /// Arguments, elements or entries.
    Args,
    /// The dot before a name.
    LeadingDot,
    /// A key or field of an entry.
    Key,
    /// The colon of an entry.
    Col,
    /// The value of an entry.
    Value,
    /// The minus of a literal.
    Sign,
    /// The token of a literal.
    Tok,
}

/// A part of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Token(TokenIdx),
    Node(TreeIdx),
}

/// A node with its parts in source order.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) rule: Rule,
    /// The first token. In an empty node, it can come after the last token.
    pub(super) start: TokenIdx,
    /// The last token.
    pub(super) stop: TokenIdx,
    pub(super) parts: Vec<(Label, Part)>,
}

/// Tokens, and the nodes that contain them.
#[derive(Default, Debug)]
pub(super) struct Tree {
    pub(super) tokens: Vec<Token>,
    pub(super) nodes: Vec<Node>,
    invented: Vec<Token>,
}

impl Tree {
    pub(super) fn push(&mut self, node: Node) -> TreeIdx {
        self.nodes.push(node);
        self.nodes.len() as TreeIdx - 1
    }

    pub(super) fn node(&self, node: TreeIdx) -> &Node {
        &self.nodes[node as usize]
    }

    pub(super) fn token(&self, token: TokenIdx) -> &Token {
        match token.checked_sub(INVENTED) {
            Some(invented) => &self.invented[invented as usize],
            None => &self.tokens[token as usize],
        }
    }

    /// Adds a token that is not in the source text.
    pub(super) fn invent(&mut self, token: Token) -> TokenIdx {
        self.invented.push(token);
        INVENTED + self.invented.len() as TokenIdx - 1
    }

    /// The first part with this label that is a token.
    pub(super) fn token_of(&self, node: TreeIdx, label: Label) -> Option<TokenIdx> {
        self.tokens_of(node, label).next()
    }

    /// All parts with this label that are tokens.
    pub(super) fn tokens_of(&self, node: TreeIdx, label: Label) -> impl Iterator<Item = TokenIdx> + '_ {
        self.node(node).parts.iter().filter_map(move |part| match part {
            (l, Part::Token(token)) if *l == label => Some(*token),
            _ => None,
        })
    }

    /// The first part with this label that is a node.
    pub(super) fn node_of(&self, node: TreeIdx, label: Label) -> Option<TreeIdx> {
        self.nodes_of(node, label).next()
    }

    /// All parts with this label that are nodes.
    pub(super) fn nodes_of(&self, node: TreeIdx, label: Label) -> impl Iterator<Item = TreeIdx> + '_ {
        self.node(node).parts.iter().filter_map(move |part| match part {
            (l, Part::Node(node)) if *l == label => Some(*node),
            _ => None,
        })
    }

    /// The kind of a token.
    pub(super) fn kind(&self, token: TokenIdx) -> Kind {
        self.token(token).kind
    }
}
