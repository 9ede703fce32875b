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
        "kro makes a CRD from this object: crd-analyzer does not check its schema",
    ),
];

/// Kinds of files that programs read and never send to an API server: the group, sorted, and the kind. An empty kind means every kind of the group.
const FILES: [(&str, &str); 23] = [
    ("apiserver.config.k8s.io", ""),
    ("audit.k8s.io", ""),
    ("backstage.io", ""),
    ("cli.kyverno.io", ""),
    ("clusterctl.cluster.x-k8s.io", "Metadata"),
    ("controller-runtime.sigs.k8s.io", "ControllerManagerConfig"),
    ("eksctl.io", "ClusterConfig"),
    ("k3d.io", ""),
    ("kapp.k14s.io", "Config"),
    ("kbld.k14s.io", ""),
    ("kind.x-k8s.io", "Cluster"),
    ("krew.googlecontainertools.github.com", "Plugin"),
    ("kubeadm.k8s.io", ""),
    ("kubectl.config.k8s.io", ""),
    ("kubelet.config.k8s.io", ""),
    ("kubeproxy.config.k8s.io", ""),
    ("kubescheduler.config.k8s.io", ""),
    ("kuttl.dev", ""),
    ("meta.pkg.crossplane.io", ""),
    ("score.dev", ""),
    ("scorecard.operatorframework.io", "Configuration"),
    ("skaffold", "Config"),
    ("vendir.k14s.io", ""),
];

/// Whether objects of a kind are files of a program that only look like Kubernetes objects.
pub(crate) fn is_file(kind: &GroupKind) -> bool {
    let of_group = FILES.iter().find(|it| it.0 == kind.group);
    of_group.is_some_and(|it| it.1.is_empty() || it.1 == kind.kind)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_group_and_kind() {
        assert!(FILES.is_sorted());
        for (group, kind, expected) in [
            ("kuttl.dev", "TestStep", true),
            ("kind.x-k8s.io", "Cluster", true),
            ("kind.x-k8s.io", "Node", false),
            ("cluster.x-k8s.io", "Cluster", false),
            ("skaffold", "Config", true),
            ("", "Config", false),
        ] {
            let of = GroupKind {
                group: group.to_owned(),
                kind: kind.to_owned(),
            };
            assert_eq!(is_file(&of), expected, "{group} {kind}");
        }
    }
}
