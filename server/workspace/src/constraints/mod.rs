//! The constraints of a CRD (rules, bounds, enums, required fields), and the objects of a repository that fail them.

mod failed;
mod written;

pub use failed::{Failure, ObjectVerdict, verdicts};
pub use written::{Constraint, Written};
