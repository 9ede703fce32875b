//! Compiles the rules of a node and reports their errors: syntax, types, costs, and the use of `oldSelf`.

use crd_analyzer_budget as budget;
use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::codes::RULE_SYNTAX;
use crd_analyzer_schema::field::{Cause, Error, ErrorType, Path, Trail};
use crd_analyzer_schema::rules::CompileError;

use super::cel::{CelContext, CompiledNode, no_types, over_limit};
use super::limits::COST_LIMIT;
use super::report::invalid_string;
use super::standard::Standard;
use super::walk::NodeWalk;
use crate::codes;

/// The size of a path segment of a schema with rules, in bytes. Several copies of such paths exist.
const PATH_BYTES: u64 = 128;

/// Compiles the rules of the node at `at` and reports the errors. If `is_hidden` is set, the API server does not compile these rules.
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
    // In deep schemas, paths are long and need much memory.
    let path = at.path();
    if budget::bytes(PATH_BYTES * path.segments().len() as u64).is_err() {
        return;
    }
    let compiled = match context.types() {
        None => return,
        Some(Err(error)) => Err(no_types(error)),
        Some(Ok(types)) => types.compile(&schema.x_validations, &walk.options.preexisting),
    };
    walk.compiled.push(CompiledNode {
        path,
        ty: context.types().and_then(|it| it.as_ref().ok()?.decl_type()),
        compiled: compiled.clone(),
    });
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(detail) => {
            // A schema with other errors often has no types, so a missing type is only reported for a schema without other errors.
            if !is_hidden {
                walk.cel_errors.push(internal(detail));
            }
            return;
        }
    };
    let mut errors = Vec::new();
    for (i, (rule, compiled)) in schema.x_validations.iter().zip(compiled).enumerate() {
        let at = rules_at.index(i);
        let message_error = compiled.message.as_ref().and_then(|it| it.as_ref().err());
        let crash = [("rule", compiled.error.as_ref()), ("messageExpression", message_error)]
            .into_iter()
            .find_map(|(name, error)| Some((name, error.filter(|it| it.crashes)?)));
        if let Some((name, crash)) = crash {
            let detail = crash.detail.clone();
            let path = at.child(name).path();
            let error = Error::new(ErrorType::Internal, codes::SERVER_PANIC, path, "", detail);
            let error = match crash.problems.first() {
                Some(problem) => error.within(problem.bytes.clone()),
                None => error,
            };
            if is_hidden {
                errors.push(error);
            } else {
                walk.crash.get_or_insert(error);
            }
            continue;
        }
        let cost = compiled
            .max_cost()
            .saturating_mul(context.max_cardinality().unwrap_or(compiled.max_cardinality));
        let suppresses = walk.question.suppress_expression_cost;
        if !suppresses && cost > COST_LIMIT {
            let detail = over_limit("estimated rule cost", cost, COST_LIMIT);
            let error = Error::forbidden(codes::RULE_COST_OVER_LIMIT, at.child("rule").path(), detail);
            let limit = COST_LIMIT;
            errors.push(error.because(Cause::Cost { cost, limit }));
        }
        if !is_hidden {
            walk.total_cost.observe(|| at.child("rule").path(), cost);
        }
        let render = walk.options.render();
        if let Some(error) = compiled.error {
            let path = at.child("rule").path();
            errors.push(compile_error(error, path, render.rule(rule)));
        }
        if let Some(error) = compiled.unreached_message_error
            && !error.crashes
        {
            let path = at.child("messageExpression").path();
            walk.hidden.push(compile_error(error, path, render.rule(rule)));
        }
        match compiled.message {
            Some(Err(error)) => {
                let path = at.child("messageExpression").path();
                errors.push(compile_error(error, path, render.rule(rule)));
            }
            Some(Ok(message)) => {
                let cost = message.max_cost;
                let path = || at.child("messageExpression").path();
                if !suppresses && cost > COST_LIMIT {
                    let detail = over_limit("estimated messageExpression cost", cost, COST_LIMIT);
                    let error = Error::forbidden(codes::MESSAGE_COST_OVER_LIMIT, path(), detail);
                    let limit = COST_LIMIT;
                    errors.push(error.because(Cause::Cost { cost, limit }));
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
                let error = invalid_string(codes::UNCORRELATABLE_OLD_SELF, path, &rule.rule, detail);
                errors.push(error.because(Cause::Elsewhere(uncorrelatable.path())));
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

fn compile_error(error: CompileError, path: Path, bad_value: String) -> Error {
    let cause = error.cause();
    let mut out = Error::new(ErrorType::Invalid, error.code, path, bad_value, error.detail);
    if let Some(cause) = cause {
        out = out.because(cause);
    }
    let mut problems = error.problems.into_iter();
    let Some(first) = problems.next() else {
        return out;
    };
    let out = out.within(first.bytes);
    // After a syntax error, further problems are mostly consequences of it.
    if error.code == RULE_SYNTAX {
        return out;
    }
    out.with_others(problems.map(|it| (it.kind, it.bytes)))
}
