//! Tests the values of scalars and the source positions of their characters.

use std::sync::Arc;

use crd_analyzer_syntax::tree::Span;

/// Parses `k: ` followed by the scalar. Each pair maps a part of the value to the part of the text from which it comes.
#[track_caller]
fn check(scalar: &str, value: &str, pieces: &[(&str, &str)]) {
    let text: Arc<str> = format!("k: {scalar}\n").into();
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("YAML");
    let node = tree.get(tree.root().expect("a root"), "k").expect("a value");
    assert_eq!(tree.scalar(node), value);
    let map = tree.source_map(node);
    assert_eq!(map.value_len(), value.len());
    let mut from = 0;
    for (part, source) in pieces {
        let at = from + value[from..].find(part).expect("a part of the value");
        let span = map.span(at..at + part.len());
        assert_eq!(&text[span.range()], *source, "for {part:?}");
        assert_eq!(map.to_source(at), span.start);
        assert_eq!(map.to_value(span.start), Some(at));
        from = at;
    }
}

#[test]
fn plain() {
    check("a b", "a b", &[("a b", "a b"), ("a", "a"), ("b", "b")]);
    check(
        "a\n   b\n\n   c",
        "a b\nc",
        &[("a", "a"), (" ", "\n   "), ("b", "b"), ("\n", "\n"), ("c", "c")],
    );
    check("a  # no", "a", &[("a", "a")]);
    check("", "", &[]);
}

#[test]
fn single_quoted() {
    check(
        "'it''s'",
        "it's",
        &[("it's", "it''s"), ("it", "it"), ("'", "''"), ("s", "s")],
    );
    check("'a\n  b'", "a b", &[("a", "a"), (" ", "\n  "), ("b", "b")]);
    check("' a '", " a ", &[(" ", " "), ("a", "a")]);
}

#[test]
fn double_quoted() {
    check(r#""a\tb""#, "a\tb", &[("a", "a"), ("\t", r"\t"), ("b", "b")]);
    check(
        r#""\u00e9\U0001F600x""#,
        "\u{e9}\u{1F600}x",
        &[("\u{e9}", r"\u00e9"), ("\u{1F600}", r"\U0001F600"), ("x", "x")],
    );
    check("\"a \\\n   \\ b\"", "a  b", &[("a", "a"), ("b", "b")]);
    check("\"a\n\n\n b\"", "a\n\nb", &[("a", "a"), ("\n\n", "\n\n"), ("b", "b")]);
}

#[test]
fn literal() {
    check(
        "|\n  a\n   b\n\n  c\n",
        "a\n b\n\nc\n",
        &[("a", "a"), ("\n", "\n"), (" b", " b"), ("c", "c"), ("c\n", "c\n")],
    );
    check("|-\n  a\n", "a", &[("a", "a")]);
    check("|+\n  a\n\n", "a\n\n\n", &[("a", "a")]);
    check("|2\n   a\n", " a\n", &[(" a", " a")]);
    check("| # c\n\n\n  a\n", "\n\na\n", &[("\n\n", "\n\n"), ("a", "a")]);
}

#[test]
fn folded() {
    check(">-\n  a\n  b\n", "a b", &[("a", "a"), (" ", "\n  "), ("b", "b")]);
    check(
        ">\n  a\n\n  b\n   c\n  d\n",
        "a\nb\n c\nd\n",
        &[("a", "a"), ("b", "b"), (" c", " c"), ("d", "d")],
    );
}

#[test]
fn line_breaks_become_line_feeds() {
    check(
        "|\r\n  a\r\n  b\r\n",
        "a\nb\n",
        &[("a", "a"), ("\n", "\r\n"), ("b", "b")],
    );
    check("'a\r\n\r\n  b'", "a\nb", &[("a", "a"), ("\n", "\r\n"), ("b", "b")]);
    check("|\n  a\u{2028}  b\n", "a\u{2028}b\n", &[("a", "a"), ("b", "b")]);
}

#[test]
fn places_without_a_byte_of_the_value_mean_the_next_one() {
    let text: Arc<str> = "k: >-\n  self.a <=\n  self.b\n".into();
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).expect("YAML");
    let node = tree.get(tree.root().expect("a root"), "k").expect("a value");
    let map = tree.source_map(node);
    assert_eq!(tree.scalar(node), "self.a <= self.b");
    // These positions are in the header, in the indentation of both lines, at the end, and outside.
    assert_eq!(map.to_value(4), Some(0));
    assert_eq!(map.to_value(7), Some(0));
    assert_eq!(map.to_value(18), Some(9));
    assert_eq!(map.to_value(20), Some(10));
    assert_eq!(map.to_value(26), Some(16));
    assert_eq!(map.to_value(27), None);
    assert_eq!(map.to_source(16), 26);
}
