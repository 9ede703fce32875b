//! Rules of a schema compiled and priced (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `Compile`).

mod partial_check;
pub mod run;
mod suggested_bounds;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use crd_analyzer_budget as budget;
use crd_analyzer_cel::ast::{Issue, IssueKind, Issues, Source, SourceInfo};
use crd_analyzer_cel::checker::{CheckEnv, Checked, check};
use crd_analyzer_cel::cost::estimate;
pub use crd_analyzer_cel::decls::ExpressionSet;
use crd_analyzer_cel::decls::{Container, Environment, Variable};
use crd_analyzer_cel::eval::Program;
use crd_analyzer_cel::parser::{ParseOptions, parse};
pub use crd_analyzer_cel::types::DeclType;
use crd_analyzer_cel::types::{DeclTypeProvider, Type};
use crd_analyzer_cel::validators::validate;
pub use partial_check::{PartialCheck, partial_check, type_of};
pub use suggested_bounds::{Effort, MissingBound, Occurrence, SchemaStep, SuggestedBounds, suggest_bounds};

use crate::cel_types::{decl_type, max_cardinality};
use crate::codes;
use crate::field::{Cause, FINDING_BYTES};
use crate::structural::{AdditionalProperties, Structural};
use crate::{KubernetesVersion, ValidationRule};

/// The value that a rule is about.
pub const SELF: &str = "self";
/// The value that was stored before.
pub const OLD_SELF: &str = "oldSelf";
/// The name of the type of `self` in messages. The API server appends a number that it takes from the clock.
pub const SELF_TYPE: &str = "selfType#";

/// What a rule compiled to (`CompilationResult`). All is empty for a rule without text.
#[derive(Clone, Debug, Default)]
pub struct CompiledRule {
    /// The rule, if it compiles.
    pub rule: Option<Arc<Expression>>,
    /// Why it does not compile.
    pub error: Option<CompileError>,
    /// How many of the smallest values of the schema fit into a request: the factor where nothing else bounds it.
    pub max_cardinality: u64,
    /// Whether the rule compares with the old value, which makes it a transition rule.
    pub uses_old_self: bool,
    /// The message expression, or why it does not compile; `None` if there is none or the rule itself does not compile.
    pub message: Option<Result<Arc<Expression>, CompileError>>,
    /// Why the message expression does not compile either, where the rule does not: the API server looks at it only once the rule compiles.
    pub unreached_message_error: Option<CompileError>,
}

impl CompiledRule {
    /// The cost units that evaluating the rule once takes at most; 0 if it does not compile.
    pub fn max_cost(&self) -> u64 {
        self.rule.as_ref().map_or(0, |it| it.max_cost)
    }
}

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

/// Why an expression does not compile (`apiservercel.Error`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// The API server's words.
    pub detail: String,
    /// The API server itself fails on the expression and says nothing; the words are ours.
    pub crashes: bool,
    /// Whether the API server got as far as to see that the expression uses the old value.
    pub uses_old_self: bool,
    /// The diagnostic code, that of the first problem.
    pub code: &'static str,
    /// What is wrong, each with its bytes in the expression; empty if it is the expression as a whole.
    pub problems: Vec<Problem>,
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

impl CompileError {
    /// The first problem, as the cause of an error.
    pub fn cause(&self) -> Option<Cause> {
        Some(Cause::Compile(self.problems.first()?.kind.clone()))
    }
}

/// The CEL types of one node of a schema: what its rules see.
#[derive(Clone, Debug)]
pub struct NodeTypes<'s> {
    schema: Option<Structural<'s>>,
    ty: Arc<DeclType>,
}

impl<'s> NodeTypes<'s> {
    /// The types of a schema; `None` if expressions cannot see its values. `is_resource_root`: the schema is that of a custom
    /// resource or of an embedded one.
    pub fn new(schema: Structural<'s>, is_resource_root: bool, version: KubernetesVersion) -> Option<Self> {
        Some(Self {
            schema: Some(schema),
            ty: decl_type(schema, is_resource_root, version)?,
        })
    }

    /// Types that no schema describes.
    pub fn of_type(ty: Arc<DeclType>) -> NodeTypes<'static> {
        NodeTypes { schema: None, ty }
    }

    /// The types that were made of a schema before.
    pub fn known(schema: Structural<'s>, ty: Arc<DeclType>) -> Self {
        Self {
            schema: Some(schema),
            ty,
        }
    }

    /// The types of a property, if an expression can name it.
    pub fn property(&self, name: &str) -> Option<Self> {
        let schema = self.schema?;
        if schema.has_no_properties() {
            return None;
        }
        let escaped = crd_analyzer_cel::types::escape(name)?;
        let field = self.ty.field(&escaped)?;
        Some(Self {
            schema: schema.property(name),
            ty: field.ty.clone(),
        })
    }

    /// The types of the items of a list.
    pub fn items(&self) -> Option<Self> {
        let items = self.schema?.items()?;
        Some(Self {
            schema: Some(items),
            ty: self.ty.element()?.clone(),
        })
    }

    /// The types of the values of a map.
    pub fn values(&self) -> Option<Self> {
        let Some(AdditionalProperties::Schema(values)) = self.schema?.additional_properties() else {
            return None;
        };
        Some(Self {
            schema: Some(values),
            ty: self.ty.element()?.clone(),
        })
    }

    /// The declared type.
    pub fn decl_type(&self) -> &Arc<DeclType> {
        &self.ty
    }
}

/// Which of a rule's expressions is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// `rule`
    Rule,
    /// `messageExpression`
    MessageExpression,
}

/// Compiles and prices rules of a node as an API server of this Kubernetes version does. `set_of` says for each expression whether the API server may compile
/// it with all it knows, because it was stored before.
pub fn compile<'r>(
    types: &NodeTypes<'_>,
    rules: impl IntoIterator<Item = &'r ValidationRule>,
    version: KubernetesVersion,
    set_of: impl Fn(Part, &'r str) -> ExpressionSet,
) -> Vec<CompiledRule> {
    let compiler = Compiler::new(&types.ty, version);
    let rules = rules.into_iter();
    rules.map(|rule| compiler.compile_rule(rule, &set_of)).collect()
}

/// Compiles one expression of any type over the values of a schema, as an API server of this Kubernetes version does with a rule.
pub fn compile_expression(
    types: &NodeTypes<'_>,
    text: &str,
    version: KubernetesVersion,
    set: ExpressionSet,
    optional_old_self: bool,
) -> Result<Expression, CompileError> {
    Compiler::new(&types.ty, version).compile_expression(text, set, optional_old_self, &ANYTHING)
}

/// The functions that expressions of a Kubernetes version know.
pub fn environment(version: KubernetesVersion, set: ExpressionSet) -> &'static Environment {
    Environment::of(version, set)
}

/// How many values of the smallest size of these types fit into a request: how often a rule about them counts where nothing bounds it.
pub fn most_in_a_request(types: &NodeTypes<'_>) -> u64 {
    max_cardinality(&types.ty)
}

struct Compiler<'t> {
    ty: &'t Arc<DeclType>,
    version: KubernetesVersion,
    /// For new and for stored expressions.
    providers: [DeclTypeProvider; 2],
    self_type: Type,
    container: Container,
}

/// The parser's settings for each Kubernetes version and set.
static PARSE_OPTIONS: LazyLock<Vec<[ParseOptions; 2]>> = LazyLock::new(|| {
    KubernetesVersion::all()
        .map(|server| [server.compatibility(), server].map(|environment| ParseOptions::kubernetes(server, environment)))
        .collect()
});

fn parse_options(version: KubernetesVersion, set: ExpressionSet) -> &'static ParseOptions {
    let known = version.clamp(KubernetesVersion::OLDEST, KubernetesVersion::NEWEST);
    &PARSE_OPTIONS[usize::from(known.number() - KubernetesVersion::OLDEST.number())][set_index(set)]
}

fn set_index(set: ExpressionSet) -> usize {
    usize::from(set == ExpressionSet::Stored)
}

impl<'t> Compiler<'t> {
    fn new(ty: &'t Arc<DeclType>, version: KubernetesVersion) -> Self {
        let names_are_types = version.number() >= 32;
        let provider =
            |keywords| DeclTypeProvider::new(Arc::clone(ty), Cow::Borrowed(SELF_TYPE), keywords, names_are_types);
        let providers = [provider(version.number() >= 32), provider(version.number() >= 31)];
        let self_type = providers[0].root_type();
        Self {
            ty,
            version,
            providers,
            self_type,
            container: Container::default(),
        }
    }

    fn compile_rule<'r>(
        &self,
        rule: &'r ValidationRule,
        set_of: &impl Fn(Part, &'r str) -> ExpressionSet,
    ) -> CompiledRule {
        let mut compiled = CompiledRule::default();
        // Where there is not enough, nothing is known of the rule, and that is known to who asked within limits.
        let bytes = (rule.rule.len() + rule.message_expression.len()) as u64;
        if trim_space(&rule.rule).is_empty() || budget::work(PARSE_WORK * bytes).is_err() {
            return compiled;
        }
        let optional_old_self = rule.optional_old_self == Some(true);
        let message = |text: &'r str| {
            let set = set_of(Part::MessageExpression, text);
            self.compile_expression(text, set, optional_old_self, &MESSAGE_EXPRESSION)
        };
        let message = || Some(&*rule.message_expression).filter(|it| !it.is_empty()).map(message);
        let checked =
            match self.compile_expression(&rule.rule, set_of(Part::Rule, &rule.rule), optional_old_self, &RULE) {
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
        compiled.uses_old_self = checked.checked.uses_variable(OLD_SELF);
        compiled.max_cardinality = max_cardinality(self.ty);
        compiled.rule = Some(Arc::new(checked));
        compiled.message = message().map(|it| it.map(Arc::new));
        if budget::is_stopped() {
            return CompiledRule::default();
        }
        compiled
    }

    fn compile_expression(
        &self,
        text: &str,
        set: ExpressionSet,
        optional_old_self: bool,
        words: &Words,
    ) -> Result<Expression, CompileError> {
        let source = Source::new(text);
        let failed = |issues: &Issues, places: &SourceInfo| {
            let (detail, problems) = with_room(
                format!("{}{}", words.compilation_failed, issues.display(&source)),
                problems(issues, &source, places),
            );
            CompileError {
                detail,
                crashes: false,
                uses_old_self: false,
                code: code_of(issues),
                problems,
            }
        };
        let parsed = parse(&source, parse_options(self.version, set));
        if !parsed.issues.is_empty() {
            let error = failed(&parsed.issues, &parsed.ast.source_info);
            return Err(CompileError {
                code: codes::RULE_SYNTAX,
                ..error
            });
        }
        let variables = self.variables(optional_old_self);
        let environment = Environment::of(self.version, set);
        let env = CheckEnv {
            environment,
            variables: &variables,
            types: &self.providers[set_index(set)],
            container: &self.container,
        };
        let places = parsed.ast.source_info.clone();
        let checked = check(parsed.ast, &source, env).map_err(|issues| failed(&issues, &places))?;
        let features = environment.features();
        let validated = validate(&checked, &source, features);
        if let Some(crash) = validated.crash {
            let mut issues = Issues::new();
            let kind = IssueKind::ServerCrash { why: crash.why };
            issues.report(kind, crash.id, places.location(&source, crash.id));
            return Err(CompileError {
                detail: crashes(crash.why),
                crashes: true,
                ..failed(&issues, &places)
            });
        }
        if !validated.issues.is_empty() {
            return Err(failed(&validated.issues, &places));
        }
        let is_other = |output: &Type| checked.output_type() != output && !checked.is_unfinished();
        if let Some(expected) = words.output.as_ref().filter(|it| is_other(it)) {
            let kind = IssueKind::WrongResult {
                expected: if *expected == Type::Bool { "bool" } else { "string" },
                found: features.print(checked.output_type()),
            };
            let detail = kind.server_words();
            let problem = Problem {
                bytes: 0..text.len(),
                kind,
                message: detail.clone(),
            };
            return Err(CompileError {
                detail,
                crashes: false,
                uses_old_self: false,
                code: codes::RULE_RESULT_TYPE,
                problems: vec![problem],
            });
        }
        let program = Program::new(&checked, environment).map_err(|error| CompileError {
            detail: match error.as_crash() {
                Some(crash) => crashes(crash),
                None => format!("{}{error}", words.instantiation_failed),
            },
            crashes: error.as_crash().is_some(),
            uses_old_self: checked.uses_variable(OLD_SELF),
            code: codes::RULE_CONSTANT,
            problems: vec![Problem {
                bytes: 0..text.len(),
                kind: IssueKind::FailingConstant {
                    error: error.to_string(),
                },
                message: error.to_string(),
            }],
        })?;
        // What has no types has no estimate either, and that is known to who asks.
        let max_cost = if checked.is_unfinished() {
            0
        } else {
            estimate(&checked, features, &**self.ty).max
        };
        // Rules are kept as long as their document. That there is not enough is known to who asked within limits.
        let _ = budget::bytes(NODE_BYTES * checked.ast.nodes().count() as u64);
        Ok(Expression {
            checked,
            program,
            max_cost,
        })
    }
}

impl Compiler<'_> {
    fn variables(&self, optional_old_self: bool) -> [Variable; 2] {
        let old_self = if optional_old_self {
            Type::optional(self.self_type.clone())
        } else {
            self.self_type.clone()
        };
        [
            Variable {
                name: SELF.into(),
                ty: self.self_type.clone(),
            },
            Variable {
                name: OLD_SELF.into(),
                ty: old_self,
            },
        ]
    }
}

/// What a compiler said, cut where all errors of a document have no room: each of a hundred problems is printed with its line.
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

/// Bytes of a part of a compiled expression: its tree, its type and what it means.
const NODE_BYTES: u64 = 300;

/// Work for each byte of an expression that is parsed.
const PARSE_WORK: u64 = 16;

/// Bytes of a compiler's message that always have room.
const SHORT_DETAIL: usize = 400;

fn crashes(why: &str) -> String {
    format!("the API server crashes when it compiles this expression: {why}")
}

/// What the API server says of a rule and of a message expression.
struct Words {
    compilation_failed: &'static str,
    output: Option<Type>,
    instantiation_failed: &'static str,
}

const RULE: Words = Words {
    compilation_failed: "compilation failed: ",
    output: Some(Type::Bool),
    instantiation_failed: "program instantiation failed: ",
};

const MESSAGE_EXPRESSION: Words = Words {
    compilation_failed: "messageExpression compilation failed: ",
    output: Some(Type::String),
    instantiation_failed: "messageExpression instantiation failed: ",
};

/// An expression that is not a rule is reported for as if it were one.
const ANYTHING: Words = Words { output: None, ..RULE };

/// The code of the first problem.
fn code_of(issues: &Issues) -> &'static str {
    match issues.sorted().first().map(|issue| &issue.kind) {
        Some(IssueKind::UndefinedField { .. }) => codes::UNDEFINED_FIELD,
        Some(IssueKind::UndeclaredReference { .. }) => codes::UNDECLARED_REFERENCE,
        Some(IssueKind::NoMatchingOverload { .. }) => codes::NO_MATCHING_OVERLOAD,
        _ => codes::RULE_TYPE_ERROR,
    }
}

fn problems(issues: &Issues, source: &Source, places: &SourceInfo) -> Vec<Problem> {
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

/// The text without white space at both ends, as Go's `strings.TrimSpace` sees it.
fn trim_space(text: &str) -> &str {
    text.trim_matches(|c: char| {
        matches!(
            c,
            '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
        ) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
    })
}
