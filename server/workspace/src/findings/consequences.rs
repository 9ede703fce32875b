//! Errors of the API server that follow from another error of the same object: whoever corrects that one has corrected them.

use crd_analyzer_apiextensions::codes::{
    INVALID_GROUP, STORAGE_VERSION_COUNT, STORED_VERSIONS, UNKNOWN_CONVERSION_STRATEGY, UNKNOWN_TYPE,
};
use crd_analyzer_resource::codes::{INVALID_SCALE, UNKNOWN_FIELD};
use crd_analyzer_schema::codes::{METADATA_TYPE, MISSING_PROPERTY, RULE_EVALUATION, RULE_FAILED, WRONG_TYPE};

use crate::findings::{
    advice::field,
    finding::{Class, Finding, ServerSays},
    report::MergedFinding,
};

/// The codes of errors from which others may follow.
const CAUSES: [&str; 6] = [
    INVALID_GROUP,
    UNKNOWN_FIELD,
    WRONG_TYPE,
    UNKNOWN_TYPE,
    STORAGE_VERSION_COUNT,
    UNKNOWN_CONVERSION_STRATEGY,
];

/// The codes of errors whose message says more than that of their cause.
const NOTED: [&str; 3] = [MISSING_PROPERTY, RULE_FAILED, RULE_EVALUATION];

/// Removes the findings that follow from others, and names the missing ones in a note.
pub(super) fn tell_once(shown: &mut Vec<MergedFinding>) {
    let may_cause = |it: &MergedFinding| CAUSES.contains(&it.finding.code);
    let causes: Vec<usize> = (0..shown.len())
        .filter(|it| may_cause(&shown[*it]))
        .take(MOST_CAUSES)
        .collect();
    if shown.len() < 2 || causes.is_empty() {
        return;
    }
    let mut left: Vec<bool> = vec![true; shown.len()];
    let mut notes: Vec<(usize, String)> = Vec::new();
    for (at, it) in shown.iter().enumerate() {
        let is_cause = |cause: &usize| {
            let of = &shown[*cause];
            *cause != at && of.versions == it.versions && follows(&it.finding, &of.finding)
        };
        if let Some(cause) = causes.iter().copied().find(is_cause) {
            left[at] = false;
            if NOTED.contains(&it.finding.code) {
                notes.push((cause, it.finding.headline.clone()));
            }
        }
    }
    for (cause, note) in notes {
        shown[cause].finding.notes.push(note);
    }
    keep(shown, left);
}

/// If a rule does not compile, the API server reports it for each default around the rule, and would report the rule itself only after these errors are
/// corrected. Removes the errors of defaults, and reports the rules.
pub(super) fn tell_rules(shown: &mut Vec<MergedFinding>) {
    let rules: Vec<usize> = (0..shown.len())
        .filter(|it| shown[*it].finding.class == Class::LaterError && rule(&shown[*it].finding).is_some())
        .take(MOST_CAUSES)
        .collect();
    if rules.is_empty() {
        return;
    }
    let mut told: Vec<usize> = Vec::new();
    let mut left: Vec<bool> = vec![true; shown.len()];
    for (at, it) in shown.iter().enumerate().filter(|it| it.1.finding.class == Class::Error) {
        let Some(around) = field(&it.finding).and_then(|it| it.strip_suffix(".default")) else {
            continue;
        };
        let is_rule = |rule_at: &usize| {
            let of = &shown[*rule_at];
            let inside = || rule(&of.finding)?.strip_prefix(around);
            of.versions == it.versions
                && of.finding.code == it.finding.code
                && inside().is_some_and(|it| it.starts_with('.'))
        };
        let inside: Vec<usize> = rules.iter().copied().filter(is_rule).collect();
        left[at] = inside.is_empty();
        told.extend(inside);
    }
    for at in told {
        let finding = shown[at].finding.clone();
        shown[at].finding = finding.in_class(Class::Error);
    }
    keep(shown, left);
}

/// The field of a rule's expression.
fn rule(finding: &Finding) -> Option<&str> {
    let is_expression = |it: &&str| matches!(it.rsplit('.').next(), Some("rule" | "messageExpression"));
    field(finding).filter(is_expression)
}

/// Keeps the findings for which `left` has true.
fn keep(shown: &mut Vec<MergedFinding>, left: Vec<bool>) {
    let mut left = left.into_iter();
    shown.retain(|_| left.next().unwrap_or(true));
}

/// The maximum number of causes to look at in an object.
const MOST_CAUSES: usize = 100;

/// Whether a finding follows from another one.
fn follows(finding: &Finding, cause: &Finding) -> bool {
    match (finding.code, cause.code) {
        // The required field is beside the object that it belongs to.
        (MISSING_PROPERTY, UNKNOWN_FIELD) if is_beside(finding, cause) => true,
        // No field of a value of another type is known.
        (UNKNOWN_FIELD, WRONG_TYPE) => {
            let inside = || unknown(finding)?.strip_prefix(field(cause)?);
            inside().is_some_and(|it| it.starts_with(['.', '[']))
        }
        (UNKNOWN_FIELD, _) => false,
        // The API server names one value twice.
        (INVALID_SCALE, WRONG_TYPE) | (METADATA_TYPE, UNKNOWN_TYPE) | (STORED_VERSIONS, STORAGE_VERSION_COUNT) => {
            finding.span == cause.span
        }
        // For example, the key of a required field is misspelt, or a rule reads it: both findings say to change it.
        (_, UNKNOWN_FIELD | INVALID_GROUP | UNKNOWN_CONVERSION_STRATEGY) => {
            !cause.help.is_empty() && cause.help == finding.help
        }
        _ => false,
    }
}

/// Whether a required field is missing in an object beside which it is written.
fn is_beside(missing: &Finding, cause: &Finding) -> bool {
    let inside = || {
        let written = unknown(cause)?;
        let (object, name) = field(missing)?.rsplit_once('.')?;
        Some(parent(object)? == parent(written)? && written.ends_with(&format!(".{name}")))
    };
    inside() == Some(true)
}

/// The path of the object that has a field.
fn parent(path: &str) -> Option<&str> {
    Some(path.rsplit_once('.')?.0)
}

/// The unknown field that the API server names.
fn unknown(finding: &Finding) -> Option<&str> {
    match finding.server.as_ref()? {
        ServerSays::Strict(text) => text.strip_prefix("unknown field \"")?.strip_suffix('"'),
        _ => None,
    }
}
