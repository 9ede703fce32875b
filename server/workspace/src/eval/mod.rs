//! Tries CEL expressions on values: compiles them, estimates their cost, and evaluates them.

mod definition;
mod guess;
mod list;
mod node_path;
mod steps;

use crd_analyzer_apiextensions::validation::max_elements;
use std::{ops::Range, sync::Arc};

use crd_analyzer_cel::Context;
use crd_analyzer_cel::ast::Source;
use crd_analyzer_cel::decls::Role;
pub use crd_analyzer_cel::eval::{Evaluation, Iteration, Part};
use crd_analyzer_cel::eval::{Program, explain};
pub use crd_analyzer_cel::value::{EvalError, Value as CelValue, shown};
use crd_analyzer_schema::cel_types::{decl_type, max_cardinality};
pub use crd_analyzer_schema::rules::run::Site;
use crd_analyzer_schema::rules::run::{Bindings, RUNTIME_BUDGET, Validator, ValueBinder, sites};
use crd_analyzer_schema::rules::{
    CompileError, DeclType, Expression, ExpressionSet, Part as RulePart, SchemaStep, compile_expression, context,
};
use crd_analyzer_schema::structural::{AdditionalProperties, Structural};
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule, defaulting, field, pruning};
use serde_json::Value;

use crate::costs::COST_LIMIT;

pub use definition::{CrdVersion, Definition, read_schema, read_value};
use guess::{type_of_values, value_of};
pub use list::answer;
pub use node_path::{Node, NodePath};
pub use steps::{Step, steps};

/// The input of an expression: values with a schema, or values without one.
#[derive(Clone, Debug)]
pub struct Subject {
    ty: Arc<DeclType>,
    place: Option<ValueBinder>,
    max_cardinality: Option<u64>,
    version: KubernetesVersion,
}

/// A request to evaluate an expression.
#[derive(Clone, Copy, Debug)]
pub struct EvalRequest<'a> {
    /// The expression.
    pub text: &'a str,
    /// Whether the old value is optional (`optionalOldSelf`).
    pub optional_old_self: bool,
    /// The functions that the expression may use.
    pub set: ExpressionSet,
    /// Whether to return the results of the expression's parts as well.
    pub explain: bool,
}

/// The result of compiling and running an expression.
#[derive(Debug)]
pub struct Outcome {
    /// The compiled expression, or the error.
    pub compiled: Result<Compiled, CompileError>,
    /// The result of evaluating the expression. `None` if it was not evaluated.
    pub ran: Option<Ran>,
}

/// Properties of a compiled expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The name of the result type. Validation rules have the type `bool`.
    pub type_name: String,
    /// The estimated cost of one evaluation in the worst case, in cost units. `None` if no schema limits it.
    pub estimate: Option<u64>,
    /// The maximum number of evaluations for one object. The API server multiplies the cost estimate by it.
    pub cardinality: u64,
    /// Whether the expression uses the old value.
    pub uses_old_self: bool,
}

impl Compiled {
    /// The cost that the API server compares with the limit for a rule. `None` without a schema.
    pub fn cost(&self) -> Option<u64> {
        Some(self.estimate?.saturating_mul(self.cardinality))
    }

    /// Whether the API server rejects the expression because it is too expensive.
    pub fn is_over(&self) -> bool {
        self.cost().is_some_and(|cost| cost > COST_LIMIT)
    }
}

/// The result of evaluating an expression.
#[derive(Debug)]
pub struct Ran {
    /// The value or error, and the cost.
    pub evaluation: Evaluation,
    /// The results of the expression's parts, if requested.
    pub parts: Option<Part>,
}

impl Outcome {
    /// Whether the expression compiles and is not too expensive. If it was evaluated, it must not have returned an error or `false`.
    pub fn is_good(&self) -> bool {
        let is_cheap = self.compiled.as_ref().is_ok_and(|it| !it.is_over());
        is_cheap
            && self
                .ran
                .as_ref()
                .is_none_or(|ran| !matches!(ran.evaluation.result, Err(_) | Ok(CelValue::Bool(false))))
    }
}

impl Subject {
    /// Values with a schema. `is_resource_root` means that they are custom or embedded resources. `max_cardinality` is their maximum number in one
    /// object, according to the limits in the schemas above; `None` if unlimited. Fails if expressions cannot read values with this schema.
    pub fn of_schema(
        schema: Structural<'_>,
        is_resource_root: bool,
        max_cardinality: Option<u64>,
        version: KubernetesVersion,
    ) -> Result<Self, String> {
        let ty = decl_type(schema, is_resource_root, version);
        let ty = ty.ok_or("expressions cannot read values of this schema, because its type is not known to CEL")?;
        Ok(Self {
            ty,
            place: Some(ValueBinder::new(schema, is_resource_root, version)),
            max_cardinality,
            version,
        })
    }

    /// Values without a schema. Their types are inferred.
    pub fn of_values<'v>(values: impl IntoIterator<Item = &'v Value>, version: KubernetesVersion) -> Self {
        Self {
            ty: type_of_values(values),
            place: None,
            max_cardinality: Some(1),
            version,
        }
    }

    /// Compiles an expression, and evaluates it if there is a value. An expression that uses the old value is evaluated only if there is an old
    /// value.
    pub fn try_expression(&self, asked: EvalRequest<'_>, this: Option<&Value>, old: Option<&Value>) -> Outcome {
        let context = context(&self.ty, self.version, asked.set, asked.optional_old_self);
        let reads = |expression: &Expression, role| {
            let variable = context.variable_of(role);
            variable.is_some_and(|it| expression.checked.uses_variable(&it.name))
        };
        let expression = match compile_expression(asked.text, &context, RulePart::Rule) {
            Ok(expression) => expression,
            Err(error) => {
                return Outcome {
                    compiled: Err(error),
                    ran: None,
                };
            }
        };
        let compiled = Compiled {
            type_name: expression.checked.output_type().to_string(),
            estimate: self.place.as_ref().map(|_| expression.max_cost),
            cardinality: self.max_cardinality.unwrap_or_else(|| max_cardinality(&self.ty)),
            uses_old_self: reads(&expression, Role::OldValue),
        };
        let has_old = old.is_some() || asked.optional_old_self || !compiled.uses_old_self;
        // If the expression does not read `self`, it can be evaluated without a value.
        let nothing = (!reads(&expression, Role::Value)).then_some(&Value::Null);
        let ran = this
            .or(nothing.filter(|_| self.place.is_none()))
            .filter(|_| has_old)
            .map(|this| self.run(&expression, &context, asked, this, old));
        Outcome {
            compiled: Ok(compiled),
            ran,
        }
    }

    fn run(
        &self,
        expression: &Expression,
        context: &Context,
        asked: EvalRequest<'_>,
        this: &Value,
        old: Option<&Value>,
    ) -> Ran {
        let of = |value: &Value| match &self.place {
            Some(place) => place.value(value),
            None => Ok(value_of(value, &self.ty)),
        };
        let variables = bind(of, this, old, asked.optional_old_self);
        let limit = context.limits().evaluation;
        let evaluation = expression.program.eval(&variables, limit);
        let parts = asked
            .explain
            .then(|| Program::without_folding(&expression.checked, context.environment()).ok())
            .flatten()
            .and_then(|program| {
                let source = Source::new(asked.text);
                // The explanation also evaluates constant parts, which increases the cost.
                let limit = limit.map(|it| it.saturating_mul(2));
                explain(&expression.checked, &source, &program, &variables, limit).1
            });
        Ran { evaluation, parts }
    }
}

/// The variables `self` and `oldSelf` of a rule. `of` converts a value to a CEL value.
fn bind(
    of: impl Fn(&Value) -> crd_analyzer_cel::value::Result,
    this: &Value,
    old: Option<&Value>,
    is_optional: bool,
) -> Bindings {
    let bindings = Bindings::new(of(this));
    if is_optional {
        return bindings.with_optional_old(old.filter(|it| !it.is_null()).map(of));
    }
    bindings.with_old(old.map(of))
}

/// The result of evaluating a CRD's rule on one value.
#[derive(Debug)]
pub struct RuleRun<'s> {
    /// The path from the object to the value.
    pub path: field::Path,
    /// The value.
    pub value: Value,
    /// The path from the root of the schema to the schema that has the rule.
    pub steps: Vec<SchemaStep>,
    /// The index of the rule in its schema.
    pub index: usize,
    /// The rule.
    pub rule: &'s ValidationRule,
    /// The result of evaluating the rule.
    pub outcome: Outcome,
    /// The errors that the API server reports for this rule, as it prints them.
    pub errors: Vec<String>,
}

/// Evaluates the rules of a schema on an object: all rules, or those at one node of the schema. `old` is the previous version of the object.
pub fn run_rules<'s>(
    root: Structural<'s>,
    only: Option<&Node<'s>>,
    object: &Value,
    old: Option<&Value>,
    version: KubernetesVersion,
    explain: bool,
) -> Result<Vec<RuleRun<'s>>, String> {
    let mut runs = Vec::new();
    for site in find_sites(root, only, object, old) {
        if site.schema.validations().is_empty() {
            continue;
        }
        runs.extend(run_site(root, &site, version, explain)?);
    }
    Ok(runs)
}

/// The values in an object to which rules apply: all of them, or those of one node of the schema.
pub fn find_sites<'s>(
    root: Structural<'s>,
    only: Option<&Node<'s>>,
    object: &Value,
    old: Option<&Value>,
) -> Vec<Site<'s>> {
    let mut found = sites(root, object, old, &mut |steps, schema| match only {
        Some(node) => node.steps == steps,
        None => !schema.validations().is_empty(),
    });
    if let Some(node) = only {
        found.retain(|site| node.is_at(&site.path));
    }
    found
}

/// Evaluates the rules of the schema of one value.
pub fn run_site<'s>(
    root: Structural<'s>,
    site: &Site<'s>,
    version: KubernetesVersion,
    explain: bool,
) -> Result<Vec<RuleRun<'s>>, String> {
    let rules = 0..site.schema.validations().len();
    run_some(root, site, rules, version, explain)
}

/// Runs one rule of a value's schema, and records the value of each part of the expression. `None` if the schema has no rule with this index.
pub fn run_rule<'s>(
    root: Structural<'s>,
    site: &Site<'s>,
    index: usize,
    version: KubernetesVersion,
) -> Result<Option<RuleRun<'s>>, String> {
    if index >= site.schema.validations().len() {
        return Ok(None);
    }
    Ok(run_some(root, site, index..index + 1, version, true)?.pop())
}

fn run_some<'s>(
    root: Structural<'s>,
    site: &Site<'s>,
    rules: Range<usize>,
    version: KubernetesVersion,
    explain: bool,
) -> Result<Vec<RuleRun<'s>>, String> {
    let bounds = cardinality(root, &site.steps);
    let subject = Subject::of_schema(site.schema, site.is_resource_root, bounds, version)?;
    let mut alone = site.schema.props().clone();
    without_rules(&mut alone);
    let mut runs = Vec::new();
    for (index, rule) in site.schema.validations().iter().enumerate() {
        if !rules.contains(&index) {
            continue;
        }
        let asked = EvalRequest {
            text: &rule.rule,
            optional_old_self: rule.optional_old_self == Some(true),
            set: ExpressionSet::Stored,
            explain,
        };
        let outcome = subject.try_expression(asked, Some(&site.value), site.old.as_ref());
        alone.x_validations = vec![rule.clone()];
        let validator = Validator::new(Structural::assume(&alone), site.is_resource_root, version);
        let (errors, _) = validator.validate(&site.path, &site.value, site.old.as_ref(), RUNTIME_BUDGET);
        runs.push(RuleRun {
            path: site.path.clone(),
            value: site.value.clone(),
            steps: site.steps.clone(),
            index,
            rule,
            outcome,
            errors: errors.iter().map(ToString::to_string).collect(),
        });
    }
    Ok(runs)
}

/// The object on which the API server evaluates the rules: pruned and with defaults.
pub fn as_stored(object: &Value, schema: Structural<'_>) -> Value {
    let mut object = object.clone();
    pruning::prune(&mut object, Some(schema), true);
    defaulting::prune_nulls(&mut object, Some(schema));
    defaulting::set_defaults(&mut object, Known::ALL, Some(schema));
    object
}

/// The maximum number of values that a node of the schema has in one object. `None` if unlimited.
pub fn cardinality(root: Structural<'_>, steps: &[SchemaStep]) -> Option<u64> {
    let mut schema = root;
    let mut count = Some(1_u64);
    for step in steps {
        count = count
            .zip(max_elements(schema.props()))
            .map(|(above, here)| above.saturating_mul(here));
        schema = below(schema, step)?;
    }
    count
}

/// The schema that is one step below another.
fn below<'s>(schema: Structural<'s>, step: &SchemaStep) -> Option<Structural<'s>> {
    match step {
        SchemaStep::Property(name) => schema.property(name),
        SchemaStep::Items => schema.items(),
        SchemaStep::Values => schema.additional_properties().and_then(AdditionalProperties::schema),
    }
}

fn without_rules(schema: &mut JsonSchemaProps) {
    schema.x_validations.clear();
    for (_, property) in &mut schema.properties {
        without_rules(property);
    }
    let items = schema.items.as_mut().and_then(|it| it.schema.as_deref_mut());
    let values = schema
        .additional_properties
        .as_mut()
        .and_then(|it| it.schema.as_deref_mut());
    items.into_iter().chain(values).for_each(without_rules);
}
