//! A document as the JSON that Kubernetes reads from it, each value with the node it came from.

use std::borrow::Cow;

use crate::tree::NodeId;

/// A JSON value and the node of the tree that it was read from (through an alias: the aliased node).
#[derive(Clone, PartialEq, Debug)]
pub struct Json<'t> {
    /// Where the value is written.
    pub node: NodeId,
    /// The value.
    pub value: JsonValue<'t>,
}

/// What YAML-to-JSON conversion and `sigs.k8s.io/json` make of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum JsonValue<'t> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number that Go's decoder reads into an `int64`.
    Int(i64),
    /// An integer past `i64::MAX` that YAML still reads as one; Go's decoder reads a `float64`, but its errors name all digits.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A string, borrowed from the text where it is written as it is.
    String(Cow<'t, str>),
    /// A list.
    Array(Vec<Json<'t>>),
    /// An object: sorted by key (bytewise, as Go sorts the keys of a map), each key once.
    Object(Vec<Member<'t>>),
}

/// One key and value of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'t> {
    /// The key after conversion to a string.
    pub key: Cow<'t, str>,
    /// Where the key is written.
    pub key_node: NodeId,
    /// The value.
    pub value: Json<'t>,
}
