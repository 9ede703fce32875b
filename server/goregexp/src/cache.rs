//! A cache of the most recently used programs, shared by all threads. Each pattern is compiled once, and the total size of the programs is limited.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crd_analyzer_budget::Unfinished;

use crate::machine::Machine;
use crate::parser;

/// The maximum size of one generation of programs, in bytes. The cache has two generations.
const GENERATION: usize = 8 << 20;
/// The size of a program apart from its instructions, in bytes.
const OVERHEAD: usize = 200;

type Compiled = Result<Arc<Machine>, Unfinished>;

/// Programs by their patterns, in two generations. A program moves to the young generation when it is used. When the young generation is full, it
/// replaces the old one.
#[derive(Default)]
struct Programs {
    young: HashMap<Arc<str>, Compiled>,
    old: HashMap<Arc<str>, Compiled>,
    /// The size of the young generation, in bytes.
    bytes: usize,
}

static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

/// The program of a pattern that is valid in Go.
pub(crate) fn machine(pattern: &Arc<str>) -> Compiled {
    let programs = || PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = programs().find(pattern) {
        return known;
    }
    // The pattern is compiled without holding the lock. Two threads may compile the same pattern, but this is rare and does no harm.
    let made = match parser::parse(pattern) {
        Ok(tree) => Machine::new(&tree).map(Arc::new),
        Err(_) => Err(Unfinished::Work),
    };
    programs().keep(pattern.clone(), made.clone());
    made
}

impl Programs {
    fn find(&mut self, pattern: &Arc<str>) -> Option<Compiled> {
        if let Some(known) = self.young.get(pattern) {
            return Some(known.clone());
        }
        let known = self.old.remove(pattern)?;
        self.keep(pattern.clone(), known.clone());
        Some(known)
    }

    fn keep(&mut self, pattern: Arc<str>, known: Compiled) {
        let bytes = OVERHEAD + pattern.len() + known.as_ref().map_or(0, |it| it.bytes());
        if self.bytes + bytes > GENERATION {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.young.insert(pattern, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_dropped_when_there_are_too_many() {
        let mut programs = Programs::default();
        let tree = parser::parse("a{1000}").expect("Go accepts this");
        let machine: Compiled = Machine::new(&tree).map(Arc::new);
        let patterns: Vec<Arc<str>> = (0..2_000).map(|n| n.to_string().into()).collect();
        for pattern in &patterns {
            programs.keep(pattern.clone(), machine.clone());
            assert!(programs.find(&patterns[0]).is_some(), "one that is used stays");
        }
        let kept = programs.young.len() + programs.old.len();
        assert!(kept > 500 && kept < 1_500, "{kept}");
        assert!(programs.find(&patterns[1]).is_none());
    }
}
