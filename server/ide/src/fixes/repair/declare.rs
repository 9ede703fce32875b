//! Declares a field of a resource in its CRD.

use std::sync::Arc;

use crd_analyzer_syntax::{
    paths,
    tree::{NodeId, Tree},
};
use crd_analyzer_workspace::documents::source::SourceText;

use super::{
    super::{
        TextEdit,
        edits::{Value, insert_entry},
    },
    At, misplaced, typing,
};
use crate::{
    completion::{
        Definitions,
        resource::{defined, view::View},
    },
    schema::child,
};

/// The name of the field at a place, the CRD's file, and the edits of it that declare the field. `None` if the CRD is not in a file of the workspace,
/// or if a kustomization changes the CRD.
pub(super) fn field(at: &At<'_>, definitions: &dyn Definitions) -> Option<(String, Arc<SourceText>, Vec<TextEdit>)> {
    let (own, mapping) = at.entry.zip(at.mapping())?;
    let path = paths::path_of(at.tree, mapping);
    let (definition, version, path) = defined(at.tree, &path, definitions)?;
    if definition.cluster.is_some() || definition.source.built.is_some() || !definition.is_readable {
        return None;
    }
    let tree = &definition.tree;
    let root = definition.schema(&version)?;
    let view = View::root(tree, tree.resolve(root.node)).follow(path)?;
    let name = at.tree.scalar(own.key).into_owned();
    if misplaced::home(at.tree, mapping, &view, &name).is_some() {
        return None;
    }
    let schema = view.main();
    let property = schema_of(at.tree, own.value)?;
    let edit = match child(tree, schema, "properties") {
        Some(properties) => insert_entry(tree, properties, &name, &property),
        None => insert_entry(tree, schema, "properties", &Value::Map(vec![(name.clone(), property)])),
    };
    Some((name, definition.source.clone(), vec![edit?]))
}

/// A schema that fits a value.
fn schema_of(tree: &Tree, value: NodeId) -> Option<Value> {
    let ty = typing::type_of(tree, value)?;
    let mut schema = vec![("type".to_owned(), Value::text_of(ty))];
    match ty {
        "object" => schema.push(("x-kubernetes-preserve-unknown-fields".to_owned(), Value::Bool(true))),
        "array" => {
            let first = tree.items(tree.resolve(value)).next();
            schema.push(("items".to_owned(), schema_of(tree, first?)?));
        }
        _ => {}
    }
    Some(Value::Map(schema))
}
