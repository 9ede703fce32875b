//! The API groups of Kubernetes itself and of its clients. crd-analyzer does not check objects of these groups.

use crate::words::meant::is_slip;

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

/// The kinds of groups of the API server, by group, both sorted: those of Kubernetes 1.30 to 1.37 in all API versions, and older ones. Lists have the
/// suffix `List`.
const KINDS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "Binding",
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "List",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplate",
            "RangeAllocation",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiregistration.k8s.io", &["APIService"]),
    (
        "apps",
        &[
            "ControllerRevision",
            "DaemonSet",
            "Deployment",
            "DeploymentRollback",
            "ReplicaSet",
            "Scale",
            "StatefulSet",
        ],
    ),
    (
        "authentication.k8s.io",
        &["SelfSubjectReview", "TokenRequest", "TokenReview"],
    ),
    (
        "authorization.k8s.io",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    ("autoscaling", &["HorizontalPodAutoscaler", "Scale"]),
    ("batch", &["CronJob", "Job", "JobTemplate", "ScheduledJob"]),
    (
        "certificates.k8s.io",
        &[
            "CertificateSigningRequest",
            "ClusterTrustBundle",
            "PodCertificateRequest",
        ],
    ),
    ("coordination.k8s.io", &["Lease", "LeaseCandidate"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("events.k8s.io", &["Event"]),
    (
        "flowcontrol.apiserver.k8s.io",
        &["FlowSchema", "PriorityLevelConfiguration"],
    ),
    (
        "networking.k8s.io",
        &[
            "ClusterCIDR",
            "IPAddress",
            "Ingress",
            "IngressClass",
            "NetworkPolicy",
            "ServiceCIDR",
        ],
    ),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["Eviction", "PodDisruptionBudget", "PodSecurityPolicy"]),
    (
        "rbac.authorization.k8s.io",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ),
    (
        "resource.k8s.io",
        &[
            "DeviceClass",
            "DeviceTaintRule",
            "PodScheduling",
            "PodSchedulingContext",
            "ResourceClaim",
            "ResourceClaimParameters",
            "ResourceClaimTemplate",
            "ResourceClass",
            "ResourceClassParameters",
            "ResourcePoolStatusRequest",
            "ResourceSlice",
        ],
    ),
    ("scheduling.k8s.io", &["PodGroup", "PriorityClass", "Workload"]),
    (
        "storage.k8s.io",
        &[
            "CSIDriver",
            "CSINode",
            "CSIStorageCapacity",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
    ),
    ("storagemigration.k8s.io", &["StorageVersionMigration"]),
];

/// Whether the API server has its own kinds in this group. CRDs may not use most of these groups, so even an unknown kind in such a group belongs to
/// the API server.
pub fn is_native(group: &str) -> bool {
    GROUPS.binary_search(&group).is_ok()
}

/// The kinds of a group of the API server. `None` if they are not known.
fn kinds(group: &str) -> Option<&'static [&'static str]> {
    let found = KINDS.binary_search_by_key(&group, |it| it.0).ok()?;
    Some(KINDS[found].1)
}

/// Whether a group of the API server has a kind. `None` if its kinds are not known.
pub(crate) fn has(group: &str, kind: &str) -> Option<bool> {
    let kinds = kinds(group)?;
    let is_of = |kind: &str| kinds.binary_search(&kind).is_ok();
    Some(is_of(kind) || kind.strip_suffix("List").is_some_and(is_of))
}

/// The only kind of a group of the API server that differs from an unknown kind by a typo.
pub(crate) fn meant(group: &str, kind: &str) -> Option<&'static str> {
    let mut near = kinds(group)?.iter().filter(|it| is_slip(it, kind));
    let only = near.next()?;
    near.next().is_none().then_some(*only)
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
        assert!(KINDS.is_sorted_by_key(|it| it.0) && KINDS.iter().all(|it| it.1.is_sorted() && is_native(it.0)));
    }

    #[test]
    fn knows_own_kinds() {
        assert_eq!(has("", "ConfigMapList"), Some(true));
        assert_eq!(has("apps", "Deploymnet"), Some(false));
        assert_eq!(has("imagepolicy.k8s.io", "ImageReviw"), None);
        assert_eq!(meant("apps", "Deploymnet"), Some("Deployment"));
        assert_eq!(
            meant("admissionregistration.k8s.io", "ValidatingAdmisionPolicy"),
            Some("ValidatingAdmissionPolicy")
        );
        assert_eq!(meant("", "Config"), None);
    }

    #[test]
    fn knows_own_groups_from_those_of_definitions() {
        assert!(is_native("") && is_native("apps") && is_native("networking.k8s.io"));
        assert!(!is_native("gateway.networking.k8s.io") && !is_native("example.com"));
    }
}
