//! Tests for how a text is classified: a CRD, a template, or another file.

use super::*;
use crate::config::Config;
use crate::config::versions::VersionSet;
use crate::roles::Use;

const HEAD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

/// Checks the codes that are reported for a file in a folder: those about the file, and those about its documents.
fn check(text: &str, of_file: &[&str], of_documents: &[&str]) {
    let question = Question::new(VersionSet::default());
    let report = analyze(text.as_bytes().to_vec(), &question);
    let codes: Vec<_> = report.findings.iter().map(|it| it.code).collect();
    assert_eq!(codes, of_file, "of the file {text:?}");
    let findings = report
        .documents
        .iter()
        .flat_map(|it| &it.verdicts)
        .flat_map(|it| it.1.findings());
    let codes: Vec<_> = findings.map(|it| it.code).collect();
    assert_eq!(codes, of_documents, "of the documents of {text:?}");
}

#[test]
fn a_broken_definition_is_still_one() {
    check(
        &format!("{HEAD}metadata:\n  name: [\nspec: {{}}\n"),
        &[],
        &["invalid-yaml"],
    );
    check(&format!("spec: \"\n{HEAD}"), &[], &["invalid-yaml"]);
    check(
        "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"CustomResourceDefinition\", \"spec\": {",
        &[],
        &["invalid-yaml"],
    );
    check("apiVersion: v1\nkind: Pod\nspec: [\n", &[], &[]);
    check("a: [\n", &[], &[]);
}

#[test]
fn a_comment_silences_also_what_refuses_the_whole_document() {
    let question = Question {
        uses: Uses::default().with(Use::Part),
        ..Question::new(VersionSet::default())
    };
    let shown = |text: &str| {
        let report = analyze(text.as_bytes().to_vec(), &question);
        let shown = report.documents[0].merged_findings(&Config::default());
        shown.into_iter().map(|it| it.finding.code).collect::<Vec<_>>()
    };
    let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n";
    let comment = "# crd-analyzer: ignore[unserved-api-version] for an old cluster\n";
    assert_eq!(shown(old), ["unserved-api-version"]);
    assert_eq!(shown(&format!("{comment}{old}")), [""; 0]);
    let twice = format!("{HEAD}spec: {{}}\nspec: {{}} # crd-analyzer: ignore[duplicate-key] generated so\n");
    assert_eq!(
        shown(&twice.replace("ignore", "see")),
        ["duplicate-key", "malformed-suppression"]
    );
    assert_eq!(shown(&twice), [""; 0]);
    // A suppression comment on the last line of an item belongs to that item. A comment after it belongs to the next item.
    let item = format!("- {}  spam: 1", HEAD.replace('\n', "\n  ").trim_end_matches(' '));
    let list =
        format!("apiVersion: v1\nkind: List\nitems:\n{item} # crd-analyzer: ignore[unknown-field] for now\n{item}\n");
    assert_eq!(
        shown(&list.replace("ignore[unknown-field] for now", "")),
        ["unknown-field", "malformed-suppression"]
    );
    assert_eq!(shown(&list), [""; 0]);
}

#[test]
fn a_template_is_said_to_be_one_and_left_alone() {
    let template = format!("{{{{- if .Values.crds }}}}\n{HEAD}metadata:\n  name: {{{{ .x }}}}\n{{{{- end }}}}\n");
    check(&template, &["template"], &[]);
    check(&format!("{template}---\n{template}"), &["template"], &[]);
    check(
        &format!("{HEAD}metadata:\n  labels:\n    {{{{- include \"x\" . | nindent 4 }}}}\n"),
        &["template"],
        &[],
    );
    check("kind: Deployment\nmetadata:\n  name: {{ .x }}\n", &[], &[]);
    check(
        &format!("{HEAD}metadata:\n  name: \"{{{{ .x }}\nspec: [\n"),
        &[],
        &["invalid-yaml"],
    );
}

/// Merge directives in a patch are not fields of the CRD, wherever they are.
#[test]
fn directives_of_patches_are_no_fields() {
    let check = |rest: &str, expected: &[&str]| {
        let text = format!("{HEAD}metadata: {{name: widgets.example.com}}\n{rest}");
        let report = analyze(text.as_bytes().to_vec(), &Question::new(VersionSet::default()));
        let shown = report.documents[0].merged_findings(&Config::default());
        let unknown = shown.iter().filter(|it| it.finding.code == "unknown-field");
        let places: Vec<_> = unknown.map(|it| &text[it.finding.span.range()]).collect();
        assert_eq!(places, expected, "{text}");
        assert!(report.documents[0].in_part, "{text}");
    };
    check("$patch: delete\n", &[]);
    let spec =
        "spec:\n  $retainKeys: [names]\n  versions:\n  - {$patch: delete, name: v1}\n  $setElementOrder/versions: []\n";
    check(spec, &[]);
    check("$patch: delete\nspam: 1\n", &["spam"]);
}

/// While the user types in a rule, the hints about other rules stay until the next search.
#[test]
fn hints_on_other_rules_stay_while_a_rule_is_typed() {
    let definition = |own: &str, nested: &str, required: &str| {
        format!(
            "{HEAD}metadata: {{name: widgets.example.com}}\nspec:\n  group: example.com\n  names: {{kind: Widget, plural: widgets}}\n  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            {required}
            properties:
              size: {{type: integer}}
              other:
                type: object
                properties:
                  text: {{type: string, maxLength: 5, x-kubernetes-validations: [{{rule: \"{nested}\"}}]}}
            x-kubernetes-validations: [{own}{{rule: self.size > 3}}]
"
        )
    };
    let memory = crate::judging::hazards::Memory::default();
    let hints = |text: &str, search: crate::judging::hazards::Search<'_>| {
        let question = Question {
            wants: Wants {
                hazards: search,
                ..Wants::default()
            },
            ..Question::new(VersionSet::default())
        };
        let report = analyze(text.as_bytes().to_vec(), &question);
        let found = report.documents[0].verdicts[0].1.hints.iter();
        let found = found.filter(|it| it.code == "optional-field-read");
        found
            .map(|it| text[it.span.start as usize..].starts_with("self.size"))
            .collect::<Vec<_>>()
    };
    let (all, remembered) = (
        crate::judging::hazards::Search::All(&memory),
        crate::judging::hazards::Search::Remembered(&memory),
    );
    assert_eq!(hints(&definition("", "self != ''", ""), remembered), [false; 0]);
    assert_eq!(hints(&definition("", "self != ''", ""), all), [true]);
    // One rule is on a schema below, the other beside the rule. Neither compiles yet.
    for (own, nested) in [
        ("", "self."),
        ("", "self.siz"),
        ("", ""),
        ("{rule: \"self.\"}, ", "self != ''"),
        ("{rule: \"self.other.te\"}, ", "self."),
    ] {
        assert_eq!(
            hints(&definition(own, nested, ""), remembered),
            [true],
            "{own:?} {nested:?}"
        );
    }
    // The schema that the hint is about has changed, so the hint is dropped.
    assert_eq!(
        hints(&definition("", "self.", "required: [size]"), remembered),
        [false; 0]
    );
}
