//! Tests of the output formats of `check`, for people and for pipelines.

use std::fs;

use serde_json::Value;

use crate::{Outcome, Sandbox, definition, schema::problems};

/// A sandbox with these files: a CRD with an error, an error that follows from it, and a suppressed error; a custom resource with errors; a correct
/// custom resource; and a file that is not text.
fn sandbox() -> Sandbox {
    let bad = definition(
        "              type: object
              x-kubernetes-validations:
                - {rule: self.nme == '', message: '50 %, a:b'}
              properties:
                size: {type: int}
                # crd-analyzer: ignore[unknown-type] to be removed
                other: {type: strnig}
                name: {type: string}
",
    );
    let good = definition(
        "              type: object
              required: [size]
              properties:
                size: {type: integer, minimum: 1, x-kubernetes-validations: [{rule: self != 7}]}
                address: {type: string, format: e-mail-address}
                mode: {type: string, enum: [Fast, Slow]}
",
    );
    Sandbox::new(&[
        (
            "crds/bad.yaml",
            &bad.replace("widgets", "gadgets").replace("Widget", "Gadget"),
        ),
        ("crds/good.yaml", &good),
        (
            "objects/wrong, 100 %.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: größe-😀}\nspec: {size: 0, mode: Fats, extra: 1}\n",
        ),
        (
            "objects/right.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: right}\nspec: {size: 1}\n",
        ),
        (
            "objects/other.yaml",
            "apiVersion: acme.io/v1\nkind: Other\nmetadata: {name: x}\n",
        ),
    ])
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The number of errors, and the number of all displayed diagnostics, from the summary of the JSON format.
fn counts(sandbox: &Sandbox) -> (u64, u64) {
    let all = json(&sandbox.run(&["check", ".", "-o", "json"]).stdout);
    let count = |name: &str| all["summary"][name].as_u64().expect("a number");
    (
        count("errors"),
        ["errors", "later_errors", "warnings", "hints"].map(count).iter().sum(),
    )
}

#[test]
fn concise_prints_a_line_a_diagnostic() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    outcome.expect(
        1,
        &[
            "crds/bad.yaml:22:30: error[unknown-type]: ",
            "objects/wrong, 100 %.yaml:4:14: error[",
        ],
    );
    assert_eq!(
        outcome.stdout.lines().count() as u64,
        counts(&sandbox).1,
        "{}",
        outcome.stdout
    );
    let place =
        regex::Regex::new(r"^[^.:][^:]*:\d+:\d+: (error|warning|hint)( \(.*\))?\[[a-z-]+\]: .").expect("it compiles");
    assert!(
        outcome.stdout.lines().all(|it| place.is_match(it)),
        "{}",
        outcome.stdout
    );
    // Without --quiet, the summary comes last.
    let all = sandbox.run(&["check", ".", "-o", "concise"]);
    assert!(
        all.stdout.starts_with(&outcome.stdout) && all.stdout.contains(" errors"),
        "{}",
        all.stdout
    );
}

#[test]
fn json_is_as_its_schema_says() {
    let sandbox = sandbox();
    sandbox.write(
        "crds/template.yaml",
        "kind: CustomResourceDefinition\nname: {{ .Values.name }}\n",
    );
    sandbox.write(
        "testdata/invalid.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: big}\n",
    );
    let schema = json(include_str!("../../docs/schemas/check.schema.json"));
    let mut seen = String::new();
    for more in [
        &["--show", "effective"][..],
        &["--kubernetes-version", "1.30..1.37"],
        &["no-such-file.yaml"],
    ] {
        let mut args = vec!["check", ".", "-o", "json"];
        args.extend(more);
        let outcome = sandbox.run(&args);
        let document = json(&outcome.stdout);
        assert_eq!(problems(&schema, &document), Vec::<String>::new());
        seen.push_str(&outcome.stdout);
        args[3] = "jsonl";
        for line in sandbox.run(&args).json() {
            let part = if line.get("k8s").is_some() { "answer" } else { "file" };
            let mut of_line = schema["$defs"][part].clone();
            of_line["$defs"] = schema["$defs"].clone();
            assert_eq!(problems(&of_line, &line), Vec::<String>::new(), "{line}");
        }
    }
    for name in schema["$defs"]["answer"]["properties"]
        .as_object()
        .expect("members")
        .keys()
    {
        let is_rare = [
            "item",
            "decode_error_range",
            "decode_error_place",
            "other_error",
            "other_error_place",
        ]
        .contains(&name.as_str());
        assert!(is_rare || seen.contains(&format!("\"{name}\"")), "no answer has {name}");
    }
    let mut wrong = json(&sandbox.run(&["check", ".", "-o", "json"]).stdout);
    wrong["summary"]["errors"] = "3".into();
    wrong["more"] = 1.into();
    assert_eq!(
        problems(&schema, &wrong).len(),
        2,
        "the schema is not satisfied by everything"
    );
}

#[test]
fn sarif_is_as_its_schema_says() {
    let sandbox = sandbox();
    sandbox.write(
        "crds/default.yaml",
        definition("              type: integer\n              default: \"3\"\n")
            .replace("widgets", "things")
            .replace("Widget", "Thing"),
    );
    let schema = json(include_str!("schemas/sarif-2.1.0.json"));
    let outcome = sandbox.run(&["check", ".", "-o", "sarif"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let log = json(&outcome.stdout);
    assert_eq!(problems(&schema, &log), Vec::<String>::new());
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let suppressed = results.iter().filter(|it| it["suppressions"] != json("[]")).count();
    assert_eq!((results.len() - suppressed) as u64, counts(&sandbox).1);
    assert!(suppressed > 0, "what a comment suppresses is a result, too");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(
            rules[index]["help"]["markdown"]
                .as_str()
                .is_some_and(|it| it.contains("## "))
        );
    }
    // The location of each result is its file (percent-encoded), and each result has its own fingerprint.
    assert!(
        outcome.stdout.contains("\"uri\":\"objects/wrong%2C%20100%20%25.yaml\""),
        "{}",
        outcome.stdout
    );
    let mut prints: Vec<_> = results
        .iter()
        .map(|it| {
            it["partialFingerprints"].to_string()
                + &it["locations"][0]["physicalLocation"]["artifactLocation"].to_string()
        })
        .collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), results.len(), "{prints:?}");
    let fixed = results
        .iter()
        .filter_map(|it| it["fixes"][0]["artifactChanges"][0]["replacements"][0].as_object());
    assert!(
        fixed.clone().any(|it| it["insertedContent"]["text"] == "3"),
        "{:?}",
        fixed.collect::<Vec<_>>()
    );
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["levle"] = "error".into();
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert_eq!(
        problems(&schema, &wrong).len(),
        2,
        "the schema is not satisfied by everything"
    );
}

#[test]
fn changes_of_definitions_are_sarif() {
    let of = |properties: &str| {
        definition(&format!(
            "              type: object\n              properties: {properties}\n"
        ))
    };
    let exceptions = "exceptions:\n- change: maximum-changed\n  reason: three are enough\n  until: 9999-12-31\n";
    let sandbox = Sandbox::new(&[
        (
            "old.yaml",
            &of("{a: {type: integer, maximum: 5}, b: {type: string}, c: {type: string}}"),
        ),
        (
            "new.yaml",
            &format!(
                "# moved\n{}",
                of("{a: {type: integer, maximum: 3}, c: {type: string, maxLength: 9}, d: {type: string}}")
            ),
        ),
        ("exceptions.yaml", exceptions),
    ]);
    let args = [
        "compat",
        "old.yaml",
        "new.yaml",
        "-o",
        "sarif",
        "--exceptions",
        "exceptions.yaml",
    ];
    let outcome = sandbox.run(&args);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let log = json(&outcome.stdout);
    let schema = json(include_str!("schemas/sarif-2.1.0.json"));
    assert_eq!(problems(&schema, &log), Vec::<String>::new());
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let help = rules[index]["help"]["markdown"].as_str().expect("help");
        assert!(
            help.contains(&format!("- change: {}\n", result["ruleId"].as_str().expect("a code"))),
            "{help}"
        );
        // The location of a result is in the existing file, even for properties that do not exist in NEW.
        assert_eq!(
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "new.yaml"
        );
    }
    let of = |code: &str| {
        results
            .iter()
            .find(|it| it["ruleId"] == code)
            .unwrap_or_else(|| panic!("{code}: {log}"))
    };
    let maximum = of("maximum-changed");
    assert_eq!(maximum["level"], "error");
    assert_eq!(
        maximum["suppressions"],
        json(r#"[{"kind": "external", "justification": "Allowed until 9999-12-31: three are enough"}]"#)
    );
    assert_eq!(
        maximum["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "old.yaml"
    );
    let removed = of("property-removed");
    assert_eq!(
        (&removed["level"], &removed["suppressions"]),
        (&json("\"error\""), &json("[]"))
    );
    assert_eq!(removed["properties"]["writers"], "breaks");
    let text = removed["message"]["text"].as_str().expect("a message");
    assert!(
        text.starts_with("v1 spec.b: ") && text.contains("\nobject: {\"spec\""),
        "{text}"
    );
    // The added property only affects readers of an older version, but the default policy only considers writers.
    assert_eq!(of("property-added")["level"], "note");
    let strict = json(&sandbox.run(&[&args[..], &["--policy", "strict"]].concat()).stdout);
    let results = strict["runs"][0]["results"].as_array().expect("results");
    let added = results.iter().find(|it| it["ruleId"] == "property-added");
    assert_eq!(added.expect("it is there")["level"], "error");
    let same = sandbox.run(&["compat", "new.yaml", "new.yaml", "-o", "sarif"]);
    assert_eq!(
        (same.code, &json(&same.stdout)["runs"][0]["results"]),
        (Some(0), &json("[]"))
    );
}

/// GitLab drops issues with a duplicate fingerprint, and only displays issues with a path relative to the root of the repository.
#[test]
fn gitlab_has_an_issue_for_each_diagnostic() {
    let sandbox = sandbox();
    let copy = fs::read(sandbox.path().join("crds/bad.yaml")).expect("the file");
    sandbox.write("more/bad.yaml", copy);
    let outcome = sandbox.run(&["check", "./crds", "./more", "objects", "-o", "gitlab"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let issues = json(&outcome.stdout).as_array().expect("an array").clone();
    let summary = json(&sandbox.run(&["check", "crds", "more", "objects", "-o", "json"]).stdout)["summary"].clone();
    let of = |severity: &str| issues.iter().filter(|it| it["severity"] == severity).count() as u64;
    assert_eq!(
        Some(of("critical")),
        summary["errors"].as_u64(),
        "{summary} {issues:#?}"
    );
    assert_eq!(Some(of("minor")), summary["warnings"].as_u64(), "{summary} {issues:#?}");
    for issue in &issues {
        let path = issue["location"]["path"].as_str().expect("a path");
        let lines = &issue["location"]["lines"];
        assert!(
            sandbox.path().join(path).is_file() && !path.starts_with("./"),
            "{issue}"
        );
        assert!(
            lines["begin"].as_u64() >= Some(1) && lines["end"].as_u64() >= lines["begin"].as_u64(),
            "{issue}"
        );
        assert!(
            ["description", "check_name"].iter().all(|it| issue[it].is_string()),
            "{issue}"
        );
    }
    let prints = |issues: &[Value]| -> Vec<String> {
        let mut prints: Vec<_> = issues.iter().map(|it| it["fingerprint"].to_string()).collect();
        prints.sort();
        prints.dedup();
        prints
    };
    let before = prints(&issues);
    assert_eq!(before.len(), issues.len());
    let text = fs::read_to_string(sandbox.path().join("more/bad.yaml")).expect("the file");
    sandbox.write("more/bad.yaml", format!("# one\n# two\n\n{text}"));
    let moved = json(
        &sandbox
            .run(&["check", "crds", "more", "objects", "-o", "gitlab"])
            .stdout,
    );
    assert_eq!(prints(moved.as_array().expect("an array")), before);
    let unreadable = json(&sandbox.run(&["check", "no-such.yaml", "-o", "gitlab"]).stdout);
    assert_eq!(unreadable[0]["severity"], "blocker", "{unreadable}");
    sandbox.write("none/note.txt", "no manifest");
    let nothing = sandbox.run(&["check", "crds/good.yaml", "-o", "gitlab"]);
    assert!(nothing.stdout.starts_with('['), "{nothing:?}");
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let sandbox = sandbox();
    let prints = |outcome: &Outcome| -> Vec<String> {
        let log = json(&outcome.stdout);
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        results.iter().map(|it| it["partialFingerprints"].to_string()).collect()
    };
    let args = ["check", "crds/bad.yaml", "-o", "sarif"];
    let before = prints(&sandbox.run(&args));
    let text = std::fs::read_to_string(sandbox.path().join("crds/bad.yaml")).expect("the file");
    sandbox.write("crds/bad.yaml", format!("# one\n# two\n\n{text}"));
    assert_eq!(prints(&sandbox.run(&args)), before);
    assert!(!before.is_empty());
}

#[test]
fn github_carries_class_versions_and_what_comes_later() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["check", ".", "-o", "github", "--kubernetes-version", "1.30..1.37"]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines.iter().all(|it| it.starts_with("::error file=")
        || it.starts_with("::warning file=")
        || it.starts_with("::notice file=")));
    let has = |texts: &[&str]| lines.iter().any(|line| texts.iter().all(|it| line.contains(it)));
    assert!(
        has(&["::error file=objects/wrong%2C 100 %25.yaml,line=4,", "title=", "::"]),
        "{}",
        outcome.stdout
    );
    assert!(
        has(&["title=unrecognized-format", "(Kubernetes 1.34 to 1.37)"]),
        "{}",
        outcome.stdout
    );
    assert!(
        has(&["title=undefined-field", "error (after fixing the above)"]),
        "{}",
        outcome.stdout
    );
}

#[test]
fn junit_and_tap_have_a_test_a_document() {
    let sandbox = sandbox();
    let junit = sandbox.run(&["check", ".", "-o", "junit", "--fail-on", "warning"]);
    junit.expect(
        1,
        &[
            r#"<testsuites name="crd-analyzer" tests="4" skipped="0" failures="3" errors="0">"#,
            r#"<testcase name="Widget right" classname="objects/right.yaml" file="objects/right.yaml"/>"#,
            r#"type="unknown-type""#,
        ],
    );
    let tap = sandbox.run(&["check", ".", "-o", "tap", "--fail-on", "warning"]);
    tap.expect(1, &[
        "TAP version 14\nnot ok 1 - crds/bad.yaml: CustomResourceDefinition gadgets.example.com\n  ---\n  diagnostics: [{",
        "not ok 2 - crds/good.yaml: CustomResourceDefinition widgets.example.com\n",
        "ok 3 - objects/right.yaml: Widget right\n",
        "1..4\n",
    ]);
    // A document with only hints passes, unless `--fail-on` includes hints.
    sandbox.write("crds/bad.yaml", "a: b");
    sandbox.write("objects/wrong, 100 %.yaml", "a: b");
    let outcome = sandbox.run(&["check", ".", "-o", "tap", "no-such.yaml"]);
    outcome.expect(3, &["not ok 3 - no-such.yaml\n", "cannot be read"]);
}

/// Errors in test data do not fail a run, and each format marks them as test data.
#[test]
fn test_data_is_marked() {
    let sandbox = sandbox();
    let wrong = sandbox.path().join("objects/wrong, 100 %.yaml");
    sandbox.write("pkg/testdata/widget.yaml", fs::read(&wrong).unwrap());
    fs::remove_file(wrong).unwrap();
    fs::remove_file(sandbox.path().join("crds/bad.yaml")).unwrap();
    for (format, expected) in [
        ("concise", " error in test data["),
        ("github", "::notice file=pkg/testdata/widget.yaml,"),
        (
            "sarif",
            r#""suppressions":[{"kind":"external","justification":"Only tests read the file: `testdata` in the path."}]"#,
        ),
        ("jsonl", r#""test_data":"`testdata` in the path""#),
        ("json", r#""test_data": {"#),
        ("gitlab", r#"{"description":"in test data: "#),
        ("junit", "<system-out>pkg/testdata/widget.yaml:"),
        ("tap", "\nok 3 - pkg/testdata/widget.yaml: Widget"),
    ] {
        sandbox.run(&["check", ".", "-o", format]).expect(0, &[expected]);
        sandbox
            .run(&["check", ".", "-o", format, "--fail-on", "warning,test-data"])
            .expect(1, &[]);
    }
}

#[test]
fn several_formats_go_to_several_places() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&[
        "check",
        ".",
        "-o",
        "text",
        "-o",
        "sarif=out.sarif",
        "-o",
        "junit=out.xml",
        "-o",
        "json=out.json",
    ]);
    outcome.expect(1, &["error[unknown-type]", "  --> crds/bad.yaml"]);
    let read = |name: &str| std::fs::read_to_string(sandbox.path().join(name)).expect("it is written");
    assert_eq!(json(&read("out.sarif"))["version"], "2.1.0");
    assert!(read("out.xml").starts_with("<?xml"));
    assert_eq!(json(&read("out.json"))["summary"]["files"], 5);
    // Existing files are overwritten. With a single format, `--output-file` does the same.
    sandbox
        .run(&["check", "crds/good.yaml", "--output-file", "out.json", "-o", "json"])
        .expect(0, &[]);
    assert_eq!(json(&read("out.json"))["summary"]["files"], 1);
    let outcome = sandbox.run(&["check", "crds/good.yaml", "--output-file", "out.txt"]);
    outcome.expect(0, &[]);
    assert!(
        outcome.stdout.is_empty() && read("out.txt").contains("1 CRD, 0 errors"),
        "{outcome:?}"
    );
    for (args, why) in [
        (&["-o", "text", "-o", "json"][..], "several formats would be mixed"),
        (
            &["-o", "text", "--output-file", "a", "-o", "json"],
            "several formats would be mixed",
        ),
        (
            &["-o", "json=a", "--output-file", "b"],
            "every format has a file already",
        ),
        (
            &["-o", "sraif"],
            "the format `sraif` does not exist; the formats are text, concise, json, jsonl, github, gitlab, sarif, junit, tap",
        ),
        (&["-o", "json="], "names no file"),
    ] {
        let mut all = vec!["check", "."];
        all.extend(args);
        sandbox.run(&all).expect(2, &[why]);
    }
    sandbox
        .run(&["check", "crds/good.yaml", "-o", "json=no/such/folder/a.json"])
        .expect(3, &["error: cannot write no/such/folder/a.json"]);
}

#[test]
fn less_can_be_printed() {
    let sandbox = sandbox();
    let summary = sandbox.run(&["check", ".", "--summary"]);
    summary.expect(1, &["5 files, 2 CRDs, 2 CRs", " errors"]);
    assert!(!summary.stdout.contains("error["), "{}", summary.stdout);
    let quiet = sandbox.run(&["check", ".", "--quiet"]);
    assert!(
        quiet.stdout.contains("error[") && !quiet.stdout.contains(" CRDs"),
        "{}",
        quiet.stdout
    );
    let statistics = sandbox.run(&["check", ".", "--statistics"]);
    statistics.expect(1, &["1  error[unknown-type]", "5 files"]);
    assert!(!statistics.stdout.contains(" --> "), "{}", statistics.stdout);
    sandbox
        .run(&["check", ".", "--quiet", "--summary"])
        .expect(2, &["cannot be used with"]);
}

#[test]
fn colors_are_chosen() {
    let sandbox = sandbox();
    let run = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = sandbox.command(&["check", "crds/bad.yaml"]);
        command.args(args).env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let output = command.output().expect("crd-analyzer runs");
        String::from_utf8(output.stdout).expect("UTF-8").contains("\u{1b}[")
    };
    assert!(!run(&[], &[]), "a pipe has no colors");
    assert!(run(&[], &["--color", "always"]));
    assert!(run(&[("FORCE_COLOR", "1")], &[]) && run(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!run(&[("FORCE_COLOR", "0")], &[]) && !run(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], &[]));
    assert!(run(&[("NO_COLOR", "1")], &["--color=always"]) && !run(&[("FORCE_COLOR", "1")], &["--color=never"]));
    assert!(!run(&[("FORCE_COLOR", "1")], &["-o", "json"]));
}

/// What is the same in many files is printed in full a few times, and listed after that. Programs get every diagnostic.
#[test]
fn equal_diagnostics_of_many_files_are_listed() {
    let resource = |name: usize, size: &str| {
        format!("apiVersion: example.com/v7\nkind: Widget\nmetadata: {{name: w{name}}}\nspec: {{size: {size}}}\n")
    };
    let crd = crate::definition("              type: object\n              properties: {size: {type: integer}}\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd)]);
    for n in 10..25 {
        sandbox.write(&format!("apps/{n}/w.yaml"), resource(n, "1"));
    }
    let outcome = sandbox.run(&["check", "."]);
    outcome.expect(
        1,
        &[
            "the same unserved-version as in apps/10/w.yaml:1 in 12 more places: apps/13/w.yaml:1, apps/14/w.yaml:1,",
            "apps/22/w.yaml:1 and 2 others\n",
            "15 CRs, 15 errors,",
        ],
    );
    assert_eq!(
        outcome.stdout.matches("error[unserved-version]").count(),
        3,
        "{outcome:#?}"
    );
    for format in ["jsonl", "github", "concise"] {
        let all = sandbox.run(&["check", ".", "-o", format]);
        let lines = all.stdout.lines().filter(|it| it.contains("unserved-version"));
        assert_eq!(lines.count(), 15, "{format}: {all:#?}");
    }
    // Other values are other diagnostics.
    for n in 10..25 {
        let other = resource(n, &format!("a{n}")).replace("v7", "v1");
        sandbox.write(&format!("apps/{n}/w.yaml"), other);
    }
    let outcome = sandbox.run(&["check", "."]);
    assert!(!outcome.stdout.contains("the same"), "{outcome:#?}");
}
