//! Groups the errors about one value of a resource. The most informative error is shown, and the others become its notes.

use std::collections::HashMap;

use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_schema::codes::{
    ALL_OF_MISMATCH, ANY_OF_MISMATCH, MISSING_PROPERTY, NOT_IN_ENUM, NOT_MISMATCH, ONE_OF_MISMATCH, RULE_FAILED,
    WRONG_TYPE,
};
use crd_analyzer_syntax::tree::Span;

use crate::{
    findings::finding::{Class, Finding, ServerSays},
    findings::report::{DocumentReport, MergedFinding, Subject},
};

/// The field that the API server reports for errors from a part of a schema, such as `anyOf`.
const NO_FIELD: &str = "<nil>";

/// Codes for values that match too few or too many of several schemas.
pub(crate) const OF_SEVERAL: [&str; 4] = [ALL_OF_MISMATCH, ANY_OF_MISMATCH, NOT_MISMATCH, ONE_OF_MISMATCH];

/// A group of errors about one value: the span of the value, and whether the API server reports the errors only after others are fixed.
type Value = (Span, bool);

/// The field of an invalid value, as the API server names it.
fn field(finding: &Finding) -> Option<&str> {
    match &finding.server {
        Some(ServerSays::Cause { field, .. }) => Some(field),
        _ => None,
    }
}

/// The rank of an error. Of the errors about a value, the one with the lowest rank says most and is shown first.
fn rank(code: &str) -> u8 {
    match code {
        // The other errors are a consequence of this one.
        WRONG_TYPE => 0,
        // This error says what to write.
        NOT_IN_ENUM => 1,
        MISSING_PROPERTY => 4,
        _ if OF_SEVERAL.contains(&code) => 3,
        _ => 2,
    }
}

/// Whether an error about a wrong type, or about several schemas, explains another error at the same place.
fn covers(head: &Finding, other: &Finding) -> bool {
    let (Some(of_head), Some(of_other)) = (field(head), field(other)) else {
        return false;
    };
    // A failed rule has its own cause.
    let is_rule = |it: &Finding| [RULE_FAILED, resource_codes::UNCHECKED_RULES].contains(&it.code);
    if is_rule(head) || is_rule(other) && head.code != WRONG_TYPE {
        return false;
    }
    // The schemas in `anyOf` and similar keywords may require fields of the value.
    of_head == of_other
        || [of_head, of_other].contains(&NO_FIELD) && OF_SEVERAL.contains(&head.code)
        || of_other == NO_FIELD
}

/// The index of the first diagnostic that says the same at the same place. The API server reports a missing `kind` three times, because it fills in
/// other names from it.
fn same(shown: &[MergedFinding]) -> Vec<usize> {
    let mut first: HashMap<(Span, &str, &str), usize> = HashMap::new();
    let each = shown.iter().enumerate().map(|(n, it)| {
        let key = (it.finding.span, it.finding.code, it.finding.headline.as_str());
        *first.entry(key).or_insert(n)
    });
    each.collect()
}

/// For each displayed diagnostic of a document, the index of the diagnostic that contains it as a note. A diagnostic that is shown by itself has its
/// own index.
pub fn heads(document: &DocumentReport, shown: &[MergedFinding]) -> Vec<usize> {
    // Rules of a resource may fail with the same message.
    if document.subject != Subject::Resource {
        return same(shown);
    }
    let mut heads: Vec<usize> = (0..shown.len()).collect();
    let mut values: HashMap<Value, Vec<usize>> = HashMap::new();
    for (n, it) in shown.iter().enumerate() {
        if field(&it.finding).is_some() {
            let is_later = it.finding.class == Class::LaterError;
            values.entry((it.finding.span, is_later)).or_default().push(n);
        }
    }
    for mut of_value in values.into_values().filter(|it| it.len() > 1) {
        of_value.sort_by_key(|it| rank(shown[*it].finding.code));
        for (at, &other) in of_value.iter().enumerate() {
            let mut before = of_value[..at].iter().filter(|it| heads[**it] == **it);
            if let Some(&head) = before.find(|it| covers(&shown[**it].finding, &shown[other].finding)) {
                heads[other] = head;
            }
        }
    }
    heads
}

/// The text of an error when it becomes a note of another error. `None` if both have the same code.
pub fn note(head: &Finding, other: &Finding) -> Option<String> {
    (head.code != other.code).then(|| format!("also {}: {}", other.code, other.headline))
}

#[cfg(test)]
mod tests {
    use crd_analyzer_schema::codes::{FORMAT_MISMATCH, NUMBER_OUT_OF_FORMAT};

    use super::*;
    use crate::config::versions::VersionSet;

    #[test]
    fn what_is_the_same_is_told_once() {
        let errors = [
            (FORMAT_MISMATCH, "a"),
            (NUMBER_OUT_OF_FORMAT, "b"),
            (FORMAT_MISMATCH, "c"),
        ];
        assert_eq!(same(&shown(&errors)), [0, 1, 0]);
    }

    fn shown(errors: &[(&'static str, &str)]) -> Vec<MergedFinding> {
        let one = |(code, field): &(&'static str, &str)| {
            let mut finding = Finding::new(Class::Error, code, Span::new(3, 6), *code);
            finding.server = Some(ServerSays::Cause {
                reason: "",
                words: "",
                field: (*field).to_owned(),
                detail: String::new(),
                bad_value: String::new(),
            });
            MergedFinding {
                finding,
                versions: VersionSet::default(),
            }
        };
        errors.iter().map(one).collect()
    }

    #[track_caller]
    fn check(errors: &[(&'static str, &str)], expected: &[usize]) {
        let mut document = DocumentReport::empty(Subject::Resource);
        let shown = shown(errors);
        assert_eq!(heads(&document, &shown), expected);
        document.subject = Subject::Definition;
        assert_eq!(
            heads(&document, &shown),
            same(&shown),
            "in a CRD, each counts that says something else"
        );
    }

    #[test]
    fn one_value_has_one_error() {
        check(
            &[
                (WRONG_TYPE, "a"),
                (WRONG_TYPE, "a"),
                (ANY_OF_MISMATCH, NO_FIELD),
                (NUMBER_OUT_OF_FORMAT, "a"),
            ],
            &[0, 0, 0, 0],
        );
        check(&[(FORMAT_MISMATCH, "a"), (NOT_IN_ENUM, "a")], &[1, 1]);
        check(&[(NOT_IN_ENUM, "a"), (WRONG_TYPE, "a")], &[1, 1]);
        check(&[(ANY_OF_MISMATCH, NO_FIELD), (NOT_IN_ENUM, "a")], &[1, 1]);
    }

    #[test]
    fn what_is_missing_in_several_schemas_is_told_with_them() {
        check(
            &[
                (MISSING_PROPERTY, "a.b"),
                (ONE_OF_MISMATCH, NO_FIELD),
                (MISSING_PROPERTY, "a.c"),
            ],
            &[1, 1, 1],
        );
        check(&[(MISSING_PROPERTY, "a.b"), (MISSING_PROPERTY, "a.c")], &[0, 1]);
    }

    #[test]
    fn a_rule_is_a_cause_of_its_own() {
        check(
            &[(RULE_FAILED, "a"), (RULE_FAILED, "a"), (NOT_IN_ENUM, "a")],
            &[0, 1, 2],
        );
        check(&[(RULE_FAILED, "a"), (WRONG_TYPE, "a")], &[1, 1]);
    }
}
