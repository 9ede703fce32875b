//! Repairs of mistakes that the API server accepts: paths that lead nowhere, names that are listed twice.

use crd_analyzer_apiextensions::api::OBJECT_META;
use crd_analyzer_syntax::{paths::Step, tree::NodeId};
use crd_analyzer_workspace::words::meant::meant;

use super::{
    super::edits::{Value, put, remove_entry, remove_item, set_bool, set_scalar},
    At, Repair, keywords,
};
use crate::{
    completion::resource::view::View,
    schema::{self, child, text},
};

/// Versions that are offered.
const MOST_VERSIONS: usize = 3;

/// The version of the definition that the place is in: its item and its schema.
fn version(at: &At<'_>) -> Option<(NodeId, NodeId)> {
    let around: Vec<NodeId> = std::iter::once(at.node).chain(at.tree.ancestors(at.node)).collect();
    let versions = schema::versions(at.document);
    let own = versions.iter().find(|it| around.contains(&at.tree.resolve(it.item)))?;
    Some((at.tree.resolve(own.item), own.schema?))
}

/// The steps of a JSONPath up to a byte; `None` if it has more than names and indices.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.').filter(|it| !it.is_empty()) {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if !name.is_empty() {
            steps.push(Step::key(name));
        }
        for index in indices.split('[').filter(|it| !it.is_empty()) {
            let index = index.strip_suffix(']')?;
            if index != "*" && index.parse::<usize>().is_err() {
                return None;
            }
            steps.push(Step::Index(0));
        }
    }
    Some(steps)
}

/// A step of a path that leads to nothing: the property that is meant.
pub(super) fn unknown_path(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    found.extend(spelling(at));
    found.extend(add_property(at));
    // A column shows nothing as it is; a path of `scale` is needed.
    let column = at.mapping();
    let list = column.and_then(|it| tree.parent(it));
    if let Some((column, list)) = column.zip(list)
        && child(tree, column, "jsonPath").is_some()
    {
        let edit = remove_item(tree, list, column).or_else(|| {
            let entry = tree.entry_of(list)?;
            remove_entry(tree, tree.parent(entry.key)?, entry)
        });
        found.extend(Repair::one("Remove the column", edit));
    }
}

/// The steps of the path before a step that leads to nothing, and those after it.
fn around<'t>(at: &At<'t>) -> Option<(Vec<Step<'t>>, Vec<Step<'t>>)> {
    let (span, problem) = (at.tree.span(at.node), at.problem.span);
    let text = |start: u32, end: u32| {
        let text = at.tree.text().get(start as usize..end as usize);
        text.map(|it| it.trim_matches(['"', '\'']))
    };
    Some((
        steps(text(span.start, problem.start)?)?,
        steps(text(problem.end, span.end)?)?,
    ))
}

/// The type that the values of a path have to have: that of a column, or that of replicas or a selector.
fn wanted(at: &At<'_>) -> Option<&'static str> {
    let tree = at.tree;
    match &*tree.scalar(at.entry?.key) {
        "labelSelectorPath" => Some("string"),
        "specReplicasPath" | "statusReplicasPath" => Some("integer"),
        _ => match &*text(tree, at.mapping()?, "type")? {
            "integer" => Some("integer"),
            "number" => Some("number"),
            "boolean" => Some("boolean"),
            _ => Some("string"),
        },
    }
}

/// The property that the path names, with what the path says of it.
fn add_property(at: &At<'_>) -> Option<Repair> {
    let tree = at.tree;
    let (_, root) = version(at)?;
    let (before, after) = around(at)?;
    if matches!(before.first(), Some(Step::Key(key)) if key == "metadata") {
        return None;
    }
    let schema = View::root(tree, tree.resolve(root)).follow(&before)?.main();
    let mut property = Value::Map(vec![("type".to_owned(), Value::text_of(wanted(at)?))]);
    for step in after.iter().rev() {
        // What a list has more than its items only the author knows.
        let Step::Key(name) = step else { return None };
        property = Value::Map(vec![
            ("type".to_owned(), Value::text_of("object")),
            (
                "properties".to_owned(),
                Value::Map(vec![(name.clone().into_owned(), property)]),
            ),
        ]);
    }
    let name = tree.text().get(at.problem.span.range())?;
    let edit = match child(tree, schema, "properties") {
        Some(properties) => at.insert(properties, name, &property),
        None => at.insert(schema, "properties", &Value::Map(vec![(name.to_owned(), property)])),
    };
    Repair::one(format!("Add {name} to the schema"), edit)
}

fn spelling(at: &At<'_>) -> Option<Repair> {
    let tree = at.tree;
    let (_, root) = version(at)?;
    let problem = at.problem.span;
    let written = tree.text().get(problem.range())?;
    let (steps, after) = around(at)?;
    let view = View::root(tree, tree.resolve(root));
    // Replicas are a number, and a column shows anything.
    let is_scale = child(tree, at.mapping()?, "jsonPath").is_none();
    let wanted = wanted(at).filter(|_| is_scale && after.is_empty());
    let fits = |it: &View<'_>| wanted.is_none_or(|wanted| it.ty().is_none_or(|it| it == wanted));
    let near = if let [Step::Key(key)] = steps.as_slice()
        && key == "metadata"
    {
        let near = meant(written, OBJECT_META.fields.iter().map(|it| it.name));
        near.map(str::to_owned)
    } else {
        let fields = view.follow(&steps)?.fields();
        let fitting = fields.iter().filter(|it| fits(&it.1));
        let near = meant(written, fitting.map(|it| it.0.as_ref()));
        near.map(str::to_owned)
    }?;
    let is_plain = near
        .bytes()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_'));
    let edit = is_plain.then(|| put(problem, near.clone()));
    Repair::one(format!("Change {written} to {near}"), edit).map(Repair::safe)
}

/// The type of a column, by the property that it reads.
pub(super) fn column_type(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let of_column = || {
        let (_, root) = version(at)?;
        let path = child(tree, at.mapping()?, "jsonPath").map(|it| tree.scalar(it))?;
        let view = View::root(tree, tree.resolve(root)).follow(&steps(&path)?)?;
        let ty = match view.ty()? {
            "object" | "array" => "string",
            ty => ty,
        };
        Repair::one(format!("Change the type to {ty}"), set_scalar(tree, at.node, ty))
    };
    found.extend(of_column().map(Repair::safe));
}

/// `required` names a property that is not there.
pub(super) fn required(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    if !tree.is_scalar(at.node) {
        return;
    }
    let name = tree.scalar(at.node);
    let properties = at.schema().and_then(|it| child(tree, it, "properties"));
    let known: Vec<_> = properties
        .into_iter()
        .flat_map(|it| tree.entries(it))
        .map(|it| tree.scalar(it.key))
        .collect();
    let list = tree.parent(at.node);
    let is_listed = |near: &str| {
        let items = list.into_iter().flat_map(|it| tree.items(it));
        items.map(|it| tree.scalar(it)).any(|it| it == near)
    };
    if let Some(near) = meant(&name, known.iter().map(AsRef::as_ref)).filter(|it| !is_listed(it)) {
        let edit = set_scalar(tree, at.node, near);
        found.extend(Repair::one(format!("Change {name} to {near}"), edit).map(Repair::safe));
    }
    let remove = list.and_then(|list| {
        remove_item(tree, list, at.node).or_else(|| {
            let entry = tree.entry_of(list)?;
            remove_entry(tree, tree.parent(entry.key)?, entry)
        })
    });
    found.extend(Repair::one(format!("Remove {name} from required"), remove));
}

/// What is listed twice is listed once.
pub(super) fn repeated(at: &At<'_>, found: &mut Vec<Repair>) {
    keywords::item(at, found);
    if let Some(last) = found.last_mut() {
        last.safe = true;
    }
}

/// The subresource that `status` is for.
pub(super) fn status(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some((version, _)) = version(at) else { return };
    let status = || Value::Map(vec![("status".to_owned(), Value::Map(Vec::new()))]);
    let edit = match child(at.tree, version, "subresources") {
        Some(written) => at.insert(written, "status", &Value::Map(Vec::new())),
        None => at.insert(version, "subresources", &status()),
    };
    found.extend(Repair::one("Add the status subresource", edit));
}

/// A version that is served.
pub(super) fn serve(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    for version in schema::versions(at.document).iter().take(MOST_VERSIONS) {
        let item = tree.resolve(version.item);
        let edit = match child(tree, item, "served") {
            Some(written) => set_bool(tree, written, true),
            None => at.insert(item, "served", &Value::Bool(true)),
        };
        found.extend(Repair::one(format!("Serve {}", version.name), edit));
    }
}

/// The type that lists have that say none.
pub(super) fn list_type(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(list) = at.schema() else { return };
    let key = "x-kubernetes-list-type";
    // Another type decides more: the author has to know what tells items apart.
    if text(at.tree, list, key).is_none() {
        let edit = at.insert(list, key, &Value::text_of("atomic"));
        found.extend(Repair::one("Make it a list of type atomic, as it is now", edit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_are_steps() {
        let count = |path: &str| steps(path).map(|it| it.len());
        assert_eq!(count(".spec."), Some(1));
        assert_eq!(count(".spec.hosts[*]."), Some(3));
        assert_eq!(count(".a[0][1].b."), Some(4));
        assert_eq!(count(".a[?(@.b==1)]."), None);
    }
}
