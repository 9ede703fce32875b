//! Files and folders that somebody else wrote, and disks that are full: no command waits, leaves the repository, or loses a byte.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod arguments;
mod git;
mod go;
mod growth;
mod output;
mod paths;
mod power;
mod reading;
mod sandbox;
mod secrets;
mod writing;
