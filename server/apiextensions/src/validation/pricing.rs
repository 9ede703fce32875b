//! Estimates the costs of the rules of one schema: compiles rules that are not compiled yet, and multiplies costs by cardinality.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use crd_analyzer_schema::field::{Path, Segment, Trail};
use crd_analyzer_schema::rules::{CompiledRule, Effort, Occurrence, Part, SchemaStep, SuggestedBounds};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};

use super::cel::{CelContext, CompiledNode, max_elements, no_types};
use super::compiler::{CelCompiler, expression_size};
use super::limits::COST_LIMIT;
use super::preexisting::Preexisting;
use super::rule_cost::{Bound, BoundsProposal, RuleCost, UnboundedAncestor};
use super::traverse::any_schema;

/// A list or map without a limit above the current node.
struct Unbounded {
    /// The number of segments in the path of the list or map.
    depth: usize,
    /// The keyword that would limit the list or map.
    keyword: &'static str,
    /// The same list or map in public form, created on first use and shared by all rules inside it.
    known: OnceCell<Arc<UnboundedAncestor>>,
}

/// The settings for the cost estimates of a schema.
pub(super) struct Pricing<'e> {
    /// The path of the schema in the internal form.
    pub(super) path: &'e Path,
    /// The API server's errors in the schema, see [`Walk`].
    pub(super) errors: &'e [String],
    pub(super) version: KubernetesVersion,
    pub(super) is_reached: bool,
    /// The remaining effort for suggesting limits.
    pub(super) effort: Effort,
}

impl Pricing<'_> {
    /// The rules of a schema, and the total cost of the rules and message expressions; `None` if the effort is too high.
    pub(super) fn all(&self, schema: &JsonSchemaProps) -> Option<(Vec<RuleCost>, u64)> {
        let mut size = 0;
        any_schema(schema, &mut |it| {
            size += 1 + it.x_validations.iter().map(expression_size).sum::<usize>();
            false
        });
        self.effort.spend(size).then(|| self.walk(schema, None, &[]))
    }

    /// One rule of a schema with `nodes` nodes; `None` if the effort is too high.
    pub(super) fn one(&self, schema: &JsonSchemaProps, nodes: usize, rule: &RuleCost) -> Option<RuleCost> {
        // Types are created for the topmost node with rules and for all nodes inside it.
        if !self.effort.spend(nodes + rule.rule.len()) {
            return None;
        }
        let (rules, _) = self.walk(schema, Some((&rule.path, rule.index)), &[]);
        rules.into_iter().next()
    }

    pub(super) fn walk(
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

    /// The ways to bring a rule below a cost limit.
    pub(super) fn fits_below(&self, schema: &JsonSchemaProps, rule: &RuleCost, limit: u64) -> Vec<BoundsProposal> {
        let mut walk = self.start(Some((&rule.path, rule.index)), limit);
        walk.start(schema, self.version);
        walk.rules.into_iter().next().map(|it| it.remedies).unwrap_or_default()
    }
}

struct Walk<'e> {
    /// The paths of errors that are not about a compiled expression, sorted. They are stored as strings, since one segment of the API server's paths
    /// may consist of several field names.
    errors: &'e [String],
    /// Whether the API server compiles rules of this schema at all.
    is_reached: bool,
    /// The lists and maps without a limit from the root to the current node.
    unbounded: Vec<Unbounded>,
    /// The number of segments in the path of the current node.
    depth: usize,
    /// The product of the limits of the other lists and maps.
    bounded: u64,
    rules: Vec<RuleCost>,
    total: u64,
    root: &'e Path,
    /// The node and index of the only rule to visit; `None` to visit all rules.
    only: Option<(&'e Path, usize)>,
    /// Rules that cost more than this get suggestions.
    limit: u64,
    /// The remaining nodes whose rules are already compiled.
    compiled: &'e [CompiledNode],
    effort: &'e Effort,
}

/// The nodes that a walk visits.
#[derive(Clone, Copy)]
enum Way<'w> {
    /// All nodes.
    All,
    /// A single node inside the current node.
    To(&'w [Segment]),
}

impl Way<'_> {
    /// The rest of the way after a step to a keyword; `None` if the way does not lead there.
    fn below(self, keyword: &str) -> Option<Self> {
        match self {
            Self::All => Some(Self::All),
            Self::To([Segment::Field(name), rest @ ..]) if name == keyword => Some(Self::To(rest)),
            Self::To(_) => None,
        }
    }

    /// The rest of the way after a step to a property; `None` if the way does not lead there.
    fn property(self, name: &str) -> Option<Self> {
        match self.below("properties")? {
            Self::To([Segment::Key(key), rest @ ..]) if key == name => Some(Self::To(rest)),
            Self::To(_) => None,
            Self::All => Some(Self::All),
        }
    }

    /// Whether the walk visits the current node.
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
            self.unbounded.push(Unbounded {
                depth: self.depth,
                keyword,
                known: OnceCell::new(),
            });
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

    /// Visits a node inside the current node. `segments` is the number of segments between their paths.
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

    /// The lists and maps without a limit above the current node, which is at `path`.
    fn unbounded_above(&self, path: &Path) -> Arc<[Arc<UnboundedAncestor>]> {
        let ancestor = |it: &Unbounded| {
            let make = || UnboundedAncestor {
                path: path.segments().iter().take(it.depth).cloned().collect(),
                keyword: it.keyword,
            };
            it.known.get_or_init(|| Arc::new(make())).clone()
        };
        self.unbounded.iter().map(ancestor).collect()
    }

    fn rules_at<'s>(&mut self, rules: &'s [ValidationRule], path: &Path, context: &CelContext<'_, 's>) {
        let only = self.only.map(|(_, index)| index).filter(|it| *it < rules.len());
        let checked = self.is_reached && !self.has_schema_error_within(path);
        let compiled = match self.compiled_at(path) {
            Some(compiled) => Cow::Borrowed(compiled),
            // The result is either one result per rule, or one for all rules.
            None => Cow::Owned(compile(only.map_or(rules, |it| &rules[it..=it]), context)),
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
                    // If the API server would crash, there is one result for all rules.
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

    /// The compiled rules of the node at `path`, if they were compiled before.
    fn compiled_at(&mut self, path: &Path) -> Option<&'e Result<Vec<CompiledRule>, String>> {
        // Both walks use the same order, but each may skip nodes that the other visits.
        let at = self.compiled.iter().position(|it| it.path == *path)?;
        let compiled = &self.compiled[at].compiled;
        self.compiled = &self.compiled[at + 1..];
        Some(compiled)
    }

    /// Suggests limits that would make an expensive rule cheaper.
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
            types.suggest_bounds(rule, Part::Rule, occurrence, self.limit, self.effort)
        } else {
            types.suggest_bounds(
                rule,
                Part::MessageExpression,
                Occurrence::fixed(1),
                self.limit,
                self.effort,
            )
        };
        let ways = ways.into_iter().map(|fit| BoundsProposal {
            bounds: absolute(&fit, &out.path, self.root, &out.unbounded),
            cost: 0,
            total: 0,
        });
        out.remedies = ways.collect();
    }

    /// Whether an error at the node at `path` or inside the node keeps the API server from compiling the node's rules.
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
        self.expr_cost = compiled.max_cost();
        self.cardinality = self.max_cardinality.unwrap_or(compiled.max_cardinality);
        self.cost = self.expr_cost.saturating_mul(self.cardinality);
        self.error = compiled.error.as_ref().map(|error| error.detail.clone());
        match &compiled.message {
            Some(Ok(message)) => self.message_cost = message.max_cost,
            Some(Err(error)) => self.message_error = Some(error.detail.clone()),
            None => {}
        }
    }
}

/// The steps from `root` to a schema inside it.
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

/// The suggested limits for a rule at `path`, with steps from the root of the schema.
fn absolute(fit: &SuggestedBounds, path: &Path, root: &Path, unbounded: &[Arc<UnboundedAncestor>]) -> Vec<Bound> {
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
