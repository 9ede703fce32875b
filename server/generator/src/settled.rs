//! Keeps the order of an existing CRD where the output of controller-gen may differ each time that it runs. controller-gen reads the markers of a
//! declaration from a Go map. So if two markers have different names and the same priority, such as `+k8s:immutable` and
//! `+kubebuilder:validation:XValidation`, it applies them in either order.

use std::collections::HashMap;

use serde_json::Value;

use crate::node::{Node, Part};

/// Combines the results of applying markers forward and backward. Where controller-gen may produce the order in `written`, the existing CRD, keeps
/// that order.
pub fn settled((forward, backward): (&Part, &Part), written: &Value) -> Part {
    let node = match (&forward.node, &backward.node) {
        (Node::Map(one), Node::Map(other)) if one.iter().map(|it| &it.0).eq(other.iter().map(|it| &it.0)) => {
            let member = |(one, other): (&(String, Part), &(String, Part))| {
                let written = written.get(&one.0).unwrap_or(&Value::Null);
                (one.0.clone(), settled((&one.1, &other.1), written))
            };
            Node::Map(one.iter().zip(other).map(member).collect())
        }
        (Node::List(one), Node::List(other)) if one.len() == other.len() => {
            Node::List(items((one, other), written.as_array().map_or(&[], Vec::as_slice)))
        }
        _ if backward.to_json() == *written => return backward.clone(),
        _ => return forward.clone(),
    };
    Part {
        node,
        from: forward.from.clone(),
        is_unknown: forward.is_unknown,
    }
}

/// Combines two lists of equal length. The rules of each declaration are consecutive, and each declaration has its own order.
fn items((forward, backward): (&[Part], &[Part]), written: &[Value]) -> Vec<Part> {
    let ends = ends(forward, backward);
    // The lists differ not only in their order, but also in their items.
    if ends.last() != Some(&forward.len()) {
        let pairs = forward.iter().zip(backward).enumerate();
        let item = |(n, pair)| settled(pair, written.get(n).unwrap_or(&Value::Null));
        return pairs.map(item).collect();
    }
    let mut start = 0;
    let mut all = Vec::new();
    for end in ends {
        let block = start..end;
        start = end;
        let is_backward = written.get(block.clone()).is_some_and(|written| {
            let mut pairs = written.iter().zip(&backward[block.clone()]);
            pairs.all(|(written, it)| it.to_json() == *written)
        });
        let from = if is_backward { backward } else { forward };
        all.extend_from_slice(&from[block]);
    }
    all
}

/// The indices up to which both lists contain the same items, in any order.
fn ends(forward: &[Part], backward: &[Part]) -> Vec<usize> {
    let mut left: HashMap<String, i64> = HashMap::new();
    let mut ends = Vec::new();
    for (n, (one, other)) in forward.iter().zip(backward).enumerate() {
        for (part, change) in [(one, 1), (other, -1)] {
            let text = part.to_json().to_string();
            let count = left.get(&text).copied().unwrap_or(0) + change;
            if count == 0 {
                left.remove(&text);
            } else {
                left.insert(text, count);
            }
        }
        if left.is_empty() {
            ends.push(n + 1);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn part(value: &Value) -> Part {
        Part::made(match value {
            Value::Object(members) => Node::Map(members.iter().map(|(key, it)| (key.clone(), part(it))).collect()),
            Value::Array(items) => Node::List(items.iter().map(part).collect()),
            other => Node::Value(other.clone()),
        })
    }

    #[test]
    fn what_was_written_decides_between_the_two() {
        let check = |forward: Value, backward: Value, written: Value, expected: Value| {
            let parts = (&part(&forward), &part(&backward));
            assert_eq!(settled(parts, &written).to_json(), expected, "{forward} {backward}");
        };
        // The rules of two declarations, each with its own order.
        let (forward, backward) = (json!([1, 2, 3, 4, 5]), json!([2, 1, 3, 5, 4]));
        let mixed = json!([2, 1, 3, 4, 5]);
        check(forward.clone(), backward.clone(), mixed.clone(), mixed);
        check(forward.clone(), backward.clone(), backward.clone(), backward.clone());
        // An order that controller-gen never produces, a list of other rules, and an empty list.
        check(
            forward.clone(),
            backward.clone(),
            json!([5, 1, 2, 3, 4]),
            forward.clone(),
        );
        check(
            forward.clone(),
            backward.clone(),
            json!([2, 1, 9, 6, 7]),
            json!([2, 1, 3, 4, 5]),
        );
        check(forward.clone(), backward, Value::Null, forward);
        let of = |it: i64, list: Value| json!({"versions": [{"maximum": it, "rules": list}]});
        check(
            of(1, json!([1, 2])),
            of(3, json!([2, 1])),
            of(3, json!([1, 2])),
            of(3, json!([1, 2])),
        );
        check(
            of(1, json!([1, 2])),
            of(3, json!([2, 1])),
            of(4, json!([2, 1])),
            of(1, json!([2, 1])),
        );
    }
}
