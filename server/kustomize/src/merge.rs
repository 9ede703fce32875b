//! Strategic merge patches (`sigs.k8s.io/kustomize/kyaml/yaml/merge2` and `walk`).
//!
//! Fields are merged one by one. Lists in Kubernetes' own kinds are merged by the keys in Kubernetes' OpenAPI schema. All other lists are replaced,
//! including those in custom resources. If the kustomization names a file in `openapi`, that file replaces the schema of Kubernetes.

mod schema;

use std::{collections::BTreeMap, sync::Arc};

use crd_analyzer_syntax::is_plain_text;

use schema::Schema;

use crate::{
    facts::facts,
    node::{Entry, Node, Place, Value},
    openapi::OpenApi,
    problem::{Problem, Result},
    spend,
};

/// The work units for each node of a patch or an object.
const A_VISIT: usize = 40;

/// Merges a patch into an object. `None` if the patch deletes the object.
pub(crate) fn merge(patch: &Node, object: Node) -> Result<Option<Node>> {
    let file = OpenApi::current();
    let size = patch.size() + object.size();
    spend::work(size * A_VISIT)?;
    spend::text((patch.written_bytes() + object.written_bytes()) as usize)?;
    // Each node of the patch is copied twice: when it is visited, and when it is inserted.
    spend::nodes(patch.size() * 2)?;
    let sources = Sources {
        dest: Some(object),
        patch: Some(patch.clone()),
        is_same: false,
    };
    walk(sources, Schema::Unknown, file.as_deref())
}

/// The values that are merged into one.
struct Sources {
    dest: Option<Node>,
    patch: Option<Node>,
    /// Whether both are the same node in kustomize, because the patch adds it. Here they are copies.
    is_same: bool,
}

impl Sources {
    /// What remains of a value that the patch changes, before their parts are merged. `None` if the patch deletes it.
    fn remaining(&mut self) -> Result<Option<Node>> {
        if self.patch.as_ref().is_some_and(Node::is_null) {
            return Ok(None);
        }
        Ok(match take_directive(self.patch.as_mut())? {
            Directive::Delete => None,
            Directive::Replace => {
                self.is_same = true;
                self.patch.clone()
            }
            Directive::Merge => {
                if self.is_same {
                    take_directive(self.dest.as_mut())?;
                }
                self.dest.take()
            }
        })
    }
}

/// The directive in a `$patch` field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

const DIRECTIVE: &str = "$patch";

fn directive_of(node: &Node) -> Result<Directive> {
    match &*node.text() {
        "merge" => Ok(Directive::Merge),
        "replace" => Ok(Directive::Replace),
        "delete" => Ok(Directive::Delete),
        other => Err(Problem::fails(
            node.place,
            format!("`{DIRECTIVE}` must be `merge`, `replace` or `delete`, not `{other}`"),
        )),
    }
}

/// Finds the directive of a patch, and removes it from the patch.
fn take_directive(patch: Option<&mut Node>) -> Result<Directive> {
    let Some(patch) = patch else {
        return Ok(Directive::Merge);
    };
    match &mut patch.value {
        Value::Map(_) => match patch.get(DIRECTIVE) {
            Some(directive) => {
                let directive = directive_of(directive)?;
                patch.remove(DIRECTIVE);
                Ok(directive)
            }
            None => Ok(Directive::Merge),
        },
        Value::List(items) => {
            let Some(found) = items.iter().find(|it| it.get(DIRECTIVE).is_some()) else {
                return Ok(Directive::Merge);
            };
            if found.entries().len() > 1 {
                return Ok(Directive::Merge);
            }
            let Some(value) = found.get(DIRECTIVE) else {
                return Ok(Directive::Merge);
            };
            let (directive, text) = (directive_of(value)?, value.text().into_owned());
            set_element(items, None, &[DIRECTIVE.to_owned()], &[text])?;
            Ok(directive)
        }
        // Only objects and lists have directives. kustomize ignores directives elsewhere.
        _ => Ok(Directive::Merge),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Scalar,
    List,
    Map,
}

fn kind_of(node: &Node) -> Kind {
    match node.value {
        Value::Null { .. } => Kind::None,
        Value::List(_) => Kind::List,
        Value::Map(_) => Kind::Map,
        _ => Kind::Scalar,
    }
}

fn walk<'f>(sources: Sources, schema: Schema<'f>, file: Option<&'f OpenApi>) -> Result<Option<Node>> {
    let Sources { dest, patch, is_same } = sources;
    let schema = match schema {
        Schema::Unknown => [&dest, &patch]
            .into_iter()
            .flatten()
            .find_map(|it| {
                let field = |key: &str| it.get(key)?.as_str();
                let (api_version, kind) = (field("apiVersion")?, field("kind")?);
                match file {
                    Some(file) => Some(Schema::Named(file, file.of_kind(api_version, kind)?)),
                    None => facts().definition(api_version, kind).map(Schema::Definition),
                }
            })
            .unwrap_or(Schema::Unknown),
        known => known,
    };
    let kinds = [&dest, &patch].map(|it| it.as_ref().map_or(Kind::None, kind_of));
    let kind = *kinds.iter().find(|it| **it != Kind::None).unwrap_or(&Kind::None);
    if let (Kind::Map | Kind::List | Kind::Scalar, Some(patch)) = (kind, &patch)
        && kinds[1] != Kind::None
        && kinds[1] != kind
    {
        let words = |kind| match kind {
            Kind::Map => "an object",
            Kind::List => "a list",
            _ => "a scalar",
        };
        let message = format!("the patch has {} where the object has {}", words(kinds[1]), words(kind));
        return Err(Problem::fails(patch.place, message));
    }
    match kind {
        Kind::Map | Kind::None => walk_map(Sources { dest, patch, is_same }, schema, file),
        Kind::Scalar => Ok(match (patch, dest) {
            (Some(patch), Some(dest)) => Some(patch.in_place_of(Some(&dest))),
            // A string gets quotes if YAML 1.1 would read it as another type.
            (patch, dest) => patch.or(dest).map(|it| Node {
                is_quoted: it.is_quoted || it.as_str().is_some_and(|it| !is_plain_text(it)),
                ..it
            }),
        }),
        Kind::List => match schema.merge() {
            None => Ok(patch.or(dest)),
            Some(keys) => walk_list(Sources { dest, patch, is_same }, schema, &keys, file),
        },
    }
}

fn is_missing(node: Option<&Node>) -> bool {
    node.is_none_or(Node::is_null)
}

fn walk_map<'f>(mut sources: Sources, schema: Schema<'f>, file: Option<&'f OpenApi>) -> Result<Option<Node>> {
    let dest = if is_missing(sources.dest.as_ref()) {
        // An invalid directive is ignored here.
        if take_directive(sources.patch.as_mut()) == Ok(Directive::Delete) {
            return Ok(None);
        }
        sources.is_same = true;
        match (&sources.patch, sources.dest.take()) {
            (
                None,
                Some(Node {
                    value: Value::Null { is_written: true },
                    place,
                    ..
                }),
            ) => {
                return Ok(Some(Node::new(place, Value::Null { is_written: true })));
            }
            _ => sources.patch.clone(),
        }
    } else {
        sources.remaining()?
    };
    let Sources { mut patch, is_same, .. } = sources;
    let Some(mut dest) = dest else { return Ok(None) };
    if dest.is_null() {
        // The field is set to null.
        return Ok(Some(Node::new(dest.place, Value::Null { is_written: false })));
    }
    // Visit the keys in order. If a key is repeated, use its first entry in the object and in the patch.
    let mut keys: BTreeMap<Arc<str>, (Place, [Option<usize>; 2])> = BTreeMap::new();
    for (n, node) in [Some(&dest), patch.as_ref()].into_iter().enumerate() {
        for (at, entry) in node.map(Node::entries).unwrap_or_default().iter().enumerate() {
            let known = keys.entry(entry.key.clone()).or_insert((entry.key_place, [None; 2]));
            known.1[n].get_or_insert(at);
        }
    }
    let is_map = matches!(dest.value, Value::Map(_));
    let mut is_dropped = vec![false; dest.entries().len()];
    for (key, (key_place, [at, in_patch])) in keys {
        let old = at.and_then(|it| dest.entries_mut()?.get_mut(it)).map(|it| {
            let place = it.value.place;
            std::mem::replace(&mut it.value, Node::new(place, Value::Null { is_written: false }))
        });
        let was_there = old.is_some();
        let new = in_patch
            .and_then(|it| patch.as_mut()?.entries_mut()?.get_mut(it))
            .map(|it| {
                let place = it.value.place;
                std::mem::replace(&mut it.value, Node::new(place, Value::Null { is_written: false }))
            });
        let was_flow = match (&old, &new) {
            // An empty collection takes the style of its new content.
            (Some(old), Some(new)) if old.is_empty() && !old.is_null() => new.is_flow,
            (old, _) => old.as_ref().is_some_and(|it| it.is_flow),
        };
        let was_null = old.as_ref().is_some_and(Node::is_null);
        let is_kept = new.is_none();
        let by = new.as_ref().map(|it| it.place);
        let name = key.clone();
        let sources = Sources {
            dest: old,
            patch: new,
            is_same,
        };
        match walk(sources, schema.field(&key), file)? {
            Some(mut node)
                if !node.is_null() || (was_null && is_kept && node.value == Value::Null { is_written: true }) =>
            {
                if was_there {
                    node.is_flow = was_flow;
                }
                if let Some(entries) = dest.entries_mut() {
                    match at {
                        Some(at) => entries[at].value = node,
                        None => entries.push(Entry {
                            key,
                            key_place,
                            value: node,
                        }),
                    }
                }
            }
            _ => {
                if let Some(at) = at {
                    is_dropped[at] = true;
                    if let Some(by) = by {
                        dest.note_removal(name, by);
                    }
                }
            }
        }
    }
    if is_map && is_dropped.contains(&true) {
        let mut at = 0;
        let is_left = |_: &Entry| {
            at += 1;
            !is_dropped.get(at - 1).copied().unwrap_or_default()
        };
        if let Some(entries) = dest.entries_mut() {
            entries.retain(is_left);
        }
    }
    Ok(Some(dest))
}

/// The work units for comparing two items of a list.
const AN_ITEM: usize = 20;

fn walk_list<'f>(
    mut sources: Sources,
    schema: Schema<'f>,
    keys: &[&str],
    file: Option<&'f OpenApi>,
) -> Result<Option<Node>> {
    let dest = if is_missing(sources.dest.as_ref()) {
        sources.is_same = true;
        sources.patch.clone()
    } else {
        sources.remaining()?
    };
    let Sources { patch, is_same, .. } = sources;
    let Some(mut dest) = dest else { return Ok(None) };
    let both = [Some(&dest), patch.as_ref()];
    // Each item is compared with each other item.
    let items: usize = both.iter().flatten().map(|it| it.items().len()).sum();
    spend::work(items.saturating_mul(items).saturating_mul(AN_ITEM * keys.len().max(1)))?;
    let sizes: usize = both.iter().flatten().map(|it| it.size()).sum();
    spend::nodes(sizes * 2)?;
    // The items of the patch come first.
    let ordered = [both[1], both[0]].into_iter().flatten();
    let mut found: Vec<Vec<String>> = Vec::new();
    for list in ordered {
        for item in list.items() {
            let values: Vec<String> = if keys.is_empty() {
                vec![item.text().into_owned()]
            } else {
                let value = |key: &&str| {
                    item.get(key)
                        .filter(|it| !it.is_empty())
                        .map(|it| it.text().into_owned())
                };
                keys.iter().map(|it| value(it).unwrap_or_default()).collect()
            };
            if !found.contains(&values) {
                found.push(values);
            }
        }
    }
    let all: Vec<String> = if keys.is_empty() {
        vec![String::new()]
    } else {
        keys.iter().map(|it| (*it).to_owned()).collect()
    };
    if all.len() > 1 {
        merge_values(&mut found);
    }
    let place = dest.place;
    let mut added: Vec<Node> = Vec::new();
    let mut last = all.clone();
    let item_schema = schema.item();
    for values in &found {
        let (keys, values) = valid_keys(&found, values, &all);
        let matching = {
            let (keys, values) = valid_keys(std::slice::from_ref(&values), &values, &keys);
            let at = find_item(dest.items(), &keys, &values);
            let of_patch = patch.as_ref().map(Node::items).unwrap_or_default();
            let of_patch = find_item(of_patch, &keys, &values).map(|it| of_patch[it].clone());
            (at, of_patch)
        };
        let old = matching.0.map(|it| dest.items()[it].clone());
        let by = matching.1.as_ref().map(|it| it.place);
        let is_replaced = matching
            .1
            .as_ref()
            .and_then(|it| it.get(DIRECTIVE))
            .is_some_and(|it| it.text() == "replace");
        let sources = Sources {
            dest: old,
            patch: matching.1,
            is_same,
        };
        let merged = walk(sources, item_schema, file)?;
        if let (Some(at), Some(merged), Value::List(items)) = (matching.0, &merged, &mut dest.value)
            && (is_same || !is_replaced)
        {
            items[at] = merged.clone();
        }
        last.clone_from(&keys);
        let merged =
            merged.filter(|it| !it.is_null() && !matches!(&it.value, Value::Map(entries) if entries.is_empty()));
        let Some(mut merged) = merged else {
            if let (Some(_), Some(by)) = (matching.0, by) {
                dest.note_removal("".into(), by);
            }
            if let Value::List(items) = &mut dest.value {
                for _ in &keys {
                    set_element(items, None, &keys, &values)?;
                }
            }
            continue;
        };
        for (key, value) in keys.iter().zip(&values) {
            if !value.is_empty() && !key.is_empty() && merged.get(key).is_none() {
                let place = merged.place;
                merged.set(key.as_str(), place, Node::plain(place, value));
                if let (Some(at), Value::List(items)) = (matching.0, &mut dest.value) {
                    items[at].set(key.as_str(), place, Node::plain(place, value));
                }
            }
        }
        set_element(&mut added, Some(merged), &keys, &values)?;
    }
    if !found.is_empty() {
        let rest = std::mem::replace(&mut dest.value, Value::Null { is_written: false });
        let Value::List(rest) = rest else { return Ok(None) };
        for item in rest {
            append(&mut added, item, &last)?;
        }
        dest = Node {
            removals: dest.removals,
            ..Node::new(place, Value::List(added))
        };
    }
    Ok(Some(dest))
}

/// Completes the values of items with each other (`mergeValues`). Two items are the same if they differ only in keys that one of them lacks.
fn merge_values(found: &mut [Vec<String>]) {
    for i in 0..found.len() {
        // Use the merged values in the next comparison.
        let values = found[i].clone();
        for j in 0..found.len() {
            if let Some(values) = matched(&values, &found[j]) {
                found[i].clone_from(&values);
                found[j] = values;
            }
        }
    }
}

fn matched(a: &[String], b: &[String]) -> Option<Vec<String>> {
    let mut has_common = false;
    let mut values = Vec::new();
    for (a, b) in a.iter().zip(b) {
        if a == b {
            has_common = true;
            values.push(a.clone());
        } else if !a.is_empty() && !b.is_empty() {
            return None;
        } else {
            values.push(if a.is_empty() { b.clone() } else { a.clone() });
        }
    }
    has_common.then_some(values)
}

/// The keys that at least one item has, and the values of one item for these keys (`validateKeys`).
fn valid_keys(all: &[Vec<String>], values: &[String], keys: &[String]) -> (Vec<String>, Vec<String>) {
    let is_used = |n: usize| all.iter().any(|it| it.get(n).is_some_and(|it| !it.is_empty()));
    let used: Vec<bool> = (0..keys.len()).map(is_used).collect();
    if !used.contains(&true) {
        return (keys.to_vec(), values.to_vec());
    }
    let valid = |n: &usize| used[*n];
    let of = |list: &[String]| (0..list.len()).filter(valid).map(|n| list[n].clone()).collect();
    (of(keys), of(values))
}

/// The first item whose fields have these values (`MatchElementList`).
fn find_item(items: &[Node], keys: &[String], values: &[String]) -> Option<usize> {
    if keys.first().is_none_or(String::is_empty) {
        let value = values.first().map_or("", String::as_str);
        return items.iter().position(|it| it.text() == value);
    }
    items.iter().position(|item| {
        matches!(item.value, Value::Map(_))
            && keys
                .iter()
                .zip(values)
                .all(|(key, value)| item.get(key).is_some_and(|it| it.text() == *value))
    })
}

/// Replaces the items whose fields have these values, or appends the element (`ElementSetter`). Without an element, removes the items.
fn set_element(items: &mut Vec<Node>, element: Option<Node>, keys: &[String], values: &[String]) -> Result<()> {
    let is_mapping_setter =
        keys.first().is_some_and(|it| !it.is_empty()) && values.first().is_some_and(|it| !it.is_empty());
    let mut is_found = false;
    let mut kept = Vec::with_capacity(items.len() + 1);
    for item in std::mem::take(items) {
        if item.is_null() || matches!(&item.value, Value::Map(entries) if entries.is_empty()) {
            continue;
        }
        let is_map = matches!(item.value, Value::Map(_));
        if !is_map && is_mapping_setter {
            kept.push(item);
            continue;
        }
        let mut matches_last = false;
        let mut is_match = true;
        for (n, key) in keys.iter().enumerate() {
            if let Some(value) = values.get(n) {
                matches_last = if key.is_empty() {
                    if !item.is_scalar() {
                        return Err(Problem::fails(
                            item.place,
                            "an item of a set of scalars is not a scalar",
                        ));
                    }
                    item.text() == *value
                } else if is_map {
                    item.get(key).is_some_and(|it| value.is_empty() || it.text() == *value)
                } else {
                    return Err(Problem::fails(
                        item.place,
                        format!("an item of a list that is merged by `{key}` is not an object"),
                    ));
                };
            }
            if !matches_last {
                is_match = false;
                break;
            }
        }
        if !is_match {
            if !values.is_empty() {
                kept.push(item);
            }
            continue;
        }
        is_found = true;
        kept.extend(element.clone());
    }
    if !is_found {
        kept.extend(element.filter(|it| !it.is_null()));
    }
    *items = kept;
    Ok(())
}

/// Appends one item to a list, or replaces the item with the same keys (`appendListNode`).
fn append(items: &mut Vec<Node>, item: Node, keys: &[String]) -> Result<()> {
    if keys.first().is_none_or(String::is_empty) {
        let value = item.text().into_owned();
        return set_element(items, Some(item), &[String::new()], &[value]);
    }
    let mut values = Vec::new();
    if !matches!(item.value, Value::Map(_) | Value::Null { .. }) {
        return Err(Problem::fails(
            item.place,
            "an item of a list that is merged by its keys is not an object",
        ));
    }
    for key in keys {
        match item.get(key) {
            Some(value) => values.push(value.text().into_owned()),
            None => items.push(item.clone()),
        }
    }
    if keys.len() > 1 {
        set_element(items, None, keys, &values)?;
    }
    set_element(items, Some(item), keys, &values)
}
