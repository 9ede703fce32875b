//! JSON output: a line for each change and direction and a summary line, or one document with the same content.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use crd_analyzer_compat::{Answer, Change, Direction};
use crd_analyzer_schema::field::Path;
use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeSeq as _},
};
use serde_json::Value;

use super::{
    Allowed, Compared, Format, Report, Side,
    objects::{self, ObjectLine},
};
use crate::output::{
    json::write_pretty,
    jsonl::{Range, range, write_line},
};

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    help: "JSON lines: one for each change and direction, then a summary",
    print: |out, _, report| print(out, report),
};

pub(super) const DOCUMENT: Format = Format {
    name: "json",
    help: "One JSON document",
    print: |out, _, report| document(out, report),
};

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    change: &'a str,
    version: Option<&'a str>,
    path: String,
    what: &'a str,
    direction: &'static str,
    answer: &'static str,
    effect: Option<&'static str>,
    tolerated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessLine<'a>>,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<ExceptionLine<'a>>,
    old_file: Option<&'a str>,
    old_range: Option<Range>,
    new_file: Option<&'a str>,
    new_range: Option<Range>,
}

#[derive(Serialize)]
struct WitnessLine<'a> {
    object: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_object: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subresource: Option<&'static str>,
}

#[derive(Serialize)]
struct ExceptionLine<'a> {
    reason: &'a str,
    until: Option<&'a str>,
}

/// A rejection by the Operator Lifecycle Manager.
#[derive(Serialize)]
struct OlmLine<'a> {
    name: &'a str,
    /// Always `olm`.
    refused_by: &'static str,
    check: &'static str,
    version: Option<&'a str>,
    property: &'a str,
    found: &'a str,
}

#[derive(Serialize)]
struct Counts {
    breaks: usize,
    compatible: usize,
    tolerated: usize,
    unknown: usize,
}

#[derive(Serialize)]
struct SummaryLine {
    summary: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<BTreeMap<&'static str, usize>>,
    verdict: &'static str,
    policy: &'static str,
}

#[derive(Serialize)]
struct Document<'a, 'c> {
    changes: Changes<'a, 'c>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refusals: Vec<OlmLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<Vec<ObjectLine<'a>>>,
    policy: &'static str,
    summary: Counts,
    verdict: &'static str,
}

/// Serializes the lines of a report one at a time, because there may be many lines with large witnesses.
struct Changes<'a, 'c>(&'a Report<'c>);

impl Serialize for Changes<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let each = self.0.reports.iter();
        let lines = each.flat_map(|it| it.each().flat_map(move |change| lines(it, change)));
        let mut list = serializer.serialize_seq(None)?;
        for line in lines {
            // The line is converted to a `Value` so that the keys have the same order as in the other documents.
            list.serialize_element(&serde_json::to_value(line).map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

/// Prints the report as JSON lines.
fn print(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    for compared in &report.reports {
        for line in compared.each().flat_map(|it| lines(compared, it)) {
            write_line(out, &line)?;
        }
        for refusal in refusals(compared) {
            write_line(out, &refusal)?;
        }
    }
    if let Some(judged) = &report.objects {
        objects::jsonl(out, judged)?;
    }
    write_line(out, &summary(report))
}

/// Prints the report as one JSON document.
fn document(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let SummaryLine {
        summary,
        verdict,
        policy,
        ..
    } = summary(report);
    let document = Document {
        changes: Changes(report),
        refusals: report.reports.iter().flat_map(refusals).collect(),
        objects: report.objects.as_ref().map(|it| objects::lines(it).collect()),
        policy,
        summary,
        verdict,
    };
    write_pretty(out, &document)
}

fn refusals<'a>(compared: &'a Compared<'_>) -> impl Iterator<Item = OlmLine<'a>> {
    compared.olm.iter().map(|it| OlmLine {
        name: &compared.name,
        refused_by: "olm",
        check: it.check,
        version: it.version.as_deref(),
        property: &it.property,
        found: &it.found,
    })
}

fn summary(report: &Report<'_>) -> SummaryLine {
    let summary = report.summary();
    SummaryLine {
        summary: Counts {
            breaks: summary.breaks,
            compatible: summary.compatible,
            tolerated: summary.tolerated,
            unknown: summary.unknown,
        },
        objects: objects::counts(report.objects.as_ref()),
        verdict: report.verdict.name(),
        policy: report.policy.name(),
    }
}

fn lines<'a>(
    compared: &'a Compared<'_>,
    (change, exception): (&'a Change, Option<Allowed<'a>>),
) -> impl Iterator<Item = Line<'a>> {
    change.each().map(move |(direction, answer)| Line {
        exception: exception.map(|it| ExceptionLine {
            reason: it.reason,
            until: it.until,
        }),
        ..line(compared, change, direction, answer)
    })
}

fn line<'a>(compared: &'a Compared<'_>, change: &'a Change, direction: Direction, answer: &'a Answer) -> Line<'a> {
    let place = |side: Option<&Side<'_>>, path: Option<&Path>| {
        let (side, path) = side.zip(path)?;
        Some(range(side.lines, side.text, side.span(path)?))
    };
    let (effect, reason) = match answer {
        Answer::Breaks { effect, witness } => (Some(effect.name()), witness.words.as_str()),
        Answer::Compatible { reason, .. } | Answer::Unknown { reason } => (None, reason.as_str()),
    };
    Line {
        name: &compared.name,
        change: change.code,
        version: change.version.as_deref(),
        path: change.path().to_string(),
        what: &change.what,
        direction: direction.name(),
        answer: answer.name(),
        effect,
        tolerated: answer.is_tolerated(),
        witness: answer.witness().map(|it| WitnessLine {
            object: &it.object,
            old_object: it.old_object.as_ref(),
            subresource: it.is_status.then_some("status"),
        }),
        reason,
        exception: None,
        old_file: compared.old.as_ref().map(|it| it.label),
        old_range: place(compared.old.as_ref(), change.old_path.as_ref()),
        new_file: compared.new.as_ref().map(|it| it.label),
        new_range: place(compared.new.as_ref(), change.new_path.as_ref()),
    }
}
