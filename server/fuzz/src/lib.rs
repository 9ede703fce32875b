//! Fuzz targets: one for each kind of external input. `cargo xtask fuzz` builds and runs them.
//!
//! A target accepts any bytes and panics if it finds a contradiction: two parsers with different results, a span outside the text, or a quick fix
//! after which the text no longer parses. The driver (`main.rs`) limits time and memory.

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

/// A fuzz target for one kind of input.
pub struct Target {
    /// The name on the command line and in the names of reproducers.
    pub name: &'static str,
    /// Runs the target on one input.
    pub run: fn(&[u8]),
    /// The initial inputs, built from the repository's own cases.
    pub seeds: fn(&Cases) -> Vec<Vec<u8>>,
    /// The words of the dictionary.
    pub words: fn() -> Vec<String>,
}

/// All targets.
pub use targets::TARGETS;

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|it| it.name == name)
}

/// The dictionary in libFuzzer's format: one quoted word per line.
pub fn dictionary(target: &Target) -> String {
    dictionary::written((target.words)())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The targets whose seeds run quickly, with their minimum numbers of seeds. `cargo xtask fuzz` runs the seeds of the other targets.
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
