//! Finds the node at a path, and the path at a text position.

use std::borrow::Cow;
use std::fmt;

use crate::tree::{Entry, NodeId, NodeKind, ScalarStyle, Span, Tree};

mod finder;
pub use finder::Finder;

/// One step from a node to a child.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step<'t> {
    /// A step into a mapping, by the decoded value of a key.
    Key(Cow<'t, str>),
    /// A step into a sequence, by index from 0.
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

/// Formats steps as people write a path: `spec.versions[0].schema`.
pub fn display(steps: &[Step<'_>]) -> String {
    let path: String = steps.iter().map(ToString::to_string).collect();
    path.strip_prefix('.').map_or_else(|| path.clone(), str::to_owned)
}

/// The target of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathTarget {
    /// The node or, if steps are missing, the last node that exists. It is the node in the text, so it may be an alias.
    pub node: NodeId,
    /// The key of the node, if the node is the value of an entry. If an alias or a merge key led to the node, key and node are at their own position
    /// in the text.
    pub key: Option<NodeId>,
    /// The number of steps at the end of the path that lead to no node.
    pub missing: usize,
}

impl PathTarget {
    /// Whether the whole path exists.
    pub const fn is_found(&self) -> bool {
        self.missing == 0
    }

    /// The span of the key or, if the node has no key (items, the root), of the node.
    pub fn key_span(&self, tree: &Tree) -> Span {
        tree.span(self.key.unwrap_or(self.node))
    }

    /// The span of the value. Empty for an absent value.
    pub fn value_span(&self, tree: &Tree) -> Span {
        tree.span(self.node)
    }
}

/// The maximum number of mappings that one search visits through merge keys. It is limited because merges of merges can branch endlessly, and each
/// visit is recursive.
const MAX_MERGES: usize = 1_000;

/// Follows a path from the root, through aliases and merge keys. `None` if the document is empty.
pub fn find(tree: &Tree, path: &[Step<'_>]) -> Option<PathTarget> {
    Some(find_from(tree, tree.root()?, path))
}

/// Like [`find`], but starts at a node.
pub fn find_from(tree: &Tree, node: NodeId, path: &[Step<'_>]) -> PathTarget {
    let mut place = start(tree, node);
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
        place = PathTarget { node, key, missing: 0 };
    }
    place
}

/// The target of an empty path that starts at a node.
fn start(tree: &Tree, node: NodeId) -> PathTarget {
    PathTarget {
        node,
        key: tree.entry_of(node).filter(|it| it.value == node).map(|it| it.key),
        missing: 0,
    }
}

/// The entry that defines a mapping's value at `key`: the last entry with that key, either in the mapping itself or from a merge (`<<`). go-yaml v2
/// processes entries and merges in document order (`decoder.mapping`, `decoder.merge`).
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
        // In a list, the first mapping with the key wins.
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

/// The part of an entry that contains a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The position is on the key.
    Key,
    /// The position is on the value or item, or inside it but not on any of its children.
    Value,
}

/// The key to which a value belongs, or the key of the list that contains the value.
pub fn nearest_key<'p>(path: &'p [Step<'_>]) -> Option<&'p str> {
    path.iter().rev().find_map(|it| match it {
        Step::Key(key) => Some(&**key),
        Step::Index(_) => None,
    })
}

/// The node at a text position, and the position's relation to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At<'t> {
    /// The path of the node. For a key, this is the path of the key's value. Inside a key that is not a scalar, the path ends at the mapping of the
    /// key.
    pub path: Vec<Step<'t>>,
    /// The innermost node that the position touches.
    pub node: NodeId,
    /// The part of the entry that contains the position.
    pub side: Side,
    /// For a position inside a scalar, the offset in the decoded value of the scalar.
    pub in_scalar: Option<usize>,
}

/// Looks up a byte offset. A position between two adjacent nodes belongs to the second node, unless the second node is empty. `None` outside of the
/// root.
pub fn at(tree: &Tree, offset: u32) -> Option<At<'_>> {
    let mut node = tree.root()?;
    if !tree.full_span(node).touches(offset) {
        return None;
    }
    let mut path = Vec::new();
    let mut side = Side::Value;
    // The path consists of the keys so far. It does not grow inside a collection that is itself a key.
    let mut is_in_key = false;
    let mut below = last_below(tree, node, offset);
    loop {
        let is_mapping = matches!(tree.kind(node), NodeKind::Mapping(_));
        let last = below.pop();
        let found = touched(tree, node, last, offset);
        if found != last {
            below = found.map(|it| last_below(tree, it, offset)).unwrap_or_default();
        }
        let found = found.map(|child| {
            let index = tree.position(child);
            let is_key = is_mapping && index.is_multiple_of(2);
            let key = if is_mapping && !is_key {
                tree.previous_sibling(child).unwrap_or(child)
            } else if is_key {
                child
            } else {
                node
            };
            (index, child, is_key, key)
        });
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

/// The node's last child that starts at or before an offset, that child's last such child, and so on, innermost first.
fn last_below(tree: &Tree, node: NodeId, offset: u32) -> Vec<NodeId> {
    let last = tree.last_in(node, offset);
    let around = last.into_iter().flat_map(|it| tree.ancestors(it));
    last.into_iter().chain(around).take_while(|it| *it > node).collect()
}

/// The child of a collection to which a position belongs. `last` is the last child that starts at or before the position, without its anchor and tag.
fn touched(tree: &Tree, collection: NodeId, last: Option<NodeId>, offset: u32) -> Option<NodeId> {
    let touches = |it: &NodeId| tree.full_span(*it).touches(offset);
    // The position may be in the anchor or tag of the next child.
    let next = match last {
        Some(last) => tree.next_sibling(last),
        None => tree.children(collection).next(),
    };
    let mut found = next.filter(touches).or(last.filter(touches))?;
    // At an absent value, the position belongs to the node before it.
    while tree.full_span(found).is_empty()
        && let Some(before) = tree.previous_sibling(found).filter(touches)
    {
        found = before;
    }
    Some(found)
}

/// The path of a node in the text, without following aliases. For a key, this is the path of the key's value.
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
                path.push(Step::Index(tree.position(child)));
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

    /// The node at a position, found by a walk over all children.
    fn walked(tree: &Tree, offset: u32) -> Option<(NodeId, bool, Vec<NodeId>)> {
        let mut node = tree.root()?;
        let mut around = Vec::new();
        let mut is_key = false;
        if !tree.full_span(node).touches(offset) {
            return None;
        }
        loop {
            let is_mapping = matches!(tree.kind(node), NodeKind::Mapping(_));
            let mut found: Option<(NodeId, bool)> = None;
            for (index, child) in tree.children(node).enumerate() {
                let span = tree.full_span(child);
                if span.touches(offset) && !(found.is_some() && span.is_empty()) {
                    found = Some((child, is_mapping && index % 2 == 0));
                }
            }
            let Some((child, child_is_key)) = found else {
                return Some((node, is_key, around));
            };
            is_key |= child_is_key;
            around.push(node);
            node = child;
        }
    }

    #[test]
    fn every_place_is_where_a_walk_finds_it() {
        const PIECES: [&str; 22] = [
            "a", "b: ", "- ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", ", ": ", "? ", "&x ", "*x", "!t ", "'q'",
            "\"", "|\n", "# c\n", "é", ":",
        ];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        for _ in 0..1_000 {
            let text: String = (0..below(40)).map(|_| PIECES[below(PIECES.len())]).collect();
            for one in [&text, &format!("{TEXT}{text}")] {
                let tree = tree(one);
                for offset in 0..=one.len() as u32 {
                    let found = at(&tree, offset);
                    let found = found.map(|it| {
                        let mut around: Vec<_> = tree.ancestors(it.node).collect();
                        around.reverse();
                        (it.node, it.side == Side::Key, around)
                    });
                    assert_eq!(found, walked(&tree, offset), "{offset} of {one:?}");
                }
            }
        }
    }

    /// Parses `a.b.0`. Dots separate the steps, and numbers are indices.
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
            // The merge is after `x` and before `y`.
            ("it.x", "x", "1", 0),
            ("it.y", "y", "9", 0),
            ("both.x", "x", "1", 0),
            ("both.z", "z", "3", 0),
            ("quo'ted", "'quo''ted'", "\"a\\tb\"", 0),
            ("none", "none", "", 0),
            // A missing path leads to its nearest existing parent.
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
