//! Hazards of rules: values that a schema accepts and that its rules cannot take.
//!
//! Nothing is said without proof. What fails is shown with a value: it was made from the schema, passes everything that the API server asks
//! of it but the rule, and the rule was run on it. What holds always or never follows from the bounds of the schema (`static_analysis`).
//!
//! This crate knows no YAML and no positions: schemas go in, hazards with bytes of the rule come out. The same schema always has the same
//! hazards: nothing is random, and limits count work, not time.

pub mod codes;
mod domain;
mod fingerprint;
mod locate;
mod make;
mod node;
mod pattern;
mod reads;
mod search;
mod shrink;
mod static_analysis;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::rules::{DeclType, Expression};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::validation::Validator;
use serde_json::Value;

pub use fingerprint::{fingerprint, shape};
pub use shrink::{in_one_line, smallest};

/// What may be done to find hazards: a unit is about what running a short rule on a small value takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// For one rule.
    pub per_rule: u64,
    /// For all rules that are looked at with it; what is left of it.
    pub left: u64,
}

impl Effort {
    /// For a CRD that a person writes.
    pub const fn usual() -> Self {
        Self {
            per_rule: 12_000,
            left: 300_000,
        }
    }
}

/// What can go wrong with a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Hazard {
    /// Which rule of its node.
    pub rule: usize,
    /// Its code, one of [`codes`].
    pub code: &'static str,
    /// The part of the rule to blame, in bytes of the rule.
    pub bytes: Range<usize>,
    /// What is wrong, in one sentence.
    pub headline: String,
    /// What is at the part to blame, in a few words.
    pub label: &'static str,
    /// What to type.
    pub help: String,
    /// Why, with an example; a paragraph each.
    pub notes: Vec<String>,
    /// The value that shows it, as a client sends it; absent where none can show it.
    pub example: Option<Value>,
    /// What is stored before, if the example is an update.
    pub old: Option<Value>,
}

/// The rules of a node that were compiled before, one a rule, and the type of the node's values.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The type.
    pub ty: Arc<DeclType>,
    /// The rules.
    pub rules: Vec<Arc<Expression>>,
}

/// The hazards of the rules of one node, those of a rule after those of the rules before it. The nodes below have their own.
/// `is_resource_root`: it is the schema of a custom or embedded resource. `compiled`: its rules, if they are compiled.
pub fn of_node(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    compiled: Option<Compiled>,
    effort: &mut Effort,
) -> Vec<Hazard> {
    node::Node::new(schema, is_resource_root, version, compiled).map_or_else(Vec::new, |node| node.hazards(effort))
}

/// A value that a schema accepts, and the value that it replaces if it shows an update.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The value, as a client sends it.
    pub sent: Value,
    /// What is stored before.
    pub old: Option<Value>,
}

/// Scalars that a schema accepts, the simplest first: those around its bounds, its enum, texts of common formats, and those of `constants` that
/// it accepts. `validator`: of a schema that the node is part of.
pub fn scalars<'s>(schema: Structural<'s>, validator: &Validator<'s>, constants: &[Value]) -> Vec<Value> {
    domain::scalars_with(schema, validator, constants)
}

/// Values that a node accepts but for one of its rules: at most `most`, the plainest first. Empty if none is found, or if the rule does not
/// compile. `is_resource_root`: it is the schema of a custom or embedded resource.
pub fn refused_by_rule(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    rule: usize,
    most: usize,
    effort: &mut Effort,
) -> Vec<Shown> {
    node::Node::new(schema, is_resource_root, version, None)
        .map_or_else(Vec::new, |node| node.refused_by(rule, most, effort))
}

/// Values that a node accepts with all rules at it and below it: at most `most`, the plainest first.
pub fn accepted_by_rules(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    most: usize,
    effort: &mut Effort,
) -> Vec<Value> {
    node::Node::new(schema, is_resource_root, version, None).map_or_else(Vec::new, |node| node.accepted(most, effort))
}

/// What is known of a rule for every value that its schema accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleFacts {
    /// It holds. Not told of rules that look at the old value.
    pub is_always: bool,
    /// It may end in an error.
    pub may_fail: bool,
}

/// What is known of a rule of a node without running it; `None` if it does not compile.
pub fn rule_facts(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    rule: usize,
) -> Option<RuleFacts> {
    node::Node::new(schema, is_resource_root, version, None)?.facts(rule)
}

/// Whether a rule of a node looks at nothing of the value but these properties, and not at the old value.
pub fn reads_only(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    rule: usize,
    properties: &[&str],
) -> bool {
    node::Node::new(schema, is_resource_root, version, None).is_some_and(|it| it.reads_only(rule, properties))
}
