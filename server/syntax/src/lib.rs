//! YAML and JSON text as a tree with byte positions, and as the values that Kubernetes reads from it.
//!
//! This crate knows no Kubernetes: no kinds, no schemas, no versions.

pub mod edit;
pub mod json;
pub mod lines;
pub mod paths;
pub mod reader;
mod scalar;
pub mod source_map;
pub mod template;
pub mod tree;

pub use reader::{ReadError, read};
