//! The complete CRD, and its status.

use super::{Names, ObjectMeta, Spec, Time};

/// A CRD in the internal form (`CustomResourceDefinition`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CustomResourceDefinition {
    /// `metadata`
    pub metadata: ObjectMeta,
    /// `spec`
    pub spec: Spec,
    /// `status`
    pub status: Status,
}

/// `status` (`CustomResourceDefinitionStatus`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Status {
    /// `conditions`
    pub conditions: Vec<Condition>,
    /// `acceptedNames`
    pub accepted_names: Names,
    /// `storedVersions`
    pub stored_versions: Vec<String>,
    /// `observedGeneration` (known since 1.35)
    pub observed_generation: i64,
}

/// One condition of the status (`CustomResourceDefinitionCondition`).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Condition {
    /// `type`
    pub r#type: String,
    /// `status`
    pub status: ConditionStatus,
    /// `lastTransitionTime`
    pub last_transition_time: Option<Time>,
    /// `reason`
    pub reason: String,
    /// `message`
    pub message: String,
    /// `observedGeneration` (known since 1.35)
    pub observed_generation: i64,
}

/// The status of a condition: `True`, `False`, `Unknown`, or any other string that the author wrote.
pub type ConditionStatus = String;

impl CustomResourceDefinition {
    /// Whether the condition `name` has the status `True` (`IsCRDConditionTrue`).
    pub fn is_condition_true(&self, name: &str) -> bool {
        // If several conditions have the same name, the first applies.
        let mut conditions = self.status.conditions.iter();
        conditions
            .find(|it| it.r#type == name)
            .is_some_and(|it| it.status == "True")
    }

    /// Whether resources may be stored in the version `name` (`IsStoredVersion`).
    pub fn is_stored_version(&self, name: &str) -> bool {
        self.status.stored_versions.iter().any(|it| it == name)
    }
}
