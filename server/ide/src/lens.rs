//! Code lenses for the cost estimates of rules, which change while the user edits, and positions of lenses above custom resources.

mod insert;
pub mod objects;
#[cfg(test)]
mod tests;

use std::{cell::OnceCell, collections::HashSet, fmt::Write as _, sync::Arc};

use crd_analyzer_apiextensions::codes::{MESSAGE_COST_OVER_LIMIT, RULE_COST_OVER_LIMIT, TOTAL_RULE_COST_OVER_LIMIT};
use crd_analyzer_diagnostic::Change;
use crd_analyzer_syntax::{
    split::{read_document, split},
    tree::{Span, Tree},
};
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    costs::{
        BoundsProposal, COST_LIMIT, DocumentCosts, FileCosts, PlacedCosts, RuleCost, TOTAL_COST_LIMIT, grouped, share,
    },
    findings::finding::Class,
    judging::analysis::{MOST_FINDINGS, Question, Wants, analyze},
};

use crate::{
    completion::{Definitions, Remembered, has_definition},
    file::{Document, File},
    fixes::{Fix, FixKind, Problem, TextEdit, apply},
    manifest::objects,
};

/// The cost estimate of a rule or schema, and where to show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The span of the rule's text, or of the schema's key.
    pub span: Span,
    /// The cost in a few words.
    pub title: String,
    /// Whether the cost is over the API server's limit.
    pub is_over: bool,
    /// The title of a fix that brings the cost below the limit, see [`fix`].
    pub remedy: Option<String>,
}

impl Cost {
    /// The cost and the title of the fix, on one line.
    pub fn words(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{} · {remedy}", self.title),
            None => self.title.clone(),
        }
    }
}

/// The minimum cost of a rule to show. Lower costs are included only in the schema's total.
const WORTH_SAYING: u64 = COST_LIMIT / 100;

/// The costs of the schemas in a file, and of the rules whose cost is high enough to show, in the order of the text. If `costs` has several
/// Kubernetes versions, the newest one applies.
pub fn costs(costs: &FileCosts) -> Vec<Cost> {
    let mut found = Vec::new();
    for placed in costs.documents.iter().flat_map(newest) {
        let asked = placed.schema.rules.len();
        let rules = if asked == 1 {
            "1 rule".to_owned()
        } else {
            format!("{asked} rules")
        };
        let (total, limit) = (grouped(placed.schema.total), grouped(TOTAL_COST_LIMIT));
        let summary = match &placed.schema.not_checked {
            Some(_) => format!("{rules} · not priced by the server until the schema is repaired"),
            None => format!("{rules} · total {total} of {limit}"),
        };
        let is_over = placed.schema.is_over();
        let remedy = placed.schema.remedy.as_ref().filter(|_| is_over).map(title);
        let rules = placed.schema.rules.iter().zip(&placed.places);
        let rules: Vec<_> = rules.filter(|it| is_worth_saying(it.0)).collect();
        // If a rule proposes the same limits, show the proposal only at the rule.
        let of_rules = rules.iter().filter_map(|it| it.0.remedies.first().map(title));
        let remedy = remedy.filter(|it| !of_rules.clone().any(|of_rule| of_rule == *it));
        found.extend(placed.schema_places.iter().map(|span| Cost {
            span: *span,
            title: summary.clone(),
            is_over,
            remedy: remedy.clone(),
        }));
        for (rule, places) in rules {
            found.extend(places.iter().map(|span| Cost {
                span: *span,
                title: of_rule(rule),
                is_over: rule.is_over(),
                remedy: rule.remedies.first().map(title),
            }));
        }
    }
    found.sort_by_key(|it| it.span.start);
    found
}

/// The spans of all rules in a file, in document order.
pub fn rules(costs: &FileCosts) -> Vec<Span> {
    let placed = costs.documents.iter().flat_map(newest);
    let mut places: Vec<Span> = placed.flat_map(|it| it.places.iter().flatten().copied()).collect();
    places.sort_by_key(|it| (it.start, it.end));
    places.dedup();
    places
}

/// The span of the first key of each custom resource with a known CRD.
pub fn resources(file: &File, definitions: &dyn Definitions) -> Vec<Span> {
    let definitions = &Remembered::new(definitions);
    let in_document = |it: Document<'_>| {
        let tree = it.tree;
        let known = objects(tree)
            .into_iter()
            .filter(|it| has_definition(tree, *it, definitions));
        known
            .filter_map(|it| tree.entries(it).next())
            .map(|it| tree.span(it.key))
            .collect::<Vec<_>>()
    };
    file.documents().flat_map(in_document).collect()
}

/// Whether to show the cost of a rule: the rule does not compile, or its cost is more than a small part of the limit.
fn is_worth_saying(rule: &RuleCost) -> bool {
    rule.error.is_some() || rule.cost > WORTH_SAYING || rule.message_cost > COST_LIMIT
}

fn newest(document: &DocumentCosts) -> &[PlacedCosts] {
    match document.answers.last() {
        Some((_, Ok(placed))) => placed,
        _ => &[],
    }
}

fn of_rule(rule: &RuleCost) -> String {
    if rule.error.is_some() {
        return "does not compile".to_owned();
    }
    let mut parts = vec![format!("cost {}", grouped(rule.cost))];
    parts.push(match rule.cost / COST_LIMIT {
        _ if rule.cost <= COST_LIMIT => format!("{} of the limit", share(rule.cost)),
        100.. => "over the limit by more than 100x".to_owned(),
        _ => format!("over the limit by {:.1}x", rule.cost as f64 / COST_LIMIT as f64),
    });
    if rule.cardinality > 1 {
        parts.push(format!(
            "{} × {} values",
            grouped(rule.expr_cost),
            grouped(rule.cardinality)
        ));
    }
    if rule.message_cost > COST_LIMIT {
        parts.push("messageExpression over the limit".to_owned());
    }
    parts.join(" · ")
}

/// The title of the fix that sets the limits.
fn title(remedy: &BoundsProposal) -> String {
    const MAX_NAMED: usize = 2;
    let named = remedy.bounds.iter().take(MAX_NAMED).map(|it| {
        let place = it.place();
        let place = if place.is_empty() { "the object" } else { &place };
        format!("{}: {} to {place}", it.keyword, it.suggested)
    });
    let mut text = format!("Add {}", named.collect::<Vec<_>>().join(" and "));
    if remedy.bounds.len() > MAX_NAMED {
        let _ = write!(text, " and {} more bounds", remedy.bounds.len() - MAX_NAMED);
    }
    text
}

/// Whether a finding with this code is about a cost over its limit.
pub fn is_about_cost(code: &str) -> bool {
    [
        RULE_COST_OVER_LIMIT,
        MESSAGE_COST_OVER_LIMIT,
        TOTAL_RULE_COST_OVER_LIMIT,
    ]
    .contains(&code)
}

/// The maximum number of edited texts to check for one request.
const MAX_JUDGED: usize = 12;

/// The fixes for cost problems that touch a range. Each was checked: its limits remove the finding, and no new error appears in any of `versions`.
///
/// `costs` must be for the text that has the problems. Returns the fixes found so far when `goes_on` returns false.
pub fn fixes(
    costs: &FileCosts,
    problems: impl IntoIterator<Item = Problem>,
    range: Span,
    versions: VersionSet,
    goes_on: &dyn Fn() -> bool,
) -> Vec<Fix> {
    let is_asked = |it: &Problem| is_about_cost(it.code) && it.span.start <= range.end && range.start <= it.span.end;
    let mut seen = HashSet::new();
    let problems = problems.into_iter().filter(|it| is_asked(it) && seen.insert(it.span));
    let mut judge = Judge::new(costs, versions, goes_on);
    problems.flat_map(|it| of_problem(costs, &it, &mut judge)).collect()
}

/// The checked fix for the rule or schema at a place, as in [`fixes`].
pub fn fix(costs: &FileCosts, span: Span, versions: VersionSet, goes_on: &dyn Fn() -> bool) -> Option<Fix> {
    let code = RULE_COST_OVER_LIMIT;
    let mut judge = Judge::new(costs, versions, goes_on);
    of_problem(costs, &Problem::new(code, span), &mut judge)
        .into_iter()
        .next()
}

fn of_problem(costs: &FileCosts, problem: &Problem, judge: &mut Judge<'_>) -> Vec<Fix> {
    let mut found = Vec::new();
    for placed in costs.documents.iter().flat_map(newest) {
        let mut remedies: Vec<&BoundsProposal> = Vec::new();
        if placed.schema_places.contains(&problem.span) {
            remedies.extend(&placed.schema.remedy);
        }
        for (rule, places) in placed.schema.rules.iter().zip(&placed.places) {
            // The finding is at the rule's message expression, which has its own span in the same rule.
            let is_meant = places.contains(&problem.span)
                || problem.code == MESSAGE_COST_OVER_LIMIT
                    && rule.message_cost > COST_LIMIT
                    && places.iter().any(|it| it.start.abs_diff(problem.span.start) < 10_000);
            if is_meant {
                remedies.extend(&rule.remedies);
            }
        }
        for remedy in remedies {
            if judge.left == 0 || !(judge.goes_on)() {
                return found;
            }
            let Some((edits, changes)) = edits(&costs.text, placed, remedy) else {
                continue;
            };
            if !judge.is_good(&edits, placed, problem) {
                continue;
            }
            found.push(Fix {
                title: format!("{} (accepts less than before)", title(remedy)),
                kind: FixKind::Repair,
                problem: problem.clone(),
                edits,
                preferred: false,
                changes,
                drops: false,
            });
        }
    }
    found
}

/// The edits that add the limits of a proposal, and the corresponding changes. `None` if a limit cannot be added.
fn edits(text: &Arc<str>, placed: &PlacedCosts, remedy: &BoundsProposal) -> Option<(Vec<TextEdit>, Vec<Change>)> {
    let cut = split(text);
    if cut.error.is_some() {
        return None;
    }
    let mut tree: Option<(u32, Tree)> = None;
    let (mut edits, mut changes) = (Vec::new(), Vec::new());
    for bound in &remedy.bounds {
        let targets = placed.targets(bound);
        if targets.is_empty() {
            return None;
        }
        for target in targets {
            let next = cut.documents.partition_point(|it| it.span.start <= target.span.start);
            let document = *cut.documents.get(next.checked_sub(1)?)?;
            if tree.as_ref().is_none_or(|(index, _)| *index != document.index) {
                tree = Some((document.index, read_document(text, document, &[]).ok()?));
            }
            let (_, tree) = tree.as_ref()?;
            let (edit, change) = insert::entry(text, tree, target.span, bound.keyword, bound.suggested)?;
            edits.push((target.span.start, edit));
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
    }
    // If two insertions are at the same position, insert the keyword of the inner schema first.
    edits.sort_by_key(|(start, it)| (it.span.start, std::cmp::Reverse(*start)));
    let mut edits: Vec<TextEdit> = edits.into_iter().map(|it| it.1).collect();
    // Versions may share a schema by an alias, so insert each edit only once.
    edits.dedup();
    Some((edits, changes))
}

/// Checks edited texts, at most [`MAX_JUDGED`] of them.
struct Judge<'a> {
    text: &'a str,
    versions: VersionSet,
    /// The errors of the original text.
    before: OnceCell<Errors>,
    left: usize,
    goes_on: &'a dyn Fn() -> bool,
}

/// The codes and start offsets of errors.
type Errors = HashSet<(&'static str, u32)>;

impl<'a> Judge<'a> {
    fn new(costs: &'a FileCosts, versions: VersionSet, goes_on: &'a dyn Fn() -> bool) -> Self {
        Self {
            text: &costs.text,
            versions,
            before: OnceCell::new(),
            left: MAX_JUDGED,
            goes_on,
        }
    }

    fn errors(&self, text: &str) -> Errors {
        let question = Question {
            wants: Wants {
                most_findings: MOST_FINDINGS,
                effective: false,
                ..Wants::default()
            },
            ..Question::new(self.versions)
        };
        let report = analyze(text.as_bytes().to_vec(), &question);
        let shown = report
            .documents
            .iter()
            .flat_map(|it| it.merged_findings(&Config::default()));
        let errors = shown.filter(|it| it.finding.class == Class::Error);
        errors.map(|it| (it.finding.code, it.finding.span.start)).collect()
    }

    /// Whether the edits remove the problem and cause no new errors.
    fn is_good(&mut self, edits: &[TextEdit], placed: &PlacedCosts, problem: &Problem) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let Some(edited) = apply(self.text, edits) else {
            return false;
        };
        // An edit before a rule moves the position of the rule.
        let moved = |at: u32| {
            let before = edits.iter().filter(|it| it.span.end <= at);
            at + before.map(|it| it.new_text.len() as u32).sum::<u32>()
        };
        let places = placed.places.iter().flatten().chain(&placed.schema_places);
        let is_it = |it: &&Span| **it == problem.span;
        let gone: HashSet<u32> = places.filter(is_it).map(|it| moved(it.start)).collect();
        let before = self.before.get_or_init(|| self.errors(self.text));
        let before: Errors = before.iter().map(|(code, at)| (*code, moved(*at))).collect();
        // The error about the total cost may now have another cause, so it is never new.
        let is_new = |it: &(&'static str, u32)| !before.contains(it) && it.0 != TOTAL_RULE_COST_OVER_LIMIT;
        let after = self.errors(&edited);
        !after
            .iter()
            .any(|it| is_new(it) || is_about_cost(it.0) && gone.contains(&it.1))
    }
}
