//! Tests for the meaning of tokens in a CRD's expressions.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;

use super::{Meaning, cel_at, scalars};
use crate::file::{File, Memory};

const HEAD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              hosts: {type: array, items: {type: object, properties: {port: {type: integer}, host-name: {type: string}}}}
              labels: {type: object, additionalProperties: {type: object, properties: {v: {type: boolean}}}}
              namespace: {type: string}
              rule: {type: string}
            x-kubernetes-validations:
";

/// The rules, indented as in the CRD of the tests.
fn indented(rules: &str) -> String {
    let lines = rules.lines().map(|it| format!("            {it}\n"));
    lines.collect()
}

fn text(rules: &str) -> String {
    format!("{HEAD}{}", indented(rules))
}

fn file(rules: &str) -> File {
    File::new(text(rules), Arc::default())
}

/// Checks the meaning of the token at the first `needle` in the rules.
#[track_caller]
fn check(rules: &str, needle: &str, expected: &str) {
    let file = file(rules);
    let at = HEAD.len() + indented(rules).find(needle).expect("the needle");
    let document = file.document_at(at as u32).expect("a document");
    let found = cel_at(&document, at as u32, KubernetesVersion::NEWEST).expect("an expression");
    let token = found.expression.token_at(found.byte).expect("a token");
    let span = found.expression.token_span(token);
    assert!(span.touches(at as u32), "{span:?} of {needle}");
    let shown = |ty| found.expression.shown(ty);
    let said = match found.expression.meaning(token) {
        None => "nothing".to_owned(),
        Some(Meaning::Variable { name, ty, declared, .. }) => {
            format!("variable {name} {} {}", shown(&ty), declared.is_some())
        }
        Some(Meaning::Type { ty }) => format!("type {}", shown(&ty)),
        Some(Meaning::Field { name, property, ty, .. }) => {
            let key = property.and_then(|it| it.key).map(|it| document.tree.scalar(it));
            format!("field {name} {} {}", shown(&ty), key.as_deref().unwrap_or("-"))
        }
        Some(Meaning::Function {
            name, overloads, ty, ..
        }) => {
            let ids: Vec<_> = overloads.iter().map(|it| it.id.to_string()).collect();
            format!("function {name} {} {}", ids.join(","), shown(&ty))
        }
        Some(Meaning::Macro { of, ty, .. }) => format!("macro {} {}", of.name, shown(&ty)),
        Some(Meaning::Literal { ty, .. }) => format!("literal {ty}"),
    };
    assert_eq!(said, expected, "{needle} in {rules}");
}

#[test]
fn tokens_have_a_meaning() {
    let rule = "- rule: self.hosts.all(h, h.port > 1 && size(h.host__dash__name) < 10) && has(self.__namespace__) && 'a' in self.labels\n";
    check(rule, "self.hosts", "variable self self false");
    check(rule, "hosts", "field hosts list(self.hosts[]) hosts");
    check(rule, "all(", "macro all bool");
    check(rule, "h, h", "variable h self.hosts[] true");
    check(rule, "h.port", "variable h self.hosts[] true");
    check(rule, "port", "field port int port");
    check(rule, "> 1", "function _>_ greater_int64 bool");
    check(rule, "1 &&", "literal int");
    check(rule, "&& size", "function _&&_ logical_and bool");
    check(rule, "size", "function size size_string int");
    check(rule, "host__dash", "field host__dash__name string host-name");
    check(rule, "has(", "macro has bool");
    check(rule, "__namespace__", "field __namespace__ string namespace");
    check(rule, "'a'", "literal string");
    check(rule, "in self", "function @in in_map bool");
}

#[test]
fn quoting_and_folding_do_not_move_places() {
    check(
        "- rule: 'self.hosts.size() > 0 && ''a'' !=\n\n    self.rule'\n",
        "rule'",
        "field rule string rule",
    );
    check(
        "- rule: \"\\x73elf.labels['a'].v ==\\\n    \\ true\"\n",
        "v ==",
        "field v bool v",
    );
    check(
        "- rule: >-\n    self.hosts\n      .size() > 0\n",
        "size()",
        "function size list_size int",
    );
    check(
        "- rule: self.labels.x.v\n  messageExpression: |\n    'é' + self.rule\n",
        "rule\n",
        "field rule string rule",
    );
}

#[test]
fn what_is_known_of_broken_expressions_stays_known() {
    check(
        "- rule: self.hosts.all(h, h.port > self.nothing)\n",
        "port",
        "field port int port",
    );
    check(
        "- rule: self.hosts.all(h, h.nothing > 1)\n",
        "hosts",
        "field hosts list(self.hosts[]) hosts",
    );
    check("- rule: self.rule +\n", "rule +", "field rule string rule");
}

#[test]
fn the_last_types_stay_while_the_schema_is_broken() {
    let memory = Arc::<Memory>::default();
    let rules = "- rule: self.rule == ''\n";
    let text = text(rules);
    let at = (HEAD.len() + indented(rules).find("rule ==").expect("it")) as u32;
    let broken = text.replace("{type: boolean}", "{type: bool[]}}");
    let shift = broken.len() as i64 - text.len() as i64;
    for (text, at) in [(text, at), (broken, (i64::from(at) + shift) as u32)] {
        let file = File::new(text, memory.clone());
        let document = file.document_at(at).expect("a document");
        let found = cel_at(&document, at, KubernetesVersion::NEWEST).expect("an expression");
        assert!(found.expression.scope.is_some(), "{}", file.text());
    }
}

#[test]
fn a_property_called_rule_is_no_rule() {
    let file = file("- rule: self.rule == ''\n  message: x\n  messageExpression: self.rule\n");
    let document = file.documents().next().expect("a document");
    let found: Vec<_> = scalars(document.tree)
        .into_iter()
        .map(|it| document.tree.scalar(it.scalar).into_owned())
        .collect();
    assert_eq!(found, ["self.rule == ''", "self.rule"]);
}

#[test]
fn a_part_over_several_lines_has_several_spans() {
    let rules = "- rule: |\n    self.hosts\n      .size() > 0\n";
    let file = file(rules);
    let at = (HEAD.len() + indented(rules).find("self").expect("it")) as u32;
    let document = file.document_at(at).expect("a document");
    let found = cel_at(&document, at, KubernetesVersion::NEWEST).expect("an expression");
    let spans = found.expression.spans(0..found.expression.text().len());
    let text: Vec<_> = spans.iter().map(|it| &file.text()[it.range()]).collect();
    assert_eq!(text, ["self.hosts", ".size() > 0"]);
}
