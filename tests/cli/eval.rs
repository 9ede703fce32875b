//! Tests of `eval`.

use super::{Sandbox, definition};

const SPEC: &str = "              type: object
              x-kubernetes-validations:
              - rule: self.least <= self.replicas
                message: too few
              - rule: self.hosts.all(h, h.size() < 10)
              - rule: self.replicas >= oldSelf.replicas
              properties:
                replicas: {type: integer, default: 3}
                least: {type: integer}
                hosts:
                  type: array
                  maxItems: 10
                  items: {type: string, maxLength: 20}
                labels:
                  type: object
                  additionalProperties: {type: string}
";

const OBJECT: &str = "apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {least: 4, hosts: [short, 'far too long'], labels: {a: b}}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("crd.yaml", &definition(SPEC)),
        ("cr.yaml", OBJECT),
        ("old.yaml", &OBJECT.replace("least: 4", "least: 4, replicas: 9")),
        ("rule.cel", "self.least\n  <= 4\n"),
    ])
}

#[track_caller]
fn check(args: &[&str], code: i32, expected: &str) {
    let all = [&["eval"], args].concat();
    let outcome = sandbox().run(&all);
    assert_eq!(outcome.stdout, expected, "{outcome:#?}");
    outcome.expect(code, &[]);
}

#[test]
fn values_tell_their_types() {
    check(
        &["self.a < size(self.b)", "--value", "{a: 1, b: [x, z]}"],
        0,
        "true\ncost 6\n",
    );
    check(&["self[0] + 1", "--value", "[2]"], 0, "3\ncost 3\n");
    check(&["1 + 1"], 0, "2\ncost 1\n");
    check(&["1 / 0"], 1, "error: division by zero\ncost 1\n");
    check(&["1 < 0"], 1, "false\ncost 1\n");
    check(&["self > oldSelf", "--value", "1", "--old", "2"], 1, "false\ncost 3\n");
    check(
        &["1 / self > 2", "--value", "0"],
        1,
        "error: division by zero\ncost 3\n",
    );
}

#[test]
fn explains_what_each_part_came_to() {
    check(
        &[
            "self.a.all(x, x > 1 && x < self.b) || has(self.c) && 1 / 0 > 1",
            "--value",
            "{a: [2, 3, 1, 5], b: 9, c: null}",
            "--explain",
        ],
        1,
        "error: division by zero
self.a.all(x, x > 1 && x < self.b) || has(self.c) && 1 / 0 > 1  ! division by zero
├─ self.a.all(x, x > 1 && x < self.b)  = false
│  ├─ self.a  = [2, 3, 1, 5]
│  ├─ [0] x = 2
│  │  └─ x > 1 && x < self.b  = true
│  │     ├─ x > 1  = true
│  │     └─ x < self.b  = true
│  │        └─ self.b  = 9
│  ├─ [1] x = 3
│  │  └─ x > 1 && x < self.b  = true
│  │     ├─ x > 1  = true
│  │     └─ x < self.b  = true
│  │        └─ self.b  = 9
│  └─ [2] x = 1
│     └─ x > 1 && x < self.b  = false
│        ├─ x > 1  = false
│        └─ x < self.b  (not evaluated)
└─ has(self.c) && 1 / 0 > 1  ! division by zero
   ├─ has(self.c)  = true
   └─ 1 / 0 > 1  ! division by zero
      └─ 1 / 0  ! division by zero
cost 31
",
    );
    let long = format!("[{}]", vec!["1"; 50].join(", "));
    let outcome = sandbox().run(&["eval", "self.all(x, x == 1)", "--value", &long, "--explain"]);
    outcome.expect(0, &["├─ [3] x = 1", "├─ … 44 more\n", "└─ [49] x = 1"]);
}

#[test]
fn takes_the_value_at_a_path_of_an_object() {
    check(
        &[
            "--crd",
            "crd.yaml",
            "--path",
            "spec.hosts[*]",
            "--value",
            "cr.yaml",
            "self.size() < 10",
        ],
        1,
        "spec.hosts[0] = \"short\"
  true  (cost 3)
spec.hosts[1] = \"far too long\"
  false  (cost 3)
cost at most 3 by the API server's estimate × 10 objects = 30 (< 1 % of the limit)
",
    );
    for path in [
        "spec.labels.a",
        "spec.labels[*]",
        "$.spec['labels'][\"a\"]",
        "properties[spec].properties[labels].additionalProperties",
    ] {
        let args = [
            "eval",
            "--crd",
            "crd.yaml",
            "--path",
            path,
            "--value",
            "cr.yaml",
            "self == 'b'",
        ];
        sandbox().run(&args).expect(0, &["spec.labels[a] = \"b\"\n  true"]);
    }
    let args = [
        "eval",
        "--crd",
        "crd.yaml",
        "--path",
        "spec",
        "--value",
        "{least: 3}",
        "@rule.cel",
    ];
    sandbox().run(&args).expect(0, &["true\n"]);
    let args = ["eval", "--path", "spec.hosts", "--value", "cr.yaml", "self.size()"];
    sandbox()
        .run(&args)
        .expect(0, &["spec.hosts = [\"short\",\"far too long\"]\n  2\n"]);
}

#[test]
fn runs_the_rules_of_a_definition() {
    check(
        &["--crd", "crd.yaml", "--value", "cr.yaml"],
        1,
        "fails  spec[0]  self.least <= self.replicas
       the API server reports: spec: Invalid value: too few
       self = {\"hosts\":[\"short\",\"far too long\"],\"labels\":{\"a\":\"b\"},\"least\":4,\"replicas\":3}
       cost 5; at most 5 by the API server's estimate (< 1 % of the limit)
fails  spec[1]  self.hosts.all(h, h.size() < 10)
       the API server reports: spec: Invalid value: failed rule: self.hosts.all(h, h.size() < 10)
       self = {\"hosts\":[\"short\",\"far too long\"],\"labels\":{\"a\":\"b\"},\"least\":4,\"replicas\":3}
       cost 15; at most 63 by the API server's estimate (< 1 % of the limit)
not run spec[2]  self.replicas >= oldSelf.replicas
       the rule uses oldSelf, which has no value here
       cost at most 5 by the API server's estimate (< 1 % of the limit)

2 rules tried, 2 failed, 1 not run
",
    );
    let update = [
        "eval", "--crd", "crd.yaml", "--value", "cr.yaml", "--old", "old.yaml", "-o", "jsonl",
    ];
    let lines = sandbox().run(&update).expect(1, &[]).json();
    assert_eq!(lines.len(), 3);
    let expected = serde_json::json!({
        "k8s": "1.37", "path": "spec", "index": 2, "expression": "self.replicas >= oldSelf.replicas", "self": lines[0]["self"],
        "compile_error": null, "type": "bool", "cost_estimate": 5, "cardinality": 1, "cost": 5, "uses_old_self": true,
        "result": false, "eval_error": null, "actual_cost": 5,
        "errors": ["spec: Invalid value: failed rule: self.replicas >= oldSelf.replicas"],
    });
    assert_eq!(lines[2], expected);
}

#[test]
fn says_what_does_not_compile() {
    let run = |expression: &str| sandbox().run(&["eval", "--crd", "crd.yaml", "--path", "spec", expression]);
    run("self.replica > 1").expect(
        1,
        &[
            "error[undefined-field]: `replica` is not a property of the object",
            "     ^^^^^^^",
            "note: the API server reports: compilation failed: ERROR: <input>:1:5: undefined field 'replica'",
        ],
    );
    run("self.replicas <").expect(
        1,
        &[
            "error[rule-syntax]: the expression ends where a value is missing",
            "note: the API server reports: compilation failed",
        ],
    );
    let text = "isIP('10.0.0.1')";
    let outcome = sandbox().run(&["eval", text, "--kubernetes-version", "1.30..1.32", "--value", "1"]);
    outcome.expect(
        1,
        &[
            "Kubernetes 1.30:\nerror[undeclared-reference]",
            "Kubernetes 1.31 to 1.32:\ntrue",
        ],
    );
}

#[test]
fn says_what_was_not_asked_well() {
    let check = |args: &[&str], code: i32, expected: &str| {
        sandbox().run(&[&["eval"], args].concat()).expect(code, &[expected]);
    };
    check(&[], 2, "nothing to evaluate");
    check(&["--crd", "crd.yaml"], 2, "needs --value");
    check(
        &["--crd", "crd.yaml", "--path", "spec.host", "true"],
        2,
        "spec has no property `host`; did you mean `hosts`?",
    );
    check(
        &["--crd", "crd.yaml", "--path", "spec.hosts.a", "true"],
        2,
        "spec.hosts is a list: `[*]` means each of its items",
    );
    check(
        &["--crd", "crd.yaml", "--path", "spec[", "true"],
        2,
        "`[` is not closed",
    );
    check(
        &["--crd", "crd.yaml", "--version", "v2", "true"],
        2,
        "has no version v2: it has v1",
    );
    check(&["true", "--value", "absent.yaml"], 3, "the file does not exist");
    check(&["true", "--value", "a: [", "--explain"], 2, "--value: ");
    check(&["--crd", "absent.yaml", "true"], 3, "cannot read absent.yaml");
    check(&["--crd", "cr.yaml", "true"], 2, "cr.yaml does not contain this CRD");
}

#[test]
fn answers_lists_line_by_line() {
    let requests = r#"{"id":"a","schema":{"type":"integer"},"rule":"self > 3","self":2}
{"id":"b","schema":{"type":"string"},"rule":"self.x","self":"a"}
{"id":"c","schema":{"type":"string","nullable":true},"rule":"self == oldSelf","messageExpression":"'was ' + oldSelf","self":"a","oldSelf":"b"}
{"id":"d"}
not json
"#;
    let answers = sandbox().run_with_input(&["eval", "--list", "-"], requests.as_bytes());
    let lines = answers.expect(0, &[]).json();
    let expected = serde_json::json!({
        "id": "a", "compile_error": null, "cost_estimate": 2, "max_cardinality": 1_572_864, "uses_old_self": false,
        "result": false, "eval_error": null, "actual_cost": 2, "message_expression_error": null, "message_expression_cost": 0,
        "message": null, "errors": ["self: Invalid value: 2: failed rule: self > 3"],
    });
    assert_eq!(lines[0], expected);
    let error =
        "compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.x\n | ....^";
    assert_eq!(lines[1]["compile_error"], error);
    assert_eq!(
        (&lines[2]["message"], &lines[2]["uses_old_self"]),
        (&"was b".into(), &true.into())
    );
    assert!(
        lines[3]["request_error"].is_string() && lines[4]["request_error"].is_string(),
        "{lines:#?}"
    );
}

#[test]
fn a_rule_of_the_value_itself_is_at_the_root() {
    let schema = "              type: object
              properties:
                groups: {type: array, items: {type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a > 1}]}}
";
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema))]);
    let args = [
        "eval",
        "--crd",
        "crd.yaml",
        "--path",
        "spec.groups[0]",
        "--value",
        "{a: 1}",
    ];
    sandbox.run(&args).expect(1, &["fails  (root)[0]  self.a > 1"]);
}
