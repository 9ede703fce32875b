//! Lookups in Go's Unicode tables.

use crate::tables::{CATEGORIES, CATEGORY_ALIASES, FOLD_CATEGORY, FOLD_SCRIPT, Ranges, SCRIPTS, SIMPLE_FOLD};
use crate::tree::Rune;

/// Whether a character is a letter for Go (`unicode.IsLetter`).
pub fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii() && is_of("L", c)
}

/// Whether a character is a decimal digit for Go (`unicode.IsDigit`).
pub fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || !c.is_ascii() && is_of("Nd", c)
}

/// Whether a character has a category.
fn is_of(category: &str, c: char) -> bool {
    let ranges = find(CATEGORIES, category).unwrap_or_default();
    let after = ranges.partition_point(|it| it.0 <= c as u32);
    after > 0 && c as u32 <= ranges[after - 1].1
}

/// The range that contains all code points with other cases (`minFold`, `maxFold`).
pub(crate) const FOLDING: std::ops::RangeInclusive<Rune> = 0x0041..=0x1_E943;

/// The next code point in the cycle of cases of the same letter (`unicode.SimpleFold`).
pub(crate) fn simple_fold(rune: Rune) -> Rune {
    match SIMPLE_FOLD.binary_search_by_key(&(rune as u32), |entry| entry.0) {
        Ok(n) => SIMPLE_FOLD[n].1 as Rune,
        Err(_) => rune,
    }
}

/// The smallest code point of the same letter in any case (`minFoldRune`).
pub(crate) fn min_fold(rune: Rune) -> Rune {
    if !FOLDING.contains(&rune) {
        return rune;
    }
    let mut min = rune;
    let mut next = simple_fold(rune);
    while next != rune {
        min = min.min(next);
        next = simple_fold(next);
    }
    min
}

/// The entries of the case folding table from `lo` to `hi`.
pub(crate) fn folds_within(lo: Rune, hi: Rune) -> &'static [(u32, u32)] {
    let start = SIMPLE_FOLD.partition_point(|entry| (entry.0 as Rune) < lo);
    let end = SIMPLE_FOLD.partition_point(|entry| (entry.0 as Rune) <= hi);
    &SIMPLE_FOLD[start..end.max(start)]
}

const ANY: Ranges = &[(0, 0x0010_FFFF)];
const ASCII: Ranges = &[(0, 0x7F)];
/// ASCII, and the two code points outside of ASCII that are other cases of ASCII letters: the long s and the Kelvin sign.
const ASCII_FOLD: Ranges = &[(0, 0x7F), (0x017F, 0x017F), (0x212A, 0x212A)];

/// The table that `\p{name}` refers to.
pub(crate) struct Table {
    pub(crate) ranges: Ranges,
    /// The code points that case folding adds.
    pub(crate) fold: Option<Ranges>,
    /// Whether the name means the complement of `ranges`.
    pub(crate) inverted: bool,
}

/// The table with this name in any spelling (`regexp/syntax.unicodeTable`).
pub(crate) fn table(name: &str) -> Option<Table> {
    let name = canonical_name(name);
    let category = |name: &str| {
        find(CATEGORIES, name).map(|ranges| Table {
            ranges,
            fold: find(FOLD_CATEGORY, name),
            inverted: false,
        })
    };
    match name.as_str() {
        "Any" => {
            return Some(Table {
                ranges: ANY,
                fold: Some(ANY),
                inverted: false,
            });
        }
        "Assigned" => {
            return find(CATEGORIES, "Cn").map(|ranges| Table {
                ranges,
                fold: Some(ranges),
                inverted: true,
            });
        }
        "Ascii" => {
            return Some(Table {
                ranges: ASCII,
                fold: Some(ASCII_FOLD),
                inverted: false,
            });
        }
        "Lc" => return category("LC"),
        _ => {}
    }
    category(&name)
        .or_else(|| {
            find(SCRIPTS, &name).map(|ranges| Table {
                ranges,
                fold: find(FOLD_SCRIPT, &name),
                inverted: false,
            })
        })
        .or_else(|| find(CATEGORY_ALIASES, &name).and_then(category))
}

fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table
        .binary_search_by_key(&name, |entry| entry.0)
        .ok()
        .map(|n| table[n].1)
}

/// The name with its first letter in upper case and the rest in lower case, without blanks, hyphens and underscores (`canonicalName`).
fn canonical_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')) {
        out.push(if out.is_empty() {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        });
    }
    out
}
