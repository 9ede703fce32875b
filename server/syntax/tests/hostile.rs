//! Malicious texts. They must not cause an abort, a hang or a stack overflow (test threads have 2 MiB).

use std::fmt::Write as _;
use std::sync::Arc;

use crd_analyzer_syntax::json::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use crd_analyzer_syntax::tree::Span;

/// Converts all documents of a text to JSON. Returns the depth of the last document, or the first error.
#[track_caller]
fn read(text: &str) -> Result<usize, String> {
    let text: Arc<str> = text.into();
    let found = split(&text);
    if let Some(error) = found.error {
        return Err(error.message);
    }
    let mut depth = 0;
    for document in found.documents {
        let tree = read_document(&text, document, &[]).map_err(|it| it.message)?;
        let json = read_json(&tree).map_err(|it| it.message)?;
        let written = json.write(&tree);
        assert!(!written.is_empty());
        for node in tree.nodes().take(1000) {
            let value = tree.scalar(node);
            assert_eq!(tree.source_map(node).value_len(), value.len());
        }
        depth = json.depth();
    }
    Ok(depth)
}

#[track_caller]
fn check(text: &str, expected: Result<usize, &str>) {
    assert_eq!(read(text), expected.map_err(ToOwned::to_owned));
}

fn nested_mappings(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, depth| {
        let _ = writeln!(text, "{:depth$}a:", "");
        text
    })
}

#[test]
fn deep_block_mappings() {
    check(&nested_mappings(300), Ok(300));
    check(&nested_mappings(5_000), Ok(5_000));
}

#[test]
fn block_nesting_has_the_readers_limit() {
    let deep = "- ".repeat(10_000);
    check(&deep, Ok(10_000));
    let deeper = "- ".repeat(100_000);
    check(&deeper, Err("yaml: exceeded max depth of 10000"));
}

#[test]
fn flow_nesting_has_the_readers_limit() {
    check(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), Ok(10_000));
    check(&"[".repeat(100_000), Err("yaml: exceeded max depth of 10000"));
    check(&"{".repeat(100_000), Err("yaml: exceeded max depth of 10000"));
    check(&"{a: ".repeat(100_000), Err("yaml: exceeded max depth of 10000"));
    check(&"]".repeat(100_000), Err("yaml: did not find expected node content"));
}

#[test]
fn aliases_may_nest_deeper_than_any_limit() {
    let mut text = "a0: &a0 1\n".to_owned();
    for level in 1..20 {
        let (open, close) = ("[".repeat(5_000), "]".repeat(5_000));
        let _ = writeln!(text, "a{level}: &a{level} {open}*a{}{close}", level - 1);
    }
    check(&text, Err("yaml: document contains excessive aliasing"));
    let few = text.split_inclusive('\n').take(6).collect::<String>();
    check(&few, Ok(25_001));
}

#[test]
fn aliases_may_not_multiply() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let again = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{again}]");
    }
    check(&text, Err("yaml: document contains excessive aliasing"));
    let merges = text.replace('[', "{<<: [").replace(']', "]}").replace('x', "{a: b}");
    check(&merges, Err("yaml: document contains excessive aliasing"));
    check("a: &a [*a]\n", Err("yaml: anchor 'a' value contains itself"));
    check("a: &a\n  <<: *a\n", Err("yaml: anchor 'a' value contains itself"));
}

#[test]
fn long_lines() {
    let long = "x".repeat(10 << 20);
    check(&long, Ok(0));
    let long = &long[..2 << 20];
    check(&format!("a: {long}\n"), Ok(1));
    check(&format!("a: '{long}'\n"), Ok(1));
    check(&format!("a: \"{long}\"\n"), Ok(1));
    check(&format!("a: |\n  {long}\n"), Ok(1));
    check(&format!("a: 1 #{long}\n"), Ok(1));
    check(
        &format!("{long}: 1\n"),
        Err("yaml: mapping values are not allowed in this context"),
    );
    check(&" ".repeat(4 << 20), Ok(0));
    check(&format!("a: {}1\n", " ".repeat(4 << 20)), Ok(1));
    check(&format!("a: \"{}\"\n", "\\n".repeat(1 << 19)), Ok(1));
    check(&format!("a: \"{}\"\n", "\\\n".repeat(1 << 19)), Ok(1));
    check(&format!("a: '{}'\n", "''".repeat(1 << 19)), Ok(1));
    check(&format!("a: [{}]\n", "1, ".repeat(1 << 18)), Ok(2));
    check(&"\u{85}".repeat(1 << 19), Ok(0));
    check(&format!("# {}", "é\u{2028}".repeat(1 << 18)), Ok(0));
}

#[test]
fn long_texts() {
    let lines = (0..50_000).fold(String::new(), |mut text, at| {
        let _ = writeln!(text, "key{at}: value # {at}");
        text
    });
    check(&lines, Ok(1));
    check(&"---\na: 1\n".repeat(50_000), Ok(1));
    check(&"a: 1\n".repeat(50_000), Ok(1));
    check(&format!("a: >\n{}", "  b\n\n".repeat(200_000)), Ok(1));
    check(&format!("a: |+\n{}", "\n".repeat(1 << 18)), Ok(1));
    check(&format!("a:\n{}", "  b\n".repeat(200_000)), Ok(1));
    check(&format!("a: 'b\n{}'", "  c\n\n".repeat(200_000)), Ok(1));
    check(&format!("a: &x 1\n{}", "b: *x\n".repeat(50_000)), Ok(1));
    check(&"&x\n".repeat(50_000), Ok(0));
    check(&"- &x y\n".repeat(50_000), Ok(1));
    check(&"- !!str y\n".repeat(50_000), Ok(1));
    check(&"#\n".repeat(500_000), Ok(0));
}

#[test]
fn texts_without_anything() {
    for text in [
        "",
        "\n",
        " ",
        "\u{FEFF}",
        "#",
        "---",
        "---\n",
        "...",
        "---\n---\n---",
        "\r",
        "\t",
    ] {
        let _ = read(text);
    }
    check("", Ok(0));
}

#[test]
fn one_character_that_is_not_allowed_in_much_text() {
    let mut text = "a: b\n".repeat(1 << 18);
    text.push('\u{1}');
    check(&text, Err("yaml: control characters are not allowed"));
    check(
        &format!("{}\u{FEFF}", "a: b # é\n".repeat(1 << 18)),
        Err("yaml: line 262146: could not find expected ':'"),
    );
}

#[test]
fn duplicates_by_the_thousand() {
    let text: Arc<str> = "a: 1\n".repeat(20_000).into();
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("YAML");
    let json = read_json(&tree).expect("JSON");
    assert_eq!(json.duplicates().len(), 19_999);
    assert_eq!(
        json.duplicates()[19_998].message,
        "line 20000: key \"a\" already set in map"
    );
}
