//! Objects as kustomizations and Flux build them from the files.

pub(crate) mod basis;
pub mod flux;
pub mod kustomize;
pub mod overlay;
pub(crate) mod place_reasons;
