//! Text output: the changes of each CRD, their effects, and an example object for each.

use std::io::{self, Write};

use crd_analyzer_compat::{Answer, Change, Direction, OlmRefusal, Policy, Witness, shown_object};
use crd_analyzer_io::print::Terminal;

use super::{Allowed, Compared, Format, Report, objects, short_path};
use crate::output::{counted, render::Renderer};

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "For people",
    print,
};

fn print(out: &mut dyn Write, columns: usize, report: &Report<'_>) -> io::Result<()> {
    let mut text = Text {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
    };
    let (verdict, policy) = (report.verdict.name(), report.policy.name());
    text.line("", &format!("{verdict} (policy {policy}): {}", answers(report)))?;
    for compared in &report.reports {
        text.out.blank()?;
        text.compared(report, compared)?;
    }
    if let Some(judged) = &report.objects {
        text.out.blank()?;
        objects::text(text.out, text.renderer, judged)?;
    }
    Ok(())
}

/// Describes the number of answers of each kind.
pub(super) fn answers(report: &Report<'_>) -> String {
    let summary = report.summary();
    let forbidden = match report.policy {
        // OLM accepts or rejects the update as a whole.
        Policy::Olm => String::new(),
        _ if summary.breaks == 0 => String::new(),
        _ => format!(" ({} forbidden)", report.forbidden()),
    };
    let (breaks, compatible, unknown) = (summary.breaks, summary.compatible, summary.unknown);
    let tolerated = match summary.tolerated {
        0 => String::new(),
        count => format!(" ({count} of them until the value changes)"),
    };
    let verb = |count: usize, one: &'static str, many: &'static str| if count == 1 { one } else { many };
    format!(
        "{} {} something{forbidden}, {compatible} {} compatible{tolerated}, {unknown} {} unknown",
        counted(breaks, "answer"),
        verb(breaks, "breaks", "break"),
        verb(compatible, "is", "are"),
        verb(unknown, "is", "are"),
    )
}

/// Whether the change is compatible for all groups.
pub(super) fn is_harmless(change: &Change) -> bool {
    change
        .answers
        .iter()
        .all(|it| matches!(it, Answer::Compatible { tolerated: None, .. }))
}

/// An answer as a sentence.
pub(super) fn said(direction: Direction, answer: &Answer) -> String {
    match answer {
        Answer::Breaks { effect, .. } => format!("breaks {} ({effect})", direction.whom()),
        Answer::Compatible { tolerated: Some(_), .. } => {
            format!("tolerates {} until the value changes", direction.whom())
        }
        Answer::Compatible { .. } => format!("compatible for {}", direction.whom()),
        Answer::Unknown { .. } => format!("unknown for {}", direction.whom()),
    }
}

/// A rejection by the Operator Lifecycle Manager, with the name of the crdify check.
pub(super) fn olm(refusal: &OlmRefusal) -> String {
    let OlmRefusal {
        version,
        property,
        check,
        found,
        ..
    } = refusal;
    let place = match version {
        Some(version) => format!("{version} {property}: "),
        None => String::new(),
    };
    format!("OLM rejects {place}{found} [{check}]")
}

struct Text<'t, 'w> {
    out: &'t mut Terminal<'w>,
    renderer: Renderer,
}

impl Text<'_, '_> {
    fn line(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}    "), text)
    }

    fn compared(&mut self, report: &Report<'_>, compared: &Compared<'_>) -> io::Result<()> {
        let changes: Vec<_> = compared.each().filter(|it| report.all || !is_harmless(it.0)).collect();
        let left_out = compared.changes.len() - changes.len();
        let more = match left_out {
            0 => String::new(),
            n => format!(", {n} of them compatible for all"),
        };
        self.line(
            "",
            &format!("{}: {}{more}", compared.name, counted(compared.changes.len(), "change")),
        )?;
        for (change, exception) in changes {
            self.change(report, compared, (change, exception))?;
        }
        for refusal in &compared.olm {
            self.line("  ", &olm(refusal))?;
        }
        Ok(())
    }

    fn change(
        &mut self,
        report: &Report<'_>,
        compared: &Compared<'_>,
        (change, exception): (&Change, Option<Allowed<'_>>),
    ) -> io::Result<()> {
        let version = change.version.as_ref().map_or_else(String::new, |it| format!("{it} "));
        let what = if change.what.is_empty() {
            String::new()
        } else {
            format!(": {}", change.what)
        };
        let head = format!("{version}{} [{}]{what}", short_path(&change.path()), change.code);
        self.line("  ", &head)?;
        if let Some(place) = compared.place(change) {
            self.line("    ", &format!("at {place}"))?;
        }
        if let Some(Allowed { reason, until }) = exception {
            let until = until.map_or_else(String::new, |it| format!(" until {it}"));
            self.line("    ", &format!("allowed{until}: {reason}"))?;
        }
        for (direction, answer) in change.each() {
            let why = match answer {
                Answer::Breaks { witness, .. } if witness.words.is_empty() => String::new(),
                Answer::Breaks { witness, .. } => format!(": {}", witness.words),
                Answer::Compatible { reason, .. } | Answer::Unknown { reason } => format!(": {reason}"),
            };
            let forbidden = if report.forbids(change, exception, direction, answer) {
                "forbidden: "
            } else {
                ""
            };
            self.line("    ", &format!("{forbidden}{}{why}", said(direction, answer)))?;
            if let Some(witness) = answer.witness() {
                self.witness(witness)?;
            }
        }
        Ok(())
    }

    fn witness(&mut self, witness: &Witness) -> io::Result<()> {
        let object = shown_object(&witness.object);
        let what = if witness.is_status {
            "status update of"
        } else {
            "update of"
        };
        match &witness.old_object {
            Some(old) if *old == witness.object => self.line("      ", &format!("written back: {object}")),
            Some(old) => {
                self.line("      ", &format!("{what}: {}", shown_object(old)))?;
                self.line("      ", &format!("to: {object}"))
            }
            None => self.line("      ", &format!("object: {object}")),
        }
    }
}
