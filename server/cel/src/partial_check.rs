//! Checks expressions that may be incomplete or invalid, for editors. The verdict on an expression comes from [`compile`](crate::compile()).

use std::collections::HashMap;

use crate::ast::Source;
use crate::checker::{Checked, check_with_issues};
use crate::compile::{Problem, problems, sizes};
use crate::context::Context;
use crate::cost::{CostEstimate, estimate_parts};
use crate::parser::parse;
use crate::types::Type;

/// An expression with all available information about it.
#[derive(Clone, Debug)]
pub struct PartialCheck {
    /// The source text.
    pub source: Source,
    /// The tree, with placeholders for invalid parts, and the types that could be determined.
    pub checked: Checked,
    /// The problems of the parser or the checker. The first one is the API server's first problem.
    pub problems: Vec<Problem>,
    /// The maximum cost of one evaluation, and the cost of each part by id. Only available without problems.
    pub cost: Option<(CostEstimate, HashMap<i64, CostEstimate>)>,
}

/// Checks an expression.
pub fn partial_check(text: &str, context: &Context) -> PartialCheck {
    let source = Source::new(text);
    let environment = context.environment();
    let parsed = parse(&source, environment.parsing());
    let places = parsed.ast.source_info.clone();
    let (checked, issues) = check_with_issues(parsed.ast, &source, context);
    // The checker also reports placeholders. If there are syntax errors, only the syntax errors matter.
    let issues = if parsed.issues.is_empty() {
        issues
    } else {
        parsed.issues
    };
    let problems = problems(&issues, &source, &places);
    let cost = problems
        .is_empty()
        .then(|| estimate_parts(&checked, environment.features(), sizes(context)));
    PartialCheck {
        source,
        checked,
        problems,
        cost,
    }
}

/// The type of a part of an expression; `None` if the part has no type. [`Context::with_locals`] declares the variables of enclosing comprehensions.
pub fn type_of(text: &str, context: &Context) -> Option<Type> {
    let source = Source::new(text);
    let parsed = parse(&source, context.environment().parsing());
    if !parsed.issues.is_empty() {
        return None;
    }
    let (checked, _) = check_with_issues(parsed.ast, &source, context);
    let ty = checked.output_type();
    (*ty != Type::Error).then(|| ty.clone())
}
