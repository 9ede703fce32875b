//! What makes two findings of one file the same: their code, their place and their cause. Values and names in their words may differ.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_syntax::tree::Span;

use crate::{
    findings::finding::{Finding, ServerSays},
    findings::report::FileReport,
};

/// The key of a finding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Same {
    code: &'static str,
    span: Span,
    cause: Cause,
}

/// The cause without values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Cause {
    /// The API server names a field, here without positions in lists; the first other place is the part of the CRD that decides.
    Field(String, Option<(Option<Arc<Path>>, Span)>),
    /// All that is known are the words.
    Words(String),
}

/// The key of a finding in its file.
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

/// The name of a field without positions in lists: builds may have other items before.
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

/// Marks the findings of an object as it is built that the object has as it is written, too: each is shown once.
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
