//! Regular expressions as Go has them: which patterns its `regexp` package compiles, what it says about the others, and
//! matching that agrees with it.
//!
//! [`check`] judges a pattern without compiling it. [`GoRegex`] matches.

mod class;
mod error;
mod machine;
mod parser;
#[allow(clippy::unreadable_literal, reason = "a generated table")]
mod tables;
mod translate;
mod tree;
mod unicode;

use std::ops::Range;
use std::sync::Arc;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;

pub use error::{ErrorCode, GoRegexError};
use machine::Machine;
use tree::Tree;

/// Says whether Go compiles `pattern` (`regexp.Compile`), and if not, why and which part is to blame.
pub fn check(pattern: &str) -> Result<(), GoRegexError> {
    parser::parse(pattern).map(|_| ())
}

/// How deep a tree the fast engine is given; its compiler recurses. Patterns of people have a dozen levels.
const MAX_DEPTH: usize = 200;
/// How much memory the fast engine's program may take, in bytes.
const MAX_PROGRAM: usize = 32 << 20;

/// A compiled pattern. Clones share it, and may be used in several threads at a time.
///
/// Matching agrees with Go's on every text, with one known exception: where a pattern demands a surrogate (`\x{D800}`),
/// Go may find U+FFFD instead; here nothing matches.
#[derive(Clone, Debug)]
pub struct GoRegex {
    engine: Arc<Engine>,
}

#[derive(Debug)]
enum Engine {
    Fast(meta::Regex),
    Plain(Machine),
}

impl GoRegex {
    /// Compiles `pattern`, or says why Go does not.
    pub fn new(pattern: &str) -> Result<Self, GoRegexError> {
        let tree = parser::parse(pattern)?;
        let fast = if tree.is_deeper_than(MAX_DEPTH) {
            None
        } else {
            fast_engine(&tree)
        };
        let engine = fast.map_or_else(|| Engine::Plain(Machine::new(&tree)), Engine::Fast);
        Ok(Self {
            engine: Arc::new(engine),
        })
    }

    /// Whether the pattern matches somewhere in `text` (`Regexp.MatchString`).
    pub fn is_match(&self, text: &str) -> bool {
        match &*self.engine {
            Engine::Fast(regex) => regex.is_match(text),
            Engine::Plain(machine) => machine.find_at(text, 0, true).is_some(),
        }
    }

    /// The leftmost match, in bytes of `text` (`Regexp.FindStringIndex`).
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        match &*self.engine {
            Engine::Fast(regex) => regex.find(text).map(|found| found.range()),
            Engine::Plain(machine) => machine.find_at(text, 0, false).map(|(start, end)| start..end),
        }
    }

    /// All matches that do not overlap, in bytes of `text` (`Regexp.FindAllStringIndex`). An empty one right after another
    /// is not reported.
    pub fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let (fast, plain) = match &*self.engine {
            Engine::Fast(regex) => (Some(regex.find_iter(text).map(|found| found.range())), None),
            Engine::Plain(machine) => (None, Some(all_of(machine, text))),
        };
        fast.into_iter().flatten().chain(plain.into_iter().flatten())
    }
}

fn fast_engine(tree: &Tree) -> Option<meta::Regex> {
    // A machine of all states at once takes longer to make than most patterns ever run.
    let config = meta::Config::new()
        .dfa(false)
        .nfa_size_limit(Some(MAX_PROGRAM))
        .which_captures(WhichCaptures::Implicit);
    meta::Builder::new()
        .configure(config)
        .build_from_hir(&translate::hir(tree, tree.root))
        .ok()
}

fn all_of<'a>(machine: &'a Machine, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = Some(0);
    let mut last_end = None;
    std::iter::from_fn(move || {
        loop {
            let (start, end) = machine.find_at(text, from?, false)?;
            from = if start == end {
                text[end..].chars().next().map(|c| end + c.len_utf8())
            } else {
                Some(end)
            };
            if start < end || last_end != Some(end) {
                last_end = Some(end);
                return Some(start..end);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both engines find the same in texts of all sorts.
    #[track_caller]
    fn agree(pattern: &str) {
        let tree = parser::parse(pattern).expect("Go accepts this");
        let fast = GoRegex {
            engine: Arc::new(Engine::Fast(fast_engine(&tree).expect("small"))),
        };
        let plain = GoRegex {
            engine: Arc::new(Engine::Plain(Machine::new(&tree))),
        };
        for text in [
            "",
            "a",
            "ab",
            "aab\nb",
            "bcaé日aaab",
            "abcabc",
            "-a_1 \n",
            "K\u{212a}kſs",
            "aaaaaaaaaa",
        ] {
            let found: Vec<_> = plain.find_all(text).collect();
            assert_eq!(found, fast.find_all(text).collect::<Vec<_>>(), "{pattern} in {text:?}");
            assert_eq!(
                (plain.find(text), plain.is_match(text)),
                (found.first().cloned(), !found.is_empty())
            );
        }
    }

    #[test]
    fn the_plain_engine_agrees_with_the_fast_one() {
        for pattern in [
            "",
            "a",
            "(?i)ks",
            "a*",
            "a*?",
            "a+b",
            "(a|ab)(c|bcd)*",
            "(|a)*",
            "(|a)+",
            "(a*)*",
            "(a*?)+b",
            "a{2}",
            "a{2,}",
            "a{2,4}?",
            "a{0,3}",
            "(?:ab?){2,3}",
            "a{0}b",
            "^b$",
            "(?m)^b$",
            r"\b",
            r"\B",
            r"\Aab\z",
            ".",
            "(?s).+",
            "[^a]",
            "[^a-z]+",
            "a|b|",
            "(?:){5}",
            "(a|b|cd|)*c",
            r"\pL+\d?",
            "(?U)a+",
            "(a{0,2}){0,2}b",
            "(?:a?){3}a{3}",
            "x*",
        ] {
            agree(pattern);
        }
    }
}
