//! The fuzz targets, with one file for each kind of input.

mod built;
mod cel;
mod changes;
mod compat;
mod config;
mod crd;
mod edits;
mod fate;
mod go;
mod gotemplate;
mod ide;
mod kustomize;
mod lsp;
mod pattern;
mod printed;
mod published;
mod reference;
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
    gotemplate::TARGET,
    printed::TARGET,
    cel::TARGET,
    crd::TARGET,
    resource::TARGET,
    suite::TARGET,
    suite::PATCH,
    compat::TARGET,
    changes::TARGET,
    fate::TARGET,
    reference::TARGET,
    published::TARGET,
    kustomize::TARGET,
    built::TARGET,
    config::TARGET,
    go::TARGET,
    ide::TARGET,
    lsp::TARGET,
];
