//! `metadata` of an object (`k8s.io/apimachinery/pkg/apis/meta/v1`, `ObjectMeta`).

use serde_json::Value;

/// A time in the API's string form, in UTC (`metav1.Time`). Fields store an absent or null time as `None`.
pub type Time = String;

/// `metadata`. Maps are lists sorted by key, without duplicates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ObjectMeta {
    /// `name`
    pub name: String,
    /// `generateName`
    pub generate_name: String,
    /// `namespace`
    pub namespace: String,
    /// `selfLink`
    pub self_link: String,
    /// `uid`
    pub uid: String,
    /// `resourceVersion`
    pub resource_version: String,
    /// `generation`
    pub generation: i64,
    /// `creationTimestamp`
    pub creation_timestamp: Option<Time>,
    /// `deletionTimestamp`
    pub deletion_timestamp: Option<Time>,
    /// `deletionGracePeriodSeconds`
    pub deletion_grace_period_seconds: Option<i64>,
    /// `labels`
    pub labels: Vec<(String, String)>,
    /// `annotations`
    pub annotations: Vec<(String, String)>,
    /// `ownerReferences`
    pub owner_references: Vec<OwnerReference>,
    /// `finalizers`
    pub finalizers: Vec<String>,
    /// `managedFields`
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

/// One entry of `ownerReferences`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OwnerReference {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// `name`
    pub name: String,
    /// `uid`
    pub uid: String,
    /// `controller`
    pub controller: Option<bool>,
    /// `blockOwnerDeletion`
    pub block_owner_deletion: Option<bool>,
}

/// One entry of `managedFields`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ManagedFieldsEntry {
    /// `manager`
    pub manager: String,
    /// `operation`
    pub operation: String,
    /// `apiVersion`
    pub api_version: String,
    /// `time`
    pub time: Option<Time>,
    /// `fieldsType`
    pub fields_type: String,
    /// `fieldsV1`, which may be any value.
    pub fields_v1: Option<Value>,
    /// `subresource`
    pub subresource: String,
}

impl ObjectMeta {
    /// The value of the annotation `name`.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        let found = self
            .annotations
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()?;
        Some(&self.annotations[found].1)
    }
}
