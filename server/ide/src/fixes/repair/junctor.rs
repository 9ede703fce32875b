//! Moves keywords out of `allOf`, `anyOf`, `oneOf` and `not` if structural schemas do not allow them there.

use std::collections::HashSet;

use crd_analyzer_syntax::tree::{Entry, NodeId, NodeKind, Tree};

use super::{
    super::{
        TextEdit,
        edits::{Value, put, remove_entry},
    },
    At, Repair,
    typing::guess,
};
use crate::schema::{SchemaStep, child, entry, follow, is_map_of_schemas, is_mapping, text};

const JUNCTORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// For a schema inside junctors (`allOf`, `anyOf`, `oneOf`, `not`), the schema outside of them that describes the same values, and the name of the
/// outermost junctor.
fn outside(tree: &Tree, node: NodeId) -> Option<(NodeId, Vec<SchemaStep>, String)> {
    let mut at = node;
    let mut steps = Vec::new();
    let mut found = None;
    while let Some(parent) = tree.parent(at) {
        if let NodeKind::Sequence(_) = tree.kind(parent) {
            let keyword = tree.entry_of(parent)?;
            let index = tree.items(parent).position(|it| it == at)?;
            let owner = tree.parent(parent)?;
            if !JUNCTORS.contains(&&*tree.scalar(keyword.key)) {
                break;
            }
            found = Some((owner, steps.clone(), format!("{}[{index}]", tree.scalar(keyword.key))));
            at = owner;
            continue;
        }
        let Some(own) = tree.entry_of(at).filter(|it| it.value == at) else {
            break;
        };
        let key = tree.scalar(own.key);
        if is_map_of_schemas(tree, parent) {
            steps.push(SchemaStep::Property(key.into_owned()));
            at = tree.parent(parent)?;
            continue;
        }
        match &*key {
            "items" => steps.push(SchemaStep::Items),
            "additionalProperties" => steps.push(SchemaStep::Values),
            "not" => found = Some((parent, steps.clone(), "not".to_owned())),
            _ => break,
        }
        at = parent;
    }
    let (owner, mut steps, name) = found?;
    steps.reverse();
    Some((owner, steps, name))
}

/// Moves a keyword out of `allOf`, `anyOf`, `oneOf` or `not`, where it is not allowed.
pub(super) fn forbidden(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some((own, clause)) = at.entry.zip(at.mapping()) else {
        return;
    };
    let Some((owner, steps, junctor)) = outside(tree, clause) else {
        return;
    };
    if let Some(repair) = int_or_string(at, owner) {
        found.push(repair);
    }
    let key = tree.scalar(own.key);
    let Some(remove) = remove_with_empty_not(tree, clause, own) else {
        return;
    };
    let Some(outer) = follow(tree, owner, &steps) else {
        return;
    };
    if let Some(other) = entry(tree, outer.schema, &key) {
        let same = tree.source(other.value) == tree.source(own.value);
        let title = if same {
            format!("Remove {key} from {junctor}: the schema around it has it")
        } else {
            format!("Remove {key} from {junctor}")
        };
        let repair = Repair::new(title, vec![remove]);
        found.push(if same { repair.safe() } else { repair });
    } else {
        let source = tree.source(own.value);
        if source.contains(['\n', '\r']) {
            return;
        }
        // Copy the source text of the value.
        let Some(mut insert) = at.insert(outer.schema, &key, &Value::Bool(true)) else {
            return;
        };
        insert.new_text = insert.new_text.replacen(": true", &format!(": {source}"), 1);
        found.push(Repair::new(
            format!("Move {key} out of {junctor}"),
            vec![insert, remove],
        ));
    }
}

/// Removes an entry of a clause. If a `not` becomes empty, removes it as well, because an empty `not` rejects every value.
fn remove_with_empty_not(tree: &Tree, clause: NodeId, own: Entry) -> Option<TextEdit> {
    let not = tree.entry_of(clause).filter(|it| tree.scalar(it.key) == "not");
    match not.zip(tree.parent(clause)) {
        Some((not, owner)) if tree.entries(clause).count() == 1 => remove_entry(tree, owner, not),
        _ => remove_entry(tree, clause, own),
    }
}

/// Replaces `anyOf: [{type: integer}, {type: string}]` by `x-kubernetes-int-or-string`.
pub(super) fn int_or_string(at: &At<'_>, owner: NodeId) -> Option<Repair> {
    let tree = at.tree;
    let clauses: Vec<_> = tree.items(child(tree, owner, "anyOf")?).collect();
    let mut types: Vec<_> = clauses.iter().filter_map(|it| text(tree, *it, "type")).collect();
    types.sort_unstable();
    let only_types = clauses.iter().all(|it| tree.entries(*it).count() == 1);
    if types != ["integer", "string"] || !only_types || child(tree, owner, "x-kubernetes-int-or-string").is_some() {
        return None;
    }
    let insert = at.insert(owner, "x-kubernetes-int-or-string", &Value::Bool(true))?;
    let mut edits = vec![insert];
    if let Some(ty) = tree.entry(owner, "type") {
        let remove = remove_entry(tree, owner, ty)?;
        // If the type is the first entry, the two edits would be at the same position.
        if tree.entries(owner).next() == Some(ty) {
            let key = put(tree.span(ty.key), "x-kubernetes-int-or-string");
            edits = vec![key, put(tree.span(ty.value), "true")];
        } else {
            edits.push(remove);
        }
    }
    Some(Repair::new("Use x-kubernetes-int-or-string: true", edits).safe())
}

/// The maximum number of properties of one schema to declare.
const MAX_NAMES: usize = 20;

/// Declares properties outside of `anyOf` and similar keywords, if only these keywords mention them.
pub(super) fn incomplete(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(node) = at.schema() else { return };
    let owner = outside(tree, node).map_or(Some(node), |(owner, steps, _)| {
        follow(tree, owner, &steps).map(|it| it.schema)
    });
    let Some(owner) = owner else { return };
    let mut names: Vec<(String, NodeId)> = Vec::new();
    let mut known = HashSet::new();
    let mut clauses = Vec::new();
    collect(tree, owner, 0, &mut clauses);
    let declared = child(tree, owner, "properties");
    for clause in clauses {
        for property in child(tree, clause, "properties")
            .into_iter()
            .flat_map(|it| tree.entries(it))
        {
            let name = tree.scalar(property.key);
            if names.len() >= MAX_NAMES {
                break;
            }
            let is_declared = || declared.is_some_and(|it| entry(tree, it, &name).is_some());
            if known.insert(name.clone()) && !is_declared() {
                names.push((name.into_owned(), property.value));
            }
        }
    }
    for (name, clause) in names {
        let ty = text(tree, clause, "type").map(std::borrow::Cow::into_owned);
        let ty = ty.or_else(|| guess(tree, clause).map(ToOwned::to_owned));
        let ty = ty.unwrap_or_else(|| "string".to_owned());
        if ty == "array" {
            continue;
        }
        let schema = Value::Map(vec![("type".to_owned(), Value::text_of(ty.clone()))]);
        let edit = match declared {
            Some(properties) => at.insert(properties, &name, &schema),
            None => at.insert(owner, "properties", &Value::Map(vec![(name.clone(), schema)])),
        };
        found.extend(Repair::one(format!("Add {name} as {ty} to the schema outside"), edit));
    }
}

/// The clauses of all `allOf`, `anyOf`, `oneOf` and `not` in a schema, including nested ones.
fn collect(tree: &Tree, node: NodeId, depth: usize, found: &mut Vec<NodeId>) {
    if depth > 50 || !is_mapping(tree, node) {
        return;
    }
    for junctor in JUNCTORS {
        let Some(value) = child(tree, node, junctor) else {
            continue;
        };
        let clauses: Vec<_> = if is_mapping(tree, value) {
            vec![value]
        } else {
            tree.items(value).collect()
        };
        for clause in clauses {
            found.push(clause);
            collect(tree, clause, depth + 1, found);
        }
    }
}
