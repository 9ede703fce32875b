//! Advice on expensive rules: why a rule is expensive, and what to do about it. Each piece of advice appears only once.
//!
//! The API server reports up to three errors for one expensive rule: its own cost, its share of the total, and the total.

use std::{collections::HashMap, fmt::Write as _};

use crd_analyzer_apiextensions::codes::{MESSAGE_COST_OVER_LIMIT, RULE_COST_OVER_LIMIT, TOTAL_RULE_COST_OVER_LIMIT};

use crate::{
    costs::{Bound, BoundsProposal, COST_LIMIT, PlacedCosts, RuleCost, TOTAL_COST_LIMIT, grouped, share},
    findings::finding::{Finding, Related, ServerSays},
    findings::report::{DocumentVerdict, MergedFinding},
    sources::generated::Origin,
};

/// The maximum number of limits that a help text lists individually.
const MAX_NAMED: usize = 4;

/// Whether the verdict has an error about costs.
pub(crate) fn is_needed(verdict: &DocumentVerdict) -> bool {
    let mut all = verdict.errors.iter().chain(&verdict.hints);
    all.any(|it| is_about_cost(it.code))
}

fn is_about_cost(code: &str) -> bool {
    [
        RULE_COST_OVER_LIMIT,
        MESSAGE_COST_OVER_LIMIT,
        TOTAL_RULE_COST_OVER_LIMIT,
    ]
    .contains(&code)
}

/// Adds to the finding about each expensive rule its cost, the missing limits, and limits that would be low enough.
pub(crate) fn give(verdict: &mut DocumentVerdict, costs: &[PlacedCosts], origin: Option<&Origin<'_>>) {
    let rules = costs.iter().flat_map(|placed| {
        placed.schema.rules.iter().map(move |rule| {
            let at = rule.path.child("x-kubernetes-validations").index(rule.index);
            (at.to_string(), (placed, rule))
        })
    });
    let rules: HashMap<String, (&PlacedCosts, &RuleCost)> = rules.collect();
    let mut schemas: HashMap<String, Vec<&PlacedCosts>> = HashMap::new();
    for placed in costs {
        schemas.entry(placed.schema.path.to_string()).or_default().push(placed);
    }
    let all = verdict.errors.iter_mut().chain(&mut verdict.hints);
    for finding in all.filter(|it| is_about_cost(it.code)) {
        let Some(field) = field(finding).map(str::to_owned) else {
            continue;
        };
        let part = match finding.code {
            RULE_COST_OVER_LIMIT => ".rule",
            MESSAGE_COST_OVER_LIMIT => ".messageExpression",
            _ => "",
        };
        let rule = field.strip_suffix(part).filter(|_| !part.is_empty());
        if let Some((placed, rule)) = rule.and_then(|it| rules.get(it)) {
            finding
                .notes
                .push(what_it_costs(rule, finding.code == RULE_COST_OVER_LIMIT));
            help(finding, placed, rule.remedies.first(), origin);
        }
        if finding.code != TOTAL_RULE_COST_OVER_LIMIT {
            continue;
        }
        for placed in schemas.get(&field).into_iter().flatten() {
            let (total, limit) = (grouped(placed.schema.total), grouped(TOTAL_COST_LIMIT));
            finding
                .notes
                .push(format!("all rules together cost {total} of {limit} cost units"));
            finding.follows = is_of_single_rules(placed);
            help(finding, placed, placed.schema.remedy.as_ref(), origin);
        }
    }
}

/// Whether the total is over the limit only because individual rules are over their own limit.
fn is_of_single_rules(placed: &PlacedCosts) -> bool {
    let rules = placed.schema.rules.iter().filter(|it| it.checked);
    let others = rules.map(|it| {
        let cost = |cost: u64| if cost > COST_LIMIT { 0 } else { cost };
        cost(it.cost).saturating_add(cost(it.message_cost))
    });
    others.fold(0, u64::saturating_add) <= TOTAL_COST_LIMIT
}

/// The errors about individual rules that cost more than their limit.
pub(crate) fn rules_over_limit(verdict: &DocumentVerdict) -> impl Iterator<Item = &Finding> {
    let all = verdict.errors.iter();
    all.filter(|it| [RULE_COST_OVER_LIMIT, MESSAGE_COST_OVER_LIMIT].contains(&it.code))
}

/// The errors about all rules of a schema that are only a consequence of individual rules.
pub(crate) fn totals_of_rules(verdict: &mut DocumentVerdict) -> impl Iterator<Item = &mut Finding> {
    let all = verdict.errors.iter_mut();
    all.filter(|it| it.code == TOTAL_RULE_COST_OVER_LIMIT && it.follows)
}

/// The field that the API server names.
pub(crate) fn field(finding: &Finding) -> Option<&str> {
    match &finding.server {
        Some(ServerSays::Cause { field, .. }) => Some(field),
        _ => None,
    }
}

fn what_it_costs(rule: &RuleCost, is_rule: bool) -> String {
    let limit = grouped(COST_LIMIT);
    if !is_rule {
        return format!("it costs {} of {limit} cost units", grouped(rule.message_cost));
    }
    let times = if rule.cardinality > 1 {
        let (once, often) = (grouped(rule.expr_cost), grouped(rule.cardinality));
        format!(": {once} for each of up to {often} values in one object")
    } else {
        String::new()
    };
    format!("it costs {} of {limit} cost units{times}", grouped(rule.cost))
}

/// Adds a help text with limits that would make the costs low enough.
fn help(finding: &mut Finding, placed: &PlacedCosts, remedy: Option<&BoundsProposal>, origin: Option<&Origin<'_>>) {
    let Some(remedy) = remedy else {
        let help = "simplify the rule, or split it: no missing limit makes it this expensive";
        finding.help.push(help.to_owned());
        return;
    };
    let mut missing = Vec::new();
    for bound in remedy.bounds.iter().take(MAX_NAMED) {
        let target = placed.targets(bound).first();
        finding.related.extend(target.map(|target| Related {
            span: target.key,
            message: lacks(bound),
            file: None,
        }));
        let in_go = origin
            .zip(target)
            .and_then(|(origin, target)| origin.bound(target.key, bound.keyword, bound.suggested));
        let is_set = in_go.as_ref().is_some_and(|it| it.1);
        finding.related.extend(in_go.map(|it| it.0));
        if !is_set {
            missing.push(bound);
        }
    }
    let result = if remedy.total > 0 {
        format!("the total is then {} cost units", grouped(remedy.total))
    } else {
        format!("the rule then costs {} of the limit", share(remedy.cost))
    };
    finding.help.push(format!("set {}: {result}", named(remedy)));
    let markers = markers(&missing);
    if !markers.is_empty() {
        finding.help_in_go.push(format!("add {}: {result}", markers.join(", ")));
    }
    finding.help.push(if markers.is_empty() {
        "the Go types have the limits: generate the CRD again".to_owned()
    } else {
        format!("in Go: {}", markers.join(", "))
    });
}

/// The markers for limits, each with its field. Fields of one type that a schema has several times get one marker, with the lowest limit.
fn markers(bounds: &[&Bound]) -> Vec<String> {
    let mut lowest: Vec<(&Bound, (String, String))> = Vec::new();
    for bound in bounds {
        let (marker, at) = bound.marker();
        let name = |marker: &str| marker.split_once('=').map(|it| it.0.to_owned());
        let is_same = |it: &&mut (&Bound, (String, String))| name(&it.1.0) == name(&marker) && it.1.1 == at;
        match lowest.iter_mut().find(is_same) {
            Some(known) if known.0.suggested <= bound.suggested => {}
            Some(known) => *known = (bound, (marker, at)),
            None => lowest.push((bound, (marker, at))),
        }
    }
    lowest
        .iter()
        .map(|(_, (marker, at))| format!("`{marker}` ({at})"))
        .collect()
}

/// Lists limits, as in `maxItems: 64` on `spec.hosts`.
pub(crate) fn named(remedy: &BoundsProposal) -> String {
    let bounds = remedy.bounds.iter().take(MAX_NAMED).map(|it| {
        let place = it.place();
        let place = if place.is_empty() {
            "the object".to_owned()
        } else {
            format!("`{place}`")
        };
        format!("`{}: {}` on {place}", it.keyword, it.suggested)
    });
    let mut text = bounds.collect::<Vec<_>>().join(", ");
    if remedy.bounds.len() > MAX_NAMED {
        let _ = write!(text, " and {} more", remedy.bounds.len() - MAX_NAMED);
    }
    text
}

fn lacks(bound: &Bound) -> String {
    format!("no `{}` here", bound.keyword)
}

/// Merges the findings about the same expensive rule.
pub(crate) fn merge(shown: &mut Vec<MergedFinding>) {
    let is_rule = |it: &MergedFinding| [RULE_COST_OVER_LIMIT, MESSAGE_COST_OVER_LIMIT].contains(&it.finding.code);
    if !shown.iter().any(|it| it.finding.code == TOTAL_RULE_COST_OVER_LIMIT) {
        return;
    }
    let (others, mut totals): (Vec<MergedFinding>, Vec<MergedFinding>) = std::mem::take(shown)
        .into_iter()
        .partition(|it| it.finding.code != TOTAL_RULE_COST_OVER_LIMIT);
    *shown = others;
    // The error about a schema's total comes after the errors about the schema's expensive rules.
    while let Some(at) = totals.iter().position(|it| !is_contribution(&it.finding)) {
        let mut total = totals.remove(at);
        let root = field(&total.finding).unwrap_or_default().to_owned();
        let (of_it, rest): (Vec<MergedFinding>, Vec<MergedFinding>) = totals
            .into_iter()
            .partition(|it| field(&it.finding).is_some_and(|field| field.starts_with(&root)));
        totals = rest;
        let rules: Vec<usize> = (0..shown.len())
            .filter(|at| is_rule(&shown[*at]) && field(&shown[*at].finding).is_some_and(|it| it.starts_with(&root)))
            .collect();
        // If several findings have the same span, use the first one.
        let by_place: HashMap<_, usize> = rules.iter().rev().map(|at| (shown[*at].finding.span, *at)).collect();
        let mut unexplained = Vec::new();
        for contribution in of_it {
            let span = contribution.finding.span;
            match by_place.get(&span) {
                Some(at) => note(&mut shown[*at].finding, &contribution.finding),
                None => unexplained.push(contribution.finding),
            }
        }
        match rules.first() {
            Some(first) if total.finding.follows => {
                let first = &mut shown[*first].finding;
                for it in &unexplained {
                    note(first, it);
                }
                note(first, &total.finding);
            }
            _ => {
                total.finding.related.extend(unexplained.into_iter().map(|it| Related {
                    span: it.span,
                    message: "among the most expensive rules".to_owned(),
                    file: None,
                }));
                shown.push(total);
            }
        }
    }
    // A source file may have a rule, and another one the schema that has the total.
    let rules = shown.iter().enumerate().filter(|it| is_rule(it.1));
    let by_place: HashMap<_, usize> = rules.map(|(at, it)| (it.finding.span, at)).collect();
    for contribution in totals {
        match by_place.get(&contribution.finding.span) {
            Some(at) => note_total(&mut shown[*at].finding),
            None => shown.push(contribution),
        }
    }
}

fn is_contribution(finding: &Finding) -> bool {
    field(finding).is_some_and(|it| it.contains("x-kubernetes-validations"))
}

/// Adds a note about another error to the finding of the same rule, because the API server reports up to three errors for a rule.
fn note(finding: &mut Finding, other: &Finding) {
    if !is_contribution(other) {
        note_total(finding);
    }
}

/// Adds the note about the total once.
fn note_total(finding: &mut Finding) {
    let note = "the API server also reports that all rules of the schema together are over their limit";
    if !finding.notes.iter().any(|it| it == note) {
        finding.notes.push(note.to_owned());
    }
}
