//! CRDs in the form of `apiextensions.k8s.io/v1beta1`, which no server of a Kubernetes version that we answer for serves.
//!
//! Such a manifest gets one answer, that the version does not exist. What can be done is to rewrite it: [`rewrite_to_v1`].

mod block;
mod moved;
mod rewrite;

#[cfg(test)]
mod tests;

pub use rewrite::{Obstacle, TextEdit, rewrite_to_v1};
