//! Diagnostics: their text and place, which of them are duplicates, and which are suppressed.

pub(crate) mod advice;
mod consequences;
pub(crate) mod display;
pub mod finding;
pub mod one_value;
pub(crate) mod other_problems;
pub mod report;
pub mod report_roles;
pub(crate) mod same;
pub mod server_words;
pub mod suppress;
