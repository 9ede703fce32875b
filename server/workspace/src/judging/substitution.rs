//! Variables with which Flux fails: those that nothing defines, and those that Flux cannot parse.

use std::{cell::LazyCell, collections::BTreeSet, ops::Range, path::Path};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_envsubst::{Cause, parse};
use crd_analyzer_syntax::{
    split::Document,
    tree::{NodeId, Span, Tree},
};

use super::question::Question;
use crate::{
    builds::flux::{self, SWITCH, file_name},
    codes,
    documents::{
        head,
        text::{Text, has},
    },
    filled_in::variables::Variables,
    findings::finding::{Class, Finding, Severity},
    words,
};

/// The maximum number of variables to report in a document.
const MOST_NAMES: usize = 50;

/// The maximum number of defined variables among which to look for the one that is meant.
const MOST_DEFINED: usize = 500;

/// The start of a variable.
const START: &str = "${";

/// The limits for parsing the variables of a document.
const LIMITS: Limits = Limits {
    bytes: 32 << 20,
    ..Limits::NONE
};

/// The errors of the variables in a file that Flux certainly builds.
pub(super) fn findings(source: &Text, question: &Question<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some((path, overlays)) = question.path.zip(question.around.overlays) else {
        return findings;
    };
    if !source.has(START) {
        return findings;
    }
    for document in &source.documents().documents {
        if has(&source.content[document.span.range()], START)
            && let Some(variables) = overlays.substituted(path, document.index as usize)
        {
            budget::within(LIMITS, || add(source, *document, &variables, &mut findings));
        }
    }
    findings
}

fn add(source: &Text, document: Document, variables: &Variables, findings: &mut Vec<Finding>) {
    let Ok(tree) = source.read(document) else { return };
    let Some(root) = tree.root() else { return };
    let is_object = ["apiVersion", "kind"].iter().all(|it| tree.get(root, it).is_some());
    if !is_object {
        return;
    }
    let mut told = BTreeSet::new();
    for node in texts(&tree, root) {
        let value = tree.scalar(node);
        let map = LazyCell::new(|| tree.source_map(node));
        let span = |range: Range<usize>| map.span(range);
        let template = match parse(&value) {
            Ok(template) => template,
            Err(bad) if bad.cause == Cause::NotFollowed => continue,
            Err(bad) => {
                findings.push(cannot_parse(bad.cause, span(bad.span)));
                // Flux parses the whole object at once, and stops here.
                return;
            }
        };
        for variable in template.variables() {
            let is_undefined = !variable.has_default() && variables.is_undefined(&variable.name);
            if is_undefined && told.len() < MOST_NAMES && told.insert(variable.name.clone()) {
                findings.push(undefined(&variable.name, span(variable.name_span.clone()), variables));
            }
        }
    }
}

/// The texts of an object with variables. None if the object turns substitution off.
fn texts(tree: &Tree, object: NodeId) -> impl Iterator<Item = NodeId> {
    let is_on = !is_switched_off(tree, object);
    let found = tree.subtree(object).filter(move |_| is_on);
    found.filter(|it| tree.is_scalar(*it) && has(tree.source(*it), START))
}

/// Whether a label or an annotation turns substitution off.
fn is_switched_off(tree: &Tree, root: NodeId) -> bool {
    let at = |node: NodeId, key: &str| tree.get(tree.resolve(node), key);
    ["labels", "annotations"].iter().any(|field| {
        let value = at(root, "metadata")
            .and_then(|it| at(it, field))
            .and_then(|it| at(it, SWITCH));
        value.is_some_and(|it| tree.scalar(tree.resolve(it)) == "disabled")
    })
}

/// The errors of the Flux Kustomizations in a file that define variables with names that Flux refuses.
pub(super) fn invalid_names(source: &Text) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !(source.has(flux::GROUP) && source.has("substitute")) {
        return findings;
    }
    for document in &source.documents().documents {
        let written = head::read(source, *document);
        let is_flux = written.kind == "Kustomization" && written.api_version.starts_with(flux::GROUP);
        let Some(tree) = is_flux.then(|| source.read(*document).ok()).flatten() else {
            continue;
        };
        let path = ["spec", "postBuild", "substitute"];
        let variables = path
            .iter()
            .try_fold(tree.root(), |at, key| Some(tree.get(at?, key)))
            .flatten();
        for entry in variables.into_iter().flat_map(|it| tree.entries(it)) {
            let name = tree.scalar(entry.key);
            if !is_name(&name) {
                findings.push(invalid_name(&name, tree.span(entry.key)));
            }
        }
    }
    findings.truncate(MOST_NAMES);
    findings
}

/// Whether Flux accepts a name (`varsubRegex` of github.com/fluxcd/pkg/kustomize). `<<` merges other variables.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && name.chars().all(is_part) || name == "<<"
}

fn invalid_name(name: &str, span: Span) -> Finding {
    let mut finding = failure(&format!("var name is invalid: `{}`", words::clip(name, 40)), span);
    finding.help = vec!["use letters, digits and `_` only, and begin with a letter or `_`".to_owned()];
    finding
}

/// The names of the variables without a default in an object. Empty if Flux cannot parse it, or if the object turns substitution off.
pub(crate) fn names(tree: &Tree, object: NodeId) -> BTreeSet<String> {
    let find = || {
        let mut names = BTreeSet::new();
        for node in texts(tree, object) {
            let template = parse(&tree.scalar(node)).ok()?;
            let variables = template.variables().into_iter().filter(|it| !it.has_default());
            names.extend(variables.map(|it| it.name.clone()));
        }
        Some(names)
    };
    budget::within(LIMITS, find).0.unwrap_or_default()
}

/// The error of a Kustomization that defines no variable of this name. `user` is the file with the variable.
pub(crate) fn without_value(name: &str, span: Span, user: &Path) -> Finding {
    let shown = words::clip(name, 40);
    let mut finding = failure(&format!("variable not set: `{shown}`"), span);
    finding.label = Some(format!("does not define `{shown}`"));
    finding.help = vec![format!("add `{shown}` to `substitute`")];
    finding.notes = vec![
        format!(
            "this Kustomization builds {}, which has the variable without a default",
            file_name(user)
        ),
        OLDER.to_owned(),
    ];
    finding
}

/// What versions of Flux without the strict mode do.
const OLDER: &str = "before kustomize-controller 1.9, Flux inserts an empty text";

fn failure(message: &str, span: Span) -> Finding {
    let headline = format!("Flux fails: variable substitution failed: {message}");
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_FAILURE, span, headline);
    finding.severity = Severity::Error;
    finding
}

fn undefined(name: &str, span: Span, variables: &Variables) -> Finding {
    let shown = words::clip(name, 40);
    let mut finding = failure(&format!("variable not set: `{shown}`"), span);
    let defined = variables.values.keys().map(|it| &**it).take(MOST_DEFINED);
    if let Some(meant) = words::meant::meant(name, defined).filter(|_| name.len() > 1) {
        finding.label = Some(format!("did you mean `{meant}`?"));
        finding.help = vec![format!("change `{shown}` to `{meant}`")];
        finding.meant = Some(meant.to_owned());
    } else {
        finding.help = vec![
            format!("add `{shown}` to `postBuild.substitute`, or write a default: `${{{shown}:=…}}`"),
            format!("if `{shown}` is for another program, such as a shell, write `$${{{shown}}}`"),
        ];
    }
    finding.notes = vec![format!(
        "no variable of this name is in `postBuild` of {}; {OLDER}",
        variables.by()
    )];
    finding
}

fn cannot_parse(cause: Cause, span: Span) -> Finding {
    let mut finding = failure(&cause.to_string(), span);
    finding.help = vec![
        match cause {
            Cause::MissingBrace => {
                "write `}` after the name of the variable; if another program reads the variable, write `$$` for `$`"
            }
            _ => "write a variable as `${NAME}`; if another program reads the variable, write `$$` for `$`",
        }
        .to_owned(),
    ];
    finding
}
