//! Files that are not YAML. Each error is reported once, in the file that must change, and not again in those that build from it.

use crate::{Sandbox, definition};

const SPEC: &str =
    "              type: object\n              properties: {size: {type: integer}, tier: {type: string}}\n";
const HEAD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\n";
const OVERLAY: (&str, &str) = ("prod/kustomization.yaml", "resources: [../base, more.yaml]\n");

/// Checks the reported errors in a tree with a base: `file:line:column: error[code]`.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let crd = definition(SPEC);
    let base = format!("{HEAD}spec: {{size: 1}}\n").replace("name: b", "name: a");
    let mut all = vec![
        ("crd.yaml", crd.as_str()),
        ("base/kustomization.yaml", "resources: [w.yaml]\n"),
        ("base/w.yaml", base.as_str()),
    ];
    all.extend(files);
    let outcome = Sandbox::new(&all).run(&["check", ".", "-o", "concise"]);
    let errors = outcome.stdout.lines().filter(|it| it.contains(": error"));
    let found: Vec<String> = errors
        .map(|it| it.split_once("]: ").map_or(it, |it| it.0).to_owned() + "]")
        .collect();
    assert_eq!(found, expected, "{}", outcome.stdout);
}

#[test]
fn an_error_is_shown_where_it_is_written() {
    let names_patch = "resources: [../base]\npatches: [path: patch.yaml]\n";
    for (name, text, expected) in [
        (OVERLAY, "spec:\n\tsize: 1\n", "prod/more.yaml:5:1: error[invalid-yaml]"),
        (OVERLAY, "spec: {size: 1\n", "prod/more.yaml:4:1: error[invalid-yaml]"),
        (
            OVERLAY,
            "spec:\n  size: 1\n  size: 2\n",
            "prod/more.yaml:6:3: error[duplicate-key]",
        ),
    ] {
        check(&[name, ("prod/more.yaml", &format!("{HEAD}{text}"))], &[expected]);
    }
    check(
        &[
            ("prod/kustomization.yaml", names_patch),
            ("prod/patch.yaml", &format!("{HEAD}spec:\n\tsize: 1\n")),
        ],
        &["prod/patch.yaml:5:1: error[invalid-yaml]"],
    );
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n\tpatches: []\n";
    let names = "resources: [../base]\ncomponents: [../part]\n";
    check(
        &[
            ("prod/kustomization.yaml", names),
            ("dev/kustomization.yaml", names),
            ("part/kustomization.yaml", component),
        ],
        &["part/kustomization.yaml:3:1: error[invalid-yaml]"],
    );
}

#[test]
fn an_object_without_a_kind_is_one_error() {
    let text = "apiVersion: example.com/v1\nmetadata: {name: b}\nspec: {size: 1}\n";
    check(
        &[OVERLAY, ("prod/more.yaml", text)],
        &["prod/more.yaml:1:1: error[unknown-kind]"],
    );
}

/// The file looks like a template, or has no object, so only the build shows that it must be YAML.
#[test]
fn an_error_that_only_kustomize_has_is_in_the_file() {
    let text = format!("{HEAD}spec:\n  size: 1\n  tier: {{{{ .Tier }}}}\n");
    check(
        &[OVERLAY, ("prod/more.yaml", &text)],
        &["prod/more.yaml:6:9: error[kustomize-failure]"],
    );
    let sandbox = Sandbox::new(&[("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &text)]);
    let help = "put the value in quotes: `\"{{ .Tier }}\"`";
    sandbox.run(&["check", "."]).expect(1, &["a.yaml:6:9", help]);
    check(
        &[
            (
                "prod/kustomization.yaml",
                "resources: [../base]\nconfigurations: [config.yaml]\n",
            ),
            ("prod/config.yaml", "nameReference:\n- kind: Widget\n version: v1\n"),
        ],
        &["prod/config.yaml:3:2: error[kustomize-failure]"],
    );
}

/// The error of a file that is not checked stays at the place that names the file.
#[test]
fn a_file_that_is_not_checked() {
    let text = format!("{HEAD}spec:\n\tsize: 1\n");
    check(
        &[
            (".crd-analyzer.yaml", "exclude: [prod/more.yaml]\n"),
            OVERLAY,
            ("prod/more.yaml", &text),
        ],
        &["prod/kustomization.yaml:1:22: error[kustomize-failure]"],
    );
}

/// Helm loads the values and the metadata of a chart and of the charts in it before it renders a template.
#[test]
fn what_helm_loads_of_a_chart() {
    let chart = "apiVersion: v2\nname: a\nversion: 1.0.0\n";
    let whole = [
        ("a/Chart.yaml", chart),
        ("a/values.yaml", "size: 1\nsize: 2\n"),
        ("a/charts/b/Chart.yaml", chart),
        ("a/charts/b/values.yaml", ""),
        ("a/ci/values.yaml", "mode Fast\nsize: 1\n"),
        ("values.yaml", "mode Fast\nsize: 1\n"),
    ];
    let check_with = |file: &'static str, text: &'static str, expected: &[&str]| {
        let mut files = whole.to_vec();
        files.retain(|it| it.0 != file);
        files.push((file, text));
        check(&files, expected);
    };
    check_with("a/README.md", "", &[]);
    check_with(
        "a/values.yaml",
        "size: 1\n\ttier: x\n",
        &["a/values.yaml:2:1: error[invalid-yaml]"],
    );
    check_with(
        "a/values.yaml",
        "a: {b: [c}\n",
        &["a/values.yaml:1:10: error[invalid-yaml]"],
    );
    check_with(
        "a/charts/b/values.yaml",
        "mode Fast\nsize: 1\n",
        &["a/charts/b/values.yaml:1:1: error[invalid-yaml]"],
    );
    check_with(
        "a/Chart.yaml",
        "name: a\nappVersion: \"1.0\nversion: 1.0.0\n",
        &["a/Chart.yaml:2:13: error[invalid-yaml]"],
    );
    // The action is for Helm.
    check_with(
        "a/values.yaml",
        "# a: {{ .Values.a }}\nb: \"{{ .Values.b }}\"\nmode Fast\nsize: 1\n",
        &["a/values.yaml:3:1: error[invalid-yaml]"],
    );
    // A program fills in the values.
    check_with("a/values.yaml", "size: 1\ntier: {{ tier }}\n", &[]);
}

#[test]
fn a_template_is_not_yaml_at_the_line_that_no_action_can_change() {
    let head = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {{ .Release.Name }}\n";
    let check_template = |rest: &str, expected: &[&str]| {
        check(
            &[
                ("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"),
                ("c/templates/w.yaml", &format!("{head}{rest}")),
            ],
            expected,
        );
    };
    check_template("spec:\n\tsize: 1\n", &["c/templates/w.yaml:6:1: error[invalid-yaml]"]);
    check_template(
        "spec:\n  {{- if .Values.x }}\n  size: 1\n   tier: a\n  {{- end }}\n",
        &["c/templates/w.yaml:8:8: error[invalid-yaml]"],
    );
    check_template("spec:\n  {{- tpl .Values.x . }}\n    size: 1\n   tier: a\n", &[]);
    let files = [
        ("crd.yaml", definition(SPEC)),
        ("c/Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n".to_owned()),
        (
            "c/templates/w.yaml",
            format!("{head}spec:\n  {{{{- tpl .Values.x . }}}}\n    size: 1\n   tier: a\n"),
        ),
    ];
    let files = files.each_ref().map(|it| (it.0, it.1.as_str()));
    let outcome = Sandbox::new(&files).run(&["check", ".", "-o", "concise"]);
    outcome.expect(0, &["c/templates/w.yaml:8:4: hint[template]"]);
}
