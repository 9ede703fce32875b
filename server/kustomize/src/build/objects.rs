//! Splits a file into objects.

use std::collections::VecDeque;

use crate::{
    node::{Node, Place, Value},
    problem::{Problem, Result},
    resource::Resource,
    spend,
};

/// The endings of files with objects.
const NAMED: [&str; 3] = [".json", ".yaml", ".yml"];

/// The objects of a file. The items of lists become separate objects (`RNodesFromBytes`).
pub(super) fn objects(mut nodes: Vec<Node>) -> Result<Vec<Resource>> {
    if let [list] = nodes.as_slice()
        && matches!(list.get("kind").and_then(Node::as_str), Some("List" | "ResourceList"))
        && let Some(items) = list.get("items")
    {
        spend::nodes(items.size())?;
        nodes = items.items().to_vec();
    }
    nodes.retain(|it| !it.is_empty());
    nodes.iter().try_for_each(check)?;
    let mut found = Vec::new();
    let mut queue: VecDeque<Node> = nodes.into();
    while let Some(node) = queue.pop_front() {
        let kind = node.get("kind").map(Node::text).unwrap_or_default();
        let Some(items) = node.get("items").filter(|_| kind.ends_with("List")) else {
            found.push(Resource::new(node));
            continue;
        };
        match &items.value {
            Value::List(items) => {
                spend::nodes(items.iter().map(Node::size).sum())?;
                let items: Vec<Node> = items.iter().filter(|it| !it.is_empty()).cloned().collect();
                items.iter().try_for_each(check)?;
                queue.extend(items);
            }
            Value::Null { .. } => {}
            _ => return Err(Problem::fails(items.place, "`items` must be a list")),
        }
    }
    Ok(found)
}

/// Fails if an object lacks a field that every object needs.
pub(super) fn check(node: &Node) -> Result<()> {
    if !matches!(node.value, Value::Map(_)) {
        let is_file = node
            .as_str()
            .is_some_and(|it| !it.contains('\n') && NAMED.iter().any(|ending| it.ends_with(ending)));
        let message = if is_file {
            "an object is expected, not the name of a file: name a file in `path`"
        } else {
            "an object is expected"
        };
        return Err(Problem::fails(node.place, message));
    }
    let kind = node.get("kind").map(Node::text).unwrap_or_default();
    if kind.is_empty() {
        return Err(Problem::fails(node.place, "the object has no `kind`"));
    }
    let name = node.at(&["metadata", "name"]).map(Node::text).unwrap_or_default();
    if name.is_empty() && !kind.ends_with("List") {
        let place = place_of(node, "metadata").unwrap_or(node.place);
        return Err(Problem::fails(place, "the object has no `metadata.name`"));
    }
    Ok(())
}

/// The place of a key.
fn place_of(node: &Node, key: &str) -> Option<Place> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|it| *it.key == *key).map(|it| it.key_place)
}
