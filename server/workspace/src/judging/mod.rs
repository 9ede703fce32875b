//! Checks the objects of a text.

pub mod analysis;
pub(crate) mod broken_template;
pub mod deferred_search;
pub mod hazards;
pub(crate) mod hints;
pub mod lints;
pub(crate) mod local;
mod merge_conflict;
pub(crate) mod merged;
mod misnamed;
pub mod misplaced;
pub mod mixed_objects;
pub(crate) mod other_tools;
pub(crate) mod passed_over;
pub mod plural;
pub(crate) mod question;
pub(crate) mod room;
pub(crate) mod substitution;
pub mod typing;
pub(crate) mod undefined;
pub(crate) mod unfinished;
pub(crate) mod verdict;
