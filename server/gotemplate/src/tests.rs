//! What Go itself says of these texts, as `tests/conformance/helm` printed it.

use super::{Cause, Parsed, parse};

const FUNCTIONS: [&str; 4] = ["eq", "include", "printf", "quote"];

fn parsed(text: &str) -> Result<Parsed, Box<super::Error>> {
    let found = parse(text, &|it| FUNCTIONS.contains(&it), &|it| it == "include");
    found.map(|it| it.expect("nothing limits the work"))
}

/// Checks the line and the words.
#[track_caller]
fn check(text: &str, expected: Option<(usize, &str)>) {
    let found = parsed(text).err().map(|it| {
        assert!(text.get(it.span.clone()).is_some(), "{text:?}: {it:?}");
        (it.line(text), it.words(text, "f"))
    });
    let found = found.as_ref().map(|it| (it.0, &*it.1));
    assert_eq!(found, expected, "of {text:?}");
}

#[test]
#[rustfmt::skip]
fn gos_own_answers() {
    for (text, expected) in [
    ("{{ if .a }}x", Some((1, "unexpected EOF"))),
    ("{{ if .a }}{{ else }}", Some((1, "unexpected EOF"))),
    ("{{ end }}", Some((1, "unexpected {{end}}"))),
    ("a\n{{ else }}", Some((2, "unexpected {{else}}"))),
    ("{{ else if .a }}", Some((1, "unexpected {{else}}"))),
    ("{{ if .a }}{{ else }}{{ else }}{{ end }}", Some((1, "expected end; found {{else}}"))),
    ("{{ if .a }}{{ else with .b }}{{ end }}", Some((1, "unexpected <with> in input"))),
    ("{{ with .a }}{{ else with .b }}{{ else }}{{ end }}", None),
    ("{{ range .a }}{{ else if .b }}{{ end }}{{ end }}", Some((1, "unexpected <if> in input"))),
    ("{{ range $a, $b := .c }}{{ break }}{{ continue }}{{ end }}", None),
    ("{{ break }}", Some((1, "{{break}} outside {{range}}"))),
    ("{{ range .a }}{{ else }}{{ break }}{{ end }}", Some((1, "{{break}} outside {{range}}"))),
    ("{{ break x }}", Some((1, "unexpected \"x\" in {{break}}"))),
    ("{{ range $a, $b, $c := .d }}{{ end }}", Some((1, "too many declarations in range"))),
    ("{{ range $a, .b }}{{ end }}", Some((1, "range can only initialize variables"))),
    ("{{ range $a, }}{{ end }}", Some((1, "missing value for range"))),
    ("{{ $a, $b := .c }}", Some((1, "too many declarations in command"))),
    ("{{ if $a := .b }}{{ end }}{{ $a }}", Some((1, "undefined variable \"$a\""))),
    ("{{ if .b }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}{{ $x }}", Some((1, "undefined variable \"$x\""))),
    ("{{ $x = 1 }}", None),
    ("{{ $x := $x }}", None),
    ("{{ $x }}", Some((1, "undefined variable \"$x\""))),
    ("{{ $ }}", None),
    ("{{ $.a.b }}", None),
    ("{{ $x.y }}", Some((1, "undefined variable \"$x\""))),
    ("{{ nident 4 }}", Some((1, "function \"nident\" not defined"))),
    ("{{ .a | nident 4 }}", Some((1, "function \"nident\" not defined"))),
    ("{{ }}", Some((1, "missing value for command"))),
    ("{{}}", Some((1, "missing value for command"))),
    ("{{ if }}x{{ end }}", Some((1, "missing value for if"))),
    ("{{ () }}", Some((1, "missing value for parenthesized pipeline"))),
    ("{{ (.a }}", Some((1, "unclosed left paren"))),
    ("{{ .a) }}", Some((1, "unexpected right paren"))),
    ("{{ .a | }}", None),
    ("{{ | .a }}", Some((1, "unexpected \"|\" in command"))),
    ("{{ .a | 3 }}", Some((1, "non executable command in pipeline stage 2"))),
    ("{{ .a | (quote) | \"x\" | 4 }}", Some((1, "non executable command in pipeline stage 3"))),
    ("{{ .a | nil }}", Some((1, "non executable command in pipeline stage 2"))),
    ("{{ nil }}", None),
    ("{{ .a | . }}", Some((1, "non executable command in pipeline stage 2"))),
    ("{{ .a", Some((1, "unclosed action"))),
    ("{{ .a\n\n", Some((3, "unclosed action started at f:1"))),
    ("{{ .a }", Some((1, "unexpected \"}\" in operand"))),
    ("{{ .a }\nx: }} y", Some((1, "unexpected \"}\" in operand"))),
    ("{ .a }}", None),
    ("{{ .a }}}", None),
    ("{{{ .a }}", Some((1, "unexpected \"{\" in command"))),
    ("{{- .a -}}", None),
    ("{{-.a}}", Some((1, "bad number syntax: \"-.a\""))),
    ("{{-3}}", None),
    ("{{ -3 -}}", None),
    ("{{3-}}", Some((1, "bad number syntax: \"3-\""))),
    ("{{ .a-}}", Some((1, "bad character U+002D '-'"))),
    ("{{ .a - }}", Some((1, "illegal number syntax: \"-\""))),
    ("{{ \"abc }}", Some((1, "unterminated quoted string"))),
    ("{{ \"a\\\" }}", Some((1, "unterminated quoted string"))),
    ("{{ `abc }}", Some((1, "unterminated raw quoted string"))),
    ("{{ 'a }}", Some((1, "unterminated character constant"))),
    ("{{ 'ab' }}", Some((1, "malformed character constant: 'ab'"))),
    ("{{ '' }}", Some((1, "invalid syntax"))),
    ("{{ '\\n' }}", None),
    ("{{ 'a' }}", None),
    ("{{ \"\\d\" }}", Some((1, "invalid syntax"))),
    ("{{ 1.5e }}", Some((1, "illegal number syntax: \"1.5e\""))),
    ("{{ 1x }}", Some((1, "bad number syntax: \"1x\""))),
    ("{{ 0x1G }}", Some((1, "bad number syntax: \"0x1G\""))),
    ("{{ 08 }}", Some((1, "integer overflow: \"08\""))),
    ("{{ 1+2i }}", None),
    ("{{ 1+2 }}", Some((1, "bad number syntax: \"1+2\""))),
    ("{{ 99999999999999999999 }}", Some((1, "integer overflow: \"99999999999999999999\""))),
    ("{{ 1_000 }}", None),
    ("{{ 1__0 }}", Some((1, "illegal number syntax: \"1__0\""))),
    ("{{ .5 }}", None),
    ("{{ . }}", None),
    ("{{ .", Some((1, "illegal number syntax: \".\""))),
    ("{{ . .x }}", None),
    ("{{ ..x }}", Some((1, "unexpected . after term \".\""))),
    ("{{ 1.x }}", Some((1, "bad number syntax: \"1.x\""))),
    ("{{ 1 .x }}", None),
    ("{{ true.x }}", Some((1, "unexpected . after term \"true\""))),
    ("{{ \"a\".x }}", Some((1, "unexpected . after term \"\\\"a\\\"\""))),
    ("{{ nil.x }}", Some((1, "unexpected . after term \"nil\""))),
    ("{{ (1).x.y }}", None),
    ("{{ quote.x }}", None),
    ("{{ .a.b..c }}", Some((1, "unexpected <.> in operand"))),
    ("{{ .a! }}", Some((1, "bad character U+0021 '!'"))),
    ("{{ a! }}", Some((1, "bad character U+0021 '!'"))),
    ("{{ .a,.b }}", Some((1, "unexpected \",\" in operand"))),
    ("{{ , }}", Some((1, "unexpected \",\" in command"))),
    ("{{ .a:b }}", Some((1, "expected :="))),
    ("{{ :=1 }}", Some((1, "unexpected \":=\" in command"))),
    ("{{ = }}", Some((1, "unexpected \"=\" in command"))),
    ("{{ é }}", Some((1, "function \"é\" not defined"))),
    ("{{ .é }}", None),
    ("{{ ² }}", Some((1, "unrecognized character in action: U+00B2 '²'"))),
    ("{{ Ⅰ }}", Some((1, "unrecognized character in action: U+2160 'Ⅰ'"))),
    ("{{ \u{1} }}", Some((1, "unrecognized character in action: U+0001"))),
    ("{{ \u{200b} }}", Some((1, "unrecognized character in action: U+200B"))),
    ("{{ € }}", Some((1, "unrecognized character in action: U+20AC '€'"))),
    ("{{/* a */}}", None),
    ("{{/* a }}", Some((1, "unclosed comment"))),
    ("{{- /* a */ -}}", None),
    ("{{-  /* a */ -}}", Some((1, "unexpected \"/\" in command"))),
    ("{{/* a */ }}", Some((1, "comment ends before closing delimiter"))),
    ("{{ /* a */ }}", Some((1, "unexpected \"/\" in command"))),
    ("{{ if .a }}\n{{/* a }}", Some((2, "unclosed comment in action started at f:1"))),
    ("{{ if .a }}\n{{ .b }}{{/* a }}", Some((2, "unclosed comment"))),
    ("{{ .a\n| \"abc }}", Some((2, "unterminated quoted string in action started at f:1"))),
    ("{{ .a\n\n", Some((3, "unclosed action started at f:1"))),
    ("{{\n.a\n}}", None),
    ("{{ if .a\n}}{{ \n'x }}", Some((3, "unterminated character constant in action started at f:2"))),
    ("{{ define \"a\" }}x{{ end }}{{ define \"a\" }}y{{ end }}", Some((1, "multiple definition of template \"a\""))),
    ("{{ define \"a\" }} {{ end }}{{ define \"a\" }}y{{ end }}{{ define \"a\" }}\n{{ end }}", None),
    ("{{ define \"a\" }}{{ $x := 1 }}{{ end }}{{ define \"a\" }}y{{ end }}", Some((1, "multiple definition of template \"a\""))),
    ("{{ define a }}{{ end }}", Some((1, "unexpected \"a\" in define clause"))),
    ("{{ define \"a\" . }}{{ end }}", Some((1, "unexpected <.> in define clause"))),
    ("{{ define \"a\" }}{{ else }}{{ end }}", Some((1, "unexpected {{else}} in define clause"))),
    ("{{ define \"a\" }}\nx", Some((2, "unexpected EOF"))),
    ("{{ define \"a\" }}{{ if .b }}{{ end }}", Some((1, "unexpected EOF"))),
    ("{{ if .x }}{{ define \"a\" }}{{ end }}{{ end }}", Some((1, "unexpected <define> in command"))),
    ("{{ $x := 1 }}{{ define \"a\" }}{{ $x }}{{ end }}", Some((1, "undefined variable \"$x\""))),
    ("{{ define }}", Some((1, "unexpected \"}}\" in define clause"))),
    ("{{ define \"\\d\" }}", Some((1, "invalid syntax"))),
    ("{{ block \"a\" . }}\nx{{ end }}", None),
    ("{{ block \"a\" }}{{ end }}", Some((1, "missing value for block clause"))),
    ("{{ block \"a\" . }}\n{{ else }}{{ end }}", Some((1, "unexpected {{else}} in block clause"))),
    ("{{ block a . }}", Some((1, "unexpected \"a\" in block clause"))),
    ("{{ block \"a\" . }}x", Some((1, "unexpected EOF"))),
    ("{{ range .a }}{{ block \"a\" . }}{{ break }}{{ end }}{{ end }}", Some((1, "{{break}} outside {{range}}"))),
    ("{{ block \"a\" . }}x{{ end }}{{ block \"a\" . }}x{{ end }}", Some((1, "multiple definition of template \"a\""))),
    ("{{ template \"a\" }}", None),
    ("{{ template \"a\" . }}", None),
    ("{{ template a }}", Some((1, "unexpected \"a\" in template clause"))),
    ("{{ template \"a\" . . | quote }}", None),
    ("{{ template }}", Some((1, "unexpected \"}}\" in template clause"))),
    ("{{ template \"a\" | }}", Some((1, "unexpected \"|\" in template clause"))),
    ("{{ template \"a\".x }}", None),
    ("{{ include \"a\" . }}{{ include \"b\" }}", None),
    ("{{ ende }}", Some((1, "function \"ende\" not defined"))),
    ("{{ fi .x }}", Some((1, "function \"fi\" not defined"))),
    ("{{ wiht .x }}", Some((1, "function \"wiht\" not defined"))),
    ("{{ Values.x }}", Some((1, "function \"Values\" not defined"))),
    ("{{ include c.labels . }}", Some((1, "function \"c\" not defined"))),
    ("{{ if .Values.x.enabled\n  a: b\n{{ end }}", Some((2, "function \"a\" not defined"))),
    ("{{ elseif .x }}", Some((1, "function \"elseif\" not defined"))),
    ("{{ if eq .a 1 }}{{ elseif }}", Some((1, "function \"elseif\" not defined"))),
    ("{{ end if }}", Some((1, "unexpected <if> in end"))),
    ("{{ if .x }}{{ end .x }}", Some((1, "unexpected \".x\" in end"))),
    ("{{ if .x }}{{ else .x }}{{ end }}", Some((1, "unexpected \".x\" in else"))),
    ("{{ if .x}} {{else if}}{{end}}", Some((1, "missing value for if"))),
    ("{{ (.a).b }}", None),
    ("{{ ((.a | quote) | quote).b.c }}", None),
    ("{{ quote (.a .b }}", Some((1, "unclosed left paren"))),
    ("{{ quote (.a)) }}", Some((1, "unexpected right paren"))),
    ("{{ (.a)(.b) }}", Some((1, "unexpected \"(\" in operand"))),
    ("{{ .a(.b) }}", Some((1, "unexpected \"(\" in operand"))),
    ("{{ quote\"a\" }}", Some((1, "bad character U+0022 '\"'"))),
    ("{{ \"a\"quote }}", Some((1, "unexpected \"quote\" in operand"))),
    ("{{ \"abcdefghijklmnopqrs\"quote }}", Some((1, "unexpected \"quote\" in operand"))),
    ("{{ $x:=1 }}", None),
    ("{{ $x :=1 }}{{$x}}", None),
    ("{{ $x : = 1 }}", Some((1, "undefined variable \"$x\""))),
    ("{{ with $x := .a }}{{ $x }}{{ end }}{{ $x }}", Some((1, "undefined variable \"$x\""))),
    ("{{ $a $b := 1 }}", Some((1, "undefined variable \"$a\""))),
    ("{{ $.a := 1 }}", Some((1, "unexpected \":=\" in operand"))),
    ("{{ $x.y := 1 }}", Some((1, "undefined variable \"$x\""))),
    ("{{ $x", Some((1, "undefined variable \"$x\""))),
    ("{{ $x, ", Some((1, "too many declarations in command"))),
    ("{{ range $x", Some((1, "undefined variable \"$x\""))),
    ("{{ if .a }}{{ if .b }}{{ end }}\n", Some((2, "unexpected EOF"))),
    ("text", None),
    ("", None),
    ("{{ \t}}", Some((1, "missing value for command"))),
    ("{{ .a \n -}} b", None),
    ("{{ .a  -}} b", None),
    ("{{ .a\n-}}\n\n{{ end }}", Some((4, "unexpected {{end}}"))),
    ("{{-\n\n.a }}{{ end }}", Some((3, "unexpected {{end}}"))),
    ("a \n\n {{- end }}", Some((3, "unexpected {{end}}"))),
    ("{{ %}}", Some((1, "unexpected \"%\" in command"))),
    ("{{ .a }} }}", None),
    ("{{ .a {{ .b }} }}", Some((1, "unexpected \"{\" in operand"))),
    ("{{ \"{{ .a }}\" }}", None),
    ("{{ .a \\ }}", Some((1, "unexpected \"\\\\\" in operand"))),
    ("{{ .a\r\n}}\r\n{{ end }}", Some((3, "unexpected {{end}}"))),
    ("{{ quote \"a\" \"\\\n\" }}", Some((1, "unterminated quoted string"))),
    ("{{ \"a\nb\" }}", Some((1, "unterminated quoted string"))),
    ("{{ 0b102 }}", Some((1, "bad number syntax: \"0b102\""))),
    ("{{ 0o8 }}", Some((1, "bad number syntax: \"0o8\""))),
    ("{{ 0x1p4 }}", None),
    ("{{ 0x1.8 }}", Some((1, "illegal number syntax: \"0x1.8\""))),
    ("{{ 1e400 }}", Some((1, "illegal number syntax: \"1e400\""))),
    ("{{ 3i }}", None),
    ("{{ +3 }}", None),
    ("{{ - 3 }}", Some((1, "illegal number syntax: \"-\""))),
    ("{{ + }}", Some((1, "illegal number syntax: \"+\""))),
    ("{{ -.5 }}", None),
    ("{{ 1.2.3 }}", Some((1, "unexpected \".3\" in operand"))),
    ("{{ 18446744073709551615 }}", None),
    ("{{ -9223372036854775809 }}", Some((1, "integer overflow: \"-9223372036854775809\""))),
    ("{{ 1+2i.x }}", Some((1, "unexpected . after term \"1+2i\""))),
    ("{{ 1- }}", Some((1, "bad number syntax: \"1-\""))),
    ("{{ .a.1 }}", Some((1, "unexpected \".1\" in operand"))),
    ("{{ .1a }}", Some((1, "bad number syntax: \".1a\""))),
    ("{{ a.b }}", Some((1, "function \"a\" not defined"))),
    ("{{ true false }}", None),
    ("{{ .a | true }}", Some((1, "non executable command in pipeline stage 2"))),
    ("{{ block \"x\" 1 | 2 }}{{ end }}", Some((1, "non executable command in pipeline stage 2"))),
    ("{{ {{ }}", Some((1, "unexpected \"{\" in command"))),
    ("{{ if .a }} { {end }}", Some((1, "unexpected EOF"))),
    ("{{ if .a }}{{ end }", Some((1, "unexpected \"}\" in end"))),
    ("{{ if .a }}{{ end", Some((1, "unclosed action"))),
    ("{{end}}{{if", Some((1, "unexpected {{end}}"))),
    ] {
        check(text, expected);
    }
}

#[test]
fn deep_texts() {
    let of = |count: usize| format!("{{{{{}1{}}}}}", "(".repeat(count), ")".repeat(count));
    check(&of(10_000), None);
    check(&of(10_001), Some((1, "max expression depth exceeded")));
    let chain = format!("{{{{ if 1 }}}}{}", "{{ else if 1 }}".repeat(20_000));
    check(&chain, Some((1, "unexpected EOF")));
    check(&format!("{chain}{{{{ end }}}}"), None);
    check(
        &format!("{chain}{{{{ end }}}}{{{{ end }}}}"),
        Some((1, "unexpected {{end}}")),
    );
    check(&"{{ if 1 }}".repeat(20_000), Some((1, "unexpected EOF")));
    check(&"{{ block \"a\" 1 }}".repeat(10_000), Some((1, "unexpected EOF")));
}

#[track_caller]
fn check_span(text: &str, shown: &str, cause: &Cause) {
    let error = parsed(text).expect_err(text);
    assert_eq!((&text[error.span.clone()], &error.cause), (shown, cause), "of {text:?}");
}

#[test]
fn places_and_causes() {
    check_span("a {{ .a | qoute }}", "qoute", &Cause::Function("qoute".into()));
    let names = vec!["$".into(), "$a".into()];
    check_span("{{ $a := 1 }}{{ $b }}", "$b", &Cause::Variable("$b".into(), names));
    check_span(
        "{{ if .a }}\n{{- with .b }}\n{{ end }}\n",
        "{{ if .a }}",
        &Cause::NotClosed,
    );
    check_span("{{ if .a }}\n{{- else if .b }}\n", "{{ if .a }}", &Cause::NotClosed);
    check_span("a\n{{- define \"a\" -}}\n", "{{- define \"a\" -}}", &Cause::NotClosed);
    // The `end` of the `if` is missing, judging by the columns.
    let text = "{{ if .a }}\n{{ range .b }}\n  {{ if .c }}\n{{ end }}\n{{ end }}\n";
    check_span(text, "{{ if .c }}", &Cause::NotClosed);
    check_span(
        "{{ define \"a\" }}\n {{ if .a }}\n{{ end }}\n",
        "{{ if .a }}",
        &Cause::NotClosed,
    );
    check_span("a\n{{- end }}\n", "{{- end }}", &Cause::NotOpened("end"));
    check_span("{{ if .a\n\n", "{{ if .a", &Cause::ActionNotClosed);
    check_span("{{ if .a\n  b: c\n", "b", &Cause::Function("b".into()));
    check_span("{{ .a }\n", "}", &Cause::Other);
    check_span("{{ \"a }}\nb", "\"a }}", &Cause::Other);
    check_span("{{ .a | \n }} {{ if }} {{ end }}", "{{ if }}", &Cause::Other);
}

#[test]
fn names_of_templates() {
    let text = "{{ define \"a\" }}{{ include `b` . | quote }}{{ end }}{{ template \"c\" }}{{ (include \"d\" .).e }}{{ include .f }}\
                {{ block \"g\" . }}{{ end }}{{ quote \"h\" }}";
    let found = parsed(text).expect(text);
    let defines: Vec<&str> = found.defines.iter().map(|it| &*it.name).collect();
    let calls: Vec<&str> = found.calls.iter().map(|it| &*it.name).collect();
    assert_eq!((defines, calls), (vec!["a", "g"], vec!["b", "c", "d", "g"]));
}
