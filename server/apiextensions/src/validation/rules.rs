//! Validates the fields of a rule apart from its expression, and decides whether to compile the expression.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Cause, Error, ErrorType, Trail};
use crd_analyzer_schema::field_path::{self, FieldPathError};
use crd_analyzer_schema::structural::Structural;

use super::cel::CelContext;
use super::report::invalid_string;
use super::rule_errors::compile_rules;
use super::standard::Standard;
use super::walk::NodeWalk;
use crate::codes;

/// The reasons that a rule may have, sorted.
const REASONS: [&str; 4] = [
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// Checks the rules of the schema at `at`. `errors_above` is the number of schema errors before this node.
pub(super) fn validate_rules<'s>(
    walk: &mut NodeWalk<'_>,
    schema: &'s JsonSchemaProps,
    at: &Trail<'_>,
    standard: Standard<'_>,
    errors_above: usize,
    cel: Option<&CelContext<'_, 's>>,
) {
    if schema.x_validations.is_empty() {
        return;
    }
    // All rules share the structural form of the schema, if the schema has one.
    let mut structural = None;
    for (i, rule) in schema.x_validations.iter().enumerate() {
        let rules_at = at.child("x-kubernetes-validations");
        let at = rules_at.index(i);
        validate_message(walk, rule, &at);
        let errors = &mut walk.schema_errors;
        if !rule.message_expression.is_empty() && trim(&rule.message_expression).is_empty() {
            let path = at.child("messageExpression").path();
            let detail = "messageExpression must be non-empty if specified";
            errors.push(Error::required(codes::EMPTY_MESSAGE, path, detail));
        }
        if let Some(reason) = rule.reason.as_deref().filter(|it| !REASONS.contains(it)) {
            let bad_value = walk.options.render().named_string(reason);
            let path = at.child("reason").path();
            errors.push(Error::not_supported(codes::UNKNOWN_REASON, path, bad_value, &REASONS));
        }
        if !rule.field_path.is_empty() {
            let structural = *structural.get_or_insert_with(|| Structural::new(schema).ok());
            validate_field_path(walk, &rule.field_path, structural, &at);
        }
    }
    if let Some(context) = cel {
        // Types from a schema with errors would lead to incomprehensible messages, so the API server stops here.
        let has_errors = walk.schema_errors.len() > errors_above;
        compile_rules(walk, schema, at, standard, context, has_errors || !walk.compiles_rules);
    }
}

/// The wording of a detail, which 1.34 shortened.
fn reworded(walk: &NodeWalk<'_>, field: &str, detail: &str) -> String {
    if walk.options.version >= KubernetesVersion::minor(34) {
        detail.to_owned()
    } else {
        format!("{field} {detail}")
    }
}

fn validate_message(walk: &mut NodeWalk<'_>, rule: &crd_analyzer_schema::ValidationRule, at: &Trail<'_>) {
    let text = trim(&rule.rule);
    let message = trim(&rule.message);
    let error = if text.is_empty() {
        Error::required(codes::EMPTY_RULE, at.child("rule").path(), "rule is not specified")
    } else if !rule.message.is_empty() && message.is_empty() {
        let detail = reworded(walk, "message", "must be non-empty if specified");
        invalid_string(codes::EMPTY_MESSAGE, at.child("message").path(), &rule.message, detail)
    } else if has_newline(message) {
        let detail = reworded(walk, "message", "must not contain line breaks");
        invalid_string(
            codes::MULTILINE_MESSAGE,
            at.child("message").path(),
            &rule.message,
            detail,
        )
    } else if has_newline(text) && message.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        Error::required(codes::MISSING_MESSAGE, at.child("message").path(), detail)
    } else {
        return;
    };
    walk.schema_errors.push(error);
}

fn validate_field_path(walk: &mut NodeWalk<'_>, field_path: &str, schema: Option<Structural<'_>>, at: &Trail<'_>) {
    let at = at.child("fieldPath");
    if trim(field_path).is_empty() {
        let detail = reworded(walk, "fieldPath", "must be non-empty if specified");
        let error = invalid_string(codes::INVALID_FIELD_PATH, at.path(), field_path, detail);
        walk.schema_errors.push(error.because(Cause::Empty));
    }
    if has_newline(field_path) {
        let detail = reworded(walk, "fieldPath", "must not contain line breaks");
        let error = invalid_string(codes::INVALID_FIELD_PATH, at.path(), field_path, detail);
        walk.schema_errors.push(error.because(Cause::LineBreak));
    }
    // Without a structural form, the path is not checked, because another check reports the schema.
    if schema.is_none() {
        return;
    }
    match field_path::resolve(field_path, schema, true) {
        Ok(_) => {}
        Err(FieldPathError::Invalid(problem, inner)) => {
            let detail = reworded(walk, "fieldPath", "must be a valid path");
            let error = invalid_string(codes::INVALID_FIELD_PATH, at.path(), field_path, detail);
            let cause = problem.cause(&field_path[inner.clone()]);
            walk.schema_errors.push(error.because(cause).within(inner));
        }
        Err(FieldPathError::Crash(inner)) => {
            let detail = "the API server crashes when it looks up this path, because the version has no schema";
            let error = Error::new(ErrorType::Internal, codes::SERVER_PANIC, at.path(), "", detail);
            walk.crash.get_or_insert(error.within(inner));
        }
    }
}

/// Trims like Go's `strings.TrimSpace`, whose white space is the same as Rust's.
fn trim(text: &str) -> &str {
    text.trim()
}

fn has_newline(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
