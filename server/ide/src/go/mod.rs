//! Markers of kubebuilder in Go files: completion, hover, quick fixes.

mod completion;
pub mod fixes;
mod hover;
#[cfg(test)]
mod tests;
mod words;

pub use completion::complete;
pub use crd_analyzer_gosource::check::place::may_be_at as may_be_marker;
pub use hover::hover;
