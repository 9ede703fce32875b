//! Patches of a CRD, as in RFC 6902, but as the library of openshift/api's tests implements them (`vmware-archive/yaml-patch`). In a path,
//! `key=value` selects all descendant mappings that have this entry.

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::depth;
use serde_json::Value;

use crate::size;

/// The limits for all patches of a test. The results are CRDs, whose size is limited to that of a request.
const LIMITS: Limits = Limits {
    work: 50_000_000,
    bytes: 32 << 20,
    ..Limits::NONE
};
/// The maximum length, in bytes, of a value in an error message.
const MAX_SHOWN: usize = 200;

/// A patch operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Patch {
    pub(crate) op: String,
    pub(crate) path: String,
    pub(crate) from: Option<String>,
    pub(crate) value: Value,
}

/// Applies patches in order.
pub(crate) fn apply(document: &mut Value, patches: &[Patch]) -> Result<(), String> {
    let (result, ended) = budget::within(LIMITS, || apply_within(document, patches));
    ended.unfinished.map_or(result, |it| Err(it.to_string()))
}

fn apply_within(document: &mut Value, patches: &[Patch]) -> Result<(), String> {
    for patch in patches {
        for path in expand(document, &patch.path)? {
            one(document, patch, &path).map_err(|why| format!("{} {}: {why}", patch.op, patch.path))?;
        }
    }
    Ok(())
}

fn one(document: &mut Value, patch: &Patch, path: &[String]) -> Result<(), String> {
    match patch.op.as_str() {
        "add" => put(document, path, copied(&patch.value, path)?, true),
        "remove" => take(document, path).map(drop),
        "replace" => {
            let there = find(document, path).filter(|it| !it.is_null());
            there.ok_or("there is nothing to replace")?;
            put(document, path, copied(&patch.value, path)?, false)
        }
        "test" => match find(document, path) {
            Some(there) if *there == patch.value => Ok(()),
            Some(there) => Err(format!("it is {}", shown(there))),
            None => Err("there is nothing".to_owned()),
        },
        "move" | "copy" => {
            let from = patch.from.as_deref().ok_or("`from` is missing")?;
            let from = split(from)?;
            let value = if patch.op == "move" {
                take(document, &from)?
            } else {
                copied(find(document, &from).ok_or("there is nothing at `from`")?, path)?
            };
            put(document, path, value, false)
        }
        _ => Err("the operation does not exist".to_owned()),
    }
}

/// A copy of a value that is inserted at a path.
fn copied(value: &Value, path: &[String]) -> Result<Value, String> {
    let levels = depth::limit().saturating_sub(path.len());
    let size = size::of(value);
    budget::bytes(size.bytes).map_err(|it| it.to_string())?;
    if size.levels > levels {
        return Err("the document would be nested too deeply".to_owned());
    }
    Ok(value.clone())
}

/// A value, shortened for an error message.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Splits a path into its steps.
fn split(path: &str) -> Result<Vec<String>, String> {
    let steps = path
        .strip_prefix('/')
        .ok_or_else(|| format!("the path `{path}` does not begin with `/`"))?;
    Ok(steps
        .split('/')
        .map(|it| it.replace("~1", "/").replace("~0", "~"))
        .collect())
}

/// The paths in a document that match a path with conditions.
fn expand(document: &Value, path: &str) -> Result<Vec<Vec<String>>, String> {
    let mut found = vec![Vec::new()];
    for step in split(path)? {
        let condition = step.split_once('=');
        found = match condition {
            None => found
                .into_iter()
                .map(|mut it: Vec<String>| {
                    it.push(step.clone());
                    it
                })
                .collect(),
            Some((key, wanted)) => {
                let mut all = Vec::new();
                for prefix in found {
                    if let Some(there) = find(document, &prefix) {
                        having(there, key, wanted, &mut prefix.clone(), &mut all);
                    }
                }
                all
            }
        };
    }
    if found.is_empty() {
        return Err(format!("the CRD has nothing at `{path}`"));
    }
    Ok(found)
}

fn having(value: &Value, key: &str, wanted: &str, at: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    if budget::work(1).is_err() {
        return;
    }
    match value {
        Value::Object(object) if object.get(key).is_some_and(|it| it.as_str() == Some(wanted)) => {
            let bytes: usize = at.iter().map(|it| it.len() + size_of::<String>()).sum();
            if budget::bytes(bytes as u64).is_err() {
                return;
            }
            found.push(at.clone());
        }
        Value::Object(object) => {
            for (name, value) in object {
                at.push(name.clone());
                having(value, key, wanted, at, found);
                at.pop();
            }
        }
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate() {
                at.push(n.to_string());
                having(value, key, wanted, at, found);
                at.pop();
            }
        }
        _ => {}
    }
}

fn find<'v>(document: &'v Value, path: &[String]) -> Option<&'v Value> {
    // Count the work, because a path may be long and match many values.
    budget::work(1 + path.len() as u64).ok()?;
    path.iter().try_fold(document, |it, step| match it {
        Value::Object(object) => object.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn find_mut<'v>(document: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
    path.iter().try_fold(document, |it, step| match it {
        Value::Object(object) => object.get_mut(step),
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn around<'v, 'p>(document: &'v mut Value, path: &'p [String]) -> Result<(&'v mut Value, &'p str), String> {
    let (last, above) = path.split_last().ok_or("the path is empty")?;
    let there = find_mut(document, above).ok_or_else(|| format!("the CRD has nothing at `/{}`", above.join("/")))?;
    Ok((there, last))
}

fn put(document: &mut Value, path: &[String], value: Value, insert: bool) -> Result<(), String> {
    let (around, last) = around(document, path)?;
    match around {
        Value::Object(object) => {
            object.insert(last.to_owned(), value);
            Ok(())
        }
        Value::Array(items) if last == "-" => {
            items.push(value);
            Ok(())
        }
        Value::Array(items) => {
            let index: usize = last.parse().map_err(|_| format!("`{last}` is not an index"))?;
            if index > items.len() {
                return Err(format!("the list has {} items", items.len()));
            }
            if insert || index == items.len() {
                items.insert(index, value);
            } else {
                items[index] = value;
            }
            Ok(())
        }
        _ => Err("the value there has neither keys nor items".to_owned()),
    }
}

fn take(document: &mut Value, path: &[String]) -> Result<Value, String> {
    let (around, last) = around(document, path)?;
    let gone = || format!("`{last}` does not exist");
    match around {
        Value::Object(object) => object.remove(last).ok_or_else(gone),
        Value::Array(items) => {
            let index: usize = last.parse().map_err(|_| gone())?;
            if index < items.len() {
                Ok(items.remove(index))
            } else {
                Err(gone())
            }
        }
        _ => Err(gone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(op: &str, path: &str, value: Value, expect: Result<Value, &str>) {
        let mut document = json!({"a": {"b": [1, 2]}, "x/y": [{"name": "p", "v": 1}, {"name": "q", "v": 2}]});
        let patch = Patch {
            op: op.to_owned(),
            path: path.to_owned(),
            from: Some("/a/b/0".to_owned()),
            value,
        };
        match (apply(&mut document, &[patch]), expect) {
            (Ok(()), Ok(expect)) => assert_eq!(document["a"], expect["a"], "{document}"),
            (Err(why), Err(expect)) => assert!(why.contains(expect), "{why}"),
            (got, expect) => panic!("{op} {path}: {got:?} {document}, not {expect:?}"),
        }
        if path.contains("name=q") {
            assert_eq!(document["x/y"][1]["v"], 7);
        }
    }

    #[test]
    fn patches_as_the_library_does() {
        check("add", "/a/c", json!(7), Ok(json!({"a": {"b": [1, 2], "c": 7}})));
        check("add", "/a/b/0", json!(7), Ok(json!({"a": {"b": [7, 1, 2]}})));
        check("add", "/a/b/-", json!(7), Ok(json!({"a": {"b": [1, 2, 7]}})));
        check("replace", "/a/b/0", json!(7), Ok(json!({"a": {"b": [7, 2]}})));
        check("replace", "/a/c", json!(7), Err("nothing to replace"));
        check("remove", "/a/b", Value::Null, Ok(json!({"a": {}})));
        check("remove", "/a/c", Value::Null, Err("`c` does not exist"));
        check("remove", "/z/c", Value::Null, Err("the CRD has nothing at `/z`"));
        check("move", "/a/c", Value::Null, Ok(json!({"a": {"b": [2], "c": 1}})));
        check("copy", "/a/c", Value::Null, Ok(json!({"a": {"b": [1, 2], "c": 1}})));
        check("test", "/a/b/1", json!(2), Ok(json!({"a": {"b": [1, 2]}})));
        check("replace", "/x~1y/name=q/v", json!(7), Ok(json!({"a": {"b": [1, 2]}})));
        check("jump", "/a", Value::Null, Err("does not exist"));
    }

    fn bomb(copies: usize, patch: impl Fn(usize) -> Patch) -> Result<(), String> {
        let mut document = json!({"a": {"list": [{"name": "p"}]}});
        let patches: Vec<Patch> = (0..copies).map(patch).collect();
        apply(&mut document, &patches)
    }

    #[test]
    fn patches_that_make_too_much_are_not_applied() {
        let copy = |from: &str, path: String| Patch {
            op: "copy".to_owned(),
            path,
            from: Some(from.to_owned()),
            value: Value::Null,
        };
        assert_eq!(bomb(10, |n| copy("/a", format!("/a/x{n}"))), Ok(()));
        let why = bomb(40, |n| copy("/a", format!("/a/x{n}"))).expect_err("twice as large each time");
        assert!(why.starts_with("not finished"), "{why}");
        let deeper = |n: usize| copy("/a", format!("/a{}", "/x".repeat(1 << n)));
        let why = bomb(14, deeper).expect_err("twice as deep each time");
        assert!(why.contains("nested too deeply"), "{why}");
    }
}
