//! Evaluates a rule on the objects of a test file, and reports the value of each step of its expression.

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
    eval::{CelValue, Definition, NodePath, RuleRun, as_stored, find_sites, run_rule, steps},
    words::expression::of_expression,
};
use serde_json::Value;

use super::RuleName;
use crate::{
    definition::Found,
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
    /// The span of the value in the file. If the file does not contain the value, the span of the nearest value that contains it.
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
        let node = lookup(tree, case.node, key).map(|it| tree.resolve(it.value));
        let node = match from {
            None => node,
            Some(_) => node
                .and_then(|it| lookup(tree, it, "to"))
                .map(|it| tree.resolve(it.value)),
        };
        let node = node.unwrap_or(case.node);
        let mut result = CaseResult {
            name: case.span,
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
            |it| said(it, runs.is_empty()),
        );
        let is_rejecting = answer.as_ref().is_none_or(|it| self.is_rejecting(it));
        let place = |run: &RuleRun<'_>| tree.span(place(tree, node, &run.path));
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
        let deciders = causes.filter_map(|it| below_schema(it.decider.as_deref()?));
        deciders.into_iter().any(|it| it == self.rule.path)
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

/// The API server's answer in one line.
fn said(answer: &Answer, is_idle: bool) -> String {
    let Some(refusal) = answer.strict_refusal() else {
        let why = if is_idle {
            "; the rule does not run, because the object has no value for it"
        } else {
            ""
        };
        return format!("accepted{why}");
    };
    let causes = causes(&refusal);
    let mut told = causes.iter().filter(|it| !is_implied(it)).map(|it| one_line(&it.text));
    let first = told.next().unwrap_or_else(|| one_line(&refusal.message));
    match told.count() {
        0 => format!("rejected: {first}"),
        1 => format!("rejected: {first}, and for another reason"),
        more => format!("rejected: {first}, and for {more} other reasons"),
    }
}

/// The node for a value in an object. If the value does not exist, the node of the nearest value that contains it.
fn place(tree: &Tree, object: NodeId, path: &Path) -> NodeId {
    let mut node = object;
    for segment in path.segments() {
        let below = match (segment, tree.kind(node)) {
            (Segment::Field(name) | Segment::Key(name), NodeKind::Mapping(_)) => {
                lookup(tree, node, name).map(|it| it.value)
            }
            (Segment::Index(index), NodeKind::Sequence(_)) => tree.items(node).nth(*index),
            _ => None,
        };
        match below {
            Some(below) => node = tree.resolve(below),
            None => break,
        }
    }
    node
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
