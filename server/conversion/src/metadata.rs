//! The metadata of a converted object. A webhook may change only labels and annotations (`restoreObjectMeta`).

use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Path, Trail, render},
    metadata::{validate_annotations, validate_labels},
};
use serde_json::{Map, Value};

/// Returns the converted object with the original metadata, except for the labels and annotations, which come from the converted object.
pub(crate) fn restore(
    sent: &Map<String, Value>,
    mut converted: Map<String, Value>,
    kubernetes: KubernetesVersion,
) -> Result<Map<String, Value>, String> {
    let answered = match converted.get("metadata") {
        None => return Err("missing metadata in converted object".to_owned()),
        Some(Value::Object(answered)) => answered.clone(),
        Some(other) => {
            let found = render::go_type(other);
            return Err(format!("invalid metadata of type {found} in converted object"));
        }
    };
    let mut metadata = match sent.get("metadata") {
        None => Map::new(),
        Some(Value::Object(metadata)) => metadata.clone(),
        Some(other) => {
            let found = render::go_type(other);
            return Err(format!("invalid metadata of type {found} in input object"));
        }
    };
    for field in ["labels", "annotations"] {
        let of_answer = match answered.get(field) {
            None | Some(Value::Null) => {
                metadata.remove(field);
                continue;
            }
            Some(Value::Object(fields)) => fields,
            Some(other) => {
                let found = render::go_type(other);
                return Err(format!("invalid metadata.{field} of type {found} in converted object"));
            }
        };
        let nothing = Map::new();
        let before = match metadata.get(field) {
            None | Some(Value::Null) => &nothing,
            Some(Value::Object(fields)) => fields,
            Some(other) => {
                let found = render::go_type(other);
                return Err(format!("invalid metadata.{field} of type {found} in original object"));
            }
        };
        let mut texts = Vec::new();
        for (key, value) in of_answer {
            let Value::String(text) = value else {
                let found = render::go_type(value);
                return Err(format!(
                    "metadata.{field}[{key}] must be a string, but is {found} in converted object"
                ));
            };
            texts.push((key.clone(), text.clone()));
        }
        if before != of_answer {
            validate(field, &texts, kubernetes)?;
        }
        metadata.insert(field.to_owned(), Value::Object(of_answer.clone()));
    }
    converted.insert("metadata".to_owned(), Value::Object(metadata));
    Ok(converted)
}

fn validate(field: &str, texts: &[(String, String)], kubernetes: KubernetesVersion) -> Result<(), String> {
    let mut errors = Vec::new();
    // In its messages, the API server calls the field of annotations `annotation`.
    let name = if field == "labels" { "labels" } else { "annotation" };
    let path = Path::of(["metadata", name]);
    let trail = Trail::new(&path);
    if field == "labels" {
        validate_labels(texts, &trail, kubernetes, &mut errors);
    } else {
        validate_annotations(texts, &trail, kubernetes, &mut errors);
    }
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(sent: Value, answered: Value) -> Result<Value, String> {
        let object = |metadata: Value| {
            let object = json!({"metadata": metadata});
            object.as_object().unwrap().clone()
        };
        let restored = restore(&object(sent), object(answered), KubernetesVersion::NEWEST)?;
        Ok(restored["metadata"].clone())
    }

    #[test]
    fn only_labels_and_annotations_change() {
        let sent = json!({"name": "a", "generation": 3, "labels": {"x": "1"}, "finalizers": ["f"]});
        let answered = json!({"name": "a", "generation": 9, "labels": {"x": "2"}, "annotations": {"k": "v"}});
        let expected =
            json!({"name": "a", "generation": 3, "labels": {"x": "2"}, "annotations": {"k": "v"}, "finalizers": ["f"]});
        assert_eq!(check(sent.clone(), answered), Ok(expected));
        let without = json!({"name": "a", "generation": 3, "finalizers": ["f"]});
        assert_eq!(check(sent, json!({"labels": null})), Ok(without));
    }

    #[test]
    fn labels_that_change_are_validated() {
        let words = check(json!({}), json!({"labels": {"a b": "x"}})).unwrap_err();
        assert!(words.starts_with("metadata.labels: Invalid value: \"a b\""), "{words}");
        // Existing invalid labels are not checked again.
        assert!(check(json!({"labels": {"a b": "x"}}), json!({"labels": {"a b": "x"}})).is_ok());
        let words = check(json!({}), json!({"annotations": {"a b": "x"}})).unwrap_err();
        assert!(
            words.starts_with("metadata.annotation: Invalid value: \"a b\""),
            "{words}"
        );
    }

    #[test]
    fn other_types_are_refused() {
        for (answered, words) in [
            (json!([]), "invalid metadata of type []interface {} in converted object"),
            (
                json!({"labels": "x"}),
                "invalid metadata.labels of type string in converted object",
            ),
        ] {
            assert_eq!(check(json!({}), answered), Err(words.to_owned()));
        }
    }
}
