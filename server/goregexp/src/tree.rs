//! The parse tree of a pattern: nodes in an arena, referenced by index.

/// A code point with the same type as in Go (`rune`): signed, and surrogates are allowed.
pub(crate) type Rune = i32;

/// The largest code point.
pub(crate) const MAX_RUNE: Rune = 0x0010_FFFF;

/// The operator of a node (`regexp/syntax.Op`). The order is the same as in Go: of two character classes, the later one is more complex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Op {
    NoMatch,
    EmptyMatch,
    Literal,
    CharClass,
    AnyCharNotNl,
    AnyChar,
    BeginLine,
    EndLine,
    BeginText,
    EndText,
    WordBoundary,
    NoWordBoundary,
    Capture,
    Star,
    Plus,
    Quest,
    Repeat,
    Concat,
    Alternate,
    /// An open group; only on the parser's stack.
    LeftParen,
    /// The bar between alternatives; only on the parser's stack.
    VerticalBar,
}

impl Op {
    /// Whether this op exists only on the parser's stack, never in a finished tree.
    pub(crate) fn is_pseudo(self) -> bool {
        self >= Self::LeftParen
    }
}

/// Flags of the parser and its nodes (`regexp/syntax.Flags`; flags that `regexp.Compile` always sets are omitted).
pub(crate) mod flags {
    /// `(?i)`
    pub(crate) const FOLD_CASE: u8 = 1;
    /// `(?s)`
    pub(crate) const DOT_NL: u8 = 2;
    /// Set without `(?m)`.
    pub(crate) const ONE_LINE: u8 = 4;
    /// `(?U)`, or one of `*?`, `+?`, `??`, `{n,m}?`.
    pub(crate) const NON_GREEDY: u8 = 8;
}

/// A node's index in its [`Tree`].
pub(crate) type Id = u32;

/// One node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) flags: u8,
    pub(crate) subs: Vec<Id>,
    /// The runes of a literal, or pairs of inclusive bounds of a class.
    pub(crate) runes: Vec<Rune>,
    pub(crate) min: i32,
    /// The maximum; -1 for no limit.
    pub(crate) max: i32,
    /// The number of a capturing group; 0 for a non-capturing group.
    pub(crate) cap: u32,
}

impl Node {
    pub(crate) fn new(op: Op) -> Self {
        Self {
            op,
            flags: 0,
            subs: Vec::new(),
            runes: Vec::new(),
            min: 0,
            max: 0,
            cap: 0,
        }
    }

    /// Whether the node is equivalent to a class (`isCharClass`).
    pub(crate) fn is_char_class(&self) -> bool {
        match self.op {
            Op::Literal => self.runes.len() == 1,
            Op::CharClass | Op::AnyCharNotNl | Op::AnyChar => true,
            _ => false,
        }
    }
}

/// A parsed pattern.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
}

impl Tree {
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }
}
