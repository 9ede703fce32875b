//! What a diagnostic says, and the changes that it proposes.
//!
//! A check that knows neither the file nor its format says with this crate what is wrong, in the words of its author, and which fields of
//! the object a fix would change. Whoever knows the file turns changes into edits.

mod change;
pub mod meant;
pub mod name;
pub mod text;
mod words;

pub use change::{Change, Proposal, Proposed, Value};
pub use words::{MAX_HEADLINE, Words};
