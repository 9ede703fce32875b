//! Compiles expressions and estimates their cost as the API server does.

use std::ops::Range;

use crd_analyzer_budget as budget;

use crate::ast::{Issue, IssueKind, Issues, Source, SourceInfo};
use crate::checker::{Checked, check};
use crate::context::Context;
use crate::cost::{NoSizes, SizeEstimator, estimate};
use crate::eval::Program;
use crate::parser::parse;
use crate::validators::validate;

/// Estimated bytes per node of a compiled expression: its tree node, type and reference.
const NODE_BYTES: u64 = 300;

/// A compiled expression.
#[derive(Debug)]
pub struct Expression {
    /// The type-checked expression.
    pub checked: Checked,
    /// The program to run.
    pub program: Program,
    /// The estimated maximum cost of one evaluation, in cost units; `u64::MAX` if unbounded.
    pub max_cost: u64,
}

/// The stage at which the API server rejects an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The text is not an expression.
    Syntax,
    /// The checker or a validator rejects it.
    Types,
    /// The context does not allow the type of the result.
    Result,
    /// The evaluation of a constant part fails.
    Constant,
    /// The API server crashes, for the given reason.
    Crash(String),
}

/// The reason why an expression does not compile.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stage at which the API server rejects the expression.
    pub stage: Stage,
    /// The errors in the API server's words, with the source lines that it prints.
    pub printed: String,
    /// The problems with their byte ranges in the expression; never empty.
    pub problems: Vec<Problem>,
    /// The checked expression, if only the evaluation of a constant part fails.
    pub checked: Option<Box<Checked>>,
}

/// One problem of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The byte range in the expression.
    pub bytes: Range<usize>,
    /// The kind of the problem.
    pub kind: IssueKind,
    /// The message in the API server's words, without a position.
    pub message: String,
}

/// Compiles an expression and estimates its cost.
///
/// # Errors
/// The reason why the API server does not compile it.
pub fn compile(text: &str, context: &Context) -> Result<Expression, Failure> {
    let source = Source::new(text);
    let failed = |stage: Stage, issues: &Issues, places: &SourceInfo| Failure {
        stage,
        printed: issues.display(&source),
        problems: problems(issues, &source, places),
        checked: None,
    };
    let environment = context.environment();
    let features = environment.features();
    let parsed = parse(&source, environment.parsing());
    if !parsed.issues.is_empty() {
        return Err(failed(Stage::Syntax, &parsed.issues, &parsed.ast.source_info));
    }
    let places = parsed.ast.source_info.clone();
    let checked = check(parsed.ast, &source, context).map_err(|issues| failed(Stage::Types, &issues, &places))?;
    let validated = validate(&checked, &source, features);
    if let Some(crash) = validated.crash {
        let mut issues = Issues::new();
        let kind = IssueKind::ServerCrash { why: crash.why };
        issues.report(kind, crash.id, places.location(&source, crash.id));
        return Err(failed(Stage::Crash(crash.why.to_string()), &issues, &places));
    }
    if !validated.issues.is_empty() {
        return Err(failed(Stage::Types, &validated.issues, &places));
    }
    let of_whole = |stage: Stage, kind: IssueKind, message: String, checked: Option<Checked>| Failure {
        stage,
        printed: message.clone(),
        problems: vec![Problem {
            bytes: 0..text.len(),
            kind,
            message,
        }],
        checked: checked.map(Box::new),
    };
    let results = context.results();
    if !context.allows(checked.output_type()) && !checked.is_unfinished() {
        let kind = IssueKind::WrongResult {
            allowed: results,
            found: features.go_string(checked.output_type()),
        };
        let message = kind.server_words();
        return Err(of_whole(Stage::Result, kind, message, None));
    }
    let program = match Program::new(&checked, environment) {
        Ok(program) => program,
        Err(error) => {
            let stage = error
                .as_crash()
                .map_or(Stage::Constant, |why| Stage::Crash(why.to_owned()));
            let error = error.to_string();
            let kind = IssueKind::FailingConstant { error: error.clone() };
            return Err(of_whole(stage, kind, error, Some(checked)));
        }
    };
    // An estimate needs the types of all parts. The caller's budget records that the result is incomplete.
    let max_cost = if checked.is_unfinished() {
        0
    } else {
        estimate(&checked, features, sizes(context)).max
    };
    // An expression stays in memory as long as its document. If the memory budget is exhausted, the caller's budget records it.
    let _ = budget::bytes(NODE_BYTES * checked.ast.nodes().count() as u64);
    Ok(Expression {
        checked,
        program,
        max_cost,
    })
}

/// The size estimator for the values that an expression uses.
pub(crate) fn sizes(context: &Context) -> &dyn SizeEstimator {
    match context.sizes() {
        Some(sizes) => &**sizes,
        None => &NoSizes,
    }
}

/// The problems of an expression, starting with the one that the API server reports first.
pub(crate) fn problems(issues: &Issues, source: &Source, places: &SourceInfo) -> Vec<Problem> {
    let place = |issue: &Issue| {
        let at = source.location_byte(issue.location);
        let rest = &source.text()[at..];
        // The reported position of a selection is its dot, but the problem is about the field after the dot.
        if let Some(after) = rest.strip_prefix('.') {
            let field = after.trim_start_matches(|c: char| c == '?' || c.is_ascii_whitespace());
            let end = field
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(field.len());
            let start = source.text().len() - field.len();
            if end > 0 {
                return start..start + end;
            }
        }
        // The reported position of a call is its parenthesis, but the problem is about the name before the parenthesis.
        if let IssueKind::UndeclaredReference { name, .. } | IssueKind::NoMatchingOverload { function: name, .. } =
            &issue.kind
            && rest.starts_with('(')
            && let Some(before) = source.text()[..at].trim_end().strip_suffix(name.as_str())
        {
            return before.len()..before.len() + name.len();
        }
        // The reported position of `has(a.b)` is its parenthesis, too.
        if let (IssueKind::UndefinedField { field, .. }, Some(inside)) = (&issue.kind, rest.strip_prefix('('))
            && let Some(end) = last_field(inside, field)
        {
            let end = at + 1 + end;
            return end - field.len()..end;
        }
        match places.span(issue.id) {
            Some(span) if (span.bytes.0 as usize..span.bytes.1 as usize).contains(&at) => {
                span.bytes.0 as usize..span.bytes.1 as usize
            }
            _ => at..at + rest.chars().next().map_or(0, char::len_utf8),
        }
    };
    issues
        .sorted()
        .into_iter()
        .map(|issue| Problem {
            bytes: place(issue),
            kind: issue.kind.clone(),
            message: issue.message.clone(),
        })
        .collect()
}

/// The end of the first selection of a field that ends the argument of a macro. `text` begins after the parenthesis of the macro.
fn last_field(text: &str, field: &str) -> Option<usize> {
    let mut ends = text.match_indices(field).map(|it| it.0 + field.len());
    let is_last = |end: &usize| {
        let before = text[..end - field.len()].trim_end();
        before.ends_with('.') && text[*end..].trim_start().starts_with(')')
    };
    ends.find(is_last)
}
