//! Regular expressions: checks the verdict, and that all matching functions agree.

use crd_analyzer_budget::{Limits, within};
use crd_analyzer_goregexp::{GoRegex, check};

use crate::{
    Target,
    dictionary::{PATTERNS, owned},
    input::{Input, input},
    spans::assert_range_in,
};

pub(super) const TARGET: Target = Target {
    name: "pattern",
    run,
    seeds: |cases| {
        let patterns = cases.patterns.iter();
        patterns.map(|it| input(&[], &[it, "aab-1.example\nKſé日"])).collect()
    },
    words: || owned(PATTERNS),
};

/// The number of groups to put around a pattern, within Go's nesting limit.
const DEPTH: usize = 250;

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (pattern, text) = (input.text(), input.text());
    let compiled = GoRegex::new(&pattern);
    assert_eq!(check(&pattern).err(), compiled.as_ref().err().cloned(), "{pattern:?}");
    let Ok(regex) = compiled else { return };
    let (found, ended) = within(Limits::DOCUMENT, || regex.find_all(&text, usize::MAX));
    assert_eq!(found.is_err(), ended.unfinished.is_some());
    let Ok(found) = found else { return };
    for range in &found {
        assert_range_in(&text, range.clone());
    }
    assert_eq!(regex.find(&text), Ok(found.first().cloned()), "{pattern:?} in {text:?}");
    assert_eq!(regex.is_match(&text), Ok(!found.is_empty()), "{pattern:?} in {text:?}");
    // Groups around the pattern must not change the matches.
    let nested = format!("{}{pattern}{}", "(".repeat(DEPTH), ")".repeat(DEPTH));
    if let Ok(nested) = GoRegex::new(&nested) {
        let again = nested.find_all(&text, usize::MAX);
        assert_eq!(Ok(found), again, "{pattern:?} in {text:?}");
    }
}
