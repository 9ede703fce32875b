//! The Common Expression Language as Kubernetes compiles, prices and runs it.
//!
//! This crate knows no YAML and no Kubernetes object: it sees declarations and types.

pub mod ast;
mod version;

pub use version::KubernetesVersion;
