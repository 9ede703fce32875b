//! Objects from which other tools generate CRDs, or which other tools read. Their contents are not checked.

use crate::{
    codes,
    findings::finding::{Class, Finding, Severity},
    index::GroupKind,
};
use crd_analyzer_syntax::tree::Span;

/// Kinds whose objects contain CRDs, schemas or resources in a format of their own: the group, the kind, and what is not checked.
const DEFINITIONS: [(&str, &str, &str); 2] = [
    (
        "apiextensions.crossplane.io",
        "CompositeResourceDefinition",
        "Crossplane makes CRDs from this object: crd-analyzer does not check its schemas",
    ),
    (
        "kro.run",
        "ResourceGraphDefinition",
        "kro makes a CRD from this object: crd-analyzer does not check its schema and resources",
    ),
];

/// Kinds of files that only a command line tool reads. An empty kind means every kind of the group.
const FILES: [(&str, &str); 2] = [("clusterctl.cluster.x-k8s.io", "Metadata"), ("cli.kyverno.io", "")];

/// Whether objects of a kind are files of a command line tool that only look like Kubernetes objects.
pub(crate) fn is_file(kind: &GroupKind) -> bool {
    FILES
        .iter()
        .any(|it| it.0 == kind.group && (it.1.is_empty() || it.1 == kind.kind))
}

/// The finding that says that the contents of objects of a kind are not checked. `place` returns the place of the kind.
pub(crate) fn note(kind: &GroupKind, place: impl FnOnce() -> Span) -> Option<Finding> {
    let known = DEFINITIONS
        .iter()
        .find(|it| (it.0, it.1) == (&*kind.group, &*kind.kind))?;
    let mut finding = Finding::new(Class::Hint, codes::KIND_OF_OTHER_TOOL, place(), known.2);
    finding.severity = Severity::Hint;
    Some(finding)
}
