//! Bounds that would bring expensive rules, and schemas that are expensive as a whole, below their limits.
//!
//! [`crd_analyzer_schema::rules::fit`] finds them for one expression; here they are given to the schema, which is priced anew: what is
//! proposed holds.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_schema::rules::{Fit, SchemaStep};

use super::cel::{COST_LIMIT, TOTAL_COST_LIMIT};
use super::costs::{Pricing, RuleCost, UnboundedAncestor};
use super::lookup;
use super::traverse::any_schema;

/// How often the dearest rule is looked at again to bring a schema below its limit.
const MAX_ROUNDS: usize = 12;

/// Bounds that together bring a rule, or a schema, below its limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remedy {
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
    /// The marker by which controller-gen writes the bound, and what it stands at: a field, or the type of items or values.
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

/// The steps from `root` to a schema below it.
fn steps(path: &Path, root: &Path) -> Vec<SchemaStep> {
    let segments = path.segments().iter().skip(root.segments().len());
    let step = |segment: &Segment| match segment {
        Segment::Key(name) => Some(SchemaStep::Property(name.clone())),
        Segment::Field(name) if name == "items" => Some(SchemaStep::Items),
        Segment::Field(name) if name == "additionalProperties" => Some(SchemaStep::Values),
        Segment::Field(_) | Segment::Index(_) => None,
    };
    segments.filter_map(step).collect()
}

/// The bounds of a fit for a rule at `path`, from the root of the schema.
pub(super) fn absolute(fit: &Fit, path: &Path, root: &Path, unbounded: &[UnboundedAncestor]) -> Vec<Bound> {
    let here = steps(path, root);
    let above = fit.above.iter().flat_map(|&(suggested, largest)| {
        unbounded.iter().map(move |it| Bound {
            steps: steps(&it.path, root),
            keyword: it.keyword,
            suggested,
            largest,
        })
    });
    let below = fit.bounds.iter().map(|it| Bound {
        steps: here.iter().chain(&it.path).cloned().collect(),
        keyword: it.keyword,
        suggested: it.suggested,
        largest: it.largest,
    });
    let mut bounds: Vec<Bound> = above.chain(below).collect();
    bounds.sort();
    bounds
}

/// Keeps of the proposals for each rule those that hold, with what the rule costs then, and looks for bounds that bring all below its
/// limit.
pub(super) fn remedies(
    pricing: &Pricing<'_>,
    schema: &JsonSchemaProps,
    rules: &mut [RuleCost],
    total: u64,
) -> Option<Remedy> {
    if rules.iter().any(|it| !it.remedies.is_empty()) {
        let mut nodes = 0;
        any_schema(schema, &mut |_| {
            nodes += 1;
            false
        });
        let mut copy = schema.clone();
        for rule in rules.iter_mut() {
            let proposed = std::mem::take(&mut rule.remedies);
            let holds = |mut remedy: Remedy| {
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
            return Some(Remedy { bounds, cost, total });
        }
        round += 1;
        if round > MAX_ROUNDS || cost < 2 {
            return None;
        }
        // A bound that was proposed may be tightened: the rule is asked about as it was.
        let mut more = pricing
            .fits_below(schema, dearest, (cost / 4).min(COST_LIMIT))
            .into_iter();
        join(&mut bounds, &more.next()?.bounds);
    }
}

/// Adds bounds; of two for one schema the narrower one counts.
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

/// Gives bounds to a schema.
fn set_bounds(schema: &mut JsonSchemaProps, bounds: &[Bound]) {
    for bound in bounds {
        if let Some(at) = below(schema, &bound.steps) {
            *slot(at, bound.keyword) = Some(bound.suggested);
        }
    }
}

/// Takes a bound away that the original does not have.
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
