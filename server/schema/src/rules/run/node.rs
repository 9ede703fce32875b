//! The rules of one node of a schema (`Validator.validateExpressions`).

use std::sync::{Arc, OnceLock};

use crd_analyzer_budget::{self as budget, Unfinished};
use crd_analyzer_cel::eval::Program;
use crd_analyzer_cel::value::Value as Cel;

use super::bindings::{Bindings, ValueBinder};
use super::data::Data;
use super::reads;
use super::shape::Shape;
use super::transition_rules::Values;
use super::{At, NotFinished, Outcome, RuleError};
use crate::field::{Cause, Error, ErrorType, FINDING_BYTES, Path, render};
use crate::go::quote;
use crate::go::trim_space;
use crate::rules::ExpressionSet;
use crate::rules::{CompiledRule, DeclType, compile};
use crate::structural::Structural;
use crate::unknown;
use crate::{KubernetesVersion, ValidationRule, codes, field_path};

/// The cost limit of one rule (`PerCallLimit`), in cost units.
pub const PER_CALL_LIMIT: u64 = 1_000_000;
/// The maximum length of a message expression's result, in bytes.
const MAX_MESSAGE_SIZE: usize = 5 * 1024;
/// The first Kubernetes version whose errors show the value instead of its type.
const SHOWS_VALUE_SINCE: KubernetesVersion = KubernetesVersion::minor(35);

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
const LIMIT_EXCEEDED: &str = "operation cancelled: actual cost limit exceeded";

/// The rules of a node.
#[derive(Debug)]
pub(super) struct NodeRules {
    /// The `type` of the schema.
    r#type: Box<str>,
    place: ValueBinder,
    version: KubernetesVersion,
    written: Vec<Written>,
    /// The type of the node's values, if expressions can access these values.
    ty: Option<Arc<DeclType>>,
    /// The compiled rules. They are created for the first value, because most objects have values for only a few of the nodes.
    compiled: OnceLock<Compiled>,
}

/// A rule as its author wrote it.
#[derive(Debug)]
struct Written {
    rule: ValidationRule,
    /// `fieldPath` as one name.
    field: Option<String>,
}

/// The compiled rules of a node, in the same order as the rules.
#[derive(Debug)]
struct Compiled {
    rules: Vec<CompiledRule>,
    uses_old_self: bool,
}

/// A rule of a node.
#[derive(Clone, Copy)]
struct Rule<'a> {
    written: &'a ValidationRule,
    compiled: &'a CompiledRule,
    /// The field that the rule's error is about, unless it is the node itself. The API server ignores the field if the message expression does not
    /// compile.
    field: Option<&'a str>,
    /// Whether memory is left for the rule's error.
    has_room: bool,
}

/// Ends the evaluation of all rules because a cost limit was exceeded.
pub(super) struct Stop;

/// The input of a node's rules: the value, the old value, and the limits, in cost units.
pub(super) struct Judged<'a> {
    pub(super) value: &'a Data,
    pub(super) old: Option<&'a Data>,
    pub(super) per_call_limit: u64,
    pub(super) wants_reads: bool,
    /// Whether a failed rule only causes a warning because the value is unchanged.
    pub(super) forgives: &'a dyn Fn() -> bool,
}

impl NodeRules {
    pub(super) fn new(
        schema: Structural<'_>,
        rules: &[ValidationRule],
        ty: Option<&Arc<DeclType>>,
        shape: &Arc<Shape>,
        is_resource_root: bool,
        version: KubernetesVersion,
    ) -> Option<Self> {
        if rules.is_empty() {
            return None;
        }
        let with_path = |rule: &ValidationRule| Written {
            field: field_of(rule, schema),
            rule: rule.clone(),
        };
        Some(Self {
            r#type: schema.r#type().into(),
            place: ValueBinder::of(Arc::clone(shape), is_resource_root, version),
            version,
            written: rules.iter().map(with_path).collect(),
            ty: ty.cloned(),
            compiled: OnceLock::new(),
        })
    }

    fn compiled(&self) -> Option<&Compiled> {
        let ty = self.ty.as_ref()?;
        let compile = || {
            let written = self.written.iter().map(|it| &it.rule);
            let rules = compile(ty, written, self.version, |_, _| ExpressionSet::Stored);
            Compiled {
                uses_old_self: rules.iter().any(|rule| rule.uses_old_self),
                rules,
            }
        };
        Some(self.compiled.get_or_init(compile))
    }

    fn rules<'a>(&'a self, compiled: &'a Compiled) -> impl Iterator<Item = Rule<'a>> {
        let rules = self.written.iter().zip(&compiled.rules);
        rules.map(|(written, compiled)| Rule {
            written: &written.rule,
            compiled,
            field: written
                .field
                .as_deref()
                .filter(|_| compiled.rule.is_some() && !matches!(compiled.message, Some(Err(_)))),
            has_room: true,
        })
    }

    fn invalid(&self, code: &'static str, at: &At<'_>, detail: impl Into<String>) -> Error {
        Error::invalid(code, at.value.path(), quote(&self.r#type), detail)
    }

    pub(super) fn run(&self, judged: &Judged<'_>, at: &At<'_>, outcome: &mut Outcome) -> Result<(), Stop> {
        let whole = |error: Error| RuleError {
            error,
            schema: at.schema.path(),
            rule: None,
            reads: Vec::new(),
        };
        let Some(compiled) = self.compiled() else {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
            outcome
                .errors
                .push(whole(self.invalid(codes::RULE_TYPE_ERROR, at, detail)));
            return Ok(());
        };
        if outcome.left <= 0 {
            outcome
                .errors
                .push(whole(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, OUT_OF_BUDGET)));
            return Err(Stop);
        }
        let of = |data| self.place.value_of(data);
        unknown::was_touched();
        let old = judged.old.filter(|_| compiled.uses_old_self).map(of);
        let values = Values::new(of(judged.value), old, judged.old.is_none());
        // A value with unknown items cannot be read at all, so no rule of it has a result.
        if unknown::was_touched() {
            return Ok(());
        }
        for (n, rule) in self.rules(compiled).enumerate() {
            let Some(bindings) = values.of_rule(rule.written, rule.compiled) else {
                continue;
            };
            if judged.wants_reads && outcome.noted.insert((std::ptr::from_ref(self).addr(), n)) {
                outcome.ran.push((at.schema.path(), n));
            }
            let rule = Rule {
                has_room: outcome.room.is_left(),
                ..rule
            };
            let judgement = self.judge(rule, bindings, values.of_messages(), judged, at, &mut outcome.left);
            if let Some(why) = judgement.unfinished {
                budget::miss(why);
                if outcome.room.is_left() {
                    let (path, schema) = (at.value.path(), at.schema.path());
                    outcome.room.take(FINDING_BYTES + path.bytes() + schema.bytes());
                    outcome.unfinished.push(NotFinished {
                        why,
                        path,
                        schema,
                        rule: n,
                    });
                }
            }
            if let Some(error) = judgement.error {
                if !outcome.room.is_left() {
                    budget::leave_out(1);
                    continue;
                }
                let expression = rule
                    .compiled
                    .rule
                    .as_ref()
                    .filter(|_| judged.wants_reads && !judgement.ends);
                let reads = expression.map(|it| reads::of(&it.program, bindings, judged.value, &at.value.path()));
                let reads = reads.unwrap_or_default();
                outcome
                    .room
                    .take(error.bytes() + reads.iter().map(Path::bytes).sum::<usize>());
                let finding = RuleError {
                    rule: Some(n),
                    reads,
                    ..whole(error)
                };
                if judgement.is_ratchetable && !rule.compiled.uses_old_self && (judged.forgives)() {
                    outcome.warnings.push(finding);
                } else {
                    outcome.errors.push(finding);
                }
            }
            if judgement.ends {
                return Err(Stop);
            }
        }
        Ok(())
    }

    /// Runs one rule. The bindings in `plain` are for the rule's messages.
    fn judge(
        &self,
        rule: Rule<'_>,
        bindings: &Bindings,
        plain: &Bindings,
        judged: &Judged<'_>,
        at: &At<'_>,
        budget: &mut i64,
    ) -> Judgement {
        if let Some(error) = &rule.compiled.error {
            // If the API server crashes, it does not report an error.
            let told = (!error.crashes).then(|| {
                let told = self.invalid(error.code, at, format!("rule compile error: {}", error.detail));
                match error.cause() {
                    Some(cause) => told.because(cause),
                    None => told,
                }
            });
            return Judgement::of(told);
        }
        let Some(expression) = &rule.compiled.rule else {
            return Judgement::of(None);
        };
        unknown::was_touched();
        let outcome = expression.program.eval(bindings, Some(judged.per_call_limit));
        let is_known = !unknown::was_touched();
        if let Err(error) = &outcome.result
            && let Some(unfinished) = error.unfinished()
        {
            return Judgement {
                unfinished: Some(unfinished),
                ..Judgement::of(None)
            };
        }
        if !spend(budget, outcome.cost) {
            return Judgement::last(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, OUT_OF_BUDGET));
        }
        if !is_known {
            return Judgement::of(None);
        }
        let what = name_of(rule.written);
        match outcome.result {
            Ok(Cel::Bool(true)) => Judgement::of(None),
            Ok(_) => {
                let (error, ends) = match self.failed(rule, plain, judged, at, budget) {
                    Ok(error) => (error, false),
                    Err(error) => (error, true),
                };
                Judgement {
                    is_ratchetable: true,
                    ends,
                    ..Judgement::of(Some(error))
                }
            }
            Err(error) if error.message().starts_with("no such overload") => {
                let detail = format!(
                    "'{}': call arguments did not match a supported operator, function or macro signature for rule: {what}",
                    error.message()
                );
                let error = because(rule.written, None, Some(error.message().to_owned()));
                Judgement::of(Some(self.invalid(codes::RULE_EVALUATION, at, detail).because(error)))
            }
            Err(error) if error.message().starts_with(LIMIT_EXCEEDED) => {
                let detail = format!(
                    "'{}': no further validation rules will be run due to call cost exceeds limit for rule: {what}",
                    error.message()
                );
                Judgement::last(self.invalid(codes::RULE_BUDGET_EXCEEDED, at, detail))
            }
            Err(error) => {
                let detail = format!("{} evaluating rule: {what}", error.message());
                let error = because(rule.written, None, Some(error.message().to_owned()));
                Judgement::of(Some(self.invalid(codes::RULE_EVALUATION, at, detail).because(error)))
            }
        }
    }

    /// Creates the error for a failed rule. An error returned as `Err` ends the evaluation of all rules.
    fn failed(
        &self,
        rule: Rule<'_>,
        bindings: &Bindings,
        judged: &Judged<'_>,
        at: &At<'_>,
        budget: &mut i64,
    ) -> Result<Error, Error> {
        let mut path = at.value.path();
        if let Some(field) = rule.field {
            path = path.child(field);
        }
        let mut detail = None;
        if let Some(Ok(expression)) = &rule.compiled.message {
            let source = &rule.written.message_expression;
            match message(&expression.program, source, bindings, judged.per_call_limit, budget) {
                Ok(text) => detail = text,
                Err(words) => {
                    let bad_value = quote(&self.r#type);
                    return Err(Error::invalid(codes::RULE_BUDGET_EXCEEDED, path, bad_value, words));
                }
            }
        }
        let own = detail.clone().or_else(|| {
            let has_message = !rule.written.message.is_empty();
            has_message.then(|| name_of(rule.written).to_owned())
        });
        let detail = detail.unwrap_or_else(|| default_message(rule.written));
        let bad_value = if !rule.has_room {
            // The error is only counted, not shown, so its value is not needed.
            String::new()
        } else if self.version < SHOWS_VALUE_SINCE {
            quote(&self.r#type)
        } else if matches!(&*self.r#type, "object" | "array") {
            String::new()
        } else {
            render::bad_value(&judged.value.as_json(), self.version)
        };
        let error = error_of(rule.written, path, bad_value, detail);
        Ok(error.because(because(rule.written, own, None)))
    }
}

/// The result of one rule.
struct Judgement {
    error: Option<Error>,
    /// Whether the rule failed. Only errors of failed rules become warnings if nothing changed.
    is_ratchetable: bool,
    /// Whether the result ends the evaluation of all rules.
    ends: bool,
    /// The limit that stopped the evaluation of the rule, if any.
    unfinished: Option<Unfinished>,
}

impl Judgement {
    fn of(error: Option<Error>) -> Self {
        Self {
            error,
            is_ratchetable: false,
            ends: false,
            unfinished: None,
        }
    }

    fn last(error: Error) -> Self {
        Self {
            ends: true,
            ..Self::of(Some(error))
        }
    }
}

fn because(rule: &ValidationRule, message: Option<String>, error: Option<String>) -> Cause {
    Cause::Rule {
        rule: trim_space(&rule.rule).to_owned(),
        message,
        error,
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

/// Subtracts a cost from the budget; returns false if the budget is too small.
fn spend(budget: &mut i64, cost: u64) -> bool {
    match i64::try_from(cost) {
        Ok(cost) if cost <= *budget => {
            *budget -= cost;
            true
        }
        _ => false,
    }
}

/// The result of a message expression (`evalMessageExpression`); `None` if the result cannot be used as a message. An error ends the evaluation of
/// all rules.
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
    if let Err(error) = &outcome.result
        && let Some(unfinished) = error.unfinished()
    {
        budget::miss(unfinished);
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

/// The name of a rule in errors: its message, or its expression if it has no message.
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

/// The field that a rule's error is about, relative to its node.
fn field_of(rule: &ValidationRule, schema: Structural<'_>) -> Option<String> {
    if rule.field_path.is_empty() {
        return None;
    }
    let (path, _) = field_path::resolve(&rule.field_path, Some(schema), true).ok()?;
    Some(path.to_string())
}
