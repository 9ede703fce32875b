//! Tests that after every edit, the updated trees equal the trees from parsing the whole text.

use super::tests::{Random, random_text};
use super::{EditingTree, TolerantTree};
use crd_analyzer_fixtures::corpus;

/// Texts that exercise every part of the parser when they are edited.
const TEXTS: [&str; 8] = [
    "a:\n  b: 1\n  c:\n  - d: x\n    e: [1, {f: 2}, \"g\"]\n  - h\n  i: >-\n    one\n    two\n\n    three\n  j: 'it''s\n    two'\nk: text\n  goes on\nl:\n",
    "# head\napiVersion: v1\nkind: A\nmetadata:\n  name: x # why\n  labels: {a: b, c: \"d\"}\nspec:\n  list:\n  - 1\n  -   - 2\n      - 3\n  text: |+\n    x\n      y\n\n  more: |2-\n      z\n    w\nlast: 1\n",
    "a: &x\n  b: 1\nc: *x\nd: !!str 1\ne: &y !t [*x, *y]\n? f\n: g\n? [h]\n: - i\nj: &x 2\nk: *x\n",
    "---\na: 1\n---\n# nothing\n---\nb:\n- 2\n--- # next\nc: |\n  x\n...\nd\n",
    "{\"a\": {\"b\": [1, 2, {\"c\": \"d\"}], \"e\": null},\n \"f\": \"\u{1F600}\", \"g\": {\n \"h\": [\n  true\n ]}}\n",
    "a: 1\r\nb:\r\n  c: \"\u{1F600}\\u00e9\r\n    d\"\r\n  e: \u{e9}\r\n",
    "%TAG !e! tag:e,2000:\n---\na: !e!b c\nd: !e!f\n  g: 1\n",
    "a:\n\tb: 1\n  c\n   d: 2\n e: 3\n- f\ng: \"open\nh: 'open\ni: [1,\n  2\nj: {k\nl: m\n",
];

#[track_caller]
fn assert_fresh(edited: &EditingTree, before: &str, what: impl Fn() -> String) {
    let fresh = EditingTree::new(&**edited.text());
    let trees = |it: &EditingTree| it.documents().iter().map(|it| it.tree.clone()).collect::<Vec<_>>();
    let broken = |it: &EditingTree| {
        it.documents()
            .iter()
            .map(|it: &TolerantTree| it.is_broken)
            .collect::<Vec<_>>()
    };
    let is_same = edited.documents().len() == fresh.documents().len()
        && std::iter::zip(edited.documents(), fresh.documents())
            .all(|(a, b)| a.tree == b.tree && a.is_broken == b.is_broken);
    if !is_same {
        for (a, b) in std::iter::zip(trees(edited), trees(&fresh)) {
            if let Some(found) = super::agreement::difference(&b, &a) {
                eprintln!("fresh and edited: {found}");
            }
        }
        eprintln!("broken: {:?} and {:?}", broken(&fresh), broken(edited));
        panic!("{}\nof {before:?}\nto {:?}", what(), &**edited.text());
    }
}

/// Applies many edits to a text, both typical and random ones.
fn edit_randomly(random: &mut Random, text: &str, times: usize) {
    let mut tree = EditingTree::new(text);
    for _ in 0..times {
        let before = tree.text().clone();
        let start = random.below(before.len() + 2);
        let removed = match random.below(6) {
            0 | 1 => 0,
            2 => 1,
            3 => random.below(4),
            4 => random.below(20),
            _ => before[before.floor_char_boundary(start)..]
                .find('\n')
                .map_or(9, |it| it + 1),
        };
        let insert = match random.below(6) {
            0 => String::new(),
            1 => before[before.floor_char_boundary(random.below(before.len() + 1))..]
                .chars()
                .take(12)
                .collect(),
            2 => TEXTS[random.below(TEXTS.len())]
                .lines()
                .take(3)
                .collect::<Vec<_>>()
                .join("\n"),
            _ => {
                let pieces = random.below(3);
                random_text(random, pieces)
            }
        };
        let range = start..start + removed;
        tree.edit(range.clone(), &insert);
        assert_fresh(&tree, &before, || format!("{range:?} becomes {insert:?}"));
        if random.below(2) == 0 {
            // Undoes the edit, as a person might do.
            let start = before.floor_char_boundary(range.start);
            let removed = before.floor_char_boundary(range.end) - start;
            tree.edit(start..start + insert.len(), &before[start..start + removed]);
            assert_eq!(**tree.text(), *before);
            assert_fresh(&tree, &before, || {
                format!("{range:?} becomes {insert:?} and is taken back")
            });
        }
    }
}

fn rounds() -> usize {
    let wanted = std::env::var("CRD_ANALYZER_ROUNDS").ok().and_then(|it| it.parse().ok());
    wanted.unwrap_or(1)
}

#[test]
fn edited_texts_have_the_trees_of_new_ones() {
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    for _ in 0..200 * rounds() {
        for text in TEXTS {
            edit_randomly(&mut random, text, 20);
        }
    }
}

#[test]
fn edited_byte_order_marks_have_the_trees_of_new_ones() {
    let text = "\u{feff}a: 1\n\u{feff}b:\n  c: [1, \u{feff}]\n---\nd: 1\n\u{feff}e: x\n";
    for start in (0..=text.len()).filter(|it| text.is_char_boundary(*it)) {
        for removed in text[start..].char_indices().map(|it| it.0).take(4) {
            for insert in ["", "\u{feff}", "x", "\n"] {
                let mut tree = EditingTree::new(text);
                let range = start..start + removed;
                tree.edit(range.clone(), insert);
                assert_fresh(&tree, text, || format!("{range:?} becomes {insert:?}"));
                tree.edit(start..start + insert.len(), &text[range]);
                assert_fresh(&tree, text, || format!("{insert:?} at {start} is taken back"));
            }
        }
    }
}

#[test]
fn edited_random_texts_have_the_trees_of_new_ones() {
    let mut random = Random(0x5EED_0DDB_1A5E_5BAD);
    for _ in 0..2_000 * rounds() {
        let pieces = random.below(60);
        let text = random_text(&mut random, pieces);
        edit_randomly(&mut random, &text, 20);
    }
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn edited_files_of_the_corpus_have_the_trees_of_new_ones() {
    let found = corpus::files("");
    let mut random = Random(0x1A5E_5BAD_5EED_0DDB);
    let mut edited = 0;
    while edited < 100 * rounds() {
        let file = &found[random.below(found.len())];
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        if text.len() < 20_000 {
            edit_randomly(&mut random, &text, 20);
            edited += 1;
        }
    }
}
