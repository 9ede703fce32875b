//! Folding ranges: values, items and block scalars of more than one line, comments, and whole documents of a file.

use std::collections::BTreeMap;

use crd_analyzer_syntax::{
    lines::LineIndex,
    tree::{CollectionStyle, NodeId, NodeKind, Span, Tree},
};

use crate::manifest::is_manifest;

/// A range of lines that can be folded, so that only the first one is visible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FoldedLines {
    /// The line that stays visible, counted from 0.
    pub first: u32,
    /// The last line that is hidden.
    pub last: u32,
    /// Whether the lines are comments.
    pub is_comment: bool,
}

/// The folding ranges of the documents that are Kubernetes objects, sorted by first line. No two ranges start on the
/// same line. If there are more than `limit`, the longest ones are kept.
pub fn folds(trees: impl IntoIterator<Item = Tree>, lines: &LineIndex, limit: usize) -> Vec<FoldedLines> {
    let mut found = BTreeMap::new();
    for tree in trees {
        if is_manifest(&tree) {
            let mut folder = Folder {
                tree: &tree,
                lines,
                found: &mut found,
            };
            folder.document();
            folder.nodes();
            folder.comments();
        }
    }
    let mut folds: Vec<_> = found.into_values().collect();
    if folds.len() > limit {
        folds.sort_by_key(|it| std::cmp::Reverse(it.last - it.first));
        folds.truncate(limit);
        folds.sort_unstable();
    }
    folds
}

struct Folder<'a> {
    tree: &'a Tree,
    lines: &'a LineIndex,
    /// The ranges by first line.
    found: &'a mut BTreeMap<u32, FoldedLines>,
}

impl Folder<'_> {
    /// Adds a range from the line of one offset to the line of another. Does nothing if both are on one line, or if a longer range starts on the same
    /// line.
    fn add(&mut self, start: u32, end: u32, is_comment: bool) {
        let (first, last) = (self.lines.line_of(start), self.lines.line_of(end));
        let fold = FoldedLines {
            first,
            last,
            is_comment,
        };
        if first < last {
            let known = self.found.entry(first).or_insert(fold);
            if known.last < last {
                *known = fold;
            }
        }
    }

    /// Adds a range for the document, which starts below its separator.
    fn document(&mut self) {
        let Some(root) = self.tree.root() else { return };
        let start = self.tree.document_span().start;
        let line = self.lines.line_of(start);
        let before = self.lines.line_start(line.saturating_sub(1));
        if self.tree.text()[before as usize..start as usize].starts_with("---") {
            self.add(before, self.last_byte(root), false);
        }
    }

    fn nodes(&mut self) {
        for node in self.tree.nodes() {
            match self.tree.kind(node) {
                NodeKind::Mapping(_) => {
                    for entry in self.tree.entries(node) {
                        self.add(self.tree.full_span(entry.key).start, self.last_byte(entry.value), false);
                    }
                }
                NodeKind::Sequence(_) => {
                    for item in self.tree.items(node) {
                        self.add(self.tree.full_span(item).start, self.last_byte(item), false);
                    }
                }
                _ => {}
            }
        }
    }

    /// The last byte that is hidden if a node is folded. Its closing bracket stays visible.
    fn last_byte(&self, node: NodeId) -> u32 {
        let Span { start, end } = self.tree.span(node);
        let source = self.tree.source(node);
        match self.tree.kind(node) {
            NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow) => {
                let line = self.lines.line_start(self.lines.line_of(end));
                // Look only at the text before the bracket, because other brackets may follow. An unclosed collection may end with any character.
                let before = self.tree.text()[line as usize..end as usize].strip_suffix([']', '}']);
                let closes = before.is_some_and(|it| it.trim_end().is_empty());
                if closes { line.saturating_sub(1).max(start) } else { end }
            }
            _ => start + source.trim_end_matches(['\n', '\r', ' ']).len() as u32,
        }
    }

    /// Adds ranges for consecutive comment lines.
    fn comments(&mut self) {
        let mut run: Option<(Span, Span)> = None;
        for &comment in self.tree.comments() {
            let line = self.lines.line_of(comment.start);
            let start = self.lines.line_start(line);
            let is_alone = self.tree.text()[start as usize..comment.start as usize]
                .trim()
                .is_empty();
            run = match run {
                Some((first, last)) if is_alone && self.lines.line_of(last.start) + 1 == line => Some((first, comment)),
                _ => {
                    self.close(run);
                    is_alone.then_some((comment, comment))
                }
            };
        }
        self.close(run);
    }

    fn close(&mut self, run: Option<(Span, Span)>) {
        if let Some((first, last)) = run {
            self.add(first.start, last.start, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::{edit::EditingTree, incremental::IncrementalTrees};

    use super::*;

    const TEXT: &str = "\
# One
# and two.
apiVersion: example.com/v1 # not alone
kind: Widget
spec:
  list:
  - name: a
    more: b
  - one
  # Only one.
  flow: {
    a: 1,
    b: [2,
      3]
  }
  text: |
    a

    b

  words: one
    two

---
apiVersion: v1
kind: Other
# Three
# and four
";

    #[test]
    fn a_list_that_is_not_closed_may_end_with_any_character() {
        for text in ["a: [\n  b,\n  é", "a: {b: 1,\n  \u{fffd}", "a: [1,\n]é"] {
            for line in show(text, 100) {
                assert!(line.0 < line.1, "{text:?}: {line:?}");
            }
        }
    }

    /// The folding ranges of a text. Checks that both kinds of syntax trees give the same ranges.
    fn show(text: &str, limit: usize) -> Vec<(u32, u32, bool)> {
        let lines = LineIndex::new(text);
        let found = folds(IncrementalTrees::new(text).trees(), &lines, limit);
        // The trees of the error-tolerant parser must give the same ranges.
        let own = EditingTree::new(text);
        let own = folds(own.documents().iter().map(|it| it.tree.clone()), &lines, limit);
        assert_eq!(found, own);
        found.iter().map(|it| (it.first, it.last, it.is_comment)).collect()
    }

    #[test]
    fn values_items_texts_and_comments_fold() {
        let expected = [
            (0, 1, true),
            (4, 21, false),
            (5, 8, false),
            (6, 7, false),
            (10, 13, false),
            (12, 13, false),
            (15, 18, false),
            (20, 21, false),
            (23, 25, false),
            (26, 27, true),
        ];
        assert_eq!(show(TEXT, 5_000), expected);
        assert_eq!(show(TEXT, 3), [(4, 21, false), (5, 8, false), (10, 13, false)]);
    }

    #[test]
    fn broken_text_folds_as_far_as_it_goes() {
        let broken = TEXT.replace("  - one", "  - on: [e");
        let found = show(&broken, 5_000);
        assert!(
            found.contains(&(4, 21, false)) && found.contains(&(15, 18, false)),
            "{found:?}"
        );
        let half = TEXT.replace("  text: |", "  text");
        assert!(show(&half, 5_000).contains(&(5, 8, false)));
    }

    #[test]
    fn other_yaml_is_left_alone() {
        assert_eq!(show("a:\n  b:\n    c: 1\n", 100), []);
        assert_eq!(show("- a:\n    b\n", 100), []);
        assert_eq!(show("", 100), []);
    }
}
