//! Tests Go's messages for invalid patterns, and the part of the pattern that they quote.

use crd_analyzer_goregexp::{GoRegex, check};

/// Asserts the message after `error parsing regexp: ` and the span that it quotes.
#[track_caller]
fn refused(pattern: &str, message: &str, span: std::ops::Range<usize>) {
    let error = check(pattern).expect_err("Go refuses this");
    assert_eq!(
        (error.message.as_str(), error.span),
        (format!("error parsing regexp: {message}").as_str(), span)
    );
}

#[track_caller]
fn finds(pattern: &str, text: &str, all: &[&str]) {
    let regex = GoRegex::new(pattern).expect("Go accepts this");
    let part = |range: std::ops::Range<usize>| &text[range];
    let found = regex.find_all(text, usize::MAX).expect("a short text");
    let found: Vec<&str> = found.into_iter().map(part).collect();
    assert_eq!(found, all, "{pattern} in {text:?}");
    assert_eq!(regex.is_match(text), Ok(!all.is_empty()));
    let first = regex.find(text).map(|it| it.map(part));
    assert_eq!(first, Ok(all.first().copied()));
}

#[test]
fn messages_quote_what_is_to_blame() {
    refused("a(?!b)", "invalid or unsupported Perl syntax: `(?!`", 1..4);
    refused("a(?<=b)", "invalid named capture: `(?<=b)`", 1..7);
    refused("(?P<a b>c)", "invalid named capture: `(?P<a b>`", 0..8);
    refused("x[a", "missing closing ]: `[a`", 1..3);
    refused("x(a", "missing closing ): `x(a`", 0..3);
    refused("a)", "unexpected ): `a)`", 0..2);
    refused("[z-a]", "invalid character class range: `z-a`", 1..4);
    refused("[[:foo:]]", "invalid character class range: `[:foo:]`", 1..8);
    refused(r"\p{Nope}", r"invalid character class range: `\p{Nope}`", 0..8);
    refused(r"é\y", r"invalid escape sequence: `\y`", 2..4);
    refused(r"\1", r"invalid escape sequence: `\1`", 0..2);
    refused("a\\", "trailing backslash at end of expression: ``", 2..2);
    refused("a**", "invalid nested repetition operator: `**`", 1..3);
    refused("a|*", "missing argument to repetition operator: `*`", 2..3);
    refused("a{1001}", "invalid repeat count: `{1001}`", 1..7);
    refused("a{3,2}", "invalid repeat count: `{3,2}`", 1..6);
}

#[test]
fn classes_are_ascii_where_go_says_so() {
    finds(r"\d+", "٣12", &["12"]);
    finds(r"\w+", "é_a9", &["_a9"]);
    finds(r"\s", "\u{a0}\u{b} ", &[" "]);
    finds(r"a\b", "aé", &["a"]);
    finds(r"[[:word:]]+", "a_1-é", &["a_1"]);
    finds(r"\pL+", "aé1日", &["aé", "日"]);
    finds(r"\p{uppercase_letter}", "aB", &["B"]);
}

#[test]
fn flags_and_quoting_work_as_in_go() {
    finds("(?i)k", "K\u{212a}", &["K", "\u{212a}"]);
    finds("(?U)a+", "aa", &["a", "a"]);
    finds("(?U)a+?", "aa", &["aa"]);
    finds("(?m)^b$", "a\nb\n", &["b"]);
    finds("^b$", "a\nb\n", &[]);
    finds(r"\Qa.b\E+", "aabb a.bb", &["a.bb"]);
    finds("(?<n>a)|(?P<n>b)", "ab", &["a", "b"]);
    finds("a{,2}", "a{,2}", &["a{,2}"]);
    finds(".", "\n", &[]);
    finds("(?s).", "\n", &["\n"]);
    finds("", "é", &["", ""]);
}
