//! Words for CRDs that are older than the types from which they are generated.

use super::{
    Words,
    text::{clip, code, joined},
};

/// A difference between a CRD and the types from which it is generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// Only the types have this property.
    NewProperty(String),
    /// Only the CRD has this property.
    GoneProperty(String),
    /// Only the types set a value for this key.
    Absent(String),
    /// The types set a different value for this key.
    Other(String),
    /// The CRD has a value for this key that no marker sets.
    Gone(String),
    /// No difference is known, but controller-gen fails.
    Stuck,
}

/// An error in the types for which the CRD cannot follow them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Error {
    /// controller-gen fails.
    Refused,
    /// The API server would reject the new CRD.
    Rejected,
}

/// The maximum length of a name before it is cut.
const LONGEST_NAME: usize = 40;

/// The maximum number of CRDs that a note names.
const MOST_NAMED: usize = 3;

/// The words for a difference. `kinds` has the kinds whose CRDs have the difference, and `more` is the number of other differences. `error` is set if
/// the types have an error.
pub(crate) fn words(what: &What, kinds: &[&str], (more, error): (usize, Option<Error>)) -> Words {
    let named = |it: &str| code(&clip(it, LONGEST_NAME));
    let mut names: Vec<String> = kinds.iter().take(MOST_NAMED).map(|it| named(it)).collect();
    if kinds.len() > names.len() {
        names.push(format!("{} more", kinds.len() - names.len()));
    }
    let (crds, are) = match kinds {
        [_] => ("CRD", "is"),
        _ => ("CRDs", "are"),
    };
    let crds = format!("the {crds} of {}", joined(&names, "and"));
    let types = match error {
        Some(_) => "the Go types, which have an error",
        None => "the Go types",
    };
    let (headline, label) = match what {
        What::NewProperty(name) => (
            format!("{crds} {are} older than {types}: {} is missing", named(name)),
            "not in the CRD",
        ),
        What::GoneProperty(name) => (
            format!("{crds} {are} older than {types}: {} was removed", named(name)),
            "still in the CRD",
        ),
        What::Absent(name) => (
            format!("{crds} {are} older than {types}: {} is missing", named(name)),
            "not in the CRD",
        ),
        What::Other(name) => (
            format!("{} in {crds} differs from {types}", named(name)),
            "differs from the CRD",
        ),
        What::Gone(name) => (
            format!("{crds} {are} older than {types}: no marker sets {}", named(name)),
            "still in the CRD",
        ),
        What::Stuck => (
            format!("{crds} cannot be generated again: the Go types have an error"),
            "from before the error",
        ),
    };
    let help = match error {
        Some(Error::Refused) => "correct the Go types first: controller-gen stops with an error at them",
        Some(Error::Rejected) => "correct the Go types first: the API server would reject the CRD that they make",
        None => "generate the CRD again: run controller-gen, or `crd-analyzer generate crd` with `--output-dir`",
    };
    let words = Words::new(headline).label(label).help(help);
    match more {
        0 => words,
        1 => words.note("it differs in one more place"),
        more => words.note(format!("it differs in {more} more places")),
    }
}
