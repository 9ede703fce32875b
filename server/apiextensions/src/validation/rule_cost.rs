//! The cost of a rule, and the limits that would reduce it.

use std::sync::Arc;

use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::SchemaStep;

use super::limits::{COST_LIMIT, TOTAL_COST_LIMIT};

/// The rules of one schema, which may be that of several versions.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemaCosts {
    /// The versions that have the schema.
    pub versions: Vec<String>,
    /// The schema in the internal form.
    pub path: Path,
    /// Its rules: those of a node after those of the nodes below it.
    pub rules: Vec<RuleCost>,
    /// Cost units of all rules and message expressions that the API server checks.
    pub total: u64,
    /// Why the API server checks none of the rules, if so.
    pub not_checked: Option<String>,
    /// The bounds that bring the schema and all its rules below their limits, if something is over its limit and there are any.
    pub remedy: Option<BoundsProposal>,
}

impl SchemaCosts {
    /// The schema as a whole costs more than the API server allows.
    pub fn is_over(&self) -> bool {
        self.total > TOTAL_COST_LIMIT
    }

    /// The schema, or one of its rules, costs more than the API server allows.
    pub fn is_over_somewhere(&self) -> bool {
        self.is_over() || self.rules.iter().any(RuleCost::is_over)
    }
}

/// What one rule costs, in cost units.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleCost {
    /// The schema node that has the rule, in the internal form.
    pub path: Path,
    /// The rule's position at its node.
    pub index: usize,
    /// The expression.
    pub rule: String,
    /// Whether the API server checks the rule. If not, the numbers are what it would find.
    pub checked: bool,
    /// `expr_cost` as often as the rule may be evaluated: what the API server compares with [`COST_LIMIT`].
    pub cost: u64,
    /// One evaluation at worst; 0 if the rule does not compile.
    pub expr_cost: u64,
    /// How many values of the node an object can have by the bounds of the schemas above; `None` if nothing bounds it.
    pub max_cardinality: Option<u64>,
    /// The factor that counts: `max_cardinality`, or how many of the smallest values fit into a request.
    pub cardinality: u64,
    /// Lists and maps above the node without bound, from the top.
    pub unbounded: Arc<[Arc<UnboundedAncestor>]>,
    /// The rule compares with the old value.
    pub uses_old_self: bool,
    /// Why the rule does not compile.
    pub error: Option<String>,
    /// The message expression: one evaluation at worst, 0 if there is none.
    pub message_cost: u64,
    /// Why the message expression does not compile.
    pub message_error: Option<String>,
    /// The ways to bring the rule and its message expression below their limits with bounds that are missing, the best first, each verified
    /// by pricing the rule with them. None if they are below, or if missing bounds are not what makes them expensive.
    pub remedies: Vec<BoundsProposal>,
}

impl RuleCost {
    /// The rule or its message expression costs more than the API server allows.
    pub fn is_over(&self) -> bool {
        self.cost > COST_LIMIT || self.message_cost > COST_LIMIT
    }
}

/// A list or map that can have any number of elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnboundedAncestor {
    /// Its schema in the internal form.
    pub path: Path,
    /// The keyword that would bound it.
    pub keyword: &'static str,
}

/// Bounds that together bring a rule, or a schema, below its limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundsProposal {
    /// The bounds, by the path of their schemas.
    pub bounds: Vec<Bound>,
    /// Cost units with these bounds: of the rule; of the dearest one if it is about a schema.
    pub cost: u64,
    /// Cost units of all rules of the schema with these bounds, if it is about a schema; 0 if not.
    pub total: u64,
}

/// A bound for a schema that has none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bound {
    /// From the root of the schema to the one that gets the bound.
    pub steps: Vec<SchemaStep>,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// What is proposed.
    pub suggested: i64,
    /// The largest value that does, if the other bounds are as proposed.
    pub largest: i64,
}

impl Bound {
    /// The marker by which controller-gen writes the bound, and what it is at: a field, or the type of items or values.
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

    /// Where the values are that the bound is for: `spec.hosts[*]`; empty for the whole object.
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

    /// The schema as a path below `root`.
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
