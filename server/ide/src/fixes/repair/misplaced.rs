//! Quick fixes that move a field to the object that has it.

use crd_analyzer_syntax::{
    paths,
    tree::{NodeId, Tree},
};
use crd_analyzer_workspace::judging::misplaced::{self, Belongs, lost_schema, property};

use super::{
    super::edits::moves::{self, Target},
    At, Repair,
};
use crate::completion::resource::view::View;

/// Moves a property to `properties`, if it is written among the keywords of a schema.
pub(super) fn in_schema(at: &At<'_>) -> Option<Repair> {
    let tree = at.tree;
    let (own, schema) = at.entry.zip(at.mapping())?;
    let name = tree.scalar(own.key);
    let (title, edits) = match property(tree, own.key)? {
        Belongs::Inside(properties) => {
            let target = match properties {
                Some(_) => Target::Into(tree.entry(schema, "properties")?),
                None => Target::New("properties"),
            };
            let edits = moves::entry(tree, schema, own, target)?;
            (format!("Move {name} into properties"), edits)
        }
        Belongs::After(around) => {
            let edits = if lost_schema(tree, schema, own) {
                moves::key_with_following_lines(tree, own, around)?
            } else {
                moves::entry(tree, schema, own, Target::After(around))?
            };
            (format!("Move {name} out of {}", tree.scalar(around.key)), edits)
        }
    };
    Some(Repair::new(title, edits))
}

/// Moves a field of a resource to the nearest object around its own that declares the field and lacks it. `view` has the schemas of these objects, by
/// the number of steps from the root.
pub(super) fn out_of<'v>(at: &At<'_>, view: impl Fn(usize) -> Option<View<'v>>) -> Option<Repair> {
    let tree = at.tree;
    let (own, mapping) = at.entry.zip(at.mapping())?;
    let name = tree.scalar(own.key);
    let mut inner = mapping;
    let depth = paths::path_of(tree, mapping).len();
    for steps in (0..depth).rev().take(MAX_OUT) {
        let around = tree.entry_of(inner).filter(|it| it.value == inner)?;
        let outer = tree.parent(around.key)?;
        if tree.entry(outer, &name).is_none() && view(steps)?.fields().iter().any(|it| it.0 == name) {
            let title = format!("Move {name} out of {}", tree.scalar(around.key));
            return Some(Repair::new(
                title,
                moves::entry(tree, mapping, own, Target::After(around))?,
            ));
        }
        inner = outer;
    }
    None
}

/// The maximum number of objects around a field that are searched.
const MAX_OUT: usize = 8;

const SPEC: &str = "spec";

/// The key of the object that a field at the root of a resource belongs to, if the field is not declared at the root. `root` is the schema of the whole
/// resource.
pub(super) fn home(tree: &Tree, mapping: NodeId, root: &View<'_>, name: &str) -> Option<&'static str> {
    if !root.is_resource() {
        return None;
    }
    let metadata = tree.get(mapping, "metadata");
    misplaced::home(tree, metadata, name, || {
        let mut fields = root.fields().into_iter();
        let spec = fields.find(|it| it.0 == SPEC);
        spec.is_some_and(|(_, spec)| spec.fields().iter().any(|it| it.0 == name))
    })
}

/// Moves a field of a resource from the root into the object that has the field. `root` is the schema of the whole resource.
pub(super) fn into_home(at: &At<'_>, root: &View<'_>) -> Option<Repair> {
    let tree = at.tree;
    let (own, mapping) = at.entry.zip(at.mapping())?;
    let name = tree.scalar(own.key);
    let home = home(tree, mapping, root, &name)?;
    let target = match tree.entry(mapping, home) {
        Some(written) if tree.entry(written.value, &name).is_none() => Target::Into(written),
        Some(_) => return None,
        None => Target::New(home),
    };
    Some(Repair::new(
        format!("Move {name} into {home}"),
        moves::entry(tree, mapping, own, target)?,
    ))
}

/// Moves an unknown field into the object of the field before it, if that declares the field, or of the field beside it that requires it. `view` is the schema of the object that contains both.
pub(super) fn into_owner(at: &At<'_>, view: &View<'_>) -> Option<Repair> {
    let tree = at.tree;
    let (own, mapping) = at.entry.zip(at.mapping())?;
    let (name, fields) = (tree.scalar(own.key), view.fields());
    let is_declared = |it: &str| fields.iter().any(|field| field.0 == it);
    let owner = misplaced::owner(tree, own.key, is_declared, |owner| {
        let owner = fields.iter().find(|it| it.0 == owner);
        owner.is_some_and(|it| it.1.fields().iter().any(|it| it.0 == name))
    });
    let inner = || {
        misplaced::inner(tree, own.key, |inner| {
            let inner = fields.iter().find(|it| it.0 == inner);
            inner.is_some_and(|it| it.1.required().contains(&name))
        })
    };
    let owner = owner.or_else(inner)?;
    let edits = moves::entry(tree, mapping, own, Target::Into(owner))?;
    Some(Repair::new(
        format!("Move {name} into {}", tree.scalar(owner.key)),
        edits,
    ))
}
