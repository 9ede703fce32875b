//! Answers according to CRDs that only tests or another example use.

use std::path::Path;

use crd_analyzer_resource::codes::UNCHECKED_RULES;

use crate::{
    findings::finding::{Class, Finding, Severity},
    findings::report::DocumentVerdict,
    index::{KnownCrd, Origin},
    roles::{Standing, is_in_tests},
};

/// The note on errors that a CRD of tests has decided.
const ONLY_TESTS: &str = "only tests use this CRD: that in the cluster may be newer or have more fields";

/// The note on errors that the CRD of another example has decided.
const OTHER_EXAMPLE: &str = "this CRD belongs to another example: that in the cluster may be newer or have more fields";

/// The reason why the CRD of a resource may not be the one in the cluster. `None` if nothing suggests that.
pub(super) fn reason(by: &KnownCrd, path: Option<&Path>) -> Option<&'static str> {
    let path = path.filter(|_| by.origin == Origin::Workspace)?;
    match by.place.standing {
        Standing::Test => is_of_tests(by, path).then_some(ONLY_TESTS),
        Standing::Documentation => {
            let example = by.place.example.as_ref()?;
            let is_other = path.starts_with(&example.all) && !path.starts_with(&example.folder);
            is_other.then_some(OTHER_EXAMPLE)
        }
        _ => None,
    }
}

/// Whether a CRD is for tests, but the resource at a path is not.
fn is_of_tests(by: &KnownCrd, path: &Path) -> bool {
    // If the folder that the tests are about is one of tests itself, all of its files are of tests.
    let tested = by.place.tested.as_deref();
    let tested = tested.filter(|it| by.path.strip_prefix(it).is_ok_and(is_in_tests));
    let path = tested.and_then(|it| path.strip_prefix(it).ok());
    path.is_some_and(|it| !is_in_tests(it))
}

/// Turns the errors that the CRD has decided into warnings with a note.
pub(super) fn doubt(verdict: &mut DocumentVerdict, by: &KnownCrd, note: &str) {
    let is_decided = |it: &mut Finding| {
        let mut files = it.related.iter().filter_map(|it| it.file.as_ref());
        files.any(|it| *it.path == *by.path)
    };
    let mut decided: Vec<Finding> = verdict.decode_error.take_if(is_decided).into_iter().collect();
    decided.extend(verdict.strict.extract_if(.., is_decided));
    decided.extend(verdict.errors.extract_if(.., is_decided));
    if verdict.errors.iter().all(|it| it.code == UNCHECKED_RULES) {
        verdict.errors.clear();
    }
    verdict.hints.extend(decided.into_iter().map(|mut it| {
        it.class = Class::Hint;
        it.severity = Severity::Warning;
        it.notes.push(note.to_owned());
        it
    }));
}
