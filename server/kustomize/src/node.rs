//! The values in a build. Each records the place that set it.

use std::{borrow::Cow, sync::Arc};

use crd_analyzer_syntax::tree::NodeId;
use serde_json::Value as JsonValue;

/// The place of a value: a node of a document of [`Sources`](crate::Sources).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The index of the document in [`Sources`](crate::Sources).
    pub document: u32,
    /// The node in the document's tree.
    pub node: NodeId,
}

/// A value, and the place that set it.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// The place that set the value.
    pub place: Place,
    /// A number, other than 0, that nodes of an object have in common if they are the same node in kustomize. kustomize adds a label to several
    /// fields at once, and a later change of one of them changes them all.
    pub(crate) shared: u32,
    /// Whether the scalar has quotes. A value that replaces it gets quotes as well, and becomes a string.
    pub(crate) is_quoted: bool,
    /// Whether the collection is in braces or brackets. A value that replaces it keeps this style.
    pub(crate) is_flow: bool,
    /// Whether a replacement has created the scalar. If so, vars treat it as a string until kustomize parses it again.
    pub(crate) is_untagged: bool,
    /// The source text of a number, if it differs from the default form, as in `0644`. If the number becomes a string, this is the string.
    pub(crate) written: Option<Box<Word>>,
    /// The parts that patches have removed from this value.
    pub(crate) removals: Removals,
    /// The value.
    pub value: Value,
}

/// The source text of a scalar. It is in a box because few nodes have one.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Word(pub(crate) Box<str>);

/// A value in kustomize.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `null`. When kustomize merges, it keeps a written `null`, but drops a value that is missing after the colon.
    Null {
        /// Whether `null` is written, and not just a missing value.
        is_written: bool,
    },
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that is greater than `i64::MAX`.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string. Copies of a node share it.
    String(Arc<str>),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Map(Vec<Entry>),
}

/// A part that was removed from an object or a list, or the original name if it got a prefix or suffix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removal {
    /// The key of a removed field. Empty for an item or a name.
    pub key: Arc<str>,
    /// The place that removes the part: a null, a map with a `$patch`, the `path` of an operation, or a prefix.
    pub place: Place,
}

/// The parts that were removed from a node, in order. Most nodes have none.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Removals(Option<Box<Removed>>);

/// The content of [`Removals`]. It is in a box so that a node without removals only needs a pointer.
#[derive(Clone, PartialEq, Debug, Default)]
struct Removed {
    all: Vec<Removal>,
}

/// The maximum number of removals to record for a node.
const MOST_REMOVALS: usize = 100;

/// A key and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// The place where the key was written.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

/// The size of a node with its key, in bytes, without strings.
pub(crate) const NODE: usize = size_of::<Entry>();

/// The number of bytes around a written value, for the colon or dash, quotes and a line break.
const A_VALUE: u64 = 8;

impl Node {
    pub(crate) fn new(place: Place, value: Value) -> Self {
        Self {
            place,
            shared: 0,
            is_quoted: false,
            is_flow: false,
            is_untagged: false,
            written: None,
            removals: Removals::default(),
            value,
        }
    }

    pub(crate) fn string(place: Place, text: impl Into<Arc<str>>) -> Self {
        Self::new(place, Value::String(text.into()))
    }

    pub(crate) fn empty_map(place: Place) -> Self {
        Self::new(place, Value::Map(Vec::new()))
    }

    /// A plain scalar, whose text determines its type.
    pub(crate) fn plain(place: Place, text: &str) -> Self {
        Self::new(place, plain(text))
    }

    /// The parts that patches have removed from this value.
    pub fn removals(&self) -> &[Removal] {
        self.removals.0.as_ref().map_or(&[], |it| it.all.as_slice())
    }

    /// Records that a patch removes a part of this value.
    pub(crate) fn note_removal(&mut self, key: Arc<str>, place: Place) {
        let removed = self.removals.0.get_or_insert_default();
        if removed.all.len() < MOST_REMOVALS {
            // Most nodes have one removal, so reserve space for one at a time, as it is counted.
            removed.all.reserve_exact(1);
            removed.all.push(Removal { key, place });
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null { .. })
    }

    /// Whether the value is null or an empty collection (`IsYNodeNilOrEmpty`).
    pub(crate) fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null { .. } => true,
            Value::List(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// Whether the value is neither a list nor an object.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.value, Value::List(_) | Value::Map(_))
    }

    /// The entries of an object. Empty for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a list. Empty for other values.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|it| *it.key == *key).map(|it| &it.value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let entries = self.entries_mut()?;
        entries.iter_mut().find(|it| *it.key == *key).map(|it| &mut it.value)
    }

    /// The value at a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|it| *it.key == *key)?;
        Some(entries.remove(at))
    }

    /// Sets the value of a key. An existing key keeps its position.
    pub(crate) fn set(&mut self, key: impl AsRef<str> + Into<Arc<str>>, key_place: Place, value: Self) {
        let Some(entries) = self.entries_mut() else { return };
        match entries.iter_mut().find(|it| *it.key == *key.as_ref()) {
            Some(entry) => {
                entry.value = value;
            }
            None => entries.push(Entry {
                key: key.into(),
                key_place,
                value,
            }),
        }
    }

    /// Changes the node in the same way as kustomize, which prints and parses it again: in braces and brackets, a missing value becomes an empty
    /// string.
    pub(crate) fn reread(&mut self) {
        self.reread_in(false);
    }

    fn reread_in(&mut self, is_in_flow: bool) {
        let is_in_flow = is_in_flow || self.is_flow;
        match &mut self.value {
            Value::Null { is_written: false } if is_in_flow => self.value = Value::String("".into()),
            Value::List(items) => items.iter_mut().for_each(|it| it.reread_in(is_in_flow)),
            Value::Map(entries) => entries.iter_mut().for_each(|it| it.value.reread_in(is_in_flow)),
            _ => {}
        }
    }

    /// The text of a scalar as it would be written. Empty for collections.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        if let Some(written) = &self.written {
            return Cow::Borrowed(&written.0);
        }
        match &self.value {
            Value::Null { is_written } => Cow::Borrowed(if *is_written { "null" } else { "" }),
            Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Value::Int(value) => Cow::Owned(value.to_string()),
            Value::Uint(value) => Cow::Owned(value.to_string()),
            Value::Float(value) => Cow::Owned(value.to_string()),
            Value::String(text) => Cow::Borrowed(text),
            Value::List(_) | Value::Map(_) => Cow::Borrowed(""),
        }
    }

    /// Like [`Node::text`], but shares the string.
    pub(crate) fn shared_text(&self) -> Arc<str> {
        match &self.value {
            Value::String(text) if self.written.is_none() => text.clone(),
            _ => self.text().into(),
        }
    }

    /// The string, if the value is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// This node as a replacement for another scalar: adds or removes quotes so that both have the same style.
    pub(crate) fn in_place_of(mut self, old: Option<&Self>) -> Self {
        self.shared = old.map_or(self.shared, |it| it.shared);
        if old.is_some_and(|it| it.is_scalar() && !it.is_quoted) {
            self.is_quoted = false;
        }
        if old.is_some_and(|it| it.is_quoted) && self.is_scalar() && !self.is_null() {
            self.value = Value::String(self.shared_text());
            self.written = None;
            self.is_quoted = true;
        }
        self
    }

    /// Visits all scalars in shared nodes, in the order of their keys.
    pub(crate) fn each_shared(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|it| it.each_shared(visit)),
            Value::Map(entries) => {
                let mut order: Vec<usize> = (0..entries.len()).collect();
                order.sort_by(|a, b| entries[*a].key.cmp(&entries[*b].key));
                for at in order {
                    entries[at].value.each_shared(visit);
                }
            }
            _ if self.shared != 0 => visit(self),
            _ => {}
        }
    }

    /// The number of nodes in this value, including the value itself.
    pub(crate) fn size(&self) -> usize {
        let inside: usize = match &self.value {
            Value::List(items) => items.iter().map(Self::size).sum(),
            Value::Map(entries) => entries.iter().map(|it| it.value.size()).sum(),
            _ => 0,
        };
        1 + inside
    }

    /// The approximate size of the written value, in bytes. Shared parts are counted at each use.
    pub fn written_bytes(&self) -> u64 {
        match &self.value {
            Value::String(text) => text.len() as u64 + A_VALUE,
            Value::List(items) => A_VALUE + items.iter().map(Self::written_bytes).sum::<u64>(),
            Value::Map(entries) => {
                let entry = |it: &Entry| it.key.len() as u64 + it.value.written_bytes();
                A_VALUE + entries.iter().map(entry).sum::<u64>()
            }
            _ => A_VALUE,
        }
    }

    /// The memory that the node uses, in bytes. Shared parts are counted at each use.
    pub fn kept_bytes(&self) -> u64 {
        let written = self.written.as_ref().map_or(0, |it| size_of::<Word>() + it.0.len());
        let inside = match &self.value {
            Value::String(text) => text.len() as u64,
            Value::List(items) => items.iter().map(Self::kept_bytes).sum(),
            Value::Map(entries) => {
                let entry = |it: &Entry| it.key.len() as u64 + it.value.kept_bytes();
                entries.iter().map(entry).sum()
            }
            _ => 0,
        };
        (NODE + written + size_of_val(self.removals())) as u64 + inside
    }

    /// Whether the value is written on the line of its key, as a scalar or an empty collection is.
    pub fn is_inline(&self) -> bool {
        self.is_scalar() || self.is_empty()
    }

    /// Converts the value to JSON, which has no places.
    pub fn to_json(&self) -> JsonValue {
        match &self.value {
            Value::Null { .. } => JsonValue::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Uint(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::String(text) => (**text).into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => {
                let entries = entries.iter().map(|it| (it.key.to_string(), it.value.to_json()));
                JsonValue::Object(entries.collect())
            }
        }
    }
}

/// The value of a plain scalar. Follows `resolve.go` of go-yaml v3, as far as the result is visible in JSON.
pub(crate) fn plain(text: &str) -> Value {
    match text {
        "" => return Value::Null { is_written: false },
        "~" | "null" | "Null" | "NULL" => return Value::Null { is_written: true },
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(value) = text.parse::<i64>() {
        return Value::Int(value);
    }
    let is_number = text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '-' | '+' | '.'))
        && text.bytes().all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it));
    match text.parse::<f64>() {
        Ok(value) if is_number => Value::Float(value),
        _ => Value::String(text.into()),
    }
}
