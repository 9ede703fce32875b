//! Searches for objects that show the effect of one rule of a CRD: one that all rules accept, and one that only this rule rejects.

use crd_analyzer_budget::{self as budget, Limits};
use serde_json::Value;

use crate::answer::{Direction, Example};
use crate::diff::{Difference, Differences, Kind};
use crate::pair::Pair;
use crate::replay::{Write, without_status};
use crate::rules;
use crate::search::Search;
use crate::steps::{self, Step};
use crate::subject::Subject;

/// Requests that show the effect of one rule. A field is `None` if the search finds no such request.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct RuleExamples {
    /// A request that the API server accepts. Its object has a value that the rule validates.
    pub accepted: Option<Example>,
    /// A request that the API server rejects only because of this rule.
    pub rejected: Option<Example>,
}

/// Searches for requests that show the effect of a rule. `without` is the same CRD as `with`, except that the rule is missing.
pub fn examples_of_rule(with: &Subject, without: &Subject, version: &str) -> RuleExamples {
    let searched = || {
        let pair = Pair::new(without, with, version)?;
        let differences = Differences::of(pair.old_maker.root, pair.new_maker.root).found;
        let [difference] = <[Difference; 1]>::try_from(differences).ok()?;
        matches!(difference.kind, Kind::Rule(_)).then_some(())?;
        Some(RuleExamples {
            rejected: Search::only(&pair, &difference).demonstration(Direction::Writers),
            accepted: accepted(&Pair::new(with, with, version)?, &difference.steps),
        })
    };
    budget::within(Limits::DOCUMENT, searched).0.unwrap_or_default()
}

/// A request that the API server accepts. Its object has a value at the node of the rule.
fn accepted(pair: &Pair<'_>, steps: &[Step]) -> Option<Example> {
    let maker = pair.maker(Direction::Writers);
    let sides = pair.sides(Direction::Writers);
    let node = steps::at(maker.root, steps)?;
    let is_resource = steps.is_empty() || node.x_embedded_resource;
    let mut values = rules::accepted_with(node, (&[], &Value::Null), is_resource, pair.kubernetes());
    values.extend(maker.smallest(node));
    values.into_iter().find_map(|value| {
        let Value::Object(fields) = maker.around(steps, value)? else {
            return None;
        };
        let object = pair.mended(Direction::Writers, pair.object(fields), steps)?;
        sides.accepts(&Write::create(object.clone())).then_some(())?;
        let is_status = pair.new.has_status() && steps.first() == Some(&Step::Property("status".to_owned()));
        let looks_back = node.x_validations.iter().any(rules::looks_back);
        let old = match (is_status, looks_back) {
            (true, false) => Some(without_status(&object)),
            (_, true) => Some(object.clone()),
            (false, false) => None,
        };
        Some(Example { object, old, is_status })
    })
}
