//! Documents and what they are, the index of definitions, configuration, and findings with places.
//!
//! This crate knows no protocol and no terminal, and does no I/O: text in, findings out.

mod advice;
pub mod analysis;
pub mod cluster;
pub mod codes;
pub mod config;
pub mod costs;
mod decode_words;
pub mod definition_paths;
pub mod eval;
pub mod finding;
pub mod generated;
pub mod hazards;
mod head;
mod hints;
pub mod index;
pub mod report;
pub mod resource;
pub mod revision;
pub mod source;
pub mod suppress;
mod text;
mod verdict;
pub mod versions;
mod why;
