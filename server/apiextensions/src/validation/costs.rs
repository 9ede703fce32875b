//! The cost estimates of all rules of a CRD, including rules that the API server does not check.
//!
//! [`super::cel`] estimates costs to compare them with their limits. This module returns the costs themselves.

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::field::{Error, ErrorType, Path, Segment};
use crd_analyzer_schema::rules::Effort;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use super::cel::CompiledSchema;
use super::pricing::Pricing;
use super::rule_cost::SchemaCosts;
use super::structural::{default_errors, structural_errors};
use super::suggested_bounds::verified_proposals;
use super::traverse::{any_schema, has_own_rules};
use crate::{codes, types::CustomResourceDefinition};

/// The effort for suggestions for one schema, in visited nodes of expressions and schemas. It takes a few tenths of a second.
const EFFORT: u64 = 3_000_000;

/// The limits on work and memory for suggestions for one schema. They are needed because some nodes take much longer than others.
const PROPOSING: Limits = Limits {
    work: Limits::DOCUMENT.work / 4,
    ..Limits::DOCUMENT
};

/// Estimates the costs of a CRD's rules as an API server of this Kubernetes version does on creation; schemas without rules are omitted. `definition`
/// is in internal form. `errors` are the API server's errors, which determine the rules that it checks. `compiled` are the rules that the API server
/// compiled; this function compiles all other rules.
pub fn schema_costs(
    definition: &CustomResourceDefinition,
    errors: &[Error],
    compiled: &[CompiledSchema],
    version: KubernetesVersion,
) -> Vec<SchemaCosts> {
    let spec = &definition.spec;
    let errors = errors.iter().filter(|it| !is_about_expression(it));
    let mut errors: Vec<String> = errors.map(|it| it.path.to_string()).collect();
    errors.sort_unstable();
    let single = spec.versions.iter().enumerate().filter_map(|(i, it)| {
        let schema = it.schema.as_ref()?.open_api_v3_schema.as_ref()?;
        let path = Path::of(["spec", "versions"]).index(i).child("schema");
        Some((vec![it.name.clone()], path, schema))
    });
    let shared = spec.validation.iter().filter_map(|it| {
        let versions = spec.versions.iter().map(|it| it.name.clone()).collect();
        Some((
            versions,
            Path::of(["spec", "validation"]),
            it.open_api_v3_schema.as_ref()?,
        ))
    });
    single
        .chain(shared)
        .filter(|(_, _, schema)| any_schema(schema, &mut has_own_rules))
        .map(|(versions, path, schema)| {
            let path = path.child("openAPIV3Schema");
            let compiled = compiled.iter().find(|it| it.path == path);
            price(versions, path, schema, &errors, compiled, version)
        })
        .filter(|costs| !costs.rules.is_empty())
        .collect()
}

fn price(
    versions: Vec<String>,
    path: Path,
    schema: &JsonSchemaProps,
    errors: &[String],
    compiled: Option<&CompiledSchema>,
    version: KubernetesVersion,
) -> SchemaCosts {
    let not_checked = match compiled {
        Some(compiled) => compiled.not_checked.clone(),
        None => reason_not_checked(schema, &path, version),
    };
    let pricing = Pricing {
        path: &path,
        errors,
        version,
        is_reached: not_checked.is_none(),
        effort: Effort::new(EFFORT),
    };
    let compiled = compiled.map_or(&[][..], |it| &it.nodes);
    let (mut rules, total) = pricing.walk(schema, None, compiled);
    let (mut remedy, ended) = budget::within(PROPOSING, || verified_proposals(&pricing, schema, &mut rules, total));
    if ended.unfinished.is_some() {
        // Not all of the suggestions may have been verified.
        remedy = None;
        for rule in &mut rules {
            rule.remedies.clear();
        }
    }
    SchemaCosts {
        versions,
        path,
        rules,
        total,
        not_checked,
        remedy,
    }
}

/// The reason why the API server compiles no rules of a schema; `None` if the schema is structural and has valid defaults.
fn reason_not_checked(schema: &JsonSchemaProps, path: &Path, version: KubernetesVersion) -> Option<String> {
    let structural = match Structural::new(schema) {
        Ok(structural) => structural,
        Err(error) => return Some(format!("not structural: {error}")),
    };
    if let Some(error) = structural_errors(structural, path, version).first() {
        return Some(format!("not structural: {error}"));
    }
    let defaults = default_errors(structural, path, version, true, true);
    defaults.first().map(|error| format!("defaults: {error}"))
}

/// Whether an error comes from compiling rules.
fn is_about_expression(error: &Error) -> bool {
    let segments = error.path.segments();
    let is_rule = segments
        .iter()
        .any(|it| matches!(it, Segment::Field(name) if name == "x-kubernetes-validations"));
    if !is_rule {
        return error.code == codes::TOTAL_RULE_COST_OVER_LIMIT;
    }
    let Some(Segment::Field(last)) = segments.last() else {
        return false;
    };
    match last.as_str() {
        "rule" => error.code != codes::EMPTY_RULE,
        "messageExpression" => error.kind != ErrorType::Required,
        "optionalOldSelf" | "x-kubernetes-validations" => true,
        _ => false,
    }
}
