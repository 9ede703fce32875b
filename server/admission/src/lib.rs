//! Kinds of `admissionregistration.k8s.io`: the API server's answers to requests that create them, without files or editors.
//!
//! ValidatingAdmissionPolicy is the only one so far. The sources are `k8s.io/kubernetes/pkg/apis/admissionregistration` (defaults,
//! validation), `pkg/registry/admissionregistration/validatingadmissionpolicy` (strategy) and `k8s.io/apiserver/pkg/admission/plugin/cel`
//! (the environment of expressions).

pub mod codes;
mod expressions;
mod fields;
mod judge;
mod kind;
mod match_resources;
mod param_kind;
mod strings;
#[cfg(test)]
mod tests;
mod validation;
mod view;

pub use expressions::{Expressions, Site};
pub use judge::{Unjudged, Verdict, judge_create};
pub use kind::VALIDATING_ADMISSION_POLICY;
