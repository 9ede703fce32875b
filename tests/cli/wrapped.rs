//! Tests of objects inside other objects. Each inner object is checked as in its own file, and its diagnostics are at its own position.

use serde_json::Value;

use super::{Outcome, Sandbox, definition};

const SCHEMA: &str = "              type: object
              required: [size]
              properties:
                size: {type: integer, maximum: 9}
                color: {type: string, enum: [red, blue]}
";

/// A resource with four errors, as long as no other object completes it.
const WRONG: &str = "apiVersion: example.com/v1
kind: Widget
metadata:
  name: one
  labels: {a: -}
spec:
  size: 10
  color: green
  colour: red
";

/// An object that contains other objects: the text before and after the inner object.
struct Wrapper {
    name: &'static str,
    before: &'static str,
    after: &'static str,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "list",
        before: "apiVersion: v1\nkind: List\nitems:\n- ",
        after: "",
    },
    Wrapper {
        name: "list of a kind",
        before: "apiVersion: example.com/v1\nkind: WidgetList\nitems:\n- ",
        after: "",
    },
    Wrapper {
        name: "template",
        before: "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nobjects:\n- ",
        after: "parameters: [{name: SIZE}]\n",
    },
    Wrapper {
        name: "old template",
        before: "apiVersion: v1\nkind: Template\nmetadata: {name: t}\nobjects:\n- ",
        after: "",
    },
    Wrapper {
        name: "manifest work",
        before: "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: w}\nspec:\n  workload:\n    manifests:\n    - ",
        after: "  executor: {}\n",
    },
    Wrapper {
        name: "manifest works of a set of clusters",
        before: "apiVersion: work.open-cluster-management.io/v1alpha1\nkind: ManifestWorkReplicaSet\nmetadata: {name: w}\nspec:\n  manifestWorkTemplate:\n    workload:\n      manifests:\n      - ",
        after: "",
    },
    Wrapper {
        name: "work of Karmada",
        before: "apiVersion: work.karmada.io/v1alpha1\nkind: Work\nmetadata: {name: w}\nspec:\n  workload:\n    manifests:\n    - ",
        after: "",
    },
    Wrapper {
        name: "sync set",
        before: "apiVersion: hive.openshift.io/v1\nkind: SelectorSyncSet\nmetadata: {name: s}\nspec:\n  resources:\n  - ",
        after: "",
    },
    Wrapper {
        name: "chainsaw",
        before: "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: c}\nspec:\n  steps:\n  - try:\n    - apply:\n        resource:\n          ",
        after: "",
    },
    Wrapper {
        name: "template of steps",
        before: "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: StepTemplate\nmetadata: {name: c}\nspec:\n  try:\n  - create:\n      resource:\n        ",
        after: "",
    },
    Wrapper {
        name: "application",
        before: "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  sources:\n  - helm:\n      valuesObject:\n        extraObjects:\n        - ",
        after: "",
    },
    Wrapper {
        name: "Flux release",
        before: "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  values:\n    extraManifests:\n    - ",
        after: "",
    },
    Wrapper {
        name: "Crossplane release",
        before: "apiVersion: helm.crossplane.io/v1beta1\nkind: Release\nmetadata: {name: a}\nspec:\n  forProvider:\n    values:\n      extraObjects:\n      - ",
        after: "",
    },
    Wrapper {
        name: "list in a template",
        before: "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nobjects:\n- apiVersion: v1\n  kind: List\n  items:\n  - ",
        after: "",
    },
];

impl Wrapper {
    /// The line and column at which the inner object starts, from 0.
    fn begin(&self) -> (usize, usize) {
        let last = self.before.rsplit('\n').next().unwrap_or_default();
        (self.before.matches('\n').count(), last.len())
    }

    fn around(&self, object: &str) -> String {
        let indent = format!("\n{}", " ".repeat(self.begin().1));
        format!(
            "{}{}\n{}",
            self.before,
            object.trim_end().replace('\n', &indent),
            self.after
        )
    }
}

impl Outcome {
    /// The output in both streams.
    fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Checks that the command did not fail.
    #[track_caller]
    fn is_an_answer(&self) {
        assert!(matches!(self.code, Some(0 | 1)), "{self:#?}");
    }
}

fn sandbox() -> Sandbox {
    Sandbox::new(&[("crds/widgets.yaml", &definition(SCHEMA))])
}

/// The errors of the widgets in a file: codes, headlines, and positions relative to the given position.
fn errors(sandbox: &Sandbox, name: &str, (line, column): (usize, usize)) -> Vec<String> {
    let found = sandbox.run(&["check", name, "--crd", "crds", "-o", "jsonl"]);
    let found = found.json();
    let widgets = found.iter().filter(|it| it["kind"] == "Widget");
    let lists = ["strict_places", "errors"];
    let errors = widgets.flat_map(|it| {
        lists
            .into_iter()
            .flat_map(|list| it[list].as_array().cloned().unwrap_or_default())
    });
    let place = |it: &Value| {
        let number = |name: &str| it[name].as_u64().expect("a number") as usize;
        (number("line") - line, number("column") - column)
    };
    let told = errors.map(|it| {
        let range = &it["range"];
        format!(
            "{} {:?} {:?} {}",
            it["code"],
            place(&range["start"]),
            place(&range["end"]),
            it["headline"]
        )
    });
    told.collect()
}

#[test]
fn each_object_inside_has_the_errors_that_it_has_alone() {
    let sandbox = sandbox();
    sandbox.write("alone.yaml", WRONG);
    let alone = errors(&sandbox, "alone.yaml", (0, 0));
    assert_eq!(alone.len(), 4, "{alone:#?}");
    for wrapper in WRAPPERS {
        sandbox.write("wrapped.yaml", wrapper.around(WRONG));
        let wrapped = errors(&sandbox, "wrapped.yaml", wrapper.begin());
        assert_eq!(wrapped, alone, "{}", wrapper.name);
    }
}

/// The same text as a template of a chart, in which an action prints the name. No file with such an action is YAML.
fn write_template(sandbox: &Sandbox, text: &str) {
    sandbox.write("a/Chart.yaml", "apiVersion: v2\nname: a\nversion: 0.1.0\n");
    let line = "  name: one\n";
    assert!(text.contains(line), "{text}");
    sandbox.write("a/templates/a.yaml", text.replace(line, "  name: {{ .Values.name }}\n"));
}

#[test]
fn objects_inside_are_checked_in_templates() {
    let sandbox = sandbox();
    write_template(&sandbox, WRONG);
    let alone = errors(&sandbox, "a/templates/a.yaml", (0, 0));
    assert_eq!(alone.len(), 4, "{alone:#?}");
    for wrapper in WRAPPERS {
        write_template(&sandbox, &wrapper.around(WRONG));
        let wrapped = errors(&sandbox, "a/templates/a.yaml", wrapper.begin());
        assert_eq!(wrapped, alone, "{}", wrapper.name);
    }
    // Where the template decides the kind of an object, nothing is known of it.
    for kind in ["kind: {{ .Values.kind }}\n", "{{- tpl .Values.kind . | nindent 8 }}\n"] {
        let wrapper = WRAPPERS.iter().find(|it| it.name == "Flux release").expect("a wrapper");
        let text = wrapper.around(WRONG).replace("kind: Widget\n", kind);
        write_template(&sandbox, &text);
        let found = sandbox.run(&["check", ".", "--crd", "crds"]);
        found.expect(0, &[", 0 errors,", "1 template (a/templates/a.yaml)"]);
    }
}

#[test]
fn an_object_with_others_inside_is_checked_itself_in_a_template() {
    let crd = |api_version: &str, kind: &str| {
        let (group, version) = api_version.split_once('/').expect("a group");
        let crd = definition(SCHEMA)
            .replace("example.com", group)
            .replace("name: v1\n", &format!("name: {version}\n"));
        let plural = format!("{}s", kind.to_lowercase());
        crd.replace("widgets", &plural).replace("Widget", kind)
    };
    for (api_version, kind) in [
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease"),
        ("argoproj.io/v1alpha1", "Application"),
        ("apiextensions.crossplane.io/v1", "Composition"),
        ("kro.run/v1alpha1", "ResourceGraphDefinition"),
        ("work.open-cluster-management.io/v1", "ManifestWork"),
    ] {
        let sandbox = Sandbox::new(&[("crds/a.yaml", &crd(api_version, kind))]);
        let text = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: one\nspec:\n  sise: 1\n");
        write_template(&sandbox, &text);
        let found = sandbox.run(&["check", "a", "--crd", "crds"]);
        found.expect(1, &["`sise` is not a field of `spec`", "1 CR "]);
        // Without its CRD, it is an object of an unknown kind.
        let found = sandbox.run(&["check", "a"]);
        found.expect(0, &[&format!("no CRD here defines its kind: {kind}")]);
        assert!(!found.all().contains("without a Kubernetes object"), "{found:#?}");
    }
}

#[test]
fn objects_inside_are_repaired_where_they_are() {
    let sandbox = sandbox();
    for wrapper in WRAPPERS {
        let object = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  sise: 1\n  color: red\n";
        sandbox.write("wrapped.yaml", wrapper.around(object));
        sandbox.run(&["check", "wrapped.yaml", "--crd", "crds", "--fix"]);
        let text = std::fs::read_to_string(sandbox.path().join("wrapped.yaml")).expect("a text");
        assert!(
            text.contains(" size: 1\n") && !text.contains("sise"),
            "{}: {text}",
            wrapper.name
        );
    }
}

#[test]
fn what_a_tool_puts_in_is_not_known() {
    let sandbox = sandbox();
    for (name, value, is_wrong) in [
        ("template", "${SIZE}", false),
        ("template", "${{SIZE}}", false),
        ("template", "'{{ a }}'", true),
        ("sync set", "'{{ fromCDLabel \"a\" }}'", false),
        ("application", "'{{ .Values.a }}'", false),
        ("chainsaw", "(to_number($size))", false),
        ("chainsaw", "(to_number('3'))", false),
        ("manifest work", "(to_number('3'))", true),
        ("manifest work", "'{{ a }}'", true),
        ("list", "'{{ a }}'", true),
    ] {
        let wrapper = WRAPPERS.iter().find(|it| it.name == name).expect("a wrapper");
        let object =
            format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {{size: {value}}}\n");
        sandbox.write("wrapped.yaml", wrapper.around(&object));
        let errors = errors(&sandbox, "wrapped.yaml", wrapper.begin());
        assert_eq!(!errors.is_empty(), is_wrong, "{name}: {value}: {errors:?}");
    }
}

#[test]
fn operations_of_chainsaw_decide_what_is_missing() {
    let sandbox = sandbox();
    let object =
        |spec: &str| format!("{{apiVersion: example.com/v1, kind: Widget, metadata: {{name: a}}, spec: {spec}}}");
    let rejection = "expect: [{check: {($error != null): true}}]";
    for (operation, spec, expected) in [
        ("apply: {resource: OBJECT}", "{color: red}", "missing-property"),
        ("patch: {resource: OBJECT}", "{color: red}", ""),
        ("patch: {resource: OBJECT}", "{colour: red}", "unknown-field"),
        ("assert: {resource: OBJECT}", "{(size > `1`): true}", ""),
        ("assert: {resource: OBJECT}", "{colour: red}", "unknown-field"),
        ("error: {resource: OBJECT}", "{color: red}", ""),
        ("apply: {file: a.yaml}", "{}", ""),
        ("script: {resource: OBJECT}", "{}", ""),
    ] {
        let test = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: c}\nspec:\n  steps:\n  - try:\n    - ";
        sandbox.write(
            "test.yaml",
            format!("{test}{}\n", operation.replace("OBJECT", &object(spec))),
        );
        let found = errors(&sandbox, "test.yaml", (0, 0));
        assert_eq!(found.is_empty(), expected.is_empty(), "{operation} {spec}: {found:?}");
        assert!(
            found.iter().all(|it| it.contains(expected)),
            "{operation} {spec}: {found:?}"
        );
        let rejected = format!("    - create: {{{rejection}, resource: {}}}\n", object("{size: 10}"));
        sandbox.write("test.yaml", format!("{test}apply: {{file: a.yaml}}\n{rejected}"));
        let outcome = sandbox.run(&["check", ".", "--crd", "crds"]);
        outcome.expect(0, &["1 object that tests expect to be rejected (Widget)"]);
    }
}

#[test]
fn objects_inside_that_are_not_checked_are_counted() {
    let sandbox = sandbox();
    let inside = "apiVersion: other.com/v1\nkind: Gadget\nmetadata: {name: a}\n";
    for wrapper in WRAPPERS {
        sandbox.write("wrapped.yaml", wrapper.around(inside));
        let outcome = sandbox.run(&["check", ".", "--crd", "crds"]);
        assert!(outcome.all().contains("Gadget"), "{}: {}", wrapper.name, outcome.all());
        sandbox.write(
            "wrapped.yaml",
            wrapper.around("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"),
        );
        let outcome = sandbox.run(&["check", ".", "--crd", "crds"]);
        assert!(
            outcome.all().contains("of built-in kinds (Pod"),
            "{}: {}",
            wrapper.name,
            outcome.all()
        );
    }
}

#[test]
fn suppressions_belong_to_the_object_that_they_are_in() {
    let sandbox = sandbox();
    let object = WRONG.replace("size: 10", "size: 10 # crd-analyzer: ignore[number-too-large] a reason");
    for wrapper in WRAPPERS {
        sandbox.write("wrapped.yaml", wrapper.around(&object));
        let outcome = sandbox.run(&["check", "wrapped.yaml", "--crd", "crds"]);
        assert!(
            !outcome.all().contains("number-too-large"),
            "{}: {}",
            wrapper.name,
            outcome.all()
        );
        assert!(
            !outcome.all().contains("unused-suppression"),
            "{}: {}",
            wrapper.name,
            outcome.all()
        );
    }
}

#[test]
fn hostile_wrappers_end_in_an_answer() {
    let sandbox = sandbox();
    for wrapper in WRAPPERS {
        let whole = wrapper.around(WRONG);
        // The text is truncated at various places.
        for at in (0..whole.len()).step_by(41) {
            sandbox.write("wrapped.yaml", &whole[..at]);
            sandbox.run(&["check", "wrapped.yaml", "--crd", "crds"]).is_an_answer();
        }
        let begin = wrapper.before.trim_end_matches([' ', '-', '\n']);
        let deep = format!("{begin} {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
        let nested = (0..200).fold("{}".to_owned(), |it, _| {
            format!("{{apiVersion: v1, kind: List, items: [{it}]}}")
        });
        let many = format!(
            "{begin} [{}]\n",
            "{apiVersion: example.com/v1, kind: Widget, spec: {size: 1}},".repeat(500)
        );
        for text in [
            format!("{begin} 7\n"),
            format!("{begin} {{a: b}}\n"),
            format!("{begin} [1, null, [], {{}}, text, {{kind: []}}]\n"),
            format!("{begin} [{nested}]\n"),
            deep,
            many,
        ] {
            sandbox.write("wrapped.yaml", text);
            sandbox.run(&["check", "wrapped.yaml", "--crd", "crds"]).is_an_answer();
        }
    }
}

/// The resource [`WRONG`] in JSON.
const WRONG_JSON: &str = r#"{
  "apiVersion": "example.com/v1",
  "kind": "Widget",
  "metadata": {
    "name": "one",
    "labels": {"a": "-"}
  },
  "spec": {
    "size": 10,
    "color": "green",
    "colour": "red"
  }
}
"#;

const VERSION: &str =
    "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  annotations:\n";

#[test]
fn json_in_annotations_has_places() {
    let sandbox = sandbox();
    sandbox.write("alone.json", WRONG_JSON);
    let alone = errors(&sandbox, "alone.json", (0, 0));
    assert_eq!(alone.len(), 4, "{alone:#?}");
    let indented = |by: usize| WRONG_JSON.trim_end().replace('\n', &format!("\n{}", " ".repeat(by)));
    for (written, begin) in [
        (
            format!("    alm-examples: |-\n      [\n        {}\n      ]\n", indented(8)),
            (6, 8),
        ),
        (format!("    alm-examples: |\n      [{}]\n", indented(7)), (5, 7)),
        (
            format!(
                "    operatorframework.io/initialization-resource: |-\n      {}\n",
                indented(6)
            ),
            (5, 6),
        ),
    ] {
        sandbox.write("csv.yaml", format!("{VERSION}{written}  name: a\nspec: {{}}\n"));
        assert_eq!(errors(&sandbox, "csv.yaml", begin), alone, "{written}");
        // `--fix` does not change the file.
        let before = std::fs::read_to_string(sandbox.path().join("csv.yaml")).expect("a text");
        sandbox
            .run(&["check", "csv.yaml", "--crd", "crds", "--fix"])
            .is_an_answer();
        let after = std::fs::read_to_string(sandbox.path().join("csv.yaml")).expect("a text");
        assert_eq!(after, before);
    }
}

#[test]
fn strings_in_quotes_have_places() {
    let sandbox = sandbox();
    let object =
        r#"[{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 10}}]"#;
    let escaped = serde_json::to_string(object).expect("a string");
    for written in [escaped, format!("'{object}'")] {
        let text = format!("{VERSION}    alm-examples: {written}\n  name: a\n");
        let column = text.lines().nth(4).and_then(|it| it.find("10}")).expect("the value");
        sandbox.write("csv.yaml", &text);
        let found = errors(&sandbox, "csv.yaml", (0, 0));
        assert_eq!(found.len(), 1, "{found:?}");
        let place = format!("(5, {}) (5, {})", column + 1, column + 3);
        assert!(found[0].contains(&place), "{found:?}: {place}");
    }
}

#[test]
fn hostile_texts_end_in_an_answer() {
    let sandbox = sandbox();
    let deep = format!("\"{}{}\"", "[".repeat(20_000), "]".repeat(20_000));
    let lists = (0..200).fold("{}".to_owned(), |it, _| format!("{{kind: List, items: [{it}]}}"));
    let many = format!(
        "'[{}]'",
        "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\"},".repeat(500)
    );
    let texts = [
        String::new(),
        "7".to_owned(),
        "[1, 2]".to_owned(),
        "'[{'".to_owned(),
        "\"\\u0000[{}]\"".to_owned(),
        "|-\n      [{\"apiVersion\": \"example.com/v1\", \"kind\": \"Widget\"".to_owned(),
        "&a '[1, {}, null, [], \"x\", {\"kind\": 7}]'\n    operatorframework.io/initialization-resource: *a".to_owned(),
        format!("'[{lists}]'"),
        deep,
        many,
    ];
    for written in texts {
        sandbox.write("csv.yaml", format!("{VERSION}    alm-examples: {written}\n  name: a\n"));
        sandbox.run(&["check", "csv.yaml", "--crd", "crds"]).is_an_answer();
    }
    sandbox.write("csv.yaml", format!("{VERSION}    alm-examples: '[{{'\n  name: a\n"));
    let outcome = sandbox.run(&["check", ".", "--crd", "crds"]);
    outcome.expect(0, &["1 document that is not YAML (csv.yaml)"]);
}

#[test]
fn each_object_of_thousands_looks_only_at_its_own_text() {
    let sandbox = sandbox();
    let count = 4_000;
    let object = "- apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: a}\n  spec: {size: 1}\n";
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{}", object.repeat(count));
    sandbox.write("many.yaml", &list);
    sandbox
        .run(&["check", "many.yaml", "--crd", "crds"])
        .expect(0, &[&format!("{count} CRs, 0 errors")]);
}
