//! The values of scalars and keys in go-yaml.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::resolve::{self, Resolved, TAG_PREFIX};
use crate::tree::{NodeId, NodeKind, ScalarStyle, Tree};

/// The value that a scalar decodes to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ScalarValue<'t> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(Cow<'t, str>),
}

impl ScalarValue<'_> {
    /// Whether the value is a number that JSON cannot represent: infinity or NaN.
    pub(crate) fn is_infinite(&self) -> bool {
        matches!(self, Self::Float(value) if !value.is_finite())
    }

    /// Whether both values are the same key in a Go map.
    pub(crate) fn is_same_key(&self, other: &Self) -> bool {
        self == other
    }

    /// The order in which Go prints keys: by the address of their type, then by value. The order of addresses was the same in all tested builds of
    /// the API server.
    pub(crate) fn go_order(&self, other: &Self) -> Ordering {
        let rank = |it: &Self| match it {
            Self::Null => 0,
            Self::Text(_) => 1,
            Self::Uint(_) => 2,
            Self::Int(_) => 3,
            Self::Float(_) => 4,
            Self::Bool(_) => 5,
        };
        rank(self).cmp(&rank(other)).then_with(|| match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Int(left), Self::Int(right)) => left.cmp(right),
            (Self::Uint(left), Self::Uint(right)) => left.cmp(right),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(right).unwrap_or(Ordering::Equal),
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            _ => Ordering::Equal,
        })
    }
}

/// Decodes a scalar (`decoder.scalar` into an interface). The error message does not contain the prefix `yaml: `.
pub(crate) fn scalar_value(tree: &Tree, node: NodeId) -> Result<ScalarValue<'_>, String> {
    let text = tree.scalar(node);
    let resolved = match tree.tag(node) {
        None if tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain) => resolve::plain(&text),
        None => Resolved::Text,
        Some(tag) if is_binary(tag) => {
            let Some(bytes) = resolve::base64(&text) else {
                return Err("!!binary value contains invalid base64 data".to_owned());
            };
            return Ok(ScalarValue::Text(Cow::Owned(resolve::lossy(&bytes).into_owned())));
        }
        Some(tag) => resolve::tagged(tag, &text)?,
    };
    Ok(match resolved {
        Resolved::Null => ScalarValue::Null,
        Resolved::Bool(value) => ScalarValue::Bool(value),
        Resolved::Int(value) => ScalarValue::Int(value),
        Resolved::Uint(value) => ScalarValue::Uint(value),
        Resolved::Float(value) => ScalarValue::Float(value),
        Resolved::Text => ScalarValue::Text(text),
    })
}

fn is_binary(tag: &str) -> bool {
    tag.strip_prefix(TAG_PREFIX) == Some("binary")
}

/// The bytes of a `!!binary` scalar.
pub(crate) fn binary(tree: &Tree, node: NodeId) -> Option<Vec<u8>> {
    tree.tag(node)
        .filter(|it| is_binary(it))
        .and_then(|_| resolve::base64(&tree.scalar(node)))
}

/// Whether a key merges its value into the mapping (`isMerge`).
pub fn is_merge(tree: &Tree, key: NodeId) -> bool {
    let NodeKind::Scalar(style) = tree.kind(key) else {
        return false;
    };
    let span = tree.span(key);
    // `<<` has two bytes, or four with quotes. A longer spelling contains escapes, and is only a merge if it has the tag `!!merge` or `!`.
    if style == ScalarStyle::Plain && span.range().len() != 2 {
        return false;
    }
    let implied = match tree.tag(key) {
        None => style == ScalarStyle::Plain,
        Some(tag) => tag == "!" && !span.is_empty() || tag.strip_prefix(TAG_PREFIX) == Some("merge"),
    };
    implied && tree.scalar(key) == "<<"
}

/// The type of a key, which the string of the key does not show.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KeyKind {
    Text,
    Null,
    Bool,
    Int,
    Uint(u64),
    /// The bits of the float.
    Float(u64),
}
