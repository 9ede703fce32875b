//! CEL in YAML: finds the expression at a position in a file, and maps its parts back to the file.

mod expression;
mod extents;
mod meaning;
mod same;
mod scope;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crd_analyzer_apiextensions::api::FieldType;
use crd_analyzer_schema::{KubernetesVersion, rules::Part};
use crd_analyzer_syntax::{
    paths::{self, path_of},
    source_map::SourceMap,
    tree::{NodeId, Span, Tree},
};

pub use expression::Expression;
pub use extents::parts_around;
pub use meaning::{Meaning, display_type, type_shape};
pub use scope::{Scope, Scopes};

use crate::{file::Document, schema};

/// The keyword of a schema that contains its validation rules.
pub const RULES: &str = "x-kubernetes-validations";

/// A scalar that is an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CelScalar {
    /// The scalar.
    pub scalar: NodeId,
    /// The rule that contains the expression. `None` for expressions in objects that are not CRDs.
    pub rule: Option<RulePlace>,
}

/// The place of an expression in a validation rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RulePlace {
    /// The field of the rule that contains the expression.
    pub part: Part,
    /// The rule: a mapping in `x-kubernetes-validations`.
    pub rule: NodeId,
    /// The schema that has the rule.
    pub schema: NodeId,
}

/// A position in an expression.
#[derive(Clone, Debug)]
pub struct CelAt<'d> {
    /// The expression.
    pub expression: Expression<'d>,
    /// The byte offset in the expression.
    pub byte: usize,
}

/// The expression at a position in an object, with types as the API server of this Kubernetes version sees them.
pub fn cel_at<'d>(document: &Document<'d>, offset: u32, version: KubernetesVersion) -> Option<CelAt<'d>> {
    let (scalar, byte) = scalar_at(document.tree, offset)?;
    Some(CelAt {
        expression: Expression::new(document, scalar, version),
        byte,
    })
}

/// The expression at an offset of the file, and the byte offset in its text.
pub fn scalar_at(tree: &Tree, offset: u32) -> Option<(CelScalar, usize)> {
    let at = paths::at(tree, offset)?;
    let byte = at.in_scalar?;
    Some((scalar_of(tree, at.node)?, byte))
}

/// The place of a node that is an expression; `None` if it is not one.
pub fn scalar_of(tree: &Tree, node: NodeId) -> Option<CelScalar> {
    let rule = rule_of(tree, node);
    let is_expression = || is_expression_of_row(tree, node);
    (rule.is_some() || is_expression()).then_some(CelScalar { scalar: node, rule })
}

/// Whether a node is an expression of an object whose kind is in the table.
fn is_expression_of_row(tree: &Tree, node: NodeId) -> bool {
    let path = path_of(tree, node);
    // A key has the same path as its value.
    let is_value = tree.entry_of(node).is_none_or(|it| it.value == node);
    schema::row_at(tree, &path).is_some()
        && is_value
        && tree.is_scalar(node)
        && schema::api_at(tree, &path).is_some_and(|it| matches!(it.ty, FieldType::Cel))
}

/// The rule that contains a node, if the node is an expression of a validation rule.
fn rule_of(tree: &Tree, node: NodeId) -> Option<RulePlace> {
    let entry = tree
        .entry_of(node)
        .filter(|it| it.value == node && tree.is_scalar(node))?;
    let part = match &*tree.scalar(entry.key) {
        "rule" => Part::Rule,
        "messageExpression" => Part::MessageExpression,
        _ => return None,
    };
    let rule = tree.parent(node)?;
    let list = tree.parent(rule)?;
    let keyword = tree.entry_of(list).filter(|it| it.value == list)?;
    let schema = tree.parent(list)?;
    let is_rule = tree.scalar(keyword.key) == RULES && schema::is_schema_node(tree, schema);
    is_rule.then_some(RulePlace { part, rule, schema })
}

/// All expressions of the CRDs of a document, in the order of the text.
pub fn scalars(tree: &Tree) -> Vec<CelScalar> {
    let mut found = Vec::new();
    for key in tree.nodes() {
        if tree.is_scalar(key) && tree.source(key).trim_matches(['\'', '"']) == RULES {
            let Some(entry) = tree.entry_of(key).filter(|it| it.key == key) else {
                continue;
            };
            found.extend(of_rules(tree, entry.value));
        }
    }
    found
}

/// All expressions of an object whose kind is in the table, in the order of the text.
pub fn scalars_of_row(tree: &Tree, object: NodeId) -> Vec<CelScalar> {
    let values = tree.nodes().filter(|it| tree.is_scalar(*it) && !tree.is_key(*it));
    let inside = values.filter(|it| tree.is_in(*it, object) && is_expression_of_row(tree, *it));
    inside.map(|scalar| CelScalar { scalar, rule: None }).collect()
}

/// The expressions of a schema's own rules.
pub fn scalars_of(tree: &Tree, schema: NodeId) -> Vec<CelScalar> {
    tree.get(schema, RULES).map(|it| of_rules(tree, it)).unwrap_or_default()
}

fn of_rules(tree: &Tree, list: NodeId) -> Vec<CelScalar> {
    let rules = tree.items(list);
    let values = rules.flat_map(|rule| tree.entries(rule)).map(|it| it.value);
    values.filter_map(|it| scalar_of(tree, it)).collect()
}

/// The spans of a part of a scalar's value in the file: one for each line, without indentation.
pub fn spans(tree: &Tree, map: &SourceMap, bytes: Range<usize>) -> Vec<Span> {
    let whole = map.span(bytes);
    let mut found = Vec::new();
    let mut at = whole.start as usize;
    for (number, line) in tree.text()[whole.range()].split('\n').enumerate() {
        let start = if number == 0 {
            at
        } else {
            at + line.len() - line.trim_start().len()
        };
        let end = at + line.trim_end().len();
        if start < end {
            found.push(Span::new(start as u32, end as u32));
        }
        at += line.len() + 1;
    }
    if found.is_empty() {
        found.push(Span::new(whole.start, whole.start));
    }
    found
}

/// The path of a schema from the CRD's root, in the notation for users.
pub(crate) fn path_text(tree: &Tree, node: NodeId) -> String {
    paths::display(&path_of(tree, node))
}
