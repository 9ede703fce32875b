//! What `cost` prints, and how it ends.

use crate::{Sandbox, definition};

/// A rule that compares every host with every other, at the schema of `.spec`.
fn hosts(bounds: [&str; 2]) -> String {
    let [items, length] = bounds;
    definition(&format!(
        "              type: object
              properties:
                hosts: {{type: array{items}, items: {{type: string{length}}}}}
              x-kubernetes-validations:
                - rule: self.hosts.size() > 0
                - rule: self.hosts.all(h, self.hosts.exists_one(o, o == h)) # 🦀
"
    ))
}

const LINE: &str = "self.hosts.all(h, self.hosts.exists_one(o, o == h))";

#[test]
fn shows_the_dearest_rule_first_and_what_would_bound_it() {
    let sandbox = Sandbox::new(&[("crd.yaml", &hosts(["", ""]))]);
    let outcome = sandbox.run(&["cost", "crd.yaml"]);
    outcome.expect(
        1,
        &[
            "widgets.example.com  v1  schema total 345,880,409,622,760,657 of 100,000,000: over budget",
            "345,880,409,622,760,653",
            "> 100x",
            "fits with maxItems",
            "on hosts",
        ],
    );
    let at = |text: &str| outcome.stdout.find(text).expect(text);
    assert!(at("spec[1]") < at("spec[0]"), "{outcome:#?}");
}

#[test]
fn nothing_over_budget_is_0() {
    let sandbox = Sandbox::new(&[("crd.yaml", &hosts([", maxItems: 64", ", maxLength: 253"]))]);
    sandbox
        .run(&["cost", "crd.yaml"])
        .expect(0, &["spec[1]", "434,627", "4 %"]);
    sandbox.run(&["cost", "."]).expect(0, &["spec[1]"]);
}

#[test]
fn json_lines_have_a_line_a_rule_and_minor_and_a_total() {
    let text = hosts(["", ""]);
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let outcome = sandbox.run(&["cost", "-o", "jsonl", "--kubernetes-version", "1.30..1.31", "crd.yaml"]);
    let lines = outcome.expect(1, &[]).json();
    assert_eq!(lines.len(), 6, "{lines:#?}");
    let line = &lines[1];
    let start = text.find(LINE).expect("it is there");
    let expect = serde_json::json!({
        "file": "crd.yaml", "doc": 0, "k8s": "1.30", "versions": ["v1"],
        "schema_path": "spec.validation.openAPIV3Schema.properties[spec]",
        "index": 1, "rule": LINE, "checked": true,
        "cost": 345_880_409_622_760_653_u64, "expr_cost": 345_880_409_622_760_653_u64,
        "max_cardinality": 1, "cardinality": 1, "uses_old_self": false, "error": null,
        "message_expression_cost": 0, "message_expression_error": null,
        "range": {
            "start": {"line": 23, "column": 25, "offset": start},
            "end": {"line": 23, "column": 25 + LINE.len(), "offset": start + LINE.len()},
        },
        "fits": line["fits"],
    });
    assert_eq!(line, &expect);
    assert_eq!(line["fits"][0]["schema"], "properties[hosts]", "{line:#}");
    assert_eq!(lines[0]["fits"], serde_json::json!([]), "it fits");
    let total = serde_json::json!({
        "file": "crd.yaml", "doc": 0, "k8s": "1.30", "versions": ["v1"], "schema_path": "spec.validation.openAPIV3Schema",
        "rules": 2, "total": 345_880_409_622_760_657_u64, "limit": 100_000_000, "over": true,
    });
    assert_eq!(lines[2], total);
    assert_eq!(lines[3]["k8s"], "1.31");
}

#[test]
fn prices_what_the_server_does_not_get_to() {
    let text = hosts(["", ""])
        .replace("maxItems", "")
        .replace("type: object\n              properties", "properties");
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let lines = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).json();
    let total = lines.last().expect("a total");
    assert_eq!((&total["total"], &lines[0]["checked"]), (&0.into(), &false.into()));
    assert!(
        total["not_checked"]
            .as_str()
            .is_some_and(|why| why.starts_with("not structural: ")),
        "{total:#}"
    );
}

#[test]
fn says_what_it_cannot_price() {
    let sandbox = Sandbox::new(&[("crd.yaml", "kind: [\n"), ("other.yaml", "kind: Pod\n")]);
    sandbox.run(&["cost", "crd.yaml"]).expect(3, &["not priced"]);
    sandbox
        .run(&["cost", "absent.yaml"])
        .expect(3, &["cannot read absent.yaml"]);
    sandbox.run(&["cost", "other.yaml"]).expect(0, &[]);
    sandbox
        .run(&["cost", "--kubernetes-version", "all", "other.yaml"])
        .expect(2, &["the table is for one minor"]);
    let answers = sandbox.run_with_input(
        &["cost", "-o", "jsonl", "--list", "-"],
        b"{\"id\": \"x\", \"text\": \"a: [\"}\n",
    );
    let lines = answers.expect(3, &[]).json();
    assert!(
        lines[0]["decode_error"].is_string() && lines[0]["file"] == "x",
        "{lines:#?}"
    );
}
