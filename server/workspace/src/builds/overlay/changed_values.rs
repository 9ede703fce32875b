//! What the builds that change an object make of one of its values.

use std::{path::Path, sync::Arc};

use crd_analyzer_kustomize::{Node, Place, Value};
use crd_analyzer_syntax::{
    paths::{self, Step},
    read_json_of,
    tree::{NodeId, Span, Tree},
};

use super::{
    BuildOf, Object, Overlays,
    deciders::{Deciding, removal},
    projection::{source, spot},
};
use crate::documents::source::SourceText;

/// What a build makes of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedValue {
    /// The name of the build: see [`BuildOf::name`].
    pub build: String,
    /// The value in the built object.
    pub becomes: Becomes,
    /// The file that changes the value, and the span of the change.
    pub by: (Arc<SourceText>, Span),
}

/// A value in a built object that differs from the value in the base.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Becomes {
    /// A scalar, as text.
    Scalar(String),
    /// A list or an object with other content.
    Changed,
    /// The value does not exist in the built object.
    Removed,
}

impl Overlays {
    /// The builds that change the value at an offset of a file that contains the object. For a key, its value. No build changes what is only in a
    /// patch.
    pub fn changes_of(&self, path: &Path, offset: u32) -> Vec<ChangedValue> {
        let mut own = self
            .objects_of(path)
            .filter(|it| it.origin.0 == path && !it.is_left_out);
        let found = own.find_map(|object| {
            let (tree, root) = self.sources.tree(object.origin_place);
            let span = tree.span(root);
            if offset < span.start || span.end < offset {
                return None;
            }
            let mut value = paths::at(tree, offset)?.path;
            value.drain(..paths::path_of(tree, root).len().min(value.len()));
            Some((&object.origin, value))
        });
        let Some((origin, value)) = found else {
            return Vec::new();
        };
        let builds = self.builds_of(path, (origin.1, origin.2)).into_iter();
        let changed = builds.filter(|it| it.is_origin).filter_map(|build: BuildOf| {
            let (becomes, place) = self.change_of(&self.objects[build.object], &value)?;
            let by = (source(&self.sources, place), spot(&self.sources, place));
            let build = build.name;
            Some(ChangedValue { build, becomes, by })
        });
        changed.collect()
    }

    /// What the build of an object makes of a value, and the place that decides. `None` if the value does not change, or if no place is known to
    /// change it.
    fn change_of(&self, object: &Object, value: &[Step<'_>]) -> Option<(Becomes, Place)> {
        let (tree, root) = self.sources.tree(object.origin_place);
        let base = object.origin_place.document;
        let (mut written, mut built) = (tree.resolve(root), &object.node);
        for step in value {
            let below = child(tree, written, step)?;
            let next = match (step, &built.value) {
                (Step::Key(key), Value::Map(entries)) => entries.iter().find(|it| *it.key == **key).map(|it| &it.value),
                // A patch may add or remove items before this one, so it has another index in the built list.
                (Step::Index(_), Value::List(items)) => {
                    let place = Place {
                        document: base,
                        node: below,
                    };
                    items.iter().find(|it| it.place == place)
                }
                _ => None,
            };
            let Some(next) = next else {
                let name = match step {
                    Step::Key(key) => key,
                    Step::Index(_) => "",
                };
                let replaced = Some(built.place).filter(|it| it.document != base);
                let by = replaced.or_else(|| removal(built, name).map(|it| it.place));
                return Some((Becomes::Removed, by?));
            };
            (written, built) = (below, next);
        }
        let before = read_json_of(tree, written).ok()?;
        if before.root()?.to_value() == built.to_json() {
            return None;
        }
        Some((becomes(built), self.decides_value(object, built)?))
    }

    /// The first place outside the base that changes a value.
    fn decides_value(&self, object: &Object, built: &Node) -> Option<Place> {
        let base = object.origin_place.document;
        if built.place.document != base {
            return Some(built.place);
        }
        if built.is_scalar() {
            return built.removals().last().map(|it| it.place);
        }
        let deciding = Deciding {
            object: &object.node,
            base,
            sources: &self.sources,
        };
        deciding.changed_at(built)
    }
}

/// The value of a field or an item, as it is written.
fn child(tree: &Tree, node: NodeId, step: &Step<'_>) -> Option<NodeId> {
    let found = paths::find_from(tree, node, std::slice::from_ref(step));
    // What a merge key adds is written elsewhere.
    let is_own = found.is_found() && tree.parent(found.node) == Some(node);
    is_own.then(|| tree.resolve(found.node))
}

fn becomes(built: &Node) -> Becomes {
    match (&built.value, built.is_scalar()) {
        (Value::String(text), _) => Becomes::Scalar(text.to_string()),
        (_, true) => Becomes::Scalar(built.to_json().to_string()),
        _ => Becomes::Changed,
    }
}
