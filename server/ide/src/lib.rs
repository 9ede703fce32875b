//! Editor features in plain types.

pub mod cel;
pub mod completion;
pub mod file;
pub mod fixes;
pub mod folding;
pub mod highlight;
mod manifest;
pub mod place;
pub mod property;
pub mod schema;
pub mod selection;
