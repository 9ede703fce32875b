//! The values that kustomize works on, each with the place that decided it.

use std::{borrow::Cow, sync::Arc};

use crd_analyzer_syntax::tree::NodeId;
use serde_json::Value as JsonValue;

/// Where a value is written: a node of a document of [`Sources`](crate::Sources).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The document, as [`Sources`](crate::Sources) counts.
    pub document: u32,
    /// The node in the document's tree.
    pub node: NodeId,
}

/// A value and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What decided the value.
    pub place: Place,
    /// Nodes of an object with the same number, other than 0, are one to kustomize: it adds a label to several fields at once, and a later change
    /// of one of them changes all.
    pub(crate) shared: u32,
    /// The scalar has quotes. What a patch puts in its place gets them, too, and is a string then.
    pub(crate) is_quoted: bool,
    /// The collection is in braces or brackets. What takes the place of a field is so, too, if the field was.
    pub(crate) is_flow: bool,
    /// A replacement has made the scalar: until it is read again, vars take it for a string.
    pub(crate) is_untagged: bool,
    /// The word of a number, if it is not the one that the value has here: `0644`. Where the number becomes a string, it is this one.
    pub(crate) written: Option<Box<Word>>,
    /// What patches have taken out of the collection.
    pub(crate) removals: Removals,
    /// The value.
    pub value: Value,
}

/// A word as it is written: few nodes have one, and the others take no more than a pointer for it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Word(pub(crate) Box<str>);

/// A value as kustomize has it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `null`. A merge keeps a written word, and drops a value that is left out after the colon.
    Null {
        /// Whether a word is written.
        is_written: bool,
    },
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer past `i64::MAX`.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string. Who takes it over shares it.
    String(Arc<str>),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Map(Vec<Entry>),
}

/// Something that was taken out of an object or a list, or the text that a name had before it got a prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removal {
    /// The key of a field; empty of an item or a text.
    pub key: Arc<str>,
    /// What takes it out: a null, a map with a `$patch`, the `path` of an operation, a prefix.
    pub place: Place,
}

/// What was removed of a node, in the order in which that happened. Most nodes have nothing of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Removals(Option<Box<Removed>>);

/// So that a node without removals takes no more than a pointer.
#[derive(Clone, PartialEq, Debug, Default)]
struct Removed {
    all: Vec<Removal>,
}

/// Removals of one node that are kept.
const MOST_REMOVALS: usize = 100;

/// A key and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// Where the key is written.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

/// Bytes of a node with its key, the texts left out.
pub(crate) const NODE: usize = size_of::<Entry>();

/// What a value has around it where it is written: a colon, a dash, quotes, a line.
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

    /// A scalar without quotes: the text says what it is.
    pub(crate) fn plain(place: Place, text: &str) -> Self {
        Self::new(place, plain(text))
    }

    /// What patches have taken out of it.
    pub fn removals(&self) -> &[Removal] {
        self.removals.0.as_ref().map_or(&[], |it| it.all.as_slice())
    }

    /// Notes that a patch takes something out of it.
    pub(crate) fn note_removal(&mut self, key: Arc<str>, place: Place) {
        let removed = self.removals.0.get_or_insert_default();
        if removed.all.len() < MOST_REMOVALS {
            // Most nodes have one: no more room than is counted.
            removed.all.reserve_exact(1);
            removed.all.push(Removal { key, place });
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null { .. })
    }

    /// `IsYNodeNilOrEmpty`: null, or a collection without content.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null { .. } => true,
            Value::List(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// Whether it is neither a list nor an object.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.value, Value::List(_) | Value::Map(_))
    }

    /// The entries of an object; none of other values.
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

    /// The items of a list; none of other values.
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

    /// The value that these keys lead to, each in the one before.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|it| *it.key == *key)?;
        Some(entries.remove(at))
    }

    /// Sets a key, whose place stays where it is if the key is there.
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

    /// Makes of it what is there when kustomize has printed it and reads it again: in braces and brackets, a value that is left out is
    /// printed as an empty string.
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

    /// The text of a scalar as it would be written; empty for collections.
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

    /// The same to keep: a string is shared.
    pub(crate) fn shared_text(&self) -> Arc<str> {
        match &self.value {
            Value::String(text) if self.written.is_none() => text.clone(),
            _ => self.text().into(),
        }
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same in the place of another scalar: it gets quotes if that has them, and loses its own if not.
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

    /// Visits the scalars that are shared, in the order of their keys.
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

    /// How many nodes it has, itself counted.
    pub(crate) fn size(&self) -> usize {
        let inside: usize = match &self.value {
            Value::List(items) => items.iter().map(Self::size).sum(),
            Value::Map(entries) => entries.iter().map(|it| it.value.size()).sum(),
            _ => 0,
        };
        1 + inside
    }

    /// About how many bytes it has where it is written out: what is shared counts each time.
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

    /// The bytes of memory that it takes as long as it is kept: what is shared counts each time.
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

    /// Whether it is written on the line of its key: a scalar, or a collection without content.
    pub fn is_inline(&self) -> bool {
        self.is_scalar() || self.is_empty()
    }

    /// The value without places.
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

/// What a scalar without quotes is (`resolve.go` of go-yaml v3, as far as JSON tells its values apart).
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
