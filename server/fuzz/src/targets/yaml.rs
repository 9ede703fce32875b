//! YAML and JSON: the strict parser, the editing parser, and the conversion to JSON, for any bytes.

use std::sync::Arc;

use crd_analyzer_syntax::{
    edit, read_json,
    reader::{Encoding, read_decoded},
    source::Source,
    split::{read_document, split},
    template::first_action,
    tree::{NodeId, NodeKind, Span, Tree},
};

use crate::{
    Target,
    dictionary::{JSON, YAML, owned},
    spans::assert_in,
};

pub(super) const TARGET: Target = Target {
    name: "yaml",
    run,
    seeds: |cases| cases.manifests().map(|it| it.as_bytes().to_vec()).collect(),
    words: || owned(&[YAML, JSON].concat()),
};

/// The maximum number of scalars to check individually.
const MOST_SCALARS: usize = 500;

fn run(bytes: &[u8]) {
    let source = Source::decode(bytes.to_vec());
    let text: Arc<str> = source.text.as_str().into();
    let whole = Span::new(0, text.len() as u32);
    match read_decoded(&text, whole, &source.defects, Encoding::Utf8) {
        Ok(tree) => {
            assert_sound(&tree, &text);
            if source.defects.is_empty() {
                assert_same_as_editing(&tree, &text, whole);
            }
            convert(&tree, &text);
        }
        Err(error) => assert_in(&text, error.span),
    }
    let reading = edit::read(text.clone(), whole);
    assert_sound(&reading.tree, &text);
    let cut = split(&text);
    for document in cut.documents {
        assert_in(&text, document.span);
        if let Some(action) = first_action(&text, document.span) {
            assert_in(&text, action);
        }
        match read_document(&text, document, &source.defects) {
            Ok(tree) => convert(&tree, &text),
            Err(error) => {
                assert_in(&text, error.span);
                if let Some(context) = error.context {
                    assert_in(&text, context.span);
                }
            }
        }
    }
    if let Some(error) = cut.error {
        assert_in(&text, error.span);
    }
}

/// Checks the tree: spans are in the text, children are in their parents and in order, keys have values, and offsets map into scalars and back.
fn assert_sound(tree: &Tree, text: &str) {
    for node in tree.nodes() {
        let span = tree.span(node);
        assert_in(tree.text(), span);
        if let NodeKind::Mapping(_) = tree.kind(node) {
            assert_eq!(tree.children(node).count() % 2, 0, "a key without a value at {span:?}");
        }
        let mut from = span.start;
        for child in tree.children(node) {
            let child = tree.span(child);
            let is_inside = from <= child.start && child.end <= span.end;
            assert!(is_inside, "{child:?} in {span:?} after {from} of {text:?}");
            from = child.end;
        }
    }
    for node in tree.nodes().filter(|it| tree.is_scalar(*it)).take(MOST_SCALARS) {
        let value = tree.scalar(node);
        let map = tree.source_map(node);
        assert_eq!(map.value_len(), value.len());
        for at in 0..=value.len().min(64) {
            let source = map.to_source(at);
            let span = tree.full_span(node);
            assert!(
                span.start <= source && source <= span.end,
                "{at} of {value:?} is at {source}"
            );
        }
    }
}

/// Checks that the editing parser builds the same tree as the strict parser, if the strict parser accepts the text.
fn assert_same_as_editing(verdict: &Tree, text: &Arc<str>, whole: Span) {
    if edit::known_difference(verdict).is_some() {
        return;
    }
    let reading = edit::read(text.clone(), whole);
    assert!(!reading.is_broken, "said to be broken: {text:?}");
    let editing = &reading.tree;
    assert_eq!(verdict.len(), editing.len(), "nodes of {text:?}");
    for (a, b) in verdict.nodes().zip(editing.nodes()) {
        assert_eq!(described(verdict, a), described(editing, b), "in {text:?}");
        assert_eq!(verdict.scalar(a), editing.scalar(b), "in {text:?}");
    }
    assert_eq!(verdict.comments(), editing.comments(), "comments of {text:?}");
}

fn described(tree: &Tree, node: NodeId) -> impl PartialEq + std::fmt::Debug {
    let properties = tree.properties(node).map(|it| (it.anchor, it.tag, it.tag_name.clone()));
    (
        tree.kind(node),
        tree.span(node),
        tree.parent(node),
        properties,
        tree.alias_target(node),
        tree.children(node).count(),
    )
}

/// Checks that a text converted to JSON and read again is the same.
fn convert(tree: &Tree, text: &str) {
    match read_json(tree) {
        Ok(json) => {
            for duplicate in json.duplicates() {
                assert_in(text, tree.span(duplicate.second));
                assert_in(text, tree.span(duplicate.first));
            }
            let written = json.write(tree);
            assert_eq!(json.written_len(tree, usize::MAX), Some(written.len()));
            if json.depth() < 100 {
                serde_json::from_str::<serde_json::Value>(&written).expect("the output is JSON");
            }
        }
        Err(error) => assert_in(tree.text(), error.span),
    }
}
