//! Hover on fields of custom resources, using the schema of their CRD.

use crd_analyzer_apiextensions::api::{self, PathStep};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{self, Step},
    tree::{NodeId, Tree},
};

use super::{Block, Hover, inner_span, node};
use crate::{
    file::Document,
    property::Target,
    schema::{self, SchemaStep, child},
};

/// The hover at a place in a resource. `definition` is the resource's CRD, and `root` the schema of its version. `path` leads from the resource,
/// which may be an item of a list, to the place.
pub fn resource_hover(
    resource: &Tree,
    path: &[Step<'_>],
    offset: u32,
    definition: &Document<'_>,
    root: NodeId,
    version: KubernetesVersion,
) -> Option<Hover> {
    let at = paths::at(resource, offset)?;
    if !resource.is_scalar(at.node) {
        return None;
    }
    if let [Step::Key(metadata), _, ..] = path
        && metadata == "metadata"
    {
        return of_metadata(resource, path, at.node, version);
    }
    let tree = definition.tree;
    let mut steps = Vec::new();
    let mut schema = root;
    for step in path {
        let properties = child(tree, schema, "properties");
        let (next, below) = match step {
            Step::Index(_) => (SchemaStep::Items, child(tree, schema, "items")?),
            Step::Key(key) => match properties.and_then(|it| child(tree, it, key)) {
                Some(below) => (SchemaStep::Property(key.clone().into_owned()), below),
                None => (SchemaStep::Values, child(tree, schema, "additionalProperties")?),
            },
        };
        steps.push(next);
        schema = below;
    }
    // The description of an item or entry is that of its list or map.
    while !matches!(steps.last()?, SchemaStep::Property(_)) {
        steps.pop();
    }
    let Some(SchemaStep::Property(name)) = steps.pop() else {
        return None;
    };
    let target = Target { object: steps, name };
    let mut whole = target.object.clone();
    whole.push(SchemaStep::Property(target.name.clone()));
    let property = schema::follow(tree, root, &whole)?;
    let mut hover = node::hover(
        definition,
        root,
        &target,
        property,
        inner_span(resource, at.node),
        version,
        node::Reader::OfResource,
    );
    let named = node::named_by(definition, &target, version);
    hover.blocks.push(Block::List(named));
    Some(hover)
}

/// The hover on metadata, which is the same for all resources.
fn of_metadata(resource: &Tree, path: &[Step<'_>], scalar: NodeId, version: KubernetesVersion) -> Option<Hover> {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => PathStep::Key(key),
        Step::Index(_) => PathStep::Item,
    });
    let at = api::at(&api::V1, steps)?;
    (!at.is_element).then_some(Hover {
        span: inner_span(resource, scalar),
        blocks: super::api::field(at.field?, version),
    })
}
