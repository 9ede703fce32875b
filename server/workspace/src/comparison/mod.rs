//! Finds the effects of changes to a manifest.

pub mod breaking;
pub mod compared;
pub(crate) mod previous;
pub mod revision;
pub mod since_revision;
pub mod stored_versions;
