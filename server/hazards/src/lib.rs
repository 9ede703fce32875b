//! Hazards of validation rules: values that a schema accepts but that its rules cannot handle.
//!
//! Every hazard is proven. Each failure comes with an example: a value generated from the schema that passes all of the API server's checks except
//! the rule, which was run on the value. For rules that are always or never true, the proof follows from the bounds of the schema
//! (`static_analysis`).
//!
//! This crate does not use YAML or positions. Its input are schemas, and its output are hazards with byte ranges in the rule. The same schema always
//! has the same hazards, because nothing is random and limits count work, not time.

pub mod codes;
mod domain;
mod fingerprint;
mod locate;
mod make;
mod node;
mod pattern;
mod read_fields;
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
pub use read_fields::ReadFields;
pub use shrink::{in_one_line, smallest};

/// The effort of finding hazards. One unit is roughly the work of running a short rule on a small value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The maximum effort for one rule.
    pub per_rule: u64,
    /// The remaining effort for all rules.
    pub left: u64,
}

impl Effort {
    /// The effort for a handwritten CRD.
    pub const fn usual() -> Self {
        Self {
            per_rule: 12_000,
            left: 300_000,
        }
    }
}

/// A possible failure of a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Hazard {
    /// The index of the rule in its schema.
    pub rule: usize,
    /// The code of the hazard. It is one of [`codes`].
    pub code: &'static str,
    /// The byte range of the affected part of the rule.
    pub bytes: Range<usize>,
    /// The problem in one sentence.
    pub headline: String,
    /// A label for the affected part, in a few words.
    pub label: &'static str,
    /// The text that the user can type to fix the rule.
    pub help: String,
    /// What to do in Go types from which the schema is generated. `None` if `help` is right there, too.
    pub help_in_go: Option<String>,
    /// The reason, with an example; one paragraph each.
    pub notes: Vec<String>,
    /// The value that demonstrates the hazard, in the form that a client sends; `None` if no value can demonstrate it.
    pub example: Option<Value>,
    /// The stored value, if the example is an update.
    pub old: Option<Value>,
}

/// The precompiled rules of a schema, and the type of its values.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The type of the values.
    pub ty: Arc<DeclType>,
    /// The compiled rules, in the order of the schema.
    pub rules: Vec<Arc<Expression>>,
}

/// The hazards of one schema's rules, in the order of the rules, without the hazards of nested schemas. `is_resource_root` is set for the schema of a
/// custom or embedded resource. `compiled` contains the rules of the schema, if they are already compiled.
pub fn of_node(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    compiled: Option<Compiled>,
    effort: &mut Effort,
) -> Vec<Hazard> {
    node::Node::new(schema, is_resource_root, version, compiled).map_or_else(Vec::new, |node| node.hazards(effort))
}

/// A value that a schema accepts. For an update, also the value that it replaces.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The value, in the form that a client sends.
    pub sent: Value,
    /// The stored value that is replaced.
    pub old: Option<Value>,
}

/// Scalars that a schema accepts, the simplest first: values around its bounds, its enum, strings in common formats, and the values in `constants`
/// that the schema accepts. `validator` belongs to a schema that contains this schema.
pub fn scalars<'s>(schema: Structural<'s>, validator: &Validator<'s>, constants: &[Value]) -> Vec<Value> {
    domain::scalars_with(schema, validator, constants)
}

/// Values that a schema accepts except for one of its rules: at most `most` values, the simplest first. Empty if no such value is found, or if the
/// rule does not compile. `is_resource_root` is set for the schema of a custom or embedded resource.
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

/// Values that a schema accepts with all of its rules, including the rules of nested schemas: at most `most` values, the simplest first.
pub fn accepted_by_rules(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    most: usize,
    effort: &mut Effort,
) -> Vec<Value> {
    node::Node::new(schema, is_resource_root, version, None).map_or_else(Vec::new, |node| node.accepted(most, effort))
}

/// Facts about a rule that hold for every value that its schema accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleFacts {
    /// Whether the rule is always true, whatever the old value is.
    pub is_always: bool,
    /// Whether the rule may fail with an error.
    pub may_fail: bool,
}

/// Facts about a rule that are known without running the rule; `None` if the rule does not compile.
pub fn rule_facts(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    rule: usize,
) -> Option<RuleFacts> {
    node::Node::new(schema, is_resource_root, version, None)?.facts(rule)
}

/// The fields that a rule reads of the value and of the old value; `None` if the rule does not compile.
pub fn read_fields(
    schema: Structural<'_>,
    is_resource_root: bool,
    version: KubernetesVersion,
    rule: usize,
) -> Option<ReadFields> {
    node::Node::new(schema, is_resource_root, version, None)?.read_fields(rule)
}
