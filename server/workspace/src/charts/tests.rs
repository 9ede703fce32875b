//! Tests of templates whose includes are replaced.

use std::{fmt::Write as _, path::Path, sync::Arc};

use crd_analyzer_syntax::tree::Span;

use super::{
    chart::Chart,
    put::{Origin, Put, put},
};

const HELPERS: &str = "/c/templates/_helpers.tpl";
const TEMPLATE: &str = "/c/templates/a.yaml";

fn chart(files: &[(&str, &str)]) -> Chart {
    let files = files.iter();
    Chart::new(files.map(|(path, text)| (Arc::from(Path::new(path)), Arc::from(*text))))
}

fn put_in(helpers: &str, template: &str) -> Option<Put> {
    put(Path::new(TEMPLATE), template, &chart(&[(HELPERS, helpers)]))
}

#[track_caller]
fn check(helpers: &str, template: &str, expected: Option<&str>) {
    let found = put_in(helpers, template);
    assert_eq!(found.as_ref().map(|it| &*it.text), expected, "of {template:?}");
}

#[test]
fn includes_are_replaced_where_they_print() {
    let define = "{{- define \"d\" -}}\nb: 1\nc:\n  d: 2\n{{- end }}\n";
    check(
        define,
        "a:\n  {{- include \"d\" . | nindent 2 }}\ne: 3\n",
        Some("a:\n  b: 1\n  c:\n    d: 2\ne: 3\n"),
    );
    check(
        define,
        "a: {{- include \"d\" . | nindent 2 }}\n",
        Some("a:\n  b: 1\n  c:\n    d: 2\n"),
    );
    check(
        define,
        "a:\n{{ include \"d\" . | indent 2 }}\n",
        Some("a:\n  b: 1\n  c:\n    d: 2\n"),
    );
    check(define, "{{ template \"d\" . }}\n", Some("b: 1\nc:\n  d: 2\n"));
    // The first line starts at the column of the action, and the others where they are written.
    check(
        define,
        "  {{ include \"d\" . | indent 2 }}\n",
        Some("    b: 1\n  c:\n    d: 2\n"),
    );
}

#[test]
fn columns_move_with_the_text_around_them() {
    check(
        "{{ define \"e\" }}e: 1\n{{ end }}{{ define \"d\" -}}\nb:\n  {{- include \"e\" . | nindent 2 }}\n{{ include \"e\" . }}\nc:\n  {{- toYaml .c | nindent 2 }}\n{{- end }}",
        "a:\n  {{- include \"d\" . | nindent 4 }}\n",
        Some(
            "a:\n    b:\n      e: 1\n      \n    e: 1\n    \n    c:\n      {{- toYaml .c | nindent 6 }}\n"
                .replace("      \n", "\n")
                .replace("    \n", "\n")
                .as_str(),
        ),
    );
}

#[test]
fn includes_that_print_something_else_stay() {
    let define = "{{- define \"d\" -}}\nb: 1\n{{- end }}\n{{ define \"name\" }}x{{ end }}\n{{ define \"joined\" }}\na: 1\n{{ if .x -}}\n  b: 1\n{{ end }}{{ end }}{{ define \"twice\" }}\na: 1\n{{ end }}{{ define \"twice\" }}\na: 1\n{{ end }}";
    for template in [
        "a: {{ include \"d\" . }}\n",
        "a: {{ include \"d\" . | nindent 2 }} # c\n",
        "a: # {{ include \"d\" . | nindent 2 }}\n",
        "a:\n{{- include \"d\" . | indent 2 }}\n",
        "a:\n  {{- include \"d\" . | nindent 2 -}}\n  c: 1\n",
        "a:\n  {{- include \"name\" . | nindent 2 }}\n",
        "a:\n  {{- include \"joined\" . | nindent 2 }}\n",
        "a:\n  {{- include \"twice\" . | nindent 2 }}\n",
        "a:\n  {{- include \"unknown\" . | nindent 2 }}\n",
        "{{ define \"z\" }}\n{{ include \"d\" . | nindent 2 }}\n{{ end }}\n",
        "{{ end }}{{ include \"d\" . | nindent 2 }}\n",
        "{{ include \"d\" . | nindent 2 \n",
    ] {
        check(define, template, None);
    }
    // A file whose blocks are not balanced defines nothing.
    check(
        "{{ if }}{{ define \"d\" }}\nb: 1\n{{ end }}",
        "{{ include \"d\" . | nindent 2 }}",
        None,
    );
}

#[test]
fn each_part_knows_where_it_is_written() {
    let helpers = "{{- define \"d\" -}}\nb: one\n{{- end }}\n";
    let template = "a:\n  {{- include \"d\" . | nindent 2 }}\ne: two\n";
    let put = put_in(helpers, template).expect("an include");
    let origin = |part: &str| {
        let start = put.text.find(part).expect("a part") as u32;
        put.origin(Span::new(start, start + part.len() as u32))
    };
    let at = |text: &str, part: &str| {
        let start = text.find(part).expect("a part") as u32;
        Span::new(start, start + part.len() as u32)
    };
    assert_eq!(origin("two"), Origin::Own(at(template, "two")));
    let include = at(template, "{{- include \"d\" . | nindent 2 }}");
    let span = at(helpers, "one");
    assert_eq!(origin("one"), Origin::Included { file: 0, span, include });
    // The blanks before a line belong to the line.
    let span = at(helpers, "b: one");
    assert_eq!(origin("  b: one"), Origin::Included { file: 0, span, include });
    let whole = put.own(Span::new(0, put.text.len() as u32));
    assert_eq!(whole, Span::new(0, template.len() as u32));
    let both = "{{- define \"d\" -}}\nb: one\n{{- end }}\na:\n  {{- include \"d\" . | nindent 2 }}\n";
    let put = super::put::put(Path::new(TEMPLATE), both, &chart(&[(TEMPLATE, both)])).expect("an include");
    let start = put.text.rfind("one").expect("a part") as u32;
    let found = put.origin(Span::new(start, start + 3));
    assert_eq!(found, Origin::Own(at(both, "one")), "in the same file");
}

/// What templates that include each other print grows exponentially.
#[test]
fn growth_is_bounded() {
    for leaf in ["a: b\n", "", "a: b\n{{ include \"d0\" . }}\n"] {
        let mut helpers = format!("{{{{ define \"d0\" }}}}\nz: 1\n{leaf}{{{{ end }}}}\n");
        for n in 1..60 {
            let line = format!("{{{{ include \"d{}\" . }}}}\n", n - 1);
            let _ = write!(
                helpers,
                "{{{{ define \"d{n}\" }}}}\nk: 1\n{}{{{{ end }}}}\n",
                line.repeat(8)
            );
        }
        let template = "{{ include \"d12\" . }}\n".repeat(2_000);
        let put = put_in(&helpers, &template).expect("includes");
        assert!(put.text.len() < 16 << 20, "{} bytes", put.text.len());
        assert!(
            put_in(&helpers, "{{ include \"d59\" . }}\n").is_some(),
            "too deep, but not in vain"
        );
    }
    let many = "{{ define \"d\" }}\na: 1\n{{ end }}\n".repeat(50_000);
    assert!(put_in(&many, &"{{ include \"d\" . }}\n".repeat(50_000)).is_none());
}
