//! Tests that the output has the intended meaning, and that it contains nothing that an editor would load or run.

use crd_analyzer_fixtures::markdown::dangers;

use super::*;

#[test]
fn descriptions_keep_what_they_need() {
    for (text, expected) in [
        ("One line.", "One line."),
        ("The *name* of a **host**, `a_b`.", "The *name* of a **host**, `a_b`."),
        ("Two\nlines\n\nA paragraph", "Two  \nlines\n\nA paragraph"),
        (
            "- one\n- two\n  more\n\n1. three",
            "- one  \n- two  \n  more\n\n1. three",
        ),
        ("# Heading\ntext", "# Heading  \ntext"),
        ("See https://example.com/a_b?c=d.", "See https://example.com/a_b?c=d."),
        (
            "See [the page](https://example.com/x).",
            "See [the page](https://example.com/x).",
        ),
        ("```go\nfunc *a()\n```\nend", "```text\nfunc *a()\n```\n\nend"),
        (
            "Like:\n\n    a: <b>\n    c: 1\n\nend",
            "Like:\n\n```text\na: <b>\nc: 1\n```\n\nend",
        ),
        (
            "snake_case and a-b, 50 % (x), key: value",
            "snake_case and a-b, 50 % (x), key: value",
        ),
        ("", ""),
    ] {
        assert_eq!(description(text), expected, "{text:?}");
    }
}

#[test]
fn what_is_not_needed_is_shown_as_it_is_written() {
    for (text, expected) in [
        ("a <b>, <https://x>", "a \\<b>, \\<https://x>"),
        ("![a](https://evil/x.png)", "\\!\\[a](https://evil/x.png)"),
        ("[a](command:x)", "\\[a](command\\:x)"),
        ("[a](javascript:alert(1))", "\\[a](javascript\\:alert(1))"),
        ("[a]: command:x", "\\[a]: command\\:x"),
        ("[![a](x)](https://b)", "\\[\\!\\[a](x)](https://b)"),
        (
            "mailto:a@b.c ftp://x vscode://y",
            "mailto\\:a\\@b.c ftp\\://x vscode\\://y",
        ),
        ("a * b _c d* `e", "a \\* b \\_c d\\* \\`e"),
        ("&lt;img&gt; &#60;", "\\&lt;img\\&gt; \\&#60;"),
        (
            "a | b\n--- | ---\n`x | <img>` | y",
            "a | b  \n\\--- | ---  \n`x | <img>` | y",
        ),
        ("| a |\n| :- |", "\\| a |  \n\\| :- |"),
        ("Title\n===", "Title  \n\\==="),
        ("> quote", "\\> quote"),
        ("*a_b* **c", "\\*a_b\\* \\*\\*c"),
    ] {
        assert_eq!(description(text), expected, "{text:?}");
    }
}

#[test]
fn code_stays_in_its_line() {
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
    assert_eq!(code("a\n\n<b>\r\u{2028}c"), "`a  <b>  c`");
    assert_eq!(code(""), "`\u{a0}`");
    assert_eq!(block("cel", "a ``` b"), "````cel\na ``` b\n````");
    assert_eq!(escape("a *b*\n<c>: `d`"), "a \\*b\\* \\<c>: \\`d\\`");
}

#[test]
fn long_descriptions_are_cut() {
    let text = description(&"*x* ".repeat(100_000));
    assert!(text.len() < 10_000 && text.ends_with('…'), "{}", text.len());
}

#[test]
fn random_descriptions_are_harmless() {
    let pieces = [
        "[",
        "]",
        "(",
        ")",
        "[a]",
        "](",
        "![",
        "!",
        "<",
        ">",
        "<img src=x>",
        "<!--",
        "-->",
        "<https://e>",
        "https://e/x",
        "command:x",
        "javascript:x",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "\\",
        "*",
        "**",
        "_",
        "- ",
        "1. ",
        "# ",
        "|",
        "| - |",
        "---",
        ":",
        ": ",
        "=",
        "&lt;",
        "&",
        "a",
        "b c",
        " ",
        "é",
        "\u{2028}",
        "\r",
        "[a]: x",
        "[^1]",
        "[^1]: ",
        "$",
        "$$",
        "{a}",
        "@",
        "x@y.z",
        "+++",
        "> ",
        "\u{0}",
        "http://",
        "HTTPS://E",
    ];
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..60_000 {
        let text: String = (0..random.usize(..14))
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect();
        for markdown in [
            description(&text),
            escape(&text),
            code(&text),
            block("text", &text),
            format!("- {}: {}", code(&text), escape(&text)),
        ] {
            let dangers = dangers(&markdown);
            assert!(dangers.is_empty(), "{text:?} as {markdown:?}: {dangers:?}");
        }
    }
}
