//! Where rules are compiled and priced, and what is made of the answers (`cel_validation.go`).
//!
//! The compiler itself is a [`RuleCompiler`] that is handed in: this module decides which rules reach it, with which
//! types and cardinality, and words the errors about costs. Without a compiler the stage is left out.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use crd_analyzer_schema::field::{Error, Path, Trail};
use crd_analyzer_schema::rules::{DeclType, Effort, Expression, Fit, Occurrence, Part};
use crd_analyzer_schema::{JsonSchemaProps, ValidationRule};

use super::node::NodeWalk;
use super::options::Preexisting;
use super::report::invalid_string;
use super::standard::Standard;
use crate::codes;
use crd_analyzer_schema::field::ErrorType;

/// Cost units that one rule, or one message expression, may be estimated at (`StaticEstimatedCostLimit`).
pub const COST_LIMIT: u64 = 10_000_000;
/// Cost units that all rules of a schema may be estimated at together (`StaticEstimatedCRDCostLimit`).
pub const TOTAL_COST_LIMIT: u64 = 100_000_000;

/// Makes CEL types of schemas. Types are made for the topmost schema that has rules, and read from there for those below.
pub trait RuleCompiler {
    /// The types of a schema, or why there are none (`defaultConverter`). `is_resource_root`: it is the root, or an
    /// embedded resource.
    fn types<'s>(&'s self, schema: &'s JsonSchemaProps, is_resource_root: bool) -> Result<Types<'s>, String>;
}

/// The CEL types of one node of a schema.
pub type Types<'s> = Rc<dyn NodeTypes<'s> + 's>;

/// What is known of a node of a schema: its types, those of the nodes below it, and what its rules compile to.
pub trait NodeTypes<'s> {
    /// The types of a property, if an expression can name it (`propertyTypeInfoAccessor`).
    fn property(&self, name: &str) -> Option<Types<'s>>;
    /// The types of the items of a list (`itemsTypeInfoAccessor`).
    fn items(&self) -> Option<Types<'s>>;
    /// The types of the values of a map (`additionalItemsTypeInfoAccessor`).
    fn values(&self) -> Option<Types<'s>>;
    /// Compiles and prices the node's rules (`cel.Compile`): one answer a rule, in order, or what kept the server from it.
    fn compile(&self, rules: &'s [ValidationRule], preexisting: &Preexisting<'_>) -> Result<Vec<CompiledRule>, String>;
    /// The declared type of the node's values, if there is one.
    fn decl_type(&self) -> Option<Arc<DeclType>>;
    /// The ways to bring an expression of a rule of the node below a limit with bounds that are missing: see
    /// [`crd_analyzer_schema::rules::fit`]. None also for one that does not compile.
    fn fits(
        &self,
        rule: &'s ValidationRule,
        part: Part,
        occurrence: Occurrence,
        limit: u64,
        effort: &Effort,
    ) -> Vec<Fit>;
}

/// What a rule compiled to (`cel.CompilationResult`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CompiledRule {
    /// Why the rule does not compile.
    pub error: Option<CompileError>,
    /// Cost units of one evaluation at worst; 0 if the rule does not compile.
    pub max_cost: u64,
    /// How many of the smallest values of this schema fit into a request: the factor where nothing else bounds it.
    pub max_cardinality: u64,
    /// The rule compares with the old value.
    pub uses_old_self: bool,
    /// The message expression, if there is one: cost units of one evaluation at worst, or why it does not compile.
    pub message_expression: Option<Result<u64, CompileError>>,
    /// Why the message expression does not compile either, where the rule does not: the server does not get there.
    pub unreached_message_error: Option<CompileError>,
    /// The rule, if it compiles.
    pub expression: Option<Runnable>,
}

/// A rule that compiled, for who runs it. All are equal: what else is told of rules tells them apart.
#[derive(Clone, Debug)]
pub struct Runnable(pub Arc<Expression>);

impl PartialEq for Runnable {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The rules of a node as they were compiled for the verdict.
#[derive(Clone, Copy, Debug)]
pub struct CompiledRules<'v> {
    /// The types of the node.
    pub types: &'v Arc<DeclType>,
    /// One a rule, in order.
    pub rules: &'v [CompiledRule],
}

impl CompiledSchema {
    /// The nodes whose rules were looked at, in the internal form.
    pub fn nodes(&self) -> impl Iterator<Item = (&Path, CompiledRules<'_>)> {
        self.nodes.iter().filter_map(|it| {
            let (types, rules) = (it.types.as_ref()?, it.compiled.as_ref().ok()?);
            Some((&it.path, CompiledRules { types, rules }))
        })
    }
}

/// Why an expression does not compile (`apiservercel.Error`).
#[derive(Clone, PartialEq, Debug)]
pub struct CompileError {
    /// The server reports a missing value, not an invalid one.
    pub is_required: bool,
    /// The server itself fails on the expression; the words are ours.
    pub crashes: bool,
    /// The server's words.
    pub detail: String,
    /// The diagnostic code.
    pub code: &'static str,
    /// Which bytes of the expression it is about.
    pub inner: Option<std::ops::Range<usize>>,
}

/// What became of the rules of one schema.
#[derive(Clone, PartialEq, Debug)]
pub struct CompiledSchema {
    /// The schema in the internal form.
    pub(super) path: Path,
    /// Why the server compiles none of them, if so.
    pub(super) not_checked: Option<String>,
    /// The nodes that have rules, each after those below it.
    pub(super) nodes: Vec<CompiledNode>,
}

/// What became of the rules of one node of a schema.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CompiledNode {
    /// The node in the internal form.
    pub(super) path: Path,
    /// Its types, if it has any.
    pub(super) types: Option<Arc<DeclType>>,
    /// One answer a rule, in order, or what kept the server from it; a single answer for all where the server crashes.
    pub(super) compiled: Result<Vec<CompiledRule>, String>,
}

/// How a node's types come from those of the node above.
#[derive(Clone, Copy)]
enum Accessor<'s> {
    Root,
    Property(&'s str),
    Items,
    Values,
}

/// A node of a schema as rules see it (`CELSchemaContext`).
pub(super) struct CelContext<'p, 's> {
    compiler: &'s dyn RuleCompiler,
    parent: Option<&'p CelContext<'p, 's>>,
    accessor: Accessor<'s>,
    schema: &'s JsonSchemaProps,
    /// The node or one above it has rules.
    has_rules_above: bool,
    /// How often a value of this schema can be in one object; `None` if nothing bounds it.
    max_cardinality: Option<u64>,
    types: OnceCell<Result<Types<'s>, String>>,
}

impl<'s> CelContext<'_, 's> {
    /// The root of a schema (`RootCELContext`).
    pub(super) fn root(compiler: &'s dyn RuleCompiler, schema: &'s JsonSchemaProps) -> Self {
        Self {
            compiler,
            parent: None,
            accessor: Accessor::Root,
            schema,
            has_rules_above: !schema.x_validations.is_empty(),
            max_cardinality: Some(1),
            types: OnceCell::new(),
        }
    }

    /// The property `name` (`ChildPropertyContext`).
    pub(super) fn property<'a>(&'a self, name: &'s str, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Property(name), schema)
    }

    /// The items (`ChildItemsContext`).
    pub(super) fn items<'a>(&'a self, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Items, schema)
    }

    /// The values of a map (`ChildAdditionalPropertiesContext`).
    pub(super) fn additional_properties<'a>(&'a self, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        self.child(Accessor::Values, schema)
    }

    fn child<'a>(&'a self, accessor: Accessor<'s>, schema: &'s JsonSchemaProps) -> CelContext<'a, 's> {
        let own = self.max_cardinality.zip(max_elements(self.schema));
        CelContext {
            compiler: self.compiler,
            parent: Some(self),
            accessor,
            schema,
            has_rules_above: self.has_rules_above || !schema.x_validations.is_empty(),
            max_cardinality: own.map(|(above, here)| above.saturating_mul(here)),
            types: OnceCell::new(),
        }
    }

    /// How often a value of this schema can be in one object; `None` if nothing bounds it.
    pub(super) fn max_cardinality(&self) -> Option<u64> {
        self.max_cardinality
    }

    /// The types of the node, made when first asked for (`CELSchemaContext.TypeInfo`); `None` where no rule applies.
    pub(super) fn types(&self) -> Option<&Result<Types<'s>, String>> {
        if !self.has_rules_above {
            return None;
        }
        Some(self.types.get_or_init(|| self.make_types()))
    }

    fn make_types(&self) -> Result<Types<'s>, String> {
        if let Some(parent) = self.parent.and_then(|it| it.types()) {
            let parent = parent.as_ref().map_err(Clone::clone)?;
            let types = match self.accessor {
                Accessor::Root => None,
                Accessor::Property(name) => parent.property(name),
                Accessor::Items => parent.items(),
                Accessor::Values => parent.values(),
            };
            if let Some(types) = types {
                return Ok(types);
            }
        }
        let is_resource_root = self.parent.is_none() || self.schema.x_embedded_resource;
        self.compiler.types(self.schema, is_resource_root)
    }
}

/// How many values of the schemas below one value of this schema can have (`extractMaxElements`); `None` if nothing bounds it.
pub fn max_elements(schema: &JsonSchemaProps) -> Option<u64> {
    let bound = |max: Option<i64>| max.map(|max| max.max(0) as u64);
    match schema.r#type.as_str() {
        "object" if schema.additional_properties.is_some() => bound(schema.max_properties),
        "array" => bound(schema.max_items),
        _ => Some(1),
    }
}

/// The sum of what all rules of a schema may cost (`TotalCost`).
#[derive(Clone, Debug, Default)]
pub(super) struct TotalCost {
    total: u64,
    /// The up to four rules that cost most, of those with at least a hundredth of the limit, the dearest first.
    most_expensive: Vec<(Path, u64)>,
}

impl TotalCost {
    pub(super) fn observe(&mut self, path: impl FnOnce() -> Path, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost >= TOTAL_COST_LIMIT / 100 {
            self.most_expensive.push((path(), cost));
            self.most_expensive.sort_by_key(|&(_, cost)| std::cmp::Reverse(cost));
            self.most_expensive.truncate(4);
        }
    }
}

#[cfg(test)]
impl TotalCost {
    /// The sum, and what the most expensive rules cost.
    pub(super) fn parts(self) -> (u64, Vec<u64>) {
        let most_expensive = self.most_expensive.into_iter().map(|(_, cost)| cost).collect();
        (self.total, most_expensive)
    }
}

/// The errors about a schema at `path` whose rules together cost too much.
pub(super) fn total_cost_errors(cost: TotalCost, path: &Path) -> Vec<Error> {
    if cost.total <= TOTAL_COST_LIMIT {
        return Vec::new();
    }
    let code = codes::TOTAL_RULE_COST_OVER_LIMIT;
    let share = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    let shares = cost.most_expensive.into_iter();
    let mut errors: Vec<Error> = shares.map(|(path, _)| Error::forbidden(code, path, share)).collect();
    let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    let detail = over_limit(name, cost.total, TOTAL_COST_LIMIT);
    errors.push(Error::forbidden(code, path.clone(), detail));
    errors
}

/// The words about a cost over its limit (`getCostErrorMessage`).
fn over_limit(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    )
}

/// Compiles the rules of the node at `at` and reports what comes of it. `is_hidden`: the server does not get here.
pub(super) fn compile_rules<'s>(
    walk: &mut NodeWalk<'_>,
    schema: &'s JsonSchemaProps,
    at: &Trail<'_>,
    standard: Standard<'_>,
    context: &CelContext<'_, 's>,
    is_hidden: bool,
) {
    let rules_at = at.child("x-kubernetes-validations");
    let internal = |detail: String| Error::new(ErrorType::Internal, codes::RULE_TYPES, rules_at.path(), "", detail);
    let compiled = match context.types() {
        None => return,
        Some(Err(error)) => Err(no_types(error)),
        Some(Ok(types)) => types.compile(&schema.x_validations, &walk.options.preexisting),
    };
    walk.compiled.push(CompiledNode {
        path: at.path(),
        types: context.types().and_then(|it| it.as_ref().ok()?.decl_type()),
        compiled: compiled.clone(),
    });
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(detail) => {
            // A schema with other errors may well have no types: that says nothing new.
            if !is_hidden {
                walk.cel_errors.push(internal(detail));
            }
            return;
        }
    };
    let mut errors = Vec::new();
    for (i, (rule, compiled)) in schema.x_validations.iter().zip(compiled).enumerate() {
        let at = rules_at.index(i);
        let message_error = compiled.message_expression.as_ref().and_then(|it| it.as_ref().err());
        let crash = [("rule", compiled.error.as_ref()), ("messageExpression", message_error)]
            .into_iter()
            .find_map(|(name, error)| Some((name, error.filter(|it| it.crashes)?)));
        if let Some((name, crash)) = crash {
            let detail = crash.detail.clone();
            let mut error = Error::new(
                ErrorType::Internal,
                codes::SERVER_PANIC,
                at.child(name).path(),
                "",
                detail,
            );
            error.inner.clone_from(&crash.inner);
            if is_hidden {
                errors.push(error);
            } else {
                walk.crash.get_or_insert(error);
            }
            continue;
        }
        let cost = compiled
            .max_cost
            .saturating_mul(context.max_cardinality.unwrap_or(compiled.max_cardinality));
        let suppresses = walk.question.suppress_expression_cost;
        if !suppresses && cost > COST_LIMIT {
            let detail = over_limit("estimated rule cost", cost, COST_LIMIT);
            errors.push(Error::forbidden(
                codes::RULE_COST_OVER_LIMIT,
                at.child("rule").path(),
                detail,
            ));
        }
        if !is_hidden {
            walk.total_cost.observe(|| at.child("rule").path(), cost);
        }
        let render = walk.options.render();
        if let Some(error) = compiled.error {
            let path = at.child("rule").path();
            let bad_value = if error.is_required {
                String::new()
            } else {
                render.rule(rule)
            };
            errors.push(compile_error(error, path, bad_value));
        }
        if let Some(error) = compiled.unreached_message_error
            && !error.crashes
        {
            let path = at.child("messageExpression").path();
            walk.hidden.push(compile_error(error, path, render.rule(rule)));
        }
        match compiled.message_expression {
            Some(Err(error)) => {
                let path = at.child("messageExpression").path();
                let error = CompileError {
                    is_required: false,
                    ..error
                };
                errors.push(compile_error(error, path, render.rule(rule)));
            }
            Some(Ok(cost)) => {
                let path = || at.child("messageExpression").path();
                if !suppresses && cost > COST_LIMIT {
                    let detail = over_limit("estimated messageExpression cost", cost, COST_LIMIT);
                    errors.push(Error::forbidden(codes::MESSAGE_COST_OVER_LIMIT, path(), detail));
                }
                if !is_hidden {
                    walk.total_cost.observe(path, cost);
                }
            }
            None => {}
        }
        if compiled.uses_old_self {
            if let Some(uncorrelatable) = standard.uncorrelatable {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelatable}"
                );
                let path = at.child("rule").path();
                errors.push(invalid_string(codes::UNCORRELATABLE_OLD_SELF, path, &rule.rule, detail));
            }
        } else if let Some(optional) = rule.optional_old_self {
            let path = at.child("optionalOldSelf").path();
            let detail = "may not be set if oldSelf is not used in rule";
            errors.push(Error::invalid(
                codes::OPTIONAL_OLD_SELF_UNUSED,
                path,
                optional.to_string(),
                detail,
            ));
        }
    }
    if is_hidden {
        walk.hidden.append(&mut errors);
    } else {
        walk.cel_errors.append(&mut errors);
    }
}

/// The server's words for a node without types.
pub(super) fn no_types(error: &str) -> String {
    format!("internal error: failed to construct type information for x-kubernetes-validations rules: {error}")
}

fn compile_error(error: CompileError, path: Path, bad_value: String) -> Error {
    let kind = if error.is_required {
        ErrorType::Required
    } else {
        ErrorType::Invalid
    };
    let mut out = Error::new(kind, error.code, path, bad_value, error.detail);
    out.inner = error.inner;
    out
}
