//! Files that tests and scripts complete before they are used. The tests and scripts are read only if a file has errors that they may explain.

use std::{cell::OnceCell, path::Path};

use crate::{
    findings::report::FileReport,
    findings::report_roles::Tests,
    roles::{SetByScripts, Use, Uses},
};

/// The uses of a file with which to check it again, if tests or scripts near it complete the file. `None` if the report needs no second check, for
/// example because it has no errors. `known` has the uses so far. What scripts set is kept in `scripts`.
pub fn completed<'q>(
    report: &FileReport,
    path: &Path,
    known: Uses<'q>,
    (tests, scripts): (&dyn Tests, &'q OnceCell<SetByScripts>),
) -> Option<Uses<'q>> {
    if !report.has_errors() {
        return None;
    }
    let is_part = !known.has(Use::Part) && tests.only_looks_at(path);
    let set = || Some(scripts.get_or_init(|| tests.set_by_scripts(path))).filter(|it| it.may_change(&report.text));
    let scripts = known.scripts().or_else(set);
    let is_set = known.scripts().is_none() && scripts.is_some();
    (is_part || is_set).then(|| known.with_if(Use::Part, is_part).with_scripts(scripts))
}
