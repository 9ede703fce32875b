//! The expression tree, its positions, and the problems found in it.
//!
//! An [`Ast`] is an arena: nodes refer to their children by [`NodeId`], so a tree of any depth can be dropped, copied and walked
//! without recursion. Every node also has the id that `cel-go` gives it ([`Expr::id`]). These ids follow the order of parsing and macro
//! expansion. `cel-go` uses them as keys for the positions, types and references of a checked expression.

mod issue;
mod issue_kind;
pub mod operators;
mod proto_text;
mod source;
mod syntax_error;
mod token_kind;

use std::sync::Arc;

pub use issue::{Issue, Issues};
pub use issue_kind::{
    ClauseProblem, FormatProblem, Incomplete, Internal, IssueKind, Limit, LiteralProblem, MacroProblem,
    OptionalSelection, Unsupported,
};
pub(crate) use proto_text::proto_text;
pub use source::{Location, Source, SourceInfo, Span};
pub use syntax_error::{Input, SyntaxError};
pub use token_kind::TokenKind;

/// The index of a node in its [`Ast`]. Indices are dense: they can index a `Vec` of [`Ast::len`] entries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The index into a `Vec` that has one entry per node.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant from the source text or from a macro expansion.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `-1`, `0x1F`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5e3`
    Double(f64),
    /// `'text'`, unescaped
    String(Arc<str>),
    /// `b'text'`, unescaped
    Bytes(Arc<[u8]>),
}

/// One node of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The id that `cel-go` gives the expression: from 1, unique in the source text. Nodes that a macro duplicates share an id.
    pub id: i64,
    /// The kind of the node.
    pub kind: ExprKind,
}

/// The kind of a node (`cel-go` `common/ast.Expr`).
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A placeholder for a syntax error or (in [`Ast::macro_call`]) for a nested macro call.
    Unspecified,
    /// A constant.
    Literal(Literal),
    /// A name; a leading dot is part of it.
    Ident(Arc<str>),
    /// `operand.field`, or the presence test that `has(operand.field)` represents.
    Select {
        /// The value that contains the field.
        operand: NodeId,
        /// The name of the field, without backticks.
        field: Arc<str>,
        /// Whether the selection is a presence test, `has(operand.field)`.
        test_only: bool,
    },
    /// A function, method or operator (see [`operators`]).
    Call {
        /// The name of the function; a leading dot is part of it.
        function: Arc<str>,
        /// The receiver of a method call.
        target: Option<NodeId>,
        /// The arguments, without the target.
        args: Vec<NodeId>,
    },
    /// `[a, ?b]`
    List {
        /// The elements.
        elements: Vec<NodeId>,
        /// The indices of the elements with a question mark, ascending.
        optional_indices: Vec<u32>,
    },
    /// `{k: v, ?k: v}`
    Map {
        /// The entries, as written.
        entries: Vec<MapEntry>,
    },
    /// `Type{field: v, ?field: v}`
    Struct {
        /// The name of the type; a leading dot is part of it.
        type_name: Arc<str>,
        /// The fields, as written.
        fields: Vec<StructField>,
    },
    /// A comprehension, which the macros `all`, `exists`, `map` and so on expand to.
    Comprehension(Box<Comprehension>),
}

/// One entry of a map literal.
#[derive(Clone, PartialEq, Debug)]
pub struct MapEntry {
    /// The id of the entry. Its position is the colon.
    pub id: i64,
    /// The key.
    pub key: NodeId,
    /// The value.
    pub value: NodeId,
    /// Whether the entry is optional: `?k: v`.
    pub optional: bool,
}

/// One field of a message literal.
#[derive(Clone, PartialEq, Debug)]
pub struct StructField {
    /// The id of the entry. Its position is the colon.
    pub id: i64,
    /// The name of the field.
    pub name: Arc<str>,
    /// The value.
    pub value: NodeId,
    /// Whether the field is optional: `?field: v`.
    pub optional: bool,
}

/// A loop over a list or map with an accumulator.
#[derive(Clone, PartialEq, Debug)]
pub struct Comprehension {
    /// The list or map.
    pub iter_range: NodeId,
    /// The variable for the element (list) or key (map); with two variables, for the index or key.
    pub iter_var: Arc<str>,
    /// The second variable, if any: for the element or value.
    pub iter_var2: Option<Arc<str>>,
    /// The name of the accumulator variable.
    pub accu_var: Arc<str>,
    /// The initial value of the accumulator.
    pub accu_init: NodeId,
    /// The condition for the next iteration.
    pub loop_condition: NodeId,
    /// The next value of the accumulator.
    pub loop_step: NodeId,
    /// The value of the comprehension.
    pub result: NodeId,
}

/// An expression tree with its positions and the macro calls as they were written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ast {
    nodes: Vec<Expr>,
    root: Option<NodeId>,
    /// The positions of the expressions.
    pub source_info: SourceInfo,
    macro_calls: Vec<(i64, NodeId)>,
}

impl Ast {
    /// Creates a tree without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn push(&mut self, id: i64, kind: ExprKind) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        self.nodes.push(Expr { id, kind });
        node
    }

    /// Makes `node` the root.
    pub fn set_root(&mut self, node: NodeId) {
        self.root = Some(node);
    }

    /// The root node. `None` if parsing stopped early (limits on size and depth).
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The number of nodes, including those of expanded macro calls.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the tree has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node, for replacing its kind.
    pub fn node_mut(&mut self, node: NodeId) -> &mut Expr {
        &mut self.nodes[node.index()]
    }

    /// All nodes with their indices. Children come before parents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Expr)> {
        self.nodes.iter().enumerate().map(|(i, e)| (NodeId(i as u32), e))
    }

    /// Records that the expression `id` was written as `call`.
    pub fn set_macro_call(&mut self, id: i64, call: NodeId) {
        match self.macro_calls.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(i) => self.macro_calls[i].1 = call,
            Err(i) => self.macro_calls.insert(i, (id, call)),
        }
    }

    /// The original macro call of an expansion: a [`ExprKind::Call`] with id 0. A macro call nested inside it is an
    /// [`ExprKind::Unspecified`] whose id can be looked up the same way.
    pub fn macro_call(&self, id: i64) -> Option<NodeId> {
        let i = self.macro_calls.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.macro_calls[i].1)
    }

    /// All macro calls, by the id of the expression that replaced them.
    pub fn macro_calls(&self) -> &[(i64, NodeId)] {
        &self.macro_calls
    }

    /// The direct children of a node, in source order (for a comprehension: range, start, condition, step, result).
    pub fn children(&self, node: NodeId) -> Vec<NodeId> {
        match &self[node].kind {
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => Vec::new(),
            ExprKind::Select { operand, .. } => vec![*operand],
            ExprKind::Call { target, args, .. } => target.iter().chain(args).copied().collect(),
            ExprKind::List { elements, .. } => elements.clone(),
            ExprKind::Map { entries } => entries.iter().flat_map(|e| [e.key, e.value]).collect(),
            ExprKind::Struct { fields, .. } => fields.iter().map(|f| f.value).collect(),
            ExprKind::Comprehension(c) => vec![c.iter_range, c.accu_init, c.loop_condition, c.loop_step, c.result],
        }
    }
}

impl std::ops::Index<NodeId> for Ast {
    type Output = Expr;

    fn index(&self, node: NodeId) -> &Expr {
        &self.nodes[node.index()]
    }
}
