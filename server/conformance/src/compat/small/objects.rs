//! Unusual objects: objects with numbers and strings from a pair of CRDs, and values close to these.

use fastrand::Rng;
use serde_json::{Value, json};

use super::keywords::{NAMES, TEXTS};
use crate::compat::Pair;

/// The constants of a pair, and values close to them, for use in objects.
pub(in crate::compat) fn constants(pair: &Pair) -> Vec<Value> {
    let mut found = vec![
        Value::Null,
        json!([]),
        json!({}),
        json!([null]),
        json!([1, 1]),
        json!(["a", "a"]),
        json!({"z": 1}),
        json!([{"z": 1}]),
        json!({"a": null}),
        json!({"a": 1, "b": 1}),
        json!(0),
        json!(0.0),
        json!(1),
        json!(0.25),
        json!(-1),
        json!(true),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1e19),
        json!(-1e19),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}),
    ];
    found.extend(TEXTS.iter().map(|it| json!(it)));
    for text in [&pair.old, &pair.new] {
        let document: Value = serde_json::from_str(text).unwrap_or_default();
        gather(&document["spec"]["versions"][0]["schema"], &mut found);
    }
    found.dedup();
    found
}

fn gather(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Number(number) => {
            if let Some(int) = number.as_i64() {
                found.extend([int, int.saturating_add(1), int.saturating_sub(1)].map(Value::from));
                if (0..=100).contains(&int) {
                    let size = int as usize;
                    found.extend([size, size + 1].map(|it| json!("a".repeat(it))));
                    found.push(json!(vec![1; size.min(5)]));
                }
            }
            if let Some(float) = number.as_f64() {
                let beside = [
                    float,
                    float + 0.5,
                    float - 0.5,
                    float.next_up(),
                    float.next_down(),
                    float.trunc(),
                ];
                found.extend(beside.map(Value::from));
            }
        }
        Value::String(text) => found.push(json!(text)),
        Value::Array(values) => values.iter().for_each(|it| gather(it, found)),
        Value::Object(fields) => {
            found.extend(fields.get("default").cloned());
            fields.values().for_each(|it| gather(it, found));
        }
        _ => {}
    }
}

/// Inserts one of the constants or a short string into an object.
pub(in crate::compat) fn stir(object: &mut Value, constants: &[Value], rng: &mut Rng) {
    match rng.u8(..12) {
        0..=2 => return,
        3 => {
            let names = [
                "a".repeat(63),
                "a".repeat(253),
                "a.b".to_owned(),
                "1".to_owned(),
                "widget".to_owned(),
            ];
            object["metadata"]["name"] = json!(names[rng.usize(..names.len())]);
            return;
        }
        _ => {}
    }
    let part = if rng.u8(..8) == 0 { "status" } else { "spec" };
    stir_in(&mut object[part], constants, rng);
}

fn stir_in(at: &mut Value, constants: &[Value], rng: &mut Rng) {
    let count = match at {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if count == 0 || rng.u8(..4) == 0 {
        place(at, constants, rng);
        return;
    }
    let n = rng.usize(..count);
    let below = match at {
        Value::Object(fields) => fields.values_mut().nth(n),
        Value::Array(items) => items.get_mut(n),
        _ => None,
    };
    if let Some(below) = below {
        stir_in(below, constants, rng);
    }
}

fn place(at: &mut Value, constants: &[Value], rng: &mut Rng) {
    let constant = if rng.u8(..8) == 0 {
        let letters = ['a', 'b', 'c', 'A', '1', '-', ' ', '\n', 'ä', '.'];
        json!(
            (0..rng.usize(..5))
                .map(|_| letters[rng.usize(..letters.len())])
                .collect::<String>()
        )
    } else {
        let of_type = |it: &&Value| std::mem::discriminant(*it) == std::mem::discriminant(&*at);
        let same: Vec<&Value> = constants.iter().filter(of_type).collect();
        if !same.is_empty() && rng.u8(..3) > 0 {
            same[rng.usize(..same.len())].clone()
        } else {
            constants[rng.usize(..constants.len())].clone()
        }
    };
    match at {
        Value::Object(fields) if rng.bool() => {
            fields.insert(NAMES[rng.usize(..NAMES.len())].to_owned(), constant);
        }
        Value::Array(items) if rng.bool() => items.push(constant),
        at => *at = constant,
    }
}
