//! Tests for which fixes are offered, and for their results.

use std::{path::Path, sync::Arc};

use crd_analyzer_syntax::{
    json::Json,
    read_json,
    split::{read_document, split},
    tree::Span,
};
use crd_analyzer_workspace::{
    charts::chart::{Chart, Charts},
    config::Config,
    config::versions::VersionSet,
    findings::report::FileReport,
    judging::analysis::{Around, Question, analyze},
    roles::Uses,
};

use super::{Fix, FixKind, Problem, apply, fixes, repairs};

fn report(text: &str) -> FileReport {
    let question = Question::new(VersionSet::default());
    analyze(text.as_bytes().to_vec(), &question)
}

fn problems(report: &FileReport) -> Vec<Problem> {
    let shown = report
        .documents
        .iter()
        .flat_map(|it| it.merged_findings(&Config::default()));
    shown.map(|it| Problem::from(&it.finding)).collect()
}

fn all(text: &str) -> Vec<Fix> {
    let report = report(text);
    let whole = Span::new(0, text.len() as u32);
    fixes(&report.text, problems(&report), whole)
}

/// Applies the only fix of a kind. Returns the new text and the codes that remain.
#[track_caller]
fn fixed(text: &str, kind: FixKind) -> (String, Vec<&'static str>) {
    let found: Vec<_> = all(text).into_iter().filter(|it| it.kind == kind).collect();
    let [fix] = found.as_slice() else {
        panic!("{found:?} in {text}");
    };
    let edited = apply(text, &fix.edits).expect("the edits fit");
    let left = problems(&report(&edited)).iter().map(|it| it.code).collect();
    (edited, left)
}

const OLD: &str = "\
apiVersion: apiextensions.k8s.io/v1beta1 # old
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  version: v1
  preserveUnknownFields: false
  validation:
    openAPIV3Schema:
      type: object
";

#[track_caller]
fn check_converted(text: &str) -> String {
    let (edited, left) = fixed(text, FixKind::Repair);
    assert_eq!(left, Vec::<&str>::new(), "{edited}");
    assert!(edited.contains("apiVersion: apiextensions.k8s.io/v1 # old"), "{edited}");
    edited
}

#[test]
fn an_old_definition_becomes_one_of_v1() {
    check_converted(OLD);
    check_converted(OLD.trim_end());
    check_converted(&format!("\u{FEFF}{OLD}"));
    let last = OLD.replace("  version: v1\n", "") + "  versions:\n  - name: v1\n    served: true\n    storage: true\n";
    check_converted(&last);
    check_converted(last.trim_end());
    check_converted(last.replace('\n', "\r\n").trim_end());
    let before = "# first\nkind: Other\n---\n";
    let after = "---\nkind: Another # last\n";
    let edited = check_converted(&format!("{before}{OLD}{after}"));
    assert!(edited.starts_with(before) && edited.ends_with(after), "{edited}");
}

#[test]
fn lines_keep_their_ends() {
    let edited = check_converted(&OLD.replace('\n', "\r\n"));
    assert_eq!(edited.replace("\r\n", "").find(['\r', '\n']), None, "{edited:?}");
    assert_eq!(edited.replace("\r\n", "\n"), check_converted(OLD));
}

#[test]
fn what_cannot_be_rewritten_has_no_fix() {
    for text in [
        OLD.replace("v1beta1", "v1alpha1"),
        OLD[..OLD.find("spec:").expect("a spec")].to_owned() + "spec: {version: v1, validation: {}}\n",
        OLD.replace("validation:", "validation: &tied"),
        "{\"apiVersion\": \"apiextensions.k8s.io/v1beta1\", \"kind\": \"CustomResourceDefinition\", \"spec\": {}}"
            .to_owned(),
    ] {
        assert!(!problems(&report(&text)).is_empty(), "{text}");
        assert_eq!(all(&text), [], "{text}");
    }
}

/// A CRD whose schema has a property `spec` with these lines in it.
fn schema(lines: &str) -> String {
    format!(
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  names: {{kind: Widget, plural: widgets}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
{lines}"
    )
}

#[track_caller]
fn check_ignored(lines: &str, expected: &str) {
    for (text, expected) in [
        (schema(lines), schema(expected)),
        (
            schema(lines).replace('\n', "\r\n"),
            schema(expected).replace('\n', "\r\n"),
        ),
        (schema(lines.trim_end()), schema(expected.trim_end())),
    ] {
        let (edited, left) = fixed(&text, FixKind::Ignore);
        assert_eq!(edited, expected);
        assert_eq!(left, Vec::<&str>::new(), "{edited}");
    }
}

#[test]
fn a_comment_silences_its_line() {
    check_ignored(
        "            type: strng\n",
        "            type: strng # crd-analyzer: ignore[unknown-type] reason\n",
    );
    check_ignored(
        "            {type: é😀,\n             nullable: true}\n",
        "            {type: é😀, # crd-analyzer: ignore[unknown-type] reason\n             nullable: true}\n",
    );
}

#[track_caller]
fn check_not_ignored(text: &str) {
    assert!(!problems(&report(text)).is_empty(), "{text}");
    assert_eq!(all(text), [], "{text}");
}

#[test]
fn no_comment_where_it_would_be_text() {
    check_not_ignored(&schema("            type: \"str\n              ng\"\n"));
    check_not_ignored(&schema("            type: str\n              ng\n"));
    check_not_ignored(&schema("            type: |\n              strng\n"));
    check_not_ignored(&schema("            type: >-\n              str\n\n              ng\n"));
    check_not_ignored(&schema("            type: strng # said\n"));
    check_not_ignored(&schema("            type: [\n"));
    let json =
        r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"scope": "x"}}"#;
    check_not_ignored(json);
}

/// An offered suppression is always a comment: it changes no value, and adds one comment.
#[test]
fn a_comment_changes_no_value() {
    let text = schema(
        "            type: object\n            description: |\n              a # no comment\n\n              b\n            \
         properties:\n              a: {type: string, pattern: 'x\n                y # z'}\n              \"b\": # said\n                \
         type: >-\n                  string\n              c: !!map &c {\n                type: string, enum: [\"a\\\n                b\"]\n                }\n\n              d: *c\n",
    );
    let read = |text: &str| {
        let text: Arc<str> = text.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
        let values = format!("{:?}", read_json(&tree).expect("JSON").root().map(Json::to_value));
        (values, tree.comments().len())
    };
    let (values, comments) = read(&text);
    let content: Arc<str> = text.as_str().into();
    let mut offered = 0;
    for (at, _) in text.char_indices() {
        let span = Span::new(at as u32, at as u32);
        for fix in fixes(&content, [Problem::new("a-code", span)], span) {
            let edited = apply(&text, &fix.edits).expect("the edits fit");
            assert_eq!(read(&edited), (values.clone(), comments + 1), "{edited}");
            offered += 1;
        }
    }
    assert!(offered > 100, "{offered}");
}

#[test]
fn only_what_touches_the_range() {
    let text: Arc<str> = schema("            type: strng\n").into();
    let problems = problems(&report(&text));
    let place = problems[0].span;
    let count = |start, end| fixes(&text, problems.iter().cloned(), Span::new(start, end)).len();
    assert_eq!(count(place.start, place.start), 1);
    assert_eq!(count(place.end, place.end), 1);
    assert_eq!(count(0, place.start - 1), 0);
    assert_eq!(count(place.end + 1, place.end + 1), 0);
    // Several findings with the same code on a line need only one comment.
    let twice = problems.iter().chain(&problems).cloned();
    assert_eq!(fixes(&text, twice, place).len(), 1);
}

#[test]
fn edits_that_do_not_fit_are_not_applied() {
    let edit = |start, end| super::TextEdit {
        span: Span::new(start, end),
        new_text: "x".to_owned(),
    };
    assert_eq!(
        apply("aéb", &[edit(0, 1), edit(1, 1), edit(3, 4)]).as_deref(),
        Some("xxéx")
    );
    assert_eq!(apply("aéb", &[edit(1, 3), edit(2, 4)]), None);
    assert_eq!(apply("aéb", &[edit(0, 2)]), None);
    assert_eq!(apply("aéb", &[edit(0, 9)]), None);
}

struct OneChart(Arc<Chart>);

impl Charts for OneChart {
    fn of(&self, _: &Path) -> Option<Arc<Chart>> {
        Some(self.0.clone())
    }

    fn shows(&self, _: &Path) -> bool {
        false
    }
}

/// Checks the fix for a misspelt word in a template of a chart.
#[track_caller]
fn check_template(text: &str, written: &str, meant: &str) {
    let template = Path::new("/c/templates/a.yaml");
    let files = [
        ("/c/Chart.yaml", "name: c"),
        ("/c/templates/_b.tpl", "{{ define \"c.name\" }}{{ end }}"),
        ("/c/values.yaml", "image: {repository: a}"),
        ("/c/templates/a.yaml", text),
    ];
    let files = files.map(|(path, text)| (Arc::from(Path::new(path)), Arc::from(text)));
    let charts = OneChart(Arc::new(Chart::new(files)));
    let judge = |text: &str| {
        let question = Question {
            path: Some(template),
            uses: Uses::COMPLETED,
            around: Around {
                charts: Some(&charts),
                ..Around::default()
            },
            ..Question::new(VersionSet::default())
        };
        analyze(text.as_bytes().to_vec(), &question)
    };
    let report = judge(text);
    let problems: Vec<Problem> = report.findings.iter().map(Problem::from).collect();
    let whole = Span::new(0, text.len() as u32);
    let found = repairs(&report.text, problems, whole, &(), &|it| Some(judge(it)));
    let [fix] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(fix.title, format!("Change it to {meant}"));
    let edited = apply(text, &fix.edits).expect("the edits fit");
    assert_eq!(edited, text.replace(written, meant));
}

#[test]
fn a_misspelt_word_of_a_chart_is_corrected() {
    let text = "a:\n  {{- range .x }}\n  b: {{ $.Values.image.repositry }}\n  {{- end }}\n";
    check_template(text, "repositry", "repository");
    check_template("a:\n  {{- toYaml .x | nident 2 }}\n", "nident", "nindent");
    check_template("a: {{ Values.x }}\n", "Values", ".Values");
    check_template("a: {{ include \"c.nam\" . }}\n", "\"c.nam\"", "\"c.name\"");
}
