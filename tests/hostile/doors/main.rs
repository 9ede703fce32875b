//! Hostile files and folders, and full disks: no command hangs, leaves the repository, or loses data.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod arguments;
mod git;
mod output;
mod paths;
mod power;
mod reading;
mod sandbox;
mod secrets;
mod writing;
