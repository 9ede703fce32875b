//! Sequences of edits: an incremental parse must equal a fresh parse of the same text.

use std::sync::Arc;

use crd_analyzer_ide::file::{File, Memory as Scopes};
use crd_analyzer_syntax::{edit::EditingTree, incremental::IncrementalTrees, lines::LineIndex, tree::Tree};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Question, Wants, analyze_and_keep},
    judging::hazards::{Memory, Search},
};

use super::ide::answers;
use crate::{
    Target,
    dictionary::{YAML, definition},
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "edits",
    run,
    seeds: |cases| {
        let edits = "\0\x01\x10\0\x01\x05\x02\0\x20\x03\x02\0\0\x01\0\x03\x04a: \n";
        let manifests = cases.manifests().filter(|it| it.len() < 2048);
        manifests.map(|it| input(&[0], &[it, edits])).collect()
    },
    words: definition,
};

/// The maximum number of edits in an input. More edits would be slow.
const MOST_EDITS: usize = 24;

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let mut text = input.text().to_string();
    let mut trees = EditingTree::new(text.as_str());
    let mut whole = IncrementalTrees::new(text.as_str());
    let mut lines = LineIndex::new(&text);
    let (scopes, hazards) = (Arc::new(Scopes::default()), Memory::default());
    let mut file = File::new(text.as_str(), scopes);
    let judge = |text: &str, search: Search<'_>| {
        let question = Question {
            wants: Wants {
                hazards: search,
                ..Wants::default()
            },
            ..Question::new(VersionSet::one(version))
        };
        analyze_and_keep(text.as_bytes().to_vec(), &question)
    };
    drop(judge(&text, Search::All(&hazards)));
    for _ in 0..MOST_EDITS {
        if input.is_empty() {
            break;
        }
        let start = text.floor_char_boundary(input.place(text.len()));
        let removed = usize::from(input.number() % 40);
        let end = text.ceil_char_boundary((start + removed).min(text.len()));
        let insert = insertion(&mut input, &text);
        text.replace_range(start..end, &insert);
        trees.edit(start..end, &insert);
        file.edit(start..end, &insert);
        lines.edit(&text, start..end, insert.len());
        whole.update(text.as_str());
        assert_eq!(**trees.text(), *text);
        assert_same(&trees, &EditingTree::new(text.as_str()), &text);
        let fresh: Vec<Tree> = IncrementalTrees::new(text.as_str()).trees().collect();
        assert_eq!(whole.trees().collect::<Vec<_>>(), fresh, "of {text:?}");
        assert_eq!(lines, LineIndex::new(&text), "of {text:?}");
    }
    let fresh = File::new(text.as_str(), Arc::default());
    for at in [0, text.len() / 2, text.len()] {
        let at = text.floor_char_boundary(at) as u32;
        assert_eq!(
            answers(&file, at, version),
            answers(&fresh, at, version),
            "at {at} of {text:?}"
        );
    }
    // A search with known hazards, a postponed search and an immediate search must all give the same result.
    let (expected, _) = judge(&text, Search::All(&Memory::default()));
    let (mut later, mut kept) = judge(&text, Search::Remembered(&hazards));
    kept.search(&mut later, &hazards, None, None);
    assert_eq!(later, expected, "of {text:?}");
    assert_eq!(judge(&text, Search::All(&hazards)).0, expected, "of {text:?}");
}

/// The text that an edit inserts: nothing, a word, a part of the text, or text from the input.
fn insertion(input: &mut Input<'_>, text: &str) -> String {
    match input.below(4) {
        0 => String::new(),
        1 => YAML[input.below(YAML.len())].to_owned(),
        2 => {
            let from = text.floor_char_boundary(input.place(text.len()));
            text[from..].chars().take(input.below(60)).collect()
        }
        _ => {
            let length = input.below(32);
            let bytes: Vec<u8> = (0..length).map(|_| input.number()).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}

#[track_caller]
fn assert_same(edited: &EditingTree, fresh: &EditingTree, text: &str) {
    let count = fresh.documents().len();
    assert_eq!(edited.documents().len(), count, "documents of {text:?}");
    for (edited, fresh) in std::iter::zip(edited.documents(), fresh.documents()) {
        assert!(edited.tree == fresh.tree, "the tree of {text:?}");
        assert_eq!(edited.is_broken, fresh.is_broken, "of {text:?}");
    }
}
