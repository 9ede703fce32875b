//! Tests the queries in `syntaxes/`: the texts that they mark as CEL in editors that highlight with tree-sitter.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::path::Path;

use tree_sitter::{Language, Parser, Query, QueryCursor, StreamingIterator as _};

/// Reads a file. The path is relative to the root of the repository.
fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("the file is there")
}

/// The texts that a query marks as CEL, after the query's offsets are applied. Each text has its line number from 1.
fn injected(query: &str, text: &str) -> Vec<(usize, String)> {
    let language = Language::new(tree_sitter_yaml::LANGUAGE);
    let query = Query::new(&language, query).expect("the grammar has these nodes");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the grammar fits the library");
    let tree = parser.parse(text, None).expect("nothing stops the parser");
    let content = query
        .capture_index_for_name("injection.content")
        .expect("it is captured");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(it) = matches.next() {
        let settings = query.property_settings(it.pattern_index);
        assert_eq!(settings.len(), 1);
        assert_eq!(settings[0].value.as_deref(), Some("cel"));
        let offset = query
            .general_predicates(it.pattern_index)
            .iter()
            .find(|it| &*it.operator == "offset!");
        let number = |index: usize| match offset.map(|it| &it.args[index]) {
            Some(tree_sitter::QueryPredicateArg::String(text)) => text.parse().expect("a number"),
            _ => 0_isize,
        };
        for node in it.nodes_for_capture_index(content) {
            let start = node.start_byte().saturating_add_signed(number(2));
            let end = node.end_byte().saturating_add_signed(number(4));
            found.push((node.start_position().row + 1, text[start..end].to_owned()));
        }
    }
    found
}

#[test]
fn rules_in_every_style_are_cel_without_the_quotes_in_neovim() {
    let found = injected(
        &read("syntaxes/queries/yaml/injections.scm"),
        &read("tests/editors/grammar/rules.yaml"),
    );
    let expected = [
        (7, "self.hosts.all(h, h != 'it''s' && size(h) > 1u)"),
        (9, "self.a == ''x'' ||\n            self.b in [1, 2.5, true]"),
        (11, "has(self.a) && self.a == \\\"x\\\""),
        (12, "'got ' + string(self.a)"),
        (
            13,
            "-\n            self.items.exists(i, i.name == 'a')\n              && oldSelf.x",
        ),
        (
            18,
            "\n            // why\n            self.__namespace__.matches(r'^a$')",
        ),
        (21, "self.a"),
        (22, "self.a"),
        (
            23,
            "has(self.protocol) && self.protocol == 'TCP'\n            && !has(self.path)",
        ),
        (
            26,
            "(self.type == ''Weighted'' && has(self.weights))\n            ? self.weights.map(w, w.weight).sum() == 100\n\n            : !has(self.weights)",
        ),
        (
            30,
            "self.all(x, self.exists_one(y,\\\n            \\ x.name == y.name))",
        ),
    ];
    let found: Vec<_> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn rules_without_quotes_are_cel_in_helix() {
    let found = injected(
        &read("syntaxes/queries/helix/yaml-injections.scm"),
        &read("tests/editors/grammar/rules.yaml"),
    );
    let lines: Vec<_> = found.iter().map(|it| it.0).collect();
    assert_eq!(lines, [7, 13, 18, 23]);
    assert!(found[3].1.ends_with("&& !has(self.path)"));
}
