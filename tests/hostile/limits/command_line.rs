//! Small inputs that would need much work or memory. Each run must end soon, with little memory, and with an answer or with "not finished".

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};

use crate::{
    built,
    command::{Outcome, Sandbox},
    system::{self, limited},
};

/// Runs a command on these files, with limits on time and memory.
#[track_caller]
pub(crate) fn run(files: &[(&str, String)], args: &[&str]) -> Outcome {
    let sandbox = Sandbox::new(&[]);
    for (name, text) in files {
        sandbox.write(name, text);
    }
    let mut child = limited(&sandbox.command(args))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("crd-analyzer runs");
    let process = child.id();
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(megabytes) = system::peak(process) {
            peak = megabytes;
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    // The pipes are read, because a full pipe would block the process.
    let (mut stdout, mut stderr) = (
        child.stdout.take().expect("a pipe"),
        child.stderr.take().expect("a pipe"),
    );
    let errors = std::thread::spawn(move || std::io::read_to_string(&mut stderr).expect("UTF-8"));
    let output = std::io::read_to_string(&mut stdout).expect("UTF-8");
    let code = child.wait().expect("it ends").code();
    let peak = watch.join().expect("a number");
    let outcome = Outcome {
        code,
        stdout: output,
        stderr: errors.join().expect("UTF-8"),
    };
    assert!(peak < system::MAX_MEMORY, "{args:?}: {peak} MB");
    assert!(outcome.code.is_some(), "{args:?} was killed: {}", outcome.stderr);
    outcome
}

pub(crate) fn definition(spec: &Value) -> String {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "properties": { "spec": spec },
            } } }],
        },
    })
    .to_string()
}

pub(crate) fn resource(spec: &Value) -> String {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}).to_string()
}

/// Runs `check` on a resource with a CRD. Returns the answer and the exit code.
#[track_caller]
fn judged(schema: &Value, spec: &Value) -> (Value, Option<i32>) {
    let files = [("crd.json", definition(schema)), ("cr.json", resource(spec))];
    let outcome = run(&files, &["check", "-o", "jsonl", "--crd", "crd.json", "cr.json"]);
    let mut lines = outcome.json();
    assert_eq!(lines.len(), 1, "{}", outcome.stderr);
    (lines.remove(0), outcome.code)
}

/// Expects "not finished" for the rule, which neither passes nor fails.
#[track_caller]
fn is_not_finished(rule: &str, value: &Value) {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "l": {"type": "array", "items": {"type": "integer"}}},
        "x-kubernetes-validations": [{"rule": rule}]});
    let (answer, code) = judged(&schema, value);
    assert_eq!((&answer["accepted"], code), (&Value::Null, Some(3)), "{rule}: {answer}");
    assert_eq!(answer["errors"], json!([]), "{rule}");
    assert_eq!(answer["unfinished"][0]["code"], "not-finished", "{rule}: {answer}");
}

#[test]
fn rules_that_make_large_values() {
    let a = "a".repeat(100);
    let explode = format!("'a'{} == 'x'", format!(".replace('a', '{a}')").repeat(6));
    let grow = format!("self.a{} != 'x'", format!(".replace('', '{a}')").repeat(6));
    for rule in [&explode, &grow] {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 10}},
            "x-kubernetes-validations": [{"rule": rule}]});
        // The hazard search also runs the rule.
        let outcome = run(&[("crd.json", definition(&schema))], &["check", "crd.json"]);
        outcome.expect(1, &["rule-cost-over-limit"]);
        run(&[("crd.json", definition(&schema))], &["cost", "crd.json"]);
    }
    let text = json!({"a": "a".repeat(1_000)});
    is_not_finished(&explode, &text);
    is_not_finished(
        "self.a.split('').map(x, self.a).join(self.a).split('').size() > 0",
        &text,
    );
}

#[test]
fn values_that_share_their_parts() {
    // The value has 2^40 elements, but memory contains each distinct list only once.
    let doubled = (0..40).fold("[1]".to_owned(), |list, _| format!("[{list}].map(x, [x, x])[0]"));
    is_not_finished(&format!("{doubled} == {doubled}"), &json!({}));
}

/// A CRD with rules on an object that has a string and a short list of integers.
fn with_rules(rules: impl Iterator<Item = String>) -> String {
    let rules: Vec<Value> = rules.map(|it| json!({"rule": it})).collect();
    definition(&json!({
        "type": "object", "x-kubernetes-validations": rules,
        "properties": {"a": {"type": "string"}, "l": {"type": "array", "maxItems": 10, "items": {"type": "integer"}}},
    }))
}

#[test]
fn hundreds_of_expensive_rules() {
    // Each rule exceeds its cost limit, so the program searches for suitable bounds for each rule.
    let texts = with_rules((0..400).map(|n| {
        format!(
            "self.a.replace('a', 'b').lowerAscii().contains('x{n}') || self.a.split(',').exists(x, x.startsWith('y'))"
        )
    }));
    run(&[("crd.json", texts)], &["check", "crd.json"]).expect(1, &["rule-cost-over-limit"]);
    // The hazard search runs each rule to find values for which the rule fails.
    let nested =
        with_rules((0..60).map(|n| (0..12).fold(format!("x0 > {n}"), |inner, m| format!("self.l.all(x{m}, {inner})"))));
    run(&[("crd.json", nested)], &["check", "crd.json"]).expect(1, &["rule-cost-over-limit"]);
}

#[test]
fn rules_at_each_depth() {
    let deep = (0..300).fold(json!({"type": "string"}), |schema, _| {
        json!({"type": "array", "items": schema, "x-kubernetes-validations": [{"rule": "self.size() > 0"}]})
    });
    let outcome = run(&[("crd.json", definition(&deep))], &["check", "crd.json"]);
    assert!(matches!(outcome.code, Some(1 | 3)), "{outcome:?}");
}

#[test]
fn tens_of_thousands_of_documents() {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    let documents = format!("---\n{head}a: 1\n").repeat(30_000);
    let outcome = run(&[("a.yaml", documents)], &["check", "a.yaml"]);
    outcome.expect(
        3,
        &["unknown-field", "the rest of this file takes too much memory to check"],
    );
}

#[test]
fn the_api_server_ends_what_costs_too_much() {
    // The API server's cost of these calls depends only on the operands, so the answer is known without evaluating the calls.
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "x-kubernetes-validations": [{"rule": format!("self.a{} != 'x'", ".replace('a', 'aaaaaaaaaa')".repeat(9))}]});
    let (answer, code) = judged(&schema, &json!({"a": "aaaaaaaaaa"}));
    assert_eq!((&answer["accepted"], code), (&json!(false), Some(1)), "{answer}");
    let detail = answer["errors"][0]["detail"].as_str().expect("a text");
    assert!(detail.contains("call cost exceeds limit"), "{detail}");
}

#[test]
fn enums_of_thousands_of_values() {
    let listed: Vec<String> = (0..5_000).map(|n| format!("value-{n}")).collect();
    let wrong: Vec<String> = (0..5_000).map(|n| format!("wrong-{n}")).collect();
    let (answer, code) = judged(
        &json!({"type": "array", "items": {"type": "string", "enum": listed}}),
        &json!(wrong),
    );
    assert_eq!(code, Some(1));
    let errors = answer["errors"].as_array().expect("a list");
    let left_out = answer["left_out"].as_u64().expect("a number");
    assert_eq!(errors.len() as u64 + left_out, 5_000);
    let detail = errors[0]["detail"].as_str().expect("a text");
    assert!(
        detail.ends_with("\"value-4998\", \"value-4999\""),
        "those that are told are whole"
    );
}

#[test]
fn resources_with_tens_of_thousands_of_errors() {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let (answer, _) = judged(&schema, &json!(vec!["x"; 100_000]));
    let errors = answer["errors"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(errors + answer["left_out"].as_u64().unwrap_or(0), 100_000);
    assert!(errors > 10_000);
    let unknown: serde_json::Map<String, Value> = (0..50_000).map(|n| (format!("u{n}"), json!(1))).collect();
    let (answer, code) = judged(
        &json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        &json!(unknown),
    );
    let strict = answer["strict"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(strict + answer["left_out"].as_u64().unwrap_or(0), 50_000);
    assert_eq!((&answer["accepted_strict"], code), (&json!(false), Some(1)));
    // Each error has the same long path.
    let deep = (0..400).fold(
        json!(vec!["x"; 5_000]),
        |value, n| json!({ format!("{n}{}", "n".repeat(500)): value }),
    );
    let deep_schema = (0..400).fold(
        schema,
        |schema, _| json!({"type": "object", "additionalProperties": schema}),
    );
    let (answer, code) = judged(&deep_schema, &deep);
    assert_eq!((&answer["accepted"], code), (&json!(false), Some(1)));
}

#[test]
fn thousands_of_files_beside_a_go_test_that_names_them() {
    let wrong: Vec<(String, String)> = (0..1_500)
        .map(|n| (format!("w{n}.json"), resource(&json!({"size": "x"}))))
        .collect();
    let named: Vec<String> = wrong.iter().map(|it| format!("\"{}\",\n", it.0)).collect();
    let named = named.concat();
    let others = (0..1_500).map(|n| (format!("o{n}.go"), "package a\n".to_owned()));
    let rest = [
        (
            "crd.json".to_owned(),
            definition(&json!({"type": "object", "properties": {"size": {"type": "integer"}}})),
        ),
        (
            "a_test.go".to_owned(),
            format!("package a\nvar all = []string{{\n{named}}}\n"),
        ),
    ];
    let files: Vec<(String, String)> = wrong.into_iter().chain(others).chain(rest).collect();
    let files: Vec<(&str, String)> = files.iter().map(|it| (&*it.0, it.1.clone())).collect();
    run(&files, &["check", "."]).expect(0, &["1500 errors in 1500 files that only tests read"]);
}

#[test]
fn patterns_with_large_programs() {
    let properties: serde_json::Map<String, Value> = (900..1_000)
        .map(|n| {
            (
                format!("a{n}"),
                json!({"type": "string", "maxLength": 10, "pattern": format!("\\p{{L}}{{{n}}}"),
            "x-kubernetes-validations": [{"rule": format!("!self.matches('\\\\p{{L}}{{{n}}}')")}]}),
            )
        })
        .collect();
    let values: serde_json::Map<String, Value> = properties.keys().map(|it| (it.clone(), json!("x"))).collect();
    let schema = json!({"type": "object", "properties": properties});
    run(&[("crd.json", definition(&schema))], &["check", "crd.json"]).expect(0, &[]);
    run(&[("crd.json", definition(&schema))], &["cost", "crd.json"]);
    let (answer, code) = judged(&schema, &json!(values));
    assert_eq!((answer["errors"].as_array().map(Vec::len), code), (Some(100), Some(1)));
    // The pattern has a thousand threads per character, and the string is long.
    let slow = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "[ab]*a[ab]{990}$"}}});
    let (answer, code) = judged(&slow, &json!({"a": "ab".repeat(400_000)}));
    assert_eq!((&answer["accepted"], code), (&Value::Null, Some(3)));
    let long = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(a{1000})".repeat(3_000)}}});
    let (answer, code) = judged(&long, &json!({"a": "b"}));
    assert_eq!((&answer["accepted"], code), (&Value::Null, Some(3)));
}

#[test]
fn defaults_that_many_items_get() {
    let schema = json!({"type": "array", "items": {"type": "object",
        "properties": {"a": {"type": "string", "default": "x".repeat(100_000)}}}});
    let (answer, code) = judged(&schema, &json!(vec![json!({}); 100_000]));
    assert_eq!(
        (&answer["accepted"], code),
        (&Value::Null, Some(3)),
        "{:.300}",
        answer.to_string()
    );
}

#[test]
fn objects_that_have_no_fields_but_defaults() {
    let schema = json!({"type": "array", "items": {"type": "object",
        "properties": {"a": {"type": "string", "default": "x"}}}});
    let (answer, code) = judged(&schema, &json!(vec![json!({}); 150_000]));
    assert_eq!(
        (&answer["accepted"], code),
        (&Value::Null, Some(3)),
        "{:.300}",
        answer.to_string()
    );
}

#[test]
fn suites_whose_patches_and_aliases_make_too_much() {
    let suite = |patches: &str, object: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nname: x\ncrdName: widgets.example.com\ntests:\n  onUpdate:\n  - name: a\n    \
             initial: {object}\n    updated: {object}\n    expected: {object}\n    initialCRDPatches:\n{patches}"
        )
    };
    let crd = definition(&json!({"type": "object"}));
    let object = "\"{apiVersion: example.com/v1, kind: Widget}\"";
    let copies: Vec<String> = (0..32)
        .map(|n| format!("    - {{op: copy, from: /metadata, path: /metadata/x{n}}}\n"))
        .collect();
    let files = [
        ("crds/crd.yaml", crd.clone()),
        ("tests/widgets.example.com/a.yaml", suite(&copies.concat(), object)),
    ];
    run(&files, &["test", "."]).expect(1, &["not finished"]);
    let bomb = (1..9).fold("&a0 [x, x, x, x, x, x, x, x, x]".to_owned(), |all, n| {
        let items = vec![format!("*a{}", n - 1); 9].join(", ");
        format!("{all}\nx-{n}: &a{n} [{items}]")
    });
    let cases: Vec<String> = (0..200)
        .map(|n| format!("- name: n{n}\n  create: {{apiVersion: example.com/v1, kind: Widget, metadata: {{name: a}}, spec: *a4}}\n  accepted: true\n"))
        .collect();
    let own = format!("crd: crd.yaml\nx-0: {bomb}\ntests:\n{}", cases.concat());
    let files = [("crd.yaml", crd), ("a.test.yaml", own)];
    let outcome = run(&files, &["test", "."]);
    assert!(outcome.code != Some(0), "{outcome:?}");
}

/// A CRD with fifty integers, a string and a list of objects.
fn wide() -> String {
    let numbers = (0..50).map(|n| (format!("replicas{n}"), json!({"type": "integer"})));
    let items = json!({"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}});
    let others = [("a".to_owned(), json!({"type": "string"})), ("items".to_owned(), items)];
    let properties: serde_json::Map<String, Value> = numbers.chain(others).collect();
    definition(&json!({"type": "object", "properties": properties}))
}

#[test]
fn tens_of_thousands_of_comments_and_of_keys_that_are_written_twice() {
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n";
    let comments = "# crd-analyzer: ignore[unknown-field] no\n".repeat(20_000);
    let files = [("crd.json", wide()), ("cr.yaml", format!("{comments}{head}  a: x\n"))];
    run(&files, &["check", "--crd", "crd.json", "cr.yaml"]).expect(0, &["unused-suppression"]);
    let files = [
        ("crd.json", wide()),
        ("cr.yaml", format!("{head}{}", "  a: x\n".repeat(50_000))),
    ];
    run(&files, &["check", "--crd", "crd.json", "cr.yaml"]).expect(1, &["duplicate-key"]);
}

#[test]
fn files_of_each_kind_that_are_nested_deeply_or_long() {
    let texts = [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "- ".repeat(100_000),
        "!!x ".repeat(100_000),
        "&a ".repeat(100_000),
        format!("a: {}\n", "9".repeat(1_000_000)),
        format!("\"{}\"", "\\u0041".repeat(100_000)),
        "%TAG !a! tag:x\n".repeat(50_000),
    ];
    for text in texts {
        let files = [
            ("crd.json", wide()),
            ("cr.yaml", text.clone()),
            ("cr.json", text.clone()),
            ("a.test.yaml", text.clone()),
            ("kustomization.yaml", text),
        ];
        for args in [&["check", "."][..], &["check", "--fix", "."], &["test", "."]] {
            let outcome = run(&files, args);
            assert!(matches!(outcome.code, Some(0..=3)), "{args:?}: {outcome:?}");
        }
    }
}

#[test]
fn findings_on_one_line_are_told_in_every_format() {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let files = [
        ("crd.json", definition(&schema)),
        ("cr.json", resource(&json!(vec!["x"; 70_000]))),
    ];
    for format in ["text", "sarif", "github", "concise"] {
        let outcome = run(&files, &["check", "--crd", "crd.json", "cr.json", "-o", format]);
        outcome.expect(1, &["wrong-type"]);
    }
}

#[test]
fn thousands_of_fixes_and_of_comments_that_go() {
    let schema = json!({"type": "array", "items": {"type": "object", "properties": {"replicas": {"type": "integer"}}}});
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:";
    let files = [
        ("crd.json", definition(&schema)),
        ("cr.yaml", format!("{head}\n{}", "- replica: 1\n".repeat(8_000))),
    ];
    let outcome = run(&files, &["check", "--fix", "--crd", "crd.json", "cr.yaml"]);
    outcome.expect(
        0,
        &["cr.yaml: 8000 fixes", "and 7950 more", "applied 8000 fixes to 1 file"],
    );
    let comments = "# crd-analyzer: ignore[unknown-field] no\n".repeat(30_000);
    let files = [
        ("crd.json", definition(&schema)),
        ("cr.yaml", format!("{comments}{head} []\n")),
    ];
    let outcome = run(&files, &["check", "--fix", "--crd", "crd.json", "cr.yaml"]);
    outcome.expect(0, &["applied 30000 fixes to 1 file"]);
}

#[test]
fn twenty_thousand_rules() {
    let rules: Vec<Value> = (0..20_000).map(|n| json!({"rule": format!("self.a > {n}")})).collect();
    let schema = json!({"type": "object", "x-kubernetes-validations": rules,
        "properties": {"a": {"type": "integer"}}});
    let outcome = run(&[("crd.json", definition(&schema))], &["check", "crd.json"]);
    assert!(matches!(outcome.code, Some(0 | 3)), "{outcome:?}");
}

#[test]
fn tests_of_ten_thousand_properties_are_begun() {
    let properties: serde_json::Map<String, Value> = (0..10_000)
        .map(|n| (format!("p{n}"), json!({"type": "string", "default": "x"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    run(&[("crd.json", definition(&schema))], &["test", "--init", "crd.json"]).expect(0, &[]);
}

#[test]
fn texts_that_nest_deeply_are_printed_in_proportion_to_their_length() {
    const LEVELS: usize = 3_000;
    let schema = format!(
        "{}{{\"type\":\"string\"}}{}",
        "{\"type\":\"object\",\"properties\":{\"a\":".repeat(LEVELS),
        "}}".repeat(LEVELS)
    );
    let marker = json!("the schema");
    let deep = definition(&marker).replace(&marker.to_string(), &schema);
    let keeps_all = definition(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}));
    let marker = json!("the value");
    let nested = format!("{}1{}", "{\"a\":[".repeat(LEVELS), "]}".repeat(LEVELS));
    let value = resource(&marker).replace(&marker.to_string(), &nested);
    let files = [("deep.json", deep), ("crd.json", keeps_all), ("cr.json", value)];
    for (args, most) in [
        (&["schema", "deep.json"][..], 5_000_000),
        (&["check", "deep.json"], 10_000),
        (
            &["check", "--show", "effective", "--crd", "crd.json", "cr.json"],
            500_000,
        ),
        (
            &[
                "check",
                "--show",
                "effective",
                "-o",
                "json",
                "--crd",
                "crd.json",
                "cr.json",
            ],
            5_000_000,
        ),
    ] {
        let outcome = run(&files, args);
        assert_eq!(outcome.code, Some(0), "{args:?}: {}", outcome.stderr);
        assert!(outcome.stdout.len() < most, "{args:?}: {} bytes", outcome.stdout.len());
    }
}

/// Runs `compat` on two schemas of `spec`.
#[track_caller]
fn compared(old: &Value, new: &Value) -> Outcome {
    let files = [("old.json", definition(old)), ("new.json", definition(new))];
    run(
        &files,
        &["compat", "-o", "json", "--allow-unknown", "old.json", "new.json"],
    )
}

#[test]
fn thousands_of_changes() {
    let properties = |schema: &Value| -> Value {
        let all = (0..4_000).map(|n| (format!("a{n}"), schema.clone()));
        json!({"type": "object", "properties": all.collect::<serde_json::Map<_, _>>()})
    };
    let outcome = compared(
        &properties(&json!({"type": "string", "maxLength": 9})),
        &properties(&json!({"type": "string", "maxLength": 5})),
    );
    outcome.expect(1, &["not finished: there are too many changes"]);
    let rules = |sign: &str| -> Value {
        let rules: Vec<Value> = (0..1_000)
            .map(|n| json!({"rule": format!("self.a {sign} {n}")}))
            .collect();
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "x-kubernetes-validations": rules})
    };
    compared(&rules(">"), &rules("<")).expect(1, &["rule-added"]);
}

#[test]
fn an_enum_of_which_no_value_stays() {
    let listed = |sign: &str| -> Value {
        let values: Vec<String> = (0..10_000).map(|n| format!("{sign}{n}")).collect();
        json!({"type": "object", "properties": {"a": {"type": "string", "enum": values}}})
    };
    compared(&listed("a"), &listed("b")).expect(1, &["enum-changed"]);
}

/// Runs `check` on all files of a repository.
fn checked(repository: &built::Repository) -> Outcome {
    let files: Vec<(&str, String)> = repository.files.iter().map(|it| (&*it.0, it.1.clone())).collect();
    run(&files, &["check", "-o", "concise", "."])
}

#[test]
fn repositories_of_which_gigabytes_are_made_are_judged_in_part() {
    for repository in built::too_large() {
        let outcome = checked(&repository);
        assert_eq!(outcome.code, Some(3), "{}: {outcome:.2000?}", repository.name);
        assert!(
            outcome.stdout.contains("not-finished"),
            "{}: {outcome:.2000?}",
            repository.name
        );
    }
}

#[test]
fn repositories_of_many_objects_and_kustomizations_are_judged() {
    for repository in built::many() {
        let outcome = checked(&repository);
        assert!(
            matches!(outcome.code, Some(0 | 1)),
            "{}: {outcome:.2000?}",
            repository.name
        );
        assert!(!outcome.stdout.contains("not-finished"), "{}", repository.name);
    }
}

#[test]
fn descriptions_and_enums_are_printed_in_proportion_to_their_length() {
    let described = |text: String| {
        let schema = json!({"type": "object", "description": text});
        run(&[("crd.json", definition(&schema))], &["docs", "crd.json"]).expect(0, &["widgets.example.com"]);
    };
    for part in ["[", "[a](", "https://-", "`a``b", "*a _b ", "&#x", "<a ", "h"] {
        described(part.repeat(200_000 / part.len()));
    }
    let values: Vec<String> = (0..40_000).map(|n| format!("v{n}")).collect();
    let schema = json!({"type": "string", "enum": values});
    let args = ["schema", "--format", "json-schema", "crd.json"];
    run(&[("crd.json", definition(&schema))], &args).expect(0, &["v39999"]);
}
