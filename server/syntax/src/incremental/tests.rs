//! Tests that tree-sitter's trees equal the verdict parser's trees, and that incremental updates give the same trees as parsing the whole text.

use std::fmt::Write as _;
use std::sync::Arc;

use crd_analyzer_fixtures::corpus;

use super::{IncrementalTrees, Parsed, convert, guard, parse};
use crate::edit::tests::{Random, random_text};
use crate::edit::{agreement::difference, known_difference};
use crate::split::split;
use crate::tree::{NodeKind, ScalarStyle, Span, Tree};

/// Converts tree-sitter's tree of a document to our tree.
fn read(text: &Arc<str>, span: Span) -> Option<Tree> {
    let parsed = Parsed::new(text, span);
    convert::convert(parsed.tree.as_ref()?, text, span)
}

/// The known reason why tree-sitter-yaml may reject a text that go-yaml accepts.
fn known_rejection(text: &str, verdict: &Tree) -> Option<&'static str> {
    if !guard::allows(&text[verdict.document_span().range()]) {
        return Some("kept from it");
    }
    let line = |at: usize| text[..at].rfind('\n').map_or(0, |it| it + 1);
    let column = |at: u32| at as usize - line(at as usize);
    let is_shallow = verdict.nodes().any(|node| {
        let quoted = NodeKind::Scalar(ScalarStyle::SingleQuoted) == verdict.kind(node)
            || NodeKind::Scalar(ScalarStyle::DoubleQuoted) == verdict.kind(node);
        let indent = verdict.parent(node).map_or(0, |it| column(verdict.span(it).start) + 1);
        let mut lines = verdict.source(node).lines().skip(1).filter(|it| !it.trim().is_empty());
        quoted && lines.any(|it| it.len() - it.trim_start_matches(' ').len() < indent)
    });
    is_shallow.then_some("a line of a quoted scalar is indented less than its parent")
}

#[derive(Default, Debug)]
struct Count {
    agree: usize,
    not_by_tree_sitter: usize,
    not_by_go_yaml: usize,
}

impl Count {
    /// Parses a document with both parsers. If `is_real` is set, both have to accept the document, except for known reasons.
    fn add(&mut self, name: &str, text: &Arc<str>, span: Span, is_real: bool) {
        let shown = || text[span.range()].chars().take(300).collect::<String>();
        match (crate::read(text, span), read(text, span)) {
            (Ok(verdict), Some(tree)) => {
                self.agree += 1;
                if known_difference(&verdict).is_none()
                    && let Some(difference) = difference(&verdict, &tree)
                {
                    panic!("{name}: {difference}\n{:?}", shown());
                }
            }
            (Ok(verdict), None) => {
                self.not_by_tree_sitter += 1;
                assert!(
                    !is_real || known_rejection(text, &verdict).is_some(),
                    "{name}: {:?}",
                    shown()
                );
            }
            (Err(_), _) => self.not_by_go_yaml += 1,
        }
    }
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn tree_sitter_agrees_with_the_verdict_over_the_corpus() {
    let found = corpus::files("");
    let mut count = Count::default();
    for file in found {
        if let Ok(text) = std::fs::read_to_string(&file) {
            let text: Arc<str> = text.into();
            for document in split(&text).documents {
                count.add(&file.display().to_string(), &text, document.span, true);
            }
        }
    }
    assert!(count.agree > 2_700, "{count:?}");
}

#[test]
fn tree_sitter_agrees_with_the_verdict_over_random_text() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut count = Count::default();
    for _ in 0..30_000 {
        let pieces = random.below(14);
        let text: Arc<str> = random_text(&mut random, pieces).into();
        count.add("random", &text, Span::new(0, text.len() as u32), false);
    }
    assert!(count.agree > 4_000, "{count:?}");
}

/// Asserts that both objects have the same trees for the same text.
#[track_caller]
fn assert_same(updated: &IncrementalTrees, fresh: &IncrementalTrees) {
    let source = |it: &IncrementalTrees| {
        it.documents
            .iter()
            .map(|it| (it.span, it.is_current))
            .collect::<Vec<_>>()
    };
    assert_eq!(source(updated), source(fresh), "{:?}", fresh.text());
    for (updated, fresh) in updated.trees().zip(fresh.trees()) {
        assert_eq!(difference(&updated, &fresh), None, "{:?}", fresh.text());
    }
}

/// Applies many random edits to a text, and checks that the updated trees always equal the trees from parsing the whole text.
fn edit_randomly(random: &mut Random, text: &str, times: usize) {
    let mut trees = IncrementalTrees::new(text);
    for _ in 0..times {
        let text = trees.text().clone();
        let place = |at: usize| text.floor_char_boundary(at);
        let start = place(random.below(text.len() + 1));
        let end = place((start + random.below(12) * random.below(2)).min(text.len())).max(start);
        let mut pieces = random.below(3);
        if random.below(3) == 0 {
            pieces = 0;
        }
        let insert = random_text(random, pieces);
        trees.update([&text[..start], &insert, &text[end..]].concat());
        assert_same(&trees, &IncrementalTrees::new(trees.text().clone()));
        if random.below(2) == 0 {
            // Undoes the edit, as a person might do.
            trees.update(text.clone());
            assert_same(&trees, &IncrementalTrees::new(text));
        }
    }
}

#[test]
fn random_edits_leave_the_tree_of_the_text() {
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    for _ in 0..400 {
        let pieces = random.below(30);
        let text = random_text(&mut random, pieces);
        edit_randomly(&mut random, &text, 12);
    }
    let definition: String = (0..40).fold("a: &a\n- b: 'c'\n---\n".to_owned(), |mut text, it| {
        let _ = write!(text, "k{it}:\n  x: |\n    text\n  y: [1, {{z: \"2\"}}]\n  # said\n");
        text
    });
    for _ in 0..20 {
        edit_randomly(&mut random, &definition, 20);
    }
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn random_edits_of_the_corpus_leave_the_tree_of_the_text() {
    let found = corpus::files("crds");
    let mut random = Random(0x5EED_0F0A_11AA_77EE);
    let mut tried = 0;
    while tried < 40 {
        let file = &found[random.below(found.len())];
        if let Ok(text) = std::fs::read_to_string(file)
            && text.len() < 20_000
        {
            edit_randomly(&mut random, &text, 6);
            tried += 1;
        }
    }
}

#[test]
fn a_document_keeps_its_tree_while_another_changes() {
    let mut trees = IncrementalTrees::new("a: 1\n---\nb: 2\n---\nc: 3\n");
    trees.update("a: 1\n---\nb: 2\n---\nd: [\n---\nc: 3\n");
    assert_same(&trees, &IncrementalTrees::new(trees.text().clone()));
    assert_eq!(
        trees.documents.iter().map(|it| it.is_current).collect::<Vec<_>>(),
        [true, true, false, true]
    );
    // The broken document keeps its last tree until it is fixed.
    trees.update("a: 1\n---\nb: 2\n---\nd: []\n---\nc: 3\n");
    assert!(trees.documents.iter().all(|it| it.is_current));
    trees.update("a: 1\n---\nb: 2\n---\nd: [}\n---\nc: 3\n");
    assert!(!trees.documents[2].is_current && trees.documents[2].tree.is_some());
    assert_eq!(
        trees.tree_at(6).map(|it| it.source(it.root().unwrap()).to_owned()),
        None
    );
    assert_eq!(
        trees
            .tree_at(9)
            .map(|it| it.source(it.root().unwrap()).to_owned())
            .as_deref(),
        Some("b: 2")
    );
}

/// Texts with very many errors or very deep nesting. They must not cause an out-of-bounds write, an abort or a hang.
#[test]
fn hostile_text_is_left_to_the_own_reader() {
    let broken = [
        "}\n",
        "| | |\n",
        "'\n  - x\n",
        "? ? ? |\n",
        "- a: b: c\n",
        "\t- |\n",
        "k: - - - ?\n",
        "\"\\q\"\n   - ? |\n",
        "&a &a - *\n",
    ];
    for piece in broken {
        for prefix in ["", "a:\n  b:\n   - c\n", "x: [", "x: |\n"] {
            let text = format!("{prefix}{}", piece.repeat(4_000));
            let trees = IncrementalTrees::new(text.as_str());
            assert!(trees.trees().all(|it| it.root().is_some()), "{piece:?}");
        }
    }
    let mut random = Random(0xBAD_5EED);
    for _ in 0..60 {
        let text: String = (0..random.below(8_000))
            .map(|_| broken[random.below(broken.len())].trim_end())
            .collect();
        assert!(guard::allows(&text) || text.len() > 30_000);
        assert!(
            parse::parse(&text, None).is_none() || text.len() < 20,
            "{}",
            &text[..text.len().min(90)]
        );
    }
    for deep in [
        "[".repeat(30_000),
        format!("{}{}", "[".repeat(15_000), "]".repeat(15_000)),
        "{a: ".repeat(7_000),
        "- ".repeat(15_000),
    ] {
        assert_eq!(IncrementalTrees::new(deep).trees().count(), 1);
    }
}
