//! The Common Expression Language (CEL): compiles expressions, estimates their cost and evaluates them as Kubernetes does.
//!
//! This crate does not know YAML or Kubernetes objects, only declarations and types.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests read tables and a corpus"))]

pub mod ast;
pub mod checker;
mod compile;
mod context;
pub mod cost;
pub mod decls;
pub mod eval;
pub mod go;
pub mod library;
mod literals;
pub mod parser;
mod partial_check;
mod stack;
#[cfg(test)]
mod testing;
pub mod types;
pub mod validators;
pub mod value;
mod version;

pub use compile::{Expression, Failure, Problem, Stage, compile};
pub use context::{Context, CostLimits};
pub use partial_check::{PartialCheck, partial_check, type_of};
pub use version::KubernetesVersion;
