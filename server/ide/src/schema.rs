//! Schemas in the text of a CRD: which nodes are schemas, and the steps between them.

use crd_analyzer_apiextensions::{
    api::{self, PathStep},
    kind::CRD,
};
pub use crd_analyzer_schema::rules::SchemaStep;
use crd_analyzer_syntax::{
    paths::{Step, lookup, path_of},
    tree::{Entry, NodeId, NodeKind, Tree},
};

use crd_analyzer_workspace::kinds::{self, Row};

use crate::{file::Document, manifest::object_at};

/// The API type at a path of a document. The document has a CRD or an object whose kind is in the table, possibly as an item of a list.
pub fn api_at(tree: &Tree, path: &[Step<'_>]) -> Option<api::At> {
    let (object, path) = object_at(tree, path);
    let (written, kind) = object.map_or((None, None), |it| {
        (text(tree, it, "apiVersion"), text(tree, it, "kind"))
    });
    let kind = kinds::written_as(written.as_deref(), kind.as_deref()).unwrap_or(&CRD);
    let version = written.and_then(|it| kind.version(&it)).unwrap_or(kind.served());
    api::at(
        version.fields,
        path.iter().map(|step| match step {
            Step::Key(key) => PathStep::Key(key),
            Step::Index(_) => PathStep::Item,
        }),
    )
}

/// Whether a path is in an object of a kind whose fields are known: a CRD, or an object whose kind is in the table.
pub fn has_api_fields(tree: &Tree, path: &[Step<'_>]) -> bool {
    let (object, _) = object_at(tree, path);
    let written = object.and_then(|it| text(tree, it, "apiVersion").zip(text(tree, it, "kind")));
    written.is_some_and(|(api_version, kind)| kinds::all().any(|it| it.is(&api_version, &kind)))
}

/// The table row for the object that contains a path, the object, and the rest of the path.
pub fn row_at<'p, 't>(tree: &Tree, path: &'p [Step<'t>]) -> Option<(&'static Row, NodeId, &'p [Step<'t>])> {
    let (object, path) = object_at(tree, path);
    let object = object?;
    let (row, _) = kinds::of(&text(tree, object, "apiVersion")?, &text(tree, object, "kind")?)?;
    Some((row, object, path))
}

/// Whether the API type is a schema.
pub fn is_schema(at: &api::At) -> bool {
    matches!(at.ty, api::FieldType::Object(it) if it.name == api::SCHEMA.name)
        || matches!(at.ty, api::FieldType::SchemaOrBool | api::FieldType::SchemaOrList)
}

/// Whether a node is a schema of a CRD.
pub fn is_schema_node(tree: &Tree, node: NodeId) -> bool {
    api_at(tree, &path_of(tree, node)).is_some_and(|at| is_schema(&at))
}

/// The versions of a CRD with their schemas.
pub fn versions<'t>(document: &Document<'t>) -> Vec<Version<'t>> {
    let tree = document.tree;
    let versions = document
        .root
        .and_then(|it| child(tree, it, "spec"))
        .and_then(|it| child(tree, it, "versions"));
    let items = versions.into_iter().flat_map(|it| tree.items(it));
    items
        .map(|item| {
            let version = tree.resolve(item);
            let schema = child(tree, version, "schema").and_then(|it| child(tree, it, "openAPIV3Schema"));
            let name = child(tree, version, "name")
                .map(|it| tree.scalar(it))
                .unwrap_or_default();
            Version { item, name, schema }
        })
        .collect()
}

/// A version of a CRD.
#[derive(Clone, Debug)]
pub struct Version<'t> {
    /// The version's item in `spec.versions`.
    pub item: NodeId,
    /// The version's name; empty if it has none.
    pub name: std::borrow::Cow<'t, str>,
    /// The version's schema, if it has one.
    pub schema: Option<NodeId>,
}

/// The value of a key of a mapping, through aliases and merges.
pub fn child(tree: &Tree, mapping: NodeId, key: &str) -> Option<NodeId> {
    entry(tree, mapping, key).map(|it| tree.resolve(it.value))
}

/// The entry of a key of a mapping, through aliases and merges.
pub fn entry(tree: &Tree, mapping: NodeId, key: &str) -> Option<Entry> {
    lookup(tree, tree.resolve(mapping), key)
}

/// The string value of a key of a mapping.
pub fn text<'t>(tree: &'t Tree, mapping: NodeId, key: &str) -> Option<std::borrow::Cow<'t, str>> {
    let value = child(tree, mapping, key)?;
    (tree.is_scalar(value) && !tree.is_absent(value)).then(|| tree.scalar(value))
}

/// Whether the value of a key is `true`.
pub fn is_true(tree: &Tree, mapping: NodeId, key: &str) -> bool {
    text(tree, mapping, key).is_some_and(|it| it == "true")
}

/// The schema at the end of the steps, and its key.
pub fn follow(tree: &Tree, schema: NodeId, steps: &[SchemaStep]) -> Option<Property> {
    let mut at = Property {
        key: None,
        schema: tree.resolve(schema),
    };
    for step in steps {
        let found = match step {
            SchemaStep::Property(name) => entry(tree, child(tree, at.schema, "properties")?, name)?,
            SchemaStep::Items => entry(tree, at.schema, "items")?,
            SchemaStep::Values => entry(tree, at.schema, "additionalProperties")?,
        };
        at = Property {
            key: Some(found.key),
            schema: tree.resolve(found.value),
        };
    }
    Some(at)
}

/// A schema and its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Property {
    /// The key; `None` if the schema is the root.
    pub key: Option<NodeId>,
    /// The schema.
    pub schema: NodeId,
}

/// The root of the schema of a version, and the steps from there to the given schema. `None` if the schema is in `allOf`, `anyOf`, `oneOf` or `not`,
/// or in a place that does not describe values.
pub fn steps_to(tree: &Tree, schema: NodeId) -> Option<(NodeId, Vec<SchemaStep>)> {
    let mut steps = Vec::new();
    let mut node = schema;
    loop {
        let parent = tree.parent(node)?;
        let at = tree.entry_of(node).filter(|it| it.value == node)?;
        let key = tree.scalar(at.key);
        match &*key {
            "openAPIV3Schema" if !is_map_of_schemas(tree, parent) => {
                steps.reverse();
                return Some((node, steps));
            }
            _ if is_map_of_schemas(tree, parent) => {
                let (owner, keyword) = owner(tree, parent)?;
                if keyword != "properties" {
                    return None;
                }
                steps.push(SchemaStep::Property(key.into_owned()));
                node = owner;
            }
            "items" => {
                steps.push(SchemaStep::Items);
                node = parent;
            }
            "additionalProperties" => {
                steps.push(SchemaStep::Values);
                node = parent;
            }
            _ => return None,
        }
    }
}

/// The steps from the root of a resource to the values of a schema. The schema may be in `allOf`, `anyOf`, `oneOf` or `not`.
pub fn location(tree: &Tree, schema: NodeId) -> Option<Vec<SchemaStep>> {
    let mut node = schema;
    let mut below = Vec::new();
    loop {
        if let Some((_, mut steps)) = steps_to(tree, node) {
            steps.extend(below.into_iter().rev());
            return Some(steps);
        }
        let parent = tree.parent(node)?;
        if matches!(tree.kind(parent), NodeKind::Sequence(_)) {
            // A clause of `allOf` and similar keywords describes the same values as the schema around it.
            node = tree.parent(parent)?;
            continue;
        }
        let at = tree.entry_of(node).filter(|it| it.value == node)?;
        let key = tree.scalar(at.key);
        if is_map_of_schemas(tree, parent) {
            below.push(SchemaStep::Property(key.into_owned()));
            node = tree.parent(parent)?;
            continue;
        }
        match &*key {
            "items" => below.push(SchemaStep::Items),
            "additionalProperties" => below.push(SchemaStep::Values),
            "not" => {}
            _ => return None,
        }
        node = parent;
    }
}

/// The keywords whose values are maps of schemas.
const MAPS: [&str; 4] = ["properties", "patternProperties", "definitions", "dependencies"];

/// The schema that contains a map of schemas, and the keyword of the map.
fn owner(tree: &Tree, map: NodeId) -> Option<(NodeId, String)> {
    let entry = tree.entry_of(map).filter(|it| it.value == map)?;
    Some((tree.parent(map)?, tree.scalar(entry.key).into_owned()))
}

/// Whether the keys of a mapping are names that the author has chosen, and not keywords.
pub fn is_map_of_schemas(tree: &Tree, mapping: NodeId) -> bool {
    let Some((parent, keyword)) = owner(tree, mapping) else {
        return false;
    };
    // A property may itself be called `properties`. Then the keys below it are keywords.
    MAPS.contains(&keyword.as_str()) && !is_map_of_schemas(tree, parent)
}

/// Whether a node is a mapping.
pub fn is_mapping(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.kind(node), NodeKind::Mapping(_))
}
