//! Tests that the editing parser and the verdict parser build the same tree for every text that the verdict parser accepts, in the corpus and in
//! random text.

use std::sync::Arc;

use crd_analyzer_fixtures::corpus;

use super::known_difference;
use super::tests::{Random, random_text};
use crate::paths::{self, Side, Step};
use crate::tree::{CollectionStyle, NodeId, NodeKind, Span, Tree};

/// Describes the first difference between two trees.
pub(crate) fn difference(verdict: &Tree, editing: &Tree) -> Option<String> {
    let describe = |tree: &Tree, node: NodeId| {
        let properties = tree.properties(node).map(|it| (it.anchor, it.tag, it.tag_name.clone()));
        let parent = tree.parent(node);
        (
            tree.kind(node),
            tree.span(node),
            parent,
            properties,
            tree.alias_target(node),
        )
    };
    for (a, b) in verdict.nodes().zip(editing.nodes()) {
        if describe(verdict, a) != describe(editing, b) {
            return Some(format!("{:?}\n{:?}", describe(verdict, a), describe(editing, b)));
        }
        if verdict.scalar(a) != editing.scalar(b) {
            return Some(format!(
                "{:?}: {:?} and {:?}",
                verdict.span(a),
                verdict.scalar(a),
                editing.scalar(b)
            ));
        }
        if matches!(verdict.kind(a), NodeKind::Mapping(_) | NodeKind::Sequence(_))
            && verdict.children(a).count() != editing.children(b).count()
        {
            return Some(format!("{:?} has other children", verdict.span(a)));
        }
    }
    (verdict.len() != editing.len())
        .then(|| format!("{} and {} nodes", verdict.len(), editing.len()))
        .or_else(|| {
            (verdict.comments() != editing.comments())
                .then(|| format!("{:?} and {:?}", verdict.comments(), editing.comments()))
        })
}

/// Whether the verdict parser accepts the text. Panics if it accepts the text and the editing parser builds a different tree.
fn agrees(name: &str, text: &str) -> bool {
    let text: Arc<str> = text.into();
    let span = Span::new(0, text.len() as u32);
    let reading = super::read(&text, span);
    let Ok(verdict) = crate::read(&text, span) else {
        return false;
    };
    if let Some(name) = known_difference(&verdict) {
        assert!(!name.is_empty());
        return true;
    }
    if let Some(difference) = difference(&verdict, &reading.tree) {
        panic!("{name}: {difference}\n{:?}", text.chars().take(300).collect::<String>());
    }
    assert!(
        !reading.is_broken,
        "{name} is reported as broken: {:?}",
        text.chars().take(300).collect::<String>()
    );
    true
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn both_readers_agree_over_the_corpus() {
    let mut accepted = 0;
    for file in corpus::files("") {
        if let Ok(text) = std::fs::read_to_string(&file) {
            accepted += usize::from(agrees(&file.display().to_string(), &text));
        }
    }
    assert!(accepted > 2_900, "{accepted}");
}

#[test]
fn both_readers_agree_over_other_breaks_and_what_stands_right_behind_an_anchor() {
    // The other characters that end a line in go-yaml, each before a text of two lines.
    assert!(agrees("a break", "- {\u{2028}\"a\nb: \"}"));
    for text in [
        "&a: b\n",
        "a: 1\n&b: ''\nc: 2\n",
        "[&a, &b]",
        "{&a: b}",
        "- &a?b\n",
        "&a:b: c\n",
    ] {
        assert!(agrees("an anchor", text), "{text:?} is refused");
    }
}

#[test]
fn both_readers_agree_over_keys_that_are_collections_and_dashes_in_plain_scalars() {
    for text in [
        "c: [{a: 1}: b]",
        "c: [[a] : b, c]",
        "c: [{a: 1}:\n  {b: 1}]",
        "c: [&x [a]: , !y {}:]",
        "a: [b\n- ]",
        "a: [b: c\n- ]\nd: 1",
        "a: [b\n]#c: x",
        "- [a\nb:]#c: \"",
        "---\n!%04e0",
        "%TAG !a! x%20y\n---\n!a!b%41 c\n",
        "!<a%2Cb> c",
        "? [b: ---\n- ]\r\n---\n%\u{2028} # x",
    ] {
        assert!(agrees("a flow sequence", text), "{text:?} is refused");
    }
}

#[test]
fn both_readers_agree_over_byte_order_marks() {
    let (mut accepted, mut kept) = (0, 0);
    // The meaning of a byte order mark depends on its distance from the start of go-yaml's input buffer.
    for padding in (0..1_100).chain([4_095, 4_096]) {
        for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
            let text = format!("a: {}\n{marks}b: 1\n{marks}c: {marks}\n", "x".repeat(padding));
            if agrees("marks", &text) {
                let tree = super::read(text.as_str(), Span::new(0, text.len() as u32)).tree;
                kept += usize::from(tree.get(tree.root().expect("a root"), "b").is_none());
                accepted += 1;
            }
        }
    }
    assert!(accepted > 2_000 && kept > 1_000, "{accepted}, {kept}");
}

#[test]
fn both_readers_agree_over_random_text() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut accepted = 0;
    for _ in 0..60_000 {
        let pieces = random.below(14);
        let text = random_text(&mut random, pieces);
        accepted += usize::from(agrees("random", &text));
    }
    assert!(accepted > 10_000, "{accepted}");
}

/// While a key is half written, all other nodes keep their position. The half key is found at the position of the whole key: as a key or, if it is
/// the only content of its mapping, as the scalar that YAML reads in this case.
#[test]
#[ignore = "needs a corpus of real manifests"]
fn half_written_keys_keep_their_place() {
    let found = corpus::files("crds");
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut tried = 0;
    while tried < 300 {
        let file = &found[random.below(found.len())];
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let text: Arc<str> = text.into();
        let Ok(tree) = crate::read(&text, Span::new(0, text.len() as u32)) else {
            continue;
        };
        let node = NodeId(random.below(tree.len().max(1)) as u32);
        let Some(entry) = tree.entry_of(node).filter(|_| text.len() < 200_000) else {
            continue;
        };
        let in_block = tree.parent(node).map(|it| tree.kind(it)) == Some(NodeKind::Mapping(CollectionStyle::Block));
        let key = tree.span(entry.key).range();
        if !in_block || key.len() < 3 || !text[key.clone()].chars().all(char::is_alphanumeric) {
            continue;
        }
        tried += 1;
        let middle = key.start + key.len() / 2;
        let line_end = text[middle..].find('\n').map_or(text.len(), |it| middle + it);
        let half: Arc<str> = [&text[..middle], &text[line_end..]].concat().into();
        let reading = super::read(&half, Span::new(0, half.len() as u32));
        let at = paths::at(&reading.tree, middle as u32).expect("in the root");
        let mut expected = paths::path_of(&tree, entry.key);
        expected.pop();
        if at.side == Side::Key {
            expected.push(Step::key(&half[key.start..middle]));
        }
        let place = format!("{}:{middle}", file.display());
        assert_eq!(paths::display(&at.path), paths::display(&expected), "{place}");
        assert_eq!(reading.tree.source(at.node), &half[key.start..middle], "{place}");
    }
}

#[test]
fn both_readers_agree_over_what_random_pieces_make() {
    const PIECES: &[&str] = &[
        "a", "b:", "\u{2028}", "\t", " ", "  ", "\n", "\r\n", "\u{85}", "- ", "[", "]", "{", "}", ",", "\"", "'",
        "|\n", ">-\n", "#c", ": ", "? ", "---\n", "&a ", "*a", "\u{feff}", "!", "!a", "%41", "<",
    ];
    let mut random = Random(31_337);
    let mut accepted = 0;
    for _ in 0..30_000 {
        let text: String = (0..2 + random.below(16))
            .map(|_| PIECES[random.below(PIECES.len())])
            .collect();
        accepted += usize::from(agrees("pieces", &text));
    }
    assert!(accepted > 5_000, "{accepted}");
}
