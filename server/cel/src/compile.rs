//! Expressions compiled and priced as the API server does.

use std::ops::Range;

use crd_analyzer_budget as budget;

use crate::ast::{Issue, IssueKind, Issues, Source, SourceInfo};
use crate::checker::{Checked, check};
use crate::context::Context;
use crate::cost::{NoSizes, SizeEstimator, estimate};
use crate::eval::Program;
use crate::parser::parse;
use crate::validators::validate;

/// Bytes of a part of a compiled expression: its tree, its type and what it means.
const NODE_BYTES: u64 = 300;

/// A compiled expression.
#[derive(Debug)]
pub struct Expression {
    /// The expression with its types.
    pub checked: Checked,
    /// The expression ready to run.
    pub program: Program,
    /// The cost units that evaluating it once takes at most; `u64::MAX` for unbounded.
    pub max_cost: u64,
}

/// Where the API server gave up on an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The text is not an expression.
    Syntax,
    /// The checker or a validator refused it.
    Types,
    /// The type of the result is not one of those that the context allows.
    Result,
    /// A constant part of it is an error.
    Constant,
    /// The API server crashes; why.
    Crash(String),
}

/// Why an expression does not compile.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Where the API server gave up.
    pub stage: Stage,
    /// What is wrong, in the API server's words, with the lines of the expression where it prints them.
    pub printed: String,
    /// What is wrong, each with its bytes in the expression; never empty.
    pub problems: Vec<Problem>,
    /// The expression with its types, if the API server got as far as that.
    pub checked: Option<Box<Checked>>,
}

/// One problem of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Which bytes of the expression it is about.
    pub bytes: Range<usize>,
    /// What is wrong.
    pub kind: IssueKind,
    /// The same in the API server's words, without its place.
    pub message: String,
}

/// Compiles and prices an expression.
///
/// # Errors
/// Why the API server does not compile it.
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
    // What has no types has no estimate either, and that is known to who asks.
    let max_cost = if checked.is_unfinished() {
        0
    } else {
        estimate(&checked, features, sizes(context)).max
    };
    // Expressions are kept as long as their document. That there is not enough is known to who asked within limits.
    let _ = budget::bytes(NODE_BYTES * checked.ast.nodes().count() as u64);
    Ok(Expression {
        checked,
        program,
        max_cost,
    })
}

/// The sizes of the values that an expression sees.
pub(crate) fn sizes(context: &Context) -> &dyn SizeEstimator {
    match context.sizes() {
        Some(sizes) => &**sizes,
        None => &NoSizes,
    }
}

/// The problems that were found in an expression, the API server's first one first.
pub(crate) fn problems(issues: &Issues, source: &Source, places: &SourceInfo) -> Vec<Problem> {
    let place = |issue: &Issue| {
        let at = source.location_byte(issue.location);
        let rest = &source.text()[at..];
        // A selection is at its dot: what is meant is the field.
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
        // A call stands at its parenthesis: what is meant is the name before it.
        if let IssueKind::UndeclaredReference { name, .. } | IssueKind::NoMatchingOverload { function: name, .. } =
            &issue.kind
            && rest.starts_with('(')
            && let Some(before) = source.text()[..at].trim_end().strip_suffix(name.as_str())
        {
            return before.len()..before.len() + name.len();
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
