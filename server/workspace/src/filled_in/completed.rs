//! Files that tests and scripts on disk complete. The tests and scripts are read only for a file with errors, which they may explain.

use std::path::Path;

use crate::{
    codes::UNSERVED_VERSION,
    findings::report::{DocumentReport, FileReport},
    findings::report_roles::Tests,
    judging::question::Question,
};

/// The changed question to check the file with again, if tests or scripts near this absolute path complete the file; `None` if the report
/// is final. Without errors in the report, it is final.
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
