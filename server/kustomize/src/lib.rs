//! Computes the output of `kustomize build` for a folder, and records the place that set each value.
//!
//! The crate reads texts through [`Files`]. It runs no programs and downloads nothing. It does not check objects. Callers that check the built
//! objects use [`Sources`] to find the places where their values were written. A build uses the budget of the current thread
//! ([`crd_analyzer_budget`]), within [`LIMITS`].

mod absent;
mod bases;
mod build;
mod built;
mod changed;
mod changes;
mod configuration;
mod dates;
mod decode;
mod digest;
mod facts;
mod flux;
mod generate;
mod id;
mod json_patch;
mod kustomization;
mod merge;
mod names;
mod node;
mod openapi;
mod patches;
mod plugins;
mod problem;
mod references;
mod repeated;
mod replace;
mod resource;
mod selector;
mod shapes;
mod sources;
mod spec;
mod spend;
mod targets;
#[cfg(test)]
mod tests;
mod transform;
mod value;
mod vars;

pub use build::{build, build_with};
pub use built::{Build, Built, Unread};
pub use changes::Changes;
pub use digest::sha256;
pub use flux::{BuiltKustomization, FluxKustomization};
pub use json_patch::pointer_key;
pub use kustomization::FILE_NAMES;
pub use node::{Entry, Node, Place, Removal, Value};
pub use problem::{NotYaml, Problem, ProblemKind, Unknown, Unreadable};
pub use references::references;
pub use sources::{Files, Sources, joined};
pub use spend::LIMITS;
pub use targets::{Targeting, Targets, Unmatched};
