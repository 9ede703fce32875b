//! Applies patches to their targets (`PatchTransformer`, `PatchStrategicMergeTransformer`).

use std::sync::Arc;

use crate::{
    id::ResId,
    json_patch,
    kustomization::Patch,
    node::Node,
    problem::{Problem, Result},
    resource::{AN_ID, Allowed, Resource, Resources},
    spend,
};

/// The parsed content of a patch.
pub(crate) enum Patched {
    Merge(Vec<Resource>),
    Json(Vec<json_patch::Operation>),
}

/// The index of the object to which a patch without a target applies.
pub(crate) fn target_of(resources: &Resources, patch: &Resource, is_open: bool) -> Result<Option<usize>> {
    let id = patch.first_id();
    match resources.same(&id)?.as_slice() {
        [one] => Ok(Some(*one)),
        [] if is_open => Ok(None),
        [] => {
            let message = format!("no object matches the patch for {id}");
            if let Some(other) = in_other_version(resources, &id)? {
                let place = patch.node.get("apiVersion").map_or(patch.origin, |it| it.place);
                return Err(Problem::fails(
                    place,
                    format!("{message}: that object has `apiVersion: {other}`"),
                ));
            }
            if let Some(kinds) = kinds_with_name(resources, &id)? {
                let place = patch.node.get("kind").map_or(patch.origin, |it| it.place);
                return Err(Problem::fails(place, message).of_unknown(&id.gvk.kind, kinds));
            }
            let name = patch.node.at(&["metadata", "name"]);
            let place = name.map_or(patch.origin, |it| it.place);
            let names = names_like(resources, &id)?;
            Err(Problem::fails(place, message).of_unknown(&id.name, names))
        }
        _ => Err(Problem::fails(
            patch.origin,
            format!("several objects match the patch for {id}"),
        )),
    }
}

/// The `apiVersion` of an object that differs from an id only by its group or version.
fn in_other_version(resources: &Resources, id: &ResId) -> Result<Option<String>> {
    let list = resources.list();
    spend::work(list.len() * AN_ID)?;
    let is_same = |it: &&Resource| {
        let it = it.first_id();
        it.name == id.name && it.gvk.kind == id.gvk.kind && it.effective_namespace() == id.effective_namespace()
    };
    let version = list.iter().find(is_same).and_then(|it| it.node.get("apiVersion"));
    Ok(version.and_then(Node::as_str).map(str::to_owned))
}

/// The kinds of the objects with the name of an id. `None` if an object has its kind, or none has its name.
fn kinds_with_name(resources: &Resources, id: &ResId) -> Result<Option<Vec<Arc<str>>>> {
    let list = resources.list();
    spend::work(list.len() * AN_ID)?;
    let mut kinds = Vec::new();
    for it in list.iter().map(Resource::first_id) {
        if it.gvk.kind == id.gvk.kind {
            return Ok(None);
        }
        if it.name == id.name {
            kinds.push(it.gvk.kind);
        }
    }
    Ok((!kinds.is_empty()).then_some(kinds))
}

/// The names of the objects that differ from an id only by their name.
fn names_like(resources: &Resources, id: &ResId) -> Result<Vec<Arc<str>>> {
    let list = resources.list();
    spend::work(list.len() * AN_ID)?;
    let names = list
        .iter()
        .map(Resource::first_id)
        .filter(|it| it.name != id.name && it.gvk == id.gvk && it.effective_namespace() == id.effective_namespace());
    Ok(names.map(|it| it.name).collect())
}

/// Applies a patch to a selected object (`ApplySmPatch` of the objects). Labels and annotations of the patch become strings.
pub(crate) fn apply_as_target(resource: &mut Resource, patch: &Node, allowed: Allowed) -> Result<()> {
    let mut patch = Resource::new(spend::copied(patch)?);
    patch.make_texts("labels");
    patch.make_texts("annotations");
    if let Some(version) = resource.node.get("apiVersion") {
        let place = version.place;
        patch.node.set("apiVersion", place, version.clone());
    }
    resource.patch(&patch.node, allowed)
}

/// Applies a patch. Returns whether it has a target that selects an object.
pub(crate) fn apply(resources: &mut Resources, patch: &Patch, read: Patched, is_open: bool) -> Result<bool> {
    let merges = match read {
        Patched::Json(operations) => return apply_json(resources, patch, &operations, true),
        Patched::Merge(merges) => merges,
    };
    let allowed = Allowed {
        name: patch.allow_name_change,
        kind: patch.allow_kind_change,
    };
    let Some(target) = &patch.target else {
        for patch in merges {
            if let Some(n) = target_of(resources, &patch, is_open)?
                && let Some(resource) = resources.get_mut(n)
            {
                resource.patch(&patch.node, allowed)?;
            }
        }
        return Ok(false);
    };
    let [merge] = merges.as_slice() else {
        return match merges.first() {
            // An empty patch changes no object, whatever its target is.
            None => Ok(true),
            Some(_) => Err(Problem::fails(
                patch.place,
                "a patch with a `target` must be one object",
            )),
        };
    };
    let patterns = target.patterns()?;
    let mut is_matched = false;
    for resource in resources.list_mut() {
        if target.selects(&patterns, resource)? {
            is_matched = true;
            apply_as_target(resource, &merge.node, allowed)?;
        }
    }
    resources.drop_gone();
    resources.check_ids()?;
    Ok(is_matched)
}

/// Applies a JSON patch. Returns whether its target selects an object.
pub(crate) fn apply_json(
    resources: &mut Resources,
    patch: &Patch,
    operations: &[json_patch::Operation],
    is_noted: bool,
) -> Result<bool> {
    let Some(target) = &patch.target else {
        return Err(Problem::fails(patch.place, "a JSON patch needs a `target`"));
    };
    let patterns = target.patterns()?;
    let mut is_matched = false;
    for resource in resources.list_mut() {
        if !target.selects(&patterns, resource)? {
            continue;
        }
        is_matched = true;
        if is_noted {
            resource.store_id();
        }
        resource.show_notes();
        resource.unshare();
        json_patch::apply(&mut resource.node, operations)?;
        resource.make_texts("annotations");
    }
    Ok(is_matched)
}
