//! Tests with pairs of CRDs and their expected changes.

mod blame;
mod mended;
mod rules;
mod told;

use std::sync::Arc;

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_schema::{
    KubernetesVersion,
    unknown::{Parts, Unknown},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_syntax::{read, read_json};

use crate::{Direction, Policy, Subject, Summary, Verdict, compare};

fn subject(text: &str) -> Subject {
    let text: Arc<str> = text.into();
    let tree = read(&text, Span::new(0, text.len() as u32)).expect("YAML");
    let stored = Stored::establish(&read_json(&tree).expect("JSON"), KubernetesVersion::NEWEST).expect("a CRD");
    Subject::new(stored, KubernetesVersion::NEWEST)
}

fn crd(spec: &str) -> Subject {
    subject(&text_of_crd(spec))
}

fn text_of_crd(spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: widgets, kind: Widget}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {spec}
"
    )
}

/// Compares two CRDs. `said` contains one line per change, with the three answers.
#[track_caller]
fn check(old: &str, new: &str, said: &[&str]) {
    let changes = compare(&crd(old), &crd(new));
    let lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let answers = change.each().map(|(_, answer)| match answer {
                crate::Answer::Breaks { effect, witness } => {
                    let of_update = if witness.old_object.is_some() { " on update" } else { "" };
                    format!("{effect}{of_update} {}", witness.object["spec"])
                }
                _ if answer.is_tolerated() => "tolerated".to_owned(),
                _ => answer.name().to_owned(),
            });
            format!("{}: {}", change.code, answers.collect::<Vec<_>>().join("; "))
        })
        .collect();
    assert_eq!(lines, said);
}

#[test]
fn a_version_that_is_there_twice_is_compared_once() {
    let text = text_of_crd("{type: object}");
    let twice = format!("{text}  - name: v1\n    served: false\n    storage: false\n    deprecated: true\n");
    assert!(compare(&subject(&twice), &subject(&twice)).is_empty());
}

#[test]
fn bounds() {
    check(
        "{type: object, properties: {a: {type: integer, maximum: 100}}}",
        "{type: object, properties: {a: {type: integer, maximum: 2}}}",
        &["maximum-changed: tolerated; refused {\"a\":3}; compatible"],
    );
    check(
        "{type: object, properties: {a: {type: array, maxItems: 2, items: {type: string}}}}",
        "{type: object, properties: {a: {type: array, maxItems: 20, items: {type: string}}}}",
        &["max-items-changed: compatible; compatible; refused {\"a\":[\"a\",\"a\",\"a\"]}"],
    );
}

/// Checks the change of one property's schema.
#[track_caller]
fn check_value(old: &str, new: &str, said: &[&str]) {
    let of = |schema: &str| format!("{{type: object, properties: {{a: {schema}}}}}");
    check(&of(old), &of(new), said);
}

#[test]
fn bounds_that_the_type_or_format_cannot_hold() {
    check_value(
        "{type: integer, format: int32, minimum: -5}",
        "{type: integer, format: int32, minimum: -2147483649}",
        &["minimum-changed: tolerated; refused {\"a\":1}; compatible"],
    );
    check_value(
        "{type: integer, maximum: 5}",
        "{type: integer, maximum: 9223372036854775807}",
        &["maximum-changed: tolerated; refused {\"a\":1}; compatible"],
    );
    check_value(
        "{type: integer, minimum: 5}",
        "{type: integer, minimum: -1.0e+19}",
        &["minimum-changed: tolerated; refused {\"a\":5}; compatible"],
    );
    check_value(
        "{type: number, maximum: 5}",
        "{type: number, maximum: 1.0e+20}",
        &["maximum-changed: tolerated; refused {\"a\":5}; refused {\"a\":5.5}"],
    );
}

#[test]
fn bounds_are_cut_beside_integers() {
    check_value(
        "{type: number, minimum: 0.5}",
        "{type: number, minimum: 0.4, exclusiveMinimum: true}",
        &[
            "minimum-changed: tolerated; refused {\"a\":0}; refused {\"a\":0.4000000000000001}",
            "exclusive-minimum-changed: tolerated; refused {\"a\":0}; refused {\"a\":0.4000000000000001}",
        ],
    );
    check_value(
        "{type: number, maximum: 1.2}",
        "{type: number, maximum: 1.5, exclusiveMaximum: true}",
        &[
            "maximum-changed: tolerated; refused {\"a\":1}; refused {\"a\":1.2000000000000002}",
            "exclusive-maximum-changed: tolerated; refused {\"a\":1}; refused {\"a\":1.2000000000000002}",
        ],
    );
    check_value(
        "{type: number, minimum: 0.5}",
        "{type: number, minimum: 0.5, x-kubernetes-validations: [{rule: self > 0.0}]}",
        &["rule-added: tolerated; refused {\"a\":0}; compatible"],
    );
    check_value(
        "{type: number, minimum: 0}",
        "{type: number, minimum: 0.5}",
        &["minimum-changed: tolerated; refused {\"a\":5e-324}; compatible"],
    );
}

#[test]
fn formats_of_numbers() {
    check_value(
        "{type: integer, format: int32}",
        "{type: integer}",
        &["format-changed: compatible; compatible; refused {\"a\":2147483648}"],
    );
    check_value(
        "{type: integer, format: int64}",
        "{type: integer, format: int32}",
        &["format-changed: tolerated; refused {\"a\":2147483648}; compatible"],
    );
}

#[test]
fn what_follows_from_something_else() {
    check_value(
        "{type: integer, allOf: [{maximum: 5}]}",
        "{type: integer, maximum: 5}",
        &[
            "maximum-changed: compatible; compatible; compatible",
            "all-of-changed: compatible; compatible; compatible",
        ],
    );
    check_value(
        "{type: integer, nullable: true, allOf: [{enum: [1]}]}",
        "{type: integer, nullable: true, enum: [1]}",
        &[
            "enum-changed: tolerated; refused {\"a\":null}; compatible",
            "all-of-changed: compatible; compatible; compatible",
        ],
    );
    check_value(
        "{type: integer, maximum: 5}",
        "{type: integer, maximum: 5, allOf: [{maximum: 9}]}",
        &["all-of-changed: compatible; compatible; compatible"],
    );
    check_value(
        "{type: object, properties: {x: {type: string}}, oneOf: [{required: [x]}, {maxProperties: 0}]}",
        "{type: object, properties: {x: {type: string}}, anyOf: [{required: [x]}, {maxProperties: 0}]}",
        &[
            "any-of-changed: compatible; compatible; compatible",
            "one-of-changed: compatible; compatible; unknown",
        ],
    );
    check_value(
        "{type: object, properties: {x: {type: string}}}",
        "{type: object, properties: {x: {type: string}}, maxProperties: 4}",
        &["max-properties-changed: compatible; compatible; compatible"],
    );
}

#[test]
fn patterns() {
    check_value(
        "{type: string, pattern: '^[a-z]+$'}",
        "{type: string, pattern: '^[a-zA-Z]+$'}",
        &["pattern-changed: compatible; compatible; refused {\"a\":\"A\"}"],
    );
    check_value(
        "{type: string, minLength: 1}",
        "{type: string, pattern: '.+'}",
        &[
            "pattern-changed: tolerated; refused {\"a\":\"\\n\"}; compatible",
            "min-length-changed: compatible; compatible; compatible",
        ],
    );
    check_value(
        "{type: string, pattern: '^[a-z]{2,4}$'}",
        "{type: string, pattern: '^[a-z]{2,4}$', minLength: 2}",
        &["min-length-changed: compatible; compatible; compatible"],
    );
}

#[test]
fn a_witness_is_of_the_type() {
    check_value(
        "{type: string}",
        "{type: string, format: date}",
        &["format-changed: tolerated; refused {\"a\":\"a\"}; refused {\"a\":[]}"],
    );
    check_value(
        "{type: array, items: {type: object, properties: {x: {type: string}}}, x-kubernetes-preserve-unknown-fields: true}",
        "{type: array, items: {type: object, properties: {x: {type: string}}}}",
        &[
            "preserve-unknown-fields-changed: pruned {\"a\":[{\"unknown\":1}]}; pruned {\"a\":[{\"unknown\":1}]}; compatible",
        ],
    );
    check_value(
        "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, maxProperties: 1}",
        &[
            "max-properties-changed: refused on update {\"a\":{\"apiVersion\":\"v1\",\"kind\":\"Example\"}}; refused {\"a\":{\"apiVersion\":\"v1\",\"kind\":\"Example\"}}; compatible",
        ],
    );
}

#[test]
fn the_head_of_an_object() {
    let of = |properties: &str| {
        subject(
            &text_of_crd("{type: object}").replace("properties:\n", &format!("properties:\n          {properties}\n")),
        )
    };
    let check = |old: &str, new: &str, said: [&str; 3]| {
        let changes = compare(&of(old), &of(new));
        let answers: Vec<_> = changes[0].each().map(|(_, it)| it.name()).collect();
        assert_eq!((changes.len(), &answers[..]), (1, &said[..]), "{old} to {new}");
    };
    let none = "other: {type: string}";
    let all = ["compatible"; 3];
    check(
        "metadata: {type: object}",
        &format!("metadata: {{type: object}}\n          {none}"),
        ["compatible", "compatible", "breaks"],
    );
    check(none, &format!("metadata: {{type: object}}\n          {none}"), all);
    check(
        "metadata: {type: object}",
        "metadata: {type: object, properties: {name: {type: string, maxLength: 63}}}",
        ["compatible", "breaks", "compatible"],
    );
    check(
        "kind: {type: string}",
        "kind: {type: string, maxLength: 0}",
        ["breaks", "breaks", "compatible"],
    );
    check(
        "apiVersion: {type: string}",
        "apiVersion: {type: string, pattern: ^y}",
        ["breaks", "breaks", "compatible"],
    );
}

#[test]
fn enums_and_required_properties() {
    check(
        "{type: object, properties: {a: {type: string, enum: [x, z]}, b: {type: string}}}",
        "{type: object, required: [b], properties: {a: {type: string, enum: [x]}, b: {type: string}}}",
        &[
            "required-added: tolerated; refused {}; compatible",
            "enum-changed: tolerated; refused {\"a\":\"z\"}; compatible",
        ],
    );
}

#[test]
fn properties() {
    check(
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {b: {type: string}}}",
        &[
            "property-removed: pruned {\"a\":\"a\"}; pruned {\"a\":\"a\"}; compatible",
            "property-added: compatible; compatible; pruned {\"b\":\"a\"}",
        ],
    );
    check(
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, properties: {a: {type: string}, b: {type: string, default: x}}}",
        &["property-added: defaulted {}; defaulted {}; pruned {\"b\":\"x\"}"],
    );
}

#[test]
fn what_no_value_is_judged_by() {
    check(
        "{type: object, description: one, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}",
        "{type: object, description: other, oneOf: [{required: [b]}, {required: [a]}], properties: {a: {type: string}, b: {type: string}}}",
        &[
            "description-changed: compatible; compatible; compatible",
            "one-of-changed: compatible; compatible; compatible",
        ],
    );
}

#[test]
fn nulls() {
    let of = |properties: &str| format!("{{type: object, properties: {properties}}}");
    let check = |old: &str, new: &str, said: &[&str]| check(&of(old), &of(new), said);
    // A null that the enum rejects was never stored.
    check(
        "{a: {type: string, enum: [x], default: x}}",
        "{a: {type: string, enum: [x], default: x, nullable: true}}",
        &["nullable-changed: compatible; refused {\"a\":null}; unknown"],
    );
    check(
        "{a: {type: integer}}",
        "{a: {type: integer, nullable: true}}",
        &["nullable-changed: compatible; null-kept {\"a\":null}; compatible"],
    );
    check(
        "{a: {type: integer, nullable: true}}",
        "{a: {type: integer}}",
        &["nullable-changed: pruned {\"a\":null}; defaulted {\"a\":null}; compatible"],
    );
    check(
        "{a: {type: array, items: {type: integer}}}",
        "{a: {type: array, items: {type: integer, nullable: true}}}",
        &["nullable-changed: compatible; compatible; refused {\"a\":[null]}"],
    );
    check(
        "{a: {type: array, items: {type: integer, nullable: true}}}",
        "{a: {type: array, items: {type: integer}}}",
        &["nullable-changed: tolerated; refused {\"a\":[null]}; compatible"],
    );
}

#[test]
fn a_null_in_a_list_becomes_the_default() {
    check_value(
        "{type: array, items: {type: string, enum: [a, b], default: b, nullable: true}}",
        "{type: array, items: {type: string, enum: [a, b], default: b}}",
        &["nullable-changed: unknown; unknown; refused {\"a\":[null]}"],
    );
}

#[test]
fn subresources() {
    let of = |subresources: &str, a: &str| {
        let spec = format!("{{type: object, properties: {{a: {a}}}}}\n          status: {{type: object}}");
        subject(&format!("{}    subresources: {subresources}\n", text_of_crd(&spec)))
    };
    let check = |old: &str, new: &str, a: &str, said: [&str; 3]| {
        let changes = compare(&of(old, a), &of(new, a));
        let answers: Vec<_> = changes[0].each().map(|(_, it)| it.name()).collect();
        assert_eq!((changes.len(), &answers[..]), (1, &said[..]), "{old} to {new}");
    };
    let all = ["compatible"; 3];
    let scale = "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}";
    check(
        "{}",
        "{status: {}}",
        "{type: integer}",
        ["compatible", "breaks", "compatible"],
    );
    check("{}", scale, "{type: integer}", ["breaks", "breaks", "compatible"]);
    check("{}", scale, "{type: integer, minimum: 0, maximum: 5}", all);
}

/// The API server validates embedded resources in an object, but not in a status sent to `/status`.
#[test]
fn a_status_with_embedded_resources_is_not_validated_as_in_the_object() {
    let of = |subresources: &str| {
        let status = "status: {type: object, properties: {last: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}";
        let spec = format!("{{type: object}}\n          {status}");
        subject(&format!("{}    subresources: {subresources}\n", text_of_crd(&spec)))
    };
    let changes = compare(&of("{}"), &of("{status: {}}"));
    let readers = changes[0]
        .each()
        .find(|it| it.0 == Direction::Readers)
        .expect("an answer");
    assert_eq!((changes[0].code, readers.1.name()), ("status-changed", "unknown"));
}

#[test]
fn an_object_that_old_refuses_is_not_stored() {
    let of = |most: u8| {
        crd(&format!(
            "{{type: object, properties: {{a: {{type: integer, maximum: {most}}}}}}}"
        ))
    };
    let fate = |a: u8| {
        let object = serde_json::json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": {"a": a},
        });
        crate::fate_of(&of(5), Some(&of(3)), &object).map(|it| it.iter().map(|it| it.fate).collect::<Vec<_>>())
    };
    assert_eq!(fate(1), Ok(vec![]));
    assert_eq!(fate(4), Ok(vec![crate::Fate::Tolerated]));
    assert!(matches!(fate(6), Err(crate::NotStored::Refused(_))));
}

/// What is not known of an object is the same before and after an update that keeps the object.
#[test]
fn an_object_that_is_known_in_part_has_the_effects_of_its_known_part() {
    let of = |most: u8, more: &str| {
        crd(&format!(
            "{{type: object, properties: {{list: {{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: \
             {{type: object, required: [name], properties: {{name: {{type: string}}, size: {{type: integer, maximum: {most}}}{more}}}}}}}}}}}"
        ))
    };
    let (old, new) = (of(9, ", old: {type: string}"), of(3, ""));
    let fates = |item: serde_json::Value, unknown: &[&str]| {
        let object = serde_json::json!({
            "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": {"list": [item]},
        });
        let (mut in_item, mut item, mut list, mut spec): (Parts, Parts, Parts, Parts) = Default::default();
        for it in unknown {
            in_item.field(it, Some(Unknown::value()));
        }
        item.item(0, in_item.whole());
        list.field("list", item.whole());
        spec.field("spec", list.whole());
        let unknown = spec.whole();
        let fate = crate::fate_of_known(&old, Some(&new), (&object, unknown.as_ref().into()));
        fate.map(|it| it.iter().map(|it| (it.fate, it.place.to_string())).collect::<Vec<_>>())
    };
    let size = (crate::Fate::Tolerated, "spec.list[0].size".to_owned());
    let old = (crate::Fate::Pruned, "spec.list[0].old".to_owned());
    let whole = serde_json::json!({"name": "a", "size": 7, "old": "b"});
    assert_eq!(fates(whole, &[]), Ok(vec![old.clone(), size.clone()]));
    // The key of the item is not known.
    let part = serde_json::json!({"name": "${A}", "size": 7, "old": "${B}"});
    assert_eq!(fates(part, &["name", "old"]), Ok(vec![old.clone(), size]));
    let part = serde_json::json!({"name": "a", "size": "${A}", "old": "b"});
    assert_eq!(fates(part, &["size"]), Ok(vec![old]));
}

#[test]
fn an_object_of_an_unserved_version_is_not_stored() {
    let of = |a: &str| {
        let text = text_of_crd("{type: object}");
        let schema = format!("{{openAPIV3Schema: {{type: object, properties: {{a: {{type: {a}}}}}}}}}");
        let version = format!("  - name: v0\n    served: false\n    storage: false\n    schema: {schema}\n");
        subject(&(text + &version))
    };
    let object = serde_json::json!({
        "apiVersion": "example.com/v0", "kind": "Widget", "metadata": {"name": "a"}, "a": 1,
    });
    let fate = crate::fate_of(&of("integer"), Some(&of("string")), &object);
    assert!(matches!(fate, Err(crate::NotStored::Unserved(_))), "{fate:?}");
}

#[test]
fn a_default_that_is_not_valid_breaks_readers() {
    let of = |default: &str| {
        format!(
            "{{type: object, additionalProperties: {{type: object, properties: {{b: {{type: string, enum: [x]{default}}}}}}}}}"
        )
    };
    check(
        &of(", default: a"),
        &of(""),
        &["default-changed: compatible; unknown; refused {\"a\":{}}"],
    );
}

#[test]
fn policies() {
    let old = crd("{type: object, properties: {a: {type: string}}}");
    let new = crd("{type: object, properties: {a: {type: string}, b: {type: string}}}");
    let changes = compare(&old, &new);
    assert_eq!(Policy::Writers.verdict(&changes), Verdict::Compatible);
    assert_eq!(Policy::ApiConventions.verdict(&changes), Verdict::Compatible);
    assert_eq!(Policy::Strict.verdict(&changes), Verdict::Breaks);
    assert_eq!(Summary::of(&changes).breaks, 1);
    assert_eq!(changes[0].answer(Direction::Readers).name(), "breaks");
}

#[test]
fn what_a_default_filled_in_is_stored() {
    let of = |spec: &str| {
        subject(&text_of_crd(spec).replace(
            "        type: object\n",
            "        type: object\n        required: [spec]\n",
        ))
    };
    let changes = compare(&of("{type: object, default: {}}"), &of("{type: object}"));
    let answers: Vec<_> = changes[0]
        .each()
        .map(|(_, it)| (it.name(), it.is_tolerated()))
        .collect();
    assert_eq!(
        answers,
        [("compatible", false), ("breaks", false), ("compatible", false)]
    );
}

#[track_caller]
fn check_olm(old: &str, new: &str, refused: &[&str]) {
    let found = crate::olm_refusals(&crd(old), &crd(new));
    let lines: Vec<String> = found
        .iter()
        .map(|it| format!("{} {}: {}", it.property, it.check, it.found))
        .collect();
    assert_eq!(lines, refused, "{old} to {new}");
}

#[test]
fn what_olm_refuses() {
    let of = |properties: &str| format!("{{type: object, properties: {properties}}}");
    let check = |old: &str, new: &str, refused: &[&str]| check_olm(&of(old), &of(new), refused);
    check("{a: {type: string, description: x}}", "{a: {type: string}}", &[]);
    check(
        "{a: {type: string, enum: [x]}}",
        "{a: {type: string, enum: [x, z]}}",
        &[],
    );
    check("{a: {type: string}}", "{a: {type: string}, b: {type: string}}", &[]);
    check(
        "{a: {type: string, enum: [x, z]}}",
        "{a: {type: string, enum: [x]}}",
        &["^.spec.a enum: removed \"z\""],
    );
    check(
        "{a: {type: string, maxLength: 5}}",
        "{a: {type: string, maxLength: 4, minLength: 1, default: x}}",
        &[
            "^.spec.a default: added \"x\"",
            "^.spec.a maxLength: 5 → 4",
            "^.spec.a minLength: added 1",
        ],
    );
    check(
        "{a: {type: string, maxLength: 5}, b: {type: string}}",
        "{b: {type: string}}",
        &[" existingFieldRemoval: v1.^.spec.a", "^.spec.a type: \"string\" → \"\""],
    );
    check("{a: {type: string, maxLength: 5}}", "{a: {type: string}}", &[]);
    check(
        "{a: {type: string}}",
        "{a: {type: string, pattern: x}}",
        &["^.spec.a unhandled: pattern changed"],
    );
    // In a schema with `anyOf`, the last branch is compared.
    check(
        "{a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}",
        "{a: {x-kubernetes-int-or-string: true, pattern: x, anyOf: [{type: integer}, {type: string}]}}",
        &[],
    );
}
