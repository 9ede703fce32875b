//! `x-kubernetes-int-or-string`: its two allowed forms of `anyOf`, and its published form.

use super::{KubernetesVersion, blank::says_only_its_type, forms::visit};
use crate::json_schema::{JsonSchemaProps, RareKeywords};

/// Whether `anyOf` is exactly `[{type: integer}, {type: string}]` (`isIntOrStringAnyOfPattern`).
pub(super) fn is_int_or_string_any_of(any_of: &[JsonSchemaProps], version: KubernetesVersion) -> bool {
    match any_of {
        [integer, string] => {
            integer.r#type == "integer"
                && string.r#type == "string"
                && says_only_its_type(integer, version)
                && says_only_its_type(string, version)
        }
        _ => false,
    }
}

/// Whether the first schema of `allOf` has exactly this `anyOf` (`isIntOrStringAllOfPattern`).
pub(super) fn is_int_or_string_all_of(all_of: &[JsonSchemaProps], version: KubernetesVersion) -> bool {
    all_of
        .first()
        .is_some_and(|first| is_int_or_string_any_of(&first.any_of, version))
}

/// Expands `x-kubernetes-int-or-string` to `anyOf`, or to `allOf` if `anyOf` is already used (`Unfold`).
pub fn unfold(schema: &mut JsonSchemaProps, version: KubernetesVersion) {
    visit(schema, &mut |schema| {
        if !schema.x_int_or_string
            || is_int_or_string_any_of(&schema.any_of, version)
            || is_int_or_string_all_of(&schema.all_of, version)
        {
            return;
        }
        let types = ["integer", "string"]
            .map(|name| JsonSchemaProps {
                r#type: name.to_owned(),
                ..JsonSchemaProps::default()
            })
            .to_vec();
        if schema.any_of.is_empty() {
            schema.any_of = types;
        } else {
            schema.all_of.insert(
                0,
                JsonSchemaProps {
                    rare: RareKeywords {
                        any_of: types,
                        ..RareKeywords::default()
                    }
                    .into(),
                    ..JsonSchemaProps::default()
                },
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::schema;

    #[test]
    fn spells_out_int_or_string_once() {
        let types = json!([{"type": "integer"}, {"type": "string"}]);
        let int_or_string = "x-kubernetes-int-or-string";
        for (before, after) in [
            (json!({}), json!({"anyOf": types})),
            (json!({"anyOf": types}), json!({"anyOf": types})),
            (
                json!({"allOf": [{"anyOf": types}]}),
                json!({"allOf": [{"anyOf": types}]}),
            ),
            (
                json!({"anyOf": [{"maximum": 1}], "allOf": [{"minimum": 1}]}),
                json!({"anyOf": [{"maximum": 1}], "allOf": [{"anyOf": types}, {"minimum": 1}]}),
            ),
        ] {
            let with = |mut it: serde_json::Value| {
                it[int_or_string] = true.into();
                schema(&json!({"properties": {"a": {"items": it}}}))
            };
            let mut unfolded = with(before);
            unfold(&mut unfolded, KubernetesVersion::NEWEST);
            assert_eq!(unfolded, with(after));
        }
    }
}
