//! Files with parts that a person, a tool or a template fills in, and objects of built-in kinds.

use crate::{definition, sandbox::Sandbox};

const SPEC: &str = "              type: object
              properties:
                size: {type: integer}
                mode: {type: string, enum: [a, b]}
";

const CHART: &str = "apiVersion: v2\nname: a\nversion: 0.1.0\n";

const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";

/// Checks what `check` finds in files beside the CRD of Widgets in `crd.yaml`: the file, the line and the code of each diagnostic.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let sandbox = Sandbox::new(files);
    let outcome = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    let found = outcome.stdout.lines().map(|line| {
        let mut parts = line.splitn(4, ':');
        let mut part = || parts.next().unwrap_or_default();
        let (file, at) = (part(), part());
        part();
        let code = part().split(['[', ']']).nth(1).unwrap_or_default();
        format!("{file}:{at} {code}")
    });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{outcome:#?}");
}

#[test]
fn a_crd_does_not_replace_a_built_in_kind() {
    let crd = definition(SPEC)
        .replace("example.com", "rbac.authorization.k8s.io")
        .replace("widgets", "clusterroles")
        .replace("Widget", "ClusterRole")
        .replace(
            "metadata:\n",
            "metadata:\n  annotations: {api-approved.kubernetes.io: \"https://github.com/kubernetes/kubernetes/pull/1\"}\n",
        );
    // A built-in kind may have a colon in its name.
    let role =
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: \"system:a\"}\nrules: []\n";
    check(&[("crd.yaml", &crd), ("role.yaml", role)], &[]);
}

#[test]
fn the_configuration_of_a_program_may_have_a_version_and_a_name() {
    let crd = definition(SPEC);
    let install = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: a}\nplatform: {none: {}}\n";
    let score = "apiVersion: score.dev/v1b1\nmetadata: {name: a}\ncontainers: {}\n";
    let pod = "apiVersion: v1\nmetadata: {name: a}\nspec: {containers: []}\n";
    check(
        &[
            ("crd.yaml", &crd),
            ("install-config.yaml", install),
            ("pod.yaml", pod),
            ("score.yaml", score),
        ],
        &["pod.yaml:1 unknown-kind"],
    );
}

#[test]
fn a_key_after_a_merge_key_replaces_the_merged_value() {
    let crd = definition("              type: object\n              x-kubernetes-preserve-unknown-fields: true\n");
    let head = format!("{WIDGET}spec:\n  a: &a {{x: 1, y: 2}}\n  b: &b\n");
    let before = format!("{head}    <<: *a\n    x: 3\n  c:\n    <<: *b\n    x: 4\n    y: 5\n");
    let after = format!("{head}    y: 2\n    x: 3\n    <<: *a\n");
    let nested = format!("{head}    <<: *a\n    x: 3\n  c:\n    x: 4\n    <<: *b\n");
    let same = format!("{head}    y: 2\n    <<: *a\n");
    let merging = crd.replace(
        "metadata:\n",
        "metadata:\n  labels: &labels {team: a}\n  annotations:\n    <<: *labels\n    team: c\n",
    );
    check(
        &[
            ("after.yaml", &after),
            ("before.yaml", &before),
            ("crd.yaml", &merging),
            ("nested.yaml", &nested),
            ("same.yaml", &same),
        ],
        &["after.yaml:8 duplicate-key", "nested.yaml:10 duplicate-key"],
    );
}

#[test]
fn ytt_fills_in_empty_values() {
    let crd = definition(&format!("{SPEC}              required: [mode]\n"));
    let template = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: #@ data.values.name\nspec:\n  #@ if data.values.big:\n  size: #@ data.values.size\n  #@ else:\n  size: 1\n  #@ end\n  mode: #@ data.values.mode\n  x: #@ y\n";
    let overlay = format!("{WIDGET}spec:\n  #@overlay/match missing_ok=True\n  size: big\n");
    check(
        &[("crd.yaml", &crd), ("overlay.yaml", &overlay), ("w.yaml", template)],
        &["overlay.yaml:6 wrong-type", "w.yaml:12 unknown-field"],
    );
}

#[test]
fn a_name_in_brackets_is_a_placeholder() {
    let crd = definition(SPEC);
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: [WIDGET_NAME]\nspec: {size: big}\n";
    check(
        &[("crd.yaml", &crd), ("docs/w.yaml", widget)],
        &["docs/w.yaml:5 wrong-type"],
    );
}

#[test]
fn a_tool_substitutes_both_forms_of_variables() {
    let crd = definition(SPEC);
    let widget = |rest: &str| format!("{WIDGET}spec:\n  mode: $MODE\n  size: $SIZE\n{rest}");
    check(
        &[
            ("crd.yaml", &crd),
            ("deploy/w.yaml", &widget("status: {x: \"${VERSION}\"}\n")),
        ],
        &["deploy/w.yaml:7 unknown-field"],
    );
    // A script substitutes the variables.
    check(
        &[
            ("crd.yaml", &crd),
            ("deploy/w.yaml", &widget("")),
            (
                "hack/deploy.sh",
                "for m in v.yaml w.yaml; do envsubst < $m | kubectl apply -f -; done\n",
            ),
        ],
        &[],
    );
    // Without a variable in braces, nothing says that a tool substitutes the others.
    check(
        &[("crd.yaml", &crd), ("deploy/w.yaml", &widget(""))],
        &["deploy/w.yaml:5 not-in-enum", "deploy/w.yaml:6 wrong-type"],
    );
}

#[test]
fn what_a_chart_sets_later_is_unknown() {
    let crd = definition(SPEC);
    let widget = |size: &str| {
        format!(
            "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a-{{{{ .Env.ID }}}}\nspec:\n  mode: x\n  size: '{size}'\n"
        )
    };
    let kustomization = "resources: [w.yaml]\nnamespace: '{{ .Release.Namespace }}'\n";
    for (size, more) in [("{{ .Values.size }}", false), ("{{ .size }}", true)] {
        let expected = ["deploy/w.yaml:6 not-in-enum", "deploy/w.yaml:7 wrong-type"];
        check(
            &[
                ("crd.yaml", &crd),
                ("deploy/w.yaml", &widget(size)),
                ("deploy/kustomization.yaml", kustomization),
            ],
            &expected[..=usize::from(more)],
        );
    }
}

#[test]
fn a_template_that_may_fail_prints_the_rest() {
    let crd = definition(SPEC);
    let widget = format!(
        "{WIDGET}spec:
  {{{{- if not .Values.a }}}}{{{{ fail \"say a\" }}}}{{{{- end }}}}
  {{{{- if not .Values.b }}}}
  {{{{ fail \"say b\" }}}}
  {{{{- end }}}}
  size: big
"
    );
    check(
        &[
            ("a/Chart.yaml", CHART),
            ("a/crds/crd.yaml", &crd),
            ("a/templates/w.yaml", &widget),
        ],
        &["a/templates/w.yaml:9 wrong-type"],
    );
}

/// A CRD in a template that prints the first of two versions only if a value says so.
fn optional_version(begin: &str) -> String {
    let crd = definition(SPEC);
    let (head, v1) = crd.split_at(crd.find("    - name: v1").expect("a version"));
    let v0 = v1
        .replace("name: v1", "name: v0")
        .replace("storage: true", "storage: false");
    format!("{head}  {begin}\n{v0}  {{{{- end }}}}\n{v1}")
}

#[test]
fn a_template_may_omit_a_version_of_a_crd() {
    let crd = optional_version("{{- if .Values.old }}");
    let widgets = format!(
        "{WIDGET}spec: {{size: big}}\n---\n{}spec: {{mode: c}}\n",
        WIDGET.replace("v1", "v0")
    );
    check(
        &[
            ("a/Chart.yaml", CHART),
            ("a/templates/crd.yaml", &crd),
            ("w.yaml", &widgets),
        ],
        &["w.yaml:4 wrong-type", "w.yaml:9 not-in-enum"],
    );
}

#[test]
fn a_crd_that_only_a_template_knows_is_not_broken() {
    let crd = definition(SPEC).replace("name: v1", "name: {{ .Values.version }}");
    let sandbox = Sandbox::new(&[
        ("a/Chart.yaml", CHART),
        ("a/templates/crd.yaml", &crd),
        ("w.yaml", WIDGET),
    ]);
    let outcome = sandbox.run(&["check", "."]);
    let expected = "hint[unusable-crd]: this resource is not checked, because its CRD in `templates/crd.yaml` depends on the values of a template";
    assert!(outcome.stdout.contains(expected), "{outcome:#?}");
    let help = "help: write what the template renders to a file, and name it with `--crd`";
    assert!(outcome.stdout.contains(help), "{outcome:#?}");
}

#[test]
fn a_variable_as_version_is_one_of_the_served_versions() {
    let crd = optional_version("").replace("{{- end }}", "");
    let widget = WIDGET.replace("example.com/v1", "example.com/${VERSION}");
    // The two versions have different fields.
    let (v0, v1) = crd.split_at(crd.rfind("- name: v1").expect("a version"));
    let crd = format!("{}{v1}", v0.replace("size: {type: integer}", "length: {type: integer}"));
    check(
        &[
            ("crd.yaml", &crd),
            (
                "w.yaml",
                &format!("{widget}spec: {{size: 1, length: 1, mode: c, foo: 1}}\n"),
            ),
        ],
        &["w.yaml:4 unknown-field"],
    );
}
