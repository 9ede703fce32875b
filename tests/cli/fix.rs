//! Tests of `--fix`.

use std::process::{Command, Stdio};

use crate::{
    Sandbox, definition,
    generate::{SPEC, without_crd},
};

/// A CRD of the previous API version, and the expected result.
const OLD: &str = "\
# Widgets.
apiVersion: apiextensions.k8s.io/v1beta1   # old
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  version: v1
  # What every widget has.
  validation:
    openAPIV3Schema:
      description:   \"two  spaces\"
      type: object
  preserveUnknownFields: false
";
const NEW: &str = "\
# Widgets.
apiVersion: apiextensions.k8s.io/v1   # old
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    # What every widget has.
    schema:
      openAPIV3Schema:
        description:   \"two  spaces\"
        type: object
  preserveUnknownFields: false
";

impl Sandbox {
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("the file is there")
    }
}

/// Fixes a file, and checks its content and the exit code of the next check.
#[track_caller]
fn check(before: &str, after: &str, code: i32) {
    let sandbox = Sandbox::new(&[("a.yaml", before)]);
    sandbox.run(&["check", "--fix", "a.yaml"]).expect(code, &[]);
    assert_eq!(sandbox.read("a.yaml"), after);
}

#[test]
fn rules_that_yaml_reads_as_tags_are_quoted() {
    let crd = |rule: &str| {
        definition(&format!(
            "              type: object\n              x-kubernetes-validations:\n              - message: m\n                rule: {rule}\n              properties:\n                a: {{type: string, maxLength: 5}}\n"
        ))
    };
    for (before, after) in [
        ("!has(self.a) || self.a == 'x'", "'!has(self.a) || self.a == ''x'''"),
        ("!has(self.a)", "'!has(self.a)'"),
    ] {
        check(&crd(before), &crd(after), 0);
    }
}

#[test]
fn required_properties_are_listed_by_their_object() {
    let crd = |properties: &str| {
        definition(&format!(
            "              type: object\n              properties:\n{properties}"
        ))
    };
    let sandbox = Sandbox::new(&[(
        "a.yaml",
        &crd("                a: {type: string, required: true}\n                b: {type: string, required: false}\n"),
    )]);
    sandbox.run(&["check", "--fix", "a.yaml"]).expect(0, &[]);
    let fixed = sandbox.read("a.yaml");
    assert!(fixed.contains("required: [a]\n"), "{fixed}");
    assert!(fixed.contains("a: {type: string}\n"), "{fixed}");
    assert!(fixed.contains("b: {type: string}\n"), "{fixed}");
}

#[test]
fn repairs_in_place_and_checks_the_result() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox.run(&["check", "a.yaml"]).expect(1, &["unserved-api-version"]);
    sandbox.run(&["check", "--fix", "a.yaml"]).expect(
        0,
        &[
            "a.yaml: 1 fix\n  line 2: Convert to apiextensions.k8s.io/v1\n",
            "applied 1 fix to 1 file\n",
        ],
    );
    assert_eq!(sandbox.read("a.yaml"), NEW);
    let again = sandbox.run(&["check", "--fix", "a.yaml"]);
    assert!(!again.expect(0, &[]).stderr.contains("fix"), "{again:?}");
}

#[test]
fn only_edits_change_the_text() {
    let good = definition("              type: object\n");
    check(
        &format!("{good}---\n{OLD}---\n{OLD}"),
        &format!("{good}---\n{NEW}---\n{NEW}"),
        0,
    );
    check(&OLD.replace('\n', "\r\n"), &NEW.replace('\n', "\r\n"), 0);
    check(&format!("\u{FEFF}{OLD}"), &format!("\u{FEFF}{NEW}"), 0);
    // Values that v1 rejects remain in the file, because the user has to fix them.
    let number = |text: &str| text.replace("Namespaced", "Everywhere");
    check(&number(OLD), &number(NEW), 1);
}

#[test]
fn leaves_alone_what_it_cannot_repair() {
    let tied = OLD.replace("validation:", "validation: &tied");
    check(&tied, &tied, 1);
    let unknown = OLD.replace("v1beta1", "v1alpha1");
    check(&unknown, &unknown, 1);
    let broken = format!("{OLD}  x: [\n");
    check(&broken, &broken, 1);
    let ignored = definition("              type: strng # crd-analyzer: ignore[unknown-type] on purpose\n");
    check(&ignored, &ignored, 0);
    let sandbox = Sandbox::new(&[]);
    let bytes: Vec<u8> = [OLD.as_bytes(), b"  # \xFF\n"].concat();
    sandbox.write("a.yaml", &bytes);
    sandbox.run(&["check", "--fix", "a.yaml"]).expect(1, &[]);
    let kept = std::fs::read(sandbox.path().join("a.yaml")).expect("the file is there");
    assert_eq!(kept, bytes);
}

/// Unambiguous mistakes, and one mistake without a fix.
const MISTAKES: &str = "              type: Object
              required: [nmae]
              properties:
                size: {type: int, minimum: \"1\"}
                name: {type: string, minlength: 1, maxLength: 9, maxLength: 7}
                other: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [key],
                  items: {type: object, properties: {key: {type: string}}}}
                rule: {type: string, x-kubernetes-validations: [{rule: 'self >'}]}
";

#[test]
fn repairs_what_has_one_meaning_beside_other_errors() {
    let text = definition(MISTAKES)
        .replace("scope: Namespaced", "scope: namespaced")
        .replace("name: widgets.example.com", "name: widget.example.com")
        .replace("kind: Widget}", "kind: Widget, shortnames: wg}")
        + "      additionalPrinterColumns: [{name: A, type: Integer, JSONPath: spec.size}]\n";
    let sandbox = Sandbox::new(&[("a.yaml", &text)]);
    sandbox
        .run(&["check", "a.yaml"])
        .expect(1, &["`--fix` repairs ", " diagnostic"]);
    let fixed = sandbox.run(&["check", "--fix", "a.yaml"]);
    fixed.expect(
        1,
        &[
            "a.yaml: ",
            "  line 4: Name it widgets.example.com\n",
            "Change minlength to minLength\n",
            "error[duplicate-key]",
            "`--fix=unsafe` repairs 1 diagnostic, and drops text",
        ],
    );
    let expected = text
        .replace("scope: namespaced", "scope: Namespaced")
        .replace("name: widget.example.com", "name: widgets.example.com")
        .replace("shortnames: wg", "shortNames: [wg]")
        .replace(
            "{name: A, type: Integer, JSONPath: spec.size}",
            "{name: A, type: integer, jsonPath: .spec.size}",
        )
        .replace("type: Object", "type: object")
        .replace("[nmae]", "[name]")
        .replace("{type: int, minimum: \"1\"}", "{type: integer, minimum: 1}")
        .replace("minlength", "minLength")
        .replace("items: {type: object,", "items: {type: object, required: [key],");
    let order = |text: &str| {
        let mut words: Vec<_> = text.split([' ', '\n', ',', '{', '}']).map(str::to_owned).collect();
        words.sort();
        words
    };
    assert_eq!(
        order(&sandbox.read("a.yaml")),
        order(&expected),
        "{}",
        sandbox.read("a.yaml")
    );
    // Duplicate keys are only removed with `--fix=unsafe`.
    sandbox
        .run(&["check", "--fix=unsafe", "a.yaml"])
        .expect(1, &["error[rule-syntax]"]);
    assert!(!sandbox.read("a.yaml").contains("maxLength: 9"));
    sandbox
        .run(&["check", "--fix=all", "a.yaml"])
        .expect(2, &["safe, unsafe"]);
}

#[test]
fn prints_a_patch_that_does_the_same() {
    let files = [
        ("crds/a.yaml", OLD),
        ("crds/b.yaml", NEW),
        ("crds/c.yaml", OLD.trim_end()),
    ];
    let sandbox = Sandbox::new(&files);
    let shown = sandbox.run(&["check", "--fix", "--diff", "crds"]);
    shown.expect(1, &["--- crds/a.yaml\n+++ crds/a.yaml\n@@ "]);
    for (name, text) in files {
        assert_eq!(sandbox.read(name), text, "{name} is left alone");
    }
    sandbox.write("a.patch", &shown.stdout);
    let applied = Command::new("git")
        .args(["apply", "-p0", "a.patch"])
        .current_dir(sandbox.path())
        .stdin(Stdio::null())
        .output()
        .expect("git runs");
    assert!(applied.status.success(), "{applied:?} of {}", shown.stdout);
    let patched = ["crds/a.yaml", "crds/b.yaml", "crds/c.yaml"].map(|it| sandbox.read(it));
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox.run(&["check", "--fix", "crds"]).expect(0, &[]);
    assert_eq!(
        ["crds/a.yaml", "crds/b.yaml", "crds/c.yaml"].map(|it| sandbox.read(it)),
        patched
    );
    let nothing = sandbox.run(&["check", "--fix", "--diff", "crds"]);
    let note = "note: `--fix` changes nothing in 3 files; `crd-analyzer check` without `--fix` reports what is wrong";
    assert_eq!(nothing.expect(0, &[note]).stdout, "");
}

#[test]
fn follows_the_configuration() {
    let sandbox = Sandbox::new(&[
        (".crd-analyzer.yaml", "exclude: [skipped/**]\n"),
        ("skipped/a.yaml", OLD),
        ("b.yaml", OLD),
    ]);
    sandbox.run(&["check", "--fix", "."]).expect(0, &[]);
    assert_eq!(sandbox.read("skipped/a.yaml"), OLD);
    assert_eq!(sandbox.read("b.yaml"), NEW);
}

#[test]
fn says_what_it_is_not_for() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox
        .run_with_input(&["check", "--fix", "-"], OLD.as_bytes())
        .expect(2, &["--fix can only change files"]);
    sandbox.run(&["check", "--diff", "a.yaml"]).expect(2, &["--fix"]);
    sandbox
        .run(&["check", "--fix", "--old", "a.yaml", "a.yaml"])
        .expect(2, &[]);
    sandbox
        .run(&["check", "--fix", "--diff", "none.yaml"])
        .expect(3, &["cannot read none.yaml"]);
    sandbox.run(&["check", "--fix", "none.yaml"]).expect(3, &["none.yaml"]);
    assert_eq!(sandbox.read("a.yaml"), OLD);
}

#[test]
fn repairs_custom_resources_by_their_definitions() {
    let schema = "              type: object\n              properties:\n                count: {type: integer}\n                \
                  title: {type: string}\n";
    let resource =
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec:\n  count: \"7\"\n  title: 3 # pieces\n";
    let sandbox = Sandbox::new(&[("crds/widgets.yaml", &definition(schema)), ("one.yaml", resource)]);
    sandbox
        .run(&["check", "--fix", "one.yaml", "--crd", "crds"])
        .expect(0, &["0 errors"]);
    let repaired = resource.replace("\"7\"", "7").replace("3 #", "\"3\" #");
    assert_eq!(sandbox.read("one.yaml"), repaired);
}

const TYPES: &str = "\
package v1

type WidgetSpec struct {
\t// Name is shown to users.
\t// +kubebuilder:validation:MaxLenght=20
\t// +optional
\t// +optional
\tName string `json:\"name\"`

\t// +kubebuilder:oneOf:={}
\t// +kubebuilder:validation:ExclusiveMinimum=True
\t// +optional because it has a default
\tSize int `json:\"size\"` // +nullable
}
";
const TYPES_AFTER: &str = "\
package v1

type WidgetSpec struct {
\t// Name is shown to users.
\t// +kubebuilder:validation:MaxLength=20
\t// +optional
\tName string `json:\"name\"`

\t// +kubebuilder:oneOf:={}
\t// +kubebuilder:validation:ExclusiveMinimum=true
\t// +optional because it has a default
\t// +nullable
\tSize int `json:\"size\"`
}
";

#[test]
fn markers_in_go_files_are_repaired() {
    let files = [
        ("api/v1/widget_types.go", TYPES),
        (".crd-analyzer.yaml", "markers: [kubebuilder:oneOf]\n"),
    ];
    let sandbox = Sandbox::new(&files);
    let before = sandbox.run(&["check", "./api/..."]);
    before.expect(1, &["`--fix` repairs 4 diagnostics"]);
    let told = [
        "api/v1/widget_types.go: 4 fixes\n",
        "line 5: Change +kubebuilder:validation:MaxLenght to +kubebuilder:validation:MaxLength\n",
        "line 7: Remove the repeated marker\n",
        "line 11: Write true\n",
        "line 13: Move the marker above the declaration\n",
        "applied 4 fixes to 1 file\n",
    ];
    sandbox.run(&["check", "--fix", "./api/..."]).expect(0, &told);
    assert_eq!(sandbox.read("api/v1/widget_types.go"), TYPES_AFTER);
    let again = sandbox.run(&["check", "--fix", "./api/..."]);
    again.expect(0, &["text after `+optional` makes it an unknown marker"]);
    assert_eq!(sandbox.read("api/v1/widget_types.go"), TYPES_AFTER);
}

#[test]
fn markers_are_declared_and_suppressed() {
    let types = TYPES_AFTER.replace(
        "\t// +optional because",
        "\t// +crd-analyzer: ignore[unknown-marker] a test\n\t// +optional because",
    );
    let sandbox = Sandbox::new(&[("api/v1/widget_types.go", types.as_str())]);
    sandbox
        .run(&["check", "./api/..."])
        .expect(0, &["controller-gen has no marker `+kubebuilder:oneOf:`", "1 warning"]);
    sandbox.write(".crd-analyzer.yaml", "markers: [kubebuilder:oneOf]\n");
    sandbox.run(&["check", "./api/..."]).expect(0, &["0 warnings"]);
    sandbox.write(".crd-analyzer.yaml", "markers: [a b]\n");
    let why = "line 1: the name of a marker contains no spaces";
    sandbox.run(&["check", "./api/..."]).expect(2, &[why]);
}

#[test]
fn repairs_of_what_appears_then_are_counted() {
    // The schema inside a misspelled key is not checked until the key is fixed.
    let schema = "              type: object
              propertes:
                name: {type: strng}
";
    let sandbox = Sandbox::new(&[("a.yaml", &definition(schema))]);
    let said = "`--fix` repairs 1 diagnostic, and 1 more that appears then";
    sandbox.run(&["check", "a.yaml"]).expect(1, &[said]);
    sandbox
        .run(&["check", "--fix", "a.yaml"])
        .expect(0, &["applied 2 fixes to 1 file"]);
}

#[test]
fn objects_that_kustomize_builds_are_repaired_and_patches_are_not() {
    let crd = definition(
        "              type: object\n              properties: {replicas: {type: integer}, color: {type: string}}\n",
    );
    let widget =
        |field: &str| format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec:\n  {field}\n");
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &*crd),
        ("base/kustomization.yaml", "resources: [widget.yaml]\n"),
        ("base/widget.yaml", &widget("replica: 3")),
        (
            "prod/kustomization.yaml",
            "resources: [../base]\npatches: [path: patch.yaml]\n",
        ),
        ("prod/patch.yaml", &widget("colour: red")),
    ]);
    sandbox
        .run(&["check", "."])
        .expect(1, &["`--fix` repairs 1 diagnostic\n"]);
    let patches = "`--fix` does not change patches, because one patch may change several objects. Change by hand:";
    sandbox
        .run(&["check", "--fix", "."])
        .expect(1, &["applied 1 fix to 1 file", patches, "prod/patch.yaml"]);
    assert_eq!(sandbox.read("base/widget.yaml"), widget("replicas: 3"));
    assert_eq!(sandbox.read("prod/patch.yaml"), widget("colour: red"));
    sandbox.run(&["check", "--fix", "--diff", "."]).expect(0, &[patches]);
}

#[test]
fn a_run_that_changes_nothing_says_so() {
    let sandbox = Sandbox::new(&[("a.yaml", &crd_with("name: {type: zzz}"))]);
    let outcome = sandbox.run(&["check", "--fix", "a.yaml"]);
    assert!(
        outcome
            .stdout
            .contains("`--fix` changes nothing: no diagnostic has an unambiguous fix"),
        "{outcome:#?}"
    );
}

/// A CRD with a property in `spec`.
fn crd_with(property: &str) -> String {
    definition(&format!(
        "              type: object\n              properties:\n                {property}\n"
    ))
}

#[test]
fn resources_are_not_repaired_by_a_crd_that_may_be_wrong_itself() {
    let resource = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n";
    let run = |crds: &[(&str, &str)], is_repaired: bool| {
        let mut files = vec![("samples/a.yaml", resource)];
        files.extend(crds);
        let sandbox = Sandbox::new(&files);
        let outcome = sandbox.run(&["check", ".", "--fix", "--diff"]);
        assert_eq!(outcome.stdout.contains("+spec: {sizes: 1}"), is_repaired, "{outcome:?}");
    };
    let (right, wrong) = (crd_with("size: {type: integer}"), crd_with("sizes: {type: integer}"));
    let other = crd_with("sizes: {type: integer, minimum: 0}");
    run(&[("crds/a.yaml", &wrong)], true);
    run(&[("crds/a.yaml", &wrong), ("charts/a/crds/a.yaml", &wrong)], true);
    run(&[("crds/a.yaml", &wrong), ("charts/a/crds/a.yaml", &right)], false);
    run(&[("crds/a.yaml", &wrong), ("charts/a/crds/a.yaml", &other)], false);
    run(&[("crds/a.yaml", &wrong), ("testdata/crds/a.yaml", &other)], true);
    run(
        &[("crds/a.yaml", &crd_with("sizes: {type: integer, pattern: '('}"))],
        false,
    );
    let misspelt = wrong.replace(
        "                sizes:",
        "                color: {minlength: 1, type: string}\n                sizes:",
    );
    assert_ne!(misspelt, wrong);
    run(&[("crds/a.yaml", &misspelt)], false);
}

#[test]
fn files_of_chainsaw_tests_are_repaired_around_expressions() {
    let mode = "mode: {type: string, enum: [fast, slow]}";
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd_with(mode)),
        (
            "t/chainsaw-test.yaml",
            "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: t}\nspec: {}\n",
        ),
    ]);
    // The API server reports nothing else of an object whose labels it cannot decode.
    let widget =
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  labels: (join(@))\nspec:\n  mode: Fast\n";
    for (path, expected) in [("t/widget.yaml", "mode: fast\n"), ("widget.yaml", "mode: Fast\n")] {
        sandbox.write(path, widget);
        sandbox.run(&["check", "--fix", path, "--crd", "crd.yaml"]);
        assert!(sandbox.read(path).ends_with(expected), "{path}");
    }
}

#[test]
fn a_value_that_is_refused_with_quotes_gets_none() {
    let resource = |value: &str| {
        format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {{interval: {value}}}\n")
    };
    let crd = crd_with("interval: {type: string, pattern: '^[0-9]+(s|m)?$'}");
    for (pattern, value, expected) in [
        ("^[0-9]+(s|m)$", "50", None),
        ("^[0-9]+(s|m)?$", "50", Some("\"50\"")),
        ("^[0-9]+(s|m)?$", "1.5", None),
    ] {
        let crd = crd.replace("^[0-9]+(s|m)?$", pattern);
        let sandbox = Sandbox::new(&[("crd.yaml", &crd), ("a.yaml", &resource(value))]);
        sandbox
            .run(&["check", ".", "--fix"])
            .expect(i32::from(expected.is_none()), &[]);
        assert_eq!(sandbox.read("a.yaml"), resource(expected.unwrap_or(value)));
    }
}

#[test]
fn what_is_repaired_in_types_can_be_made_again() {
    let healthy = SPEC.replace(
        "self.most >= self.items.size()",
        "self.most > 0 || !(\\\"\\\" in self.items)",
    );
    let healthy = healthy.replace(
        "MaxItems=8\n",
        "MaxItems=8\n\t// +kubebuilder:validation:items:MaxLength=9\n",
    );
    let path = "api/v1/types.go";
    let sandbox = without_crd(&healthy);
    let types = sandbox.read(path);
    let check = ["check", "./api/..."];
    sandbox.run(&check).expect(0, &["1 CRD, 0 errors, 0 warnings, 0 hints"]);
    for (right, wrong) in [
        ("default=8", "default=\"8\""),
        ("MaxItems=8", "MaxItem=8"),
        ("MaxItems=8", "MaxItems=\"8\""),
        ("MaxItems=8", "MaxItems:8"),
        ("MaxItems=8\n", "MaxItems=8\n\t// +kubebuilder:validation:MaxItems=8\n"),
        ("// +kubebuilder:default", "// + kubebuilder:default"),
        ("\\\"\\\"", "”"),
    ] {
        let broken = types.replace(right, wrong);
        sandbox.write(path, &broken);
        let told = sandbox.run(&check).stdout;
        assert!(told.contains("`--fix` repairs 1 diagnostic\n"), "{wrong}: {told}");
        let shown = sandbox.run(&["check", "--fix", "--diff", "./api/..."]);
        assert!(shown.stdout.starts_with("--- api/v1/types.go\n+++ "), "{shown:?}");
        assert_eq!(sandbox.read(path), broken, "{wrong}");
        let fix = ["check", "--fix", "./api/..."];
        sandbox
            .run(&fix)
            .expect(0, &["1 fix\n", "1 CRD, 0 errors, 0 warnings, 0 hints"]);
        assert_eq!(sandbox.read(path), types, "{wrong}");
        sandbox.run(&["generate", "crd", "./api/..."]).expect(0, &[]);
    }
}
