//! Errors of the API server that follow from another error of the same object: whoever corrects that one has corrected them.

use crd_analyzer_resource::codes::{INVALID_SCALE, UNKNOWN_FIELD};
use crd_analyzer_schema::codes::{MISSING_PROPERTY, WRONG_TYPE};

use crate::findings::{
    advice::field,
    finding::{Class, Finding, ServerSays},
    report::MergedFinding,
};

/// The codes of errors that may follow from others.
const FOLLOWING: [&str; 3] = [INVALID_SCALE, MISSING_PROPERTY, UNKNOWN_FIELD];

/// Removes the findings that follow from others, and names the missing ones in a note.
pub(super) fn tell_once(shown: &mut Vec<MergedFinding>) {
    let may_follow = |it: &MergedFinding| FOLLOWING.contains(&it.finding.code);
    let may_cause = |it: &MergedFinding| [UNKNOWN_FIELD, WRONG_TYPE].contains(&it.finding.code);
    if shown.len() < 2 || !shown.iter().any(may_follow) {
        return;
    }
    let causes: Vec<usize> = (0..shown.len())
        .filter(|it| may_cause(&shown[*it]))
        .take(MOST_CAUSES)
        .collect();
    let mut left: Vec<bool> = vec![true; shown.len()];
    let mut notes: Vec<(usize, String)> = Vec::new();
    for (at, it) in shown.iter().enumerate().filter(|it| may_follow(it.1)) {
        let is_cause = |cause: &usize| {
            let of = &shown[*cause];
            *cause != at && of.versions == it.versions && follows(&it.finding, &of.finding)
        };
        if let Some(cause) = causes.iter().copied().find(is_cause) {
            left[at] = false;
            if it.finding.code == MISSING_PROPERTY {
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
        // The key of a required field is misspelled: both findings say to change it.
        (MISSING_PROPERTY, UNKNOWN_FIELD) => {
            cause.meant.is_some() && !cause.help.is_empty() && cause.help == finding.help
        }
        // No field of a value of another type is known.
        (UNKNOWN_FIELD, WRONG_TYPE) => {
            let inside = || unknown(finding)?.strip_prefix(field(cause)?);
            inside().is_some_and(|it| it.starts_with(['.', '[']))
        }
        // The scale subresource needs an integer, as the schema does.
        (INVALID_SCALE, WRONG_TYPE) => finding.span == cause.span,
        _ => false,
    }
}

/// The unknown field that the API server names.
fn unknown(finding: &Finding) -> Option<&str> {
    match finding.server.as_ref()? {
        ServerSays::Strict(text) => text.strip_prefix("unknown field \"")?.strip_suffix('"'),
        _ => None,
    }
}
