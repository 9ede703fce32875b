//! `crd-analyzer test --update`: writes the actual results into test files as the expected ones.

use std::io::Write;

use crd_analyzer_io::{
    print::Terminal,
    write::{self, Replaceable, Unwritten},
};
use crd_analyzer_suite::{rewrite, update};

use super::Done;
use crate::{
    cli::fix::patch,
    input::{Input, Source},
    output::test::Report,
};

/// Changes a test file so that its tests pass, prints the diff, and runs the file again. Returns the new report, and the error if the file could
/// not be written.
pub(super) fn apply(
    input: &Input,
    report: Box<Report>,
    again: impl Fn(&Input) -> anyhow::Result<Done>,
    replaceable: Replaceable,
    mut out: Box<dyn Write + '_>,
) -> anyhow::Result<(Box<Report>, Option<Unwritten>)> {
    let (Some(suite), Source::File(path, access)) = (&report.suite, &input.source) else {
        return Ok((report, None));
    };
    if report.failed() == 0 {
        return Ok((report, None));
    }
    let out = &mut Terminal::new(&mut out, false);
    let updates = update::edits(suite, report.runs.iter().flat_map(|it| &it.outcomes));
    for (case, why) in &updates.left {
        out.line(format_args!(
            "{}: `{}` stays as it is: {why}",
            report.label, suite.cases[*case].name
        ))?;
    }
    let new = rewrite::apply(suite.text(), &updates.edits);
    if new == **suite.text() {
        return Ok((report, None));
    }
    if let Err(why) = write::replace(path, access, suite.text().as_bytes(), new.as_bytes(), replaceable) {
        return Ok((report, Some(why)));
    }
    out.patch(&patch(&report.label, suite.text(), &new))?;
    match again(input)? {
        Done::Report(mut after) => {
            after.updated = updates.changed.len();
            Ok((after, None))
        }
        _ => Ok((report, None)),
    }
}
