//! Fuzz targets: one for each kind of input from outside. `cargo xtask fuzz` builds and runs them.
//!
//! A target takes any bytes and panics if it finds a contradiction: two parsers that differ, a span outside the text, a
//! quick fix that leaves a text that cannot be parsed. The driver (`main.rs`) limits time and memory.

#![allow(
    clippy::disallowed_methods,
    reason = "seeds are read from the repository, and a session needs a runtime"
)]

pub mod cases;
mod dictionary;
mod in_memory;
pub mod input;
pub mod measure;
mod spans;
mod targets;

use cases::Cases;

/// One kind of input.
pub struct Target {
    /// Its name on the command line and in the names of reproducers.
    pub name: &'static str,
    /// Takes one input.
    pub run: fn(&[u8]),
    /// Inputs to begin with, made of the repository's own cases.
    pub seeds: fn(&Cases) -> Vec<Vec<u8>>,
    /// Words that inputs are made of.
    pub words: fn() -> Vec<String>,
}

/// All targets.
pub use targets::TARGETS;

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|it| it.name == name)
}

/// A dictionary as libFuzzer reads it: a quoted word a line.
pub fn dictionary(target: &Target) -> String {
    dictionary::written((target.words)())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Targets whose cases take a moment, and how many they have at least: those of the others are run with `cargo xtask fuzz`.
    const QUICK: [(&str, usize); 5] = [
        ("changes", 50),
        ("fate", 50),
        ("reference", 50),
        ("published", 50),
        ("built", 7),
    ];

    #[test]
    fn the_repository_cases_contradict_nothing() {
        let cases = Cases::of_repository();
        for (name, least) in QUICK {
            let target = find(name).expect("a target");
            let seeds = (target.seeds)(&cases);
            assert!(seeds.len() >= least, "{name} has {} cases", seeds.len());
            for seed in seeds {
                (target.run)(&seed);
            }
        }
    }
}
