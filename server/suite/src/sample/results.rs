//! Evaluates a rule on the objects of a test file, and reports the value of each step of its expression.

use std::{collections::BTreeSet, fmt::Write as _};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Path, Segment},
    structural::Structural,
};
use crd_analyzer_syntax::{
    paths::lookup,
    tree::{NodeId, NodeKind, Span, Tree},
};
use crd_analyzer_workspace::{
    eval::{CelValue, Definition, NodePath, Part, RuleRun, as_stored, find_sites, run_rule, steps},
    words::expression::of_expression,
};
use serde_json::Value;

use super::RuleName;
use crate::{
    definition::Found,
    errors::Cause,
    model::{Action, Body, Case, Suite},
    rules::RULES,
    run::own::{causes, filled, is_implied, name, take_name},
    server::{Answer, Server},
    touched::below_schema,
};

/// The maximum number of values per object for which the steps are shown.
const MOST_SITES: usize = 100;

/// The limits for one test file.
const TRYING: Limits = Limits {
    work: Limits::DOCUMENT.work,
    ..Limits::NONE
};

/// The result of the rule for the object of one test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseResult {
    /// The span of the test's name.
    pub name: Span,
    /// The span of the key of the request, such as `create`.
    pub request: Span,
    /// The span of the object that is sent.
    pub object: Span,
    /// The API server's answer, or the reason why the rule does not run.
    pub answer: String,
    /// The results for the values that the rule validates.
    pub sites: Vec<SiteResult>,
}

/// The result for a value that the rule validates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteResult {
    /// The span of the value in the file, with its key. If the file does not contain the value, the span of the nearest value that contains it.
    pub span: Span,
    /// The path of the value.
    pub path: String,
    /// The result of the rule, followed by the parts of the expression with their values. Each is one line.
    pub lines: Vec<String>,
}

/// A compiled rule that can be evaluated on objects.
pub struct Trial {
    found: Found,
    definition: Definition,
    rule: RuleName,
    server: Result<Server, String>,
    kubernetes: KubernetesVersion,
}

impl std::fmt::Debug for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial")
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

impl Trial {
    /// Prepares a rule of a CRD. The error tells why the rule cannot be tried.
    pub fn new(found: &Found, rule: RuleName, kubernetes: KubernetesVersion) -> Result<Self, String> {
        let (trial, ended) = budget::within(TRYING, || {
            let value = found.only(Some(&rule.version))?;
            let text = crate::yaml::json(&value).into_bytes();
            let definition = Definition::read(text, kubernetes)?.pop();
            Ok(Self {
                definition: definition.ok_or("the file has no CRD")?,
                server: Server::install(&value, None, kubernetes),
                found: Found { value, ..found.clone() },
                rule,
                kubernetes,
            })
        });
        ended.unfinished.map_or(trial, |it| Err(it.to_string()))
    }

    /// The API server with the CRD, or why it rejects the CRD.
    pub(crate) fn server(&self) -> Result<&Server, String> {
        self.server.as_ref().map_err(Clone::clone)
    }

    /// The number of parts of the rule's expression that are evaluated for an object, or for its update.
    pub(crate) fn reached(&self, from: Option<&Value>, to: &Value) -> usize {
        let mut reached = BTreeSet::new();
        for run in self.runs(from, to).unwrap_or_default() {
            let parts = run.outcome.ran.iter().flat_map(|it| &it.parts);
            parts.for_each(|it| add_reached(it, &mut reached));
        }
        reached.len()
    }

    /// Evaluates the rule on the objects of a test file.
    pub fn results(&self, suite: &Suite) -> Vec<CaseResult> {
        let mut results = Vec::new();
        let each = || {
            for case in &suite.cases {
                let Body::Own(own) = &case.body else { continue };
                let found = budget::within(Limits::NONE, || self.result(&suite.tree, case, &own.action));
                let (mut result, ended) = found;
                if let Some(unfinished) = ended.unfinished {
                    result.answer = unfinished.to_string();
                    result.sites.clear();
                }
                results.push(result);
            }
        };
        budget::within(TRYING, each);
        results
    }

    fn result(&self, tree: &Tree, case: &Case, action: &Action) -> CaseResult {
        let (key, from, to) = match action {
            Action::Create(object) => ("create", None, object),
            Action::Update { from, to } => ("update", Some(from), to),
            Action::UpdateStatus { from, to } => ("updateStatus", Some(from), to),
        };
        let entry = |node, key| lookup(tree, node, key).map(|it| (tree.resolve(it.value), tree.span(it.key)));
        let request = entry(case.node, key);
        let sent = match from {
            None => request,
            Some(_) => request.and_then(|it| entry(it.0, "to")),
        };
        let (node, whole) = sent.unwrap_or((case.node, tree.span(case.node)));
        let mut result = CaseResult {
            name: case.span,
            request: request.map_or(case.span, |it| it.1),
            object: tree.span(node),
            answer: String::new(),
            sites: Vec::new(),
        };
        let filled = |object: &Value| {
            let mut object = filled(object, &self.found, &self.rule.version);
            name(&mut object, crate::run::own::NAME);
            object
        };
        let from = from.map(filled);
        let mut to = filled(to);
        if let Some(Value::Object(from)) = &from {
            take_name(&mut to, from);
        }
        let answer = match &self.server {
            Ok(server) => match answer(server, action, from.as_ref(), &to) {
                Ok(answer) => Some(answer),
                Err(why) => {
                    result.answer = format!("`from` cannot be stored: {why}");
                    return result;
                }
            },
            // If a rule does not compile, its own result contains the error.
            Err(_) => None,
        };
        let (from, to) = self.validated(action, from, to);
        let runs = match self.runs(from.as_ref(), &to) {
            Ok(runs) => runs,
            Err(why) => {
                result.answer = why;
                return result;
            }
        };
        result.answer = answer.as_ref().map_or_else(
            || "the API server rejects the CRD".to_owned(),
            |it| self.said(it, runs.is_empty()),
        );
        let is_rejecting = answer.as_ref().is_none_or(|it| self.is_rejecting(it));
        let place = |run: &RuleRun<'_>| place(tree, (node, whole), &run.path);
        result.sites = runs
            .iter()
            .map(|run| SiteResult {
                span: place(run),
                path: run.path.to_string(),
                lines: lines(run, is_rejecting),
            })
            .collect();
        result
    }

    /// The objects on which the API server runs the rules. If the CRD has a status subresource, only updates of the status change the status.
    fn validated(&self, action: &Action, from: Option<Value>, mut to: Value) -> (Option<Value>, Value) {
        let has_subresource = self
            .found
            .value
            .pointer("/spec/versions/0/subresources/status")
            .is_some_and(Value::is_object);
        if !has_subresource {
            return (from, to);
        }
        let old = from.as_ref().and_then(|it| it.get("status")).cloned();
        let new = to.get("status").cloned();
        if let (Action::UpdateStatus { .. }, Some(from)) = (action, &from) {
            to.clone_from(from);
        }
        let status = if matches!(action, Action::UpdateStatus { .. }) {
            new
        } else {
            old
        };
        if let Value::Object(to) = &mut to {
            match status {
                Some(status) => drop(to.insert("status".to_owned(), status)),
                None => drop(to.remove("status")),
            }
        }
        (from, to)
    }

    fn runs(&self, from: Option<&Value>, to: &Value) -> Result<Vec<RuleRun<'_>>, String> {
        let (schema_path, index) = self.node().ok_or("`path` of `x-rule` is not the path of a rule")?;
        let version = self.definition.version(Some(&self.rule.version), None)?;
        let schema = version.schema.as_deref().ok_or("the version has no schema")?;
        let root = Structural::new(schema).map_err(|_| "the schema is not structural")?;
        let node = schema_path.find(root)?;
        if index >= node.schema.validations().len() {
            return Err("the rule does not exist any more".to_owned());
        }
        let (from, to) = (from.map(|it| as_stored(it, root)), as_stored(to, root));
        let sites = find_sites(root, Some(&node), &to, from.as_ref());
        // The results refer to the schema, not to the objects, so they can outlive the objects.
        let mut runs = Vec::new();
        for site in sites.iter().take(MOST_SITES) {
            runs.extend(run_rule(root, site, index, self.kubernetes)?);
        }
        Ok(runs)
    }

    /// The node that has the rule, and the index of the rule in that node.
    fn node(&self) -> Option<(NodePath, usize)> {
        let (above, index) = self.rule.path.rsplit_once(RULES)?;
        let index = index.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
        let path = format!("openAPIV3Schema.{}", above.trim_end_matches('.'));
        Some((path.trim_end_matches('.').parse().ok()?, index))
    }

    /// Whether this rule is one of the reasons for a rejection.
    fn is_rejecting(&self, answer: &Answer) -> bool {
        let causes = answer.refusal.iter().flat_map(|it| &it.causes);
        causes.into_iter().any(|it| self.is_of_rule(it.decider.as_deref()))
    }

    fn is_of_rule(&self, decider: Option<&str>) -> bool {
        decider.and_then(below_schema).is_some_and(|it| it == self.rule.path)
    }

    /// The answer in one line. Editors cut long lines, so what the reader knows already comes last or not at all.
    fn said(&self, answer: &Answer, is_idle: bool) -> String {
        let Some(refusal) = answer.strict_refusal() else {
            let why = if is_idle {
                "; the rule does not run, because the object has no value for it"
            } else {
                ""
            };
            return format!("accepted{why}");
        };
        let mut causes = causes(&refusal);
        causes.retain(|it| !is_implied(it));
        let is_of_rule = |it: &Cause| self.is_of_rule(it.decider.as_deref());
        let first = causes.iter().position(is_of_rule);
        let mut said = match (first, causes.first()) {
            // Without a message, the API server reports the expression.
            (Some(n), _) if causes[n].detail.starts_with("failed rule: ") => "rejected by this rule".to_owned(),
            (Some(n), _) => format!("rejected by this rule: {}", one_line(&causes[n].detail)),
            (None, Some(other)) => format!("rejected: {}", one_line(&other.text)),
            (None, None) => format!("rejected: {}", one_line(&refusal.message)),
        };
        match causes.len() {
            0 | 1 => {}
            2 => said.push_str(", and for another reason"),
            all => {
                let _ = write!(said, ", and for {} other reasons", all - 1);
            }
        }
        said
    }
}

fn answer(server: &Server, action: &Action, from: Option<&Value>, to: &Value) -> Result<Answer, String> {
    let Some(from) = from else {
        return Ok(server.create(to));
    };
    let stored = server.get(from.as_object().ok_or("it is not an object")?)?;
    Ok(match action {
        Action::UpdateStatus { .. } => server.update_status(&stored, to),
        _ => server.update(&stored, to),
    })
}

/// Adds the places of the evaluated parts of an expression.
fn add_reached(part: &Part, reached: &mut BTreeSet<(usize, usize)>) {
    if part.value.is_some() {
        reached.insert((part.bytes.start, part.bytes.end));
    }
    let iterations = part.iterations.iter().flat_map(|it| &it.parts);
    for below in part.parts.iter().chain(iterations) {
        add_reached(below, reached);
    }
}

/// The place of a value in an object, or of the nearest value around it, with its key. `whole`: the key of the object.
fn place(tree: &Tree, (object, whole): (NodeId, Span), path: &Path) -> Span {
    let (mut node, mut key) = (object, Some(whole));
    for segment in path.segments() {
        let below = match (segment, tree.kind(node)) {
            (Segment::Field(name) | Segment::Key(name), NodeKind::Mapping(_)) => {
                lookup(tree, node, name).map(|it| (it.value, Some(tree.span(it.key))))
            }
            (Segment::Index(index), NodeKind::Sequence(_)) => tree.items(node).nth(*index).map(|it| (it, None)),
            _ => None,
        };
        match below {
            Some((below, its_key)) => (node, key) = (tree.resolve(below), its_key),
            None => break,
        }
    }
    let value = tree.span(node);
    // The value of an alias is elsewhere.
    let key = key.filter(|it| it.start <= value.start);
    Span::new(key.map_or(value.start, |it| it.start), value.end)
}

/// The result of the rule, and its steps.
fn lines(run: &RuleRun<'_>, is_rejecting: bool) -> Vec<String> {
    let compiled = match &run.outcome.compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            let words = error.problems.first().map(|it| of_expression(&it.kind).0);
            let why = words.unwrap_or_else(|| one_line(&error.detail));
            return vec![format!("the rule does not compile: {why}")];
        }
    };
    let Some(ran) = &run.outcome.ran else {
        let why = if compiled.uses_old_self {
            ", because it reads an old value"
        } else {
            ""
        };
        return vec![format!("the rule does not run{why}")];
    };
    let tolerated = if is_rejecting {
        ""
    } else {
        ", but the update does not change what the rule reads"
    };
    let result = match &ran.evaluation.result {
        Ok(CelValue::Bool(true)) => "true".to_owned(),
        Ok(CelValue::Bool(false)) => format!("false{tolerated}"),
        Ok(_) => "no boolean".to_owned(),
        Err(error) => format!("error: {}{tolerated}", one_line(error.message())),
    };
    let parts = ran.parts.iter().flat_map(|it| steps(&run.rule.rule, it));
    // The first line shows the whole expression. Its value is the result.
    let parts = parts.skip(1).map(|it| format!("{}{}", it.branches, one_line(&it.text)));
    [result].into_iter().chain(parts).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
