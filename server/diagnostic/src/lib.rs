//! The message of a diagnostic, and the changes that it proposes.
//!
//! Checks that have no access to the file and its format use this crate: they describe a problem in the author's terms, and the fields that a fix
//! would change. Code with access to the file converts the changes to edits.

mod change;
pub mod meant;
pub mod name;
pub mod other_types;
pub mod text;
mod words;

pub use change::{Change, Proposal, Proposed, Value};
pub use words::{MAX_HEADLINE, Words};
