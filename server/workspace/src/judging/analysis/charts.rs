//! Templates of Helm charts, together with what they include, and with their blocks.

use std::{collections::HashSet, ops::Range, path::Path, sync::Arc};

use crd_analyzer_gotemplate::Parsed;
use crd_analyzer_resource::codes::UNCHECKED_RULES;
use crd_analyzer_syntax::tree::Span;

use super::{judge_text, types::Types};
use crate::{
    charts::{back::Replaced, chart::Chart, failure, helpers, misspelt::misspelt, put},
    codes,
    documents::text::Text,
    filled_in::fill::{Readings, fill, other_heads},
    filled_in::printed::printed,
    findings::finding::{Finding, Related, Severity},
    findings::one_value::OF_SEVERAL,
    findings::report::{DocumentReport, DocumentVerdict, FileReport},
    findings::same::{Same, same},
    judging::{broken_template::Broken, deferred_search::DeferredSearch, local::is_local, question::Question},
    roles,
};

/// Checks the manifests in a text. In a template of a Helm chart, the templates that it includes are a part of it.
pub(crate) fn analyze_text(source: &Text, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    let template = question
        .path
        .filter(|it| question.is_completed() && roles::is_template(it));
    let Some(path) = template else {
        let printed = question.is_completed().then(|| printed(source, question.path));
        return judge_text(source, question, printed.flatten());
    };
    let found = question.around.charts.and_then(|it| Some((it, it.of(path)?)));
    let Some((charts, chart)) = found else {
        return judge_text(source, question, printed(source, Some(path)));
    };
    let parsed = match failure::parse(path, &source.content, &chart) {
        Ok(parsed) => parsed,
        Err(report) => return (*report, DeferredSearch::default()),
    };
    let put = put::put(path, &source.content, &chart).filter(|it| it.is_readable(source));
    let values = chart.values(path).filter(|_| chart.keeps_values());
    let (mut report, kept) = match put {
        None => judge_whole(source, question, &Types::new(&source.content, values, None)),
        Some(put) => {
            let types = Types::new(&put.text, values, Some(&put));
            let (report, _) = judge_whole(&Text::whole(put.text.clone()), question, &types);
            drop(types);
            let chart = chart.clone();
            let report = Replaced { chart, put }.back(report, source.content.clone(), charts);
            (report, DeferredSearch::default())
        }
    };
    complete((path, &mut report), parsed.as_ref(), &chart, question);
    (report, kept)
}

/// Adds what is wrong with the templates that a file of a Helm chart defines to the report on the file.
pub(crate) fn define_report(path: &Path, report: &mut FileReport, question: &Question<'_>) {
    let charts = question.around.charts.filter(|_| question.is_completed());
    if let Some(chart) = charts.and_then(|it| it.of(path)) {
        match failure::parse(path, &report.text, &chart) {
            Ok(parsed) => complete((path, report), parsed.as_ref(), &chart, question),
            Err(failed) => *report = *failed,
        }
    }
}

/// The error for which Helm cannot parse a template of a chart.
pub(crate) fn parse_failure(path: &Path, text: &Arc<str>, question: &Question<'_>) -> Option<Finding> {
    let charts = question.around.charts.filter(|_| question.is_completed());
    let chart = charts?.of(path)?;
    let report = failure::parse(path, text, &chart).err()?;
    report.findings.into_iter().find(|it| it.code == codes::HELM_FAILURE)
}

/// Adds what is known of a template from the other files of its chart. `parsed` is what Helm finds in it.
fn complete(
    (path, report): (&Path, &mut FileReport),
    parsed: Option<&Parsed>,
    chart: &Arc<Chart>,
    question: &Question<'_>,
) {
    helpers::complete((path, report), chart, question, &judge_included);
    failure::complete((path, report), parsed, chart);
    let found = misspelt(path, &report.text, chart);
    report.findings.extend(found);
}

/// Checks a template with its includes replaced, for what is wrong in them. There, `.` may be any value.
fn judge_included(source: &Text, question: &Question<'_>) -> FileReport {
    judge_template(source, question, &Types::new(&source.content, None, None), None).0
}

/// Checks a template of a Helm chart, and whether it is YAML.
fn judge_whole(source: &Text, question: &Question<'_>, types: &Types<'_>) -> (FileReport, DeferredSearch) {
    let mut broken = Broken::default();
    let (mut report, kept) = judge_template(source, question, types, Some(&mut broken));
    broken.tell(&mut report, question.versions);
    (report, kept)
}

/// Checks a template of a Helm chart. The text in blocks is checked as if it was there. Documents that are not YAML are added to `broken`.
fn judge_template(
    source: &Text,
    question: &Question<'_>,
    types: &Types<'_>,
    mut broken: Option<&mut Broken>,
) -> (FileReport, DeferredSearch) {
    let filled = fill(&source.content).map(|it| types.put_in(it));
    if let (Some(broken), Some(filled)) = (&mut broken, &filled) {
        broken.find_without_blocks(&source.content, &filled.text);
    }
    let (mut report, kept) = judge_text(source, question, filled);
    let question = question.of_errors_only();
    for filled in other_heads(&source.content) {
        let text = Text::whole(source.content.clone());
        let printed = filled.text.clone();
        let filled = types.put_in(filled);
        keep_common(&mut report, &judge_text(&text, &question, Some(filled)).0, &printed);
    }
    let readings = Readings::of(&source.content);
    let mut moved = HashSet::new();
    for reading in readings.iter().flat_map(Readings::all) {
        if let Some(broken) = &mut broken {
            broken.find(&source.content, &reading.filled.text);
        }
        let text = Text::whole(source.content.clone());
        let (found, _) = judge_text(&text, &question, Some(types.put_in(reading.filled)));
        let branches = Branches::new(&source.content, &reading.shown, &reading.values);
        add_certain(&mut report, found, (reading.is_alone, &branches), &mut moved);
    }
    types.name_deciding(&mut report);
    (report, kept)
}

/// Keeps the errors that objects also have with another version. An object that cannot be checked then keeps its errors, and so does text that is not
/// `printed` with the other version.
fn keep_common(report: &mut FileReport, other: &FileReport, printed: &str) {
    for document in &mut report.documents {
        let is_it = |it: &&DocumentReport| (it.index, it.item) == (document.index, document.item);
        let Some(other) = other.documents.iter().find(is_it) else {
            continue;
        };
        for ((_, verdict), (_, other)) in document.verdicts.iter_mut().zip(&other.verdicts) {
            if other.decode_error.is_none() && other.unfinished.is_empty() {
                let same_errors: HashSet<_> = other.findings().map(identity).collect();
                let is_printed = |it: &Finding| !printed[it.span.range()].trim().is_empty();
                verdict.retain(|it| {
                    it.class.severity() != Severity::Error || !is_printed(it) || same_errors.contains(&identity(it))
                });
            }
        }
    }
}

/// What errors of two versions of an object have in common, if they are about the same text.
fn identity(finding: &Finding) -> (&'static str, Span) {
    (finding.code, finding.span)
}

/// The branches of blocks that are read.
struct Branches<'r> {
    text: &'r str,
    all: &'r [Range<usize>],
    values: &'r [(usize, Range<usize>)],
    /// For each branch, the end of the last branch up to it. Branches contain each other.
    ends: Vec<usize>,
}

impl<'r> Branches<'r> {
    fn new(text: &'r str, all: &'r [Range<usize>], values: &'r [(usize, Range<usize>)]) -> Self {
        let ends = all.iter().scan(0, |end, it| {
            *end = it.end.max(*end);
            Some(*end)
        });
        Self {
            text,
            all,
            values,
            ends: ends.collect(),
        }
    }

    /// Whether a span is in a branch.
    fn have(&self, span: Span) -> bool {
        let before = self.all.partition_point(|it| it.start <= span.start as usize);
        let end = before.checked_sub(1).map(|it| self.ends[it]);
        end.is_some_and(|it| span.end as usize <= it)
    }

    /// Moves an error to the branch in its document, if it is about an object or a list around the branch.
    fn move_into(&self, finding: &mut Finding, document: Span) {
        if self.have(finding.span) {
            return;
        }
        // The place of an error about a list may be its key, which other branches share.
        let is_of =
            |it: &&(usize, Range<usize>)| it.0 <= finding.span.start as usize && finding.span.end as usize <= it.1.end;
        if let Some((_, value)) = self.values.iter().find(is_of) {
            finding.span = Span::new(value.start as u32, value.end as u32);
            return;
        }
        let first = self.all.partition_point(|it| it.start < document.start as usize);
        let Some(branch) = self.all.get(first).filter(|it| it.end <= document.end as usize) else {
            return;
        };
        let written = self.text[branch.clone()].trim_start();
        let start = branch.end - written.len();
        let end = start + written.lines().next().unwrap_or_default().trim_end().len();
        let label = finding.label.replace("if this is printed".to_owned());
        let related = Related {
            span: finding.span,
            message: label.unwrap_or_else(|| "then this is refused".to_owned()),
            file: None,
        };
        finding.related.insert(0, related);
        finding.span = Span::new(start as u32, end as u32);
        // The change would be made for all branches.
        finding.proposed = None;
    }
}

/// Adds the errors of another report that are in blocks and certain.
fn add_certain(
    report: &mut FileReport,
    found: FileReport,
    (is_alone, branches): (bool, &Branches<'_>),
    moved: &mut HashSet<(usize, Same)>,
) {
    for document in found.documents {
        let is_it = |it: &&mut DocumentReport| {
            (it.index, it.item, &it.kind, &it.api_version)
                == (document.index, document.item, &document.kind, &document.api_version)
        };
        let Some(same_document) = report.documents.iter_mut().find(is_it) else {
            continue;
        };
        let pairs = same_document.verdicts.iter_mut().zip(document.verdicts);
        for (n, ((_, verdict), (_, other))) in pairs.enumerate() {
            add_to(verdict, other, is_alone, &mut |finding| {
                if !is_alone {
                    return branches.have(finding.span);
                }
                let before = (finding.span, same(finding));
                branches.move_into(finding, document.span);
                // An error about an object around several branches is told at the first one that has it.
                finding.span == before.0 || moved.insert((n, before.1))
            });
        }
    }
}

/// Adds the errors of another verdict to a verdict. `place` moves an error to the branch that has it, and says whether it is new.
fn add_to(
    verdict: &mut DocumentVerdict,
    other: DocumentVerdict,
    is_alone: bool,
    place: &mut dyn FnMut(&mut Finding) -> bool,
) {
    // If a value does not match a combination of schemas, its other errors may be of a branch that it need not match.
    if !is_alone && other.errors.iter().any(|it| OF_SEVERAL.contains(&it.code)) {
        return;
    }
    verdict.left_out += other.left_out;
    let told: HashSet<_> = verdict.findings().map(same).collect();
    let mut new = |mut it: Finding| {
        // The rules that are not checked because of an error say nothing about the branch.
        let is_certain = is_alone && it.code != UNCHECKED_RULES || is_local(it.code);
        (is_certain && !told.contains(&same(&it)) && place(&mut it)).then_some(it)
    };
    verdict.strict.extend(other.strict.into_iter().filter_map(&mut new));
    verdict.errors.extend(other.errors.into_iter().filter_map(&mut new));
}
