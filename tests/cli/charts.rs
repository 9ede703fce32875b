//! Templates of Helm charts: what the chart's files decide about the values.

use crate::{definition, sandbox::Sandbox};

const CHART: &str = "apiVersion: v2\nname: a\nversion: 0.1.0\n";

const SPEC: &str = "              type: object
              required: [size]
              properties:
                size: {type: integer}
                port: {type: string}
                on: {type: boolean}
                either: {x-kubernetes-int-or-string: true}
                labels: {type: object, additionalProperties: {type: string}}
                list: {type: array, items: {type: string}}
";

const SCHEMA: &str = r#"{
  "properties": {
    "size": {"type": "integer"},
    "maybe": {"type": "integer"},
    "mode": {"enum": ["A", "B"]},
    "on": {"type": "boolean"},
    "labels": {"type": "object"},
    "list": {"type": "array"}
  },
  "required": ["size", "mode", "on", "labels", "list"]
}
"#;

/// Lines of `spec`.
fn indented(lines: &[&str]) -> String {
    lines.iter().flat_map(|it| ["  ", it, "\n"]).collect()
}

/// A custom resource in a template, with the lines of its `spec`.
fn template(lines: &[&str]) -> String {
    let lines = indented(lines);
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec:\n{lines}")
}

/// Checks the lines of `spec` in a template that have an error. `spec:` itself counts as the first one.
#[track_caller]
fn check(files: &[(&str, &str)], lines: &[&str], expected: &[usize]) {
    let crd = definition(SPEC);
    let template = template(lines);
    let mut all = vec![
        ("a/Chart.yaml", CHART),
        ("a/crds/widgets.yaml", &*crd),
        ("a/templates/widget.yaml", &*template),
    ];
    all.extend(files);
    let sandbox = Sandbox::new(&all);
    let outcome = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    let found = outcome.stdout.lines().filter_map(|line| {
        let rest = line.strip_prefix("a/templates/widget.yaml:")?;
        let line: usize = rest.split(':').next()?.parse().ok()?;
        Some(line.saturating_sub(5))
    });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{outcome:#?}");
}

#[test]
fn the_schema_of_the_values_decides_types() {
    let schema = ("a/values.schema.json", SCHEMA);
    check(
        &[schema],
        &[
            "size: {{ .Values.mode }}",
            "port: {{ .Values.size }}",
            "on: {{ .Values.on | quote }}",
            "labels: {{ .Values.labels }}",
            "list:",
            "  {{- toYaml .Values.labels | nindent 4 }}",
        ],
        &[0, 1, 2, 3, 5],
    );
    check(
        &[schema],
        &[
            "size: {{ .Values.size }}",
            "port: {{ .Values.size | quote }}",
            "on: {{ .Values.on }}",
            "either: {{ .Values.size }}",
            "labels: {{- toYaml .Values.labels | nindent 4 }}",
            "list: {{ .Values.list }}",
        ],
        &[],
    );
    // The value may be missing, and a field without a value is dropped.
    check(&[schema], &["size: 1", "port: {{ .Values.maybe }}"], &[]);
    check(&[schema], &["size: 1", "port: {{ .Values.maybe | default 1 }}"], &[1]);
    check(&[], &["size: {{ .Values.mode }}", "port: {{ .Values.size }}"], &[]);
    // A template changes the values, or one that is not there may do so.
    for line in ["{{- $_ := set .Values \"size\" \"a\" }}", "{{- include \"other\" . }}"] {
        let other = ("a/templates/_other.tpl", line);
        check(&[schema, other], &["size: 1", "port: {{ .Values.size }}"], &[]);
    }
    // Charts in the chart have other values.
    let values = ("a/charts/b/values.schema.json", SCHEMA);
    check(&[values], &["size: 1", "port: {{ .Values.size }}"], &[]);
}

#[test]
fn functions_decide_types() {
    check(
        &[],
        &["size: 1", "port: {{ .Values.port | int }}", "on: {{ len .Values.on }}"],
        &[1, 2],
    );
    check(&[], &["size: {{ int .Values.port }}", "on: {{ not .Values.off }}"], &[]);
}

#[test]
fn a_diagnostic_names_the_schema_of_the_values() {
    let (crd, template) = (definition(SPEC), template(&["size: 1", "port: {{ .Values.size }}"]));
    let sandbox = Sandbox::new(&[
        ("a/Chart.yaml", CHART),
        ("a/values.schema.json", SCHEMA),
        ("a/crds/widgets.yaml", &crd),
        ("a/templates/widget.yaml", &template),
    ]);
    sandbox.run(&["check", "."]).expect(
        1,
        &[
            "`spec.port` must be a string, but the template prints a number",
            "a/values.schema.json:3:5",
            "Helm refuses other types of `.Values.size`",
            "add `| quote` at the end of the action",
        ],
    );
}

/// Checks the names in a chart's files that get a hint, each with the value that is meant.
#[track_caller]
fn check_names(values: &str, templates: &[&str], expected: &[(&str, &str)]) {
    let names: Vec<String> = (0..templates.len())
        .map(|n| format!("a/templates/{n}.{}", if n == 0 { "yaml" } else { "tpl" }))
        .collect();
    let mut files = vec![("a/Chart.yaml", CHART), ("a/values.yaml", values)];
    files.extend(names.iter().map(|it| &**it).zip(templates.iter().copied()));
    let outcome = Sandbox::new(&files).run(&["check", ".", "-o", "concise", "--quiet"]);
    let found = outcome.stdout.lines().filter_map(|line| {
        let rest = line
            .split_once("hint[unknown-chart-value]: the chart has no value `")?
            .1;
        let (written, rest) = rest.split_once('`')?;
        Some((written, rest.split('`').nth(1)?))
    });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{outcome:#?}");
}

#[test]
fn a_misspelt_value_gets_a_hint() {
    let values = "image:\n  repository: a\n  tag: b\nreplicas: 1\n# port: 1\nports: 2\n";
    let print = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: {{ .Values.image.repositry | quote }}\n  b: {{ .Values.replica }}\n";
    let both = [("image.repositry", "repository"), ("replica", "replicas")];
    check_names(values, &[print], &both);
    check_names(
        values,
        &["a: 1", &format!("{{{{ define \"a\" }}}}\n{print}{{{{ end }}}}")],
        &both,
    );
    check_names(values, &["a: {{ .Values.repicas.size }}"], &[("repicas", "replicas")]);
    for right in [
        "{{ .Values.image.tag }} {{ .Values.replicas }}",
        // They are optional.
        "{{ .Values.replica | default 1 }}",
        "{{ if .Values.replica }}{{ .Values.replica }}{{ end }}",
        "{{ required \"say it\" .Values.replica }}",
        "{{ .Values.port }}",
        // Some template sets it.
        "{{ $_ := set .Values \"replica\" 1 }}{{ .Values.replica }}",
        // They are no values of the chart, or resemble no other value.
        "{{ $other.Values.replica }} {{ .Values.global.replica }} {{ .Values.other }} {{ .Values.image.other }}",
        "{{ .Values.replicas.other }}",
    ] {
        check_names(values, &[&format!("a: {right}")], &[]);
    }
    let twice = "a: {{ .Values.replica }}";
    check_names(values, &[twice, twice], &[]);
    let schema = r#"{"properties": {"replica": {}}}"#;
    let files = [
        ("a/Chart.yaml", CHART),
        ("a/values.yaml", values),
        ("a/values.schema.json", schema),
        ("a/templates/a.yaml", twice),
    ];
    let outcome = Sandbox::new(&files).run(&["check", "."]);
    assert!(!outcome.stdout.contains("unknown-chart-value"), "{outcome:#?}");
}

#[test]
fn a_field_is_missing_where_nothing_can_add_it() {
    let labels = "{{- include .Values.labels . | nindent 4 }}";
    let missing = ["labels:", labels];
    check(&[], &missing, &[0]);
    // The unknown text is in the object that lacks the field.
    check(&[], &["{{- toYaml .Values.spec | nindent 2 }}", "on: true"], &[]);
    check(&[], &["{{ .Values.key }}: 1", "on: true"], &[]);
    let with = [
        "{{- with .Values.labels }}",
        "labels:",
        "  {{- toYaml . | nindent 4 }}",
        "{{- end }}",
        "on: true",
    ];
    check(&[], &with, &[0]);
}

#[test]
fn items_that_may_be_absent_do_not_count() {
    let spec = "              type: object\n              properties:\n                list: {type: array, maxItems: 2, items: {type: string}}\n";
    let lines = ["list:", "- a", "- b", "{{- range .Values.list }}", "- c", "{{- end }}"];
    let (crd, template) = (definition(spec), template(&lines));
    let sandbox = Sandbox::new(&[
        ("a/Chart.yaml", CHART),
        ("a/crds/widgets.yaml", &crd),
        ("a/templates/widget.yaml", &template),
    ]);
    sandbox
        .run(&["check", "."])
        .expect(1, &["`spec.list` has 3 items, but at most 2 are allowed"]);
}

/// Checks the lines of a policy in a template that have an error. Its `spec` begins in line 1.
#[track_caller]
fn check_policy(lines: &[&str], expected: &[usize]) {
    let lines = indented(lines);
    let template = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: \"{{{{ .Release.Name }}}}\"}}\n\
         spec:\n  matchConstraints: {{{{- toYaml .Values.match | nindent 4 }}}}\n{lines}"
    );
    let sandbox = Sandbox::new(&[("a/Chart.yaml", CHART), ("a/templates/policy.yaml", &template)]);
    let outcome = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    let found = outcome.stdout.lines().filter_map(|line| {
        let rest = line.strip_prefix("a/templates/policy.yaml:")?;
        let line: usize = rest.split(':').next()?.parse().ok()?;
        Some(line - 5)
    });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{outcome:#?}");
}

#[test]
fn expressions_of_policies_in_templates_are_compiled() {
    check_policy(
        &[
            "failurePolicy: {{ .Values.policy }}",
            "variables:",
            "- {name: a, expression: 1 + 1}",
            "validations:",
            "- expression: variables.a == 2",
            "- expression: variables.b == 2",
            "- expression: object.spec.size +",
            "- expression: object.spec.size > {{ .Values.size }}",
            "  mesage: a",
            "- message: a",
            "{{- if .Values.more }}",
            "- expression: 1 + true",
            "{{- end }}",
        ],
        &[6, 7, 9, 10, 12],
    );
    // What the expressions may use is not known.
    check_policy(
        &[
            "variables:",
            "{{- toYaml .Values.variables | nindent 2 }}",
            "validations:",
            "- expression: variables.b == 2",
            "- {expression: \"{{ .Values.expression }}\", message: a}",
            "- message: a",
            "  {{- toYaml .Values.validation | nindent 4 }}",
        ],
        &[],
    );
}

/// What the template prints is unknown, so it is not part of the object that is shown.
#[test]
fn the_effective_object_has_no_invented_values() {
    let crd = definition(SPEC);
    let lines = [
        "size: {{ .Values.size }}",
        "port: a-{{ .Values.port }}",
        "list:",
        "- b",
        "- {{ .Values.c }}",
    ];
    let sandbox = Sandbox::new(&[
        ("a/Chart.yaml", CHART),
        ("a/crds/widgets.yaml", &crd),
        ("a/templates/widget.yaml", &template(&lines)),
    ]);
    let outcome = sandbox.run(&["check", "a", "--show", "effective"]);
    let shown: Vec<&str> = outcome
        .stdout
        .lines()
        .skip_while(|it| !it.starts_with("# a/"))
        .take_while(|it| !it.is_empty())
        .collect();
    assert_eq!(
        shown,
        [
            "# a/templates/widget.yaml: Widget a as Kubernetes 1.37 reads it",
            "apiVersion: example.com/v1",
            "kind: Widget",
            "metadata:",
            "  name: a",
            "spec:",
            "  list:",
            "  - b",
            "  - # unknown",
            "  port: # unknown",
            "  size: # unknown",
        ],
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_block_before_the_fields_of_a_crd_does_not_hide_its_kind() {
    let crd = definition(SPEC).replace(
        "spec:\n  group",
        "spec:\n  {{- if .Values.webhook }}\n  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig: {service: {name: {{ .Values.name }}, namespace: a}}\n  {{- end }}\n  group",
    );
    let sandbox = Sandbox::new(&[
        ("chart/Chart.yaml", CHART),
        ("chart/templates/crd.yaml", &crd),
        (
            "a.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: a}\n",
        ),
    ]);
    sandbox
        .run(&["check", "."])
        .expect(1, &["`spec.size` must be an integer"]);
}

#[test]
fn rules_of_a_list_whose_items_a_block_prints_have_no_result() {
    let crd = definition(
        "              type: object
              properties:
                list:
                  type: array
                  maxItems: 3
                  items: {type: string, maxLength: 3}
                  x-kubernetes-validations:
                    - {rule: \"self.size() > 0\"}
                    - {rule: \"self.all(it, it != 'b')\"}
",
    );
    let lines = "  list:\n  - a\n  {{- toYaml .Values.list | nindent 2 }}\n";
    let resource = format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec:\n{lines}");
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("chart/Chart.yaml", CHART),
        ("chart/templates/a.yaml", &resource),
    ]);
    sandbox.run(&["check", "."]).expect(0, &[", 0 errors,"]);
}

/// What a template fills in is unknown also for the errors that come after one that has to be fixed first.
#[test]
fn what_a_template_fills_in_has_no_later_errors() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n  annotations:\n    {{- if .Values.x }}\n    a/b: '{{ .Release.Namespace }}/x'\n    {{- end }}\n    a: b\nspec:\n  group: example.com\n  names: {kind: Foo, plural: foos}\n  scope: Cluster\n  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig: {service: {name: '{{ .Values.name }}', namespace: '{{ .Release.Namespace }}'}}\n  versions:\n  - name: v1\n    deprecated: \"true\"\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object}}\n";
    let sandbox = Sandbox::new(&[
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        ("templates/crd.yaml", crd),
        (
            "templates/_helpers.tpl",
            "{{- define \"labels\" -}}\napp: {{ .Release.Name }}\n{{- if .Chart.AppVersion }}\nversion: {{ .Chart.AppVersion | quote }}\n{{- end }}\n{{- end }}\n",
        ),
    ]);
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(1, &["templates/crd.yaml:23:17: error[unreadable-crd]", " 1 error,"]);
    assert!(!outcome.stdout.contains("after fixing"), "{}", outcome.stdout);
}

#[test]
fn a_value_on_the_next_line_needs_no_blank_after_its_key() {
    check(
        &[],
        &[
            "size: 1",
            "prt: a",
            "labels:{{ tpl .Values.labels . | trim | nindent 4 }}",
            "list:{{ toYaml .Values.list | nindent 2 }}",
        ],
        &[1],
    );
    let schema = ("a/values.schema.json", SCHEMA);
    check(
        &[schema],
        &["size: 1", "labels:{{ toYaml .Values.list | nindent 4 }}"],
        &[1],
    );
}

#[test]
fn lines_below_a_value_on_the_next_line_are_checked() {
    let labels = "labels: {{- toYaml .Values.labels | nindent 4 }}";
    check(&[], &["size: 1", labels, "  a: b", "  c: 1"], &[3]);
    // The numbers of the items are not known.
    let list = "list: {{- toYaml .Values.list | nindent 4 }}";
    check(&[], &["size: big", list, "  - 1"], &[0]);
    check(
        &[],
        &[
            "labels: {{- if .Values.x }}{{ toYaml .Values.x | nindent 4 }}{{ end }}",
            "  a: b",
        ],
        &[0],
    );
}

/// Checks the codes of the errors of a CRD in a template that has this conversion.
#[track_caller]
fn check_conversion(webhook: &str, expected: &[&str]) {
    let crd = definition(SPEC).replace(
        "spec:\n  group",
        &format!("spec:\n  conversion:\n    strategy: Webhook\n    webhook: {webhook}\n  group"),
    );
    let sandbox = Sandbox::new(&[("chart/Chart.yaml", CHART), ("chart/templates/crd.yaml", &crd)]);
    let outcome = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    let codes = outcome
        .stdout
        .lines()
        .filter_map(|it| Some(it.split_once("error[")?.1.split_once(']')?.0));
    assert_eq!(codes.collect::<Vec<_>>(), expected, "{webhook}: {outcome:#?}");
}

#[test]
fn an_unknown_value_hides_only_the_errors_that_it_may_decide() {
    let missing = "missing-review-versions";
    for (service, expected) in [
        ("{name: a, namespace: '{{ .Release.Namespace }}'}", &[missing][..]),
        ("{name: '{{ .Values.name }}', namespace: a}", &[missing]),
        ("{name: '{{ .Values.name }}'}", &[missing, "invalid-webhook-service"]),
        (
            "{name: '{{ .Values.name }}', namespace: a, port: 70000}",
            &[missing, "invalid-webhook-service"],
        ),
        ("'{{ .Values.service }}'", &[missing]),
    ] {
        check_conversion(&format!("{{clientConfig: {{service: {service}}}}}"), expected);
        let versions =
            format!("{{clientConfig: {{service: {service}}}, conversionReviewVersions: ['{{{{ .Values.v }}}}']}}");
        check_conversion(&versions, &expected[1..]);
    }
    let config = |config: &str| format!("{{conversionReviewVersions: [v1], clientConfig: {config}}}");
    check_conversion(&config("{caBundle: '{{ .Values.ca }}'}"), &["missing-webhook"]);
    check_conversion(&config("{url: '{{ .Values.url }}'}"), &[]);
    check_conversion(&config("'{{ .Values.config }}'"), &[]);
    check_conversion("'{{ .Values.webhook }}'", &[]);
    check_conversion("\n      {{- toYaml .Values.webhook | nindent 6 }}", &[]);
    check_conversion(
        " {{- toYaml .Values.webhook | nindent 6 }}\n      conversionReviewVersions: [v1]",
        &[],
    );
    check_conversion(
        "\n      clientConfig: {service: {name: a, namespace: b}}\n      {{- toYaml .Values.versions | nindent 6 }}",
        &[],
    );
    check_conversion(
        "\n      clientConfig: {url: 'https://a'}\n      {{- if .Values.a }}\n      conversionReviewVersions: [v1]\n      {{- end }}",
        &[],
    );
}
