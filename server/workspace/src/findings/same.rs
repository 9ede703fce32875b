//! The identity of findings in one file: their code, place and cause. Two findings can be the same although their texts contain different values and
//! names.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_syntax::tree::Span;

use crate::{
    findings::finding::{Finding, ServerSays},
    findings::report::FileReport,
};

/// The identity of a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Same {
    code: &'static str,
    span: Span,
    cause: Cause,
}

/// The cause of a finding, without values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Cause {
    /// The field that the API server names, without list indices, and the first related place, which is the part of the CRD that causes the error.
    Field(String, Option<(Option<Arc<Path>>, Span)>),
    /// The headline, if the field is unknown.
    Words(String),
}

/// The identity of a finding in its file.
pub(crate) fn same(finding: &Finding) -> Same {
    let cause = match &finding.server {
        Some(ServerSays::Cause { field, .. }) => {
            let decider = finding.related.first();
            let decider = decider.map(|it| (it.file.as_ref().map(|it| it.path.clone()), it.span));
            Cause::Field(without_positions(field), decider)
        }
        _ => Cause::Words(finding.headline.clone()),
    };
    Same {
        code: finding.code,
        span: finding.span,
        cause,
    }
}

/// The name of a field without list indices, because builds may insert items before it.
fn without_positions(field: &str) -> String {
    let mut parts = field.split('[');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((index, rest)) if index.bytes().all(|it| it.is_ascii_digit()) => {
                name.push_str("[]");
                name.push_str(rest);
            }
            _ => {
                name.push('[');
                name.push_str(part);
            }
        }
    }
    name
}

/// Marks the findings of a built object that the object also has as written, so that each is shown only once.
pub(crate) fn mark_repeats(report: &mut FileReport) {
    let mut written = 0;
    for n in 1..report.documents.len() {
        let (before, rest) = report.documents.split_at_mut(n);
        let (first, document) = (&before[written], &mut rest[0]);
        if (first.index, first.item) != (document.index, document.item) {
            written = n;
            continue;
        }
        for ((_, told), (_, verdict)) in first.verdicts.iter().zip(&mut document.verdicts) {
            let told: HashSet<Same> = told.findings().map(same).collect();
            for finding in verdict.findings_mut() {
                finding.repeats = told.contains(&same(finding));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_do_not_count() {
        for (field, expected) in [
            ("spec.a[0].b[12]", "spec.a[].b[]"),
            ("spec.a[key].b", "spec.a[key].b"),
            ("spec", "spec"),
            ("a[", "a["),
        ] {
            assert_eq!(without_positions(field), expected);
        }
    }
}
