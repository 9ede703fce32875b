//! `metadata` of an object: its type, and the validation that applies to every object.
//!
//! The sources are `k8s.io/apimachinery/pkg/apis/meta/v1`, `…/pkg/api/validation`, `…/pkg/util/validation` (since 1.35
//! also `…/pkg/api/validate/content`) and `…/pkg/apis/meta/v1/validation`.

mod decode;
mod encode;
mod managed_fields;
pub mod names;
mod owner_references;
mod types;
mod validation;

pub use decode::{Decoded, MetadataError};
pub use managed_fields::validate_managed_fields;
pub(crate) use owner_references::parse_group_version;
pub use owner_references::validate_owner_references;
pub use types::{ManagedFieldsEntry, ObjectMeta, OwnerReference, Time};
pub use validation::{
    TOTAL_ANNOTATION_SIZE_LIMIT, drop_repeated, validate_annotations, validate_finalizers, validate_labels,
    validate_object_meta, validate_object_meta_update,
};
