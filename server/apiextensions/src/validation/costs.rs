//! What every rule of a definition costs, also those that the server does not get to.
//!
//! [`super::cel`] prices rules to compare them with their limits; here the numbers are what is asked for.

use crd_analyzer_schema::field::{Error, ErrorType, Path, Segment, Trail};
use crd_analyzer_schema::rules::{Occurrence, Part};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{COST_LIMIT, CelContext, CompiledRule, NodeTypes, TOTAL_COST_LIMIT, max_elements, no_types};
use super::compiler::CelCompiler;
use super::options::Preexisting;
use super::remedy::{Remedy, absolute, remedies};
use super::structural::{default_errors, structural_errors};
use super::traverse::{any_schema, has_own_rules};
use crate::types::CustomResourceDefinition;

/// The rules of one schema, which may be that of several versions.
#[derive(Clone, PartialEq, Debug)]
pub struct SchemaCosts {
    /// The versions that have the schema.
    pub versions: Vec<String>,
    /// The schema in the internal form.
    pub path: Path,
    /// Its rules: those of a node after those of the nodes below it.
    pub rules: Vec<RuleCost>,
    /// Cost units of all rules and message expressions that the server checks.
    pub total: u64,
    /// Why the server checks none of the rules, if so.
    pub not_checked: Option<String>,
    /// The bounds that bring the schema and all its rules below their limits, if something is over its limit and there are any.
    pub remedy: Option<Remedy>,
}

impl SchemaCosts {
    /// The schema as a whole costs more than the server allows.
    pub fn is_over(&self) -> bool {
        self.total > TOTAL_COST_LIMIT
    }

    /// The schema, or one of its rules, costs more than the server allows.
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
    /// Whether the server checks the rule. If not, the numbers are what it would find.
    pub checked: bool,
    /// `expr_cost` as often as the rule may be evaluated: what the server compares with [`COST_LIMIT`].
    pub cost: u64,
    /// One evaluation at worst; 0 if the rule does not compile.
    pub expr_cost: u64,
    /// How many values of the node an object can have by the bounds of the schemas above; `None` if nothing bounds it.
    pub max_cardinality: Option<u64>,
    /// The factor that counts: `max_cardinality`, or how many of the smallest values fit into a request.
    pub cardinality: u64,
    /// Lists and maps above the node without bound, from the top.
    pub unbounded: Vec<UnboundedAncestor>,
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
    pub remedies: Vec<Remedy>,
}

impl RuleCost {
    /// The rule or its message expression costs more than the server allows.
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

/// Prices the rules of a definition in internal form as a server of this minor does when it is created; schemas without rules are left
/// out. `errors`: what the server says of the definition, which decides what rules it gets to.
pub fn schema_costs(
    definition: &CustomResourceDefinition,
    errors: &[Error],
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
        .map(|(versions, path, schema)| price(versions, path.child("openAPIV3Schema"), schema, &errors, version))
        .filter(|costs| !costs.rules.is_empty())
        .collect()
}

fn price(
    versions: Vec<String>,
    path: Path,
    schema: &JsonSchemaProps,
    errors: &[String],
    version: KubernetesVersion,
) -> SchemaCosts {
    let not_checked = reason_not_checked(schema, &path, version);
    let pricing = Pricing {
        path: &path,
        errors,
        version,
        is_reached: not_checked.is_none(),
    };
    let (mut rules, total) = pricing.all(schema);
    let remedy = remedies(&pricing, schema, &mut rules, total);
    SchemaCosts {
        versions,
        path,
        rules,
        total,
        not_checked,
        remedy,
    }
}

/// How a schema is priced.
pub(super) struct Pricing<'e> {
    /// The schema in the internal form.
    pub(super) path: &'e Path,
    /// See [`Walk`].
    errors: &'e [String],
    version: KubernetesVersion,
    is_reached: bool,
}

impl Pricing<'_> {
    /// The rules of a schema, and what they and their message expressions cost together.
    pub(super) fn all(&self, schema: &JsonSchemaProps) -> (Vec<RuleCost>, u64) {
        self.walk(schema, None)
    }

    /// One rule of a schema.
    pub(super) fn one(&self, schema: &JsonSchemaProps, rule: &RuleCost) -> Option<RuleCost> {
        let (rules, _) = self.walk(schema, Some((&rule.path, rule.index)));
        rules.into_iter().next()
    }

    fn walk(&self, schema: &JsonSchemaProps, only: Option<(&Path, usize)>) -> (Vec<RuleCost>, u64) {
        let compiler = CelCompiler::new(self.version);
        let mut walk = Walk {
            errors: self.errors,
            is_reached: self.is_reached,
            unbounded: Vec::new(),
            bounded: 1,
            rules: Vec::new(),
            total: 0,
            root: self.path,
            only,
            limit: COST_LIMIT,
        };
        walk.node(schema, &Trail::new(self.path), &CelContext::root(&compiler, schema));
        (walk.rules, walk.total)
    }

    /// The ways to bring a rule below a lower limit.
    pub(super) fn fits_below(&self, schema: &JsonSchemaProps, rule: &RuleCost, limit: u64) -> Vec<Remedy> {
        let compiler = CelCompiler::new(self.version);
        let mut walk = Walk {
            errors: self.errors,
            is_reached: self.is_reached,
            unbounded: Vec::new(),
            bounded: 1,
            rules: Vec::new(),
            total: 0,
            root: self.path,
            only: Some((&rule.path, rule.index)),
            limit,
        };
        walk.node(schema, &Trail::new(self.path), &CelContext::root(&compiler, schema));
        walk.rules.into_iter().next().map(|it| it.remedies).unwrap_or_default()
    }
}

/// Rules are only compiled where the schema is structural and has good defaults.
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

struct Walk<'e> {
    /// The paths of errors that are not about a compiled expression, sorted. As text: one segment of the server's paths may name
    /// several fields.
    errors: &'e [String],
    /// The server gets to the rules of this schema at all.
    is_reached: bool,
    /// Lists and maps without bound from the root to where the walk is.
    unbounded: Vec<UnboundedAncestor>,
    /// The product of the bounds of the others.
    bounded: u64,
    rules: Vec<RuleCost>,
    total: u64,
    root: &'e Path,
    /// The only rule that is asked about.
    only: Option<(&'e Path, usize)>,
    /// What costs more than this gets proposals.
    limit: u64,
}

impl Walk<'_> {
    fn node<'s>(&mut self, schema: &'s JsonSchemaProps, at: &Trail<'_>, context: &CelContext<'_, 's>) {
        let elements = max_elements(schema);
        let is_unbounded = elements.is_none();
        let bounded = self.bounded;
        self.bounded = bounded.saturating_mul(elements.unwrap_or(1));
        if is_unbounded {
            let is_list = schema.r#type == "array";
            self.unbounded.push(UnboundedAncestor {
                path: at.path(),
                keyword: if is_list { "maxItems" } else { "maxProperties" },
            });
        }
        if let Some(values) = schema
            .additional_properties
            .as_ref()
            .and_then(|it| it.schema.as_deref())
        {
            let at = at.child("additionalProperties");
            self.node(values, &at, &context.additional_properties(values));
        }
        for (name, property) in &schema.properties {
            let properties = at.child("properties");
            self.node(property, &properties.key(name), &context.property(name, property));
        }
        if let Some(items) = schema.items.as_ref().and_then(|it| it.schema.as_deref()) {
            self.node(items, &at.child("items"), &context.items(items));
        }
        if is_unbounded {
            self.unbounded.pop();
        }
        self.bounded = bounded;
        if !schema.x_validations.is_empty() {
            self.rules_at(&schema.x_validations, &at.path(), context);
        }
    }

    fn rules_at<'s>(&mut self, rules: &'s [ValidationRule], path: &Path, context: &CelContext<'_, 's>) {
        let only = match self.only {
            Some((wanted, index)) if wanted == path => Some(index),
            Some(_) => return,
            None => None,
        };
        let checked = self.is_reached && !self.has_schema_error_within(path);
        let types = match context.types() {
            Some(Ok(types)) => Ok(types),
            Some(Err(error)) => Err(no_types(error)),
            None => Err("internal error: failed to retrieve type information for x-kubernetes-validations".to_owned()),
        };
        let compiled = types
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|types| types.compile(rules, &Preexisting::default()));
        for (index, rule) in rules.iter().enumerate() {
            if only.is_some_and(|only| only != index) {
                continue;
            }
            let mut out = RuleCost {
                path: path.clone(),
                index,
                rule: rule.rule.clone(),
                checked,
                cost: 0,
                expr_cost: 0,
                max_cardinality: context.max_cardinality(),
                cardinality: 0,
                unbounded: self.unbounded.clone(),
                uses_old_self: false,
                error: None,
                message_cost: 0,
                message_error: None,
                remedies: Vec::new(),
            };
            match &compiled {
                Err(failure) => out.error = Some(failure.clone()),
                Ok(compiled) => {
                    // Where the server would crash, there is one answer for all rules.
                    if let Some(compiled) = compiled.get(index).or(compiled.last()) {
                        out.take(compiled);
                    }
                    if let Ok(types) = &types {
                        self.propose(&mut out, rule, &***types);
                    }
                    if checked {
                        self.total = self.total.saturating_add(out.cost).saturating_add(out.message_cost);
                    }
                }
            }
            self.rules.push(out);
        }
    }

    /// Looks for bounds that would make an expensive rule cheaper.
    fn propose<'s>(&self, out: &mut RuleCost, rule: &'s ValidationRule, types: &dyn NodeTypes<'s>) {
        if out.error.is_some() {
            return;
        }
        let mut ways = Vec::new();
        if out.cost > self.limit {
            let occurrence = Occurrence {
                cardinality: out.cardinality,
                unbounded: out.unbounded.len() as u32,
                bounded: self.bounded,
            };
            ways = types.fits(rule, Part::Rule, occurrence, self.limit);
        } else if out.message_cost > self.limit {
            ways = types.fits(rule, Part::MessageExpression, Occurrence::fixed(1), self.limit);
        }
        let ways = ways.into_iter().map(|fit| Remedy {
            bounds: absolute(&fit, &out.path, self.root, &self.unbounded),
            cost: 0,
            total: 0,
        });
        out.remedies = ways.collect();
    }

    /// Whether there is an error about the node at `path` or one below it that keeps the server from compiling the node's rules.
    fn has_schema_error_within(&self, path: &Path) -> bool {
        let path = path.to_string();
        let begins = |prefix: &str| {
            let at = self.errors.partition_point(|it| it.as_str() < prefix);
            self.errors.get(at).is_some_and(|it| it.starts_with(prefix))
        };
        self.errors.binary_search(&path).is_ok() || begins(&format!("{path}.")) || begins(&format!("{path}["))
    }
}

impl RuleCost {
    fn take(&mut self, compiled: &CompiledRule) {
        self.uses_old_self = compiled.uses_old_self;
        self.expr_cost = compiled.max_cost;
        self.cardinality = self.max_cardinality.unwrap_or(compiled.max_cardinality);
        self.cost = compiled.max_cost.saturating_mul(self.cardinality);
        self.error = compiled.error.as_ref().map(|error| error.detail.clone());
        match &compiled.message_expression {
            Some(Ok(cost)) => self.message_cost = *cost,
            Some(Err(error)) => self.message_error = Some(error.detail.clone()),
            None => {}
        }
    }
}

/// Whether an error comes from the stage that compiles rules.
fn is_about_expression(error: &Error) -> bool {
    let segments = error.path.segments();
    let is_rule = segments
        .iter()
        .any(|it| matches!(it, Segment::Field(name) if name == "x-kubernetes-validations"));
    if !is_rule {
        return error.kind == ErrorType::Forbidden && error.detail.contains("estimated rule cost total");
    }
    let Some(Segment::Field(last)) = segments.last() else {
        return false;
    };
    match last.as_str() {
        "rule" => !error.detail.contains("rule is not specified"),
        "messageExpression" => error.kind != ErrorType::Required,
        "optionalOldSelf" | "x-kubernetes-validations" => true,
        _ => false,
    }
}
