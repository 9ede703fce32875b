//! Checks that a new lint needs only a file and a row in the table: its findings are found, fixed and suppressed like those of other lints.

mod capital_property;

use std::sync::Arc;

use crd_analyzer_ide::fixes::{self, Fix, FixKind, Problem};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    config::{Config, Level},
    findings::finding::Severity,
    findings::report::FileReport,
    judging::analysis::{Question, Wants, analyze},
    judging::lints::{self, Lint, Lints},
};

/// A CRD with these lines in the properties of its schema.
fn crd(properties: &str) -> String {
    let head = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, shortNames: [w, w]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
";
    head.to_owned() + properties
}

fn table() -> Vec<Lint> {
    let own = [capital_property::LINT];
    lints::ALL.iter().copied().chain(own).collect()
}

fn judge(text: &str, table: &[Lint]) -> FileReport {
    let question = Question {
        wants: Wants {
            lints: Lints::Usual,
            lint_table: table,
            ..Wants::default()
        },
        ..Question::new(VersionSet::default())
    };
    analyze(text.as_bytes().to_vec(), &question)
}

/// The displayed diagnostics: the code, severity and headline of each.
fn shown(text: &str, table: &[Lint], config: &Config) -> Vec<(&'static str, Severity, String)> {
    let report = judge(text, table);
    let shown = report.documents.iter().flat_map(|it| it.merged_findings(config));
    let shown = shown.map(|it| (it.finding.code, it.finding.severity, it.finding.headline));
    shown.collect()
}

fn problems(report: &FileReport) -> Vec<Problem> {
    let config = Config::default();
    let shown = report.documents.iter().flat_map(|it| it.merged_findings(&config));
    shown.map(|it| Problem::from(&it.finding)).collect()
}

fn codes(text: &str, config: &Config) -> Vec<&'static str> {
    shown(text, &table(), config).into_iter().map(|it| it.0).collect()
}

const CAPITAL: &str = "          Spec: {type: object}\n";

#[test]
fn it_is_found_beside_the_others() {
    let text = crd(CAPITAL);
    assert_eq!(codes(&text, &Config::default()), ["repeated-name", "capital-property"]);
    let standard = shown(&text, lints::ALL, &Config::default());
    assert!(standard.iter().all(|it| it.0 != "capital-property"));
    let found = shown(&text, &table(), &Config::default());
    assert_eq!(found[1].2, "property `Spec` begins with a capital letter");
}

#[test]
fn a_quick_fix_makes_its_change() {
    let text = crd(CAPITAL);
    let item = |text: &str| {
        let lines = text.lines().map(|it| format!("  {it}\n"));
        let item = lines.collect::<String>().replacen("  api", "- api", 1);
        format!("apiVersion: v1\nkind: List\nitems:\n{item}")
    };
    for (text, expected) in [
        (text.clone(), text.replace("Spec:", "spec:")),
        // The paths of a change start at the object, even if the object is an item of a list.
        (item(&text), item(&text.replace("Spec:", "spec:"))),
    ] {
        let fixes = offered(&text);
        let fix = fixes.iter().find(|it| it.title == "Change Spec to spec");
        let fix = fix.unwrap_or_else(|| panic!("{fixes:?}"));
        assert!(fix.preferred);
        assert_eq!(fixes::apply(&text, &fix.edits).as_deref(), Some(expected.as_str()));
    }
}

fn offered(text: &str) -> Vec<Fix> {
    let table = table();
    let report = judge(text, &table);
    let whole = Span::new(0, text.len() as u32);
    fixes::repairs(&report.text, problems(&report), whole, &(), &|it| {
        Some(judge(it, &table))
    })
}

#[test]
fn a_change_is_made_in_all_versions_that_are_alike() {
    let second = "  - name: v2\n    served: true\n    storage: false\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n";
    let text = crd(&format!("{CAPITAL}{second}{CAPITAL}"));
    let fixes = offered(&text);
    let fix = fixes
        .iter()
        .find(|it| it.title == "Change Spec to spec")
        .expect("a fix");
    assert_eq!(fixes::apply(&text, &fix.edits), Some(text.replace("Spec:", "spec:")));
}

#[test]
fn the_configuration_sets_its_level() {
    let text = crd(CAPITAL);
    let with = |level| {
        let mut config = Config::default();
        config.rules.insert("capital-property".to_owned(), level);
        let found = shown(&text, &table(), &config).into_iter();
        found
            .filter(|it| it.0 == "capital-property")
            .map(|it| it.1)
            .collect::<Vec<_>>()
    };
    assert_eq!(with(Level::Off), []);
    assert_eq!(with(Level::Warning), [Severity::Warning]);
    assert_eq!(with(Level::Error), [Severity::Error]);
}

#[test]
fn a_comment_suppresses_it() {
    let comment = "          # crd-analyzer: ignore[capital-property] an old name\n";
    let text = crd(&format!("{comment}{CAPITAL}"));
    assert_eq!(codes(&text, &Config::default()), ["repeated-name"]);
    // The fixes include the suppression comment.
    let text: Arc<str> = crd(CAPITAL).into();
    let report = judge(&text, &table());
    let whole = Span::new(0, text.len() as u32);
    let found = fixes::fixes(&text, problems(&report), whole);
    let fix = found
        .iter()
        .find(|it| it.kind == FixKind::Ignore && it.problem.code == "capital-property")
        .expect("a fix");
    let edited = fixes::apply(&text, &fix.edits).expect("the edits fit");
    assert_eq!(codes(&edited, &Config::default()), ["repeated-name"]);
}

#[test]
fn off_by_default_it_is_found_where_all_are_asked_for() {
    let table = [capital_property::LINT.off()];
    let question = |lints| Question {
        wants: Wants {
            lints,
            lint_table: &table,
            ..Wants::default()
        },
        ..Question::new(VersionSet::default())
    };
    let count = |lints| {
        let report = analyze(crd(CAPITAL).into_bytes(), &question(lints));
        report.documents[0].verdicts[0].1.hints.len()
    };
    assert_eq!((count(Lints::Off), count(Lints::Usual), count(Lints::All)), (0, 0, 1));
}
