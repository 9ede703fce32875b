//! Character classes: lists of pairs of inclusive bounds (`regexp/syntax`, the functions on `[]rune`).

use crate::tables::Ranges;
use crate::tree::{MAX_RUNE, Rune, flags};
use crate::unicode::{FOLDING, folds_within, simple_fold};

/// The number of bounds above which a class under construction is cleaned, so that overlapping ranges of a malicious pattern do not use much memory.
/// Cleaning does not change the result, which is cleaned at the end anyway.
const TIDY_AT: usize = 1 << 16;

/// Sorts the ranges and merges those that overlap or are adjacent (`cleanClass`).
pub(crate) fn clean(class: &mut Vec<Rune>) {
    if class.len() < 2 {
        return;
    }
    let mut pairs: Vec<(Rune, Rune)> = class.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    class.clear();
    for (lo, hi) in pairs {
        match class.last_mut() {
            Some(last) if lo <= *last + 1 => *last = hi.max(*last),
            _ => class.extend([lo, hi]),
        }
    }
}

/// Adds a range, or extends one of the last two ranges that it touches (`appendRange`).
pub(crate) fn append_range(class: &mut Vec<Rune>, lo: Rune, hi: Rune) {
    let n = class.len();
    for i in [2, 4] {
        if n >= i {
            let (rlo, rhi) = (class[n - i], class[n - i + 1]);
            if lo <= rhi + 1 && rlo <= hi + 1 {
                class[n - i] = lo.min(rlo);
                class[n - i + 1] = hi.max(rhi);
                return;
            }
        }
    }
    class.extend([lo, hi]);
}

/// Adds one rune and, under `(?i)`, the same letter in other cases (`appendLiteral`).
pub(crate) fn append_literal(class: &mut Vec<Rune>, rune: Rune, node_flags: u8) {
    append_range(class, rune, rune);
    if node_flags & flags::FOLD_CASE != 0 && FOLDING.contains(&rune) {
        let mut next = simple_fold(rune);
        while next != rune {
            append_range(class, next, next);
            next = simple_fold(next);
        }
    }
}

/// Adds a range and all its letters in other cases (`appendFoldedRange`). The class must be cleaned afterwards.
pub(crate) fn append_folded_range(class: &mut Vec<Rune>, lo: Rune, hi: Rune) {
    append_range(class, lo, hi);
    if lo <= *FOLDING.start() && hi >= *FOLDING.end() {
        return;
    }
    // The cases of a letter form a cycle. Letters inside the range are already added and have their own entries. So this only follows steps that
    // leave the range, until they return to it.
    for &(_, next) in folds_within(lo, hi) {
        let mut next = next as Rune;
        while next < lo || next > hi {
            append_range(class, next, next);
            next = simple_fold(next);
        }
    }
    if class.len() > TIDY_AT {
        clean(class);
    }
}

/// Adds a clean class (`appendClass`).
pub(crate) fn append_class(class: &mut Vec<Rune>, other: &[Rune]) {
    for pair in other.chunks_exact(2) {
        append_range(class, pair[0], pair[1]);
    }
    if class.len() > TIDY_AT {
        clean(class);
    }
}

/// Adds the complement of a clean class (`appendNegatedClass`).
pub(crate) fn append_negated(class: &mut Vec<Rune>, other: &[Rune]) {
    let mut next = 0;
    for pair in other.chunks_exact(2) {
        if next < pair[0] {
            append_range(class, next, pair[0] - 1);
        }
        next = pair[1] + 1;
    }
    if next <= MAX_RUNE {
        append_range(class, next, MAX_RUNE);
    }
    if class.len() > TIDY_AT {
        clean(class);
    }
}

/// Turns a clean class into its complement (`negateClass`).
pub(crate) fn negate(class: &mut Vec<Rune>) {
    let clean = std::mem::take(class);
    append_negated(class, &clean);
}

/// The ranges of a table in the form of a class.
pub(crate) fn of_ranges(ranges: Ranges) -> impl Iterator<Item = Rune> {
    ranges.iter().flat_map(|&(lo, hi)| [lo as Rune, hi as Rune])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range and its letters in other cases, computed rune by rune.
    fn folded(lo: Rune, hi: Rune) -> Vec<Rune> {
        let mut class = Vec::new();
        for rune in lo..=hi {
            append_literal(&mut class, rune, flags::FOLD_CASE);
        }
        clean(&mut class);
        class
    }

    #[test]
    fn folding_a_range_adds_every_other_case() {
        let edges = [
            0, 0x40, 0x41, 0x4B, 0x53, 0x5A, 0x6B, 0x73, 0x7A, 0xB5, 0xC5, 0xDF, 0x17F, 0x180, 0x1C4, 0x1C5, 0x345,
        ];
        let later = [
            0x390, 0x3B9, 0x3C2, 0x3C9, 0x450, 0x1C80, 0x1E60, 0x1E9E, 0x1FBE, 0x2126, 0x212A, 0xA64B, 0xAB70, 0xFB06,
        ];
        let all: Vec<Rune> = edges.into_iter().chain(later).collect();
        for (n, &lo) in all.iter().enumerate() {
            for &hi in all[n..].iter().step_by(3).chain([&lo]) {
                let mut class = Vec::new();
                append_folded_range(&mut class, lo, hi);
                clean(&mut class);
                assert_eq!(class, folded(lo, hi), "{lo:x}-{hi:x}");
            }
        }
    }
}
