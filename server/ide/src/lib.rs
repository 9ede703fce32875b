//! Editor features in plain types.

pub mod cel;
pub mod file;
pub mod fixes;
pub mod highlight;
pub mod place;
pub mod schema;
