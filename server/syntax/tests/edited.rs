//! Tests that the updated tree of a text after many edits equals the tree from parsing the whole text.
//!
//! `CRD_ANALYZER_EDITS=100..1000` runs these seeds instead of the few seeds of a normal test run.

#![allow(clippy::disallowed_methods, reason = "tests read a corpus")]

use std::{ops::Range, sync::Arc};

use crd_analyzer_fixtures::{
    corpus, own,
    random::{Random, seeds},
};
use crd_analyzer_syntax::{
    edited::read_edited,
    json::{JsonDoc, KeptJson, read_json},
    split::{Document, read_document, split},
    tree::Tree,
};

/// The seeds of a normal test run.
const SEEDS: Range<u64> = 0..40;

/// The number of parses, and the number of parses that did not need the whole text.
#[derive(Default)]
struct Count {
    read: usize,
    edited: usize,
    json: usize,
}

fn is_same(left: &JsonDoc<'_>, right: &JsonDoc<'_>) -> bool {
    left.root() == right.root() && left.depth() == right.depth() && left.duplicates() == right.duplicates()
}

/// Applies many edits to a text. After each edit that leaves the text valid, the updated tree must equal the tree from parsing the whole text.
fn play(mut text: String, random: &mut Random, edits: usize, count: &mut Count) {
    let mut kept: Vec<(Document, Tree)> = Vec::new();
    for number in 0..edits {
        let before = text.clone();
        let edit = random.edit(&text);
        edit.apply(&mut text);
        let shared: Arc<str> = text.as_str().into();
        let mut trees = Vec::new();
        let mut is_readable = true;
        for document in split(&shared).documents {
            let expected = read_document(&shared, document, &[]);
            if let Some((before, tree)) = kept.iter().find(|it| it.0.index == document.index) {
                let mut tree = tree.clone();
                count.read += usize::from(expected.is_ok());
                let json = KeptJson::read(Arc::new(tree.clone()));
                if let Some(edited) = read_edited(&mut tree, *before, &shared, document) {
                    count.edited += 1;
                    let same = expected.as_ref() == Ok(&tree);
                    assert!(
                        same,
                        "edit {number}, {edit:?}: {tree:?}\ninstead of {expected:?}\nof {text:?}"
                    );
                    if let Ok(mut json) = json
                        && json.follow(&tree, edited)
                    {
                        count.json += 1;
                        let expected = read_json(&tree);
                        let same = expected.as_ref().is_ok_and(|it| is_same(json.get(), it));
                        assert!(
                            same,
                            "edit {number}, {edit:?}: {json:?}\ninstead of {expected:?}\nof {text:?}"
                        );
                    }
                }
            }
            match expected {
                Ok(tree) => trees.push((document, tree)),
                Err(_) => is_readable = false,
            }
        }
        if is_readable {
            kept = trees;
        } else {
            text = before;
        }
    }
}

#[test]
fn edited_json_has_the_trees_of_new_json() {
    let mut count = Count::default();
    for seed in seeds("CRD_ANALYZER_EDITS", SEEDS) {
        let mut random = Random::new(seed);
        for text in own::side_by_side(&mut random) {
            let shared: Arc<str> = text.into();
            for document in split(&shared).documents {
                let tree = read_document(&shared, document, &[]).expect("YAML");
                let json = read_json(&tree).expect("JSON");
                let json = json.root().expect("a value").to_value().to_string();
                play(json, &mut random, 30, &mut count);
            }
        }
    }
    // Most of these edits are about YAML.
    assert!(count.edited > 100, "{} of {}", count.edited, count.read);
    assert!(count.json > 50, "{} of {}", count.json, count.edited);
}

#[test]
fn edited_manifests_have_the_trees_of_new_ones() {
    let mut count = Count::default();
    for seed in seeds("CRD_ANALYZER_EDITS", SEEDS) {
        let mut random = Random::new(seed);
        for text in own::side_by_side(&mut random) {
            play(text, &mut random, 30, &mut count);
        }
    }
    // In small files, one entry is often most of the file.
    assert!(count.edited * 4 > count.read, "{} of {}", count.edited, count.read);
    assert!(count.json > 50, "{}", count.json);
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn edited_files_of_the_corpus_have_the_trees_of_new_ones() {
    let found = corpus::files("");
    let mut count = Count::default();
    for seed in seeds("CRD_ANALYZER_EDITS", 0..300) {
        let mut random = Random::new(seed);
        let file = &found[random.below(found.len())];
        match std::fs::read_to_string(file) {
            Ok(text) if text.len() < 200_000 => play(text, &mut random, 30, &mut count),
            _ => {}
        }
    }
    assert!(count.edited * 4 > count.read, "{} of {}", count.edited, count.read);
}
