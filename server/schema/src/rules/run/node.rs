//! The rules of one node of a schema (`Validator.validateExpressions`).

use std::sync::Arc;

use crd_analyzer_cel::eval::Program;
use crd_analyzer_cel::value::Value as Cel;

use super::bindings::{Bindings, Place};
use super::data::Data;
use super::shape::Shape;
use crate::field::{Error, ErrorType, Path, Trail, render};
use crate::go::quote;
use crate::rules::ExpressionSet;
use crate::rules::{CompiledRule, Expression, NodeTypes, compile, trim_space};
use crate::structural::Structural;
use crate::{KubernetesVersion, ValidationRule, codes, field_path};

/// What one rule may cost (`PerCallLimit`), in cost units.
pub const PER_CALL_LIMIT: u64 = 1_000_000;
/// The longest text of a message expression, in bytes.
const MAX_MESSAGE_SIZE: usize = 5 * 1024;
/// Since this minor, errors show the value; until then they show its type.
const SHOWS_VALUE_SINCE: KubernetesVersion = KubernetesVersion::minor(35);

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
const LIMIT_EXCEEDED: &str = "operation cancelled: actual cost limit exceeded";

/// The rules of a node, compiled.
#[derive(Debug)]
pub(super) struct NodeRules<'s> {
    schema: Structural<'s>,
    place: Place,
    version: KubernetesVersion,
    /// `None` if the node has no types.
    rules: Option<Vec<Rule<'s>>>,
    uses_old_self: bool,
}

#[derive(Debug)]
struct Rule<'s> {
    written: &'s ValidationRule,
    compiled: CompiledRule,
    /// `fieldPath` as one name.
    field: Option<String>,
}

/// Evaluating rules ends here: something cost too much.
pub(super) struct Stop;

/// What is judged: a value, what it was before, and what may still be spent, in cost units.
pub(super) struct Judged<'a> {
    pub(super) value: &'a Data,
    pub(super) old: Option<&'a Data>,
    pub(super) per_call_limit: u64,
}

impl<'s> NodeRules<'s> {
    pub(super) fn new(
        schema: Structural<'s>,
        rules: &'s [ValidationRule],
        types: Option<&NodeTypes<'s>>,
        shape: &Arc<Shape>,
        is_resource_root: bool,
        version: KubernetesVersion,
    ) -> Option<Self> {
        if rules.is_empty() {
            return None;
        }
        let compiled = types.map(|types| compile(types, rules, version, |_, _| ExpressionSet::Stored));
        let uses_old_self = compiled.iter().flatten().any(|rule| rule.uses_old_self);
        let with_path = |(written, compiled): (&'s ValidationRule, CompiledRule)| Rule {
            field: field_of(written, &compiled, schema),
            written,
            compiled,
        };
        Some(Self {
            schema,
            place: Place::of(Arc::clone(shape), is_resource_root, version),
            version,
            rules: compiled.map(|compiled| rules.iter().zip(compiled).map(with_path).collect()),
            uses_old_self,
        })
    }

    fn invalid(&self, code: &'static str, at: &Trail<'_>, detail: impl Into<String>) -> Error {
        Error::invalid(code, at.path(), quote(self.schema.r#type()), detail)
    }

    pub(super) fn run(
        &self,
        judged: &Judged<'_>,
        at: &Trail<'_>,
        budget: &mut i64,
        errors: &mut Vec<Error>,
    ) -> Result<(), Stop> {
        let Some(rules) = &self.rules else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
            errors.push(self.invalid(codes::RULE_TYPE_ERROR, at, detail));
            return Ok(());
        };
        if *budget <= 0 {
            errors.push(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, OUT_OF_BUDGET));
            return Err(Stop);
        }
        let of = |data| self.place.value_of(data);
        let this = of(judged.value);
        let old = judged.old.filter(|_| self.uses_old_self).map(of);
        let plain = Bindings::new(this).with_old(old.clone());
        let optional = plain.clone().with_optional_old(old);
        for rule in rules {
            let is_optional = rule.written.optional_old_self == Some(true);
            if let Some(error) = &rule.compiled.error {
                // Where the server crashes it has nothing to say.
                if !error.crashes {
                    errors.push(self.invalid(error.code, at, format!("rule compile error: {}", error.detail)));
                }
                continue;
            }
            let Some(expression) = &rule.compiled.rule else {
                continue;
            };
            if rule.compiled.uses_old_self && judged.old.is_none() && !is_optional {
                continue;
            }
            let activation = if is_optional { &optional } else { &plain };
            self.run_rule(rule, expression, activation, judged, at, budget, errors)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one rule of the loop above")]
    fn run_rule(
        &self,
        rule: &Rule<'_>,
        expression: &Expression,
        activation: &Bindings,
        judged: &Judged<'_>,
        at: &Trail<'_>,
        budget: &mut i64,
        errors: &mut Vec<Error>,
    ) -> Result<(), Stop> {
        let outcome = expression.program.eval(activation, Some(judged.per_call_limit));
        if !spend(budget, outcome.cost) {
            errors.push(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, OUT_OF_BUDGET));
            return Err(Stop);
        }
        match outcome.result {
            Ok(Cel::Bool(true)) => Ok(()),
            Ok(_) => {
                let error = self.failed(rule, activation, judged, at, budget);
                let (error, ends) = match error {
                    Ok(error) => (error, false),
                    Err(error) => (error, true),
                };
                errors.push(error);
                if ends { Err(Stop) } else { Ok(()) }
            }
            Err(error) => {
                let words = error.message();
                let what = name_of(rule.written);
                if words.starts_with("no such overload") {
                    let detail = format!(
                        "'{words}': call arguments did not match a supported operator, function or macro signature for rule: {what}"
                    );
                    errors.push(self.invalid(codes::RULE_EVALUATION, at, detail));
                } else if words.starts_with(LIMIT_EXCEEDED) {
                    let detail = format!(
                        "'{words}': no further validation rules will be run due to call cost exceeds limit for rule: {what}"
                    );
                    errors.push(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, detail));
                    return Err(Stop);
                } else {
                    let detail = format!("{words} evaluating rule: {what}");
                    errors.push(self.invalid(codes::RULE_EVALUATION, at, detail));
                }
                Ok(())
            }
        }
    }

    /// The error of a rule that does not hold; `Err` if it is the last that is told.
    fn failed(
        &self,
        rule: &Rule<'_>,
        activation: &Bindings,
        judged: &Judged<'_>,
        at: &Trail<'_>,
        budget: &mut i64,
    ) -> Result<Error, Error> {
        let mut path = at.path();
        if let Some(field) = &rule.field {
            path = path.child(field);
        }
        let mut detail = None;
        if let Some(Ok(expression)) = &rule.compiled.message {
            let source = &rule.written.message_expression;
            match message(&expression.program, source, activation, judged.per_call_limit, budget) {
                Ok(text) => detail = text,
                Err(words) => {
                    let bad_value = quote(self.schema.r#type());
                    return Err(Error::invalid(codes::RULE_BUDGET_EXCEEDED, path, bad_value, words));
                }
            }
        }
        let detail = detail.unwrap_or_else(|| default_message(rule.written));
        let bad_value = if self.version < SHOWS_VALUE_SINCE {
            quote(self.schema.r#type())
        } else if matches!(self.schema.r#type(), "object" | "array") {
            String::new()
        } else {
            render::bad_value(&judged.value.as_json(), self.version)
        };
        Ok(error_of(rule.written, path, bad_value, detail))
    }
}

fn error_of(rule: &ValidationRule, path: Path, bad_value: String, detail: String) -> Error {
    let code = codes::RULE_FAILED;
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => Error::forbidden(code, path, detail),
        Some("FieldValueRequired") => Error::required(code, path, detail),
        Some("FieldValueDuplicate") => Error::new(ErrorType::Duplicate, code, path, bad_value, ""),
        _ => Error::invalid(code, path, bad_value, detail),
    }
}

/// Takes a cost from the budget, if there is as much.
fn spend(budget: &mut i64, cost: u64) -> bool {
    match i64::try_from(cost) {
        Ok(cost) if cost <= *budget => {
            *budget -= cost;
            true
        }
        _ => false,
    }
}

/// The text of a message expression (`evalMessageExpression`), `None` if it is not fit for a message; an error ends all.
fn message(
    program: &Program,
    source: &str,
    activation: &Bindings,
    limit: u64,
    budget: &mut i64,
) -> Result<Option<String>, String> {
    let outcome = program.eval(activation, Some(limit));
    if !spend(budget, outcome.cost) {
        return Err(
            "messageExpression evaluation failed due to running out of cost budget, no further validation rules \
                    will be run"
                .to_owned(),
        );
    }
    match outcome.result {
        Err(error) if error.message().starts_with(LIMIT_EXCEEDED) => Err(format!(
            "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
            quote(source)
        )),
        Ok(Cel::String(text)) => {
            let text = trim_space(&text);
            let is_fit = !text.is_empty() && text.len() <= MAX_MESSAGE_SIZE && !text.contains('\n');
            Ok(is_fit.then(|| text.to_owned()))
        }
        _ => Ok(None),
    }
}

/// What a rule is called: its message, or else its text.
fn name_of(rule: &ValidationRule) -> &str {
    trim_space(if rule.message.is_empty() {
        &rule.rule
    } else {
        &rule.message
    })
}

fn default_message(rule: &ValidationRule) -> String {
    if rule.message.is_empty() {
        format!("failed rule: {}", name_of(rule))
    } else {
        name_of(rule).to_owned()
    }
}

/// The place that a rule blames, relative to its node. The server gives up on it when the message expression does not compile.
fn field_of(rule: &ValidationRule, compiled: &CompiledRule, schema: Structural<'_>) -> Option<String> {
    if rule.field_path.is_empty() || compiled.rule.is_none() || matches!(compiled.message, Some(Err(_))) {
        return None;
    }
    let (path, _) = field_path::resolve(&rule.field_path, Some(schema), true).ok()?;
    Some(path.to_string())
}
