//! Hostile repositories. Commands must not run foreign programs or wait for devices, and must report problems.
//!
//! These tests create repositories with git, and some trace system calls with strace. Without these programs, the tests are reported as
//! ignored. In CI, they fail instead.
#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::expect_used, reason = "a test says what it expected")]

mod attacks;
mod devices;
mod files;
mod go;
mod owners;
mod programs;
mod repository;
mod revisions;
mod session;
mod strace;
mod trace;

use libtest_mimic::{Arguments, Trial};

/// A test: its name and function.
type Test = (&'static str, fn());

fn main() {
    let arguments = Arguments::from_args();
    let tests = [
        attacks::TESTS,
        devices::TESTS,
        files::TESTS,
        owners::TESTS,
        programs::TESTS,
        revisions::TESTS,
    ]
    .concat();
    let needs_git = repository::missing(&["git", "--version"]);
    let needs_strace = needs_git
        .clone()
        .or_else(|| repository::missing(&["strace", "-o", "/dev/null", "true"]));
    let traced = [go::TESTS, trace::TESTS].concat();
    let trials = [(tests, needs_git), (traced, needs_strace)];
    let trials = trials.into_iter().flat_map(|(tests, missing)| {
        tests
            .into_iter()
            .map(move |(name, run)| trial(name, run, missing.as_deref()))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn trial(name: &'static str, run: fn(), missing: Option<&str>) -> Trial {
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    match missing {
        // Shows the reason in the list of tests.
        Some(why) => trial.with_kind(why).with_ignored_flag(true),
        None => trial,
    }
}
