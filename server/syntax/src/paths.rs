//! Paths to nodes, and places to paths.

use std::borrow::Cow;
use std::fmt;

use crate::tree::{Entry, NodeId, NodeKind, ScalarStyle, Span, Tree};

/// One step from a node to a child.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step<'t> {
    /// Into a mapping, by the decoded text of a key.
    Key(Cow<'t, str>),
    /// Into a sequence, counted from 0.
    Index(usize),
}

impl<'t> Step<'t> {
    /// The step to a mapping's value.
    pub fn key(name: impl Into<Cow<'t, str>>) -> Self {
        Self::Key(name.into())
    }
}

impl fmt::Display for Step<'_> {
    /// `.name`, `["a.b"]` or `[0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(key) => {
                let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '$');
                if !key.is_empty() && key.chars().all(is_word) {
                    write!(f, ".{key}")
                } else {
                    write!(f, "[{key:?}]")
                }
            }
        }
    }
}

/// Prints steps as people write a path: `spec.versions[0].schema`.
pub fn display(steps: &[Step<'_>]) -> String {
    let path: String = steps.iter().map(ToString::to_string).collect();
    path.strip_prefix('.').map_or_else(|| path.clone(), str::to_owned)
}

/// Where a path leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The node; where steps are missing, the last one that is there. As it is written: it may be an alias.
    pub node: NodeId,
    /// Its key, if it is the value of an entry. Reached through an alias or a merge key, key and node stand where they are written.
    pub key: Option<NodeId>,
    /// How many steps, counted from the path's end, lead to nothing.
    pub missing: usize,
}

impl Place {
    /// Whether all of the path is there.
    pub const fn is_found(&self) -> bool {
        self.missing == 0
    }

    /// Where the key is written; where there is none (items, the root), the node.
    pub fn key_span(&self, tree: &Tree) -> Span {
        tree.span(self.key.unwrap_or(self.node))
    }

    /// Where the value is written. Empty if nothing is written for it.
    pub fn value_span(&self, tree: &Tree) -> Span {
        tree.span(self.node)
    }
}

/// Mappings that one search looks into at most by merge keys: merges of merges may fork without end, and each is one call deeper.
const MAX_MERGES: usize = 1_000;

/// Follows a path from the root through aliases and merge keys. `None` if the document is empty.
pub fn find(tree: &Tree, path: &[Step<'_>]) -> Option<Place> {
    Some(find_from(tree, tree.root()?, path))
}

/// As [`find`], from a node.
pub fn find_from(tree: &Tree, node: NodeId, path: &[Step<'_>]) -> Place {
    let mut place = Place {
        node,
        key: tree.entry_of(node).filter(|it| it.value == node).map(|it| it.key),
        missing: 0,
    };
    for (at, step) in path.iter().enumerate() {
        let collection = tree.resolve(place.node);
        let child = match step {
            Step::Index(index) => tree.items(collection).nth(*index).map(|it| (it, None)),
            Step::Key(key) => lookup(tree, collection, key).map(|it| (it.value, Some(it.key))),
        };
        let Some((node, key)) = child else {
            place.missing = path.len() - at;
            break;
        };
        place = Place { node, key, missing: 0 };
    }
    place
}

/// The entry that gives a mapping its value at `key`: the last one that has the key, itself or by a merge (`<<`). go-yaml v2 takes
/// entries and merges in the order of the text (`decoder.mapping`, `decoder.merge`).
pub fn lookup(tree: &Tree, mapping: NodeId, key: &str) -> Option<Entry> {
    let mut merges = MAX_MERGES;
    lookup_within(tree, mapping, key, &mut merges)
}

fn lookup_within(tree: &Tree, mapping: NodeId, key: &str, merges: &mut usize) -> Option<Entry> {
    let decides = |it: &Entry| tree.is_scalar(it.key) && (is_merge(tree, it.key) || tree.scalar(it.key) == key);
    let entries: Vec<_> = tree.entries(mapping).filter(decides).collect();
    for entry in entries.into_iter().rev() {
        if !is_merge(tree, entry.key) {
            return Some(entry);
        }
        let value = tree.resolve(entry.value);
        let is_list = matches!(tree.kind(value), NodeKind::Sequence(_));
        let single = (!is_list).then_some(value);
        // In a list the first mapping decides.
        for source in single.into_iter().chain(tree.items(value)) {
            *merges = merges.checked_sub(1)?;
            let found = lookup_within(tree, tree.resolve(source), key, merges);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn is_merge(tree: &Tree, key: NodeId) -> bool {
    tree.kind(key) == NodeKind::Scalar(ScalarStyle::Plain) && tree.source(key) == "<<" && tree.tag(key).is_none()
}

/// Which part of an entry a place is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// On the key.
    Key,
    /// On the value or item, or in it but on none of its children.
    Value,
}

/// What is at a place of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At<'t> {
    /// The path of the node, or on a key of its value. Below a key that is no scalar the path ends at its mapping.
    pub path: Vec<Step<'t>>,
    /// The innermost node that the place touches.
    pub node: NodeId,
    /// The part of the entry.
    pub side: Side,
    /// In a scalar: the offset in its decoded value.
    pub in_scalar: Option<usize>,
}

/// What is at a byte offset. A place between two nodes that touch belongs to the one that begins there, unless that is empty. `None`
/// outside of the root.
pub fn at(tree: &Tree, offset: u32) -> Option<At<'_>> {
    let mut node = tree.root()?;
    if !tree.full_span(node).touches(offset) {
        return None;
    }
    let mut path = Vec::new();
    let mut side = Side::Value;
    // The path is that of the keys so far; inside a collection that is itself a key it does not grow.
    let mut is_in_key = false;
    loop {
        let is_mapping = matches!(tree.kind(node), NodeKind::Mapping(_));
        let mut found = None;
        let mut key = node;
        for (index, child) in tree.children(node).enumerate() {
            let is_key = is_mapping && index % 2 == 0;
            if is_key {
                key = child;
            }
            if tree.full_span(child).start > offset {
                break;
            }
            // Where nothing is written for a value, the place belongs to what is written before it.
            let is_nothing = found.is_some() && tree.full_span(child).is_empty();
            if tree.full_span(child).touches(offset) && !is_nothing {
                found = Some((index, child, is_key, key));
            }
        }
        let Some((index, child, is_key, key)) = found else {
            break;
        };
        if !is_in_key {
            if !is_mapping {
                path.push(Step::Index(index));
            } else if tree.is_scalar(key) {
                path.push(Step::Key(tree.scalar(key)));
            }
        }
        if is_key {
            side = Side::Key;
            is_in_key = true;
        } else if !is_in_key {
            side = Side::Value;
        }
        node = child;
    }
    let in_scalar = tree
        .is_scalar(node)
        .then(|| tree.source_map(node).to_value(offset))
        .flatten();
    Some(At {
        path,
        node,
        side,
        in_scalar,
    })
}

/// The path of a node as it is written, without aliases. Of a key: the path of its value.
pub fn path_of(tree: &Tree, node: NodeId) -> Vec<Step<'_>> {
    let mut path = Vec::new();
    let mut child = node;
    while let Some(parent) = tree.parent(child) {
        match tree.kind(parent) {
            NodeKind::Mapping(_) => {
                if let Some(entry) = tree.entry_of(child)
                    && tree.is_scalar(entry.key)
                {
                    path.push(Step::Key(tree.scalar(entry.key)));
                }
            }
            NodeKind::Sequence(_) => {
                path.push(Step::Index(tree.items(parent).take_while(|&it| it != child).count()));
            }
            _ => {}
        }
        child = parent;
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::edit::read;

    const TEXT: &str = "\
base: &base
  x: 1
  y: [10, 20]
more: &more {x: 2, z: 3}
it:
  x: 0
  <<: *base
  y: 9
both:
  <<: [*base, *more]
alias: *base
'quo''ted': \"a\\tb\"
none:
";

    fn tree(text: &str) -> Tree {
        let text: Arc<str> = text.into();
        read(&text, Span::new(0, text.len() as u32)).tree
    }

    /// `a.b.0`: steps by dots, numbers are indices.
    fn steps(path: &str) -> Vec<Step<'_>> {
        let parts = path.split('.').filter(|it| !it.is_empty());
        parts
            .map(|it| it.parse().map_or_else(|_| Step::key(it), Step::Index))
            .collect()
    }

    #[test]
    fn a_path_leads_to_key_and_value() {
        let tree = tree(TEXT);
        for (path, key, value, missing) in [
            ("base.x", "x", "1", 0),
            ("base.y.1", "20", "20", 0),
            ("alias.y.0", "10", "10", 0),
            ("alias", "alias", "*base", 0),
            // The merge stands after `x` and before `y`.
            ("it.x", "x", "1", 0),
            ("it.y", "y", "9", 0),
            ("both.x", "x", "1", 0),
            ("both.z", "z", "3", 0),
            ("quo'ted", "'quo''ted'", "\"a\\tb\"", 0),
            ("none", "none", "", 0),
            // What is missing has its nearest parent.
            ("it.q.r", "it", "x: 0\n  <<: *base\n  y: 9", 2),
            ("base.y.7", "y", "[10, 20]", 1),
            ("none.a.b.c", "none", "", 3),
            ("base.x.0", "x", "1", 1),
        ] {
            let place = find(&tree, &steps(path)).unwrap();
            let text = |it: Span| &tree.text()[it.range()];
            assert_eq!(text(place.key_span(&tree)), key, "key of {path}");
            assert_eq!(text(place.value_span(&tree)), value, "value of {path}");
            assert_eq!(place.missing, missing, "{path}");
        }
        assert_eq!(find(&self::tree("# nothing"), &[]), None);
    }

    #[test]
    fn merges_without_end_are_given_up() {
        let mut lines = vec!["a0: &a0 {x: 1}".to_owned()];
        lines.extend((1..40).map(|it| format!("a{it}: &a{it} {{<<: [*a{0}, *a{0}]}}", it - 1)));
        let tree = tree(&(lines.join("\n") + "\nlast: {<<: *a39}\n"));
        assert_eq!(find(&tree, &steps("last.nothing")).unwrap().missing, 1);
    }

    #[test]
    fn a_place_has_a_path() {
        let tree = tree(TEXT);
        let at = |needle: &str, plus: usize| at(&tree, (TEXT.find(needle).unwrap() + plus) as u32).unwrap();
        for (needle, plus, path, side, in_scalar) in [
            ("x: 1", 0, "base.x", Side::Key, Some(0)),
            ("x: 1", 3, "base.x", Side::Value, Some(0)),
            ("20", 1, "base.y[1]", Side::Value, Some(1)),
            ("[10", 0, "base.y", Side::Value, None),
            ("*base\n", 2, "it[\"<<\"]", Side::Value, None),
            ("*more", 2, "both[\"<<\"][1]", Side::Value, None),
            ("quo''ted", 6, "[\"quo'ted\"]", Side::Key, Some(5)),
            ("a\\tb", 3, "[\"quo'ted\"]", Side::Value, Some(2)),
            ("none:", 5, "none", Side::Value, Some(0)),
            ("&base", 1, "base", Side::Value, None),
        ] {
            let found = at(needle, plus);
            assert_eq!(display(&found.path), path, "{needle}+{plus}");
            assert_eq!(found.side, side, "{needle}+{plus}");
            assert_eq!(found.in_scalar, in_scalar, "{needle}+{plus}");
            if !path.contains("<<") {
                assert_eq!(path_of(&tree, found.node), found.path);
                let place = find(&tree, &found.path).unwrap();
                assert!(place.is_found());
                let node = if side == Side::Key {
                    place.key.unwrap()
                } else {
                    place.node
                };
                assert_eq!(node, found.node);
            }
        }
    }
}
