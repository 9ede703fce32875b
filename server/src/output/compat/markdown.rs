//! Markdown output for a pull request: a table of the changes that break something or are unknown.

use std::io::{self, Write};

use crd_analyzer_compat::{Answer, shown_object};
use crd_analyzer_io::print::Terminal;

use super::{
    Format, Report,
    objects::{self, code},
    order::Importance,
    short_path, text,
};
use crate::output::counted;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    help: "A table for a pull request",
    print: |out, _, report| print(out, report),
};

/// The maximum number of rows in a table.
const MOST: usize = 200;

fn print(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut out = Terminal::new(out, false);
    out.line(format_args!("### CRD changes: {}", report.verdict.name()))?;
    out.blank()?;
    out.line(format_args!(
        "{}. Policy: `{}`.",
        text::counts(report),
        report.policy.name()
    ))?;
    for compared in report.in_order() {
        let mut changes = report.changes_in_order(compared);
        changes.retain(|it| it.0 < Importance::Harmless);
        out.blank()?;
        let others = compared.changes.len() - changes.len();
        out.line(format_args!(
            "#### {}: {}, {others} of them compatible for all",
            code(&compared.name),
            counted(compared.changes.len(), "change")
        ))?;
        if !compared.olm.is_empty() {
            out.blank()?;
            for refusal in compared.olm.iter().take(MOST) {
                out.line(format_args!("- {}", code(&text::olm(refusal))))?;
            }
            if compared.olm.len() > MOST {
                out.line(format_args!(
                    "- {} more rejections are not shown",
                    compared.olm.len() - MOST
                ))?;
            }
        }
        if changes.is_empty() {
            continue;
        }
        out.blank()?;
        out.line("| change | where | stored objects | writers | readers |")?;
        out.line("|-|-|-|-|-|")?;
        for (_, (change, exception)) in changes.iter().take(MOST) {
            let version = change.version.as_ref().map_or_else(String::new, |it| format!("{it} "));
            let place = code(&format!("{version}{}", short_path(&change.path())));
            let cells = change.each().map(|(direction, answer)| {
                let is_forbidden = report.forbids(change, *exception, direction, answer);
                cell(answer, is_forbidden)
            });
            let cells = cells.collect::<Vec<_>>().join(" | ");
            out.line(format_args!(
                "| {}{} | {place} | {cells} |",
                code(change.code),
                exception.map_or_else(String::new, |it| format!(" allowed: {}", code(it.reason)))
            ))?;
        }
        if changes.len() > MOST {
            out.blank()?;
            out.line(format_args!("{} more changes are not shown.", changes.len() - MOST))?;
        }
    }
    if let Some(judged) = &report.objects {
        objects::markdown(&mut out, judged)?;
    }
    Ok(())
}

fn cell(answer: &Answer, is_forbidden: bool) -> String {
    let forbidden = if is_forbidden { "**forbidden**: " } else { "" };
    match answer {
        Answer::Breaks { effect, witness } => {
            format!("{forbidden}breaks ({effect}) {}", code(&shown_object(&witness.object)))
        }
        Answer::Compatible { tolerated: Some(_), .. } => "tolerated until the value changes".to_owned(),
        Answer::Compatible { .. } => "compatible".to_owned(),
        Answer::Unknown { .. } => "unknown".to_owned(),
    }
}
