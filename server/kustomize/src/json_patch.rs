//! Applies JSON patches (RFC 6902) as `gopkg.in/evanphx/json-patch.v4` does.

use std::sync::Arc;

use crd_analyzer_budget::Unfinished;
use crd_analyzer_syntax::is_plain_text;

use crate::{
    node::{Node, Place, Value},
    problem::{Problem, Result},
    spend,
};

/// An operation of a patch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Operation {
    /// The place of the operation.
    pub(crate) place: Place,
    /// The place of the operation's `path`.
    pub(crate) path_place: Place,
    pub(crate) op: Arc<str>,
    pub(crate) path: Arc<str>,
    pub(crate) from: Option<Arc<str>>,
    pub(crate) value: Option<Node>,
}

/// The reason why kustomize rejects the text of a patch. If the text starts with a bracket, kustomize parses it as JSON and not as YAML
/// (`jsonPatchFromBytes`).
pub(crate) fn is_refused(text: &str) -> Option<String> {
    let read = serde_json::from_str::<serde_json::Value>(text);
    let why = read.err().filter(|_| text.starts_with('['))?.to_string();
    // Go accepts deeper nesting, so ignore an error about recursion.
    (!why.starts_with("recursion limit")).then_some(why)
}

/// The operations of a patch. `None` if the node is not a JSON patch.
pub(crate) fn operations(patch: &Node) -> Option<Vec<Operation>> {
    let Value::List(items) = &patch.value else { return None };
    items
        .iter()
        .map(|it| {
            let text = |key: &str| it.get(key).filter(|it| it.as_str().is_some()).map(Node::shared_text);
            matches!(it.value, Value::Map(_)).then(|| Operation {
                place: it.place,
                path_place: it.get("path").map_or(it.place, |it| it.place),
                op: text("op").unwrap_or_default(),
                path: text("path").unwrap_or_default(),
                from: text("from"),
                value: it.get("value").cloned(),
            })
        })
        .collect()
}

/// Applies a patch.
pub(crate) fn apply(object: &mut Node, patch: &[Operation]) -> Result<()> {
    // kustomize converts the whole object before and after the patch, so count its size.
    spend::work(object.size() * A_VISIT)?;
    spend::text(object.written_bytes() as usize)?;
    object.reread();
    mark_nulls(object);
    for operation in patch {
        let size = operation.value.as_ref().map_or(1, Node::size);
        spend::nodes(size)?;
        one(object, operation).map_err(|failure| {
            let fails = |message: String| {
                let problem = Problem::fails(operation.path_place, message);
                problem.of_unknown(&operation.path, paths_like(object, &operation.path))
            };
            match failure {
                Failure::Message(message) => fails(message),
                Failure::Absent(what) => fails(format!("`{}` fails: {} has no {what}", operation.op, name(object))),
                Failure::Problem(problem) => problem.at(operation.place),
            }
        })?;
    }
    mark_nulls(object);
    if matches!(object.value, Value::Map(_)) {
        Ok(())
    } else {
        Err(Problem::fails(object.place, "the patch removes the object"))
    }
}

/// Normalizes the object in the same way as the patch library, which converts it to JSON and back: each null is written, strings have quotes only if
/// they need them, and numbers and collections have only one form.
fn mark_nulls(node: &mut Node) {
    (node.is_untagged, node.is_flow, node.written) = (false, false, None);
    match &mut node.value {
        Value::Null { is_written } => *is_written = true,
        Value::String(text) => node.is_quoted = !is_plain_text(text),
        Value::List(items) => items.iter_mut().for_each(mark_nulls),
        Value::Map(entries) => entries.iter_mut().for_each(|it| mark_nulls(&mut it.value)),
        _ => {}
    }
}

/// The kind and name of an object, for messages.
fn name(object: &Node) -> String {
    let text = |path: &[&str]| object.at(path).and_then(Node::as_str);
    match text(&["kind"]).zip(text(&["metadata", "name"])) {
        Some((kind, name)) => format!("{kind} `{name}`"),
        None => "the object".to_owned(),
    }
}

enum Failure {
    Message(String),
    /// The object has nothing at a path.
    Absent(String),
    Problem(Problem),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Message(message)
    }
}

fn one(object: &mut Node, operation: &Operation) -> std::result::Result<(), Failure> {
    let Operation {
        op,
        path,
        place,
        path_place: key_place,
        ..
    } = operation;
    let null = || Node::new(*place, Value::Null { is_written: true });
    let value = || operation.value.clone().unwrap_or_else(null);
    let absent = |what: &str, path: &str| Failure::Absent(format!("{what}`{path}`"));
    match &**op {
        "add" => {
            let (parent, key) = find(object, path)?.ok_or_else(|| absent("parent for ", path))?;
            add(parent, &key, *key_place, value())?;
        }
        "remove" => {
            let (parent, key) = find(object, path)?.ok_or_else(|| absent("", path))?;
            remove(parent, &key, *key_place).ok_or_else(|| absent("", path))?;
        }
        "replace" if path.is_empty() => *object = value(),
        "replace" => {
            let (parent, key) = find(object, path)?.ok_or_else(|| absent("", path))?;
            let value = value();
            match &mut parent.value {
                Value::Map(_) => parent.set(key, *key_place, value),
                Value::List(items) => {
                    let at = index(&key, items.len(), false).ok_or_else(|| absent("", path))?;
                    items[at] = value;
                }
                _ => return Err(absent("", path)),
            }
        }
        "test" => {
            // Both values are converted to JSON.
            let compared = operation.value.as_ref().map_or(0, Node::written_bytes) + object.written_bytes();
            if compared > LONGEST {
                return Err(spend::too_large(Unfinished::Bytes).into());
            }
            spend::work(object.size() * A_VISIT)?;
            spend::text(compared as usize)?;
            let expected = operation.value.as_ref().map_or(serde_json::Value::Null, Node::to_json);
            let found = if path.is_empty() {
                Some(object.to_json())
            } else {
                let (parent, key) = find(object, path)?.ok_or_else(|| absent("", path))?;
                match &parent.value {
                    Value::Map(_) => parent.get(&key).map(Node::to_json),
                    Value::List(items) => {
                        let at = index(&key, items.len(), false).ok_or_else(|| absent("", path))?;
                        Some(items[at].to_json())
                    }
                    _ => None,
                }
            };
            if found.unwrap_or_default() != expected {
                return Err(format!("`test` fails: `{path}` has another value").into());
            }
        }
        "move" | "copy" => {
            let from = operation.from.as_deref().unwrap_or_default();
            let (parent, key) = find(object, from)?.ok_or_else(|| absent("", from))?;
            let moved = match &parent.value {
                Value::Map(_) => parent.get(&key),
                Value::List(items) => index(&key, items.len(), false).map(|it| &items[it]),
                _ => None,
            };
            let moved = moved.map(spend::copied).transpose()?;
            if **op == *"move" {
                remove(parent, &key, *place).ok_or_else(|| absent("", from))?;
            } else if moved.is_none() && matches!(parent.value, Value::List(_)) {
                return Err(absent("", from));
            }
            let moved = moved.unwrap_or_else(null);
            let (parent, key) = find(object, path)?.ok_or_else(|| absent("parent for ", path))?;
            add(parent, &key, *key_place, moved)?;
        }
        _ => {
            let message = format!("a JSON patch has no operation `{op}`");
            return Err(Problem::fails(*place, message).into());
        }
    }
    Ok(())
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// The work units for each node that is visited.
const A_VISIT: usize = 6;

/// The maximum total size of values to compare, in bytes.
const LONGEST: u64 = 16 << 20;

/// The collection that contains the target of a pointer, and the target's key or index in it.
fn find<'n>(object: &'n mut Node, path: &str) -> Result<Option<(&'n mut Node, String)>> {
    spend::text(path.len())?;
    let mut parts: Vec<String> = path.split('/').map(pointer_key).collect();
    let Some(last) = parts.pop().filter(|_| !parts.is_empty()) else {
        return Ok(None);
    };
    let mut node = object;
    for part in parts.iter().skip(1) {
        spend::work(1 + node.entries().len() / 4)?;
        let next = match &mut node.value {
            Value::Map(entries) => entries.iter_mut().find(|it| *it.key == **part).map(|it| &mut it.value),
            Value::List(items) => index(part, items.len(), false).and_then(|it| items.get_mut(it)),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    // The operation searches, inserts into or removes from this collection.
    spend::work(1 + node.entries().len() / 2 + node.items().len())?;
    Ok((!node.is_scalar()).then_some((node, last)))
}

/// The maximum number of keys of an object that are searched for a similar one, and the maximum length of the path, in bytes.
pub(crate) const MOST_KEYS: usize = 200;
pub(crate) const LONGEST_LIKE: usize = 500;

/// The paths that exist, and differ from a path only by the first part that does not exist.
fn paths_like(object: &Node, path: &str) -> Vec<Arc<str>> {
    if path.len() > LONGEST_LIKE {
        return Vec::new();
    }
    let Some(inner) = path.strip_prefix('/') else {
        return vec![format!("/{path}").into()];
    };
    let (mut node, mut at) = (object, 1);
    for part in inner.split('/') {
        let key = pointer_key(part);
        let next = match &node.value {
            Value::Map(_) => node.get(&key),
            Value::List(items) => index(&key, items.len(), false).and_then(|it| items.get(it)),
            _ => None,
        };
        let Some(next) = next else {
            let (before, after) = (&path[..at], &path[at + part.len()..]);
            let keys = node.entries().iter().take(MOST_KEYS);
            let escaped = keys.map(|it| it.key.replace('~', "~0").replace('/', "~1"));
            return escaped.map(|it| format!("{before}{it}{after}").into()).collect();
        };
        node = next;
        at += part.len() + 1;
    }
    Vec::new()
}

/// The key that a part of a JSON pointer (RFC 6901) names.
pub fn pointer_key(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// The index that a part of a pointer names. A negative index counts from the end.
fn index(part: &str, len: usize, is_added: bool) -> Option<usize> {
    let at: i64 = part.parse().ok()?;
    let len = len as i64 + i64::from(is_added);
    let at = if at < 0 { at + len } else { at };
    let end = if is_added { len - 1 } else { len };
    (0..end + i64::from(is_added)).contains(&at).then_some(at as usize)
}

fn add(parent: &mut Node, key: &str, place: Place, value: Node) -> std::result::Result<(), Failure> {
    match &mut parent.value {
        Value::Map(_) => parent.set(key, place, value),
        Value::List(items) if key == "-" => items.push(value),
        Value::List(items) => {
            let at =
                index(key, items.len(), true).ok_or_else(|| format!("`add` fails: the list has no index `{key}`"))?;
            items.insert(at, value);
        }
        _ => return Err("`add` fails on a scalar".to_owned().into()),
    }
    Ok(())
}

fn remove(parent: &mut Node, key: &str, place: Place) -> Option<()> {
    match &mut parent.value {
        Value::Map(_) => {
            let removed = parent.remove(key)?;
            parent.note_removal(removed.key, place);
        }
        Value::List(items) => {
            let at = index(key, items.len(), false)?;
            items.remove(at);
            parent.note_removal("".into(), place);
        }
        _ => return None,
    }
    Some(())
}
