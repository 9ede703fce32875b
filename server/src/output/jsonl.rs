//! JSON lines output: one line for each document and Kubernetes version.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Write},
    time::Duration,
};

use crd_analyzer_io::escape;
use crd_analyzer_schema::{KubernetesVersion, go::json_float};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    findings::finding::{Class, Finding, ServerSays},
    findings::report::{DocumentReport, DocumentVerdict},
    index::GroupKind,
    roles::{Aside, Judgement},
};
use serde::Serialize;
use serde_json::{Map, Serializer, Value, ser::Formatter};

use super::{File, Format, Printer, Summary};
use crate::input::Unreadable;

pub(super) const FORMAT: Format = Format {
    has_resources: true,
    ..Format::new("jsonl", |look| {
        Box::new(Jsonl {
            effective: look.effective,
            is_list: look.is_list,
        })
    })
};

/// A position in a file. Line and column start at 1, columns are Unicode characters, and the offset is in bytes.
#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
    offset: u32,
}

#[derive(Serialize)]
pub(super) struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Related<'a> {
    range: Range,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    r#type: &'a str,
    field: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "is_empty")]
    bad_value: Cow<'a, str>,
    #[serde(flatten)]
    place: CommonFields<'a>,
}

/// The fields of every finding.
#[derive(Serialize)]
struct CommonFields<'a> {
    code: &'a str,
    /// The problem in crd-analyzer's words. For hints, `message` contains them.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<&'a str>,
    /// The text that the user can type to fix the problem.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    help: &'a [String],
    range: Range,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    suppressed: bool,
    /// The reason why the range is not at the cause of the problem, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct WarningLine<'a> {
    text: &'a str,
    #[serde(flatten)]
    place: CommonFields<'a>,
}

#[derive(Serialize)]
struct HintLine<'a> {
    message: &'a str,
    severity: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    /// Explanations and long examples.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(flatten)]
    place: CommonFields<'a>,
}

/// The result for a document under one Kubernetes version.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    file: &'a str,
    doc: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    api_version: &'a str,
    kind: &'a str,
    name: &'a str,
    k8s: String,
    /// Whether another file completes the object, so that only the known part was checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_part: bool,
    /// The role of the document in the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The reason for the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    role_reason: Option<&'a str>,
    /// The reason why errors do not fail a run: the file is invalid on purpose, is test data, or is a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors_expected: Option<&'a str>,
    /// Why the file is test data, whose diagnostics do not fail a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_data: Option<&'a str>,
    decode_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decode_error_range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decode_error_place: Option<CommonFields<'a>>,
    strict: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strict_places: Vec<CommonFields<'a>>,
    /// Whether the API server accepts the object. `None` if crd-analyzer could not find out; `unfinished` then contains the reasons.
    accepted: Option<bool>,
    accepted_strict: Option<bool>,
    errors: Vec<ErrorLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_error_place: Option<CommonFields<'a>>,
    warnings: Vec<WarningLine<'a>>,
    hints: Vec<HintLine<'a>>,
    /// The checks that would take too much work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unfinished: Vec<HintLine<'a>>,
    /// The number of errors that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// The number of findings that are left out because another line of the document already contains them: a document has one line for its written
    /// form, and one for its built form.
    #[serde(skip_serializing_if = "is_zero")]
    repeated: usize,
    #[serde(flatten)]
    resource: Option<ResourceLine<'a>>,
}

/// The fields of a line that only custom resources have.
#[derive(Serialize)]
struct ResourceLine<'a> {
    /// The paths of the pruned fields.
    unknown: &'a [String],
    /// Whether defaulting and pruning have changed the object.
    changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cel_cost: Option<u64>,
}

/// A line about a whole file: the diagnostics about the file, or the reason why the file is unreadable.
#[derive(Serialize)]
pub(super) struct FileLine<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<&'a str>,
    /// Why the file is test data, whose diagnostics do not fail a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    test_data: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<HintLine<'a>>,
    /// The kinds in the file without a known CRD. Their objects are not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_kinds: Vec<KindLine<'a>>,
}

/// A kind without a known CRD.
#[derive(Serialize)]
pub(super) struct KindLine<'a> {
    group: &'a str,
    kind: &'a str,
    count: usize,
}

/// The lines for kinds, each with its number of objects.
pub(super) fn kinds<'k>(counted: impl IntoIterator<Item = (&'k GroupKind, usize)>) -> Vec<KindLine<'k>> {
    let line = |(kind, count): (&'k GroupKind, usize)| KindLine {
        group: &kind.group,
        kind: &kind.kind,
        count,
    };
    counted.into_iter().map(line).collect()
}

impl<'a> FileLine<'a> {
    /// The line of a file that could not be read.
    pub(super) fn unreadable(unreadable: &'a Unreadable) -> Self {
        Self {
            file: &unreadable.label,
            unreadable: Some(&unreadable.why),
            test_data: None,
            hints: Vec::new(),
            unknown_kinds: Vec::new(),
        }
    }
}

/// The lines and columns of a span.
pub(super) fn range(lines: &LineIndex, text: &str, span: Span) -> Range {
    let position = |offset: u32| {
        let (line, column) = lines.line_column(text, offset);
        Position {
            line: line + 1,
            column: column + 1,
            offset,
        }
    };
    Range {
        start: position(span.start),
        end: position(span.end),
    }
}

fn place<'a>(file: &File<'a>, finding: &'a Finding) -> CommonFields<'a> {
    let text = &file.report.text;
    let related = finding.related.iter().map(|related| Related {
        range: match &related.file {
            None => range(file.lines(), text, related.span),
            Some(other) => range(other.lines(), &other.text, related.span),
        },
        message: &related.message,
        file: related.file.as_deref().map(super::label_of),
    });
    CommonFields {
        code: finding.code,
        headline: (finding.class != Class::Hint).then_some(finding.headline.as_str()),
        help: &finding.help,
        range: range(file.lines(), text, finding.span),
        related: related.collect(),
        suppressed: finding.suppressed,
        reason: finding.elsewhere.as_deref(),
    }
}

/// The maximum length of a value in bytes. A value can be a whole schema, so longer values are cut.
const MAX_BAD_VALUE_BYTES: usize = 200;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_empty(value: &str) -> bool {
    value.is_empty()
}

/// Shortens a string to at most [`MAX_BAD_VALUE_BYTES`].
pub(super) fn shortened(value: &str) -> Cow<'_, str> {
    if value.len() <= MAX_BAD_VALUE_BYTES {
        return value.into();
    }
    format!("{}…", &value[..value.floor_char_boundary(MAX_BAD_VALUE_BYTES)]).into()
}

/// The API server's message for a finding; empty without a message.
fn text_of(finding: &Finding) -> &str {
    match &finding.server {
        Some(
            ServerSays::Decode(text) | ServerSays::Strict(text) | ServerSays::Other(text) | ServerSays::Warning(text),
        ) => text,
        _ => &finding.headline,
    }
}

/// The line for a document and a Kubernetes version. With `effective`, it includes the object as the API server stores it.
pub(super) fn line<'a>(
    file: &'a File<'_>,
    (document, role): (&'a DocumentReport, Option<&'a Judgement>),
    (version, verdict): (KubernetesVersion, &'a DocumentVerdict),
    effective: bool,
) -> Line<'a> {
    let is_told = |it: &&'a Finding| !it.repeats;
    let errors = verdict
        .errors
        .iter()
        .filter(is_told)
        .filter_map(|finding| match &finding.server {
            Some(ServerSays::Cause {
                reason,
                field,
                detail,
                bad_value,
                ..
            }) => Some(ErrorLine {
                r#type: reason,
                field,
                detail,
                bad_value: shortened(bad_value),
                place: place(file, finding),
            }),
            _ => None,
        });
    let hints = verdict.hints.iter().filter(is_told).map(|finding| hint(file, finding));
    let resource = verdict.resource.as_deref().map(|it| ResourceLine {
        unknown: &it.unknown,
        changed: it.is_changed,
        object: effective.then_some(&it.object),
        cel_cost: it.cel_cost,
    });
    let test_data = test_data(file);
    Line {
        file: file.label,
        doc: document.index,
        item: document.item,
        api_version: &document.api_version,
        kind: &document.kind,
        name: &document.name,
        k8s: version.to_string(),
        in_part: document.in_part,
        role: role.map(|it| it.role.to_string()),
        role_reason: role.map(|it| it.reason.as_str()),
        errors_expected: file
            .report
            .aside
            .as_ref()
            .filter(|it| it.covers(document))
            .map(Aside::reason),
        test_data,
        decode_error: verdict.decode_error.as_ref().filter(is_told).map(text_of),
        decode_error_range: verdict
            .decode_error
            .as_ref()
            .filter(is_told)
            .map(|finding| range(file.lines(), &file.report.text, finding.span)),
        decode_error_place: verdict.decode_error.as_ref().filter(is_told).map(|it| place(file, it)),
        strict: verdict.strict.iter().filter(is_told).map(text_of).collect(),
        strict_places: verdict
            .strict
            .iter()
            .filter(is_told)
            .map(|finding| place(file, finding))
            .collect(),
        accepted: verdict.is_known().then(|| verdict.accepted()),
        accepted_strict: verdict.is_known_strictly().then(|| verdict.accepted_strict()),
        errors: errors.collect(),
        other_error: verdict.other_error.as_ref().filter(is_told).map(text_of),
        other_error_place: verdict.other_error.as_ref().filter(is_told).map(|it| place(file, it)),
        warnings: verdict
            .warnings
            .iter()
            .filter(is_told)
            .map(|finding| WarningLine {
                text: text_of(finding),
                place: place(file, finding),
            })
            .collect(),
        hints: hints.collect(),
        unfinished: verdict
            .unfinished
            .iter()
            .filter(is_told)
            .map(|finding| hint(file, finding))
            .collect(),
        left_out: verdict.left_out,
        repeated: verdict.findings().filter(|it| it.repeats).count(),
        resource,
    }
}

/// The reason why a file is test data. `None` for other files.
fn test_data<'a>(file: &File<'a>) -> Option<&'a str> {
    match &file.report.aside {
        Some(Aside::TestData(reason)) => Some(reason),
        _ => None,
    }
}

fn hint<'a>(file: &File<'a>, finding: &'a Finding) -> HintLine<'a> {
    HintLine {
        message: &finding.headline,
        severity: finding.severity.word(),
        hidden: finding.class == Class::LaterError,
        notes: &finding.notes,
        place: place(file, finding),
    }
}

/// The line with the diagnostics about a whole file.
pub(super) fn of_file<'a>(file: &'a File<'_>) -> Option<FileLine<'a>> {
    let findings = &file.report.findings;
    let mut unknown: BTreeMap<&GroupKind, usize> = BTreeMap::new();
    for kind in &file.report.unknown {
        *unknown.entry(kind).or_default() += 1;
    }
    (!findings.is_empty() || !file.report.unknown.is_empty()).then(|| FileLine {
        file: file.label,
        unreadable: None,
        test_data: test_data(file),
        hints: findings.iter().map(|finding| hint(file, finding)).collect(),
        unknown_kinds: kinds(unknown),
    })
}

/// Prints JSON lines.
struct Jsonl {
    /// Whether to print objects in the form that the API server stores.
    effective: bool,
    /// Whether requests come from a list. If so, an object without an answer of the API server gets no line.
    is_list: bool,
}

pub(super) fn write_line(out: &mut dyn Write, line: &impl Serialize) -> io::Result<()> {
    line.serialize(&mut Serializer::with_formatter(&mut *out, GoNumbers))?;
    out.write_all(b"\n")
}

/// Writes numbers like Go: `9223372036854776000`, not `9.223372036854776e18`.
struct GoNumbers;

impl Formatter for GoNumbers {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(json_float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        writer.write_all(escape::json(fragment).as_bytes())
    }
}

impl Printer for Jsonl {
    fn file(&mut self, out: &mut dyn Write, file: &File<'_>) -> io::Result<()> {
        for (n, document) in file.report.documents.iter().enumerate() {
            for (version, verdict) in &document.verdicts {
                let document = (document, file.roles.get(n));
                write_line(out, &line(file, document, (*version, verdict), self.effective))?;
            }
        }
        match of_file(file) {
            Some(line) if !(self.is_list && line.hints.is_empty()) => write_line(out, &line),
            _ => Ok(()),
        }
    }

    fn unreadable(&mut self, out: &mut dyn Write, unreadable: &Unreadable) -> io::Result<()> {
        write_line(out, &FileLine::unreadable(unreadable))
    }

    fn end(&mut self, _: &mut dyn Write, _: &Summary, _: Duration) -> io::Result<()> {
        Ok(())
    }
}
