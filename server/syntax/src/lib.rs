//! YAML and JSON text as a tree with byte positions, and as the values that Kubernetes reads from it.
//!
//! This crate knows no Kubernetes: no kinds, no schemas, no versions.

pub mod json;
mod scalar;
pub mod source_map;
pub mod tree;
