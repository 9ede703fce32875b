//! Tests of `explain`.

use crate::Sandbox;

#[test]
fn prints_a_page_and_lists_all() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["explain", "unknown-type"]).expect(0, &["unknown-type"]);
    sandbox.run(&["explain"]).expect(0, &["unknown-type", "duplicate-key"]);
}

#[test]
fn finds_the_page_by_the_words_of_the_api_server() {
    let sandbox = Sandbox::new(&[]);
    let said = "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.8x";
    sandbox.run(&["explain", said]).expect(0, &["# rule-cost-over-limit"]);
    sandbox
        .run(&["explain", "connection refused by host"])
        .expect(2, &["no page quotes these words of the API server"]);
}

#[test]
fn says_what_was_meant() {
    Sandbox::new(&[]).run(&["explain", "unknown-typ"]).expect(
        2,
        &["did you mean `unknown-type`?", "no CRD was found: name one with --crd"],
    );
}

/// The example, and another CRD with a resource of the same name.
fn with_crds() -> Sandbox {
    let example = include_str!("../../examples/crontab.crd.yaml");
    let other = example
        .replace("stable.example.com", "other.example.com")
        .replace("shortNames: [ct]", "shortNames: [oct]");
    Sandbox::new(&[("crds/a.yaml", example), ("crds/b.yaml", &other)])
}

#[test]
fn prints_a_field_as_kubectl_does_and_then_what_it_leaves_out() {
    let expected = "GROUP:      stable.example.com
KIND:       CronTab
VERSION:    v1

FIELD: image <string>


DESCRIPTION:
    What to run.
    

What kubectl does not print:

CONSTRAINTS:
    maxLength: 253
    minLength: 1

RULES:
    only the tag of an image can change
      self.split(':')[0] == oldSelf.split(':')[0]
      (runs on updates only, when there is an old value)
";
    let found = with_crds().run(&["explain", "ct.spec.image"]);
    assert_eq!(
        (found.code, found.stdout.as_str()),
        (Some(0), expected),
        "{}",
        found.stderr
    );
}

#[test]
fn finds_a_resource_by_each_of_its_names() {
    let sandbox = with_crds();
    for name in [
        "ct",
        "crontabs.stable.example.com",
        "crontab.stable.example.com",
        "CronTab.stable.example.com",
    ] {
        for path in ["", ".spec", ".spec.hosts[*]", ".metadata.labels"] {
            let outcome = sandbox.run(&["explain", &format!("{name}{path}")]);
            assert_eq!(outcome.code, Some(0), "{name}{path}: {}", outcome.stderr);
            assert!(
                outcome.stdout.starts_with("GROUP:      stable.example.com\n"),
                "{outcome:?}"
            );
        }
    }
    let both = "crontab.spec";
    let outcome = sandbox.run(&["explain", both]);
    outcome.expect(
        2,
        &[
            "CronTab of stable.example.com, and of CronTab of other.example.com",
            "--api-version",
        ],
    );
    for args in [
        &["explain", both, "--api-version", "stable.example.com/v1"][..],
        &["explain", both, "--crd", "crds/a.yaml"],
    ] {
        let outcome = sandbox.run(args);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stdout.starts_with("GROUP:      stable.example.com\n"),
            "{outcome:?}"
        );
    }
}

#[test]
fn prints_fields_of_fields() {
    let sandbox = with_crds();
    let all = sandbox.run(&["explain", "ct", "--recursive"]);
    all.expect(
        0,
        &[
            "  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n",
            "\n    hosts\t<[]string>\n",
        ],
    );
    let one_level = sandbox.run(&["explain", "ct", "-R", "--max-depth", "1"]);
    one_level.expect(0, &["  spec\t<Object> -required-\n  status\t<Object>\n"]);
    sandbox
        .run(&["explain", "ct", "--max-depth", "1"])
        .expect(2, &["--recursive"]);
}

#[test]
fn says_where_a_path_goes_wrong() {
    let sandbox = with_crds();
    let check = |args: &[&str], expected: &str| {
        sandbox.run(&[&["explain"], args].concat()).expect(2, &[expected]);
    };
    check(
        &["ct.spec.replica"],
        "`spec` of CronTab has no field `replica`; did you mean `replicas`?",
    );
    check(&["ct.spek"], "CronTab has no field `spek`; did you mean `spec`?");
    check(&["ct.spec.xyzzy"], "without `.xyzzy` for its fields");
    check(&["ct.spec.image.tag"], "`spec.image` of CronTab has no fields");
    check(&["cronab.spec"], "did you mean `crontab`?");
    check(
        &["ct", "--api-version", "stable.example.com/v2"],
        "not served as `stable.example.com/v2`, but as `stable.example.com/v1`",
    );
    check(&["ct", "--api-version", "v1"], "name the group and the version");
    check(
        &["ct", "--kubernetes-version", "all"],
        "a field is explained for one Kubernetes version",
    );
}

#[test]
fn says_that_a_definition_is_rejected() {
    let sandbox = Sandbox::new(&[("a.yaml", include_str!("../../examples/broken.crd.yaml"))]);
    let outcome = sandbox.run(&["explain", "backup.spec"]);
    outcome.expect(0, &["KIND:       Backup"]);
    assert!(outcome.stderr.contains("rejects"), "{}", outcome.stderr);
}

#[test]
fn a_page_has_a_head_and_no_raw_marks_in_a_terminal() {
    let sandbox = Sandbox::new(&[]);
    let head = [
        "# number-too-large\n",
        "- Default severity: error\n",
        "- Kubebuilder marker: `+kubebuilder:validation:Maximum`\n",
        "`number-too-small`",
    ];
    let piped = sandbox.run(&["explain", "number-too-large"]);
    piped.expect(0, &head);
    assert!(!piped.stdout.contains(".md)"), "{}", piped.stdout);
    let shown = sandbox.run(&["explain", "number-too-large", "--color", "always"]);
    shown.expect(
        0,
        &[
            "Fails\u{1b}[0m\n",
            "- Default severity: error\n",
            "\n    type: object\n",
        ],
    );
    assert!(
        !shown.stdout.contains("```") && !shown.stdout.contains("\n## "),
        "{}",
        shown.stdout
    );
}

#[test]
fn codes_are_found_as_diagnostics_print_them() {
    let sandbox = Sandbox::new(&[]);
    for written in [
        "error[unknown-field]",
        "UNKNOWN-FIELD",
        "hint[unknown-field]: some words",
    ] {
        sandbox.run(&["explain", written]).expect(0, &["unknown-field"]);
    }
    let said = "json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.minLength of type int64";
    sandbox.run(&["explain", said]).expect(0, &["unreadable-crd"]);
}
