//! The reason why a document cannot be converted to JSON, and the search for the value that causes it.

use super::value::{KeyKind, ScalarValue, scalar_value};
use super::{Json, JsonValue, Member};
use crate::go_syntax;
use crate::tree::{NodeId, Span, Tree};

/// The reason why YAML cannot be converted to JSON, with the API server's message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertError {
    /// The message, such as `yaml: map merge requires map or sequence of maps as the value`.
    pub message: String,
    /// The location of the cause in the text.
    pub span: Span,
    /// The violated rule.
    pub kind: ConvertErrorKind,
}

/// The rules of the conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConvertErrorKind {
    /// A collection is a key: `{{ .Values.name }}`.
    CollectionKey,
    /// A key is null, or is a number above `int64`. (In Kubernetes 1.30 the message starts with a capital letter: `Unsupported`.)
    UnsupportedKey,
    /// The value of `<<` is neither a mapping nor a sequence of mappings.
    Merge,
    /// An alias is inside the node that it refers to.
    Cycle,
    /// Aliases make the document too large.
    ExcessiveAliasing,
    /// A scalar does not match its tag.
    Tag,
    /// A number that JSON cannot represent: infinity or NaN.
    Number,
}

impl std::fmt::Display for ConvertError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConvertError {}

/// The first error in the keys and numbers of the whole value, in the API server's order. The API server converts all keys before it writes anything.
pub(super) fn unwritable(tree: &Tree, root: &Json<'_>) -> Option<Box<ConvertError>> {
    first_error(root, |it| key_error(tree, it)).or_else(|| first_error(root, |it| number_error(tree, it)))
}

/// The prefix of keys that cannot be strings; such keys are rejected later. A valid string may also have this prefix, so [`is_bad_key`] also checks
/// the tree.
pub(super) const BAD_KEY: &str = "\0";

/// Whether a key cannot be converted to a string.
pub(super) fn is_bad_key(tree: &Tree, member: &Member<'_>) -> bool {
    let value = || scalar_value(tree, tree.resolve(member.key_node));
    member.key.starts_with(BAD_KEY) && matches!(value(), Ok(ScalarValue::Null | ScalarValue::Uint(_)))
}

/// The first error in the order in which Go's JSON encoder visits the values.
fn first_error(root: &Json<'_>, check: impl Fn(&Json<'_>) -> Option<Box<ConvertError>>) -> Option<Box<ConvertError>> {
    let mut values = vec![root];
    while let Some(json) = values.pop() {
        if let Some(error) = check(json) {
            return Some(error);
        }
        match &json.value {
            JsonValue::Array(items) => values.extend(items.iter().rev()),
            JsonValue::Object(members) => values.extend(members.iter().rev().map(|it| &it.value)),
            _ => {}
        }
    }
    None
}

/// The error for a key that cannot be converted to a string (`convertToJSONableObject`).
fn key_error(tree: &Tree, json: &Json<'_>) -> Option<Box<ConvertError>> {
    for Member { key, key_node, .. } in json
        .members()
        .into_iter()
        .flatten()
        .filter(|it| it.key.starts_with(BAD_KEY))
    {
        let (type_name, kind) = match scalar_value(tree, tree.resolve(*key_node)) {
            Ok(ScalarValue::Null) => ("%!s(<nil>)", KeyKind::Null),
            Ok(ScalarValue::Uint(value)) => ("uint64", KeyKind::Uint(value)),
            _ => continue,
        };
        let message = format!(
            "unsupported map key of type: {type_name}, key: {}, value: {}",
            go_syntax::key(tree, *key_node, &kind, key),
            go_syntax::write(tree, NodeId(tree.end(*key_node)))
        );
        let span = tree.span(*key_node);
        return Some(Box::new(ConvertError {
            message,
            span,
            kind: ConvertErrorKind::UnsupportedKey,
        }));
    }
    None
}

/// The error for a number that Go's JSON encoder rejects.
fn number_error(tree: &Tree, json: &Json<'_>) -> Option<Box<ConvertError>> {
    let JsonValue::Float(value) = json.value else {
        return None;
    };
    if value.is_finite() {
        return None;
    }
    let message = format!("json: unsupported value: {}", go_syntax::float_g(value, false));
    let span = tree.span(json.node);
    Some(Box::new(ConvertError {
        message,
        span,
        kind: ConvertErrorKind::Number,
    }))
}
