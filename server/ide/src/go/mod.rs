//! Markers of kubebuilder in Go files: completion, hover, quick fixes.

mod completion;
pub mod fixes;
mod hover;
#[cfg(test)]
mod tests;
mod words;

pub use completion::complete;
pub use hover::hover;
