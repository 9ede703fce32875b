//! Documents and what they are, the index of CRDs, configuration, and findings with places.
//!
//! This crate knows no protocol and no terminal, and does no I/O: text in, findings out.

pub mod accepted;
mod advice;
pub mod analysis;
pub mod cluster;
pub mod codes;
pub mod config;
pub mod config_check;
pub mod costs;
mod crd_documents;
pub mod definition_paths;
mod display;
mod effective;
pub mod eval;
mod fill;
pub mod finding;
pub mod generated;
pub mod hazards;
mod head;
mod hints;
pub mod index;
pub mod kept;
pub mod kustomize;
pub mod last_trees;
pub mod lints;
mod patch;
mod previous;
mod question;
pub mod report;
pub mod resource;
pub mod revision;
mod room;
pub mod settings;
pub mod source;
mod spans;
pub mod suppress;
mod text;
pub mod typing;
mod undefined;
mod unfinished;
mod unknown;
mod verdict;
pub mod versions;
mod why;
pub mod words;
