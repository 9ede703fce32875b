//! Tests of custom resources with their CRDs.

use super::{Sandbox, definition};

const SCHEMA: &str = "              type: object
              required: [size]
              properties:
                size: {type: integer, maximum: 9}
                color: {type: string, default: red}
              x-kubernetes-validations:
                - rule: self.size != 5
                  message: five is taken
";

fn resource(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: one}}\nspec: {spec}\n")
}

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new(&[("crds/widgets.yaml", &definition(SCHEMA))]);
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox
}

#[test]
fn a_version_without_a_schema_checks_nothing() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n  versions:\n  - {name: v1, served: true, storage: true}\n";
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", crd), ("w.yaml", widget)]);
    sandbox.run(&["check", "."]).expect(
        1,
        &[
            "error[missing-schema]",
            "warning[unusable-crd]",
            ", 1 error, 1 warning,",
        ],
    );
}

#[test]
fn a_misspelt_required_field_has_one_help() {
    let sandbox = sandbox(&[("samples/bad.yaml", &resource("{sise: 1}"))]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(1, &["`spec` has no `size`, which is required", "did you mean `size`?"]);
    assert_eq!(outcome.stdout.matches("help: change `sise` to `size`").count(), 1);
    assert!(!outcome.stdout.contains("add `size"), "{}", outcome.stdout);
    // If no name is similar, the help suggests adding the required field.
    sandbox.write("samples/bad.yaml", resource("{color: 3}"));
    sandbox.run(&["check", "."]).expect(1, &["help: add `size: 1`"]);
}

#[test]
fn a_resource_is_checked_beside_its_definition() {
    let sandbox = sandbox(&[
        ("samples/good.yaml", &resource("{size: 1}")),
        ("samples/bad.yaml", &resource("{size: 10, colour: blue}")),
        ("samples/rule.yaml", &resource("{size: 5}")),
        ("samples/pod.yaml", "apiVersion: v1\nkind: Pod\nspec: 7\n"),
        (
            "samples/other.yaml",
            "apiVersion: other.com/v1\nkind: Widget\nspec: 7\n",
        ),
        (
            "samples/template.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  {{- toYaml .x }}\n",
        ),
    ]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(
        1,
        &[
            "error[unknown-field]: `colour` is not a field of `spec`",
            "the schema has no such property",
            "did you mean `color`?",
            "help: change `colour` to `color`",
            " samples/bad.yaml:4:18",
            "must be at most 9, but the value is 10",
            "`maximum` is set here",
            " crds/widgets.yaml:21:48",
            "five is taken",
            "the rule",
            "samples/bad.yaml: one rejected",
            "7 files, 1 CRD, 4 CRs (1 checked in part), 3 errors",
        ],
    );
    assert!(!outcome.stdout.contains("pod.yaml") && !outcome.stdout.contains("other.yaml"));
    // The resource is checked alone. Its CRD is in the repository or given by an option.
    sandbox.run(&["check", "samples/bad.yaml"]).expect(
        1,
        &[
            "error[not-checked]: `Widget` of `example.com/v1` is not checked",
            "1 file, 0 CRDs, 1 error,",
            "1 object is not checked, because no CRD here defines its kind: Widget (example.com)",
        ],
    );
    for given in ["crds", "crds/widgets.yaml", "cr*/*.yaml", "./**/widgets.yaml"] {
        sandbox
            .run(&["check", "samples/bad.yaml", "--crd", given])
            .expect(1, &["1 file, 0 CRDs, 1 CR, 2 errors"]);
    }
    sandbox
        .run(&["check", "samples", "--crd", "nowhere.yaml"])
        .expect(3, &["nowhere.yaml"]);
    sandbox
        .run(&["check", "samples", "--crd", "no*.yaml"])
        .expect(2, &["no YAML or JSON file matches"]);
    sandbox.write(".crd-analyzer.yaml", "exclude: ['crds/**']\n");
    sandbox.run(&["check", "."]).expect(0, &["6 files, 0 CRDs, 0 errors"]);
    sandbox.write("samples/.crd-analyzer.yaml", "crds: [../crds]\n");
    sandbox
        .run(&["check", "samples"])
        .expect(1, &["4 CRs (1 checked in part), 3 errors"]);
}

#[test]
fn every_output_says_where_and_what_decides() {
    let sandbox = sandbox(&[("bad.yaml", &resource("{size: 10, colour: blue}"))]);
    let lines = sandbox
        .run(&[
            "check",
            "bad.yaml",
            "--crd",
            "crds",
            "-o",
            "jsonl",
            "--kubernetes-version",
            "1.30..1.31",
        ])
        .json();
    assert_eq!(lines.len(), 2);
    let line = &lines[0];
    assert_eq!(line["kind"], "Widget");
    assert_eq!(line["strict"][0], "unknown field \"spec.colour\"");
    assert_eq!(line["unknown"][0], "spec.colour");
    assert_eq!(line["changed"], true);
    assert_eq!(line["object"], serde_json::Value::Null);
    assert_eq!(line["errors"][0]["field"], "spec.size");
    assert_eq!(line["errors"][0]["related"][0]["file"], "crds/widgets.yaml");
    assert_eq!(line["errors"][0]["related"][0]["range"]["start"]["line"], 21);
    let shown = sandbox
        .run(&[
            "check",
            "bad.yaml",
            "--crd",
            "crds",
            "-o",
            "json",
            "--show",
            "effective",
        ])
        .stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(
        shown["answers"][0]["object"]["spec"],
        serde_json::json!({"color": "red", "size": 10})
    );
    assert_eq!(shown["summary"]["resources"], 1);
    sandbox
        .run(&["check", "bad.yaml", "--crd", "crds", "-o", "github"])
        .expect(1, &["::error file=bad.yaml,line=4"]);
    sandbox
        .run(&["check", "bad.yaml", "--crd", "crds", "--show", "effective"])
        .expect(
            1,
            &[
                "# bad.yaml: Widget one as Kubernetes 1.37 reads it\n",
                "\n  color: red  # defaulted\n",
                "\n  # dropped: colour: \"blue\"\n",
            ],
        );
    sandbox.write(
        "quiet.yaml",
        format!(
            "# crd-analyzer: ignore-file[number-too-large, unknown-field] a test\n{}",
            resource("{size: 10, x: 1}")
        ),
    );
    sandbox
        .run(&["check", "quiet.yaml", "--crd", "crds"])
        .expect(0, &["1 CR, 0 errors"]);
}

#[test]
fn the_items_of_a_list_are_objects() {
    let items = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: one}\n  spec: {size: 10}\n\
                 - apiVersion: v1\n  kind: Pod\n- apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: two}\n  spec: {size: 5}\n";
    let sandbox = sandbox(&[("list.yaml", items)]);
    let lines = sandbox
        .run(&["check", "list.yaml", "--crd", "crds", "-o", "jsonl"])
        .json();
    let items: Vec<_> = lines.iter().map(|it| it["item"].as_u64()).collect();
    assert_eq!(items, [Some(0), Some(2)]);
    assert_eq!(lines[1]["errors"][0]["range"]["start"]["line"], 13);
}

#[test]
fn requests_bring_their_definition() {
    let sandbox = sandbox(&[
        ("one.yaml", &resource("{size: 5}")),
        ("old.yaml", &resource("{size: 1}")),
    ]);
    let crd = definition(SCHEMA);
    let requests = [
        serde_json::json!({"crd": "crds/widgets.yaml", "cr": "one.yaml", "old": "old.yaml"}),
        serde_json::json!({"id": "x", "crd_text": crd, "text": resource("{}")}),
        serde_json::json!({"crd": "crds/widgets.yaml", "text": "apiVersion: a/v1\nkind: B\n"}),
    ];
    let input = requests.map(|it| it.to_string()).join("\n");
    let outcome = sandbox.run_with_input(&["check", "--list", "-", "-o", "jsonl"], input.as_bytes());
    let lines = outcome.json();
    assert_eq!(lines[0]["errors"][0]["detail"], "five is taken");
    assert_eq!(
        (&lines[1]["file"], &lines[1]["errors"][0]["type"]),
        (&"x".into(), &"FieldValueRequired".into())
    );
    assert_eq!(
        lines[2]["decode_error"],
        "no matches for kind \"B\" in version \"a/v1\""
    );
}

#[test]
fn answers_tell_what_cannot_be_read_and_what_a_server_would_have_done() {
    let sandbox = sandbox(&[]);
    let whole = resource("{size: 1}");
    let not_json = resource("{? [a] : b}");
    let no_yaml = resource("{size: *gone}");
    let large = resource("{size: 9223372036854775808.0, colour: x}");
    let request = |new: &str, old: Option<&str>| {
        let mut request = serde_json::json!({ "crd_text": definition(SCHEMA), "text": new });
        if let Some(old) = old {
            request["old_text"] = old.into();
        }
        request.to_string()
    };
    let input = [
        request(&not_json, None),
        request(&no_yaml, None),
        request(&whole, Some(&not_json)),
        request(&large, Some(&no_yaml)),
        request(&large, None),
    ]
    .join("\n");
    let args = ["check", "--list", "-", "-o", "jsonl", "--show", "effective"];
    let outcome = sandbox.run_with_input(&args, input.as_bytes());
    let lines: Vec<serde_json::Value> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let head = "the object provided is unrecognized (must be of type Widget): yaml: ";
    let refused: Vec<&str> = lines
        .iter()
        .map(|it| it["decode_error"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        refused,
        [
            format!("{head}invalid map key: []interface {{}}{{\"a\"}}"),
            format!("{head}unknown anchor 'gone' referenced"),
            format!("old object: {head}invalid map key: []interface {{}}{{\"a\"}}"),
            format!("old object: {head}unknown anchor 'gone' referenced"),
            String::new(),
        ]
    );
    // The API server decodes the new object before the old object.
    assert_eq!(lines[2]["object"]["spec"]["color"], "red");
    assert_eq!(lines[3]["strict"][0], "unknown field \"spec.colour\"");
    // The value is too large, so the rules do not run, but their cost is still reported.
    assert!(lines[4]["cel_cost"].as_u64().unwrap() > 0);
    assert!(outcome.stdout.contains("\"size\":9223372036854776000}"));
}

#[test]
fn an_update_tries_a_changed_definition_on_what_is_stored() {
    let sandbox = sandbox(&[("samples/one.yaml", &resource("{size: 8}"))]);
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(sandbox.path())
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let check = |code: i32, texts: &[&str]| {
        sandbox.run(&["check", "--old-ref", "HEAD", "."]).expect(code, texts);
    };
    check(0, &["1 CRD, 1 CR, 0 errors"]);
    sandbox.write("samples/one.yaml", resource("{size: 5}"));
    check(1, &["five is taken", "1 error"]);
    // An unchanged invalid value is tolerated, with a hint.
    sandbox.write("samples/one.yaml", resource("{size: 8}"));
    sandbox.write(
        "crds/widgets.yaml",
        definition(&SCHEMA.replace("maximum: 9", "maximum: 7")),
    );
    check(0, &["hint", "[stored-object-invalid]", "must be at most 7", "0 errors"]);
    // A missing required field is not tolerated, because the stored object can no longer be updated.
    sandbox.write("samples/one.yaml", resource("{size: 6, shape: round}"));
    let stricter = SCHEMA
        .replace("[size]", "[size, shape]")
        .replace("color:", "shape: {type: string}\n                color:");
    sandbox.write("crds/widgets.yaml", definition(&stricter));
    check(0, &["0 errors"]);
    sandbox.write("samples/two.yaml", resource("{size: 10}").replace("one", "two"));
    check(1, &["samples/two.yaml", "must be at most 9"]);
}

/// Advice about bounds takes into account that the API server truncates them.
#[test]
fn advice_about_bounds_counts_what_is_cut() {
    for (schema, value, help) in [
        (
            "{type: number, maximum: 1e20}",
            "1",
            "help: set `maximum` to a number from -9223372036854775808 to 9223372036854775807, or write a number with a fraction",
        ),
        (
            "{type: number, maximum: 1.5, exclusiveMaximum: true}",
            "1",
            "help: write an integer that is less than 1, or set `maximum` to an integer",
        ),
        (
            "{type: number, minimum: -1.5, exclusiveMinimum: true}",
            "-1",
            "help: write an integer that is greater than -1, or set `minimum` to an integer",
        ),
        (
            "{type: number, maximum: 5}",
            "6",
            "help: write `spec: 5`, or a number that is at most 5",
        ),
        (
            "{type: number, multipleOf: 1e20}",
            "1",
            "help: set `multipleOf` to a positive integer of 64 bits: with this value, Kubernetes rejects all integers",
        ),
        (
            "{type: number, multipleOf: 0.5}",
            "1",
            "help: set `multipleOf` to a positive integer of 64 bits: with this value, Kubernetes rejects all integers",
        ),
        ("{type: number, multipleOf: 0.5}", "1.2", "help: write 1.5"),
        ("{type: number, multipleOf: 2.5}", "5", "help: write 4 or 6"),
        ("{type: integer, multipleOf: 3}", "5", "help: write 3 or 6"),
    ] {
        let sandbox = Sandbox::new(&[
            ("crd.yaml", &definition(&format!("              {schema}\n"))),
            ("one.yaml", &resource(value)),
        ]);
        let outcome = sandbox.run(&["check", "one.yaml", "--crd", "crd.yaml"]);
        outcome.expect(1, &[help]);
        assert!(!outcome.stdout.contains("1e+20`"), "{outcome:#?}");
    }
}

/// Documents after a flow mapping are read in the same way as by kubectl, also in UTF-16.
#[test]
fn documents_behind_braces_are_read() {
    let good =
        r#"{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"size": 1}}"#;
    let bad = good.replace("\"size\": 1", "\"size\": 10");
    let flow = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: one}, spec: {size: 1}}";
    for (text, errors) in [
        (format!("{good}\n---\n{good}\n"), 0),
        (format!("{good}\n---\n{bad}\n"), 1),
        (format!("{good}\n{bad}\n"), 1),
        (format!("{good}\n---\n{}", resource("{size: 10}")), 1),
        (format!("{flow}\n---\n{bad}\n---\n{}", resource("{size: 10}")), 2),
        (format!("{good}\n{good}\n---\n{good}\n"), 1),
    ] {
        let utf16 = text.encode_utf16().flat_map(u16::to_le_bytes);
        let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16).collect();
        for bytes in [text.as_bytes(), &utf16] {
            let sandbox = sandbox(&[]);
            sandbox.write("all.yaml", bytes);
            let outcome = sandbox.run(&["check", "-o", "concise", "crds", "all.yaml"]);
            let found = outcome.stdout.matches("error[").count();
            assert_eq!(
                (found, outcome.code),
                (errors, Some(i32::from(errors > 0))),
                "{text} {outcome:#?}"
            );
        }
    }
}

#[test]
fn a_missing_line_between_two_objects_is_one_error() {
    let schema = "              type: object\n              properties: {size: {type: integer}}\n";
    let widget =
        |name: &str| format!("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {name}\nspec:\n  size: 1\n");
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata: {a: b}\n";
    for (text, line) in [
        (widget("a") + &widget("b"), 7),
        (widget("a") + other, 7),
        (other.to_owned() + &widget("a"), 6),
        (definition(schema) + &widget("a"), 0),
    ] {
        let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema)), ("a.yaml", &text)]);
        let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
        let code = if line == 0 { "unreadable-crd" } else { "duplicate-key" };
        let at = if line == 0 {
            definition(schema).lines().count() + 1
        } else {
            line
        };
        outcome.expect(
            1,
            &[
                &format!("a.yaml:{at}:1: error[{code}]: two objects are in one document"),
                ", 1 error,",
            ],
        );
        if line > 0 {
            sandbox.run(&["check", ".", "--fix"]).expect(0, &["0 errors"]);
            let fixed = std::fs::read_to_string(sandbox.path().join("a.yaml")).expect("it is there");
            assert!(fixed.contains("\n---\napiVersion"), "{fixed}");
        }
    }
    let twice = widget("a") + "kind: Widget\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema)), ("a.yaml", &twice)]);
    sandbox.run(&["check", "."]).expect(1, &["key `kind` is written twice"]);
}

#[test]
fn an_api_version_without_a_version_is_an_error() {
    let object = |version: &str| format!("apiVersion: {version}\nkind: Widget\nmetadata: {{name: a}}\n");
    let schema = "              type: object\n";
    for (version, code) in [
        ("example.com", 1),
        ("helm.toolkit.fluxcd.io", 1),
        ("1.2.3", 0),
        ("v1.2", 0),
        ("builtin", 0),
        ("v2", 0),
    ] {
        let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema)), ("a.yaml", &object(version))]);
        let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
        let error =
            format!("a.yaml:1:13: error[unknown-kind]: `apiVersion` has no version: `{version}` is only a group");
        outcome.expect(code, &[if code == 1 { &error } else { "0 errors" }]);
        let named = sandbox.run(&["check", "a.yaml"]);
        assert_eq!(named.stdout.contains("is only a group"), code == 1, "{named:?}");
    }
}

#[test]
fn misspelt_fields_of_metadata_are_named() {
    let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  namespce: b\n  lables: {a: b}\n  other: c\n  \
                  ownerReferences: [{apiVersion: v1, kind: A, name: a, uidd: b}]\nspec: {size: 1}\n";
    let sandbox = sandbox(&[("a.yaml", object)]);
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(
        1,
        &[
            "did you mean `namespace`?",
            "help: change `lables` to `labels`",
            "help: remove `other`",
            "did you mean `uid`?",
        ],
    );
    assert!(!outcome.stdout.contains("schema"), "{}", outcome.stdout);
    sandbox.run(&["check", ".", "--fix"]);
    let fixed = std::fs::read_to_string(sandbox.path().join("a.yaml")).expect("it is there");
    assert!(fixed.contains("  namespace: b\n  labels: {a: b}\n"), "{fixed}");
}

#[test]
fn values_that_need_quotes_are_repeated_as_they_are_written() {
    for (written, label) in [
        ("1.0", "YAML reads this as 1"),
        ("no", "YAML reads this as false"),
        ("007", "YAML reads this as 7"),
        ("10", "this is an integer"),
    ] {
        let schema = "              type: object\n              properties: {version: {type: string}}\n";
        let object = resource(&format!("{{version: {written}}}"));
        let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema)), ("a.yaml", &object)]);
        let help = format!("help: put the value in quotes: `version: \"{written}\"`");
        sandbox.run(&["check", "."]).expect(1, &[&help, label]);
    }
}

#[test]
fn a_list_and_an_object_in_place_of_each_other_have_help() {
    let crd = definition(
        "              type: object
              properties:
                ports: {type: array, items: {type: object, properties: {name: {type: string}}}}
                env: {type: object, additionalProperties: {type: string}}
",
    );
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n";
    let text = format!("{head}  ports:\n    name: a\n    number: 1\n  env:\n  - A: x\n  - B: x\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("a.yaml", &text)]);
    let found = sandbox.run(&["check", "."]);
    found.expect(
        1,
        &[
            "`spec.ports` must be a list, but the value is an object",
            "help: put `- ` before its first key",
            "`spec.env` must be an object, but the value is a list",
            "help: remove the `- ` before each of its keys",
        ],
    );
}
