//! Fixes for values that are not in the form that their field requires.

use crd_analyzer_apiextensions::api::{Field, FieldType, SCHEMA, VALIDATION_RULE};
use crd_analyzer_diagnostic::{other_types::schema_of_type, text::without_quotes};
use crd_analyzer_syntax::tree::{NodeId, NodeKind, ScalarStyle, Tree};

use super::{
    super::{
        TextEdit,
        edits::{in_brackets, put, set_scalar},
    },
    Repair, typing,
};
use crate::write;

/// The title and the edit of a fix that gives a value the type of its field.
pub(super) fn typed(tree: &Tree, node: NodeId, ty: &FieldType) -> Option<(&'static str, TextEdit)> {
    let NodeKind::Scalar(style) = tree.kind(node) else {
        return None;
    };
    if tree.is_absent(node) || matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
        return None;
    }
    let (source, value, span) = (tree.source(node), tree.scalar(node), tree.span(node));
    let is_plain = style == ScalarStyle::Plain;
    match ty {
        FieldType::String | FieldType::Cel if is_plain && typing::type_of(tree, node) != Some("string") => {
            Some(("Quote the value", put(span, format!("\"{source}\""))))
        }
        FieldType::Integer | FieldType::Number | FieldType::Boolean if !is_plain => {
            let r#type = match ty {
                FieldType::Integer => "integer",
                FieldType::Number => "number",
                _ => "boolean",
            };
            let unquoted = without_quotes(&value, r#type)?;
            Some(("Remove the quotes", put(span, unquoted)))
        }
        // A boolean in place of names has another meaning, such as in `required: true`.
        FieldType::List(FieldType::String) if typing::type_of(tree, node) == Some("string") => {
            Some(("Make it a list", in_brackets(tree, node)?))
        }
        _ => None,
    }
}

/// Writes the object for a string that is its only part: a schema for its type, a rule for its expression.
pub(super) fn only_part(tree: &Tree, node: NodeId, ty: &FieldType) -> Option<Repair> {
    if !matches!(
        tree.kind(node),
        NodeKind::Scalar(ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)
    ) || tree.is_absent(node)
    {
        return None;
    }
    let is_rule = |ty: &FieldType| matches!(ty, FieldType::Object(it) if std::ptr::eq(*it, &raw const VALIDATION_RULE));
    let text = tree.scalar(node);
    let written = match ty {
        FieldType::Object(it) if std::ptr::eq(*it, &raw const SCHEMA) => schema_of_type(&text)?,
        FieldType::SchemaOrBool | FieldType::SchemaOrList => schema_of_type(&text)?,
        FieldType::List(item) if is_rule(item) => format!("[{{rule: {}}}]", write::plain_or_quoted(&text)?),
        it if is_rule(it) => format!("{{rule: {}}}", write::plain_or_quoted(&text)?),
        _ => return None,
    };
    let edit = put(tree.span(node), written.as_str());
    Some(Repair::new(format!("Write {written}"), vec![edit]))
}

/// The title and the edit of a fix that makes a value valid for its field.
pub(super) fn value_of(tree: &Tree, node: NodeId, field: &Field) -> Option<(&'static str, TextEdit)> {
    if field.name == "jsonPath" {
        return Some(("Begin with a dot", dotted(tree, node)?.1));
    }
    typed(tree, node, &field.ty)
}

/// The path with a leading dot, and the edit that adds the dot. `None` if the path already has it.
pub(super) fn dotted(tree: &Tree, node: NodeId) -> Option<(String, TextEdit)> {
    if !tree.is_scalar(node) {
        return None;
    }
    let written = tree.scalar(node);
    let bare = written
        .trim_start_matches(['$', '{'])
        .trim_end_matches('}')
        .trim_start_matches('.');
    let path = format!(".{bare}");
    if bare.is_empty() || path == *written {
        return None;
    }
    let is_plain = tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
    // A dot followed by letters is a string, except for `.inf` and `.nan`.
    let is_text = !["inf", "nan"].contains(&&*bare.to_ascii_lowercase())
        && bare.starts_with(|it: char| it.is_ascii_alphabetic())
        && bare.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'.');
    let edit = if is_plain && is_text {
        put(tree.span(node), path.clone())
    } else {
        set_scalar(tree, node, &path)?
    };
    Some((path, edit))
}
