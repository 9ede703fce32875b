//! Tests of `check` and its output.

use crate::{Sandbox, definition};

const BROKEN: &str = "              type: text\n";
const FINE: &str = "              type: object\n";

#[test]
fn shows_the_place_the_api_servers_text_and_the_verdict() {
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(BROKEN))]);
    sandbox.run(&["check", "--verbose", "crd.yaml"]).expect(
        1,
        &[
            "error[unknown-type]",
            "--> crd.yaml:18:21",
            "type: text",
            "the API server reports: spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: \"text\"",
            "crd.yaml: widgets.example.com rejected (1 error)",
            "1 file, 1 CRD, 1 error, 0 warnings, 0 hints",
        ],
    );
}

#[test]
fn says_which_minors_reject() {
    let sandbox = Sandbox::new(&[(
        "crd.yaml",
        &definition("              type: object\n              properties: {a: {type: string, format: foo}}\n"),
    )]);
    sandbox
        .run(&["check", "--kubernetes-version", "all", "crd.yaml"])
        .expect(0, &["warning[unrecognized-format]", "(Kubernetes 1.34 to 1.37)"]);
    sandbox
        .run(&["check", "--kubernetes-version", "1.30..1.33", "crd.yaml"])
        .expect(0, &["0 warnings"]);
}

#[test]
fn json_lines_follow_the_contract() {
    let text = definition("              type: text # 🦀\n              format: foo\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let outcome = sandbox.run(&["check", "-o", "jsonl", "--kubernetes-version", "1.31..1.32", "crd.yaml"]);
    let lines = outcome.expect(1, &[]).json();
    assert_eq!(lines.len(), 2, "one line a minor");
    let line = &lines[0];
    assert_eq!(
        (line["file"].as_str(), line["doc"].as_u64(), line["k8s"].as_str()),
        (Some("crd.yaml"), Some(0), Some("1.31"))
    );
    assert_eq!(
        (line["kind"].as_str(), line["name"].as_str()),
        (Some("CustomResourceDefinition"), Some("widgets.example.com"))
    );
    assert_eq!(
        (line["accepted"].as_bool(), line["accepted_strict"].as_bool()),
        (Some(false), Some(false))
    );
    assert!(line["decode_error"].is_null() && line["strict"].as_array().is_some_and(Vec::is_empty));
    let error = &line["errors"][0];
    assert_eq!(error["type"], "FieldValueNotSupported");
    assert_eq!(error["field"], "spec.validation.openAPIV3Schema.properties[spec].type");
    let start = text.find("text #").expect("it is there");
    assert_eq!(
        error["range"]["start"],
        serde_json::json!({"line": 18, "column": 21, "offset": start})
    );
    assert_eq!(
        error["range"]["end"],
        serde_json::json!({"line": 18, "column": 25, "offset": start + 4})
    );
}

#[test]
fn annotates_pull_requests() {
    let sandbox = Sandbox::new(&[("a,b.yaml", &definition(BROKEN))]);
    sandbox.run(&["check", "-o", "github", "a,b.yaml"]).expect(
        1,
        &["::error file=a%2Cb.yaml,line=18,endLine=18,col=21,endColumn=25,title=unknown-type::`text` is not a type%0Achange `text` to `string`"],
    );
}

#[test]
fn one_json_document_holds_everything() {
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(BROKEN)), ("fine.yaml", &definition(FINE))]);
    let outcome = sandbox.run(&["check", "-o", "json", "."]);
    let document: serde_json::Value = serde_json::from_str(&outcome.expect(1, &[]).stdout).expect("JSON");
    assert_eq!(document["summary"]["errors"], 1);
    assert_eq!(document["answers"].as_array().map(Vec::len), Some(2));
}

#[test]
fn folders_are_searched_as_git_sees_them_in_a_stable_order() {
    let broken = definition(BROKEN);
    let sandbox = Sandbox::new(&[
        ("b.yaml", &broken),
        ("a/z.yml", &broken),
        ("a/c.json", "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"}"),
        ("ignored/x.yaml", &broken),
        (".gitignore", "/ignored\n"),
        ("values.yaml", "replicas: 3\n"),
        ("notes.txt", &broken),
    ]);
    let outcome = sandbox.run(&["check", "-o", "jsonl", "."]);
    let files: Vec<String> = outcome
        .expect(1, &[])
        .json()
        .iter()
        .map(|line| line["file"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(files, ["a/z.yml", "b.yaml"]);
}

#[test]
fn reads_standard_input_and_lists() {
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(BROKEN))]);
    sandbox
        .run_with_input(&["check", "-"], definition(BROKEN).as_bytes())
        .expect(1, &["--> -:18:21"]);
    let request = serde_json::json!({"id": "mine", "text": definition(BROKEN)}).to_string();
    let outcome = sandbox.run_with_input(
        &["check", "-o", "jsonl", "--list", "-"],
        format!("{request}\ncrd.yaml\n").as_bytes(),
    );
    let files: Vec<_> = outcome
        .expect(1, &[])
        .json()
        .iter()
        .map(|line| line["file"].clone())
        .collect();
    assert_eq!(files, ["mine", "crd.yaml"]);
}

#[test]
fn every_document_of_a_file_counts() {
    let text = format!(
        "# nothing\n---\n{}---\nkind: ConfigMap\napiVersion: v1\n---\n{}",
        definition(FINE),
        definition(BROKEN)
    );
    let sandbox = Sandbox::new(&[("crds.yaml", &text)]);
    let outcome = sandbox.run(&["check", "-o", "jsonl", "--allow-unchecked", "crds.yaml"]);
    let lines = outcome.expect(1, &[]).json();
    let docs: Vec<_> = lines
        .iter()
        .map(|line| (line["doc"].as_u64(), line["accepted"].as_bool()))
        .collect();
    assert_eq!(docs, [(Some(1), Some(true)), (Some(3), Some(false))]);
}

#[test]
fn comments_and_configuration_change_what_is_shown_and_not_the_answer() {
    let text = definition("              type: text # crd-analyzer: ignore[unknown-type] on purpose\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &text), ("other/crd.yaml", &definition(BROKEN))]);
    sandbox.run(&["check", "crd.yaml"]).expect(0, &["0 errors"]);
    let lines = sandbox.run(&["check", "-o", "jsonl", "crd.yaml"]).json();
    assert_eq!(
        (
            lines[0]["accepted"].as_bool(),
            lines[0]["errors"][0]["suppressed"].as_bool()
        ),
        (Some(false), Some(true))
    );
    sandbox.run(&["check", "other"]).expect(1, &["error[unknown-type]"]);
    sandbox.write(
        ".crd-analyzer.yaml",
        "rules: {unknown-type: off}\nkubernetesVersion: 1.30\n",
    );
    sandbox.run(&["check", "other"]).expect(0, &["0 errors"]);
    sandbox
        .run(&["check", "--no-config", "other"])
        .expect(1, &["error[unknown-type]"]);
    sandbox.write(".crd-analyzer.yaml", "exclude: ['other/**']\n");
    sandbox.run(&["check", "."]).expect(0, &["1 file,"]);
}

#[test]
fn patches_are_not_asked_for_what_they_leave_out() {
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n  annotations: {a: b}\n";
    let sandbox = Sandbox::new(&[("patch.yaml", patch), ("bad.yaml", &patch.replace("a: b", "a b: c"))]);
    // Without evidence of a patch, the document is a CRD that lacks nearly all of its fields.
    sandbox
        .run(&["check", "patch.yaml"])
        .expect(1, &["error[missing-group]", "if this file is a patch"]);
    sandbox.write("kustomization.yaml", "patches:\n- path: patch.yaml\n- path: bad.yaml\n");
    sandbox.run(&["check", "patch.yaml"]).expect(0, &["0 errors"]);
    assert_eq!(
        sandbox.run(&["check", "-o", "jsonl", "patch.yaml"]).json()[0]["accepted"],
        false,
        "the server would ask"
    );
}

#[test]
fn a_mistake_in_a_rule_is_shown_at_its_characters() {
    for styled in crd_analyzer_fixtures::styles::rules_with_a_mistake() {
        let sandbox = Sandbox::new(&[("crd.yaml", &styled.text)]);
        let lines = sandbox.run(&["check", "-o", "jsonl", "crd.yaml"]).expect(1, &[]).json();
        let (line, [_, _, columns]) = styled.columns();
        let expected = serde_json::json!({
            "start": {"line": line + 1, "column": columns.start + 1, "offset": styled.mistake.start},
            "end": {"line": line + 1, "column": columns.end + 1, "offset": styled.mistake.end},
        });
        assert_eq!(
            lines[0]["errors"][0]["range"], expected,
            "{}: {:#}",
            styled.name, lines[0]
        );
        let place = format!("crd.yaml:{}:{}", line + 1, columns.start + 1);
        sandbox
            .run(&["check", "crd.yaml"])
            .expect(1, &[&place, "`replica` is not a property of"]);
    }
}

#[test]
fn surrogate_pairs_are_what_the_servers_reader_refuses() {
    let text = "{\"apiVersion\": \"apiextensions.k8s.io/v1\",\n\"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"😀\\ud83d\\ude00\"}}\n";
    let sandbox = Sandbox::new(&[("crd.json", text)]);
    let lines = sandbox.run(&["check", "-o", "jsonl", "crd.json"]).expect(1, &[]).json();
    let error = lines[0]["decode_error"].as_str().unwrap_or_default();
    assert!(
        error.ends_with("found invalid Unicode character escape code"),
        "{error}"
    );
    let at = text.find("ud83d").expect("it is there") + 1;
    assert_eq!(lines[0]["decode_error_range"]["start"]["offset"], at, "{:#}", lines[0]);
}

#[test]
fn an_expensive_rule_is_told_once_to_people() {
    let text = definition(
        "              type: object
              properties: {hosts: {type: array, items: {type: string}}}
              x-kubernetes-validations:
                - rule: self.hosts.all(h, self.hosts.exists_one(o, o == h))
                - rule: self.hosts.all(h, h != '')
",
    );
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    let outcome = sandbox.run(&["check", "crd.yaml"]);
    outcome.expect(
        1,
        &[
            "error[rule-cost-over-limit]: this rule costs more than 100 times its limit",
            "no `maxItems` here",
            "= note: it costs 345,880,409,622,760,653 of 10,000,000 cost units",
            "= note: the API server also reports that all rules of the schema together are over their limit",
            "= help: set `maxItems: 256` on `spec.hosts`, `maxLength: 253` on `spec.hosts[*]`: the rule then costs 69 % of the limit",
            "`+kubebuilder:validation:items:MaxLength=253` (field hosts)",
            "(1 error)",
            "1 file, 1 CRD, 1 error, 0 warnings",
        ],
    );
    let lines = sandbox.run(&["check", "-o", "jsonl", "crd.yaml"]).json();
    let details: Vec<_> = lines[0]["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|it| &it["code"])
        .collect();
    let total = "total-rule-cost-over-limit";
    assert_eq!(details, ["rule-cost-over-limit", total, total, total], "{:#}", lines[0]);
}

#[test]
fn a_total_of_many_rules_is_told_at_the_schema() {
    let properties: Vec<_> = (0..20)
        .map(|n| {
            let rule = format!("x-kubernetes-validations: [{{rule: 'self.all(x, x > {n})'}}]");
            format!("                p{n}: {{type: array, items: {{type: integer}}, {rule}}}\n")
        })
        .collect();
    let text = definition(&format!(
        "              type: object\n              properties:\n{}",
        properties.concat()
    ));
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    sandbox.run(&["check", "crd.yaml"]).expect(
        1,
        &[
            "error[total-rule-cost-over-limit]: all rules of this schema together cost",
            "among the most expensive rules",
            "1 file, 1 CRD, 1 error",
        ],
    );
}

#[test]
fn errors_behind_others_are_a_class_of_their_own() {
    let text = definition("              properties: {a: {type: integer, default: '3'}}\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &text)]);
    sandbox.run(&["check", "crd.yaml"]).expect(
        1,
        &[
            "error[missing-type]",
            "error (after fixing the above)[wrong-type]",
            "1 error, 1 after fixing these, 0 warnings, 0 hints",
        ],
    );
    sandbox
        .run(&["check", "-o", "github", "crd.yaml"])
        .expect(1, &["title=wrong-type::error (after fixing the above): "]);
    sandbox
        .run(&["check", "-o", "json", "crd.yaml"])
        .expect(1, &["\"later_errors\": 1", "\"hidden\": true"]);
    // The object stays invalid if a comment suppresses its first error.
    let config = "rules: {missing-type: off}\n";
    let sandbox = Sandbox::new(&[("crd.yaml", &text), (".crd-analyzer.yaml", config)]);
    sandbox
        .run(&["check", "crd.yaml"])
        .expect(1, &["0 errors (1 suppressed), 1 after fixing these"]);
}

#[test]
fn configuration_makes_hints_errors_and_no_error_a_hint() {
    let rule = "              type: object\n              properties: {a: {type: integer}}\n              \
                x-kubernetes-validations: [{rule: self.a > 0}]\n";
    let check = |config: &str, status: i32, expected: &[&str]| {
        let sandbox = Sandbox::new(&[("crd.yaml", &definition(rule)), (".crd-analyzer.yaml", config)]);
        sandbox.run(&["check", "crd.yaml"]).expect(status, expected);
    };
    check("", 0, &["hint[optional-field-read]", "0 errors, 0 warnings, 1 hint"]);
    check(
        "rules: {optional-field-read: error}\n",
        1,
        &["error[optional-field-read]", "1 error, 0 warnings, 0 hints"],
    );
    check(
        "rules: {optional-field-red: off}\n",
        2,
        &["`optional-field-red` is not a diagnostic code, did you mean `optional-field-read`?"],
    );
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &definition(BROKEN)),
        (".crd-analyzer.yaml", "rules: {unknown-type: hint}\n"),
    ]);
    sandbox
        .run(&["check", "crd.yaml"])
        .expect(1, &["error[unknown-type]", "write `off` instead of `hint`"]);
}

/// Two repositories next to each other. Each contains a base, and an overlay that completes the base.
#[test]
fn kustomizations_of_several_repositories_are_built() {
    let mut files = Vec::new();
    for tree in ["a", "b"] {
        let object = format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {tree}}}\nspec: ");
        files.extend([
            (format!("{tree}/.git/HEAD"), "ref: refs/heads/main\n".to_owned()),
            (
                format!("{tree}/base/kustomization.yaml"),
                "resources: [w.yaml]\n".to_owned(),
            ),
            (format!("{tree}/base/w.yaml"), format!("{object}{{}}\n")),
            (
                format!("{tree}/over/kustomization.yaml"),
                "resources: [../base]\npatches: [{path: p.yaml}]\n".to_owned(),
            ),
            (format!("{tree}/over/p.yaml"), format!("{object}{{size: big}}\n")),
        ]);
    }
    let crd = definition(
        "              type: object\n              required: [size]\n              properties: {size: {type: integer}}\n",
    );
    files.push(("crd.yaml".to_owned(), crd));
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    let sandbox = Sandbox::new(&files);
    let found = |trees: &[&str]| {
        let mut args = vec!["check", "-q", "-o", "concise", "--crd", "crd.yaml"];
        args.extend(trees);
        let said = sandbox.run(&args).expect(1, &[]).stdout.clone();
        let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let (a, b) = (found(&["a"]), found(&["b"]));
    assert_eq!((a.len(), b.len()), (1, 1), "{a:?} {b:?}");
    assert!(a[0].starts_with("a/over/p.yaml:"), "{a:?}");
    let both = [a, b].concat();
    assert_eq!(found(&["a", "b"]), both);
    assert_eq!(found(&["b", "a"]), both);
}

#[test]
fn places_are_not_broken_and_folders_are_cut_short() {
    let folder = "e2e/a-folder-with-a-long-name/and-another-folder-with-a-long-name/and-one-more-below-that-one";
    let crd = definition("              type: object\n              properties: {spec: {type: object}}\n");
    let sandbox = Sandbox::new(&[("crd.yaml", &crd)]);
    for n in 0..60 {
        let object = format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a{n}}}\nspec: {{a{n}: 1}}\n");
        sandbox.write(&format!("{folder}/{n:02}.yaml"), object);
    }
    let outcome = sandbox.run(&["check"]);
    outcome.expect(
        1,
        &[
            &format!(" --> {folder}/00.yaml:4:8\n"),
            "… and 10 more unknown-field like this in `e2e` (to skip the folder: --exclude",
            "60 errors",
        ],
    );
    assert_eq!(outcome.stdout.matches("error[unknown-field]").count(), 50);
    assert_eq!(outcome.stdout.matches("rejected").count(), 50);
    let outcome = sandbox.run(&["check", "-o", "concise"]);
    assert_eq!(outcome.stdout.matches("error[unknown-field]").count(), 60);
}

#[test]
fn raw_text_of_jinja_may_begin_with_a_document() {
    let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: '{{ size }}'}\n";
    let text = format!("{{% raw %}}\n---\n{resource}{{% endraw %}}\n");
    let crd = definition("              type: object\n              properties: {size: {type: string}}\n");
    let sandbox = Sandbox::new(&[("docs/snippets/a.yaml", &text), ("crd.yaml", &crd)]);
    for path in ["docs", "docs/snippets/a.yaml"] {
        let outcome = sandbox.run(&["check", "--crd", "crd.yaml", path]);
        outcome.expect(0, &["1 file, 0 CRDs, 1 CR (1 checked in part), 0 errors"]);
        assert!(!outcome.stdout.contains("Not checked"), "{outcome:#?}");
    }
}

#[test]
fn a_placeholder_in_braces_may_begin_a_value() {
    let crd = definition(
        "              type: object\n              properties: {image: {type: string}, size: {type: integer}}\n",
    );
    let resource =
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  image: {user}/a:latest\n  size: x\n";
    let sandbox = Sandbox::new(&[
        ("docs/a.yaml", resource),
        ("deploy/a.yaml", resource),
        ("crd.yaml", &crd),
    ]);
    let outcome = sandbox.run(&["check", "--crd", "crd.yaml", "-o", "concise", "docs"]);
    outcome.expect(
        1,
        &[
            "docs/a.yaml:6:9: error[wrong-type]",
            "1 CR (1 checked in part), 1 error",
        ],
    );
    let outcome = sandbox.run(&["check", "--crd", "crd.yaml", "-o", "concise", "deploy"]);
    outcome.expect(1, &["deploy/a.yaml:5:16: error[invalid-yaml]", "1 error"]);
}

#[test]
fn crds_around_a_folder_count_as_kustomize_builds_them() {
    let crd = definition("              type: object\n              properties: {size: {type: string}}\n");
    let sandbox = Sandbox::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("config/crd/bases/a.yaml", &crd),
        (
            "config/crd/kustomization.yaml",
            "resources: [bases/a.yaml]\npatches: [{path: patch.yaml, target: {kind: CustomResourceDefinition}}]\n",
        ),
        (
            "config/crd/patch.yaml",
            "- {op: replace, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/type, value: integer}\n",
        ),
        (
            "config/samples/a.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 3}\n",
        ),
    ]);
    for path in ["config/samples", "config/samples/a.yaml"] {
        sandbox
            .run(&["check", path])
            .expect(0, &["1 file, 0 CRDs, 1 CR, 0 errors"]);
    }
    let wrong = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: three}\n";
    sandbox.write("config/samples/a.yaml", wrong);
    sandbox.run(&["check", "config/samples"]).expect(1, &["wrong-type"]);
    // An excluded file has no effect.
    sandbox.write(".crd-analyzer.yaml", "exclude: [config/crd/kustomization.yaml]\n");
    sandbox.run(&["check", "config/samples"]).expect(0, &["1 CR, 0 errors"]);
}

#[test]
fn a_named_file_is_a_crd_only_if_it_looks_like_one() {
    let sandbox = Sandbox::new(&[
        ("values.yaml", "replicas: 1\n"),
        ("kustomization.yaml", "resources: [crd.yaml]\n"),
        ("spec.yaml", "spec: {group: example.com, scope: Namespaced}\n"),
        ("crd.yaml", &definition("              type: object\n")),
        (
            "docs/snippets/a.yaml",
            "{% raw %}\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: \"{{ \"a\" }}\"\n{% endraw %}\n",
        ),
    ]);
    let outcome = sandbox.run(&["check", "values.yaml"]);
    outcome.expect(1, &["error[not-checked]", "0 CRDs, 1 error"]);
    sandbox
        .run(&["check", "--allow-unchecked", "values.yaml"])
        .expect(0, &["1 document without a Kubernetes object"]);
    sandbox.run(&["check", "kustomization.yaml"]).expect(0, &["0 errors"]);
    sandbox.run(&["check", "spec.yaml"]).expect(1, &["1 CRD", "missing"]);
    sandbox
        .run(&["check", "--crd", "crd.yaml", "docs/snippets/a.yaml"])
        .expect(1, &["this template is not checked"]);
}

#[test]
fn a_named_template_that_cannot_be_read_was_not_rejected() {
    let template = "{{- if .Values.a }}\napiVersion: {{ .Values.version }}\nkind: Widget\n{{- end }}\n";
    let sandbox = Sandbox::new(&[("a.yaml", &format!("{template}---\n{template}"))]);
    let outcome = sandbox.run(&["check", "a.yaml"]);
    outcome.expect(1, &["error[not-checked]", "2 templates (a.yaml)", "0 CRDs, 1 error,"]);
    let outcome = sandbox.run(&["check", "a.yaml", "--allow-unchecked"]);
    outcome.expect(0, &["Not checked: 2 templates (a.yaml)", "0 CRDs, 0 errors,"]);
    let outcome = sandbox.run_with_input(&["check", "-"], template.as_bytes());
    outcome.expect(0, &["Not checked: 1 template (-)", "0 CRDs, 0 errors,"]);
    assert!(!outcome.stdout.contains("suppressed"), "{}", outcome.stdout);
}

#[test]
fn a_named_file_without_an_object_is_not_checked() {
    let sandbox = Sandbox::new(&[("a.yaml", ""), ("b.yaml", "# nothing\n---\n---\n")]);
    for file in ["a.yaml", "b.yaml"] {
        let outcome = sandbox.run(&["check", file]);
        outcome.expect(1, &["this file is not checked: it has no Kubernetes object"]);
        sandbox
            .run(&["check", file, "--allow-unchecked"])
            .expect(0, &["0 errors"]);
    }
    sandbox.run(&["check", "."]).expect(0, &["2 files, 0 CRDs, 0 errors"]);
}

#[test]
fn standard_input_without_an_object_is_nothing_to_check() {
    let sandbox = Sandbox::new(&[("crd.yaml", &definition(FINE)), ("baseline.json", "")]);
    for (input, why) in [
        ("", "nothing to check: standard input is empty"),
        ("\n---\n", "it begins with `---`"),
        ("Error: chart not found", "it begins with `Error: chart not found`"),
        ("no such file\n", "it begins with `no such file`"),
    ] {
        for args in [["check", "-"].as_slice(), &["check", "-", "crd.yaml"]] {
            sandbox
                .run_with_input(args, input.as_bytes())
                .expect(2, &[why, "--allow-empty"]);
        }
        let allowed = ["check", "-", "--allow-empty"];
        sandbox
            .run_with_input(&allowed, input.as_bytes())
            .expect(0, &["1 file"]);
        let named = ["check", "-", "--stdin-filename", "values.yaml"];
        sandbox.run_with_input(&named, input.as_bytes()).expect(0, &["1 file"]);
    }
    for objects in [
        "apiVersion: v1\nkind: List\nitems: []\n",
        "apiVersion: v1\nkind: ConfigMap\n",
        "apiVersion: example.com/v1\nkind: Unknown\n",
    ] {
        sandbox
            .run_with_input(&["check", "-"], objects.as_bytes())
            .expect(0, &["1 file"]);
    }
}

#[test]
fn rules_that_name_their_own_value_or_an_unknown_function_say_so() {
    let rule = |rule: &str| {
        definition(&format!(
            "              type: object\n              x-kubernetes-validations: [{{rule: \"{rule}\", message: a}}]\n              \
             properties: {{size: {{type: integer}}, name: {{type: string, maxLength: 10}}}}\n"
        ))
    };
    for (text, expected) in [
        (
            "self.spec.size > 1",
            [
                "`spec` is not a property of `spec`",
                "help: leave out `.spec`: `self` is the value of `spec` here",
            ],
        ),
        (
            "!format.uid().validate(self.name).hasValue()",
            [
                "`format` has no such function in this Kubernetes version",
                "help: write `format.named`",
            ],
        ),
    ] {
        let sandbox = Sandbox::new(&[("crd.yaml", &rule(text))]);
        sandbox.run(&["check", "crd.yaml"]).expect(1, &expected);
    }
}

#[test]
fn why_reads_templates_as_check_does() {
    let template = "{{- if .Values.a }}\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {{ .Values.name }}\nspec: {}\n{{- end }}\n";
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &definition(FINE)),
        ("chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"),
        ("chart/templates/a.yaml", template),
    ]);
    sandbox.run(&["check", "."]).expect(0, &["1 CR (1 checked in part)"]);
    let outcome = sandbox.run(&["check", ".", "--why", "chart/templates/a.yaml"]);
    outcome.expect(0, &["chart/templates/a.yaml: Widget", "checked by: crd.yaml"]);
}
