//! JSON lines output: one line for each rule and Kubernetes version, and a line with the total after the rules of a schema.

use std::io::{self, Write};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::costs::{
    self, BoundsProposal, DocumentCosts, FileCosts, PlacedCosts, TOTAL_COST_LIMIT, Unanswered,
};
use serde::Serialize;

use super::Format;
use crate::{
    input::Unreadable,
    output::jsonl::{FileLine, Range, range, shortened, write_line},
};

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    help: "JSON lines: one for each rule and Kubernetes version, and one for the total of each schema",
    is_table: false,
    file: |out, _, label, costs| file(out, label, costs),
    unreadable,
};

/// The schema or the part of a schema that a line describes.
#[derive(Serialize)]
struct Subject<'a> {
    file: &'a str,
    doc: Option<usize>,
    k8s: String,
    versions: &'a [String],
    schema_path: String,
}

#[derive(Serialize)]
struct RuleLine<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    index: usize,
    rule: &'a str,
    checked: bool,
    cost: u64,
    expr_cost: u64,
    max_cardinality: Option<u64>,
    cardinality: u64,
    uses_old_self: bool,
    error: Option<&'a str>,
    message_expression_cost: u64,
    message_expression_error: Option<&'a str>,
    range: Range,
    /// The best limits that make the rule fit. Empty if the rule already fits, and null if the rule is invalid or cannot be made to fit.
    fits: Option<Vec<Bound>>,
    /// The cost of the rule with these limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits_cost: Option<u64>,
    /// Other limits that also make the rule fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative>,
}

#[derive(Serialize)]
struct Alternative {
    bounds: Vec<Bound>,
    cost: u64,
}

/// A missing limit such as `maxItems`.
#[derive(Serialize)]
struct Bound {
    /// The schema without the limit, as a path in the API server's notation.
    schema_path: String,
    /// The path of the limited values: `spec.hosts[*]`.
    value: String,
    keyword: &'static str,
    suggested: i64,
    /// The largest sufficient value, if the other limits are set as suggested.
    largest: i64,
    /// The kubebuilder marker that sets the limit.
    marker: String,
}

#[derive(Serialize)]
struct TotalLine<'a> {
    #[serde(flatten)]
    subject: Subject<'a>,
    rules: usize,
    total: u64,
    limit: u64,
    over: bool,
    /// The limits that make the schema and all its rules fit, if the schema or a rule is too expensive.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<Vec<Bound>>,
    /// The total cost with these limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits_total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<String>,
}

#[derive(Serialize)]
struct UnansweredLine<'a> {
    file: &'a str,
    doc: Option<usize>,
    k8s: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    decode_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_error: Option<&'a str>,
}

/// Prints the lines of a file.
fn file(out: &mut dyn Write, label: &str, costs: &FileCosts) -> io::Result<()> {
    if costs
        .documents
        .iter()
        .all(|it| it.answers.iter().all(|it| it.1.as_ref().is_ok_and(Vec::is_empty)))
    {
        return Ok(());
    }
    let lines = LineIndex::new(&costs.text);
    for document in costs.documents.iter() {
        for (version, answer) in &document.answers {
            match answer {
                Ok(schemas) => {
                    for schema in schemas {
                        schema_lines(out, label, costs, &lines, document, *version, schema)?;
                    }
                }
                Err(why) => {
                    let (decode_error, other_error) = match why {
                        Unanswered::Undecodable(text) => (Some(text.as_str()), None),
                        Unanswered::Unjudged(text) => (None, Some(text.as_str())),
                    };
                    let line = UnansweredLine {
                        file: label,
                        doc: document.index,
                        k8s: version.to_string(),
                        decode_error,
                        other_error,
                    };
                    write_line(out, &line)?;
                }
            }
        }
    }
    Ok(())
}

/// Prints that a file could not be read, as a JSON line.
fn unreadable(out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
    write_line(out, &FileLine::unreadable(unreadable))
}

fn schema_lines(
    out: &mut dyn Write,
    file: &str,
    costs: &FileCosts,
    lines: &LineIndex,
    document: &DocumentCosts,
    version: KubernetesVersion,
    placed: &PlacedCosts,
) -> io::Result<()> {
    let schema = &placed.schema;
    let subject = |schema_path: String| Subject {
        file,
        doc: document.index,
        k8s: version.to_string(),
        versions: &schema.versions,
        schema_path,
    };
    for (rule, span) in schema.rules.iter().zip(&placed.spans) {
        let line = RuleLine {
            subject: subject(rule.path.to_string()),
            index: rule.index,
            rule: &rule.rule,
            checked: rule.checked,
            cost: rule.cost,
            expr_cost: rule.expr_cost,
            max_cardinality: rule.max_cardinality,
            cardinality: rule.cardinality,
            uses_old_self: rule.uses_old_self,
            error: rule.error.as_deref(),
            message_expression_cost: rule.message_cost,
            message_expression_error: rule.message_error.as_deref(),
            range: range(lines, &costs.text, *span),
            fits: match rule.remedies.first() {
                Some(remedy) => Some(bounds(remedy, &schema.path)),
                None if rule.is_over() || rule.error.is_some() => None,
                None => Some(Vec::new()),
            },
            fits_cost: rule.remedies.first().map(|it| it.cost),
            alternatives: rule
                .remedies
                .iter()
                .skip(1)
                .map(|it| Alternative {
                    bounds: bounds(it, &schema.path),
                    cost: it.cost,
                })
                .collect(),
        };
        write_line(out, &line)?;
    }
    let total = TotalLine {
        subject: subject(schema.path.to_string()),
        rules: schema.rules.len(),
        total: schema.total,
        limit: TOTAL_COST_LIMIT,
        over: schema.is_over(),
        fits: schema.remedy.as_ref().map(|it| bounds(it, &schema.path)),
        fits_total: schema.remedy.as_ref().map(|it| it.total),
        not_checked: schema.not_checked.as_ref().map(|why| shortened(why).into_owned()),
    };
    write_line(out, &total)
}

fn bounds(remedy: &BoundsProposal, root: &Path) -> Vec<Bound> {
    let bound = |it: &costs::Bound| Bound {
        schema_path: it.path(root).to_string(),
        value: it.place(),
        keyword: it.keyword,
        suggested: it.suggested,
        largest: it.largest,
        marker: it.marker().0,
    };
    remedy.bounds.iter().map(bound).collect()
}
