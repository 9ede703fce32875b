//! Documents and their kinds, the index of CRDs, configuration, and findings with places.
//!
//! This crate does not depend on a protocol or a terminal, and does no I/O. Its input is text, and its output is findings.

pub mod builds;
pub mod charts;
pub mod codes;
pub mod comparison;
pub mod config;
pub mod constraints;
pub mod costs;
pub mod documents;
pub mod eval;
pub mod filled_in;
pub mod findings;
pub mod index;
pub mod judging;
pub mod kinds;
pub mod paths;
pub mod reproduction;
pub mod resource;
pub mod roles;
pub mod sources;
pub mod table;
pub mod words;
pub mod wrappers;
