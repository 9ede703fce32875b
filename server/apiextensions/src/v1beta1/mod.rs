//! Conversion of CRDs of `apiextensions.k8s.io/v1beta1`. No supported Kubernetes version serves this version.
//!
//! For such a manifest, an API server only answers that the version does not exist. [`rewrite_to_v1`] converts the manifest.

mod block;
mod moved;
mod rewrite;

#[cfg(test)]
mod tests;

pub use rewrite::{Obstacle, TextEdit, rewrite_to_v1};
