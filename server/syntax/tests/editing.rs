//! Tests that the trees of large files after many edits equal the trees from parsing the whole files. (The unit tests of the library edit small
//! texts, with segments of a few bytes.)

#![allow(clippy::disallowed_methods, reason = "tests read a corpus")]

use std::fmt::Write as _;

use crd_analyzer_fixtures::corpus;
use crd_analyzer_syntax::{edit::EditingTree, lines::LineIndex};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The pieces of text that edits insert.
const PIECES: [&str; 30] = [
    "a",
    "b",
    "x",
    " ",
    "  ",
    "\n",
    "\n  ",
    ":",
    ": ",
    "- ",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "#",
    " # c",
    "|",
    ">-\n",
    "&a ",
    "*a",
    "!!str ",
    "\t",
    "\r\n",
    "\u{1F600}",
    "\u{2028}",
    "\n---\n",
    "key: value\n",
];

fn edit(name: &str, text: &str, seed: u64, times: usize) {
    let mut random = Random(seed);
    let mut tree = EditingTree::new(text);
    let mut lines = LineIndex::new(text);
    for _ in 0..times {
        let before = tree.text().clone();
        let boundary = |at: usize| before.floor_char_boundary(at);
        let start = boundary(random.below(before.len() + 1));
        let removed = match random.below(8) {
            0 => random.below(20_000),
            1 => random.below(200),
            2 | 3 => 1,
            _ => 0,
        };
        let end = boundary((start + removed).min(before.len())).max(start);
        let insert = match random.below(8) {
            0 => {
                let from = boundary(random.below(before.len() + 1));
                before[from..].chars().take(random.below(20_000)).collect()
            }
            1 => String::new(),
            _ => (0..=random.below(2))
                .map(|_| PIECES[random.below(PIECES.len())])
                .collect(),
        };
        let mut check = |start: usize, end: usize, insert: &str| {
            tree.edit(start..end, insert);
            lines.edit(tree.text(), start..end, insert.len());
            let fresh = EditingTree::new(&**tree.text());
            let is_same = tree.documents().len() == fresh.documents().len()
                && std::iter::zip(tree.documents(), fresh.documents())
                    .all(|(a, b)| a.tree == b.tree && a.is_broken == b.is_broken);
            assert!(is_same, "{name}: {start}..{end} becomes {insert:?}");
            assert_eq!(
                lines,
                LineIndex::new(tree.text()),
                "{name}: {start}..{end} becomes {insert:?}"
            );
        };
        check(start, end, &insert);
        if random.below(4) > 0 {
            check(start, start + insert.len(), &before[start..end]);
        }
    }
}

/// A long text with every construct that occurs in long files, many times.
fn long_text() -> String {
    let mut text = String::from("# head\na:\n");
    for number in 0..600 {
        let written = match number % 7 {
            0 => write!(
                text,
                "  k{number}:\n    description: |-\n      one\n      two: three\n\n    type: object # c\n"
            ),
            1 => write!(text, "  k{number}: {{a: [1, 2, \"x\"], b: 'it''s\n    two'}}\n"),
            2 => write!(text, "  k{number}:\n  - a\n  - b: 1\n    c: text that\n      goes on\n"),
            3 => write!(text, "  \"k{number}\": &k{number} !!str x\n  r{number}: *k{number}\n"),
            4 => write!(text, "  k{number}:\n    l:\n      m:\n        n: \u{e9}\u{1F600}\r\n"),
            5 => write!(text, "  k{number}: >\n    folded\n    text\n  ? x{number}\n  : y\n"),
            _ => writeln!(text, "  k{number}: value"),
        };
        written.expect("a string takes text");
        if number % 200 == 199 {
            text.push_str("---\nb:\n");
        }
    }
    text
}

#[test]
fn long_texts() {
    for seed in 1..4 {
        edit("a text", &long_text(), seed * 0x9E37_79B9, 100);
    }
    let json = format!(
        "{{\"a\": [{}1]}}",
        "{\"b\": {\"c\": [1, \"d\"]}, \"e\": null}, ".repeat(2_000)
    );
    edit("a line of JSON", &json, 0x5EED, 60);
    edit("deep brackets", &"[".repeat(20_000), 0x5EED, 10);
    let stairs: Vec<_> = (0..300).map(|it| format!("{}a:", " ".repeat(it))).collect();
    let staircase = stairs.join("\n");
    edit("a staircase", &staircase, 0x5EED, 30);
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn large_files_of_the_corpus() {
    let mut files = corpus::files("crds");
    files.sort_by_key(|it| std::fs::metadata(it).map_or(0, |it| it.len()));
    let largest = files.pop().expect("there are files");
    let mut chosen: Vec<_> = files.into_iter().rev().step_by(60).collect();
    chosen.push(largest);
    for (number, file) in chosen.iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a text");
        // The number of edits depends on the length, so that every file gets the same share of the time.
        let times = (3_000_000 / text.len()).clamp(5, 200);
        edit(&file.display().to_string(), &text, 0x2026 + number as u64, times);
    }
}
