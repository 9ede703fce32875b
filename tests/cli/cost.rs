//! Tests of `cost`: output and exit codes.

use crate::{Sandbox, definition};

/// A CRD with a rule on `.spec` that compares every host with every other host.
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
            "crd.yaml: widgets.example.com v1: schema total 345,880,409,622,760,657 of 100,000,000: over the limit",
            "345,880,409,622,760,653",
            "> 100x",
            "fits with maxItems: 256 (up to 307) on spec.hosts, maxLength: 253 (up to ",
            "// +kubebuilder:validation:MaxItems=256  at field hosts",
            "// +kubebuilder:validation:items:MaxLength=253  at field hosts",
            "the schema fits with maxItems: ",
        ],
    );
    let at = |text: &str| outcome.stdout.find(text).expect(text);
    assert!(at("spec[1]") < at("spec[0]"), "{outcome:#?}");
}

#[test]
fn the_most_expensive_rules_of_all_files_come_in_one_list() {
    let few = hosts([", maxItems: 64", ", maxLength: 253"]);
    let wrong = few.replace("self.hosts.size() > 0", "self.host.size() > 0");
    let sandbox = Sandbox::new(&[
        ("a/many.yaml", &hosts(["", ""])),
        ("a/few.yaml", &few),
        ("wrong.yaml", &wrong),
    ]);
    let outcome = sandbox.run(&["cost", ".", "--top", "2"]);
    outcome.expect(
        1,
        &[
            "> 100x  a/many.yaml:23  spec[1]\n",
            "  4 %  a/few.yaml:23  spec[1]\n",
            "the 2 most expensive of 6 rules; 1 above its limit; without 1 rule that does not compile\n",
        ],
    );
    assert_eq!(outcome.stdout.matches("yaml:").count(), 2, "{}", outcome.stdout);
    // The message about the total mentions omitted rules, and `--sort line` keeps the order of the file.
    let outcome = sandbox.run(&["cost", "wrong.yaml", "--sort", "line"]);
    outcome.expect(
        0,
        &["wrong.yaml: widgets.example.com v1: schema total 434,627 of 100,000,000, without 1 rule\n"],
    );
    let at = |text: &str| outcome.stdout.find(text).expect(text);
    assert!(at("spec[0]") < at("spec[1]"), "{outcome:#?}");
    sandbox
        .run(&["cost", ".", "--top", "2", "-o", "jsonl"])
        .expect(2, &["--top does not work with `jsonl`"]);
}

#[test]
fn proposed_lengths_leave_room_for_the_format() {
    let schema = |rule: &str, format: &str| {
        definition(&format!(
            "              type: object
              properties:
                a: {{type: array, items: {{type: string{format}, x-kubernetes-validations: [{{rule: \"{rule}\"}}]}}}}
"
        ))
    };
    for (rule, format, length) in [
        ("isCIDR(self)", "", "maxLength: 43 "),
        ("ip(self).family() == 6", "", "maxLength: 39 "),
        ("self.matches('^a+$')", ", format: uuid", "maxLength: 36 "),
    ] {
        let sandbox = Sandbox::new(&[("crd.yaml", &schema(rule, format))]);
        sandbox.run(&["cost", "crd.yaml"]).expect(1, &[length]);
    }
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
        "fits": line["fits"], "fits_cost": line["fits_cost"],
    });
    assert_eq!(line, &expect);
    let bound = serde_json::json!({
        "schema_path": "spec.validation.openAPIV3Schema.properties[spec].properties[hosts]", "value": "spec.hosts",
        "keyword": "maxItems", "suggested": line["fits"][0]["suggested"], "largest": line["fits"][0]["largest"],
        "marker": format!("+kubebuilder:validation:MaxItems={}", line["fits"][0]["suggested"]),
    });
    assert_eq!(line["fits"][0], bound);
    assert!(line["fits_cost"].as_u64() <= Some(10_000_000), "{line:#}");
    assert_eq!(lines[0]["fits"], serde_json::json!([]), "it fits");
    let total = serde_json::json!({
        "file": "crd.yaml", "doc": 0, "k8s": "1.30", "versions": ["v1"], "schema_path": "spec.validation.openAPIV3Schema",
        "rules": 2, "total": 345_880_409_622_760_657_u64, "limit": 100_000_000, "over": true,
        "fits": lines[1]["fits"], "fits_total": lines[2]["fits_total"],
    });
    assert_eq!(lines[2], total);
    assert_eq!(lines[3]["k8s"], "1.31");
}

#[test]
fn bounds_above_a_rule_are_another_way() {
    let text = |ports: &str| {
        definition(&format!(
            "              type: object
              properties:
                pools:
                  type: array{ports}
                  items:
                    type: object
                    properties:
                      names: {{type: array, maxItems: 100, items: {{type: string, maxLength: 63}}}}
                    x-kubernetes-validations:
                      - rule: self.names.all(n, n.matches('^[a-z]+$'))
"
        ))
    };
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &text("")),
        ("bounded.yaml", &text("\n                  maxItems: 100")),
    ]);
    let lines = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).expect(1, &[]).json();
    let fits = &lines[0]["fits"][0];
    assert_eq!(
        (&fits["value"], &fits["keyword"]),
        (&"spec.pools".into(), &"maxItems".into()),
        "{lines:#?}"
    );
    let (suggested, largest) = (fits["suggested"].as_i64(), fits["largest"].as_i64());
    assert!(suggested <= largest && suggested > Some(10), "{fits:#}");
    // `largest` is the largest bound with which the cost of the rule is within its limit.
    let largest = largest.expect("a number");
    for (bound, fits) in [(largest, true), (largest + 1, false)] {
        sandbox.write("crd.yaml", text(&format!("\n                  maxItems: {bound}")));
        let lines = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).json();
        assert_eq!(lines[0]["cost"].as_u64() <= Some(10_000_000), fits, "{bound}");
    }
    sandbox.run(&["cost", "bounded.yaml"]).expect(0, &["× values"]);
}

#[test]
fn bounds_above_and_below_leave_room_to_both() {
    let text = definition(
        "              type: object
              properties:
                rules:
                  type: array
                  items:
                    type: object
                    properties:
                      filters:
                        type: array
                        items: {type: object, properties: {type: {type: string, maxLength: 20}}}
                        x-kubernetes-validations:
                          - rule: self.filter(f, f.type == 'Redirect').size() <= 1
",
    );
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let lines = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).expect(1, &[]).json();
    let fits = lines[0]["fits"].as_array().expect("bounds");
    let places: Vec<_> = fits.iter().map(|it| &it["value"]).collect();
    assert_eq!(places, ["spec.rules", "spec.rules[*].filters"], "{lines:#?}");
    assert!(fits.iter().all(|it| it["suggested"].as_i64() >= Some(64)), "{fits:#?}");
}

#[test]
fn bounds_for_a_schema_that_costs_too_much_as_a_whole() {
    let rules: Vec<_> = (0..12)
        .map(|n| {
            format!(
                "                p{n}:
                  type: array
                  items: {{type: integer}}
                  x-kubernetes-validations: [{{rule: 'self.all(x, x > {n} || x < 100)'}}]
"
            )
        })
        .collect();
    let text = definition(&format!(
        "              type: object\n              properties:\n{}",
        rules.concat()
    ));
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let lines = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).expect(1, &[]).json();
    let total = lines.last().expect("a total");
    assert_eq!(total["over"], true);
    assert!(total["fits_total"].as_u64() <= Some(100_000_000), "{total:#}");
    let mut bounded = text.clone();
    for bound in total["fits"].as_array().expect("bounds") {
        let name = bound["value"]
            .as_str()
            .and_then(|it| it.strip_prefix("spec."))
            .expect("a property");
        let at = format!("                {name}:\n                  type: array\n");
        bounded = bounded.replace(
            &at,
            &format!("{at}                  maxItems: {}\n", bound["suggested"]),
        );
    }
    sandbox.write("crd.yaml", &bounded);
    let now = sandbox.run(&["cost", "-o", "jsonl", "crd.yaml"]).expect(0, &[]).json();
    assert_eq!(now.last().expect("a total")["total"], total["fits_total"]);
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
    sandbox.run(&["cost", "crd.yaml"]).expect(3, &["no cost estimate"]);
    sandbox
        .run(&["cost", "absent.yaml"])
        .expect(3, &["cannot read absent.yaml"]);
    sandbox.run(&["cost", "other.yaml"]).expect(0, &[]);
    sandbox
        .run(&["cost", "--kubernetes-version", "all", "other.yaml"])
        .expect(2, &["the table shows one Kubernetes version"]);
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

/// A list with `x-kubernetes-embedded-resource` has no CEL type, and a list of such lists has none either.
#[test]
fn rules_without_types_have_no_cost() {
    let schema = "              type: array
              x-kubernetes-validations: [{rule: self.size() > 0}]
              items:
                type: array
                x-kubernetes-embedded-resource: true
                items: {type: string, x-kubernetes-validations: [{rule: self != ''}]}
";
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(schema))]);
    let outcome = sandbox.run(&["cost", "crd.yaml", "--output", "jsonl"]);
    let words = "failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    assert_eq!(outcome.stdout.matches(words).count(), 2, "{outcome:#?}");
}

#[test]
fn without_a_path_the_current_folder_counts() {
    let sandbox = Sandbox::new(&[("a.yaml", "a: b\n")]);
    let outcome = sandbox.run(&["cost"]);
    outcome.expect(0, &[]);
    assert!(outcome.stderr.contains("no CRD was found"), "{outcome:?}");
    let rule = "              type: object\n              x-kubernetes-validations: [{rule: 'true', message: a}]\n";
    sandbox.write("crd.yaml", definition(rule));
    let outcome = sandbox.run(&["cost"]);
    outcome.expect(0, &["crd.yaml"]);
    assert!(!outcome.stderr.contains("no CRD was found"), "{outcome:?}");
}
