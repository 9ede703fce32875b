//! Go files with API types: what is wrong with the markers of kubebuilder in them.

use std::path::Path;

use crd_analyzer_gosource::check::{self, Finding as Marker, Problem, catalog::Release};
use crd_analyzer_syntax::tree::Span;

use crate::{
    codes,
    finding::{Class, Finding, Related, Severity},
    generated::GoSources,
    report::FileReport,
    text::Text,
    words::{self, meant::meant},
};

pub use crd_analyzer_gosource::is_source;

/// Whether a file is one of Go.
pub fn is_go(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "go")
}

/// What begins the names of markers that OpenShift's own controller-gen reads.
const OF_OPENSHIFT: &str = "openshift:";

/// What is wrong with the markers of a Go file.
pub(crate) fn report(source: &Text, path: &Path, go: Option<&dyn GoSources>) -> FileReport {
    let mut report = FileReport::empty(source.content.clone());
    let module = go.and_then(|it| it.around(path));
    let release = module.and_then(|it| it.controller_gen()).unwrap_or(Release::NEWEST);
    let is_known = |name: &str| name.starts_with(OF_OPENSHIFT);
    let near = |name: &str, known: &mut dyn Iterator<Item = &'static str>| meant(name, known);
    let found = check::find(&source.content, release, &is_known, &near);
    report.findings = found.iter().map(finding).collect();
    report
}

fn finding(marker: &Marker) -> Finding {
    let (code, severity) = match &marker.problem {
        Problem::Unknown { .. } | Problem::Newer { .. } => (codes::UNKNOWN_MARKER, Severity::Warning),
        Problem::Misplaced { .. } => (codes::MISPLACED_MARKER, Severity::Warning),
        Problem::Refused { .. } => (codes::INVALID_MARKER, Severity::Error),
        Problem::Repeated { is_same: true, .. } => (codes::REPEATED_MARKER, Severity::Information),
        Problem::Repeated { .. } | Problem::Contradicts { .. } => (codes::REPEATED_MARKER, Severity::Warning),
        Problem::Quotes { .. } => (codes::MARKER_QUOTES, Severity::Warning),
    };
    let span = |it: &std::ops::Range<usize>| Span::new(it.start as u32, it.end as u32);
    let mut finding = Finding::new(Class::Hint, code, span(&marker.span), "");
    finding.severity = severity;
    if let Problem::Repeated { first, .. } | Problem::Contradicts { first, .. } = &marker.problem {
        finding.related.push(Related {
            span: span(first),
            message: "the first one is here".to_owned(),
            file: None,
        });
    }
    words::put(&mut finding, words::markers::words(&marker.problem));
    finding
}
