//! Estimates the costs of the rules of the CRDs in a file.

use std::{collections::BTreeMap, sync::Arc};

pub use crd_analyzer_apiextensions::validation::{
    Bound, BoundsProposal, COST_LIMIT, RuleCost, SchemaCosts, TOTAL_COST_LIMIT,
};
use crd_analyzer_apiextensions::{
    internal::Hoisted,
    places,
    strategy::{CrdVerdict, Received},
    validation::{CelCompiler, schema_costs},
};
use crd_analyzer_schema::{KubernetesVersion, field::Path, rules::SchemaStep};
use crd_analyzer_syntax::{
    json::{Json, JsonDoc},
    tree::{Span, Tree},
};

pub use crate::documents::crd_documents::{CrdAnswers, Unanswered};
use crate::{
    config::versions::VersionSet,
    documents::crd_documents::{self, unanswered},
    documents::spans,
};

/// The rule costs of the CRDs in one file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileCosts {
    /// The text that all spans refer to.
    pub text: Arc<str>,
    /// The costs of each CRD. If clients cannot split the file into documents, one entry for the whole file.
    pub documents: Arc<[DocumentCosts]>,
}

/// The rule costs of one CRD.
pub type DocumentCosts = CrdAnswers<Vec<PlacedCosts>>;

/// The costs of a schema, with the spans of its rules and its limits.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedCosts {
    /// The costs.
    pub schema: SchemaCosts,
    /// The span of each rule in the first version that has the rule.
    pub spans: Vec<Span>,
    /// The spans of each rule in all versions that have the rule.
    pub places: Vec<Vec<Span>>,
    /// The spans of the schema's key in all versions that have the schema.
    pub schema_places: Vec<Span>,
    /// The schemas for which limits are proposed, by their path.
    targets: BTreeMap<Vec<SchemaStep>, Vec<Target>>,
}

/// A schema in the text of one version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The span of the schema's key. If it has none, its first line.
    pub key: Span,
    /// The span of the whole schema.
    pub span: Span,
}

impl PlacedCosts {
    /// The schema for which a limit is proposed, in each version that has the schema.
    pub fn targets(&self, bound: &Bound) -> &[Target] {
        self.targets.get(&bound.steps).map_or(&[], Vec::as_slice)
    }
}

/// A cost as a percentage of the limit for one rule.
pub fn share(cost: u64) -> String {
    let percent = cost.saturating_mul(100) / COST_LIMIT;
    match cost / COST_LIMIT {
        _ if cost == 0 => "0 %".to_owned(),
        _ if percent == 0 => "< 1 %".to_owned(),
        _ if percent == 100 && cost > COST_LIMIT => "> 100 %".to_owned(),
        100.. => "> 100x".to_owned(),
        times @ 10.. => format!("{times}x"),
        _ => format!("{percent} %"),
    }
}

/// A number with commas as thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Estimates the cost of all rules of the CRDs in a text, as the API servers of these Kubernetes versions do. `named` has the same meaning as in
/// [`Question`](crate::judging::analysis::Question).
pub fn price(bytes: Vec<u8>, versions: VersionSet, named: bool) -> FileCosts {
    let (text, documents) = crd_documents::each(bytes, versions, named, of_definition);
    FileCosts {
        text,
        documents: documents.into(),
    }
}

fn of_definition(tree: &Tree, json: &JsonDoc<'_>, version: KubernetesVersion) -> Result<Vec<PlacedCosts>, Unanswered> {
    let received = Received::new(json, version).map_err(|verdict| unanswered(&verdict))?;
    if !received.has_rules() && !received.has_selectable_fields() {
        return Ok(Vec::new());
    }
    let verdict = received.judge(None, Some(&CelCompiler::new(version)));
    let (None, Some(definition), Some(root)) = (&verdict.unjudged, &verdict.definition, json.root()) else {
        return Err(unanswered(&verdict));
    };
    Ok(place(
        tree,
        root,
        definition.hoisted,
        schema_costs(&definition.internal, &verdict.errors, &verdict.compiled, version),
    ))
}

/// The costs of the rules of a CRD, from its verdict.
pub(crate) fn of_verdict(
    tree: &Tree,
    root: &Json<'_>,
    verdict: &CrdVerdict,
    version: KubernetesVersion,
) -> Vec<PlacedCosts> {
    verdict.definition.as_ref().map_or_else(Vec::new, |definition| {
        let costs = schema_costs(&definition.internal, &verdict.errors, &verdict.compiled, version);
        place(tree, root, definition.hoisted, costs)
    })
}

fn place(tree: &Tree, root: &Json<'_>, hoisted: Hoisted, costs: Vec<SchemaCosts>) -> Vec<PlacedCosts> {
    let spots = |path: &Path| -> Vec<Span> {
        let found = places::find(root, hoisted, path);
        found.iter().map(|it| spans::spot(tree, it.key, it.value)).collect()
    };
    let placed = costs.into_iter().map(|schema| {
        let places: Vec<Vec<Span>> = schema
            .rules
            .iter()
            .map(|rule| {
                let at = rule.path.child("x-kubernetes-validations").index(rule.index);
                spots(&at.child("rule"))
            })
            .collect();
        let first = |spans: &Vec<Span>| spans.first().copied().unwrap_or_else(|| tree.span(root.node));
        let mut targets = BTreeMap::new();
        let remedies = schema.rules.iter().flat_map(|it| &it.remedies).chain(&schema.remedy);
        for bound in remedies.flat_map(|it| &it.bounds) {
            if targets.contains_key(&bound.steps) {
                continue;
            }
            let found = places::find(root, hoisted, &bound.path(&schema.path));
            let found = found.iter().filter(|it| !it.missing).map(|it| Target {
                key: spans::spot(tree, it.key, it.value),
                span: tree.span(it.value),
            });
            targets.insert(bound.steps.clone(), found.collect());
        }
        PlacedCosts {
            spans: places.iter().map(first).collect(),
            places,
            schema_places: spots(&schema.path),
            targets,
            schema,
        }
    });
    placed.collect()
}
