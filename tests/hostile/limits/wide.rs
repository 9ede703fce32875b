//! Mappings with tens of thousands of wrong entries. The search for their fixes must end soon.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::command_line::{definition, resource, run};

/// All entries of a template are one mapping to the parser of texts with mistakes, and each has an error without a fix.
#[test]
fn wide_templates_whose_fields_are_all_wrong() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let mut template = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n".to_owned();
    for n in 0..40_000 {
        let _ = writeln!(
            template,
            "  {{{{- if .Values.a{n} }}}}\n  u{n}: 1\n  {{{{- else }}}}\n  v{n}: 1\n  {{{{- end }}}}"
        );
    }
    let files = [
        ("Chart.yaml", "name: c\nversion: 1.0.0\n".to_owned()),
        ("crds/crd.json", definition(&schema)),
        ("templates/t.yaml", template),
    ];
    run(&files, &["check", "."]).expect(
        1,
        &[
            "unknown-field",
            " more errors are not shown, because there are too many in one file",
        ],
    );
}

/// The search for fixes ends, and the errors are told.
#[test]
fn wide_objects_whose_fields_are_all_misspelt() {
    let properties: serde_json::Map<String, Value> = (0..300)
        .map(|n| (format!("field{n}"), json!({"type": "string"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    let unknown: serde_json::Map<String, Value> = (0..30_000).map(|n| (format!("feild{n}"), json!("a"))).collect();
    let files = [
        ("crd.json", definition(&schema)),
        ("cr.json", resource(&json!(unknown))),
    ];
    run(&files, &["check", "--crd", "crd.json", "cr.json"]).expect(1, &["feild"]);
    run(&files, &["check", "--fix", "--crd", "crd.json", "cr.json"]).expect(1, &["feild"]);
}
