//! The JSON of a document that is being edited, updated from one version of the text to the next.

use std::{borrow::Cow, fmt, sync::Arc};

use super::{
    ConvertError, Json, JsonDoc, JsonValue, Member, SHALLOW, read_json, read_json_of,
    value::{ScalarValue, is_merge, scalar_value},
};
use crate::{
    edited::Edited,
    is_plain_text,
    spliced::{Renumbered, Spliced},
    tree::{NodeId, NodeKind, Tree},
};

self_cell::self_cell!(
    struct Cell {
        owner: Arc<Tree>,
        #[covariant]
        dependent: JsonDoc,
    }
);

/// The JSON of a tree, together with the tree from which its strings are borrowed.
///
/// The node numbers in the JSON refer to that tree and, after each [`follow`](KeptJson::follow), to the edited tree.
pub struct KeptJson(Cell);

impl fmt::Debug for KeptJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl KeptJson {
    /// Converts a tree to JSON, like [`read_json`].
    pub fn read(tree: Arc<Tree>) -> Result<Self, ConvertError> {
        Cell::try_new(tree, |tree| read_json(tree)).map(Self)
    }

    /// Converts a node of a tree to JSON, like [`read_json_of`], and changes the JSON.
    pub fn read_changed(
        tree: Arc<Tree>,
        node: NodeId,
        change: impl FnOnce(&mut JsonDoc<'_>, &Tree),
    ) -> Result<Self, ConvertError> {
        Cell::try_new(tree, |tree| {
            let mut json = read_json_of(tree, node)?;
            change(&mut json, tree);
            Ok(json)
        })
        .map(Self)
    }

    /// The JSON.
    pub fn get(&self) -> &JsonDoc<'_> {
        self.0.borrow_dependent()
    }

    /// Updates this to the JSON of `edited`, which is the result of `edit` on the previous tree. If this returns false, this value is unusable and
    /// the tree has to be converted again.
    pub fn follow(&mut self, edited: &Tree, edit: Edited) -> bool {
        // Duplicate keys and aliased values need a full conversion.
        if edited.has_aliases() || self.get().has_same_keys {
            return false;
        }
        self.0
            .with_dependent_mut(|_, json| match edit {
                Edited::Nothing => Some(()),
                Edited::Scalar(scalar) => put_scalar(json.root_mut()?, edited, scalar),
                Edited::Entry(entries) => put_entries(json, edited, &entries),
            })
            .is_some()
    }
}

/// Updates a scalar. The scalar is a key or a value.
fn put_scalar(root: &mut Json<'_>, edited: &Tree, scalar: NodeId) -> Option<()> {
    let value = scalar_value(edited, scalar).ok()?;
    if edited.is_key(scalar) {
        rename(root, edited, scalar, value)
    } else {
        let value = Some(value).filter(|it| !it.is_infinite())?;
        find(root, edited, scalar)?.value = JsonValue::from(value).into_owned();
        Some(())
    }
}

/// Converts the new entries of a mapping.
fn put_entries(json: &mut JsonDoc<'_>, edited: &Tree, entries: &Spliced) -> Option<()> {
    let Spliced { mapping, numbers } = *entries;
    let gone = numbers.first..numbers.behind.0;
    members_of(json.root_mut()?, edited, mapping)?.retain(|it| !gone.contains(&it.key_node.0));
    renumber(json, &numbers);
    let members = members_of(json.root_mut()?, edited, mapping)?;
    let fresh = numbers.first..numbers.behind.1;
    let mut deepest = 0;
    for entry in edited.entries(mapping).filter(|it| fresh.contains(&it.key.0)) {
        let ScalarValue::Text(key) = Some(entry.key)
            .filter(|it| edited.is_scalar(*it) && !is_merge(edited, *it))
            .and_then(|it| scalar_value(edited, it).ok())?
        else {
            return None;
        };
        let value = read_json_of(edited, entry.value).ok()?;
        if value.has_same_keys || value.depth() > SHALLOW {
            return None;
        }
        deepest = deepest.max(value.depth());
        let at = members.binary_search_by(|it| it.key.cmp(&key)).err()?;
        let member = Member {
            key: Cow::Owned(key.into_owned()),
            key_node: entry.key,
            value: value.into_root()?.into_owned(),
        };
        members.insert(at, member);
    }
    let around = edited.ancestors(mapping).count() + 1;
    json.depth = json.depth.max(around + deepest);
    Some(())
}

/// Renumbers the nodes after an edit, and recomputes the depth.
fn renumber(json: &mut JsonDoc<'_>, numbers: &Renumbered) {
    let mut depth = 0;
    let mut open: Vec<(&mut Json<'_>, usize)> = json.root.iter_mut().map(|it| (it, 0)).collect();
    let follow = |node: &mut NodeId| {
        if node.0 >= numbers.behind.0 {
            node.0 = numbers.behind(node.0);
        }
    };
    while let Some((json, above)) = open.pop() {
        follow(&mut json.node);
        match &mut json.value {
            JsonValue::Array(items) => {
                depth = depth.max(above + 1);
                open.extend(items.iter_mut().map(|it| (it, above + 1)));
            }
            JsonValue::Object(members) => {
                depth = depth.max(above + 1);
                open.extend(members.iter_mut().map(|it| {
                    follow(&mut it.key_node);
                    (&mut it.value, above + 1)
                }));
            }
            _ => {}
        }
    }
    json.depth = depth;
}

/// The members of the object into which a mapping was converted.
fn members_of<'j, 't>(root: &'j mut Json<'t>, tree: &Tree, mapping: NodeId) -> Option<&'j mut Vec<Member<'t>>> {
    match &mut find(root, tree, mapping)?.value {
        JsonValue::Object(members) => Some(members),
        _ => None,
    }
}

/// Renames a member of an object.
fn rename(root: &mut Json<'_>, edited: &Tree, key_node: NodeId, value: ScalarValue<'_>) -> Option<()> {
    let ScalarValue::Text(key) = value else { return None };
    let members = members_of(root, edited, edited.parent(key_node)?)?;
    let at = members.iter().position(|it| it.key_node == key_node)?;
    // A key that is not a string may convert to the same string as another key.
    if is_merge(edited, key_node) || !is_plain_text(&members[at].key) {
        return None;
    }
    let mut member = members.remove(at);
    let at = members.binary_search_by(|it| it.key.cmp(&key)).err()?;
    member.key = Cow::Owned(key.into_owned());
    members.insert(at, member);
    Some(())
}

/// The JSON value of a node of the tree.
fn find<'j, 't>(root: &'j mut Json<'t>, tree: &Tree, node: NodeId) -> Option<&'j mut Json<'t>> {
    let mut path: Vec<NodeId> = std::iter::once(node).chain(tree.ancestors(node)).collect();
    let mut json = root;
    path.pop().filter(|it| *it == json.node)?;
    while let Some(next) = path.pop() {
        let inside = match (&mut json.value, tree.kind(tree.parent(next)?)) {
            (JsonValue::Object(members), NodeKind::Mapping(_)) => {
                members.iter_mut().map(|it| &mut it.value).find(|it| it.node == next)
            }
            (JsonValue::Array(items), NodeKind::Sequence(_)) => {
                items.get_mut(tree.position(next)).filter(|it| it.node == next)
            }
            _ => None,
        };
        json = inside?;
    }
    Some(json)
}
