//! Tests of `compat`: output and exit codes.

use crate::{Sandbox, definition};

fn spec(properties: &str) -> String {
    definition(&format!(
        "              type: object\n              properties: {properties}\n"
    ))
}

#[test]
fn a_removed_property_breaks_stored_objects_and_writers() {
    let sandbox = Sandbox::new(&[
        ("old.yaml", &spec("{a: {type: string}, b: {type: string}}")),
        ("new.yaml", &spec("{b: {type: string}}")),
    ]);
    sandbox.run(&["compat", "old.yaml", "new.yaml"]).expect(
        1,
        &[
            "v1 spec.a [property-removed]: a",
            "at old.yaml:",
            "breaks stored objects (pruned)",
            "forbidden: breaks writers (pruned): unknown field \"spec.a\"",
            r#"object: {"spec":{"a":"a"}}"#,
            "compatible for readers",
        ],
    );
    let lines = sandbox
        .run(&["compat", "old.yaml", "new.yaml", "-o", "jsonl"])
        .expect(1, &[])
        .json();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    assert_eq!(lines[0]["change"], "property-removed");
    assert_eq!(
        lines[0]["path"],
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a]"
    );
    assert_eq!(lines[0]["direction"], "stored");
    assert_eq!(lines[0]["effect"], "pruned");
    assert_eq!(lines[0]["witness"]["object"]["spec"]["a"], "a");
    assert_eq!(lines[0]["new_range"], serde_json::Value::Null);
    assert!(lines[0]["old_range"]["start"]["line"].is_u64());
    assert_eq!(lines[3]["summary"]["breaks"], 2);
    assert_eq!(lines[3]["verdict"], "breaks");
}

#[test]
fn policies_decide_the_exit_code() {
    let sandbox = Sandbox::new(&[
        ("old.yaml", &spec("{a: {type: string}}")),
        ("new.yaml", &spec("{a: {type: string}, b: {type: string}}")),
    ]);
    sandbox
        .run(&["compat", "old.yaml", "new.yaml"])
        .expect(0, &["compatible (policy writers): 1 answer breaks something"]);
    sandbox
        .run(&["compat", "old.yaml", "new.yaml", "--policy", "strict"])
        .expect(1, &["forbidden: breaks readers (pruned)"]);
    sandbox
        .run(&["compat", "new.yaml", "new.yaml"])
        .expect(0, &["0 changes"]);
    sandbox
        .run(&["compat", "old.yaml", "nothing.yaml"])
        .expect(3, &["cannot read nothing.yaml"]);
}

#[test]
fn what_is_forbidden_comes_first() {
    let new =
        "b: {type: string}, c: {type: string}, d: {type: string}, e: {type: string}, f: {type: string, enum: [g]}";
    let sandbox = Sandbox::new(&[
        (
            "old.yaml",
            &spec("{a: {type: string, maxLength: 5}, z: {type: integer}}"),
        ),
        (
            "new.yaml",
            &spec(&format!(
                "{{a: {{type: string}}, {new}, z: {{type: integer, maximum: 3}}}}"
            )),
        ),
    ]);
    let run = |options: &[&str]| sandbox.run(&[&["compat", "old.yaml", "new.yaml"][..], options].concat());
    let lines = [
        "v1 spec.z [maximum-changed]: none → 3",
        "allowed by the policy (`compat --all` prints each change):",
        "    1 [max-length-changed], breaks readers (refused): v1 spec.a (5 → none)",
        "    5 [property-added], breaks readers (pruned): v1 spec.b, spec.c, spec.d, … and 2 more",
    ];
    let text = run(&[]).expect(1, &lines).stdout.clone();
    let places = lines.map(|it| text.find(it).expect("a line"));
    assert!(places.is_sorted(), "{text}");
    let text = run(&["--all"])
        .expect(1, &["v1 spec.f [property-added]: f"])
        .stdout
        .clone();
    assert!(!text.contains("allowed by the policy"), "{text}");
    assert!(text.find("spec.z") < text.find("spec.a"), "{text}");
    let text = run(&["--policy", "olm"])
        .expect(1, &["OLM rejects", lines[0]])
        .stdout
        .clone();
    assert!(!text.contains("allowed by the policy"), "{text}");
    let table = run(&["-o", "markdown"]).expect(1, &[]).stdout.clone();
    assert!(table.find("spec.z") < table.find("spec.a"), "{table}");
}

#[test]
fn what_is_unknown_is_neither() {
    // The two rules are equivalent. The search finds no difference, but the program cannot prove that they are equivalent.
    let rule = |rule: &str| {
        spec(&format!(
            "{{a: {{type: string, x-kubernetes-validations: [{{rule: {rule:?}}}]}}}}"
        ))
    };
    let sandbox = Sandbox::new(&[
        ("old.yaml", &rule("self.size() < 5")),
        ("new.yaml", &rule("!(self.size() >= 5)")),
    ]);
    sandbox
        .run(&["compat", "old.yaml", "new.yaml"])
        .expect(3, &["unknown for writers"]);
    sandbox
        .run(&["compat", "old.yaml", "new.yaml", "--allow-unknown"])
        .expect(0, &["unknown (policy writers):"]);
}

#[test]
fn an_update_that_the_api_server_rejects_is_not_allowed_as_unknown() {
    let old = spec("{a: {type: integer}}");
    let new = old.replace("scope: Namespaced", "scope: Cluster");
    assert_ne!(old, new);
    let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
    for arguments in [
        &["compat", "old.yaml", "new.yaml"][..],
        &["compat", "old.yaml", "new.yaml", "--allow-unknown"],
    ] {
        sandbox
            .run(arguments)
            .expect(1, &["[scope-changed]: Namespaced → Cluster"]);
    }
}

#[test]
fn folders_and_revisions() {
    let sandbox = Sandbox::new(&[("crds/widgets.yaml", &spec("{a: {type: integer, maximum: 5}}"))]);
    sandbox.commit();
    sandbox.write("crds/widgets.yaml", spec("{a: {type: integer, maximum: 3}}"));
    sandbox.run(&["compat", "HEAD:crds/widgets.yaml", "crds"]).expect(
        1,
        &[
            "[maximum-changed]: 5 → 3",
            "tolerates stored objects until the value changes",
            r#"object: {"spec":{"a":5}}"#,
        ],
    );
    sandbox
        .run(&["compat", "HEAD:crds", "crds"])
        .expect(1, &["[maximum-changed]: 5 → 3"]);
    sandbox
        .run(&["compat", "crds"])
        .expect(1, &["[maximum-changed]: 5 → 3"]);
    sandbox
        .run(&["compat", "crds/widgets.yaml", "--old-ref", "HEAD"])
        .expect(1, &["[maximum-changed]: 5 → 3"]);
    sandbox
        .run(&["compat", "crds", "--old-ref", "nowhere"])
        .expect(2, &["nowhere"]);
    sandbox.run(&["compat", "crds", "crds"]).expect(0, &["0 changes"]);
    sandbox
        .run(&["compat", "nowhere:crds/widgets.yaml", "crds"])
        .expect(2, &["nowhere"]);
}

#[test]
fn of_several_crds_with_one_name_the_source_is_compared() {
    let part = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n  \
                annotations: {a: b}\n";
    let old = spec("{a: {type: integer, minimum: 0}}");
    let sandbox = Sandbox::new(&[
        ("config/crd/bases/widgets.yaml", &old),
        ("config/crd/patches/widgets.yaml", part),
        ("zz/testdata/widgets.yaml", &old),
    ]);
    sandbox.commit();
    sandbox.write(
        "config/crd/bases/widgets.yaml",
        spec("{a: {type: integer, minimum: 5}}"),
    );
    for folder in [".", "./", "config/crd", "./config"] {
        sandbox.run(&["compat", folder]).expect(
            1,
            &[
                "[minimum-changed]: 0 → 5",
                "config/crd/patches/widgets.yaml is only a part of a CRD, and is not compared",
            ],
        );
    }
    sandbox.run(&["compat", "."]).expect(
        1,
        &["a copy of a CRD is not compared: zz/testdata/widgets.yaml (config/crd/bases/widgets.yaml is compared)"],
    );
}

#[test]
fn a_broken_crd_is_not_replaced_by_its_copy() {
    let crd = spec("{a: {type: string}}");
    let sandbox = Sandbox::new(&[("crds/widgets.yaml", &crd), ("testdata/widgets.yaml", &crd)]);
    sandbox.commit();
    sandbox.write("crds/widgets.yaml", crd.replace("type: object\n", "type: [\n"));
    sandbox
        .run(&["compat", "."])
        .expect(3, &["cannot read crds/widgets.yaml"]);
}

#[test]
fn a_crd_that_is_gone_serves_no_object() {
    let sandbox = Sandbox::new(&[("old/crd.yaml", &spec("{a: {type: string}}"))]);
    std::fs::create_dir(sandbox.path().join("new")).expect("a new folder");
    sandbox.run(&["compat", "old", "new"]).expect(
        1,
        &[
            "[crd-removed]",
            "breaks stored objects (unserved)",
            "no matches for kind",
        ],
    );
}

#[test]
fn tables_for_a_pull_request() {
    let sandbox = Sandbox::new(&[
        ("old.yaml", &spec("{a: {type: string, enum: [b, c]}}")),
        ("new.yaml", &spec("{a: {type: string, enum: [b]}}")),
    ]);
    sandbox.run(&["compat", "old.yaml", "new.yaml", "-o", "markdown"]).expect(
        1,
        &[r#"| `enum-changed` | `v1 spec.a` | tolerated until the value changes | **forbidden**: breaks (refused) `{"spec":{"a":"c"}}` | compatible |"#],
    );
    let document = sandbox.run(&["compat", "old.yaml", "new.yaml", "-o", "json"]);
    let document: serde_json::Value = serde_json::from_str(&document.expect(1, &[]).stdout).expect("JSON");
    assert_eq!(document["changes"][0]["tolerated"], true);
    assert_eq!(document["verdict"], "breaks");
}

#[test]
fn exceptions_allow_a_change_until_a_day() {
    let exception = |rest: &str| format!("exceptions:\n- change: maximum-changed\n  reason: three are enough\n{rest}");
    let sandbox = Sandbox::new(&[
        ("old.yaml", &spec("{a: {type: integer, maximum: 5}}")),
        ("new.yaml", &spec("{a: {type: integer, maximum: 3}}")),
        ("always.yaml", &exception("")),
        (
            "path.yaml",
            &exception("  path: spec.a\n  version: v1\n  crd: widgets.example.com\n  until: 9999-12-31\n"),
        ),
        ("over.yaml", &exception("  until: \"2020-01-31\"\n")),
        ("other.yaml", &exception("  path: spec.b\n")),
        ("typo.yaml", &exception("  pth: spec.b\n")),
    ]);
    let run =
        |file: &str, format: &str| sandbox.run(&["compat", "old.yaml", "new.yaml", "--exceptions", file, "-o", format]);
    run("always.yaml", "text").expect(
        0,
        &[
            "allowed: three are enough",
            "breaks writers (refused)",
            "compatible (policy writers):",
        ],
    );
    run("path.yaml", "text").expect(0, &["allowed until 9999-12-31: three are enough"]);
    run("path.yaml", "markdown").expect(0, &["| `maximum-changed` allowed: `three are enough` |"]);
    let lines = run("path.yaml", "jsonl").expect(0, &[]).json();
    assert_eq!(lines[0]["exception"]["until"], "9999-12-31");
    assert_eq!(lines[3]["verdict"], "compatible");
    run("over.yaml", "text").expect(1, &["the exception for `maximum-changed` ended on 2020-01-31"]);
    run("other.yaml", "text").expect(1, &["you can remove the exception for `maximum-changed spec.b`"]);
    run("typo.yaml", "text").expect(2, &["unknown field `pth`"]);
    run("nothing.yaml", "text").expect(3, &["cannot read nothing.yaml"]);
}

/// A CRD with two versions. Their specs have these properties.
fn two_versions(v1alpha1: &str, v1: &str) -> String {
    let version = |name: &str, is_stored: bool, properties: &str| {
        format!(
            "  - name: {name}\n    served: {is_stored}\n    storage: {is_stored}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties: {properties}\n"
        )
    };
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {{plural: widgets, kind: Widget}}\n  versions:\n{}{}",
        version("v1alpha1", false, v1alpha1),
        version("v1", true, v1)
    )
}

#[test]
fn two_versions_of_one_crd_are_compared() {
    let crd = two_versions(
        "{a: {type: string}, b: {type: integer}}",
        "{a: {type: string, maxLength: 3}}",
    );
    let same = two_versions("{a: {type: string}}", "{a: {type: string}}");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("same.yaml", &same)]);
    let compat =
        |file: &str, old: &str, new: &str| sandbox.run(&["compat", file, "--old-version", old, "--new-version", new]);
    compat("crd.yaml", "v1alpha1", "v1").expect(
        1,
        &[
            "widgets.example.com: 2 changes",
            "v1 spec.a [max-length-changed]: none → 3",
            "at crd.yaml:28",
            "v1 spec.b [property-removed]: b",
            "at crd.yaml:18",
            "breaks writers (pruned): unknown field \"spec.b\"",
        ],
    );
    compat("crd.yaml", "v1", "v1alpha1").expect(0, &["widgets.example.com: 2 changes"]);
    compat("same.yaml", "v1alpha1", "v1").expect(0, &["0 changes"]);
    compat("crd.yaml", "v1beta1", "v1").expect(2, &["no CRD has the version `v1beta1`; there are: v1alpha1, v1"]);
    let versions = ["--old-version", "v1alpha1", "--new-version", "v1"];
    sandbox
        .run(&[&["compat", "same.yaml", "crd.yaml"][..], &versions].concat())
        .expect(1, &["v1 spec.a [max-length-changed]"]);
    sandbox
        .run(&[&["compat", "crd.yaml", "--policy", "olm"][..], &versions].concat())
        .expect(2, &["--policy olm compares two revisions"]);
    sandbox
        .run(&["compat", "crd.yaml"])
        .expect(2, &["crd.yaml is not in a git repository", "second argument"]);
}

const OBJECTS: &str = "apiVersion: example.com/v1
kind: Widget
metadata: {name: one, namespace: prod}
spec:
  size: 50
  color: red
---
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: two}
  spec: {size: 1}
- apiVersion: example.com/v1
  kind: Gadget
  metadata: {name: other}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: three}
spec: {size: [}
";

/// A CRD and a new version of it: `size` has a smaller maximum, `color` is removed, `shape` gets a default.
fn changed() -> [(&'static str, String); 2] {
    [
        (
            "old.yaml",
            spec("{size: {type: integer, maximum: 100}, color: {type: string}}"),
        ),
        (
            "new.yaml",
            spec("{size: {type: integer, maximum: 10}, shape: {type: string, default: round}}"),
        ),
    ]
}

#[test]
fn objects_are_tried() {
    let [old, new] = changed();
    let sandbox = Sandbox::new(&[(old.0, &old.1), (new.0, &new.1), ("objects/all.yaml", OBJECTS)]);
    let compat = ["compat", "old.yaml", "new.yaml", "--objects", "objects"];
    sandbox.run(&compat).expect(
        3,
        &[
            "0 are unknown; of 2 objects, 2 break (1 forbidden)",
            "2 objects: 1 pruned, 1 defaulted",
            "Widget prod/one [pruned]",
            "objects/all.yaml:6: forbidden: spec.color is dropped",
            "objects/all.yaml:5: tolerated until the value changes: spec.size: Invalid value: 50",
            "Widget two [defaulted]",
            "objects/all.yaml:14: spec.shape is filled in with \"round\"",
            "cannot read objects/all.yaml: line 22",
        ],
    );
    let lines = sandbox
        .run(&[&compat[..], &["-o", "jsonl"]].concat())
        .expect(3, &[])
        .json();
    let one = lines.iter().find(|it| it["name"] == "one").expect("a line");
    assert_eq!(
        (&one["fate"], &one["range"]["start"]["line"]),
        (&"pruned".into(), &1.into())
    );
    assert_eq!(one["happenings"][1]["fate"], "tolerated");
    assert_eq!(lines.last().expect("a summary")["objects"]["pruned"], 1);
    let document = sandbox.run(&[&compat[..], &["-o", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&document.expect(3, &[]).stdout).expect("JSON");
    assert_eq!(document["objects"][1]["name"], "two");
    let sarif = sandbox
        .run(&[&compat[..], &["-o", "sarif"]].concat())
        .expect(3, &[])
        .json();
    let results = sarif[0]["runs"][0]["results"].as_array().expect("results");
    let of_objects = results
        .iter()
        .filter(|it| it["ruleId"].as_str().is_some_and(|it| it.starts_with("object-")));
    let levels: Vec<_> = of_objects
        .map(|it| (it["ruleId"].clone(), it["level"].clone()))
        .collect();
    assert_eq!(levels[0], ("object-pruned".into(), "error".into()));
    assert_eq!(levels[1], ("object-tolerated".into(), "note".into()));
    sandbox.run(&[&compat[..], &["-o", "markdown"]].concat()).expect(
        3,
        &["| `Widget prod/one` | `objects/all.yaml:6` | `spec.color is dropped"],
    );
}

/// A line of a comment in a template may look like the start of a document.
#[test]
fn objects_of_templates_are_those_that_are_printed() {
    let [old, new] = changed();
    let helm =
        "{{- /*\n--- one\n*/ -}}\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 50}\n";
    let files = [(old.0, &*old.1), (new.0, &*new.1), ("all/templates/one.yaml", helm)];
    let run = Sandbox::new(&files).run(&["compat", "old.yaml", "new.yaml", "--objects", "all"]);
    run.expect(1, &["1 object: 1 tolerated", "all/templates/one.yaml:7: tolerated"]);
}

/// `compat` takes the same objects as `check`, with what is known of them.
#[test]
fn objects_that_something_fills_in_are_tried_in_part() {
    let [old, new] = changed();
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ";
    let helm = format!(
        "{{{{- if .Values.on }}}}\n{head}{{{{ .Release.Name }}}}\nspec:\n  size: {{{{ .Values.size }}}}\n  color: red\n  {{{{- with .Values.x \
         }}}}\n  shape: {{{{ . }}}}\n  {{{{- end }}}}\n{{{{- end }}}}\n---\napiVersion: example.com/{{{{ .Values.v }}}}\nkind: Widget\n---\napiVersion: \
         v1\nkind: ConfigMap\ndata: {{a: {{{{ x }}}}}}\n"
    );
    let jinja = format!("{head}{{{{ name }}}}\nspec:\n  size: 50\n  shape: {{% if a %}}flat{{% endif %}}\n");
    let flux = format!("{head}one\nspec:\n  size: ${{SIZE}}\n  shape: flat\n---\n{head}a\nspec: {{\n");
    let sandbox = Sandbox::new(&[
        (old.0, &old.1),
        (new.0, &new.1),
        ("all/templates/one.yaml", &helm),
        ("all/two.yaml.j2", &jinja),
        ("all/three.yaml", &flux),
        ("all/left/out.yaml", &jinja),
        ("all/.crd-analyzer.yaml", "exclude: [left]\n"),
    ]);
    let compat = ["compat", "old.yaml", "new.yaml", "--objects", "all"];
    let told = [
        "of 3 objects, 2 break (1 forbidden)",
        "3 objects (3 known in part): 1 pruned, 1 tolerated, 1 defaulted; not tried: 1 template",
        "  Widget [pruned]",
        "all/templates/one.yaml:8: forbidden: spec.color is dropped",
        "all/two.yaml.j2:6: tolerated until the value changes: spec.size: Invalid value: 50",
        "cannot read all/three.yaml: line 14",
    ];
    let run = sandbox.run(&compat);
    run.expect(3, &told);
    assert!(!run.stdout.contains("not-stored"), "{}", run.stdout);
    let lines = sandbox
        .run(&[&compat[..], &["-o", "jsonl"]].concat())
        .expect(3, &[])
        .json();
    let summary = lines.last().expect("a summary");
    assert_eq!(summary["objects"]["not-tried"], 1);
    assert_eq!(lines.iter().filter(|it| it["in_part"] == true).count(), 3);
}

#[test]
fn objects_that_old_refuses_are_told_apart() {
    let [old, new] = changed();
    let wrong = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: [one]}\n";
    let gone = "apiVersion: example.com/v2\nkind: Widget\nmetadata: {name: two}\nspec: {}\n";
    let sandbox = Sandbox::new(&[(old.0, &old.1), (new.0, &new.1), ("a.yaml", wrong), ("b.yaml", gone)]);
    let compat = |files: &[&str]| sandbox.run(&[&["compat"][..], files].concat());
    compat(&["old.yaml", "new.yaml", "--objects", "a.yaml", "b.yaml"]).expect(
        1,
        &[
            "2 objects: 2 rejected by OLD, too",
            "Widget two [not-stored] at b.yaml:1: OLD rejects it, too: no matches for kind",
        ],
    );
    compat(&["old.yaml", "old.yaml", "--objects", "a.yaml"]).expect(0, &["1 object: 1 rejected by OLD, too"]);
    compat(&["old.yaml", "old.yaml", "--objects", "old.yaml"]).expect(0, &["no object of these CRDs was found"]);
    // Neither CRD serves the version.
    let crd = two_versions("{size: {type: integer}}", "{size: {type: integer}}");
    sandbox.write("versions.yaml", crd);
    let unserved = "apiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 7}\n";
    sandbox.write("unserved.yaml", unserved);
    compat(&["versions.yaml", "versions.yaml", "--objects", "unserved.yaml"]).expect(
        0,
        &[
            "compatible (policy writers): 0 answers break something",
            "of 1 object, 0 break",
            "1 object: 1 rejected by OLD, too",
        ],
    );
    // The CRD is removed.
    let fine = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 7}\n";
    sandbox.write("c.yaml", fine);
    sandbox.write("none/readme.yaml", "a: 1\n");
    compat(&["old.yaml", "none", "--objects", "c.yaml"]).expect(1, &["1 object: 1 unserved"]);
}

/// The table of `docs/compatibility.md`: changes that OLM rejects, and the answers of `compat`.
#[test]
fn what_olm_refuses_has_answers() {
    let both = "compatible for stored objects|compatible for writers";
    let all = format!("{both}|compatible for readers");
    let value = "tolerates stored objects until|breaks writers (refused)";
    let branches = |keyword: &str, branches: &str| {
        format!("{{type: object, properties: {{b: {{type: string}}, c: {{type: string}}}}, {keyword}: [{branches}]}}")
    };
    let (b, c) = ("{required: [b]}", "{required: [c]}");
    let in_order = |keyword: &str| branches(keyword, &format!("{b}, {c}"));
    let turned = |keyword: &str| branches(keyword, &format!("{c}, {b}"));
    let rule = |rule: &str| format!("{{type: string, maxLength: 5, x-kubernetes-validations: [{{rule: {rule}}}]}}");
    let text = |keywords: &str| format!("{{type: string, {keywords}}}");
    let short = text("maxLength: 5");
    for (old, new, is_refused, answers) in [
        (text("description: a"), text("description: b"), false, all.as_str()),
        (text("example: a"), text("example: b"), true, &all),
        (in_order("oneOf"), turned("oneOf"), true, &all),
        (in_order("anyOf"), turned("anyOf"), true, &all),
        (short.clone(), rule("size(self) <= 9"), true, &all),
        (short.clone(), rule("self != 'x'"), true, value),
        (rule("self != 'x'"), short, true, both),
        (text("pattern: x"), "{type: string}".to_owned(), true, both),
        (
            "{type: integer, multipleOf: 2}".to_owned(),
            "{type: integer}".to_owned(),
            true,
            both,
        ),
        ("{type: integer}".to_owned(), "{type: number}".to_owned(), true, both),
        (
            "{type: integer, maximum: 9}".to_owned(),
            "{type: integer, maximum: 5}".to_owned(),
            true,
            value,
        ),
        (text("enum: [a, b]"), text("enum: [a]"), true, value),
        (
            "{type: integer}".to_owned(),
            "{type: integer, default: 1}".to_owned(),
            true,
            "breaks stored objects (defaulted)|breaks writers (defaulted)",
        ),
    ] {
        let [old, new] = [old, new].map(|it| spec(&format!("{{a: {it}}}")));
        let sandbox = Sandbox::new(&[("old.yaml", &old), ("new.yaml", &new)]);
        let outcome = sandbox.run(&["compat", "old.yaml", "new.yaml", "--all", "--policy", "olm"]);
        let answers: Vec<&str> = answers.split('|').collect();
        outcome.expect(i32::from(is_refused), &answers);
        assert_eq!(outcome.stdout.contains("OLM rejects"), is_refused, "{new}");
    }
}

#[test]
fn one_side_without_a_crd_is_not_compared() {
    let crd = definition("              type: object\n");
    let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("a.yaml", resource), ("none/README.md", "")]);
    let outcome = sandbox.run(&["compat", "nothing.yaml", "crd.yaml"]);
    assert!(
        outcome.code != Some(0) && !outcome.stdout.contains("compatible"),
        "{outcome:?}"
    );
    sandbox
        .run(&["compat", "a.yaml", "crd.yaml"])
        .expect(2, &["OLD has no CRD: a.yaml has other objects"]);
    sandbox
        .run(&["compat", "crd.yaml", "a.yaml"])
        .expect(2, &["NEW has no CRD"]);
    sandbox.run(&["compat", "none", "crd.yaml"]).expect(0, &["compatible"]);
}
