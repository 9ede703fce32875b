//! Cost estimates of individual rules in an editor, without checking the whole CRD.

use crd_analyzer_schema::cel_types::max_cardinality;
use crd_analyzer_syntax::tree::{NodeId, Tree};

use crate::{
    cel::Expression,
    schema::{self, SchemaStep, follow, text},
};

/// The cost estimate of an expression at its place, in cost units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleCost {
    /// The worst-case cost of one evaluation.
    pub once: u64,
    /// The maximum number of evaluations for one object. `None` for a message expression, which is evaluated at most once.
    pub times: Option<u64>,
    /// Whether no limit in the schema restricts the number of evaluations. `times` is then the number of smallest possible values that fit into a
    /// request.
    pub is_unbounded: bool,
    /// The API server's limit.
    pub limit: u64,
}

impl RuleCost {
    /// The cost that the API server compares with the limit.
    pub fn total(self) -> u64 {
        self.once.saturating_mul(self.times.unwrap_or(1))
    }

    /// The cost in words: `328`, `more than 100x the limit`.
    pub fn describe(self) -> String {
        let total = self.total();
        let limit = self.limit;
        let of_limit = if total > limit.saturating_mul(100) {
            "more than 100 times the limit".to_owned()
        } else if total > limit {
            format!("{:.1} times the limit", total as f64 / limit as f64)
        } else {
            match total.saturating_mul(100) / limit {
                0 => "under 1 % of the limit".to_owned(),
                percent => format!("{percent} % of the limit"),
            }
        };
        let times = match self.times {
            None | Some(1) => String::new(),
            Some(times) => format!(" ({} × {} values)", number(self.once), number(times)),
        };
        format!("cost {}{times}, {of_limit}", number(total))
    }
}

/// A number with commas between groups of three digits.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The cost estimate of an expression. `None` if the expression does not compile, or if its cost has no limit.
pub fn rule_cost(expression: &Expression<'_>) -> Option<RuleCost> {
    let once = expression.outline.as_ref()?.cost.as_ref()?.0.max;
    let limit = expression.context.limits().estimate?;
    let rule = expression.place.rule?;
    let is_message = rule.part == crd_analyzer_schema::rules::Part::MessageExpression;
    if is_message {
        return Some(RuleCost {
            once,
            times: None,
            is_unbounded: false,
            limit,
        });
    }
    let (root, steps) = schema::steps_to(expression.tree, rule.schema)?;
    let bounded = cardinality(expression.tree, root, &steps);
    let unbounded = || expression.scope.as_ref().map_or(1, |it| max_cardinality(&it.ty));
    Some(RuleCost {
        once,
        times: Some(bounded.unwrap_or_else(unbounded)),
        is_unbounded: bounded.is_none(),
        limit,
    })
}

/// The maximum number of values that a schema can have in one object, from the limits of the schemas above it. `None` if nothing limits it.
fn cardinality(tree: &Tree, root: NodeId, steps: &[SchemaStep]) -> Option<u64> {
    let mut product: u64 = 1;
    for length in 0..steps.len() {
        let above = follow(tree, root, &steps[..length])?.schema;
        let bound = match text(tree, above, "type").as_deref() {
            Some("array") => Some("maxItems"),
            Some("object") if schema::child(tree, above, "additionalProperties").is_some() => Some("maxProperties"),
            _ => None,
        };
        if let Some(bound) = bound {
            let max: i64 = text(tree, above, bound)?.parse().ok()?;
            product = product.saturating_mul(max.max(0) as u64);
        }
    }
    Some(product)
}
