//! All input and output of the command line and the language server: reading and writing files, walking folders,
//! git, and the text that reaches a terminal or a log.
//!
//! The content of a repository is not trusted. Reading it never runs a program or opens a connection, and ends within limits.

#![allow(
    clippy::disallowed_methods,
    reason = "this crate does the input and output of all others"
)]

mod above;
pub mod absolute;
pub mod api_types;
pub mod archive;
pub mod cache;
pub mod charts;
pub mod collected;
pub mod config;
mod dotgit;
pub mod elsewhere;
pub mod escape;
pub mod git;
mod gitlink;
pub mod go;
pub mod go_tests;
mod ignore_rules;
pub mod kustomize;
pub mod loopback;
mod made;
pub mod memory;
pub mod nearby_tests;
pub mod print;
pub mod program;
pub mod read;
mod regular;
pub mod repository;
pub mod roots;
pub mod scripts;
pub mod source_ignore;
pub mod stdin;
pub mod test_crds;
mod test_steps;
mod unread;
pub mod walk;
pub mod write;
