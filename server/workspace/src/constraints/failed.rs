//! Finds the objects of a file that fail constraints of their CRDs.

use std::{path::Path, sync::Arc};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_syntax::tree::Span;

use crate::{
    config::Config,
    findings::finding::{Class, Finding},
    findings::report::{DocumentReport, FileReport, Subject},
    index::{GroupKind, group_kind},
};

/// The result of checking one object of a file against its CRD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectVerdict {
    /// The kind of the object.
    pub kind: GroupKind,
    /// Whether the check of the object was completed.
    pub is_checked: bool,
    /// Whether the object's errors need no fix, because only tests read the object or it is wrong on purpose.
    pub is_aside: bool,
    /// The constraints that the object fails, in the order of the text.
    pub failures: Vec<Failure>,
}

/// An error of an object, and the constraint that causes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The absolute path of the file that contains the constraint.
    pub file: Arc<Path>,
    /// The span of the constraint in that file.
    pub decides: Span,
    /// The span of the error in the object's file.
    pub span: Span,
}

/// The results for the custom resources of a file, one for each object, however many builds contain it. A patch is included only if it causes an
/// error.
///
/// `path` is the absolute path of the file. `is_patch` means that the file patches objects of other files.
pub fn verdicts(report: &FileReport, path: &Arc<Path>, is_patch: bool, config: &Config) -> Vec<ObjectVerdict> {
    let mut found: Vec<ObjectVerdict> = Vec::new();
    let of_one = report
        .documents
        .chunk_by(|one, other| (one.index, one.item) == (other.index, other.item));
    for documents in of_one {
        let resources: Vec<&DocumentReport> = documents.iter().filter(|it| it.subject == Subject::Resource).collect();
        let Some(first) = resources.first() else { continue };
        let written = WrittenType {
            api_version: first.api_version.clone(),
            kind: first.kind.clone(),
            name: String::new(),
        };
        let Some(kind) = group_kind(&written) else { continue };
        let mut failures = Vec::new();
        let verdicts = resources.iter().flat_map(|it| &it.verdicts);
        for finding in verdicts.clone().flat_map(|it| it.1.findings()) {
            let is_shown = !finding.suppressed || finding.follows;
            let is_error = matches!(finding.class, Class::Error | Class::LaterError) && is_shown;
            if is_error && config.apply(finding.clone()).is_some() {
                add(finding, path, &mut failures);
            }
        }
        if is_patch && failures.is_empty() {
            continue;
        }
        failures.sort_by_key(|it| (it.span.start, it.span.end));
        failures.dedup();
        found.push(ObjectVerdict {
            kind,
            is_checked: verdicts.clone().all(|it| it.1.unfinished.is_empty()),
            is_aside: report.aside.as_ref().is_some_and(|it| it.covers(first)),
            failures,
        });
    }
    found
}

fn add(finding: &Finding, path: &Arc<Path>, failures: &mut Vec<Failure>) {
    failures.extend(finding.related.iter().map(|it| Failure {
        file: it.file.as_ref().map_or_else(|| path.clone(), |it| it.path.clone()),
        decides: it.span,
        span: finding.span,
    }));
}
