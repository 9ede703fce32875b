//! JSON output: one document.

use std::io::{self, Write};

use crd_analyzer_conversion::{Finding, RoundTrips};
use crd_analyzer_resource::ChangeKind;
use serde_json::{Value, json};

use super::{Format, Outcome, Report};
use crate::output::json::write_pretty;

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "One JSON document",
    print: |out, _, report| print(out, report),
};

fn print(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let converted: Vec<Value> = report.converted.iter().map(|it| of_object(it, &report.to)).collect();
    let document = json!({
        "crd": report.name,
        "webhook": report.has_webhook,
        "converted": converted,
        "round_trips": report.trips.as_ref().map(trips),
    });
    write_pretty(out, &document)
}

fn of_object(outcome: &Outcome, to: &str) -> Value {
    let (object, failure) = match &outcome.result {
        Ok(converted) => (Some(&converted.object), None),
        Err(failure) => (None, Some(&failure.0)),
    };
    let changes = outcome.result.as_ref().map_or(&[][..], |it| &it.stored_changes);
    let defaulted = changes.iter().filter(|it| it.kind == ChangeKind::Defaulted);
    let not_defaulted = outcome.result.as_ref().map_or(&[][..], |it| &it.not_defaulted);
    let lost = outcome.lost().into_iter();
    json!({
        "from": outcome.from(),
        "to": to,
        "sent": outcome.sent,
        "object": object,
        "defaulted": defaulted.map(|it| it.path.to_string()).collect::<Vec<_>>(),
        "not_defaulted": not_defaulted.iter().map(|it| it.path.to_string()).collect::<Vec<_>>(),
        "lost": lost.map(|(path, value)| json!({"path": path.to_string(), "value": value})).collect::<Vec<_>>(),
        "failure": failure,
        "refusal": outcome.refusal,
    })
}

fn trips(trips: &RoundTrips) -> Value {
    json!({
        "tried": trips.tried,
        "versions_without_objects": trips.without_objects,
        "findings": trips.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "kind": finding.kind.name(),
        "from": finding.from,
        "to": finding.to,
        "fields": finding.fields.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "words": finding.words,
        "objects": finding.objects,
        "converted": finding.converted,
        "back": finding.back,
    })
}
