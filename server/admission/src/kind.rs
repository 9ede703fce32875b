//! Recognizing policies.

use crd_analyzer_apiextensions::kind::{Kind, Version};
use crd_analyzer_schema::KubernetesVersion;

use crate::fields;

/// The first Kubernetes version whose API servers warn about `v1beta1`.
pub(crate) const DEPRECATED_SINCE: KubernetesVersion = KubernetesVersion::minor(31);
/// The first Kubernetes version whose API servers do not serve `v1beta1`.
pub(crate) const REMOVED_SINCE: KubernetesVersion = KubernetesVersion::minor(34);

/// The kind ValidatingAdmissionPolicy.
pub const VALIDATING_ADMISSION_POLICY: Kind = Kind {
    group: "admissionregistration.k8s.io",
    name: "ValidatingAdmissionPolicy",
    list: "ValidatingAdmissionPolicyList",
    versions: &[
        Version {
            api_version: "admissionregistration.k8s.io/v1",
            name: "v1",
            removed: None,
            fields: &fields::POLICY,
        },
        Version {
            api_version: "admissionregistration.k8s.io/v1beta1",
            name: "v1beta1",
            removed: Some(REMOVED_SINCE),
            fields: &fields::POLICY,
        },
    ],
};
