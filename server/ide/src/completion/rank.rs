//! The order in which keys are offered.
//!
//! The order does not depend on the typed text, so editors can filter without another request. It depends on the missing keys, on the
//! value that the key already has, and on the order in which the author writes keys.

use std::borrow::Cow;

use crd_analyzer_syntax::tree::{NodeId, NodeKind, Tree};

use super::{habits, nav};
use crate::cursor_context::{CursorContext, Slot};

/// The context of the key that the user is writing.
pub(super) struct Keys<'t> {
    tree: &'t Tree,
    /// The other keys of the mapping.
    pub(super) present: Vec<Cow<'t, str>>,
    /// The value that the key already has.
    pub(super) value: Option<NodeId>,
    /// The key before it, by its name in the table of habits.
    pub(super) before: Cow<'t, str>,
    /// The keys before and after this one, if the keys of the document are sorted.
    between: Option<Between<'t>>,
}

/// The keys before and after the key that the user is writing.
struct Between<'t> {
    before: Option<Cow<'t, str>>,
    after: Option<Cow<'t, str>>,
}

impl<'t> Keys<'t> {
    pub(super) fn new(place: &CursorContext<'t>) -> Self {
        let tree = place.tree;
        let mut keys = Self {
            tree,
            present: place.siblings(),
            value: None,
            before: habits::FIRST.into(),
            between: None,
        };
        let Slot::Key { mapping, entry, .. } = place.slot else {
            return keys;
        };
        if let Some(entry) = entry {
            let value = tree.resolve(entry.value);
            let is_written = !tree.span(value).is_empty();
            keys.value = is_written.then_some(value);
        }
        let Some(mapping) = mapping else { return keys };
        let (mut before, mut after) = (None, None);
        for other in tree.entries(mapping).filter(|it| Some(*it) != entry) {
            let key = tree.scalar(other.key);
            if tree.span(other.key).start < place.offset {
                before = Some(key);
            } else if after.is_none() {
                after = Some(key);
            }
        }
        if let Some(before) = &before {
            keys.before = habits::name(tree, mapping, before);
        }
        if is_sorted_author(tree, mapping, entry.map(|it| it.key)) {
            keys.between = Some(Between { before, after });
        }
        keys
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.present.iter().any(|it| it == key)
    }

    /// Whether the author sorts keys by name.
    pub(super) fn is_sorted(&self) -> bool {
        self.between.is_some()
    }

    /// The penalty of a key that would be in the wrong position. Smaller is better.
    pub(super) fn order_penalty(&self, name: &str) -> i32 {
        let Some(Between { before, after }) = &self.between else {
            return 0;
        };
        let is_out = before.as_ref().is_some_and(|it| name < &**it) || after.as_ref().is_some_and(|it| name > &**it);
        i32::from(is_out) * 100
    }

    /// The penalty of a key that does not fit the value that is already there. Negative if it fits.
    pub(super) fn value_penalty(&self, expected: &Expected<'_>) -> i32 {
        let Some(value) = self.value else { return 0 };
        let tree = self.tree;
        let kind = tree.kind(value);
        let fits = match expected {
            Expected::Anything => return 0,
            Expected::Mapping => matches!(kind, NodeKind::Mapping(_)),
            Expected::List => matches!(kind, NodeKind::Sequence(_)),
            Expected::Boolean => matches!(&*tree.scalar(value), "true" | "false"),
            Expected::Number => tree.is_scalar(value) && tree.scalar(value).parse::<f64>().is_ok(),
            Expected::Text => {
                tree.is_scalar(value)
                    && !matches!(&*tree.scalar(value), "true" | "false")
                    && tree.scalar(value).parse::<f64>().is_err()
            }
            Expected::OneOf(values) => {
                let text = tree.scalar(value);
                return if !tree.is_scalar(value) {
                    500
                } else if values.iter().any(|it| *it == text) {
                    -200
                } else {
                    300
                };
            }
            Expected::Check(check) => return check(tree, value),
        };
        if fits { 0 } else { 500 }
    }
}

/// The expected form of a key's value.
pub(super) enum Expected<'a> {
    Anything,
    Mapping,
    List,
    Boolean,
    Number,
    Text,
    /// One of these strings, or at least some string.
    OneOf(Vec<&'a str>),
    /// The penalty of a value.
    Check(fn(&Tree, NodeId) -> i32),
}

/// Whether the author sorts keys by name, in this mapping and in the mappings that contain it.
fn is_sorted_author(tree: &Tree, mapping: NodeId, but: Option<NodeId>) -> bool {
    let around = std::iter::once(mapping)
        .chain(tree.ancestors(mapping))
        .filter(|it| nav::is_mapping(tree, *it));
    let mut told = 0;
    for node in around.take(6) {
        // The keys at the top level of a manifest have a conventional order, so they say nothing about sorting.
        if tree.parent(node).is_none() {
            continue;
        }
        let keys: Vec<_> = tree
            .entries(node)
            .map(|it| it.key)
            .filter(|it| Some(*it) != but)
            .take(40)
            .map(|it| tree.scalar(it))
            .collect();
        if !keys.is_sorted() {
            return false;
        }
        told += keys.len().saturating_sub(1);
    }
    told >= 2
}
