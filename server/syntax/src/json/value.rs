//! What scalars and keys are to go-yaml.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::resolve::{self, Resolved, TAG_PREFIX};
use crate::tree::{NodeId, NodeKind, ScalarStyle, Tree};

/// What a scalar decodes to.
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
    /// Whether it is a number that JSON has none for: infinity, or not a number.
    pub(crate) fn is_infinite(&self) -> bool {
        matches!(self, Self::Float(value) if !value.is_finite())
    }

    /// Whether Go's map takes both for one key.
    pub(crate) fn is_same_key(&self, other: &Self) -> bool {
        self == other
    }

    /// The order in which Go prints keys: by the address of their type (the same in all builds of the API server that
    /// were asked), and by value.
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

/// The value of a scalar (`decoder.scalar` into an interface). The error is the message without `yaml: `.
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
pub(crate) fn is_merge(tree: &Tree, key: NodeId) -> bool {
    let NodeKind::Scalar(style) = tree.kind(key) else {
        return false;
    };
    let span = tree.span(key);
    // `<<` is two bytes, four in quotes; a longer way to write it needs escapes, and with them no tag makes it a merge but `!!merge` and `!`.
    if style == ScalarStyle::Plain && span.range().len() != 2 {
        return false;
    }
    let implied = match tree.tag(key) {
        None => style == ScalarStyle::Plain,
        Some(tag) => tag == "!" && !span.is_empty() || tag.strip_prefix(TAG_PREFIX) == Some("merge"),
    };
    implied && tree.scalar(key) == "<<"
}

/// The type of a key, as far as its string does not tell.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KeyKind {
    Text,
    Null,
    Bool,
    Int,
    Uint(u64),
    /// The bits.
    Float(u64),
}
