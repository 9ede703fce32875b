//! The constraints of a CRD, and which objects of a repository fail them: rules, bounds, enums, required fields.

mod failed;
mod written;

pub use failed::{Failure, ObjectVerdict, verdicts};
pub use written::{Constraint, Written};
