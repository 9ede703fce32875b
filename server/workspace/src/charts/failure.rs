//! Templates that Helm cannot parse, and templates that it does not find.

use std::{collections::HashSet, ops::Range, path::Path, sync::Arc};

use crd_analyzer_gotemplate::{Call, Cause, Error, Parsed};
use crd_analyzer_syntax::tree::Span;

use super::{
    chart::Chart,
    parsed::{FUNCTIONS, is_partial, parsed},
};
use crate::{
    codes,
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::FileReport,
    findings::suppress::{self, Form},
    words::{self, MAX_HEADLINE, clip, meant::meant},
};

/// The keywords that begin an action. Go takes a misspelt one as a function.
const KEYWORDS: [&str; 10] = [
    "block", "break", "continue", "define", "else", "end", "if", "range", "template", "with",
];

/// The objects that Helm gives to a template. Without the dot before it, Go takes their name as a function.
const OBJECTS: [&str; 7] = [
    "Capabilities",
    "Chart",
    "Files",
    "Release",
    "Subcharts",
    "Template",
    "Values",
];

/// The maximum number of templates without a definition that are reported for a file.
const MOST_MISSING: usize = 50;

/// The maximum number of missing templates for which a similar name is searched in a file, and of names to search. Charts of real projects have a few
/// hundred names.
const MOST_SUGGESTED: usize = 10;
const MOST_COMPARED: usize = 2_000;

/// The maximum length of a name in a headline, in bytes.
const LONGEST: usize = 60;

/// What Helm finds in a template of a chart. `None` if Helm does not parse the file.
///
/// # Errors
///
/// If Helm cannot parse it: the report on the file, which has no other findings.
pub(crate) fn parse(path: &Path, text: &Arc<str>, chart: &Chart) -> Result<Option<Parsed>, Box<FileReport>> {
    if !chart.metadata().parse(path) {
        return Ok(None);
    }
    parsed(text).map_err(|error| {
        let mut report = FileReport::empty(text.clone());
        let hints = silenced(text, vec![failure(&error, (path, text), chart)], &mut report.findings);
        // A comment for another code has no effect until the template is right.
        let is_used = |it: &Finding| it.code != codes::UNUSED_SUPPRESSION;
        report.findings.extend(hints.into_iter().filter(is_used));
        Box::new(report)
    })
}

/// Adds the templates that Helm does not find to the report on a template. `own` is what Helm finds in it.
pub(crate) fn complete((path, report): (&Path, &mut FileReport), own: Option<&Parsed>, chart: &Chart) {
    let text = report.text.clone();
    let missing = own.map(|it| missing(path, &text, it, chart)).unwrap_or_default();
    if missing.is_empty() {
        return;
    }
    let hints = silenced(&text, missing, &mut report.findings);
    // Comments in the manifests may be for these findings.
    let unused: HashSet<Span> = hints.iter().map(|it| it.span).collect();
    let is_used = |it: &Finding| it.code == codes::UNUSED_SUPPRESSION && !unused.contains(&it.span);
    for (_, verdict) in report.documents.iter_mut().flat_map(|it| &mut it.verdicts) {
        verdict.retain(|it| !is_used(it));
    }
}

/// Adds findings about a template as a whole, without those that comments suppress. Returns the hints about the comments.
fn silenced(text: &str, mut findings: Vec<Finding>, told: &mut Vec<Finding>) -> Vec<Finding> {
    let mut hints = Vec::new();
    if suppress::may_be_in(text) {
        hints = suppress::apply(text, Form::Yaml, &comments(text), findings.iter_mut());
        findings.retain(|it| !it.suppressed);
    }
    told.extend(findings);
    hints
}

/// The comments of a template, as far as they begin with `#`.
fn comments(text: &str) -> Vec<Span> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let written = line.trim_end();
        let sign = written.find('#').filter(|it| suppress::may_be_in(&written[*it..]));
        found.extend(sign.map(|it| Span::new((at + it) as u32, (at + written.len()) as u32)));
        at += line.len();
    }
    found
}

/// An error of Helm at a place.
fn error(span: &Range<usize>, message: &str) -> Finding {
    let span = Span::new(span.start as u32, span.end as u32);
    let headline = clip(&format!("Helm fails: {message}"), MAX_HEADLINE);
    let mut finding = Finding::new(Class::Hint, codes::HELM_FAILURE, span, headline);
    finding.severity = Severity::Error;
    finding
}

/// The finding for an error of the parser.
fn failure(found: &Error, (path, text): (&Path, &str), chart: &Chart) -> Finding {
    let name = chart.metadata().name(path).unwrap_or_default();
    let mut finding = error(&found.span, &found.words(text, &name));
    let written = &text[found.span.clone()];
    match &found.cause {
        Cause::Function(_) if names_template(text, found.span.start) => quote_name(&mut finding),
        Cause::Function(name) => unknown_function(&mut finding, name),
        Cause::Variable(name, declared) => {
            let near = meant(name, declared.iter().map(|it| &**it).filter(|it| *it != "$"));
            if let Some(near) = near {
                propose(&mut finding, name, near);
            } else {
                finding.label = Some("no such variable here".to_owned());
                let name = words::clip(name, LONGEST);
                finding.help = vec![format!("declare it before: `{{{{- {name} := … }}}}`")];
            }
        }
        Cause::NotClosed => {
            if let Some(open) = &found.open {
                let line = line(text, open.span.start);
                finding.label = Some(format!("this `{}` has no `end`", open.keyword));
                finding.help = vec![format!(
                    "add `{{{{- end }}}}`: the `{}` of line {line} is not closed",
                    open.keyword
                )];
            }
        }
        Cause::NotOpened("else") => finding.label = Some("belongs to no block".to_owned()),
        Cause::NotOpened(_) => {
            finding.label = Some("closes no block".to_owned());
            finding.help = vec!["remove it, or add the `if`, `range`, `with` or `define` that it closes".to_owned()];
        }
        Cause::ActionNotClosed => {
            finding.label = Some("this action has no `}}`".to_owned());
            finding.help = vec!["add `}}` at the end of the action".to_owned()];
        }
        Cause::Other if names_template(text, found.span.start) => quote_name(&mut finding),
        Cause::Other => finding.help.extend(help(&found.message, written)),
    }
    beside(&mut finding, found, text);
    let said = found.line(text);
    if said != line(text, found.span.start) {
        finding.notes.push(format!("Helm reports line {said}"));
    }
    finding
}

/// Whether the name of a template belongs to a place.
fn names_template(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    let is_name = text[at..].starts_with(|it: char| it.is_ascii_alphabetic() || it == '\'');
    is_name
        && ["include", "template", "define", "block"]
            .iter()
            .any(|it| before.ends_with(it))
}

/// Says that the name of a template is a string.
fn quote_name(finding: &mut Finding) {
    finding.label = Some("the name is not in quotes".to_owned());
    finding.help = vec!["write the name of the template in `\"`".to_owned()];
}

/// Names what was probably meant by the function that does not exist.
fn unknown_function(finding: &mut Finding, name: &str) {
    if OBJECTS.contains(&name) {
        return propose(finding, name, &format!(".{name}"));
    }
    if let Some(near) = near_function(name) {
        return propose(finding, name, near);
    }
    finding.label = Some("not a function of Helm".to_owned());
    finding.help = vec!["write a string in quotes, and a value with its dot, as in `.Values.name`".to_owned()];
}

/// The function or keyword that was probably meant. Among several, the one that begins alike.
fn near_function(name: &str) -> Option<&'static str> {
    let known = || FUNCTIONS.iter().copied().chain(KEYWORDS);
    let begins_alike = |it: &&str| it.as_bytes().first() == name.as_bytes().first();
    meant(name, known()).or_else(|| meant(name, known().filter(begins_alike)))
}

/// Proposes another word.
fn propose(finding: &mut Finding, written: &str, meant: &str) {
    finding.label = Some(format!("did you mean `{meant}`?"));
    finding.help = vec![format!("change `{}` to `{meant}`", words::clip(written, LONGEST))];
    finding.meant = Some(meant.to_owned());
}

/// What to type for an error with these words of Go.
fn help(message: &str, written: &str) -> Option<String> {
    let help = match message {
        "unclosed left paren" => "add `)`",
        "unexpected right paren" => "remove `)`, or add `(`",
        "unterminated quoted string" => "add `\"` at the end of the string",
        "unterminated raw quoted string" => "add a back quote at the end of the string",
        "unterminated character constant" => "write a string in `\"`, not in `'`",
        "unclosed comment" => "end the comment with `*/}}`",
        "comment ends before closing delimiter" => "write `}}` directly after `*/`",
        "{{break}} outside {{range}}" | "{{continue}} outside {{range}}" => "remove it, or put it into a `range`",
        _ if message.starts_with("malformed character constant") => "write a string in `\"`, not in `'`",
        "missing value for command" => "write a value between the braces, or remove the action",
        "missing value for parenthesized pipeline" => "write a value between the parentheses, or remove them",
        _ if message.starts_with("missing value for ") => "write a value after the keyword",
        _ if message.starts_with("non executable command") => "write a function after `|`",
        _ if written == "}" => "an action ends with `}}`: add a `}`",
        _ if written == "{" => "an action begins with `{{`: remove a `{`",
        _ => return None,
    };
    Some(help.to_owned())
}

/// Names a place above the error that may be its cause: a block without an end, or an action without its braces.
fn beside(finding: &mut Finding, found: &Error, text: &str) {
    let is_definition = found.message.starts_with("unexpected <define>");
    if let Some(open) = found.open.as_ref().filter(|_| is_definition) {
        let line = line(text, open.span.start);
        finding.label = Some("a `define` cannot be in a block".to_owned());
        finding.help = vec![format!(
            "add `{{{{- end }}}}` before it: the `{}` of line {line} is not closed",
            open.keyword
        )];
        finding
            .related
            .push(related(&open.span, format!("this `{}` has no `end`", open.keyword)));
        return;
    }
    let action = first_line(text, found.action);
    let is_below = found.span.start > action.end;
    if is_below && found.cause != Cause::NotClosed && !text[action.clone()].contains("}}") {
        finding
            .related
            .push(related(&action, "the action begins here".to_owned()));
        if finding.meant.is_none() {
            let line = line(text, found.action);
            finding.help = vec![format!(
                "add `}}}}` at the end of line {line}, if the action should end there"
            )];
        }
    }
}

fn related(span: &Range<usize>, message: String) -> Related {
    Related {
        span: Span::new(span.start as u32, span.end as u32),
        message,
        file: None,
    }
}

/// The rest of a line.
fn first_line(text: &str, start: usize) -> Range<usize> {
    let line = text[start..].lines().next().unwrap_or_default();
    start..start + line.trim_end().len()
}

/// The line of an offset, counted from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// The names in a template that nothing defines.
fn missing(path: &Path, text: &str, own: &Parsed, chart: &Chart) -> Vec<Finding> {
    let names = (!own.calls.is_empty()).then(|| chart.template_names()).flatten();
    let Some(names) = names else { return Vec::new() };
    let is_comparable = names.all().len() <= MOST_COMPARED;
    let own_names: HashSet<&str> = own.defines.iter().map(|it| &*it.name).collect();
    let is_executed = |call: &&Call| match call.within {
        // Helm does not execute a file of helpers itself.
        None => !is_partial(path),
        Some(define) => names.are_executed(&own.defines[define].name),
    };
    let is_missing =
        |call: &&Call| !own_names.contains(&*call.name) && !names.has(&call.name) && !call.name.contains("/templates/");
    let calls = own.calls.iter().filter(is_missing).filter(is_executed);
    let missing = calls.take(MOST_MISSING).enumerate().map(|(n, call)| {
        let name = words::clip(&call.name, LONGEST);
        let mut finding = error(
            &call.span,
            &format!("no template {} associated with template \"gotpl\"", quoted(&name)),
        );
        let is_compared = is_comparable && n < MOST_SUGGESTED;
        if let Some(near) = is_compared.then(|| meant(&call.name, names.all())).flatten() {
            propose(&mut finding, &text[call.span.clone()], &quoted(near));
        } else {
            finding.label = Some("no template has this name".to_owned());
            finding.help = vec![format!(
                "define it: `{{{{- define {} -}}}} … {{{{- end }}}}`",
                quoted(&name)
            )];
        }
        finding
    });
    missing.collect()
}

/// A name in quotes, as Go prints it.
fn quoted(name: &str) -> String {
    format!("{name:?}")
}
