//! The indentation style of a document, so that inserted text matches it.

use crd_analyzer_syntax::tree::{CollectionStyle, NodeId, NodeKind, Tree};

use super::column;

/// The indentation style of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The number of columns by which the values of a mapping are indented.
    pub indent: usize,
    /// The number of columns by which the dashes of a list are indented below their key.
    pub list_indent: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            indent: 2,
            list_indent: 0,
        }
    }
}

/// The maximum number of nodes to search. If the style is not found by then, the default applies.
const MAX_NODES: usize = 2_000;

impl Layout {
    /// The indentation of a document's first nested mapping and first list.
    pub fn of(tree: &Tree) -> Self {
        let mut found = Self::default();
        let (mut has_indent, mut has_list) = (false, false);
        for node in tree.nodes().take(MAX_NODES) {
            let by = |of: NodeId| {
                let parent = tree.parent(of)?;
                let is_mapping = tree.kind(parent) == NodeKind::Mapping(CollectionStyle::Block);
                let (outer, inner) = (column(tree, tree.span(parent).start), column(tree, tree.span(of).start));
                let indent = inner.checked_sub(outer)?;
                (is_mapping && indent <= 8).then_some(indent as usize)
            };
            match tree.kind(node) {
                NodeKind::Mapping(CollectionStyle::Block) if !has_indent => {
                    if let Some(indent) = by(node).filter(|it| *it > 0) {
                        found.indent = indent;
                        has_indent = true;
                    }
                }
                NodeKind::Sequence(CollectionStyle::Block) if !has_list => {
                    if let Some(indent) = by(node) {
                        found.list_indent = indent;
                        has_list = true;
                    }
                }
                _ => {}
            }
            if has_indent && has_list {
                break;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::edit::EditingTree;

    use super::*;

    #[track_caller]
    fn check(text: &str, indent: usize, list_indent: usize) {
        let trees = EditingTree::new(text);
        let found = Layout::of(&trees.documents()[0].tree);
        assert_eq!((found.indent, found.list_indent), (indent, list_indent), "of {text:?}");
    }

    #[test]
    fn the_first_nested_mapping_and_list_tell_the_layout() {
        check("a:\n    b:\n    - c\n", 4, 0);
        check("a:\n  - b:\n        c: 1\n", 4, 2);
        // A child left of its parent is ignored.
        check("  a:\n    b\n: - c\n", 2, 0);
    }
}
