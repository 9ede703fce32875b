//! Tests the verdict parser: trees with their spans, and errors with both the API server's message and ours.

use std::fmt::Write as _;
use std::sync::Arc;

use crd_analyzer_syntax::json::{JsonDoc, read_json};
use crd_analyzer_syntax::reader::{Encoding, Problem, read_decoded};
use crd_analyzer_syntax::source::Source;
use crd_analyzer_syntax::tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree};

fn read(text: &str) -> Result<Tree, crd_analyzer_syntax::ReadError> {
    let text: Arc<str> = text.into();
    crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32))
}

/// Writes one line per node: its kind, and the text of its span.
fn dump(tree: &Tree, node: NodeId, depth: usize, out: &mut String) {
    let kind = match tree.kind(node) {
        NodeKind::Mapping(CollectionStyle::Block) => "mapping",
        NodeKind::Mapping(CollectionStyle::Flow) => "flow mapping",
        NodeKind::Sequence(CollectionStyle::Block) => "sequence",
        NodeKind::Sequence(CollectionStyle::Flow) => "flow sequence",
        NodeKind::Scalar(ScalarStyle::Plain) => "plain",
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => "single",
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => "double",
        NodeKind::Scalar(ScalarStyle::Literal) => "literal",
        NodeKind::Scalar(ScalarStyle::Folded) => "folded",
        NodeKind::Alias => "alias",
        NodeKind::Error => "error",
    };
    let span = tree.span(node);
    let _ = write!(out, "{:1$}{kind} {2}..{3}", "", depth * 2, span.start, span.end);
    if tree.children(node).next().is_none() {
        let _ = write!(out, " {:?}", tree.source(node));
    }
    for name in [
        tree.anchor(node).map(|it| format!("&{it}")),
        tree.tag(node).map(|it| format!("<{it}>")),
    ]
    .into_iter()
    .flatten()
    {
        let _ = write!(out, " {name}");
    }
    out.push('\n');
    for child in tree.children(node) {
        dump(tree, child, depth + 1, out);
    }
}

#[track_caller]
fn check_tree(text: &str, expected: &str) {
    let tree = read(text).expect("YAML");
    let mut out = String::new();
    if let Some(root) = tree.root() {
        dump(&tree, root, 0, &mut out);
    }
    assert_eq!(out, expected);
}

/// Checks the error message, and the text that the error's span covers.
#[track_caller]
fn check_error(text: &str, message: &str, at: &str) {
    let error = read(text).expect_err("an error");
    assert_eq!((error.message.as_str(), &text[error.span.range()]), (message, at));
}

#[track_caller]
fn check_conversion(text: &str, message: &str, at: &str) {
    let tree = read(text).expect("YAML");
    let error = read_json(&tree).expect_err("an error");
    assert_eq!((error.message.as_str(), &text[error.span.range()]), (message, at));
}

#[track_caller]
fn check_json(text: &str, expected: &str) {
    let tree = read(text).expect("YAML");
    let json = read_json(&tree).expect("JSON");
    assert_eq!(json.write(&tree), expected);
    assert_eq!(json.written_len(&tree, expected.len()), Some(expected.len()));
    assert_eq!(json.written_len(&tree, expected.len() - 1), None);
}

#[test]
fn json_escapes_what_go_escapes_wherever_it_stands() {
    let escapes = [
        ("\\\"", "\\\""),
        ("\\\\", "\\\\"),
        ("\\b\\f\\n\\r\\t", "\\b\\f\\n\\r\\t"),
        ("\\x01<>&", "\\u0001\\u003c\\u003e\\u0026"),
        ("\\u2027\\u2028\\u2029€é😀", "\u{2027}\\u2028\\u2029€é😀"),
        ("", ""),
    ];
    for (written, escaped) in escapes {
        for before in ["", "é", &"-".repeat(31), &"-".repeat(32), &"€".repeat(40)] {
            check_json(
                &format!("\"{before}{written}{before}\": 0\n"),
                &format!("{{\"{before}{escaped}{before}\":0}}"),
            );
        }
    }
}

#[test]
fn block_collections_end_with_their_last_child() {
    check_tree(
        "a:\n- b: 1\n  c:\n- 'x'\nd: |-\n  y\n\ne:\n",
        concat!(
            "mapping 0..34\n",
            "  plain 0..1 \"a\"\n",
            "  sequence 3..20\n",
            "    mapping 5..14\n",
            "      plain 5..6 \"b\"\n",
            "      plain 8..9 \"1\"\n",
            "      plain 12..13 \"c\"\n",
            "      plain 14..14 \"\"\n",
            "    single 17..20 \"'x'\"\n",
            "  plain 21..22 \"d\"\n",
            "  literal 24..30 \"|-\\n  y\"\n",
            "  plain 32..33 \"e\"\n",
            "  plain 34..34 \"\"\n",
        ),
    );
}

#[test]
fn properties_stand_outside_of_the_span() {
    check_tree(
        "- &a !!str x\n- !<!y> {k: *a, ? z}\n- !e\n",
        concat!(
            "sequence 0..38\n",
            "  plain 11..12 \"x\" &a <tag:yaml.org,2002:str>\n",
            "  flow mapping 21..33 <!y>\n",
            "    plain 22..23 \"k\"\n",
            "    alias 25..27 \"*a\"\n",
            "    plain 31..32 \"z\"\n",
            "    plain 32..32 \"\"\n",
            "  plain 38..38 \"\" <!e>\n",
        ),
    );
}

#[test]
fn a_block_scalar_ends_with_its_value() {
    check_tree(
        "- |\n x\n\n- |-\n x\n\n- |+\n x\n\n- >\n",
        concat!(
            "sequence 0..29\n",
            "  literal 2..7 \"|\\n x\\n\"\n",
            "  literal 10..15 \"|-\\n x\"\n",
            "  literal 19..26 \"|+\\n x\\n\\n\"\n",
            "  folded 28..29 \">\"\n",
        ),
    );
}

#[test]
fn comments_are_kept() {
    let text = "# a\nb: 1 # c\nd: | # e\n  # f\n";
    let tree = read(text).expect("YAML");
    let comments: Vec<_> = tree.comments().iter().map(|it| &text[it.range()]).collect();
    assert_eq!(comments, ["# a", "# c", "# e"]);
}

#[test]
fn names_lines_as_the_server_does() {
    check_error("a: b: c\n", "yaml: mapping values are not allowed in this context", ":");
    check_error(
        "x: 1\na: b: c\n",
        "yaml: line 2: mapping values are not allowed in this context",
        ":",
    );
    check_error("a: 1\nb\nc: 2\n", "yaml: line 3: could not find expected ':'", "b");
    check_error(
        "a: [1, 2\nb: 1\n",
        "yaml: line 1: did not find expected ',' or ']'",
        ":",
    );
    check_error("a:\n  - b\n c\n", "yaml: line 2: did not find expected key", "c");
    check_error("a:\n  b: 1\n c: 1\n", "yaml: line 2: did not find expected key", "c");
    check_error("a: \"x\nb: 1\n", "yaml: line 3: found unexpected end of stream", "\"");
    check_error(
        "a:\n\tb: 1\n",
        "yaml: line 2: found character that cannot start any token",
        "\t",
    );
    check_error("a: *b\n", "yaml: unknown anchor 'b' referenced", "*b");
    check_error("a: !x!y z\n", "yaml: found undefined tag handle", "!x!y");
    check_error("a: \"\\q\"\n", "yaml: found unknown escape character", "\\");
    check_error("a: @b\n", "yaml: found character that cannot start any token", "@");
    check_error(
        "%YAML 1.2\n---\na\n",
        "yaml: found incompatible YAML document",
        "%YAML 1.2",
    );
}

#[test]
fn bad_characters_are_seen_before_errors_in_the_same_piece_of_input() {
    check_error("a: b: c\n\u{1}", "yaml: control characters are not allowed", "\u{1}");
    let far = format!("a: b: c\n{}\u{1}", "#".repeat(600));
    check_error(&far, "yaml: mapping values are not allowed in this context", ":");
}

#[test]
fn the_place_of_broken_bytes_has_whole_characters() {
    // The first byte announces a two-byte character, but the next byte already starts another character.
    let source = Source::decode(b"a: \xD0\xDF\x9A\n".to_vec());
    let text: Arc<str> = source.text.as_str().into();
    let whole = Span::new(0, text.len() as u32);
    let error = read_decoded(&text, whole, &source.defects, Encoding::Utf8).expect_err("no UTF-8");
    assert_eq!(error.message, "yaml: invalid trailing UTF-8 octet");
    assert_eq!(&text[error.span.range()], "\u{1A}\u{7DA}");
}

#[test]
fn only_the_first_document_counts() {
    check_json("a: 1\n---\n[", "{\"a\":1}");
    check_json("a: 1\n...\n@", "{\"a\":1}");
    check_json("{} : x", "{}");
}

#[test]
fn says_why_a_document_is_no_json() {
    check_conversion(
        "a: {{ .Values.b }}\n",
        "yaml: invalid map key: map[interface {}]interface {}{\".Values.b\":interface {}(nil)}",
        "{ .Values.b }",
    );
    check_conversion(
        "~: x\n",
        "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"",
        "~",
    );
    check_conversion("a: [.inf]\n", "json: unsupported value: +Inf", ".inf");
    check_conversion(
        "<<: 1\n",
        "yaml: map merge requires map or sequence of maps as the value",
        "1",
    );
    check_conversion("a: !!int x\n", "yaml: cannot decode !!str `x` as a !!int", "x");
    check_conversion("a: &x [*x]\n", "yaml: anchor 'x' value contains itself", "*x");
    check_conversion(
        "a: !!binary x\n",
        "yaml: !!binary value contains invalid base64 data",
        "x",
    );
}

#[test]
fn converts_as_the_server_does() {
    check_json(
        "b: 1.0\na: [yes, 0777, 1e21, 2001-01-01, ~, '1', -0.0, 18446744073709551615]\n",
        "{\"a\":[true,511,1e+21,\"2001-01-01\",null,\"1\",-0,18446744073709551615],\"b\":1}",
    );
    check_json(
        "1: a\ntrue: b\n1.5: c\n1e6: d\n",
        "{\"1\":\"a\",\"1.5\":\"c\",\"1e+06\":\"d\",\"true\":\"b\"}",
    );
    check_json(
        "x: &x {a: 1, b: 1}\nw: &w {b: 2, c: 2}\nz: {b: 0, <<: [*x, *w], c: 3}\n",
        "{\"w\":{\"b\":2,\"c\":2},\"x\":{\"a\":1,\"b\":1},\"z\":{\"a\":1,\"b\":1,\"c\":3}}",
    );
    check_json("'<&>\u{2028}\u{1F600}'", "\"\\u003c\\u0026\\u003e\\u2028\u{1F600}\"");
    check_json("", "null");
}

#[test]
fn duplicates_keep_both_places() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\na:\n  - x\n<<: {a: 1}\n1: x\n'1': y\n";
    let tree = read(text).expect("YAML");
    let json = read_json(&tree).expect("JSON");
    let places: Vec<_> = json
        .duplicates()
        .iter()
        .map(|it| (tree.span(it.first).start, tree.span(it.second).start))
        .collect();
    assert_eq!(places, [(10, 17), (0, 22), (0, 36)]);
    let message = "yaml: unmarshal errors:\n  line 4: key \"c\" already set in map\n  line 6: key \"a\" already set in map\n  line 7: key \"a\" already set in map";
    assert_eq!(json.strict_error().as_deref(), Some(message));
    assert_eq!(
        json.root().and_then(|it| it.get("a")).map(|it| &it.value),
        Some(&crd_analyzer_syntax::json::JsonValue::Int(1))
    );
}

#[test]
fn looks_up_keys() {
    let tree = read("a: 1\n'b c': {d: [x, y]}\na: 2\n").expect("YAML");
    let root = tree.root().expect("a root");
    let value = |key: &str| tree.get(root, key).map(|it| tree.source(it));
    assert_eq!(value("a"), Some("2"));
    assert_eq!(value("b c"), Some("{d: [x, y]}"));
    assert_eq!(value("e"), None);
    let inner = tree.get(root, "b c").and_then(|it| tree.get(it, "d")).expect("a list");
    let items: Vec<_> = tree.items(inner).map(|it| tree.scalar(it)).collect();
    assert_eq!(items, ["x", "y"]);
    assert_eq!(tree.ancestors(inner).last(), Some(root));
}

#[test]
fn a_part_of_a_document_reads_as_a_document_of_its_own() {
    let tree = read("items:\n- &a {x: 1, x: 2}\n- y: *a\n").expect("YAML");
    let whole = read_json(&tree).expect("JSON");
    let items = whole.root().and_then(|it| it.get("items")?.items()).expect("items");
    let parts: Vec<_> = items
        .iter()
        .map(|it| crd_analyzer_syntax::json::read_json_of(&tree, it.node).expect("JSON"))
        .collect();
    assert_eq!(whole.depth(), 4);
    assert_eq!(parts.iter().map(JsonDoc::depth).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(parts[0].duplicates().len(), 1);
    assert_eq!(parts[1].root(), Some(&items[1]));
}

/// The API server has one message for several mistakes. The problem says which one it is.
#[test]
fn a_colon_in_the_wrong_place_is_told_by_its_line() {
    for (text, problem) in [
        ("a: b: c\n", Problem::ValueNotAllowed),
        ("x: 1\n- a: b: c\n", Problem::MissingKey),
        ("a:\n- b: c: d\n", Problem::ValueNotAllowed),
        ("a: b\n  c: d\n", Problem::IndentedKey),
        ("a: b\r\n  c: d\r\n", Problem::IndentedKey),
        ("- a: b\n    c: d\n", Problem::IndentedKey),
        ("a:\n  b c\n  d: e\n", Problem::KeyAfterText),
        ("a:\n  \"b\" c: d\n", Problem::MissingKey),
        ("a: 'b' c\n", Problem::TextAfterQuote),
        ("- a: 'b == 'c''\n", Problem::TextAfterQuote),
        ("a: \"b \"c\"\"\n", Problem::TextAfterQuote),
        ("a: 'b'\n c\n", Problem::MissingKey),
        ("a: !b || c\n", Problem::BlockAfterTag),
        ("- !has(self.a) || c\n", Problem::BlockAfterTag),
        ("a: || c\n", Problem::CommentOrLineBreak),
        ("a: 1\nb:2\nc: 3\n", Problem::ColonWithoutBlank),
        ("a: 1\nb 2\nc: 3\n", Problem::MissingColon),
        ("a: 1\nhttp://b\nc: 3\n", Problem::MissingColon),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.problem, problem, "{text:?}");
    }
}

#[test]
fn errors_are_at_the_line_with_the_mistake() {
    for (text, place) in [
        ("a:\n  b c\n  d: e\n", "b c"),
        ("a:\n  b:c\n  d: e\n", "b:c"),
        ("a:\n- {b: 40s\n- {b: 1}\n", "- {b: 40s"),
        ("a: [b, 'c'\nd: e\n", "a: [b, 'c'"),
        ("a: {b: c d: e}\n", ":"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(&text[error.span.range()], place, "{text:?}");
    }
}
