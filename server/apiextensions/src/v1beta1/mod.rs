//! CRDs of `apiextensions.k8s.io/v1beta1`, which no supported Kubernetes version serves.
//!
//! The only answer for such a manifest is that the version does not exist. [`rewrite_to_v1`] converts it.

mod block;
mod moved;
mod rewrite;

#[cfg(test)]
mod tests;

pub use rewrite::{Obstacle, TextEdit, rewrite_to_v1};
