//! Editor features in plain types.

pub mod fixes;
