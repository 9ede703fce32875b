//! What is known of an expression that may be unfinished or wrong: for editors. Verdicts come from [`compile`](crate::compile()).

use std::collections::HashMap;

use crate::ast::Source;
use crate::checker::{Checked, check_with_issues};
use crate::compile::{Problem, problems, sizes};
use crate::context::Context;
use crate::cost::{CostEstimate, estimate_parts};
use crate::parser::parse;
use crate::types::Type;

/// An expression with all that could be found out about it.
#[derive(Clone, Debug)]
pub struct PartialCheck {
    /// Its text.
    pub source: Source,
    /// Its tree, with holes where it does not parse, and the types of what could be checked.
    pub checked: Checked,
    /// The problems of the parser or the checker. The first one is the API server's first problem.
    pub problems: Vec<Problem>,
    /// What evaluating it once costs at most, and what each part does, by id; only of an expression without problems.
    pub cost: Option<(CostEstimate, HashMap<i64, CostEstimate>)>,
}

/// Looks at an expression.
pub fn partial_check(text: &str, context: &Context) -> PartialCheck {
    let source = Source::new(text);
    let environment = context.environment();
    let parsed = parse(&source, environment.parsing());
    let places = parsed.ast.source_info.clone();
    let (checked, issues) = check_with_issues(parsed.ast, &source, context);
    // Holes are problems of the checker, too: where the text does not parse, only that counts.
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

/// The type of an expression that is part of another; `None` if it has none. The variables of comprehensions around it are those of
/// [`Context::with_locals`].
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
