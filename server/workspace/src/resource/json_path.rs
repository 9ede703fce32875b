//! JSONPath as printer columns use it (`k8s.io/client-go/util/jsonpath`): names, indices, wildcards and simple filters.

use serde_json::Value;

/// One step of a path.
enum Step<'p> {
    /// `.name` or `['name']`
    Name(String),
    /// `[3]`; negative from the end.
    Index(i64),
    /// `[*]` or `.*`
    All,
    /// `..name`
    Below(String),
    /// `[?(@.type=="Ready")]`
    Filter { path: &'p str, is_equal: bool, to: Value },
}

/// Values that are looked at for one path at most: `..` and wildcards fork.
const MOST: usize = 10_000;

/// The first value that a path leads to. `None` also for paths that are not understood.
pub(super) fn first<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.trim();
    let path = path
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(path);
    let mut found = vec![value];
    for step in steps(path.strip_prefix('$').unwrap_or(path))? {
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

/// A path of names only, as filters have it.
fn first_plain<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let names = path.split('.').filter(|it| !it.is_empty());
    names.into_iter().try_fold(value, |it, name| it.get(name))
}

fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(below) = rest.strip_prefix("..") {
            let (name, after) = name(below)?;
            steps.push(Step::Below(name));
            rest = after;
        } else if let Some(after) = rest.strip_prefix(".*").or_else(|| rest.strip_prefix("[*]")) {
            steps.push(Step::All);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                break;
            }
            if after.starts_with('[') {
                rest = after;
                continue;
            }
            let (name, after) = name(after)?;
            steps.push(Step::Name(name));
            rest = after;
        } else if let Some(inside) = rest.strip_prefix("[?(") {
            let (filter, after) = inside.split_once(")]")?;
            steps.push(self::filter(filter)?);
            rest = after;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let quote = inside.chars().next().filter(|it| matches!(it, '\'' | '"'));
            let (step, after) = if let Some(quote) = quote {
                let (name, after) = inside[1..].split_once(quote)?;
                (Step::Name(name.to_owned()), after.strip_prefix(']')?)
            } else {
                let (index, after) = inside.split_once(']')?;
                (Step::Index(index.trim().parse().ok()?), after)
            };
            steps.push(step);
            rest = after;
        } else {
            // The first dot may be left out.
            let (name, after) = name(rest)?;
            steps.push(Step::Name(name));
            rest = after;
        }
    }
    Some(steps)
}

/// A name up to the next dot or bracket that no backslash is before.
fn name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => name.push(chars.next()?.1),
            '.' | '[' => return (!name.is_empty()).then(|| (name, &text[at..])),
            other => name.push(other),
        }
    }
    (!name.is_empty()).then_some((name, ""))
}

fn filter(text: &str) -> Option<Step<'_>> {
    let (path, to, is_equal) = match text.split_once("==") {
        Some((path, to)) => (path, to, true),
        None => text.split_once("!=").map(|(path, to)| (path, to, false))?,
    };
    let path = path.trim().strip_prefix('@')?;
    let to = to.trim();
    let quoted = to.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    let to = match quoted {
        Some(text) => Value::String(text.to_owned()),
        None => serde_json::from_str(to).ok()?,
    };
    Some(Step::Filter { path, is_equal, to })
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
