//! The table row for files of Helm charts that only define templates, such as `_helpers.tpl`.

use std::{path::Path, sync::Arc};

use super::Row;
use crate::{
    findings::report::FileReport,
    judging::{analysis::define_report, question::Question},
    roles,
};

/// The table row for these files.
pub(super) const ROW: Row = Row {
    name: "Helm template",
    is_of: roles::is_helpers,
    report,
    silence: |_| {},
    may_be_made: |_, _| false,
    may_be_name: |_, _| false,
    may_have_made: |_| false,
    unit: |_, _, _| None,
};

/// Checks what the file defines, where templates of the chart include it.
fn report(text: &Arc<str>, path: &Path, question: &Question<'_>) -> FileReport {
    let mut report = FileReport::empty(text.clone());
    define_report(path, &mut report, question);
    report
}
