//! A document as the JSON that Kubernetes reads from it. Each value has the node from which it was read.
//!
//! The API server and its clients convert YAML to JSON with `sigs.k8s.io/yaml` (`YAMLToJSON`) and decode this JSON with `sigs.k8s.io/json`.
//! [`read_json`] returns the final result, and [`JsonDoc::write`] returns the JSON text in between.

use std::borrow::Cow;

use crate::tree::NodeId;

mod error;
mod kept;
mod read;
pub(crate) mod value;
mod write;

pub use error::{ConvertError, ConvertErrorKind};
pub use kept::KeptJson;
pub use read::{Duplicate, read_json, read_json_of};
pub use value::is_merge;

/// The maximum nesting depth that Go's JSON decoder reads (`exceeded max depth`).
pub const MAX_DEPTH: usize = 10_000;

/// A JSON value, and the node of the tree from which it was read (for an alias, the node that the alias refers to).
#[derive(Clone, PartialEq, Debug)]
pub struct Json<'t> {
    /// The node of the value.
    pub node: NodeId,
    /// The value.
    pub value: JsonValue<'t>,
}

/// The result of YAML-to-JSON conversion and `sigs.k8s.io/json` for a node.
#[derive(Clone, PartialEq, Debug)]
pub enum JsonValue<'t> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number that Go's decoder decodes to an `int64`.
    Int(i64),
    /// An integer past `i64::MAX` that YAML still reads as an integer. Go's decoder decodes it to a `float64`, but its errors quote all digits.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string, borrowed from the text if it contains no escapes.
    String(Cow<'t, str>),
    /// A list.
    Array(Vec<Json<'t>>),
    /// An object, sorted by key (bytewise, as Go sorts map keys), with each key once.
    Object(Vec<Member<'t>>),
}

/// One key and value of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'t> {
    /// The key after conversion to a string.
    pub key: Cow<'t, str>,
    /// The node of the key.
    pub key_node: NodeId,
    /// The value.
    pub value: Json<'t>,
}

impl JsonValue<'_> {
    /// See [`Json::into_owned`].
    fn into_owned(self) -> JsonValue<'static> {
        let of_text = |it: Cow<'_, str>| Cow::Owned(it.into_owned());
        match self {
            Self::Null => JsonValue::Null,
            Self::Bool(value) => JsonValue::Bool(value),
            Self::Int(value) => JsonValue::Int(value),
            Self::Uint(value) => JsonValue::Uint(value),
            Self::Float(value) => JsonValue::Float(value),
            Self::String(text) => JsonValue::String(of_text(text)),
            Self::Array(items) => JsonValue::Array(items.into_iter().map(Json::into_owned).collect()),
            Self::Object(members) => {
                let members = members.into_iter().map(|it| Member {
                    key: of_text(it.key),
                    key_node: it.key_node,
                    value: it.value.into_owned(),
                });
                JsonValue::Object(members.collect())
            }
        }
    }
}

impl<'t> Json<'t> {
    /// The member of an object with the given key.
    pub fn member(&self, key: &str) -> Option<&Member<'t>> {
        let members = self.members()?;
        let found = members.binary_search_by(|it| it.key.as_ref().cmp(key)).ok()?;
        Some(&members[found])
    }

    /// The value at a key of an object.
    pub fn get(&self, key: &str) -> Option<&Json<'t>> {
        self.member(key).map(|it| &it.value)
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[Member<'t>]> {
        match &self.value {
            JsonValue::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn items(&self) -> Option<&[Json<'t>]> {
        match &self.value {
            JsonValue::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The value of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            JsonValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same value with owned strings.
    ///
    /// This is recursive to the depth of the value; check [`JsonDoc::depth`] first.
    fn into_owned(self) -> Json<'static> {
        Json {
            node: self.node,
            value: self.value.into_owned(),
        }
    }

    /// The value without source positions.
    ///
    /// This is recursive to the depth of the value; check [`JsonDoc::depth`] first.
    pub fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.value {
            JsonValue::Null => Value::Null,
            JsonValue::Bool(value) => Value::Bool(*value),
            JsonValue::Int(value) => Value::from(*value),
            JsonValue::Uint(value) => Value::from(*value as f64),
            JsonValue::Float(value) => Value::from(*value),
            JsonValue::String(text) => Value::String(text.as_ref().to_owned()),
            JsonValue::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            JsonValue::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|it| (it.key.as_ref().to_owned(), it.value.to_value()))
                    .collect(),
            ),
        }
    }
}

/// The JSON of a document.
#[derive(Clone, Debug)]
pub struct JsonDoc<'t> {
    root: Option<Json<'t>>,
    depth: usize,
    /// Whether any object lost a value because a later value has the same key.
    has_same_keys: bool,
    duplicates: Vec<Duplicate>,
}

impl<'t> JsonDoc<'t> {
    /// The value; `None` if the document has no content, which means `null`.
    pub fn root(&self) -> Option<&Json<'t>> {
        self.root.as_ref()
    }

    /// Removes the list of duplicate keys, as if all keys were different.
    pub fn forget_duplicates(&mut self) {
        self.duplicates.clear();
    }

    /// Keeps only some of the duplicate keys in their list.
    pub fn retain_duplicates(&mut self, is_kept: impl FnMut(&Duplicate) -> bool) {
        self.duplicates.retain(is_kept);
    }

    /// The value, for changes. Objects must stay sorted, and the value must not become deeper.
    pub fn root_mut(&mut self) -> Option<&mut Json<'t>> {
        self.root.as_mut()
    }

    /// Takes the value out. Dropping a value is recursive to the depth of the value: see [`JsonDoc::depth`].
    pub fn into_root(mut self) -> Option<Json<'t>> {
        self.root.take()
    }

    /// The nesting depth of arrays and objects, including those reached through aliases.
    ///
    /// The parser and this type support any depth. Recursive code should set its own limit below [`MAX_DEPTH`], the limit of the API server, because
    /// stack sizes differ.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The first array or object that is nested too deeply for Go's JSON decoders ([`MAX_DEPTH`]), in their reading order.
    pub fn first_too_deep(&self) -> Option<&Json<'_>> {
        let mut open = Vec::from_iter(self.root().filter(|_| self.depth > MAX_DEPTH).map(|it| (it, 1)));
        while let Some((json, depth)) = open.pop() {
            let (items, members) = (json.items(), json.members());
            if depth > MAX_DEPTH && (items.is_some() || members.is_some()) {
                return Some(json);
            }
            open.extend(items.into_iter().flatten().rev().map(|it| (it, depth + 1)));
            open.extend(members.into_iter().flatten().rev().map(|it| (&it.value, depth + 1)));
        }
        None
    }

    /// The duplicate keys, in the API server's order.
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }

    /// The error of `YAMLToJSONStrict`, which lists all duplicate keys in one message.
    pub fn strict_error(&self) -> Option<String> {
        if self.duplicates.is_empty() {
            return None;
        }
        let mut message = "yaml: unmarshal errors:".to_owned();
        for duplicate in &self.duplicates {
            message.push_str("\n  ");
            message.push_str(&duplicate.message);
        }
        Some(message)
    }
}

impl Drop for JsonDoc<'_> {
    fn drop(&mut self) {
        if let Some(root) = self.root.take()
            && self.depth > SHALLOW
        {
            dismantle(vec![root]);
        }
    }
}

/// The depth up to which dropping a value may be recursive.
const SHALLOW: usize = 100;

/// Drops values of any depth without recursion.
fn dismantle(mut values: Vec<Json<'_>>) {
    while let Some(json) = values.pop() {
        match json.value {
            JsonValue::Array(items) => values.extend(items),
            JsonValue::Object(members) => values.extend(members.into_iter().map(|it| it.value)),
            _ => {}
        }
    }
}
