//! Evaluates JSONPath expressions.

use crd_analyzer_apiextensions::json_path::{Step, steps};
use serde_json::Value;

/// The maximum number of values to visit for one path. `..` and wildcards can lead to very many.
const MOST: usize = 10_000;

/// The first value at a path. `None` if there is none, or if the path has unsupported syntax.
pub(super) fn first<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut found = vec![value];
    for (step, _) in steps(path)? {
        let mut next = Vec::new();
        for value in found {
            follow(value, &step, &mut next);
            if next.len() > MOST {
                return None;
            }
        }
        found = next;
    }
    found.first().copied()
}

fn follow<'v>(value: &'v Value, step: &Step<'_>, found: &mut Vec<&'v Value>) {
    match (step, value) {
        (Step::Name(name), value) => found.extend(value.get(name)),
        (Step::Index(index), Value::Array(items)) => {
            let index = if *index < 0 {
                *index + items.len() as i64
            } else {
                *index
            };
            found.extend(usize::try_from(index).ok().and_then(|it| items.get(it)));
        }
        (Step::All, Value::Array(items)) => found.extend(items),
        (Step::All, Value::Object(members)) => found.extend(members.values()),
        (Step::Below(name), value) => {
            let mut open = vec![value];
            while let Some(value) = open.pop() {
                found.extend(value.get(name));
                match value {
                    Value::Array(items) => open.extend(items.iter().rev()),
                    Value::Object(members) => open.extend(members.values().rev()),
                    _ => {}
                }
                if found.len() > MOST || open.len() > MOST {
                    return;
                }
            }
        }
        (Step::Filter { path, is_equal, to }, Value::Array(items)) => {
            let holds = |item: &&'v Value| first_plain(item, path).is_some_and(|it| (it == to) == *is_equal);
            found.extend(items.iter().filter(holds));
        }
        _ => {}
    }
}

/// The first value at a path that consists only of names, such as a path in a filter.
fn first_plain<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let names = path.split('.').filter(|it| !it.is_empty());
    names.into_iter().try_fold(value, |it, name| it.get(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn follows_the_paths_of_columns() {
        let value = json!({
            "spec": {"a.b": 1, "list": [{"n": 1}, {"n": 2}]},
            "status": {"conditions": [{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}]},
        });
        for (path, expected) in [
            (".spec.list[1].n", Some(json!(2))),
            ("spec.list[-1].n", Some(json!(2))),
            ("{.spec.list[*].n}", Some(json!(1))),
            (r".spec.a\.b", Some(json!(1))),
            (".spec['a.b']", Some(json!(1))),
            (r#".status.conditions[?(@.type=="Ready")].status"#, Some(json!("True"))),
            (".status.conditions[?(@.type!='Ready')].status", Some(json!("False"))),
            ("..status", Some(value["status"].clone())),
            (".spec.none", None),
            (".spec.list[9]", None),
            (".spec[", None),
        ] {
            assert_eq!(first(&value, path).cloned(), expected, "{path}");
        }
    }
}
