//! Files that tests and scripts complete before they are used. The tests and scripts are read only if a file has errors that they may explain.

use std::path::Path;

use crate::{
    codes::UNSERVED_VERSION,
    findings::report::{DocumentReport, FileReport},
    findings::report_roles::Tests,
    judging::question::Question,
};

/// The question for checking the file again, if tests or scripts near it complete the file. `None` if the report needs no second check, for example
/// because it has no errors.
pub fn completed<'q>(
    report: &FileReport,
    path: &Path,
    question: &Question<'q>,
    tests: &dyn Tests,
) -> Option<Question<'q>> {
    if !report.has_errors() {
        return None;
    }
    let is_part = !question.is_part && tests.only_looks_at(path);
    let replaces_versions = !question.replaces_versions && unserved(report).any(|it| tests.replaces_version(it, path));
    (is_part || replaces_versions).then_some(Question {
        is_part: question.is_part || is_part,
        replaces_versions: question.replaces_versions || replaces_versions,
        ..*question
    })
}

/// The API groups of the objects whose versions no CRD serves.
fn unserved(report: &FileReport) -> impl Iterator<Item = &str> {
    let is_unserved = |it: &&DocumentReport| {
        let mut errors = it.verdicts.iter().filter_map(|it| it.1.decode_error.as_ref());
        errors.any(|it| it.code == UNSERVED_VERSION)
    };
    let unserved = report.documents.iter().filter(is_unserved);
    unserved.filter_map(|it| Some(it.api_version.split_once('/')?.0))
}
