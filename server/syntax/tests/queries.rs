//! The queries in `syntaxes/` that editors with tree-sitter load, over the same rules whose colors VS Code is tested with.
#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::path::Path;

use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator as _};

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("the file is there")
}

#[test]
fn rules_are_injected_as_cel() {
    let language = tree_sitter_yaml::LANGUAGE.into();
    let query = Query::new(&language, &file("syntaxes/queries/yaml/injections.scm")).expect("a query");
    let content = query.capture_index_for_name("injection.content").expect("the capture");
    let key = query.capture_index_for_name("_key").expect("the capture");
    let text = file("tests/editors/grammar/rules.yaml");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the language");
    let tree = parser.parse(&text, None).expect("a tree");
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(one) = matches.next() {
        let node = |index: u32| one.captures.iter().find(|it| it.index == index).map(|it| it.node);
        // Editors know `any-of?`; the library leaves it to them.
        let name = node(key).expect("a key");
        if ["rule", "messageExpression"].contains(&&text[name.byte_range()]) {
            let range = node(content).expect("content").byte_range();
            found.push(text[range].lines().next().unwrap_or_default().trim_end().to_owned());
        }
    }
    assert_eq!(
        found,
        [
            "self.hosts.all(h, h != 'it''s' && size(h) > 1u)",
            "'self.a == ''x'' ||",
            "\"has(self.a) && self.a == \\\"x\\\"\"",
            "\"'got ' + string(self.a)\"",
            ">-",
            "|",
            "'self.a'",
        ]
    );
}
