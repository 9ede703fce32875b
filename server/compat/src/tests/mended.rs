//! Objects that demonstrate a change have to satisfy rules above, beside and below the changed node.

use super::check;

/// A list of which only the bound differs: both kinds of values have to be in it, its neighbour decides whether it may be there, and what is
/// above it asks for another field, which has rules of its own.
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
