//! Limits that would bring expensive rules and schemas below their cost limits.
//!
//! [`crd_analyzer_schema::rules::suggest_bounds`] finds such limits for one expression. This module adds these limits to the schema and repeats the
//! cost estimate, so that every suggestion is verified.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::rules::SchemaStep;

use super::limits::{COST_LIMIT, TOTAL_COST_LIMIT};
use super::lookup;
use super::pricing::Pricing;
use super::rule_cost::{Bound, BoundsProposal, RuleCost};
use super::traverse::any_schema;

/// The maximum number of rounds for bringing a schema below its limit. In each round, the most expensive rule gets tighter limits.
const MAX_ROUNDS: usize = 12;

/// Keeps the sufficient suggestions for each rule, with the resulting costs, and finds limits that bring the whole schema below its cost limit.
pub(super) fn verified_proposals(
    pricing: &Pricing<'_>,
    schema: &JsonSchemaProps,
    rules: &mut [RuleCost],
    total: u64,
) -> Option<BoundsProposal> {
    if rules.iter().any(|it| !it.remedies.is_empty()) {
        let mut nodes = 0;
        any_schema(schema, &mut |_| {
            nodes += 1;
            false
        });
        let mut copy = schema.clone();
        for rule in rules.iter_mut() {
            let proposed = std::mem::take(&mut rule.remedies);
            let holds = |mut remedy: BoundsProposal| {
                set_bounds(&mut copy, &remedy.bounds);
                let now = pricing.one(&copy, nodes, rule);
                for bound in &remedy.bounds {
                    restore(&mut copy, schema, bound);
                }
                let now = now.filter(|it| !it.is_over())?;
                remedy.cost = if rule.cost > COST_LIMIT {
                    now.cost
                } else {
                    now.message_cost
                };
                Some(remedy)
            };
            let remedies = proposed.into_iter().filter_map(holds).collect();
            rule.remedies = remedies;
        }
    }
    let is_over = total > TOTAL_COST_LIMIT || rules.iter().any(|it| it.checked && it.is_over());
    if !is_over {
        return None;
    }
    let mut bounds = Vec::new();
    for remedy in rules.iter().filter_map(|it| it.remedies.first()) {
        join(&mut bounds, &remedy.bounds);
    }
    let mut round = 0;
    loop {
        let mut bounded = schema.clone();
        set_bounds(&mut bounded, &bounds);
        let (now, total) = pricing.all(&bounded)?;
        let dearest = now.iter().max_by_key(|it| it.cost.max(it.message_cost))?;
        let cost = dearest.cost.max(dearest.message_cost);
        if total <= TOTAL_COST_LIMIT && cost <= COST_LIMIT {
            return Some(BoundsProposal { bounds, cost, total });
        }
        round += 1;
        if round > MAX_ROUNDS || cost < 2 {
            return None;
        }
        // This uses the original schema, because a limit that was already suggested may become tighter.
        let mut more = pricing
            .fits_below(schema, dearest, (cost / 4).min(COST_LIMIT))
            .into_iter();
        join(&mut bounds, &more.next()?.bounds);
    }
}

/// Adds limits. If two limits are for the same keyword, the tighter one is kept.
fn join(bounds: &mut Vec<Bound>, more: &[Bound]) {
    for bound in more {
        match bounds
            .iter_mut()
            .find(|it| it.steps == bound.steps && it.keyword == bound.keyword)
        {
            Some(same) => {
                same.suggested = same.suggested.min(bound.suggested);
                same.largest = same.largest.min(bound.largest).max(same.suggested);
            }
            None => bounds.push(bound.clone()),
        }
    }
    bounds.sort();
}

/// Sets the limits in a schema.
fn set_bounds(schema: &mut JsonSchemaProps, bounds: &[Bound]) {
    for bound in bounds {
        if let Some(at) = below(schema, &bound.steps) {
            *slot(at, bound.keyword) = Some(bound.suggested);
        }
    }
}

/// Resets a limit to the value in the original schema.
fn restore(copy: &mut JsonSchemaProps, original: &JsonSchemaProps, bound: &Bound) {
    let mut at = Some(original);
    for step in &bound.steps {
        at = at.and_then(|schema| match step {
            SchemaStep::Property(name) => lookup(&schema.properties, name),
            SchemaStep::Items => schema.items.as_ref()?.schema.as_deref(),
            SchemaStep::Values => schema.additional_properties.as_ref()?.schema.as_deref(),
        });
    }
    let original = at.and_then(|it| match bound.keyword {
        "maxItems" => it.max_items,
        "maxProperties" => it.max_properties,
        _ => it.max_length,
    });
    if let Some(at) = below(copy, &bound.steps) {
        *slot(at, bound.keyword) = original;
    }
}

fn slot<'s>(schema: &'s mut JsonSchemaProps, keyword: &str) -> &'s mut Option<i64> {
    match keyword {
        "maxItems" => &mut schema.max_items,
        "maxProperties" => &mut schema.max_properties,
        _ => &mut schema.max_length,
    }
}

fn below<'s>(schema: &'s mut JsonSchemaProps, steps: &[SchemaStep]) -> Option<&'s mut JsonSchemaProps> {
    let mut at = schema;
    for step in steps {
        at = match step {
            SchemaStep::Property(name) => {
                let found = at.properties.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
                &mut at.properties[found].1
            }
            SchemaStep::Items => at.items.as_mut()?.schema.as_deref_mut()?,
            SchemaStep::Values => at.additional_properties.as_mut()?.schema.as_deref_mut()?,
        };
    }
    Some(at)
}
