//! The first part of a file that is not valid Go.

use std::ops::Range;

use tree_sitter::Node;

use crate::read::children;

/// A part of a file that is not valid Go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invalid {
    /// A struct tag without its last backquote, up to the end of its line.
    Tag(Range<usize>),
    /// Another part.
    Part(Range<usize>),
}

impl Invalid {
    /// The range of the part, in bytes of the file.
    pub const fn span(&self) -> &Range<usize> {
        match self {
            Self::Tag(span) | Self::Part(span) => span,
        }
    }
}

/// Declarations whose content is not parsed reliably: the grammar lacks the newest syntax of expressions. They declare no API types.
const UNSURE: [&str; 5] = [
    "function_declaration",
    "method_declaration",
    "var_declaration",
    "const_declaration",
    "block",
];

/// Whether the parser may have read the declarations of a file wrongly: a mistake is outside all of them.
pub(super) fn is_lost(root: Node<'_>) -> bool {
    let is_outside = |it: &Node<'_>| it.is_error() || it.is_missing();
    let is_lost = is_outside(&root) || root.has_error() && children(root).iter().any(is_outside);
    is_lost && first(root).is_some()
}

/// The first part below a node that is not valid Go. `None` if it is in a declaration whose content is not parsed reliably, because everything after it
/// may be read wrongly.
pub(super) fn first(root: Node<'_>) -> Option<Range<usize>> {
    let mut node = root;
    while node.has_error() && !(node.is_error() || node.is_missing()) {
        if UNSURE.contains(&node.kind()) {
            return None;
        }
        node = children(node)
            .into_iter()
            .find(|it| it.has_error() || it.is_missing())?;
    }
    (node.is_error() || node.is_missing()).then(|| node.byte_range())
}
