//! Tests changes whose demonstrations must satisfy rules above, beside and below the changed node.

use super::check;

/// A schema in which only the `maxItems` of one list differs. The list must contain both kinds of values. The neighbor `mode` decides whether the
/// list may be set. A rule above the list requires another field, which has rules of its own.
fn with_items(most: usize) -> String {
    format!(
        r#"{{
    type: object,
    x-kubernetes-validations: [
      {{rule: 'has(self.target) || has(self.targets)'}},
      {{rule: '!has(self.log) || has(self.provider)'}},
    ],
    properties: {{
      target: {{type: object, required: [kind], properties: {{
        kind: {{type: string, allOf: [{{enum: [A, B]}}, {{enum: [B]}}]}},
        name: {{type: string}},
      }}, x-kubernetes-validations: [{{rule: has(self.name)}}]}},
      targets: {{type: array, minItems: 1, items: {{type: object, required: [kind], properties: {{
        kind: {{type: string, allOf: [{{enum: [A, B]}}, {{enum: [B]}}]}},
      }}}}}},
      provider: {{type: object, properties: {{
        inline: {{type: string}},
        remote: {{type: string}},
      }}, x-kubernetes-validations: [{{rule: 'has(self.inline) != has(self.remote)'}}]}},
      log: {{
        type: object,
        x-kubernetes-validations: [{{rule: "!has(self.matches) || self.mode in ['Append', 'Set']", message: only with a mode}}],
        properties: {{
          mode: {{type: string, enum: [Forward, Append, Set]}},
          matches: {{
            type: array, maxItems: {most}, x-kubernetes-list-type: set,
            items: {{type: string, enum: [Failure, FailureSeries, Success]}},
            x-kubernetes-validations: [{{rule: "self.exists(it, it.startsWith('Failure')) == ('Success' in self)"}}],
          }},
        }},
      }},
    }},
  }}"#
    )
}

#[test]
fn rules_on_all_levels_are_satisfied() {
    check(
        &with_items(3),
        &with_items(1),
        &["max-items-changed: tolerated; refused \
           {\"log\":{\"matches\":[\"Success\",\"FailureSeries\"],\"mode\":\"Append\"},\"provider\":{\"inline\":\"a\"},\"targets\":[{\"kind\":\"B\"}]}; \
           compatible"],
    );
}

#[test]
fn a_value_that_a_rule_forbids_demonstrates_nothing() {
    let with = |most: usize| {
        format!(
            "{{type: object, x-kubernetes-validations: [{{rule: '!has(self.a)'}}], properties: {{a: {{type: array, maxItems: {most}, \
             items: {{type: string}}}}}}}}"
        )
    };
    check(
        &with(3),
        &with(1),
        &["max-items-changed: compatible; unknown; compatible"],
    );
}

#[test]
fn an_object_without_errors_stays_as_it_is() {
    let crd = super::crd("{type: object, required: [a], properties: {a: {type: string}}}");
    let objects = crate::Objects::of(&crd, "v1").expect("a served version");
    assert_eq!(objects.smallest().expect("an object")["spec"], serde_json::Value::Null);
}

/// The rules need a value beside the changed one, in the same item, and another one far away.
#[test]
fn rules_need_values_beside_the_changed_one() {
    let with = |hosts: &str| {
        format!(
            "{{type: object, required: [size], x-kubernetes-validations: [{{rule: self.size <= self.most}}, \
             {{rule: 'self.rules.all(r, self.rules.filter(x, x.name == r.name).size() == 1)'}}], properties: {{ \
             size: {{type: integer}}, most: {{type: integer}}, rules: {{type: array, maxItems: 256, items: {{type: object, \
             properties: {{name: {{type: string, maxLength: 253}}{hosts}}}}}}}}}}}"
        )
    };
    check(
        &with(", hosts: {type: array, items: {type: string}}"),
        &with(""),
        &[
            "property-removed: pruned {\"most\":1,\"rules\":[{\"hosts\":[],\"name\":\"a\"}],\"size\":1}; \
           pruned {\"most\":1,\"rules\":[{\"hosts\":[],\"name\":\"a\"}],\"size\":1}; compatible",
        ],
    );
}
