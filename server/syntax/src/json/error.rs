//! Why a document cannot be converted to JSON, and the search for the value that is the reason.

use super::value::{KeyKind, ScalarValue, scalar_value};
use super::{Json, JsonValue, Member};
use crate::go_syntax;
use crate::tree::{NodeId, Span, Tree};

/// Why YAML cannot be converted to JSON, with the API server's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertError {
    /// The message, such as `yaml: map merge requires map or sequence of maps as the value`.
    pub message: String,
    /// Where the cause lies.
    pub span: Span,
    /// Which rule was broken.
    pub kind: ConvertErrorKind,
}

/// The rules of conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConvertErrorKind {
    /// A collection is a key: `{{ .Values.name }}`.
    CollectionKey,
    /// A key is null or a number over `int64`. (The message of Kubernetes 1.30 begins with a capital letter: `Unsupported`.)
    UnsupportedKey,
    /// The value of `<<` is neither a mapping nor a sequence of mappings.
    Merge,
    /// An alias is in what it represents.
    Cycle,
    /// Aliases make the document too large.
    ExcessiveAliasing,
    /// A scalar is not what its tag says.
    Tag,
    /// A number that JSON cannot write: infinity, not a number.
    Number,
}

impl std::fmt::Display for ConvertError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConvertError {}

/// What is wrong with keys and numbers of the whole, in the API server's order: keys are converted before anything is written.
pub(super) fn unwritable(tree: &Tree, root: &Json<'_>) -> Option<Box<ConvertError>> {
    first_error(root, |it| key_error(tree, it)).or_else(|| first_error(root, |it| number_error(tree, it)))
}

/// What the keys that cannot be strings begin with until they are refused. A string may begin so, too: [`is_bad_key`] asks the tree.
pub(super) const BAD_KEY: &str = "\0";

/// Whether a key cannot be a string.
pub(super) fn is_bad_key(tree: &Tree, member: &Member<'_>) -> bool {
    let value = || scalar_value(tree, tree.resolve(member.key_node));
    member.key.starts_with(BAD_KEY) && matches!(value(), Ok(ScalarValue::Null | ScalarValue::Uint(_)))
}

/// The first error in the order in which Go's JSON encoder writes.
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

/// A key that cannot be a string (`convertToJSONableObject`).
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

/// A number that Go's JSON encoder refuses.
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
