//! Compilation and cost estimates of a schema's rules (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `Compile`).

mod context;
pub mod run;
mod suggested_bounds;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use context::{COST_LIMIT, context};
use context::{Contexts, OLD_SELF};
use crd_analyzer_budget as budget;
use crd_analyzer_cel as cel;
use crd_analyzer_cel::ast::IssueKind;
pub use crd_analyzer_cel::decls::ExpressionSet;
pub use crd_analyzer_cel::types::DeclType;
use crd_analyzer_cel::types::Type;
pub use crd_analyzer_cel::{Expression, Problem};
use crd_analyzer_cel::{Failure, Stage};
pub use suggested_bounds::{Effort, MissingBound, Occurrence, SchemaStep, SuggestedBounds, suggest_bounds};

use crate::cel_types::max_cardinality;
use crate::codes;
use crate::field::{Cause, FINDING_BYTES};
use crate::go::trim_space;
use crate::{KubernetesVersion, ValidationRule};

/// The result of compiling a rule (`CompilationResult`). All fields are empty for a rule with an empty expression.
#[derive(Clone, Debug, Default)]
pub struct CompiledRule {
    /// The rule, if it compiles.
    pub rule: Option<Arc<Expression>>,
    /// The error, if the rule does not compile.
    pub error: Option<CompileError>,
    /// The maximum number of values of this schema in one request. The cost of a rule without another limit is multiplied by this number.
    pub max_cardinality: u64,
    /// Whether the rule uses the old value, which makes it a transition rule.
    pub uses_old_self: bool,
    /// The message expression or its error; `None` without a message expression, or if the rule itself does not compile.
    pub message: Option<Result<Arc<Expression>, CompileError>>,
    /// The error of the message expression, if the rule does not compile either. The API server does not report this error, because it compiles the
    /// message expression only after the rule.
    pub unreached_message_error: Option<CompileError>,
}

impl CompiledRule {
    /// Creates the result for a rule that compiles and has no message expression.
    pub fn of_expression(rule: Arc<Expression>) -> Self {
        Self {
            uses_old_self: rule.checked.uses_variable(OLD_SELF),
            rule: Some(rule),
            ..Self::default()
        }
    }

    /// The maximum cost of one evaluation of the rule, in cost units; 0 if the rule does not compile.
    pub fn max_cost(&self) -> u64 {
        self.rule.as_ref().map_or(0, |it| it.max_cost)
    }
}

/// The reason why an expression does not compile (`apiservercel.Error`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// The API server's message.
    pub detail: String,
    /// Whether the API server crashes on the expression. In that case the API server reports no error, and `detail` is a text of crd-analyzer.
    pub crashes: bool,
    /// Whether the expression uses the old value, as far as the API server had determined this before the error.
    pub uses_old_self: bool,
    /// The diagnostic code of the first problem.
    pub code: &'static str,
    /// The problems, each with its byte range in the expression; empty if the expression as a whole is wrong.
    pub problems: Vec<Problem>,
}

impl CompileError {
    /// Creates the error for a failure, with the API server's message.
    fn of(failure: Failure, part: Part) -> Self {
        let code = failure_code(&failure);
        let Failure {
            stage,
            printed,
            mut problems,
            checked,
        } = failure;
        if stage == Stage::Result {
            for problem in &mut problems {
                part.wrong_result().clone_into(&mut problem.message);
            }
        }
        let detail = match &stage {
            Stage::Syntax | Stage::Types => format!("{}{printed}", part.compilation_failed()),
            Stage::Result => part.wrong_result().to_owned(),
            Stage::Constant => format!("{}{printed}", part.instantiation_failed()),
            Stage::Crash(why) => crashes(why),
        };
        let (detail, problems) = with_room(detail, problems);
        Self {
            detail,
            crashes: matches!(stage, Stage::Crash(_)),
            uses_old_self: checked.is_some_and(|it| it.uses_variable(OLD_SELF)),
            code,
            problems,
        }
    }

    /// The first problem, as the cause of an error.
    pub fn cause(&self) -> Option<Cause> {
        Some(Cause::Compile(self.problems.first()?.kind.clone()))
    }
}

/// One of a rule's two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// `rule`
    Rule,
    /// `messageExpression`
    MessageExpression,
}

impl Part {
    /// The result types that the expression may have.
    const fn results(self) -> &'static [Type] {
        match self {
            Self::Rule => &[Type::Bool],
            Self::MessageExpression => &[Type::String],
        }
    }

    /// The start of the API server's message about an expression that does not compile.
    const fn compilation_failed(self) -> &'static str {
        match self {
            Self::Rule => "compilation failed: ",
            Self::MessageExpression => "messageExpression compilation failed: ",
        }
    }

    /// The API server's message about an expression with another result type.
    const fn wrong_result(self) -> &'static str {
        match self {
            Self::Rule => "cel expression must evaluate to a bool",
            Self::MessageExpression => "messageExpression must evaluate to a string",
        }
    }

    /// The start of the API server's message about a constant that always fails.
    const fn instantiation_failed(self) -> &'static str {
        match self {
            Self::Rule => "program instantiation failed: ",
            Self::MessageExpression => "messageExpression instantiation failed: ",
        }
    }
}

/// Compiles rules of a node and estimates their costs, as an API server of this Kubernetes version does. `ty` is the type of
/// the node's values. `set_of` returns the declarations for each expression: stored expressions may use all of them.
pub fn compile<'r>(
    ty: &Arc<DeclType>,
    rules: impl IntoIterator<Item = &'r ValidationRule>,
    version: KubernetesVersion,
    set_of: impl Fn(Part, &'r str) -> ExpressionSet,
) -> Vec<CompiledRule> {
    let contexts = Contexts::new(ty, version);
    let rules = rules.into_iter();
    rules.map(|rule| compile_rule(rule, ty, &contexts, &set_of)).collect()
}

/// Compiles one expression. The error has the API server's message for this part of a rule.
pub fn compile_expression(text: &str, context: &cel::Context, part: Part) -> Result<Expression, CompileError> {
    cel::compile(text, context).map_err(|failure| CompileError::of(failure, part))
}

fn compile_rule<'r>(
    rule: &'r ValidationRule,
    ty: &DeclType,
    contexts: &Contexts<'_>,
    set_of: &impl Fn(Part, &'r str) -> ExpressionSet,
) -> CompiledRule {
    let mut compiled = CompiledRule::default();
    // With an exhausted budget, the rule is skipped. The code that set the limits reports this.
    let bytes = (rule.rule.len() + rule.message_expression.len()) as u64;
    if trim_space(&rule.rule).is_empty() || budget::work(PARSE_WORK * bytes).is_err() {
        return compiled;
    }
    let optional_old_self = rule.optional_old_self == Some(true);
    let compile = |part: Part, text: &'r str| {
        let context = contexts.of(part, set_of(part, text), optional_old_self);
        compile_expression(text, context, part)
    };
    let message = || {
        let text = Some(&*rule.message_expression).filter(|it| !it.is_empty());
        text.map(|text| compile(Part::MessageExpression, text))
    };
    let expression = match compile(Part::Rule, &rule.rule) {
        Ok(expression) => expression,
        Err(error) => {
            compiled.uses_old_self = error.uses_old_self;
            compiled.error = Some(error);
            compiled.unreached_message_error = message().and_then(Result::err);
            if budget::is_stopped() {
                return CompiledRule::default();
            }
            return compiled;
        }
    };
    compiled.uses_old_self = expression.checked.uses_variable(OLD_SELF);
    compiled.max_cardinality = max_cardinality(ty);
    compiled.rule = Some(Arc::new(expression));
    compiled.message = message().map(|it| it.map(Arc::new));
    if budget::is_stopped() {
        return CompiledRule::default();
    }
    compiled
}

/// Shortens a compile error if the document's errors might not fit into memory, because every problem is printed with its line.
fn with_room(mut detail: String, mut problems: Vec<Problem>) -> (String, Vec<Problem>) {
    let words: usize = problems.iter().map(|it| FINDING_BYTES + it.message.len()).sum();
    if !budget::has_room((detail.len() + words) as u64) {
        problems.truncate(1);
        if detail.len() > SHORT_DETAIL {
            detail.truncate(detail.floor_char_boundary(SHORT_DETAIL));
            detail.shrink_to_fit();
            detail.push('…');
        }
    }
    (detail, problems)
}

/// The work units for parsing one byte of an expression.
const PARSE_WORK: u64 = 16;

/// The length to which compiler messages are shortened, in bytes.
const SHORT_DETAIL: usize = 400;

fn crashes(why: &str) -> String {
    format!("the API server crashes when it compiles this expression: {why}")
}

/// The diagnostic code of an expression that does not compile.
pub fn failure_code(failure: &Failure) -> &'static str {
    match &failure.stage {
        Stage::Syntax => codes::RULE_SYNTAX,
        Stage::Result => codes::RULE_RESULT_TYPE,
        Stage::Constant => codes::RULE_CONSTANT,
        Stage::Crash(_) if failure.checked.is_some() => codes::RULE_CONSTANT,
        Stage::Types | Stage::Crash(_) => code_of(&failure.problems),
    }
}

/// Whether a code is one of [`failure_code`].
pub fn is_of_failure(code: &str) -> bool {
    let all = [
        codes::RULE_SYNTAX,
        codes::RULE_RESULT_TYPE,
        codes::RULE_CONSTANT,
        codes::UNDEFINED_FIELD,
        codes::UNDECLARED_REFERENCE,
        codes::NO_MATCHING_OVERLOAD,
        codes::RULE_TYPE_ERROR,
    ];
    all.contains(&code)
}

/// The code of the first problem.
fn code_of(problems: &[Problem]) -> &'static str {
    match problems.first().map(|problem| &problem.kind) {
        Some(IssueKind::UndefinedField { .. }) => codes::UNDEFINED_FIELD,
        Some(IssueKind::UndeclaredReference { .. }) => codes::UNDECLARED_REFERENCE,
        Some(IssueKind::NoMatchingOverload { .. }) => codes::NO_MATCHING_OVERLOAD,
        _ => codes::RULE_TYPE_ERROR,
    }
}
