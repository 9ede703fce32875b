//! Texts for people about the fields of custom resources: the output of `kubectl explain`, and reference documentation.
//!
//! Both use the schema that the API server publishes for a CRD (crate `publish`). This crate does not escape anything: the output contains strings
//! from the CRD as their authors wrote them, and callers must escape the output for their medium.

mod beyond;
mod constraints;
mod explain;
mod kind;
mod kubernetes_types;
mod names;
mod schema;
mod value;
mod wrap;

pub use beyond::beyond;
pub use constraints::{Constraint, Message, Rule, Scope, constraints, rules_about, rules_of};
pub use explain::{Depth, Subject, Unexplained, explain};
pub use kind::{FieldReference, KindReference, VersionReference, reference_of};
pub use kubernetes_types::kubernetes_type;
pub use names::{FieldPath, newest_version};
pub use schema::{Below, Field, all_fields, fields_of, find};
