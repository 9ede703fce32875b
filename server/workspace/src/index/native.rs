//! The API groups of Kubernetes itself and of its clients. crd-analyzer does not check objects of these groups.

/// Groups of the API server's own kinds, in which CRDs cannot define kinds, and groups of kinds that only clients read. The core group has an empty
/// name.
const GROUPS: &[&str] = &[
    "",
    "admission.k8s.io",
    "admissionregistration.k8s.io",
    "apidiscovery.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "client.authentication.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "imagepolicy.k8s.io",
    "internal.apiserver.k8s.io",
    "kustomize.config.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// The kinds of the core group, sorted. Lists have the suffix `List`, and `List` itself has an empty name.
const CORE: [&str; 18] = [
    "",
    "Binding",
    "ComponentStatus",
    "ConfigMap",
    "Endpoints",
    "Event",
    "LimitRange",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ReplicationController",
    "ResourceQuota",
    "Secret",
    "Service",
    "ServiceAccount",
];

/// Whether the API server has its own kinds in this group. CRDs may not use most of these groups, so even an unknown kind in such a group belongs to
/// the API server.
pub fn is_native(group: &str) -> bool {
    GROUPS.binary_search(&group).is_ok()
}

/// Whether the core group, which has no name, has a kind.
pub(crate) fn is_core(kind: &str) -> bool {
    CORE.binary_search(&kind.strip_suffix("List").unwrap_or(kind)).is_ok()
}

/// Whether only clients read the kinds of a group, from files that are never sent to an API server.
pub(crate) fn is_of_clients(group: &str) -> bool {
    matches!(group, "client.authentication.k8s.io" | "kustomize.config.k8s.io")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_sorted() {
        assert!(GROUPS.is_sorted());
        assert!(CORE.is_sorted());
    }

    #[test]
    fn knows_own_groups_from_those_of_definitions() {
        assert!(is_native("") && is_native("apps") && is_native("networking.k8s.io"));
        assert!(!is_native("gateway.networking.k8s.io") && !is_native("example.com"));
    }
}
