//! Validation of a policy (`ValidateValidatingAdmissionPolicy` of `k8s.io/kubernetes/pkg/apis/admissionregistration/validation`).

use std::collections::HashSet;

use crd_analyzer_budget as budget;
use crd_analyzer_cel::{self as cel, Context, Failure, Problem, Stage};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{Cause, Error, Path, Trail};
use crd_analyzer_schema::go::{quote, trim_space};
use crd_analyzer_schema::metadata::names::{name_is_dns_subdomain, qualified_name};
use crd_analyzer_schema::metadata::{ObjectMeta, validate_object_meta};
use crd_analyzer_schema::rules::failure_code;
use crd_analyzer_schema::unknown::Known;

use crate::codes::{POLICY_DUPLICATE, POLICY_INVALID_VALUE, POLICY_MISSING_FIELD};
use crate::expressions::{Expressions, Site};
use crate::strings::unsupported;
use crate::view::View;
use crate::{match_resources, param_kind};

/// The maximum number of audit annotations (`maxAuditAnnotations`).
const MAX_AUDIT_ANNOTATIONS: usize = 20;
/// The maximum length of an audit annotation's value expression, in bytes (`maxAuditAnnotationValueExpressionLength`).
const MAX_VALUE_EXPRESSION: usize = 5 * 1024;
/// The maximum number of match conditions.
const MAX_MATCH_CONDITIONS: usize = 64;
/// The work units for parsing one byte of an expression.
const PARSE_WORK: u64 = 16;

const FAILURE_POLICIES: &[&str] = &["Fail", "Ignore"];
const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];

/// The suffix of names that are reserved for manifests on the API server's disk (`StaticConfigSuffix`).
const STATIC_SUFFIX: &str = ".static.k8s.io";

/// The first Kubernetes version whose messages do not repeat the name of their field.
const SHORT_WORDS_SINCE: KubernetesVersion = KubernetesVersion::minor(34);
/// The first Kubernetes version whose message about an expression's type includes that type.
const FOUND_TYPE_SINCE: KubernetesVersion = KubernetesVersion::minor(32);
/// The first Kubernetes version that rejects names with the static suffix. The version before only warns about them.
pub(crate) const STATIC_SUFFIX_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// The errors in a policy.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) errors: Vec<Error>,
    /// An expression that crashes the API server. The message is written by crd-analyzer.
    pub(crate) crash: Option<Error>,
}

/// Validates a defaulted and prepared policy.
pub(crate) fn validate(metadata: &ObjectMeta, spec: View<'_>, version: KubernetesVersion) -> Found {
    let mut found = Found::default();
    let base = Path::of(["metadata"]);
    validate_object_meta(
        (metadata, Known::ALL),
        false,
        name_is_dns_subdomain,
        &Trail::new(&base),
        version,
        &mut found.errors,
    );
    let mut of_spec = Spec {
        name: &metadata.name,
        fields: spec,
        version,
        at: Path::of(["spec"]),
        expressions: Expressions::new(
            spec.structure("paramKind").is_some(),
            spec.structures("variables").len() > 0,
            version,
        ),
        found: &mut found,
    };
    of_spec.validate();
    if version >= STATIC_SUFFIX_SINCE
        && let Some(words) = static_suffix(&metadata.name)
    {
        let at = base.child("name");
        found
            .errors
            .push(Error::invalid(POLICY_INVALID_VALUE, at, quote(&metadata.name), words));
    }
    found
}

/// The error in a name that is reserved for manifests on the API server's disk.
pub(crate) fn static_suffix(name: &str) -> Option<String> {
    let of = quote(STATIC_SUFFIX);
    name.ends_with(STATIC_SUFFIX).then(|| {
        format!(
            "names ending with {of} are reserved for static manifest-based configurations and cannot be managed via the API"
        )
    })
}

struct Spec<'a, 'f> {
    /// `metadata.name`
    name: &'a str,
    fields: View<'a>,
    version: KubernetesVersion,
    at: Path,
    expressions: Expressions,
    found: &'f mut Found,
}

impl Spec<'_, '_> {
    fn validate(&mut self) {
        let (spec, version) = (self.fields, self.version);
        // Defaulting sets the field if it is missing.
        if let Some(policy) = spec.pointer("failurePolicy") {
            self.supported(self.at.child("failurePolicy"), policy, FAILURE_POLICIES);
        }
        if let Some(kind) = spec.structure("paramKind") {
            param_kind::validate(kind, &self.at.child("paramKind"), &mut self.found.errors);
        }
        let at = self.at.child("matchConstraints");
        match spec.structure("matchConstraints") {
            None => self.missing(at, ""),
            Some(constraints) => {
                match_resources::validate(constraints, &at, version, &mut self.found.errors);
                if constraints.structures("resourceRules").len() == 0 {
                    self.missing(at.child("resourceRules"), "");
                }
            }
        }
        self.match_conditions();
        for (n, variable) in spec.structures("variables").enumerate() {
            self.variable(variable, &self.at.child("variables").index(n));
        }
        let annotations = spec.structures("auditAnnotations");
        if spec.structures("validations").len() == 0 && annotations.len() == 0 {
            for name in ["validations", "auditAnnotations"] {
                let detail = "validations or auditAnnotations must contain at least one item";
                self.missing(self.at.child(name), detail);
            }
            return;
        }
        for (n, validation) in spec.structures("validations").enumerate() {
            self.validation(validation, &self.at.child("validations").index(n));
        }
        let at = self.at.child("auditAnnotations");
        if annotations.len() > MAX_AUDIT_ANNOTATIONS {
            let detail = format!("must not have more than {MAX_AUDIT_ANNOTATIONS} auditAnnotations");
            self.invalid(at.clone(), String::new(), detail);
        }
        let mut keys = HashSet::new();
        for (n, annotation) in annotations.enumerate() {
            let at = at.index(n);
            self.audit_annotation(annotation, &at);
            let key = annotation.text("key");
            if !keys.insert(key) {
                self.push(Error::duplicate(POLICY_DUPLICATE, at.child("key"), quote(key)));
            }
        }
    }

    fn match_conditions(&mut self) {
        let at = self.at.child("matchConditions");
        let conditions = self.fields.structures("matchConditions");
        if conditions.len() > MAX_MATCH_CONDITIONS {
            self.push(Error::too_many(
                POLICY_INVALID_VALUE,
                at.clone(),
                conditions.len(),
                MAX_MATCH_CONDITIONS,
                self.version,
            ));
        }
        let mut names = HashSet::new();
        for (n, condition) in conditions.enumerate() {
            let at = at.index(n);
            let (at_expression, at_name) = (at.child("expression"), at.child("name"));
            let (expression, name) = (condition.text("expression"), condition.text("name"));
            if trim_space(expression).is_empty() {
                self.missing(at_expression, "");
            } else {
                self.compile(Site::MatchCondition, expression, at_expression);
            }
            if name.is_empty() {
                self.missing(at_name, "");
                continue;
            }
            for detail in qualified_name(name, self.version) {
                self.invalid(at_name.clone(), quote(name), detail);
            }
            if !names.insert(name) {
                self.push(Error::duplicate(POLICY_DUPLICATE, at_name, quote(name)));
            }
        }
    }

    fn variable(&mut self, variable: View<'_>, at: &Path) {
        let (name, expression) = (variable.text("name"), variable.text("expression"));
        if trim_space(name).is_empty() {
            self.missing(at.child("name"), "name is not specified");
        } else if !is_identifier(name) {
            let detail = if self.version >= SHORT_WORDS_SINCE {
                "must be a valid CEL identifier"
            } else {
                "name is not a valid CEL identifier"
            };
            self.invalid(at.child("name"), quote(name), detail);
        }
        if trim_space(expression).is_empty() {
            self.missing(at.child("expression"), "expression is not specified");
            return;
        }
        let compiled = self.compile(Site::Variable, expression, at.child("expression"));
        let ty = compiled.map(|it| it.checked.output_type().clone());
        self.expressions.define(name, ty.as_ref());
    }

    fn validation(&mut self, validation: View<'_>, at: &Path) {
        let expression = validation.text("expression");
        if trim_space(expression).is_empty() {
            self.missing(at.child("expression"), "expression is not specified");
        } else {
            self.compile(Site::Validation, expression, at.child("expression"));
        }
        let (message, of_message) = (validation.text("messageExpression"), at.child("messageExpression"));
        if !trim_space(message).is_empty() {
            self.compile(Site::Message, message, of_message);
        } else if !message.is_empty() {
            self.invalid(of_message, quote(message), "must be non-empty if specified");
        }
        let message = validation.text("message");
        let trimmed = trim_space(message);
        let of_field = if self.version >= SHORT_WORDS_SINCE {
            ""
        } else {
            "message "
        };
        let problem = if !message.is_empty() && trimmed.is_empty() {
            Some("must be non-empty if specified")
        } else if trimmed.contains(['\n', '\r']) {
            Some("must not contain line breaks")
        } else {
            None
        };
        if let Some(problem) = problem {
            self.invalid(at.child("message"), quote(message), format!("{of_field}{problem}"));
        }
        if let Some(reason) = validation.pointer("reason") {
            self.supported(at.child("reason"), reason, REASONS);
        }
    }

    fn audit_annotation(&mut self, annotation: View<'_>, at: &Path) {
        let (key, at_key) = (annotation.text("key"), at.child("key"));
        if self.name.is_empty() {
            self.invalid(at_key, quote(key), "requires metadata.name be non-empty");
        } else {
            let whole = format!("{}/{key}", self.name);
            for detail in qualified_name(&whole, self.version) {
                self.invalid(at_key.clone(), quote(&whole), detail);
            }
        }
        let (expression, at) = (annotation.text("valueExpression"), at.child("valueExpression"));
        let trimmed = trim_space(expression);
        if trimmed.is_empty() {
            self.missing(at, "valueExpression is not specified");
        } else if trimmed.len() > MAX_VALUE_EXPRESSION {
            let detail = format!("must not exceed {MAX_VALUE_EXPRESSION} bytes in length");
            self.push(Error::required(POLICY_INVALID_VALUE, at, detail));
        } else {
            self.compile(Site::AuditAnnotation, expression, at);
        }
    }

    /// Compiles an expression and records its errors. With an exhausted budget, the expression is skipped; the code that set the limits reports this.
    fn compile(&mut self, site: Site, text: &str, at: Path) -> Option<cel::Expression> {
        budget::work(PARSE_WORK * text.len() as u64).ok()?;
        let context: Context = self.expressions.context(site);
        // The API server trims some expressions before it compiles them.
        let is_trimmed = matches!(site, Site::MatchCondition | Site::AuditAnnotation);
        let compiled = if is_trimmed { trim_space(text) } else { text };
        let failure = match cel::compile(compiled, &context) {
            _ if budget::is_stopped() => return None,
            Ok(expression) => return Some(expression),
            Err(failure) => failure,
        };
        let start = text.find(compiled).unwrap_or(0);
        let shown = if site == Site::MatchCondition { compiled } else { text };
        let error = Error::invalid(failure_code(&failure), at, quote(shown), self.words(&failure));
        let mut problems = failure.problems.into_iter();
        let error = match problems.next() {
            Some(problem) => {
                let inner = problem.bytes.start + start..problem.bytes.end + start;
                let error = error.because(Cause::Compile(problem.kind));
                if failure.stage == Stage::Result {
                    error
                } else {
                    let moved = |it: Problem| (it.kind, it.bytes.start + start..it.bytes.end + start);
                    let others = problems.filter(|_| failure.stage == Stage::Types).map(moved);
                    error.within(inner).with_others(others)
                }
            }
            None => error,
        };
        if matches!(failure.stage, Stage::Crash(_)) {
            self.found.crash.get_or_insert(error);
        } else {
            self.push(error);
        }
        None
    }

    /// The API server's message for an expression that does not compile.
    fn words(&self, failure: &Failure) -> String {
        let printed = &failure.printed;
        match &failure.stage {
            Stage::Syntax | Stage::Types => format!("compilation failed: {printed}"),
            Stage::Constant => format!("program instantiation failed: {printed}"),
            Stage::Result if self.version < FOUND_TYPE_SINCE => {
                let end = printed.find(" but got ").unwrap_or(printed.len());
                printed[..end].to_owned()
            }
            Stage::Result => printed.clone(),
            Stage::Crash(why) => format!("the API server crashes when it compiles this expression: {why}"),
        }
    }

    fn supported(&mut self, at: Path, value: &str, supported: &[&str]) {
        if let Some(error) = unsupported(at, value, supported, self.version) {
            self.push(error);
        }
    }

    fn missing(&mut self, at: Path, detail: &str) {
        self.push(Error::required(POLICY_MISSING_FIELD, at, detail));
    }

    fn invalid(&mut self, at: Path, value: String, detail: impl Into<String>) {
        self.push(Error::invalid(POLICY_INVALID_VALUE, at, value, detail));
    }

    fn push(&mut self, error: Error) {
        self.found.errors.push(error);
    }
}

/// Reserved words, which are not valid CEL identifiers.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// `isCELIdentifier`
fn is_identifier(name: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphabetic() || it == '_';
    name.starts_with(is_letter)
        && name.chars().all(|it| is_letter(it) || it.is_ascii_digit())
        && !RESERVED.contains(&name)
}
