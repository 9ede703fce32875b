//! Editor features in plain types.

pub mod fixes;
pub mod place;
