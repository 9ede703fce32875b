//! The internal form of a CustomResourceDefinition, which the API server validates
//! (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions`, `types.go`).
//!
//! Absent strings are empty. A list is an `Option` if the API server distinguishes nil from empty, otherwise a plain `Vec`.
//! Schemas are [`crd_analyzer_schema::JsonSchemaProps`].

mod crd;
mod spec;
pub mod v1;
mod version_names;

pub use crd::{Condition, ConditionStatus, CustomResourceDefinition, Status};
pub use crd_analyzer_schema::metadata::{ManagedFieldsEntry, ObjectMeta, OwnerReference, Time};
pub use spec::{
    ColumnDefinition, Conversion, Names, SelectableField, ServiceReference, Spec, SubresourceScale, Subresources,
    Validation, Version, WebhookClientConfig,
};
pub use version_names::{compare_version_names, next_version_name};
