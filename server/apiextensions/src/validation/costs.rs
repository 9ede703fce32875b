//! What every rule of a definition costs, also those that the server does not get to.
//!
//! [`super::cel`] prices rules to compare them with their limits; here the numbers are what is asked for.

use std::borrow::Cow;
use std::sync::Arc;

use crd_analyzer_schema::field::{Error, ErrorType, Path, Segment, Trail};
use crd_analyzer_schema::rules::{Effort, Occurrence, Part};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{
    COST_LIMIT, CelContext, CompiledNode, CompiledRule, CompiledSchema, TOTAL_COST_LIMIT, max_elements, no_types,
};
use super::compiler::{CelCompiler, expression_size};
use super::options::Preexisting;
use super::remedy::{Remedy, absolute, remedies};
use super::structural::{default_errors, structural_errors};
use super::traverse::{any_schema, has_own_rules};
use crate::types::CustomResourceDefinition;

/// What may be spent on proposals for one schema, in parts of expressions and schemas that are looked at: some tenths of a second.
const EFFORT: u64 = 3_000_000;

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
    pub unbounded: Arc<[UnboundedAncestor]>,
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
/// out. `errors`: what the server says of the definition, which decides what rules it gets to. `compiled`: what it compiled for that; what is
/// not in there is compiled now.
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
    /// What may be spent on proposals of bounds.
    pub(super) effort: Effort,
}

impl Pricing<'_> {
    /// The rules of a schema, and what they and their message expressions cost together; `None` if that is too much effort.
    pub(super) fn all(&self, schema: &JsonSchemaProps) -> Option<(Vec<RuleCost>, u64)> {
        let mut size = 0;
        any_schema(schema, &mut |it| {
            size += 1 + it.x_validations.iter().map(expression_size).sum::<usize>();
            false
        });
        self.effort.spend(size).then(|| self.walk(schema, None, &[]))
    }

    /// One rule of a schema of so many nodes; `None` if that is too much effort.
    pub(super) fn one(&self, schema: &JsonSchemaProps, nodes: usize, rule: &RuleCost) -> Option<RuleCost> {
        // The types of rules are made for the topmost node that has any.
        if !self.effort.spend(nodes + rule.rule.len()) {
            return None;
        }
        let (rules, _) = self.walk(schema, Some((&rule.path, rule.index)), &[]);
        rules.into_iter().next()
    }

    fn walk(
        &self,
        schema: &JsonSchemaProps,
        only: Option<(&Path, usize)>,
        compiled: &[CompiledNode],
    ) -> (Vec<RuleCost>, u64) {
        let mut walk = Walk {
            compiled,
            ..self.start(only, COST_LIMIT)
        };
        walk.start(schema, self.version);
        (walk.rules, walk.total)
    }

    fn start<'e>(&'e self, only: Option<(&'e Path, usize)>, limit: u64) -> Walk<'e> {
        Walk {
            errors: self.errors,
            is_reached: self.is_reached,
            unbounded: Vec::new(),
            depth: self.path.segments().len(),
            bounded: 1,
            rules: Vec::new(),
            total: 0,
            root: self.path,
            only,
            limit,
            compiled: &[],
            effort: &self.effort,
        }
    }

    /// The ways to bring a rule below a lower limit.
    pub(super) fn fits_below(&self, schema: &JsonSchemaProps, rule: &RuleCost, limit: u64) -> Vec<Remedy> {
        let mut walk = self.start(Some((&rule.path, rule.index)), limit);
        walk.start(schema, self.version);
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
    /// Lists and maps without bound from the root to where the walk is: how many segments their paths have, and what would bound them.
    unbounded: Vec<(usize, &'static str)>,
    /// How many segments the path to where the walk is has.
    depth: usize,
    /// The product of the bounds of the others.
    bounded: u64,
    rules: Vec<RuleCost>,
    total: u64,
    root: &'e Path,
    /// The only rule that is asked about.
    only: Option<(&'e Path, usize)>,
    /// What costs more than this gets proposals.
    limit: u64,
    /// What is compiled already of what is to come.
    compiled: &'e [CompiledNode],
    effort: &'e Effort,
}

/// Where a walk goes.
#[derive(Clone, Copy)]
enum Way<'w> {
    /// Everywhere.
    All,
    /// To one node below.
    To(&'w [Segment]),
}

impl Way<'_> {
    /// The rest behind a step to what is below a keyword; `None` if the way does not go there.
    fn below(self, keyword: &str) -> Option<Self> {
        match self {
            Self::All => Some(Self::All),
            Self::To([Segment::Field(name), rest @ ..]) if name == keyword => Some(Self::To(rest)),
            Self::To(_) => None,
        }
    }

    /// The same for a property.
    fn property(self, name: &str) -> Option<Self> {
        match self.below("properties")? {
            Self::To([Segment::Key(key), rest @ ..]) if key == name => Some(Self::To(rest)),
            Self::To(_) => None,
            Self::All => Some(Self::All),
        }
    }

    /// Whether what is here is asked about.
    fn is_here(self) -> bool {
        matches!(self, Self::All | Self::To([]))
    }
}

fn compile<'s>(rules: &'s [ValidationRule], context: &CelContext<'_, 's>) -> Result<Vec<CompiledRule>, String> {
    match context.types() {
        Some(Ok(types)) => types.compile(rules, &Preexisting::default()),
        Some(Err(error)) => Err(no_types(error)),
        None => Err("internal error: failed to retrieve type information for x-kubernetes-validations".to_owned()),
    }
}

impl<'e> Walk<'e> {
    fn start(&mut self, schema: &JsonSchemaProps, version: KubernetesVersion) {
        let compiler = CelCompiler::new(version);
        let below_root = |path: &'e Path| Way::To(&path.segments()[self.root.segments().len()..]);
        let way = self.only.map_or(Way::All, |(path, _)| below_root(path));
        let context = CelContext::root(&compiler, schema);
        self.node(schema, &Trail::new(self.root), &context, way);
    }

    fn node<'s>(&mut self, schema: &'s JsonSchemaProps, at: &Trail<'_>, context: &CelContext<'_, 's>, way: Way<'_>) {
        let elements = max_elements(schema);
        let is_unbounded = elements.is_none();
        let bounded = self.bounded;
        self.bounded = bounded.saturating_mul(elements.unwrap_or(1));
        if is_unbounded {
            let is_list = schema.r#type == "array";
            let keyword = if is_list { "maxItems" } else { "maxProperties" };
            self.unbounded.push((self.depth, keyword));
        }
        if let Some(values) = schema
            .additional_properties
            .as_ref()
            .and_then(|it| it.schema.as_deref())
        {
            let at = at.child("additionalProperties");
            if let Some(way) = way.below("additionalProperties") {
                self.below(1, values, &at, &context.additional_properties(values), way);
            }
        }
        let properties = at.child("properties");
        for (name, property) in &schema.properties {
            if let Some(way) = way.property(name) {
                self.below(
                    2,
                    property,
                    &properties.key(name),
                    &context.property(name, property),
                    way,
                );
            }
        }
        if let Some(items) = schema.items.as_ref().and_then(|it| it.schema.as_deref())
            && let Some(way) = way.below("items")
        {
            self.below(1, items, &at.child("items"), &context.items(items), way);
        }
        if is_unbounded {
            self.unbounded.pop();
        }
        self.bounded = bounded;
        if !schema.x_validations.is_empty() && way.is_here() {
            self.rules_at(&schema.x_validations, &at.path(), context);
        }
    }

    /// Goes to a node that is so many segments below.
    fn below<'s>(
        &mut self,
        segments: usize,
        schema: &'s JsonSchemaProps,
        at: &Trail<'_>,
        context: &CelContext<'_, 's>,
        way: Way<'_>,
    ) {
        self.depth += segments;
        self.node(schema, at, context, way);
        self.depth -= segments;
    }

    /// The lists and maps without bound above the node at `path`, where the walk is.
    fn unbounded_above(&self, path: &Path) -> Arc<[UnboundedAncestor]> {
        let ancestor = |&(depth, keyword): &(usize, &'static str)| UnboundedAncestor {
            path: path.segments().iter().take(depth).cloned().collect(),
            keyword,
        };
        self.unbounded.iter().map(ancestor).collect()
    }

    fn rules_at<'s>(&mut self, rules: &'s [ValidationRule], path: &Path, context: &CelContext<'_, 's>) {
        let only = self.only.map(|(_, index)| index);
        let checked = self.is_reached && !self.has_schema_error_within(path);
        let compiled = match self.compiled_at(path) {
            Some(compiled) => Cow::Borrowed(compiled),
            None => Cow::Owned(compile(rules, context)),
        };
        let unbounded = self.unbounded_above(path);
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
                unbounded: unbounded.clone(),
                uses_old_self: false,
                error: None,
                message_cost: 0,
                message_error: None,
                remedies: Vec::new(),
            };
            match &*compiled {
                Err(failure) => out.error = Some(failure.clone()),
                Ok(compiled) => {
                    // Where the server would crash, there is one answer for all rules.
                    if let Some(compiled) = compiled.get(index).or(compiled.last()) {
                        out.take(compiled);
                    }
                    self.propose(&mut out, rule, context);
                    if checked {
                        self.total = self.total.saturating_add(out.cost).saturating_add(out.message_cost);
                    }
                }
            }
            self.rules.push(out);
        }
    }

    /// What the rules of the node at `path` compiled to, if they did.
    fn compiled_at(&mut self, path: &Path) -> Option<&'e Result<Vec<CompiledRule>, String>> {
        // Both walks go the same way, and one may leave out what the other has.
        let at = self.compiled.iter().position(|it| it.path == *path)?;
        let compiled = &self.compiled[at].compiled;
        self.compiled = &self.compiled[at + 1..];
        Some(compiled)
    }

    /// Looks for bounds that would make an expensive rule cheaper.
    fn propose<'s>(&self, out: &mut RuleCost, rule: &'s ValidationRule, context: &CelContext<'_, 's>) {
        if out.error.is_some() || out.cost.max(out.message_cost) <= self.limit {
            return;
        }
        let Some(Ok(types)) = context.types() else {
            return;
        };
        let ways = if out.cost > self.limit {
            let occurrence = Occurrence {
                cardinality: out.cardinality,
                unbounded: out.unbounded.len() as u32,
                bounded: self.bounded,
            };
            types.fits(rule, Part::Rule, occurrence, self.limit, self.effort)
        } else {
            types.fits(
                rule,
                Part::MessageExpression,
                Occurrence::fixed(1),
                self.limit,
                self.effort,
            )
        };
        let ways = ways.into_iter().map(|fit| Remedy {
            bounds: absolute(&fit, &out.path, self.root, &out.unbounded),
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
