//! Tests for the offered quick fixes and their results.

mod expressions;
mod misplaced;
mod yaml;

use std::sync::Arc;

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    findings::report::FileReport,
    judging::analysis::{Question, Wants, analyze},
    judging::hazards::{Memory, Search},
    judging::lints::Lints,
};

use super::{Fix, Problem, apply, repair_all, repair_more, repairs};

const HEAD: &str = "\
apiVersion: apiextensions.k8s.io/v1
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
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
";

fn judge(text: &str) -> FileReport {
    let hazards = Memory::default();
    let question = Question {
        wants: Wants {
            hazards: Search::All(&hazards),
            lints: Lints::All,
            ..Wants::default()
        },
        ..Question::new(VersionSet::default())
    };
    analyze(text.as_bytes().to_vec(), &question)
}

fn problems(report: &FileReport) -> Vec<Problem> {
    // Codes that are off by default have fixes, too.
    let config = Config::parse("rules: {rule-can-fail: info, default-fails-rule: info}").expect("a configuration");
    let shown = report.documents.iter().flat_map(|it| it.merged_findings(&config));
    shown.map(|it| Problem::from(&it.finding)).collect()
}

fn all(text: &str) -> Vec<Fix> {
    let report = judge(text);
    let whole = Span::new(0, text.len() as u32);
    repairs(&report.text, problems(&report), whole, &(), &|it| Some(judge(it)))
}

/// The text after applying the fix with this title.
#[track_caller]
fn repaired(text: &str, title: &str) -> String {
    let found = all(text);
    let Some(fix) = found.iter().find(|it| it.title == title) else {
        let titles: Vec<_> = found.iter().map(|it| &it.title).collect();
        panic!("no {title} in {titles:?} for {:?} of {text}", problems(&judge(text)));
    };
    apply(text, &fix.edits).expect("the edits fit")
}

/// Checks the result of a fix for a schema of `spec`, with both kinds of line breaks.
#[track_caller]
fn check(schema: &str, title: &str, expected: &str) {
    let indented = |lines: &str| -> String {
        let lines = lines.lines().map(|it| format!("            {it}\n"));
        HEAD.to_owned() + &lines.collect::<String>()
    };
    for end in ["\n", "\r\n"] {
        let text = indented(schema).replace('\n', end);
        assert_eq!(repaired(&text, title), indented(expected).replace('\n', end), "{title}");
    }
}

#[test]
fn a_schema_where_v1beta1_has_it_moves() {
    let text = format!("{HEAD}            type: object\n");
    let before = text.replace("    schema:\n", "    validation:\n");
    assert_ne!(before, text, "the key is there");
    assert_eq!(repaired(&before, "Change validation to schema"), text);
    let shown = judge(&before).merged_findings(&Config::default()).concat();
    let helps: Vec<_> = shown.into_iter().flat_map(|it| it.finding.help).collect();
    assert_eq!(helps, ["change `validation` to `schema`"]);
    let both = text.replace("    schema:\n", "    validation: {}\n    schema:\n");
    assert_eq!(repaired(&both, "Remove validation"), text);
}

#[test]
fn types_are_added_where_the_schema_says_which() {
    check(
        "# kept\nproperties: {a: {type: string}} # kept",
        "Add type: object",
        "# kept\ntype: object\nproperties: {a: {type: string}} # kept",
    );
    check(
        "type: object\nproperties:\n  a:\n    pattern: a\n  b: {maxItems: 3, items: {enum: [1, 2]}}",
        "Add type: string",
        "type: object\nproperties:\n  a:\n    type: string\n    pattern: a\n  b: {maxItems: 3, items: {enum: [1, 2]}}",
    );
    check(
        "type: object\nproperties:\n  b: {\"type\": array, \"items\": {\"enum\": [1, 2]}}",
        "Add type: integer",
        "type: object\nproperties:\n  b: {\"type\": array, \"items\": {\"type\": \"integer\", \"enum\": [1, 2]}}",
    );
    check("type: bool", "Change bool to boolean", "type: boolean");
    check(
        "tyye: array # x\nitems: {type: string}",
        "Change tyye to type",
        "type: array # x\nitems: {type: string}",
    );
    check("type: 'strnig' # x", "Change strnig to string", "type: 'string' # x");
}

#[test]
fn defaults_are_repaired_by_their_schema() {
    check(
        "type: object\nproperties: {a: {type: string, enum: [ARI, None], default: ARX}}",
        "Change ARX to ARI",
        "type: object\nproperties: {a: {type: string, enum: [ARI, None], default: ARI}}",
    );
    check(
        "type: object\nproperties:\n  a:\n    type: object\n    default: {b: 'false', c: 0}\n    properties: {b: {type: boolean}, c: {type: integer}}",
        "Remove the quotes",
        "type: object\nproperties:\n  a:\n    type: object\n    default: {b: false, c: 0}\n    properties: {b: {type: boolean}, c: {type: integer}}",
    );
    check(
        "type: object\nproperties: {a: {type: integer, minimum: 1, default: 0}}",
        "Change 0 to the minimum, 1",
        "type: object\nproperties: {a: {type: integer, minimum: 1, default: 1}}",
    );
}

#[test]
fn what_a_guard_names_wrong_is_repaired_in_it() {
    check(
        "type: object\nproperties: {tpp: {type: string}, cloud: {type: string}}\nx-kubernetes-validations:\n- rule: '(has(self.tp) ? 1 : 0) == 1'",
        "Change tp to tpp",
        "type: object\nproperties: {tpp: {type: string}, cloud: {type: string}}\nx-kubernetes-validations:\n- rule: '(has(self.tpp) ? 1 : 0) == 1'",
    );
}

#[test]
fn a_definition_without_a_scope_gets_either() {
    let text = HEAD.replace("  scope: Namespaced\n", "") + "            type: object\n";
    let repaired = repaired(&text, "Add scope: Cluster");
    assert!(repaired.contains("spec:\n  scope: Cluster\n  group:"), "{repaired}");
}

#[test]
fn junctors_only_say_more() {
    check(
        "type: object\nproperties: {a: {type: string}}\nanyOf:\n- description: d # gone\n  required: [a]\n- required: [a]",
        "Move description out of anyOf[0]",
        "description: d\ntype: object\nproperties: {a: {type: string}}\nanyOf:\n- required: [a]\n- required: [a]",
    );
    check(
        "type: object\nproperties:\n  a:\n    type: string\n    allOf:\n    - minLength: 1\n      type: string\n    - pattern: x",
        "Remove type from allOf[0]: the schema around it has it",
        "type: object\nproperties:\n  a:\n    type: string\n    allOf:\n    - minLength: 1\n    - pattern: x",
    );
    let text =
        format!("{HEAD}            type: object\n        anyOf:\n        - properties: {{spek: {{minLength: 1}}}}\n");
    assert_eq!(
        repaired(&text, "Add spek as string to the schema outside"),
        text.replace("          spec:", "          spek: {type: string}\n          spec:")
    );
    check(
        "type: object\nproperties:\n  a:\n    anyOf:\n    - type: integer\n    - type: string",
        "Use x-kubernetes-int-or-string: true",
        "type: object\nproperties:\n  a:\n    x-kubernetes-int-or-string: true\n    anyOf:\n    - type: integer\n    - type: string",
    );
}

#[test]
fn a_property_is_required_once() {
    check(
        "type: object\nrequired: [b]\nproperties:\n  a: {type: string, required: true}",
        "Add a to required",
        "type: object\nrequired: [b, a]\nproperties:\n  a: {type: string}",
    );
    check(
        "type: object\nrequired: [a]\nproperties:\n  a: {type: string, required: true}",
        "Remove required",
        "type: object\nrequired: [a]\nproperties:\n  a: {type: string}",
    );
}

#[test]
fn keys_of_lists_become_required() {
    check(
        "type: array\nx-kubernetes-list-type: map\nx-kubernetes-list-map-keys: [k]\nitems:\n  type: object\n  required:\n  - a # a\n  properties: {k: {type: string}, a: {type: string}}",
        "Add k to required",
        "type: array\nx-kubernetes-list-type: map\nx-kubernetes-list-map-keys: [k]\nitems:\n  type: object\n  required:\n  - a # a\n  - k\n  properties: {k: {type: string}, a: {type: string}}",
    );
    check(
        "type: array\nx-kubernetes-list-type: map\nitems: {type: object, required: [k], properties: {k: {type: string}}}",
        "Identify items by k",
        "x-kubernetes-list-map-keys: [k]\ntype: array\nx-kubernetes-list-type: map\nitems: {type: object, required: [k], properties: {k: {type: string}}}",
    );
}

#[test]
fn names_in_rules_are_mended() {
    let schema = |rule: &str| {
        format!(
            "type: object\nproperties: {{replicas: {{type: integer}}, namespace: {{type: string}}}}\nx-kubernetes-validations:\n- rule: {rule}"
        )
    };
    check(
        &schema("'self.replica > 1'"),
        "Change replica to replicas",
        &schema("'self.replicas > 1'"),
    );
    // The other error of the rule is there before and after.
    check(
        &schema("self.replica > 1 || self.namespace == 5"),
        "Change replica to replicas",
        &schema("self.replicas > 1 || self.namespace == 5"),
    );
    check(
        &schema("replicas > 1"),
        "Change replicas to self.replicas",
        &schema("self.replicas > 1"),
    );
    check(
        &schema("\"true\"\n  optionalOldSelf: true"),
        "Remove optionalOldSelf",
        &schema("\"true\""),
    );
    check(
        &schema("|\n    self.replicas >\n      1"),
        "Fold the rule into one line",
        &schema(">-\n    self.replicas >\n    1"),
    );
}

#[test]
fn what_is_written_wrong_or_twice_is_mended() {
    check(
        "type: string\nmaxlength: 3",
        "Change maxlength to maxLength",
        "type: string\nmaxLength: 3",
    );
    check(
        "type: string\nfoo: # bar\n  x: 3\n# stays",
        "Remove foo",
        "type: string\n# stays",
    );
    check(
        "type: string\ntitle: a\ntitle: b",
        "Remove the title that has no effect",
        "type: string\ntitle: b",
    );
    check(
        "type: array\nx-kubernetes-list-type: sett\nitems: {type: string}",
        "Change sett to set",
        "type: array\nx-kubernetes-list-type: set\nitems: {type: string}",
    );
}

#[test]
fn a_definition_gets_one_stored_version_and_its_name() {
    let schema = "            type: object\n";
    let text = format!("{HEAD}{schema}");
    let renamed = text.replace("name: widgets.example.com", "name: \"widget.example.com\"");
    assert_eq!(
        repaired(&renamed, "Name it widgets.example.com"),
        text.replace("name: widgets.example.com", "name: \"widgets.example.com\"")
    );
    let two = format!(
        "{text}  - {{name: v1beta1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}\n"
    );
    assert_eq!(
        repaired(&two, "Mark only v1 as storage"),
        two.replace(
            "v1beta1, served: true, storage: true",
            "v1beta1, served: true, storage: false"
        )
    );
    assert!(all(&two).iter().any(|it| it.title == "Mark only v1beta1 as storage"));
}

#[test]
fn all_safe_repairs_come_at_once() {
    let schema = "            type: object\n            title: a\n            title: b\n            properties:\n              a: {minLength: 1}\n              b: {type: strng}\n";
    let text: Arc<str> = format!("{HEAD}{schema}").into();
    let (edits, fixes) = repair_all(&text, problems(&judge(&text)), &(), &|it| Some(judge(it))).expect("repairs");
    let titles: Vec<_> = fixes.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Add type: string", "Change strng to string"]);
    let edited = apply(&text, &edits).expect("the edits fit");
    let expected = text.replace("{minLength: 1}", "{type: string, minLength: 1}");
    let expected = expected.replace("strng", "string");
    assert_eq!(edited, expected);
    let text: Arc<str> = edited.into();
    let look = |it: &str| Some(judge(it));
    assert_eq!(repair_all(&text, problems(&judge(&text)), &(), &look), None);
    // A fix that drops a value is applied only on request, unless the dropped value is a repetition.
    let (edits, _) = repair_more(&text, problems(&judge(&text)), None, &(), &look, true).expect("a repair");
    assert_eq!(
        apply(&text, &edits).as_deref(),
        Some(&*expected.replace("            title: a\n", ""))
    );
    let same: Arc<str> = text.replace("title: b", "title: a").into();
    assert!(repair_all(&same, problems(&judge(&same)), &(), &look).is_some());
}

#[test]
fn the_same_mistake_in_other_versions_goes_with_it() {
    let version = |name: &str, storage: bool| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema: {{type: object, properties: {{a: {{type: int}}, b: {{minlength: 1, type: string}}}}}}\n    additionalPrinterColumns: [{{name: A, type: string, jsonPath: a}}]\n"
        )
    };
    let head = HEAD.split("  - name: v1").next().expect("a head");
    let text: Arc<str> = format!("{head}{}{}", version("v1", true), version("v2", false)).into();
    let mut edited = text.to_string();
    for _ in 0..3 {
        let it: Arc<str> = edited.as_str().into();
        let Some((edits, _)) = repair_all(&it, problems(&judge(&it)), &(), &|it| Some(judge(it))) else {
            break;
        };
        edited = apply(&it, &edits).expect("the edits fit");
    }
    let expected = text.replace("type: int}", "type: integer}");
    let expected = expected
        .replace("minlength", "minLength")
        .replace("jsonPath: a", "jsonPath: .a");
    assert_eq!(edited, expected);
}

#[test]
fn a_lint_is_repaired_in_the_versions_that_have_it() {
    let crd = |types: [&str; 2], columns: [&str; 2]| {
        let version = |n: usize| {
            format!(
                "  - name: v{n}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object, properties: {{a: {{type: {}}}, v{n}: {{type: string}}}}}}}}\n    additionalPrinterColumns: [{{name: A, type: {}, jsonPath: .a}}]\n",
                n == 0,
                types[n],
                columns[n]
            )
        };
        let head = HEAD.split("  - name: v1").next().unwrap_or_default();
        head.to_owned() + &version(0) + &version(1)
    };
    let title = "Change the type to string";
    let before = crd(["string", "string"], ["integer", "integer"]);
    assert_eq!(
        repaired(&before, title),
        crd(["string", "string"], ["string", "string"])
    );
    let other = crd(["string", "number"], ["integer", "integer"]);
    let columns = other.replacen("type: integer, jsonPath", "type: string, jsonPath", 1);
    assert_eq!(repaired(&other, title), columns, "the other version shows a number");
}

#[test]
fn lints_are_repaired_where_one_meaning_is_left() {
    let text = HEAD.replace("plural: widgets}", "plural: widgets, shortNames: [w, w]}")
        + "            {type: object, required: [host], properties: {hosts: {type: integer}}}\n    additionalPrinterColumns:\n    - {name: A, type: boolean, jsonPath: .spec.hosts}\n    - {name: B, type: string, jsonPath: '.spec.host'}\n    - {name: C, type: date, jsonPath: .metadata.creationTimestmp}\n";
    let shared: Arc<str> = text.as_str().into();
    let (edits, _) = repair_all(&shared, problems(&judge(&text)), &(), &|it| Some(judge(it))).expect("repairs");
    let expected = text
        .replace("[w, w]", "[w]")
        .replace("[host]", "[hosts]")
        .replace("type: boolean", "type: integer")
        .replace("'.spec.host'", "'.spec.hosts'")
        .replace("Timestmp", "Timestamp");
    assert_eq!(apply(&text, &edits).as_deref(), Some(&*expected));
}

/// Checks the result of a fix for a rule on a schema with the properties below.
#[track_caller]
fn check_rule(rule: &str, title: &str, expected: &str) {
    const BELOW: &str = "\
type: object
properties:
  a: {type: integer, maximum: 100}
  count: {type: integer, minimum: 0, maximum: 100, default: 0}
  list: {type: array, maxItems: 3, items: {type: object, properties: {x: {type: string, maxLength: 3}}}, default: []}
  map: {type: object, maxProperties: 3, additionalProperties: {type: string, maxLength: 3}, default: {}}
  size: {type: string, maxLength: 9, default: 1Gi}
x-kubernetes-validations:
- ";
    check(&format!("{BELOW}{rule}"), title, &format!("{BELOW}{expected}"));
}

#[test]
fn guards_come_before_what_they_guard() {
    check_rule(
        "rule: self.a > 1 # kept",
        "Guard with has(self.a) && …",
        "rule: has(self.a) && self.a > 1 # kept",
    );
    check_rule(
        "rule: self.count > 1 || self.a > 1",
        "Guard with has(self.a) && …",
        "rule: has(self.a) && (self.count > 1 || self.a > 1)",
    );
    check_rule(
        "rule: self.list.all(i, i.x != 'a')",
        "Guard with !has(i.x) || …",
        "rule: self.list.all(i, !has(i.x) || i.x != 'a')",
    );
    check_rule(
        "rule: size(self.list) == 0 || self.list.exists(i, i.x != 'a')",
        "Guard with has(i.x) && …",
        "rule: size(self.list) == 0 || self.list.exists(i, has(i.x) && i.x != 'a')",
    );
    check_rule(
        "rule: 10 / self.count > 1",
        "Guard with self.count != 0 && …",
        "rule: self.count != 0 && 10 / self.count > 1",
    );
    check_rule(
        "rule: \"quantity(self.size).compareTo(quantity('1Gi')) < 0\"",
        "Guard with isQuantity(self.size) && …",
        "rule: \"isQuantity(self.size) && quantity(self.size).compareTo(quantity('1Gi')) < 0\"",
    );
    check_rule(
        "{rule: oldSelf.value().count == self.count, optionalOldSelf: true}",
        "Guard with !oldSelf.hasValue() || …",
        "{rule: '!oldSelf.hasValue() || oldSelf.value().count == self.count', optionalOldSelf: true}",
    );
}

#[test]
fn guards_are_written_in_the_quotes_that_rules_have_or_need() {
    // A plain scalar cannot begin with an exclamation mark.
    check_rule(
        "rule: self.a > 1 && self.size != 'x' # kept",
        "Guard with !has(self.a) || …",
        "rule: '!has(self.a) || self.a > 1 && self.size != ''x''' # kept",
    );
    check_rule(
        "rule: self.a > 1 &&\n    self.size != 'x'",
        "Guard with !has(self.a) || …",
        "rule: '!has(self.a) || self.a > 1 &&\n    self.size != ''x'''",
    );
    check_rule(
        "rule: |\n    self.map['k'] != ''",
        "Guard with 'k' in self.map && …",
        "rule: |\n    'k' in self.map && self.map['k'] != ''",
    );
    check_rule(
        "rule: 'self.map[''k''] != \"\"'",
        "Guard with !('k' in self.map) || …",
        "rule: '!(''k'' in self.map) || self.map[''k''] != \"\"'",
    );
    check_rule(
        "rule: \"self.map[\\\"k\\\"] != 'x'\"",
        "Guard with \"k\" in self.map && …",
        "rule: \"\\\"k\\\" in self.map && self.map[\\\"k\\\"] != 'x'\"",
    );
    check_rule(
        "rule: >-\n    self.list[0].x == self.size",
        "Guard with size(self.list) > 0 && …",
        "rule: >-\n    size(self.list) > 0 && self.list[0].x == self.size",
    );
}

#[test]
fn what_yaml_takes_for_a_tag_is_put_in_quotes() {
    let rule = |rule: &str| {
        format!(
            "type: object\nproperties: {{a: {{type: string}}}}\nx-kubernetes-validations:\n- message: wrong\n  rule: {rule} # kept"
        )
    };
    for (written, quoted) in [
        ("!has(self.a)", "'!has(self.a)'"),
        ("!has(self.a) || self.a != ''", "'!has(self.a) || self.a != '''''"),
        ("!(self.a == \"b\")", "'!(self.a == \"b\")'"),
    ] {
        check(&rule(written), "Put the value in quotes", &rule(quoted));
    }
}

#[test]
fn a_not_that_says_nothing_more_goes_as_a_whole() {
    check(
        "type: object\nproperties:\n  a:\n    type: string\n    default: x\n    not:\n      default: y\n    minLength: 1",
        "Remove default from not",
        "type: object\nproperties:\n  a:\n    type: string\n    default: x\n    minLength: 1",
    );
}

#[test]
fn a_repair_that_makes_errors_of_what_followed_gives_way() {
    let text = format!(
        "{HEAD}            type: object\n            properties:\n              a: {{properties: {{}}, description: a}}\n              b: {{description: b}}\n            \
         x-kubernetes-validations:\n            - {{rule: has(self.b) && self.b.size() > 0, message: b}}\n"
    );
    let found = all(&text.replace("a: {properties: {}, description: a}", "a: {type: string}"));
    let titles: Vec<_> = found.iter().map(|it| it.title.as_str()).collect();
    assert!(titles.iter().any(|it| it.starts_with("Add type")), "{titles:?}");
    assert!(
        !titles.contains(&"Add x-kubernetes-preserve-unknown-fields: true"),
        "{titles:?}"
    );
}

/// A CRD with two versions, each given by its name and whether it is stored.
fn two_versions(versions: [(&str, bool); 2]) -> String {
    let item = |(name, stored): (&str, bool)| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {stored}\n    schema: {{openAPIV3Schema: {{type: object}}}}\n"
        )
    };
    let (before, _) = HEAD.split_once("  - name").expect("a version");
    before.to_owned() + &versions.map(item).concat()
}

#[test]
fn a_version_that_is_there_twice_becomes_the_next_one() {
    for (name, next) in [("v1", "v2"), ("v1beta1", "v1")] {
        let before = two_versions([(name, true), (name, false)]);
        let title = format!("Rename the second {name} to {next}");
        assert_eq!(repaired(&before, &title), two_versions([(name, true), (next, false)]));
    }
    let both = two_versions([("v1", true), ("v1", true)]);
    let found = all(&both);
    let titles: Vec<_> = found.iter().map(|it| it.title.as_str()).collect();
    let once = |title: &str| titles.iter().filter(|it| **it == title).count();
    assert_eq!(once("Mark only the first v1 as storage"), 1, "{titles:?}");
    assert_eq!(once("Mark only v1 as storage"), 0, "{titles:?}");
    assert_eq!(
        repaired(&both, "Rename the second v1 to v2"),
        two_versions([("v1", true), ("v2", true)])
    );
}

#[test]
fn a_keyword_gets_its_name_though_its_value_is_wrong() {
    for (schema, title) in [
        ("type: string\npatern: '['", "Change patern to pattern"),
        (
            "type: object\nproperties: {a: {type: string}}\nrequird: [b]",
            "Change requird to required",
        ),
        (
            "type: object\npropertis:\n  a: {type: strng}",
            "Change propertis to properties",
        ),
        (
            "type: object\npropertis:\n  a: {type: string, patern: x}",
            "Change propertis to properties",
        ),
    ] {
        let lines = schema.lines().map(|it| format!("            {it}\n"));
        let text = HEAD.to_owned() + &lines.collect::<String>();
        let found = all(&text);
        assert!(found[0].title == title && found[0].preferred, "{found:?}");
        let (_, done) = repair_all(&Arc::from(text.as_str()), problems(&judge(&text)), &(), &|it| {
            Some(judge(it))
        })
        .expect("it is repaired");
        assert_eq!(done[0].title, title);
    }
}
