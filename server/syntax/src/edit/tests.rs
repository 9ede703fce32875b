//! Tests of the tolerant parser with complete, half-written and hostile text.

use std::sync::Arc;

use super::read;
use crate::tree::{NodeId, NodeKind, Span, Tree};

/// The tree on one line: `{key: value}`, `[item]`, scalars as their value in quotes, `*name`, and `!` for an error with its children or text.
fn show(tree: &Tree, node: NodeId) -> String {
    let list = |nodes: Vec<NodeId>| {
        nodes
            .into_iter()
            .map(|it| show(tree, it))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match tree.kind(node) {
        NodeKind::Mapping(_) => {
            let entries = tree
                .entries(node)
                .map(|it| format!("{}: {}", show(tree, it.key), show(tree, it.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        NodeKind::Sequence(_) => format!("[{}]", list(tree.items(node).collect())),
        NodeKind::Scalar(_) if tree.is_absent(node) => "~".to_owned(),
        NodeKind::Scalar(_) => format!("{:?}", tree.scalar(node)),
        NodeKind::Alias => tree.source(node).to_owned(),
        NodeKind::Error => {
            let children: Vec<_> = tree.children(node).collect();
            let text = if children.is_empty() {
                tree.source(node).to_owned()
            } else {
                list(children)
            };
            format!("!<{text}>")
        }
    }
}

fn read_all(text: &str) -> super::TolerantTree {
    let text: Arc<str> = text.into();
    read(&text, Span::new(0, text.len() as u32))
}

/// Asserts that every key has a value and that children are inside their parents and in order.
fn assert_sound(tree: &Tree) {
    for node in tree.nodes() {
        let span = tree.span(node);
        assert!(
            span.start <= span.end && span.end as usize <= tree.text().len(),
            "{node:?} {span:?}"
        );
        assert!(tree.text().get(span.range()).is_some(), "{span:?} splits a character");
        if let NodeKind::Mapping(_) = tree.kind(node) {
            assert_eq!(
                tree.children(node).count() % 2,
                0,
                "a key without value at {span:?} of {:?}",
                tree.text()
            );
        }
        let mut from = span.start;
        for child in tree.children(node) {
            let child = tree.span(child);
            assert!(
                from <= child.start && child.end <= span.end,
                "{child:?} in {span:?} after {from} of {:?}",
                tree.text()
            );
            from = child.end;
        }
    }
    assert!(
        tree.nodes().skip(1).all(|it| tree.parent(it).is_some()),
        "two roots of {:?}",
        tree.text()
    );
}

fn check(text: &str, is_broken: bool, expected: &str) {
    let reading = read_all(text);
    let tree = &reading.tree;
    assert_eq!(
        tree.root().map_or_else(|| "-".to_owned(), |it| show(tree, it)),
        expected,
        "of {text:?}"
    );
    assert_eq!(reading.is_broken, is_broken, "of {text:?}");
    assert_sound(tree);
}

#[test]
fn whole_text() {
    for (text, expected) in [
        ("", "-"),
        ("# only a comment\n", "-"),
        ("a", r#""a""#),
        ("a: 1", r#"{"a": "1"}"#),
        ("a:\nb: 2\n", r#"{"a": ~, "b": "2"}"#),
        (
            "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
            r#"{"a": {"b": {"c": "1"}, "d": "2"}, "e": "3"}"#,
        ),
        (
            "- a\n- b: 1\n  c: 2\n- - x\n  - y\n-\n",
            r#"["a", {"b": "1", "c": "2"}, ["x", "y"], ~]"#,
        ),
        ("a:\n- 1\n- 2\nb:\n  - 3\n", r#"{"a": ["1", "2"], "b": ["3"]}"#),
        (
            "a: [1, {b: 2, c}, [], \"x\"]\n",
            r#"{"a": ["1", {"b": "2", "c": ~}, [], "x"]}"#,
        ),
        (
            "a: [\n  b: 1,\n]\nc: {\n\"d\":1\n}\n",
            r#"{"a": [{"b": "1"}], "c": {"d": "1"}}"#,
        ),
        ("a: {b\nc,d: e}\nf: 1\n", r#"{"a": {"b c": ~, "d": "e"}, "f": "1"}"#),
        (
            "a: one\n  two\n\n  three\nb: x # c\n",
            r#"{"a": "one two\nthree", "b": "x"}"#,
        ),
        (
            "a: 'it''s\n\n  x'\nb: \"\\u0041\\\n  b\"\n",
            r#"{"a": "it's\nx", "b": "Ab"}"#,
        ),
        (
            "a: |\n  x\n    y\n\nb: >-\n  p\n  q\nc: 1",
            r#"{"a": "x\n  y\n", "b": "p q", "c": "1"}"#,
        ),
        (
            "a: |2-\n    x\n  y\nb: |+\n\n\nc: |\n",
            r#"{"a": "  x\ny", "b": "\n\n", "c": ""}"#,
        ),
        ("a: &x\n  b: 1\nc: *x\n", r#"{"a": {"b": "1"}, "c": *x}"#),
        ("? a\n: b\n? [c]\n: - d\n? e\n", r#"{"a": "b", ["c"]: ["d"], "e": ~}"#),
        ("{a: 1}: b\n", r#"{{"a": "1"}: "b"}"#),
        ("%YAML 1.1\n---\na: 1\n", r#"{"a": "1"}"#),
        ("--- x\n", r#""x""#),
        ("a: 1\r\nb:\r\n  - c\r\n", r#"{"a": "1", "b": ["c"]}"#),
        ("\u{feff}a: 1\n", r#"{"a": "1"}"#),
        ("a: !!str 1\nb: !x\n", r#"{"a": "1", "b": ~}"#),
        ("{\"a\": {\"b\": [1, null]}}", r#"{"a": {"b": ["1", "null"]}}"#),
        (
            "a: x:y\nb: http://z\nc: -1\nd: -\n",
            r#"{"a": "x:y", "b": "http://z", "c": "-1", "d": [~]}"#,
        ),
    ] {
        check(text, expected.contains("[~]}"), expected);
    }
}

#[test]
fn a_key_in_brackets_has_one_line() {
    for (text, expected) in [
        ("{a: b\n  c: d}\n", r#"{"a": "b", "c": "d"}"#),
        ("{a:\n  b: {c: 1}, d: e}\n", r#"{"a": ~, "b": {"c": "1"}, "d": "e"}"#),
        ("{\"a\":\n  \"b\": 1}\n", r#"{"a": ~, "b": "1"}"#),
        ("[a\n  b: c]\n", r#"["a", {"b": "c"}]"#),
        ("[a: \n  b: c]\n", r#"[{"a": ~}, {"b": "c"}]"#),
    ] {
        check(text, true, expected);
    }
    check("{? a\n  b: c}\n", false, r#"{"a b": "c"}"#);
    check("{a:\n  b\n  c, d: \"e\n  f\"}\n", false, r#"{"a": "b c", "d": "e f"}"#);
}

#[test]
fn a_line_without_colon_is_a_key() {
    for (text, expected) in [
        ("apiV\nkind: Foo\n", r#"{"apiV": !<>, "kind": "Foo"}"#),
        (
            "spec:\n  repl\n  other: 1\n",
            r#"{"spec": {"repl": !<>, "other": "1"}}"#,
        ),
        (
            "spec:\n  other: 1\n  repl\n  third: 2\nstatus: x\n",
            r#"{"spec": {"other": "1", "repl": !<>, "third": "2"}, "status": "x"}"#,
        ),
        ("spec:\n  other: 1\n  repl", r#"{"spec": {"other": "1", "repl": !<>}}"#),
        (
            "- a: 1\n  b\n- c\n  d: 1\n",
            r#"[{"a": "1", "b": !<>}, {"c": !<>, "d": "1"}]"#,
        ),
        ("a: 1\nb\n  c: 2\nd: 3\n", r#"{"a": "1", "b": {"c": "2"}, "d": "3"}"#),
        (
            "p:\n  disa\n    type: x\n  b: 1\n",
            r#"{"p": {"disa": {"type": "x"}, "b": "1"}}"#,
        ),
        ("a:\n  requ\n  - x\n  b: 1\n", r#"{"a": {"requ": ["x"], "b": "1"}}"#),
        ("x\ny\nz\nk: 1\n", r#"{"x": !<>, "y": !<>, "z": !<>, "k": "1"}"#),
    ] {
        check(text, true, expected);
    }
}

#[test]
fn other_broken_text() {
    for (text, expected) in [
        // Unclosed quotes and brackets.
        ("a: \"self.\nb: 1\nc: \"x\"\n", r#"{"a": "self.", "b": "1", "c": "x"}"#),
        ("a: 'x\nb: 1\n", r#"{"a": "x", "b": "1"}"#),
        (
            "a:\n  b: [1, 2\n  c: 3\nd: 4\n",
            r#"{"a": {"b": ["1", "2"], "c": "3"}, "d": "4"}"#,
        ),
        ("a: {b: 1, c\nd: 4\n", r#"{"a": {"b": "1", "c": ~}, "d": "4"}"#),
        ("{\"a\": {\"b\": 1, \n", r#"{"a": {"b": "1"}}"#),
        ("a: [1 , 2}\nb: 1\n", r#"{"a": ["1", "2"], "b": "1"}"#),
        // A value that contains a colon.
        (
            "rule: self.x ? a : b\nm: 1\n",
            r#"{"rule": "self.x ? a : b", "m": "1"}"#,
        ),
        ("a: b: c # x\nd: e:\n", r#"{"a": "b: c", "d": "e:"}"#),
        // Indentation between two levels, or deeper than the level.
        (
            "spec:\n    group: a\n  names: b\n  scope: c\nd: 1\n",
            r#"{"spec": {"group": "a", "names": "b", "scope": "c"}, "d": "1"}"#,
        ),
        ("a: \"1\"\n  b: 2\nc: 3\n", r#"{"a": "1", "b": "2", "c": "3"}"#),
        ("  a: 1\nb: 2\n", r#"{"a": "1", "b": "2"}"#),
        // Text at positions where text is not allowed.
        ("a: \"b\" junk\nc: 1\n", r#"{"a": "b", !<junk>: !<>, "c": "1"}"#),
        ("a: 1\n- b\nc: 2\n", r#"{"a": "1", !<["b"]>: !<>, "c": "2"}"#),
        ("- a\nb: 1\nc: 2\n- d\n", r#"["a", !<{"b": "1", "c": "2"}>, "d"]"#),
        (": x\na: 1\n", r#"{!<>: "x", "a": "1"}"#),
        ("a: *nowhere\nb: 1", r#"{"a": *nowhere, "b": "1"}"#),
        ("a: [x y: z, , ]\n", r#"{"a": [{"x y": "z"}]}"#),
        ("a: {b: 1 c: 2}\n", r#"{"a": {"b": "1 c", ~: "2"}}"#),
        ("a: @x\n", r#"{"a": "@x"}"#),
    ] {
        check(text, true, expected);
    }
}

#[test]
fn hostile_text_is_read_in_bounded_time() {
    let nested = (0..300).map(|it| " ".repeat(it) + "a:\n").collect::<Vec<_>>().concat();
    for text in [
        nested,
        "- ".repeat(50_000),
        "? ".repeat(50_000),
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "]}".repeat(50_000),
        "a: 1\n".repeat(40_000),
        "a: [\n".repeat(40_000),
        "a: \"\n".repeat(40_000),
        "a: '''\n".repeat(40_000),
        "x\n".repeat(40_000) + "k: 1\n",
        "a: x\n  y\n".repeat(20_000) + "  k: 1\n",
        format!("a: {}", "x ".repeat(35_000)),
        format!("a: {}", ": ".repeat(35_000)),
        "&a ".repeat(40_000),
        "!a ".repeat(40_000),
        "- a\nb\n".repeat(20_000),
        "a: |\n".repeat(40_000),
        "a: 1\n- b\n".repeat(20_000),
        "a: [b\n c: ".repeat(20_000),
        "\u{2028}a:\u{85} b\u{feff}\n".repeat(10_000),
    ] {
        let text: Arc<str> = text.into();
        let reading = read(&text, Span::new(0, text.len() as u32));
        assert_sound(&reading.tree);
    }
}

/// A small random number generator, so that every run tests the same texts.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Random text made of pieces that have a meaning in YAML's grammar.
pub(crate) fn random_text(random: &mut Random, pieces: usize) -> String {
    const PIECES: [&str; 45] = [
        "a",
        "b: ",
        "c:",
        "\n",
        "\n",
        "\n",
        "\n  ",
        "\n  ",
        "\n    ",
        "- ",
        "- ",
        "-",
        "? ",
        ": ",
        ":",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"",
        "'",
        "''",
        "\\",
        "#",
        " # x",
        "|",
        "|-\n",
        ">+\n",
        "|2\n",
        "&a ",
        "&a",
        "*a",
        "!t ",
        "!!str ",
        "---\n",
        "\n---\n",
        "...",
        "\t",
        "\r\n",
        "😀",
        "\u{2028}",
        "%",
        "key: value\n",
        " ",
    ];
    (0..pieces).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

#[test]
fn random_text_is_read_soundly() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..30_000 {
        let pieces = random.below(30);
        assert_sound(&read_all(&random_text(&mut random, pieces)).tree);
    }
}

#[test]
fn edits_and_documents() {
    let mut tree = super::EditingTree::new("a: 1\n---\nb: é\n");
    let shown = |tree: &super::EditingTree| {
        let roots = tree
            .documents()
            .iter()
            .map(|it| show(&it.tree, it.tree.root().unwrap()));
        roots.collect::<Vec<_>>().join(" --- ")
    };
    assert_eq!(shown(&tree), r#"{"a": "1"} --- {"b": "é"}"#);
    assert_eq!(
        tree.document_at(2).map(|it| it.tree.document_span()),
        Some(Span::new(0, 5))
    );
    assert_eq!(
        tree.document_at(12).map(|it| it.tree.document_span()),
        Some(Span::new(9, 15))
    );
    // A range that begins inside a character and ends past the text's end.
    tree.edit(13..99, "x");
    assert_eq!(shown(&tree), r#"{"a": "1"} --- {"b": "x"}"#);
    tree.edit(0..9, "c\n");
    assert_eq!(shown(&tree), r#"{"c": !<>, "b": "x"}"#);
    tree.edit(0..2, "--- junk\n");
    assert_eq!(tree.documents().len(), 1);
    tree.edit(0..99, "");
    assert_eq!(shown(&tree), "");
}
