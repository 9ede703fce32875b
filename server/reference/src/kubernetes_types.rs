//! Types of Kubernetes that CRDs embed. They are recognized by the names of their fields.

/// A type: its name, the page and anchor of its documentation, the fields by which it is recognized, and the other fields that it may have.
type Row = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

macro_rules! address {
    ($page:literal) => {
        concat!("https://kubernetes.io/docs/reference/kubernetes-api/", $page)
    };
}

/// The table only contains types with a combination of names that is unlikely in other types.
const TYPES: &[Row] = &[
    (
        "PodSpec",
        address!("workload-resources/pod-v1/#PodSpec"),
        &["containers", "nodeSelector", "restartPolicy", "volumes"],
        &[
            "activeDeadlineSeconds",
            "affinity",
            "automountServiceAccountToken",
            "dnsConfig",
            "dnsPolicy",
            "enableServiceLinks",
            "ephemeralContainers",
            "hostAliases",
            "hostIPC",
            "hostNetwork",
            "hostPID",
            "hostUsers",
            "hostname",
            "hostnameOverride",
            "imagePullSecrets",
            "initContainers",
            "nodeName",
            "os",
            "overhead",
            "preemptionPolicy",
            "priority",
            "priorityClassName",
            "readinessGates",
            "resourceClaims",
            "resources",
            "runtimeClassName",
            "schedulerName",
            "schedulingGates",
            "securityContext",
            "serviceAccount",
            "serviceAccountName",
            "setHostnameAsFQDN",
            "shareProcessNamespace",
            "subdomain",
            "terminationGracePeriodSeconds",
            "tolerations",
            "topologySpreadConstraints",
            "workloadRef",
        ],
    ),
    (
        "Container",
        address!("workload-resources/pod-v1/#Container"),
        &["image", "imagePullPolicy", "livenessProbe", "volumeMounts"],
        &[
            "args",
            "command",
            "env",
            "envFrom",
            "lifecycle",
            "name",
            "ports",
            "readinessProbe",
            "resizePolicy",
            "resources",
            "restartPolicy",
            "restartPolicyRules",
            "securityContext",
            "startupProbe",
            "stdin",
            "stdinOnce",
            "targetContainerName",
            "terminationMessagePath",
            "terminationMessagePolicy",
            "tty",
            "volumeDevices",
            "workingDir",
        ],
    ),
    (
        "Volume",
        address!("config-and-storage-resources/volume/#Volume"),
        &["configMap", "emptyDir", "hostPath", "persistentVolumeClaim", "secret"],
        &[
            "awsElasticBlockStore",
            "azureDisk",
            "azureFile",
            "cephfs",
            "cinder",
            "csi",
            "downwardAPI",
            "ephemeral",
            "fc",
            "flexVolume",
            "flocker",
            "gcePersistentDisk",
            "gitRepo",
            "glusterfs",
            "image",
            "iscsi",
            "name",
            "nfs",
            "photonPersistentDisk",
            "portworxVolume",
            "projected",
            "quobyte",
            "rbd",
            "scaleIO",
            "storageos",
            "vsphereVolume",
        ],
    ),
    (
        "Affinity",
        address!("workload-resources/pod-v1/#scheduling"),
        &["nodeAffinity", "podAffinity", "podAntiAffinity"],
        &[],
    ),
    (
        "Probe",
        address!("workload-resources/pod-v1/#Probe"),
        &["failureThreshold", "httpGet", "periodSeconds", "tcpSocket"],
        &[
            "exec",
            "grpc",
            "initialDelaySeconds",
            "successThreshold",
            "terminationGracePeriodSeconds",
            "timeoutSeconds",
        ],
    ),
    (
        "PodSecurityContext",
        address!("workload-resources/pod-v1/#security-context"),
        &["fsGroup", "runAsUser", "supplementalGroups", "sysctls"],
        &[
            "appArmorProfile",
            "fsGroupChangePolicy",
            "runAsGroup",
            "runAsNonRoot",
            "seLinuxChangePolicy",
            "seLinuxOptions",
            "seccompProfile",
            "supplementalGroupsPolicy",
            "windowsOptions",
        ],
    ),
    (
        "SecurityContext",
        address!("workload-resources/pod-v1/#security-context-1"),
        &["allowPrivilegeEscalation", "capabilities", "privileged", "runAsUser"],
        &[
            "appArmorProfile",
            "procMount",
            "readOnlyRootFilesystem",
            "runAsGroup",
            "runAsNonRoot",
            "seLinuxOptions",
            "seccompProfile",
            "windowsOptions",
        ],
    ),
    (
        "PersistentVolumeClaimSpec",
        address!("config-and-storage-resources/persistent-volume-claim-v1/#PersistentVolumeClaimSpec"),
        &["accessModes", "resources", "storageClassName", "volumeName"],
        &[
            "dataSource",
            "dataSourceRef",
            "selector",
            "volumeAttributesClassName",
            "volumeMode",
        ],
    ),
    (
        "TopologySpreadConstraint",
        address!("workload-resources/pod-v1/#scheduling"),
        &["maxSkew", "topologyKey", "whenUnsatisfiable"],
        &[
            "labelSelector",
            "matchLabelKeys",
            "minDomains",
            "nodeAffinityPolicy",
            "nodeTaintsPolicy",
        ],
    ),
    (
        "LabelSelector",
        address!("common-definitions/label-selector/"),
        &["matchExpressions", "matchLabels"],
        &[],
    ),
];

/// The Kubernetes type with these fields, and the address of its documentation.
pub fn kubernetes_type(fields: &[&str]) -> Option<(&'static str, &'static str)> {
    let is_of = |(_, _, signature, others): &&Row| {
        signature.iter().all(|it| fields.contains(it))
            && fields.iter().all(|it| signature.contains(it) || others.contains(it))
    };
    TYPES.iter().find(is_of).map(|it| (it.0, it.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_known_by_their_fields() {
        let name = |fields: &[&str]| kubernetes_type(fields).map(|it| it.0);
        assert_eq!(name(&["matchLabels", "matchExpressions"]), Some("LabelSelector"));
        assert_eq!(
            name(&["maxSkew", "topologyKey", "whenUnsatisfiable", "minDomains"]),
            Some("TopologySpreadConstraint")
        );
        // In these cases, a field is missing, or a field does not belong to the type.
        assert_eq!(name(&["matchLabels"]), None);
        assert_eq!(name(&["matchLabels", "matchExpressions", "namespaces"]), None);
        assert_eq!(name(&[]), None);
    }
}
