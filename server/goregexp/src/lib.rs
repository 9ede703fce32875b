//! Go's regular expressions: the patterns that Go's `regexp` package compiles, its errors for other patterns, and equivalent matching.
//!
//! [`check`] validates a pattern without compiling it. [`GoRegex`] matches within the limits of the thread ([`crd_analyzer_budget`]). [`missed`]
//! compares patterns.

mod cache;
mod class;
mod ecma;
mod error;
mod extent;
mod inclusion;
mod machine;
mod parser;
#[allow(clippy::unreadable_literal, reason = "a generated table")]
mod tables;
mod translate;
mod tree;
mod unicode;

use std::ops::Range;
use std::sync::Arc;

use crd_analyzer_budget::{self as budget, Unfinished};

pub use ecma::ecma;
pub use error::{ErrorCode, GoRegexError};
pub use extent::{Extent, extent};
pub use inclusion::{NotDecided, Texts, missed};
use machine::{Machine, Threads};
pub use unicode::{is_digit, is_letter};

/// Checks whether Go compiles `pattern` (`regexp.Compile`). The error is the same as in Go, and contains the invalid part of the pattern.
pub fn check(pattern: &str) -> Result<(), GoRegexError> {
    parser::parse(pattern).map(|_| ())
}

/// A pattern that is valid in Go. The pattern is compiled for its first match, and the program is cached as long as the cache has space (`cache`).
/// Several threads may use a pattern at the same time.
///
/// Matching agrees with Go for every string, with one known exception: if a pattern requires a surrogate (`\x{D800}`),
/// Go may match U+FFFD instead; here nothing matches.
///
/// ```
/// use crd_analyzer_budget::{Limits, Unfinished, within};
/// use crd_analyzer_goregexp::GoRegex;
///
/// let regex = GoRegex::new("^[a-z]+$").unwrap();
/// assert_eq!(regex.is_match("abc"), Ok(true));
/// let few = Limits { work: 2, ..Limits::NONE };
/// assert_eq!(within(few, || regex.is_match("abc")).0, Err(Unfinished::Work));
/// ```
#[derive(Clone, Debug)]
pub struct GoRegex {
    pattern: Arc<str>,
}

impl GoRegex {
    /// Compiles a pattern. If the pattern is invalid, returns the error that Go reports.
    pub fn new(pattern: &str) -> Result<Self, GoRegexError> {
        check(pattern)?;
        Ok(Self {
            pattern: pattern.into(),
        })
    }

    /// The program and the memory for a run.
    fn ready(&self) -> Result<(Arc<Machine>, Threads), Unfinished> {
        let machine = cache::machine(&self.pattern).map_err(budget::give_up)?;
        let threads = machine.threads()?;
        Ok((machine, threads))
    }

    /// Whether the pattern matches anywhere in `text` (`Regexp.MatchString`).
    pub fn is_match(&self, text: &str) -> Result<bool, Unfinished> {
        let (machine, mut threads) = self.ready()?;
        Ok(machine.find_at(&mut threads, text, 0, true)?.is_some())
    }

    /// The leftmost match, as a byte range of `text` (`Regexp.FindStringIndex`).
    pub fn find(&self, text: &str) -> Result<Option<Range<usize>>, Unfinished> {
        let (machine, mut threads) = self.ready()?;
        let found = machine.find_at(&mut threads, text, 0, false)?;
        Ok(found.map(|(start, end)| start..end))
    }

    /// At most `limit` non-overlapping matches, as byte ranges of `text` (`Regexp.FindAllStringIndex`). An empty match right after
    /// another match is not included.
    pub fn find_all(&self, text: &str, limit: usize) -> Result<Vec<Range<usize>>, Unfinished> {
        let (machine, mut threads) = self.ready()?;
        let mut all: Vec<Range<usize>> = Vec::new();
        let mut from = Some(0);
        while let Some(at) = from
            && all.len() < limit
        {
            let Some((start, end)) = machine.find_at(&mut threads, text, at, false)? else {
                break;
            };
            from = if start == end {
                text[end..].chars().next().map(|c| end + c.len_utf8())
            } else {
                Some(end)
            };
            if start < end || all.last().is_none_or(|last| last.end != end) {
                budget::bytes(size_of::<Range<usize>>() as u64)?;
                all.push(start..end);
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use regex_automata::meta;

    /// Checks that our matches agree with those of the Rust library's automata for various strings.
    #[track_caller]
    fn agree(pattern: &str) {
        let tree = parser::parse(pattern).expect("Go accepts this");
        let other = meta::Builder::new().build_from_hir(&translate::hir(&tree, tree.root));
        let other = other.expect("small");
        let ours = GoRegex::new(pattern).expect("Go accepts this");
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
            let found = ours.find_all(text, usize::MAX).expect("small");
            let others: Vec<_> = other.find_iter(text).map(|it| it.range()).collect();
            assert_eq!(found, others, "{pattern} in {text:?}");
            assert_eq!(
                (ours.find(text), ours.is_match(text)),
                (Ok(found.first().cloned()), Ok(!found.is_empty()))
            );
        }
    }

    #[test]
    fn matching_agrees_with_automata() {
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
