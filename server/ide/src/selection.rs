//! Expands a selection step by step: from the text at the cursor to scalars, entries, collections and the document.

use crd_analyzer_syntax::{
    paths,
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use crate::{cel::parts_around, manifest::is_manifest};

/// The maximum number of steps. The step after them selects the whole document.
const MAX_STEPS: usize = 200;

/// The ranges to which a selection expands, each larger than the previous one. Empty if the document is not a Kubernetes object.
pub fn spans(tree: &Tree, offset: u32) -> Vec<Span> {
    let mut grown = Grown::default();
    let offset = tree.text().floor_char_boundary(offset as usize) as u32;
    if !is_manifest(tree) {
        return grown.spans;
    }
    let next = tree.comments().partition_point(|it| it.end < offset);
    if let Some(&comment) = tree.comments().get(next).filter(|it| it.touches(offset)) {
        grown.add(comment);
    }
    if let Some(at) = paths::at(tree, offset) {
        if tree.full_span(at.node).touches(offset) {
            for span in in_scalar(tree, at.node, offset) {
                grown.add(span);
            }
        }
        for node in std::iter::once(at.node).chain(tree.ancestors(at.node)) {
            if grown.spans.len() < MAX_STEPS {
                grown.node(tree, node);
            }
        }
    }
    grown.add(tree.document_span());
    grown.spans
}

/// The ranges within a scalar, smallest first. Embedded languages add their own ranges.
fn in_scalar(tree: &Tree, node: NodeId, offset: u32) -> Vec<Span> {
    let span = tree.span(node);
    let NodeKind::Scalar(style) = tree.kind(node) else {
        return Vec::new();
    };
    let mut spans = vec![word(tree.text(), span, offset)];
    spans.extend(parts_around(tree, offset));
    if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) && span.end > span.start + 1 {
        spans.push(Span::new(span.start + 1, span.end - 1));
    }
    spans
}

/// The word at an offset, within a span.
fn word(text: &str, within: Span, offset: u32) -> Span {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let at = offset.clamp(within.start, within.end) as usize;
    let before = &text[within.start as usize..at];
    let after = &text[at..within.end as usize];
    let length = |text: &str, found: Option<usize>| found.unwrap_or(text.len());
    let start = before.rfind(|it| !is_part(it));
    let start = start.map_or(0, |it| it + before[it..].chars().next().map_or(1, char::len_utf8));
    let end = length(after, after.find(|it| !is_part(it)));
    Span::new(within.start + start as u32, (at + end) as u32)
}

#[derive(Default)]
struct Grown {
    spans: Vec<Span>,
}

impl Grown {
    /// Adds a range if it contains the previous one and is larger.
    fn add(&mut self, span: Span) {
        let is_more = self
            .spans
            .last()
            .is_none_or(|last| last.join(span) == span && *last != span);
        if is_more && !span.is_empty() {
            self.spans.push(span);
        }
    }

    /// Adds the range of a node without its anchor and tag, then with them, and then the range of its entry or item.
    fn node(&mut self, tree: &Tree, node: NodeId) {
        let Span { start, end } = tree.span(node);
        // The line break at the end of a block scalar is part of its value, but users would not select it.
        let end = start
            + tree.text()[start as usize..end as usize]
                .trim_end_matches(['\n', '\r'])
                .len() as u32;
        self.add(Span::new(start, end));
        let full = Span::new(tree.full_span(node).start, end);
        self.add(full);
        if let Some(entry) = tree.entry_of(node) {
            let key = tree.full_span(entry.key);
            let value = tree.full_span(entry.value);
            let end = if entry.value == node { end } else { value.end };
            let text = &tree.text()[key.start as usize..end as usize];
            self.add(Span::new(
                key.start,
                key.start + text.trim_end_matches(['\n', '\r']).len() as u32,
            ));
        } else if let Some(dash) = dash_before(tree, node) {
            self.add(Span::new(dash, end));
        }
    }
}

/// The offset of the dash of an item.
fn dash_before(tree: &Tree, item: NodeId) -> Option<u32> {
    let parent = tree.parent(item)?;
    if tree.kind(parent) != NodeKind::Sequence(CollectionStyle::Block) {
        return None;
    }
    let before = &tree.text()[..tree.full_span(item).start as usize];
    let before = before.trim_end_matches([' ', '\t', '\n', '\r']);
    before.ends_with('-').then(|| before.len() as u32 - 1)
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::{edit::EditingTree, incremental::IncrementalTrees};

    use super::*;

    const TEXT: &str = "\
kind: Widget # a comment
apiVersion: example.com/v1
spec: &all
  rules:
  - rule: 'self.one > 2'
    text: |
      two words
    tags: [a, \"b c\"]
";

    /// Checks the first ranges for a cursor at the end of `needle`.
    #[track_caller]
    fn check(text: &str, needle: &str, expected: &[&str]) {
        let offset = (text.find(needle).expect("the needle") + needle.len()) as u32;
        let tree = IncrementalTrees::new(text).tree_at(offset).expect("a document");
        let found = spans(&tree, offset);
        let own = EditingTree::new(text);
        assert_eq!(found, spans(&own.document_at(offset).expect("a document").tree, offset));
        let sources: Vec<_> = found.iter().map(|it| &text[it.range()]).collect();
        assert_eq!(&sources[..expected.len().min(sources.len())], expected, "{sources:?}");
        assert_eq!(sources.last(), Some(&text));
        for pair in found.windows(2) {
            assert!(pair[0].join(pair[1]) == pair[1] && pair[0] != pair[1]);
        }
    }

    #[test]
    fn a_selection_grows_step_by_step() {
        let rule = "rule: 'self.one > 2'";
        let item = "rule: 'self.one > 2'\n    text: |\n      two words\n    tags: [a, \"b c\"]";
        check(
            TEXT,
            "self.on",
            &[
                "one",
                "self.one > 2",
                "'self.one > 2'",
                rule,
                item,
                &format!("- {item}"),
            ],
        );
        check(TEXT, "ru", &["rules", &format!("rules:\n  - {item}")]);
        check(
            TEXT,
            "two wo",
            &["words", "|\n      two words", "text: |\n      two words", item],
        );
        check(
            TEXT,
            "\"b",
            &["b", "b c", "\"b c\"", "[a, \"b c\"]", "tags: [a, \"b c\"]"],
        );
        check(TEXT, "# a co", &["# a comment"]);
        let spec = format!("rules:\n  - {item}");
        check(
            TEXT,
            "&al",
            &[&spec, &format!("&all\n  {spec}"), &format!("spec: &all\n  {spec}")],
        );
    }

    #[test]
    fn broken_text_has_its_steps_too() {
        let text = TEXT.replace("tags: [a, ", "tags: [a ");
        check(
            &text,
            "self.on",
            &["one", "self.one > 2", "'self.one > 2'", "rule: 'self.one > 2'"],
        );
    }

    #[test]
    fn other_yaml_is_left_alone() {
        let tree = IncrementalTrees::new("a: b\n").tree_at(1).expect("a document");
        assert_eq!(spans(&tree, 1), []);
    }
}
