//! Go templates: checks that errors and names have places in the text.

use crd_analyzer_gotemplate::parse;

use crate::{
    Target,
    dictionary::owned,
    input::{Input, input},
    spans::assert_range_in,
};

pub(super) const TARGET: Target = Target {
    name: "gotemplate",
    run,
    seeds: |_| TEMPLATES.iter().map(|it| input(&[], &[it])).collect(),
    words: || owned(WORDS),
};

const TEMPLATES: &[&str] = &[
    "{{- define \"a\" -}}\n{{ range $n, $it := .b }}{{ $it | quote }}{{ break }}{{ else }}c{{ end }}\n{{- end }}\n{{ template \"a\" . }}",
    "{{ with $x := (include \"a\" (dict \"b\" 1.5e3 `c`)).d }}{{ $x.e }}{{ else with .f }}{{ end }}{{/* g */}}",
    "{{ block \"a\" . }}{{ if eq .b 'c' nil true }}{{ else if . }}{{ end }}{{ end }}",
];

const WORDS: &[&str] = &[
    "{{", "}}", "{{- ", " -}}", "{{/*", "*/}}", "block", "break", "continue", "define", "else", "end", "if", "range",
    "template", "with", "nil", "true", "quote", "$x", ":=", "=", ",", "|", "(", ")", "\"", "`", "'", ".", ".a", "1i",
    "0x1p4",
];

fn run(bytes: &[u8]) {
    let text = Input::new(bytes).text();
    let found = parse(&text, &|it| it.len() > 3, &|it| it == "include");
    match found {
        Ok(parsed) => {
            let parsed = parsed.expect("nothing limits the work");
            let defines = parsed.defines.iter().map(|it| &it.span);
            for span in defines.chain(parsed.calls.iter().map(|it| &it.span)) {
                assert_range_in(&text, span.clone());
            }
            assert!(
                parsed
                    .calls
                    .iter()
                    .all(|it| it.within.is_none_or(|it| it < parsed.defines.len()))
            );
        }
        Err(error) => {
            assert_range_in(&text, error.span.clone());
            assert!(!error.words(&text, "t").is_empty());
            assert!(error.line(&text) <= 1 + text.matches('\n').count());
            if let Some(open) = error.open {
                assert_range_in(&text, open.span);
            }
        }
    }
}
