//! JSON Schemas in which `type` is never a list, for tools that cannot read such a list.

use serde_json::{Value, json};

/// Replaces each list of types in a schema by an `anyOf` of schemas with one type.
pub(crate) fn split(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    for name in ["items", "additionalProperties", "not"] {
        if let Some(inner) = keywords.get_mut(name) {
            split(inner);
        }
    }
    if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(split);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        if let Some(clauses) = keywords.get_mut(name).and_then(Value::as_array_mut) {
            clauses.iter_mut().for_each(split);
        }
    }
    let Some(types) = keywords.get("type").and_then(Value::as_array) else {
        return;
    };
    let any: Value = types.iter().map(|it| json!({ "type": it })).collect();
    keywords.remove("type");
    match keywords.insert("anyOf".to_owned(), any) {
        None => {}
        // A value must satisfy both the existing `anyOf` and the new one.
        Some(before) => {
            let all = keywords.entry("allOf").or_insert_with(|| json!([]));
            if let Some(all) = all.as_array_mut() {
                all.push(json!({ "anyOf": before }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut schema: Value, expected: &Value) {
        split(&mut schema);
        assert_eq!(schema, *expected);
    }

    #[test]
    fn lists_of_types_become_alternatives() {
        let either = json!({"anyOf": [{"type": "number"}, {"type": "string"}]});
        let list = json!({"type": ["number", "string"]});
        check(list.clone(), &either);
        check(
            json!({"type": "object", "properties": {"type": list, "a": {"items": list, "not": list}}}),
            &json!({"type": "object", "properties": {"type": either, "a": {"items": either, "not": either}}}),
        );
    }

    #[test]
    fn other_alternatives_still_have_to_hold() {
        check(
            json!({"type": ["string", "null"], "anyOf": [{"minLength": 1}, {"type": "null"}], "allOf": [{"maxLength": 9}]}),
            &json!({
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "allOf": [{"maxLength": 9}, {"anyOf": [{"minLength": 1}, {"type": "null"}]}],
            }),
        );
    }

    #[test]
    fn values_are_not_schemas() {
        let schema = json!({"default": {"type": ["a"]}, "enum": [{"type": ["a", "b"]}], "additionalProperties": true});
        check(schema.clone(), &schema);
    }
}
