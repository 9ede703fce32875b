//! Checks that the time for Go files is proportional to their length, for any content.

use std::{fmt::Write as _, time::Duration};

use crate::sandbox::Sandbox;

/// The path of the Go file.
const TYPES: &str = "api/v1/widget_types.go";
/// The length of the shorter file in bytes.
const SHORT: usize = 50_000;
/// The length of the longer file relative to the shorter one. If the time grew quadratically, the factor would be 16.
const TIMES: usize = 4;
/// An allowance for the start of the process, and for other programs on the machine.
const SLACK: Duration = Duration::from_millis(400);

/// Concatenates numbered pieces up to a length.
fn repeated(length: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < length {
        text += &piece(number);
        number += 1;
    }
    text
}

fn field(lines: &str) -> String {
    format!("package v1\n\ntype A struct {{\n{lines}\tB map[string]string `json:\"b\"`\n}}\n")
}

fn marker(text: &str) -> String {
    field(&format!("\t// +{text}\n"))
}

/// The processor time of checking a path of these files.
fn cost(files: &[(impl AsRef<str>, String)], path: &str) -> Duration {
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_ref(), it.1.as_str())).collect();
    let sandbox = Sandbox::new(&files);
    sandbox.write("go.mod", "module example.com/widgets\n");
    let outcome = sandbox.run(&["check", "-o", "json", path]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:#?}");
    outcome.cpu
}

/// Compares the times for two lengths. `of` returns the files of a given length.
#[track_caller]
fn check_files<P: AsRef<str>>(name: &str, path: &str, of: impl Fn(usize) -> Vec<(P, String)>) {
    let (short, long) = (of(SHORT), of(TIMES * SHORT));
    let mut measured = Vec::new();
    // Other programs may slow a measurement down, but quadratic time would show in all three measurements.
    let proportional = (0..3).any(|_| {
        let (short, long) = (cost(&short, path), cost(&long, path));
        measured.push((short, long));
        long <= short * 2 * TIMES as u32 + SLACK
    });
    assert!(
        proportional,
        "{name}: the times of a file and of one {TIMES} times as long: {measured:?}"
    );
}

#[track_caller]
fn check(name: &str, of: impl Fn(usize) -> String) {
    check_files(name, TYPES, |length| vec![(TYPES, of(length))]);
}

#[test]
fn markers_with_long_values() {
    let default = |value: String| marker(&format!("kubebuilder:default={value}"));
    check("a map", |it| {
        default(format!("{{{}z: 1}}", repeated(it, |n| format!("a{n}: 1,"))))
    });
    check("a map in JSON", |it| {
        let members = repeated(it, |n| format!("\"a{n}\": 1,"));
        marker(&format!("default={{{members}\"z\": 1}}"))
    });
    check("maps in a map", |it| {
        default(format!("{{{}z: 1}}", repeated(it, |n| format!("a{n}: {{b: 1}},"))))
    });
    check("a map without an end", |it| {
        default(format!("{{{}z: \"", repeated(it, |n| format!("a{n}: \"b\","))))
    });
    check("maps without ends", |it| default(repeated(it, |_| "{a: ".to_owned())));
    check("a list", |it| default(repeated(it, |n| format!("a{n};"))));
    check("strings", |it| default(repeated(it, |_| "`a`;\"b\";".to_owned())));
    check("a string without an end", |it| {
        default(format!("\"{}", repeated(it, |_| "\\q".to_owned())))
    });
    check("separators", |it| default(repeated(it, |_| ";,".to_owned())));
    check("quotes of gofmt", |it| {
        let rules = repeated(it, |_| "rule=\u{201D},".to_owned());
        marker(&format!("kubebuilder:validation:XValidation:{rules}"))
    });
    check("a name", |it| marker(&repeated(it, |_| "kubebuilder:".to_owned())));
}

#[test]
fn many_markers() {
    let lines = |it: usize, marker: &str| repeated(it, |n| format!("\t// +{}\n", marker.replace('#', &n.to_string())));
    for marker in [
        "kubebuilder:validation:MaxProperties=#",
        "kubebuilder:validation:MaxPropertis=1",
        "listMapKey=#",
    ] {
        check(marker, |it| field(&lines(it, marker)));
    }
    check("rules and limits", |it| {
        let rules = lines(it / 2, "kubebuilder:validation:XValidation:rule=\"self != '#'\"");
        field(&(rules + &lines(it / 2, "kubebuilder:validation:MaxProperties=5")))
    });
}

#[test]
fn many_declarations() {
    check("comments", |it| field(&repeated(it, |_| "\t// a\n\n".to_owned())));
    check("fields", |it| {
        let fields = repeated(it, |n| {
            format!("\t// +optional\n\tB{n} T `json:\"b{n}\"` // +optional\n")
        });
        format!("package v1\n\ntype A struct {{\n{fields}}}\n")
    });
    check("types", |it| {
        let types = repeated(it, |n| {
            format!("// +kubebuilder:validation:MaxLength=1\ntype T{n} T{}\n\n", n + 1)
        });
        format!("package v1\n\n{types}")
    });
}

#[test]
fn a_crd_of_many_fields() {
    for [go, property] in [
        [
            "\t// +kubebuilder:validation:MaxLength=5\n\t// +required\n\tB# string `json:\"b#\"`\n",
            "          b#: {type: string, maxLength: 4}\n",
        ],
        [
            "\t// +optional\n\tB# Named `json:\"b#\"`\n",
            "          b#: {type: string}\n",
        ],
    ] {
        check_files(go, TYPES, |length| {
            let count = length / go.len();
            let all = |line: &str| repeated(length, |n| line.replace('#', &n.to_string()));
            let mut types = format!(
                "package v1\n\n// +groupName=example.com\n\ntype Embedded struct {{\n{}}}\n",
                all(go)
            );
            types += "\ntype Named string\n\ntype Widget struct {\n\tEmbedded `json:\",inline\"`\n}\n";
            let mut crd = crate::sandbox::CRD.replace(
                "metadata: {name: widgets.example.com}",
                "metadata:\n  name: widgets.example.com\n  annotations: {controller-gen.kubebuilder.io/version: v0.21.0}",
            );
            for number in 0..count {
                let _ = write!(crd, "{}", property.replace('#', &number.to_string()));
            }
            vec![(TYPES, types), ("config/crd/widgets.yaml", crd)]
        });
    }
}

/// Each template is checked once, however many files define what it includes.
#[test]
fn a_chart_with_many_files_that_define_templates() {
    check_files("a chart", ".", |length| {
        let count = length / 200;
        let mut files: Vec<(String, String)> = (0..count)
            .map(|n| {
                let define = format!("{{{{- define \"x{n}\" }}}}\na{n}: 1\n{{{{- end }}}}\n");
                (format!("c/templates/_x{n}.tpl"), define)
            })
            .collect();
        let mut template = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n".to_owned();
        for n in 0..count {
            let _ = writeln!(template, "  {{{{- include \"x{n}\" . | nindent 2 }}}}");
        }
        files.extend((0..4).map(|n| (format!("c/templates/t{n}.yaml"), template.clone())));
        files.push(("c/Chart.yaml".to_owned(), "name: c\nversion: 1.0.0\n".to_owned()));
        files.push(("c/crds/crd.yaml".to_owned(), crate::sandbox::CRD.to_owned()));
        files
    });
}

/// A chart with templates that include something, and a file of many lines.
fn chart_with(length: usize, name: &str, text: String) -> Vec<(String, String)> {
    let count = length / 400;
    let chart = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let mut files = vec![("Chart.yaml".to_owned(), chart("c")), (name.to_owned(), text)];
    for n in 0..count {
        files.push((format!("charts/z{n}/Chart.yaml"), chart(&format!("z{n}"))));
        let text = "{{ include \"x\" . }}\n".to_owned();
        files.push((format!("templates/{}{n}.yaml", "abc".repeat(10)), text));
    }
    files
}

/// For each template, it matters whether all charts are there.
#[test]
fn a_chart_that_needs_many_others() {
    check_files("a chart that needs others", ".", |length| {
        let last = length / 400 - 1;
        let needed: String = (0..length / 20).map(|_| format!("- name: z{last}\n")).collect();
        chart_with(length, "requirements.yaml", format!("dependencies:\n{needed}"))
    });
}

/// For each template, it matters whether Helm reads the file.
#[test]
fn a_chart_with_many_rules_for_ignored_files() {
    check_files("a chart with rules", ".", |length| {
        let rules = (0..length / 20).map(|n| format!("*a*b*c{n}*x\n"));
        chart_with(length, ".helmignore", rules.collect())
    });
}
