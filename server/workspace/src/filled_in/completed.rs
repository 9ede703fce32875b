//! Files that tests and scripts complete before they are used. The tests and scripts are read only if a file has errors that they may explain.

use std::{cell::OnceCell, path::Path};

use crate::{
    findings::report::FileReport, findings::report_roles::Tests, judging::question::Question, roles::SetByScripts,
};

/// The question for checking the file again, if tests or scripts near it complete the file. `None` if the report needs no second check, for example
/// because it has no errors. What scripts set is kept in `scripts`.
pub fn completed<'q>(
    report: &FileReport,
    path: &Path,
    question: &Question<'q>,
    (tests, scripts): (&dyn Tests, &'q OnceCell<SetByScripts>),
) -> Option<Question<'q>> {
    if !report.has_errors() {
        return None;
    }
    let is_part = !question.is_part && tests.only_looks_at(path);
    let set = || Some(scripts.get_or_init(|| tests.set_by_scripts(path))).filter(|it| it.may_change(&report.text));
    let set_by_scripts = question.set_by_scripts.or_else(set);
    let is_set = question.set_by_scripts.is_none() && set_by_scripts.is_some();
    (is_part || is_set).then_some(Question {
        is_part: question.is_part || is_part,
        set_by_scripts,
        ..*question
    })
}
