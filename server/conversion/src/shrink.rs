//! Shrinks an object: removes parts of the object as long as the rest still has the same problem.

use serde_json::Value;

/// The maximum number of smaller objects to try.
const MOST_TRIES: usize = 400;

/// A step to a part of an object.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// The smallest object found for which `shows` is true. The fields that identify the object are kept.
pub(crate) fn smallest(object: &Value, mut shows: impl FnMut(&Value) -> bool) -> Value {
    let mut found = object.clone();
    let mut tries = 0;
    loop {
        let mut is_smaller = false;
        let mut parts = Vec::new();
        collect(&found, &mut Vec::new(), &mut parts);
        // Whole branches come first. List items are removed from the end, so that the other indices stay valid.
        parts.sort_by_key(Vec::len);
        for part in parts {
            let mut smaller = found.clone();
            if !remove(&mut smaller, &part) {
                continue;
            }
            if tries >= MOST_TRIES {
                return found;
            }
            tries += 1;
            if shows(&smaller) {
                found = smaller;
                is_smaller = true;
            }
        }
        if !is_smaller {
            return found;
        }
    }
}

fn collect(value: &Value, path: &mut Vec<Step>, parts: &mut Vec<Vec<Step>>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if path.is_empty() && ["apiVersion", "kind"].contains(&name.as_str()) {
                    continue;
                }
                let is_metadata = matches!(path.as_slice(), [Step::Key(parent)] if parent == "metadata");
                if is_metadata && ["name", "namespace"].contains(&name.as_str()) {
                    continue;
                }
                path.push(Step::Key(name.clone()));
                if !(path.len() == 1 && name == "metadata") {
                    parts.push(path.clone());
                }
                collect(value, path, parts);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate().rev() {
                path.push(Step::Index(n));
                parts.push(path.clone());
                collect(value, path, parts);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Removes a part; returns `false` if the part does not exist.
fn remove(object: &mut Value, path: &[Step]) -> bool {
    let Some((last, above)) = path.split_last() else {
        return false;
    };
    let parent = above.iter().try_fold(object, |at, step| match step {
        Step::Key(name) => at.get_mut(name),
        Step::Index(n) => at.get_mut(*n),
    });
    match (parent, last) {
        (Some(Value::Object(fields)), Step::Key(name)) => fields.remove(name).is_some(),
        (Some(Value::Array(items)), Step::Index(n)) if *n < items.len() => {
            items.remove(*n);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let object = json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x", "labels": {"a": "b"}},
            "spec": {"a": 1, "list": [{"b": 1}, {"b": 2, "c": 3}, {"b": 4}], "other": {"deep": {"x": 1}}}});
        let shows = |it: &Value| {
            let items = it["spec"]["list"].as_array();
            items.is_some_and(|items| items.iter().any(|it| it["c"] == 3))
        };
        let expected =
            json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "x"}, "spec": {"list": [{"c": 3}]}});
        assert_eq!(smallest(&object, shows), expected);
    }
}
