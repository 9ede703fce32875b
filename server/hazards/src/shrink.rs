//! Shrinks examples.

use serde_json::Value;

/// The maximum number of smaller values to try.
const MAX_ATTEMPTS: usize = 80;

/// Leaves out parts of a value as long as `does` returns true. `does` must return true for the given value.
pub fn smallest(value: Value, does: &mut dyn FnMut(&Value) -> bool) -> Value {
    let mut smallest = value;
    let mut attempts = 0;
    loop {
        let mut parts = Vec::new();
        removable(&smallest, &mut Vec::new(), &mut parts);
        let found = parts.iter().find_map(|part| {
            attempts += 1;
            let mut less = smallest.clone();
            remove(&mut less, part);
            (attempts <= MAX_ATTEMPTS && does(&less)).then_some(less)
        });
        match found {
            Some(less) => smallest = less,
            None => return smallest,
        }
    }
}

/// A key, or the index of an item.
#[derive(Clone)]
enum Part {
    Key(String),
    Item(usize),
}

fn removable(value: &Value, at: &mut Vec<Part>, found: &mut Vec<Vec<Part>>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                at.push(Part::Key(key.clone()));
                found.push(at.clone());
                removable(field, at, found);
                at.pop();
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate().rev() {
                at.push(Part::Item(n));
                found.push(at.clone());
                removable(item, at, found);
                at.pop();
            }
        }
        _ => {}
    }
}

fn remove(value: &mut Value, part: &[Part]) {
    let Some((last, above)) = part.split_last() else { return };
    let mut at = value;
    for step in above {
        let next = match step {
            Part::Key(key) => at.get_mut(key),
            Part::Item(n) => at.get_mut(n),
        };
        let Some(next) = next else { return };
        at = next;
    }
    match (at, last) {
        (Value::Object(fields), Part::Key(key)) => {
            fields.remove(key);
        }
        (Value::Array(items), Part::Item(n)) if *n < items.len() => {
            items.remove(*n);
        }
        _ => {}
    }
}

/// A value as JSON on one line, with spaces after punctuation as people write it.
pub fn in_one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, field)| format!("{}: {}", Value::from(key.as_str()), in_one_line(field)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(in_one_line).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn leaves_out_what_need_not_be_there() {
        let value = json!({"a": [{"x": 1, "y": 2}, {"x": 2}], "b": {"c": 3}});
        let found = smallest(value, &mut |it| it["a"][0]["x"] == 1);
        assert_eq!(in_one_line(&found), r#"{"a": [{"x": 1}]}"#);
    }
}
