//! The cost of a rule, and the limits that would reduce the cost.

use std::sync::Arc;

use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::SchemaStep;

use super::limits::{COST_LIMIT, TOTAL_COST_LIMIT};

/// The rules of one schema, which several versions may share.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemaCosts {
    /// The names of the versions with this schema.
    pub versions: Vec<String>,
    /// The path of the schema in the internal form.
    pub path: Path,
    /// The rules of the schema. Rules of a node come after the rules of the nodes inside it.
    pub rules: Vec<RuleCost>,
    /// The total estimated cost of all rules and message expressions that the API server checks, in cost units.
    pub total: u64,
    /// The reason why the API server checks no rules of the schema, if any.
    pub not_checked: Option<String>,
    /// Limits that bring the schema and all its rules below their cost limits. `None` if no cost limit is exceeded or no such limits exist.
    pub remedy: Option<BoundsProposal>,
}

impl SchemaCosts {
    /// Whether the schema as a whole exceeds the API server's cost limit.
    pub fn is_over(&self) -> bool {
        self.total > TOTAL_COST_LIMIT
    }

    /// Whether the schema or one of its rules exceeds the API server's cost limit.
    pub fn is_over_somewhere(&self) -> bool {
        self.is_over() || self.rules.iter().any(RuleCost::is_over)
    }
}

/// The estimated cost of one rule, in cost units.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleCost {
    /// The path of the schema node with the rule, in the internal form.
    pub path: Path,
    /// The index of the rule at its node.
    pub index: usize,
    /// The expression.
    pub rule: String,
    /// Whether the API server checks the rule. If not, the numbers are those that the API server would compute.
    pub checked: bool,
    /// `expr_cost` multiplied by `cardinality`: the number that the API server compares with [`COST_LIMIT`].
    pub cost: u64,
    /// The maximum cost of one evaluation; 0 if the rule does not compile.
    pub expr_cost: u64,
    /// The maximum number of values of the node in one object according to the limits of the surrounding schemas; `None` if unbounded.
    pub max_cardinality: Option<u64>,
    /// The number of evaluations in the estimate: `max_cardinality`, or the maximum number of values in one request.
    pub cardinality: u64,
    /// The surrounding lists and maps without a limit, outermost first.
    pub unbounded: Arc<[Arc<UnboundedAncestor>]>,
    /// Whether the rule uses the old value.
    pub uses_old_self: bool,
    /// The compile error of the rule.
    pub error: Option<String>,
    /// The maximum cost of evaluating the message expression once; 0 without a message expression.
    pub message_cost: u64,
    /// The compile error of the message expression.
    pub message_error: Option<String>,
    /// The ways to bring the rule and its message expression below their cost limits by adding missing limits, the best way first. Each way is
    /// verified by a new cost estimate. Empty if the costs are below their limits, or if missing limits are not the cause.
    pub remedies: Vec<BoundsProposal>,
}

impl RuleCost {
    /// Whether the rule or its message expression exceeds the API server's cost limit.
    pub fn is_over(&self) -> bool {
        self.cost > COST_LIMIT || self.message_cost > COST_LIMIT
    }
}

/// A list or map with an unlimited number of elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnboundedAncestor {
    /// The path of the list's or map's schema in the internal form.
    pub path: Path,
    /// The keyword that would limit the list or map.
    pub keyword: &'static str,
}

/// Limits that together bring a rule or a schema below its cost limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundsProposal {
    /// The limits, sorted by the path of their schemas.
    pub bounds: Vec<Bound>,
    /// The cost with these limits, in cost units: the cost of the rule, or of the most expensive rule of a schema.
    pub cost: u64,
    /// The cost of all rules of the schema with these limits, in cost units; 0 if the proposal is about a single rule.
    pub total: u64,
}

/// A limit for a schema that lacks one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bound {
    /// The steps from the root of the schema to the schema that gets the limit.
    pub steps: Vec<SchemaStep>,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// The suggested limit.
    pub suggested: i64,
    /// The largest limit that is sufficient if the other limits are as suggested.
    pub largest: i64,
}

impl Bound {
    /// The kubebuilder marker for the limit, and its place: a field, or the type of items or values.
    pub fn marker(&self) -> (String, String) {
        let (name, value) = (capitalized(self.keyword), self.suggested);
        match self.steps.as_slice() {
            [.., SchemaStep::Property(field)] => (
                format!("+kubebuilder:validation:{name}={value}"),
                format!("field {field}"),
            ),
            [.., SchemaStep::Property(field), SchemaStep::Items] => (
                format!("+kubebuilder:validation:items:{name}={value}"),
                format!("field {field}"),
            ),
            [.., SchemaStep::Property(field), SchemaStep::Values] => (
                format!("+kubebuilder:validation:{name}={value}"),
                format!("the type of the values of {field}"),
            ),
            _ => (
                format!("+kubebuilder:validation:{name}={value}"),
                "the type of the elements".to_owned(),
            ),
        }
    }

    /// The path of the values that the limit applies to: `spec.hosts[*]`; empty for the whole object.
    pub fn place(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            match step {
                SchemaStep::Property(name) if out.is_empty() => out.push_str(name),
                SchemaStep::Property(name) => {
                    out.push('.');
                    out.push_str(name);
                }
                SchemaStep::Items | SchemaStep::Values => out.push_str("[*]"),
            }
        }
        out
    }

    /// The path of the limited schema, which is inside the schema at `root`.
    pub fn path(&self, root: &Path) -> Path {
        self.steps.iter().fold(root.clone(), |path, step| match step {
            SchemaStep::Property(name) => path.child("properties").key(name),
            SchemaStep::Items => path.child("items"),
            SchemaStep::Values => path.child("additionalProperties"),
        })
    }
}

fn capitalized(keyword: &str) -> String {
    let mut chars = keyword.chars();
    let first = chars.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
