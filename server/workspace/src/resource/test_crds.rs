//! Answers according to CRDs that only tests use.

use std::path::Path;

use crd_analyzer_resource::codes::UNCHECKED_RULES;

use crate::{
    findings::finding::{Class, Finding, Severity},
    findings::report::DocumentVerdict,
    index::{KnownCrd, Origin},
    roles::{Standing, is_in_tests},
};

/// The note on errors that a CRD of tests has decided.
const NOTE: &str = "only tests use this CRD: that in the cluster may be newer or have more fields";

/// Whether only tests use the CRD of a resource that is not of tests itself.
pub(super) fn is_of_others(by: &KnownCrd, path: Option<&Path>) -> bool {
    let is_of_tests = by.origin == Origin::Workspace && by.place.standing == Standing::Test;
    let tested = by.place.tested.as_deref().filter(|_| is_of_tests);
    // If the folder that the tests are about is one of tests itself, all of its files are of tests.
    let tested = tested.filter(|it| by.path.strip_prefix(it).is_ok_and(is_in_tests));
    let path = tested.and_then(|it| path?.strip_prefix(it).ok());
    path.is_some_and(|it| !is_in_tests(it))
}

/// Turns the errors that the CRD has decided into warnings.
pub(super) fn doubt(verdict: &mut DocumentVerdict, by: &KnownCrd) {
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
        it.notes.push(NOTE.to_owned());
        it
    }));
}
