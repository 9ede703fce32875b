//! The targets, a file for each kind of input.

mod cel;
mod compat;
mod config;
mod crd;
mod edits;
mod go;
mod ide;
mod kustomize;
mod lsp;
mod pattern;
mod printed;
mod resource;
mod suite;
mod words;
mod yaml;

use crate::Target;

/// All targets.
pub const TARGETS: &[Target] = &[
    yaml::TARGET,
    edits::TARGET,
    pattern::TARGET,
    words::TARGET,
    printed::TARGET,
    cel::TARGET,
    crd::TARGET,
    resource::TARGET,
    suite::TARGET,
    suite::PATCH,
    compat::TARGET,
    kustomize::TARGET,
    config::TARGET,
    go::TARGET,
    ide::TARGET,
    lsp::TARGET,
];
