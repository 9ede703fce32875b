//! Text output: the changes of each CRD, their effects, and an example object for each. Changes that the policy allows are only listed.

use std::io::{self, Write};

use crd_analyzer_compat::{Answer, Change, OlmRefusal, Policy, Witness, shown_object};
use crd_analyzer_io::print::Terminal;

use super::{
    Allowed, Compared, Format, Report, objects,
    order::{Alike, Counted, Importance, alike},
    said, short_path,
};
use crate::output::{counted, render::Renderer};

/// The maximum number of changes that are named in a line.
const MOST_NAMED: usize = 3;

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
    text.line("", &format!("{verdict} (policy {policy}): {}", counts(report)))?;
    for compared in report.in_order() {
        text.out.blank()?;
        text.compared(report, compared)?;
    }
    if let Some(judged) = &report.objects {
        text.out.blank()?;
        objects::text(text.out, text.renderer, judged, report.policy)?;
    }
    Ok(())
}

/// Describes the number of answers of each kind, and the number of objects that break.
pub(super) fn counts(report: &Report<'_>) -> String {
    let answers = answers(report);
    match report.objects.as_ref().filter(|it| !it.objects.is_empty()) {
        None => answers,
        Some(judged) => {
            let (of, breaks) = (counted(judged.objects.len(), "object"), judged.breaks());
            let forbidden = forbidden(report.policy, breaks, judged.forbidden(report.policy));
            format!(
                "{answers}; of {of}, {breaks} {}{forbidden}",
                verb(breaks, "breaks", "break")
            )
        }
    }
}

/// The part of a count that the policy forbids, in parentheses.
fn forbidden(policy: Policy, breaks: usize, forbidden: usize) -> String {
    // OLM accepts or rejects the update as a whole.
    if breaks == 0 || policy == Policy::Olm {
        String::new()
    } else {
        format!(" ({forbidden} forbidden)")
    }
}

fn verb(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

fn answers(report: &Report<'_>) -> String {
    let summary = report.summary();
    let forbidden = forbidden(report.policy, summary.breaks, report.forbidden());
    let (breaks, compatible, unknown) = (summary.breaks, summary.compatible, summary.unknown);
    let tolerated = match summary.tolerated {
        0 => String::new(),
        count => format!(" ({count} of them until the value changes)"),
    };
    format!(
        "{} {} something{forbidden}, {compatible} {} compatible{tolerated}, {unknown} {} unknown",
        counted(breaks, "answer"),
        verb(breaks, "breaks", "break"),
        verb(compatible, "is", "are"),
        verb(unknown, "is", "are"),
    )
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

/// The place of a change, and the old and the new value if the place does not say it.
fn name(change: &Change) -> String {
    let (place, what) = (short_path(&change.path()), &change.what);
    if what.is_empty() || place.rsplit('.').next() == Some(what) {
        place
    } else {
        format!("{place} ({what})")
    }
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
        let changes = report.changes_in_order(compared);
        let is_full = |importance: Importance| report.all || importance < Importance::Allowed;
        let listed = |wanted: Importance| changes.iter().filter(move |it| it.0 == wanted && !is_full(wanted));
        let more = match listed(Importance::Harmless).count() {
            0 => String::new(),
            n => format!(", {n} of them compatible for all"),
        };
        self.line(
            "",
            &format!("{}: {}{more}", compared.name, counted(compared.changes.len(), "change")),
        )?;
        for refusal in &compared.olm {
            self.line("  ", &olm(refusal))?;
        }
        for (_, change) in changes.iter().filter(|it| is_full(it.0)) {
            self.change(report, compared, *change)?;
        }
        let allowed = alike(listed(Importance::Allowed).map(|it| it.1.0));
        if !allowed.is_empty() {
            self.line("  ", "allowed by the policy (`compat --all` prints each change):")?;
        }
        allowed.iter().try_for_each(|it| self.alike(it))
    }

    fn alike(&mut self, alike: &Alike<'_>) -> io::Result<()> {
        let Alike {
            code,
            version,
            effects,
            changes,
        } = alike;
        let named: Vec<String> = changes.iter().take(MOST_NAMED).map(|it| name(it)).collect();
        let more = match changes.len() - named.len() {
            0 => String::new(),
            left => format!(", … and {left} more"),
        };
        let version = version.map_or_else(String::new, |it| format!("{it} "));
        let (count, named) = (changes.len(), named.join(", "));
        self.line("    ", &format!("{count} [{code}], {effects}: {version}{named}{more}"))
    }

    fn change(
        &mut self,
        report: &Report<'_>,
        compared: &Compared<'_>,
        (change, exception): Counted<'_>,
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
