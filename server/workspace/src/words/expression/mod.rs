//! Words for rules and message expressions that do not compile: the headline, and what to type.

mod checker;
mod constants;
mod parser;
mod slips;
mod unquoted;

pub use checker::meant_word;
use crd_analyzer_cel::{ast::IssueKind, types::Type};
use crd_analyzer_schema::{codes, field::Cause};

use super::{About, Words, text::code};
pub use parser::meant_operator;
pub use slips::{Slip, slips};
pub use unquoted::{Unquoted, unquoted};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    match about.cause {
        Some(Cause::Compile(kind)) => Some(of_kind(kind, Some(about))),
        _ if about.code == codes::RULE_RESULT_TYPE => Some(result(about.last() == "messageExpression", None)),
        _ => None,
    }
}

/// The headline and the help for a problem in an expression that is not part of a document.
pub fn of_expression(kind: &IssueKind) -> (String, Vec<String>) {
    let words = of_kind(kind, None);
    (words.headline, words.help)
}

/// The words for a problem in an expression. `about` has the rule in its document, if there is one.
fn of_kind(kind: &IssueKind, about: Option<&About<'_>>) -> Words {
    let text = about.and_then(|it| it.value()?.as_str());
    if let Some(slip) = text.and_then(|it| slips::cause(kind, it)) {
        return slips::words(slip);
    }
    match kind {
        IssueKind::Syntax(error) => parser::syntax(error, text),
        IssueKind::Limit(limit) => parser::limit(limit),
        IssueKind::Incomplete(_) => parser::incomplete(),
        IssueKind::Literal(problem) => parser::literal(*problem),
        IssueKind::Unsupported(what) => parser::unsupported(*what),
        IssueKind::ReservedName { name } => parser::reserved(name),
        IssueKind::Macro(problem) => parser::macro_call(problem),
        IssueKind::UndeclaredReference { name, .. } => checker::undeclared(about, name),
        IssueKind::UndefinedField { field, of } => checker::undefined_field(about, field, of),
        IssueKind::NoFields { of } => checker::no_fields(of),
        IssueKind::NotIterable { of } => checker::not_iterable(of),
        IssueKind::WrongType { expected, found } => checker::wrong_type(expected, found),
        IssueKind::WrongFieldType { field, expected, found } => checker::wrong_field_type(field, expected, found),
        IssueKind::NotAType { name } | IssueKind::NotAMessageType { name } => checker::not_a_message_type(name),
        IssueKind::NoMatchingOverload { function, operands } => checker::no_overload(function, operands),
        IssueKind::OptionalSelection(_) => checker::optional_selection(),
        IssueKind::InvalidArgument { function } => constants::invalid_argument(function),
        IssueKind::Format(problem) => constants::format(problem),
        IssueKind::FailingConstant { .. } => constants::failing(),
        IssueKind::WrongResult { allowed, found } => match allowed {
            [Type::String, Type::Null] => string_or_null(found),
            _ if about.is_some_and(|it| it.sees.is_some()) && !allowed.contains(&Type::String) => condition(found),
            _ => result(allowed.contains(&Type::String), Some(found)),
        },
        IssueKind::ServerCrash { why } => server_crash(why),
        IssueKind::Internal(_) => internal(),
    }
}

/// Words for an expression that crashes the API server. The reason comes from crd-analyzer.
fn server_crash(why: &str) -> Words {
    Words::new("the API server crashes when it compiles this expression")
        .label("not compiled")
        .help("write the expression in another way, or require a newer Kubernetes version")
        .note(why)
}

fn internal() -> Words {
    Words::new("the API server cannot find the types of this expression")
        .label("not compiled")
        .help("write this part of the expression in another way")
        .quote()
}

/// Words for a condition of the wrong type.
fn condition(found: &str) -> Words {
    let found = code(&checker::type_name(found));
    let words = Words::new(format!(
        "this expression must give `true` or `false`, but it gives {found}"
    ));
    words
        .label("not a boolean")
        .help("compare the value with something, such as `object.spec.replicas > 0`")
}

/// Words for an expression that must return a string or null but has another type.
fn string_or_null(found: &str) -> Words {
    let found = code(&checker::type_name(found));
    let words = Words::new(format!(
        "this expression must give a string or `null`, but it gives {found}"
    ));
    words
        .label("neither a string nor `null`")
        .help("make it a string with `string(…)`")
}

/// Words for a rule or a message expression that has the wrong result type.
fn result(is_message: bool, found: Option<&str>) -> Words {
    let found = found.map_or_else(String::new, |it| {
        format!(", but it gives {}", code(&checker::type_name(it)))
    });
    if is_message {
        return Words::new(format!("a message expression must give a string{found}"))
            .label("not a string")
            .help("make it a string with `string(…)`, or join strings with `+`");
    }
    Words::new(format!("a rule must give `true` or `false`{found}"))
        .label("not a boolean")
        .help("compare the value with something, such as `self.replicas > 0`")
}
