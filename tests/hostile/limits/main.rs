//! Inputs that need much work or memory: each command and each request ends within the limits, with an answer or with "not finished".
//!
//! `cargo test --profile fast --test hostile-limits` runs them. Without optimizations, they take ten times as long.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod built;
#[path = "../../cli/sandbox.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod command;
mod command_line;
mod go;
mod growth;
mod idle;
mod language_server;
mod rules;
#[path = "../doors/sandbox.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod sandbox;
#[path = "../../lsp/server.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod server;
mod system;
mod wide;
