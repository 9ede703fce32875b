//! The message of a diagnostic, and the changes that it proposes.
//!
//! Checks that know neither the file nor its format use this crate to describe a problem in the author's terms and the fields that
//! a fix would change. Code that knows the file converts changes to edits.

mod change;
pub mod meant;
pub mod name;
pub mod text;
mod words;

pub use change::{Change, Proposal, Proposed, Value};
pub use words::{MAX_HEADLINE, Words};
