//! `crd-analyzer test --update`: what came out becomes what is expected.

use std::io::Write;

use crd_analyzer_suite::{rewrite, update};
use similar::TextDiff;

use super::Done;
use crate::{
    input::{Input, Source},
    output::test::Report,
};

/// Changes a test file so that its tests pass, shows the changes, and runs it again: the new report tells what the file now comes to.
pub(super) fn apply(
    input: &Input,
    report: Box<Report>,
    again: impl Fn(&Input) -> anyhow::Result<Done>,
    mut out: Box<dyn Write + '_>,
) -> anyhow::Result<Box<Report>> {
    let (Some(suite), Source::File(path)) = (&report.suite, &input.source) else {
        return Ok(report);
    };
    if report.failed() == 0 {
        return Ok(report);
    }
    let updates = update::edits(suite, report.runs.iter().flat_map(|it| &it.outcomes));
    for (case, why) in &updates.left {
        writeln!(
            out,
            "{}: `{}` stays as it is: {why}",
            report.label, suite.cases[*case].name
        )?;
    }
    let new = rewrite::apply(suite.text(), &updates.edits);
    if new == **suite.text() {
        return Ok(report);
    }
    let on_disk = std::fs::read(path)?;
    if on_disk != suite.text().as_bytes() {
        writeln!(
            out,
            "{}: stays as it is: it is no UTF-8, begins with a mark of byte order, or has changed",
            report.label
        )?;
        return Ok(report);
    }
    let diff = TextDiff::from_lines(&**suite.text(), &new);
    diff.unified_diff()
        .header(&report.label, &report.label)
        .to_writer(&mut out)?;
    std::fs::write(path, &new).map_err(|error| anyhow::anyhow!("cannot write {}: {error}", report.label))?;
    match again(input)? {
        Done::Report(mut after) => {
            after.updated = updates.changed.len();
            Ok(after)
        }
        _ => Ok(report),
    }
}
