//! Tests for completion in the CEL expressions of rules.

use super::{KubernetesVersion, Offered, check_first, check_none_of};

/// A CRD whose `spec` has a rule with these lines.
fn definition(rule: &str) -> String {
    format!(
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [replicas]
            x-kubernetes-validations:
            - {rule}
            properties:
              replicas: {{type: integer, description: How many.}}
              minReplicas: {{type: integer}}
              mode: {{type: string, enum: [Fast, Slow, it's]}}
              hosts: {{type: array, items: {{type: string, enum: [a, b]}}}}
              namespace: {{type: string}}
              my-name: {{type: string, default: x}}
              labels: {{type: object, additionalProperties: {{type: string}}}}
              nested:
                type: array
                items:
                  type: object
                  properties:
                    deep: {{type: object, properties: {{x: {{type: boolean}}}}}}
                    kinds: {{type: array, items: {{type: string}}}}
"
    )
}

/// A CRD with rules in several styles.
pub(super) fn example() -> String {
    definition(
        "rule: 'self.mode == ''Fast'' && self.hosts.all(h, h != \"é😀\")'\n            - {rule: \"self.nested.all(n, has(n.deep))\"}\n            - rule: |\n                self.replicas > 0 &&\n                has(self.minReplicas)",
    )
}

fn rule(rule: &str) -> Offered {
    in_version(rule, KubernetesVersion::NEWEST)
}

fn in_version(rule: &str, version: KubernetesVersion) -> Offered {
    Offered::new(&definition(rule), &(), version)
}

#[test]
fn variables_and_fields_come_first() {
    check_first(&rule("rule: $0"), &["self", "oldSelf", "has"]);
    check_first(&rule("rule: s$0"), &["self", "size", "string"]);
    check_first(
        &rule("rule: self.$0"),
        &[
            "hosts",
            "labels",
            "minReplicas",
            "mode",
            "my__dash__name",
            "__namespace__",
            "nested",
            "replicas",
        ],
    );
    check_first(&rule("rule: self.re$0"), &["replicas"]);
    check_first(&rule("rule: \"self.replicas > 0 && self.mi$0"), &["minReplicas"]);
    check_first(&rule("rule: self.hosts.all(h, h.$0)"), &["size"]);
    check_first(&rule("rule: self.nested.all(n, n.$0)"), &["deep", "kinds"]);
    check_first(&rule("rule: self.nested.all(n, n.deep.$0)"), &["x"]);
    check_first(
        &rule("rule: self.nested.all(n, n.kinds.all(k, $0))"),
        &["k", "n", "self"],
    );
    check_first(&rule("rule: self.nested[0].$0"), &["deep"]);
    check_first(&rule("rule: self.nested.filter(n, n.deep.x)[0].de$0"), &["deep"]);
    check_first(&rule("rule: oldSelf.$0"), &["hosts"]);
    check_first(&rule("rule: has(self.$0)"), &["hosts"]);
    check_first(&rule("rule: self.?nested.orValue([]).all(n, n.$0)"), &["deep"]);
    check_first(&rule("messageExpression: self.$0"), &["hosts"]);
    assert_eq!(rule("message: self.$0").labels(), Vec::<&str>::new());
    assert_eq!(rule("rule: self.nested.all($0").labels(), Vec::<&str>::new());
}

#[test]
fn functions_fit_the_receiver() {
    check_first(&rule("rule: self.hosts.$0"), &["all", "exists", "exists_one"]);
    check_none_of(&rule("rule: self.hosts.$0"), &["startsWith", "optMap", "hours"]);
    check_first(&rule("rule: self.mode.s$0"), &["size", "startsWith", "split"]);
    check_none_of(&rule("rule: self.mode.$0"), &["all", "map", "join"]);
    check_none_of(&rule("rule: self.replicas.$0"), &["size", "matches"]);
    check_first(
        &rule("rule: self.?mode.o$0"),
        &["optMap", "optFlatMap", "orValue", "or"],
    );
    check_first(&rule("rule: optional.$0"), &["none", "of", "ofNonZeroValue"]);
    check_none_of(&in_version("rule: is$0", KubernetesVersion::minor(30)), &["isIP"]);
    check_first(&in_version("rule: isI$0", KubernetesVersion::minor(31)), &["isIP"]);
    check_none_of(
        &in_version("rule: self.hosts.s$0", KubernetesVersion::minor(34)),
        &["slice"],
    );
    check_first(
        &in_version("rule: self.hosts.sl$0", KubernetesVersion::minor(35)),
        &["slice"],
    );
    check_first(&rule("rule: self.mode i$0"), &["in"]);
    assert_eq!(
        rule("rule: self.mode $0").labels(),
        Vec::<&str>::new(),
        "any operator may follow"
    );
    let all = rule("rule: self.hosts.$0");
    assert_eq!(all.item("all").suffix.as_deref(), Some("(x, predicate)"));
    assert!(all.item("all").documentation.is_some());
}

#[test]
fn values_of_enumerations_are_offered_in_comparisons() {
    assert_eq!(rule("rule: self.mode == '$0'").labels(), ["Fast", "Slow", "it's"]);
    check_first(&rule("rule: self.mode == $0"), &["'Fast'", "'Slow'"]);
    assert_eq!(
        rule("rule: self.mode in ['Fast', '$0']").labels(),
        ["Fast", "Slow", "it's"]
    );
    check_first(&rule("rule: self.hosts.all(h, h != $0)"), &["'a'", "'b'"]);
    check_first(&rule("rule: self.hosts[0] == $0"), &["'a'", "'b'"]);
    check_none_of(&rule("rule: self.replicas == $0"), &["'Fast'"]);
}

#[track_caller]
fn check_taken(before: &str, label: &str, expected: &str) {
    let taken = rule(before).taken(label);
    assert_eq!(taken, definition(expected), "{label} in {before}");
}

#[test]
fn text_is_written_as_the_scalar_has_it() {
    check_taken("rule: self.re$0", "replicas", "rule: self.replicas");
    check_taken("rule: self.re$0cas > 0", "replicas", "rule: self.replicas > 0");
    // Without quotes, YAML would read it as a tag.
    check_taken("rule: !se$0", "self", "rule: '!self'");
    check_taken("rule: !has(self.re$0", "replicas", "rule: '!has(self.replicas'");
    check_taken("{rule: !se$0}", "self", "{rule: '!self'}");
    check_taken("rule: self.mode == $0", "'Fast'", "rule: self.mode == 'Fast'");
    check_taken("rule: self.mode == '$0", "Fast", "rule: self.mode == 'Fast'");
    check_taken("rule: 'self.mode == $0'", "\"Fast\"", "rule: 'self.mode == \"Fast\"'");
    check_taken("rule: \"self.mode == $0\"", "'Fast'", "rule: \"self.mode == 'Fast'\"");
    check_taken(
        "rule: \"self.mode == \\\"$0\\\"\"",
        "Fast",
        "rule: \"self.mode == \\\"Fast\\\"\"",
    );
    check_taken("rule: 'self.mode == ''$0'''", "Fast", "rule: 'self.mode == ''Fast'''");
    check_taken(
        "rule: 'self.mode == ''$0'''",
        "it's",
        "rule: 'self.mode == ''it\\''s'''",
    );
    check_taken(
        "rule: |\n                self.mode ==\n                $0",
        "'Fast'",
        "rule: |\n                self.mode ==\n                'Fast'",
    );
    check_taken(
        "rule: >-\n                self.re$0",
        "replicas",
        "rule: >-\n                self.replicas",
    );
    check_taken(
        "rule: self.hosts.al$0",
        "all",
        "rule: self.hosts.all(${1:x}, ${2:predicate})$0",
    );
    check_taken("rule: self.hosts.al$0(h, true)", "all", "rule: self.hosts.all(h, true)");
    check_taken(
        "{rule: self.hosts.al$0}",
        "all",
        "{rule: 'self.hosts.all(${1:x}, ${2:predicate})$0'}",
    );
    check_taken("{rule: self.mo$0}", "mode", "{rule: self.mode}");
    check_taken("rule: self.$0", "my__dash__name", "rule: self.my__dash__name");
}

/// The guard is a condition, which is an argument only of comprehensions.
#[test]
fn a_guard_is_offered_only_where_a_condition_may_be() {
    for (text, is_offered) in [
        ("self.$0", true),
        ("self.replicas > 0 && self.$0", true),
        ("self.replicas > 0 && (self.$0", true),
        ("has(self.$0)", false),
        ("!has(self.$0)", false),
        ("self.replicas > 0 && has(self.$0)", false),
        ("size(self.$0)", false),
        ("self.hosts.all(h, self.$0)", true),
        ("self.hosts.all(h, h.size() > 0 && self.$0)", true),
        ("self.mode.replace('a', self.$0)", false),
    ] {
        let found = rule(&format!("rule: \"{text}\"")).found.expect("fields");
        let mut items = found.items.iter();
        let guard = items.find(|it| it.suffix.as_deref() == Some(" (if present)"));
        assert_eq!(guard.is_some(), is_offered, "{text}");
    }
}

#[test]
fn a_field_that_may_lack_can_be_guarded() {
    let offered = rule("rule: self.replicas > 0 && self.min$0");
    let found = offered.found.as_ref().expect("fields");
    let guarded = found
        .items
        .iter()
        .find(|it| it.suffix.is_some() && it.label == "minReplicas")
        .expect("a guard");
    assert_eq!(guarded.edits.len(), 1);
    let edit = &guarded.edits[0];
    assert_eq!(edit.new_text, "has(self.minReplicas) && ");
    assert!(offered.text[edit.span.start as usize..].starts_with("self.min"));
    let required = found.items.iter().filter(|it| it.label == "replicas").count();
    assert_eq!(required, 1);
}
