//! `crd-analyzer check --fix`: the repairs that need no question.

use std::{
    collections::HashSet,
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

use crd_analyzer_ide::completion;
use crd_analyzer_ide::fixes::{self, Fix, FixKind, Problem, TextEdit};
use crd_analyzer_io::{
    escape,
    print::{Terminal, tell},
    read::Access,
    write::{self, Unwritten},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    analysis::{Question, analyze},
    config::Config,
    index::{DefinitionText, Definitions, GroupKind},
    report::{DocumentReport, FileReport},
    versions::VersionSet,
};
use similar::TextDiff;

use crate::{
    cli::UsageError,
    input::{self, Input, Source},
};

/// A file with its repairs, not yet written.
pub(super) struct Repaired {
    path: PathBuf,
    access: Access,
    label: String,
    before: String,
    after: String,
    /// What is done, in the order of the text.
    titles: Vec<String>,
}

impl Repaired {
    /// Writes the file and says what was done.
    pub(super) fn write(&self) -> Result<(), Unwritten> {
        write::replace(&self.path, &self.access, self.before.as_bytes(), self.after.as_bytes())?;
        for title in &self.titles {
            tell(format_args!("{}: {title}: done", self.label));
        }
        Ok(())
    }

    /// Prints what changes as a patch.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        Terminal::new(out, false).patch(&patch(&self.label, &self.before, &self.after))
    }
}

/// What changes in a file, as a patch.
pub(super) fn patch(label: &str, before: &str, after: &str) -> String {
    let label = escape::line(label);
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&label, &label).to_string()
}

/// Repairs a file. `None`: there is nothing to do, or it did not do what it should.
pub(super) fn repair(
    input: &Input,
    config: &Config,
    asked: Option<VersionSet>,
    definitions: &dyn Definitions,
) -> anyhow::Result<Option<Repaired>> {
    let Source::File(path, access) = &input.source else {
        return Err(UsageError(format!("{}: only files can be repaired", input.label)).into());
    };
    let bytes = input::read(&input.source)?.unwrap_or_default();
    let versions = asked.or(config.kubernetes_versions).unwrap_or_default();
    let place = std::path::absolute(path)?;
    let question = Question {
        path: Some(&place),
        definitions: Some(definitions),
        named: input.named,
        ..Question::new(versions)
    };
    // Places count in the text; in other bytes than its own they would be others.
    let Ok(before) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    let mut after = before.clone();
    let mut titles = Vec::new();
    if let Some((converted, done)) = convert(&after, config, &question) {
        after = converted;
        titles.extend(done);
    }
    // A repair may show what another error hid.
    for _ in 0..MOST_ROUNDS {
        let Some((repaired, done)) = repair_all(&after, config, &question) else {
            break;
        };
        after = repaired;
        titles.extend(done);
    }
    Ok((!titles.is_empty()).then(|| Repaired {
        path: path.clone(),
        access: access.clone(),
        label: input.label.clone(),
        before,
        after,
        titles,
    }))
}

/// Repairs of what is found in a file, each tried: its finding goes, and nothing comes in its place.
pub(super) fn offered(report: &FileReport, config: &Config, question: &Question<'_>) -> Vec<Fix> {
    let shown = report.documents.iter().flat_map(|it| it.shown(config));
    let problems: Vec<_> = shown.map(|it| Problem::from(&it.finding)).collect();
    if problems.is_empty() {
        return Vec::new();
    }
    let judge = |text: &str| Some(analyze(text.as_bytes().to_vec(), question));
    let whole = Span::new(0, report.text.len() as u32);
    fixes::repairs(&report.text, problems, whole, &Near(question), &judge)
}

/// The CRDs near to the file of a question.
struct Near<'a>(&'a Question<'a>);

impl completion::Definitions for Near<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<DefinitionText>> {
        let definitions = self.0.definitions?;
        definitions
            .find(kind, self.0.path?)?
            .definition
            .text(definitions.files())
    }

    fn kinds(&self) -> Vec<GroupKind> {
        // Only what completes the word `kind` asks.
        Vec::new()
    }
}

/// How often a file is looked at again after its repairs.
const MOST_ROUNDS: usize = 4;

/// The text with all safe repairs, and what they are.
fn repair_all(text: &str, config: &Config, question: &Question<'_>) -> Option<(String, Vec<String>)> {
    let judge = |text: &str| analyze(text.as_bytes().to_vec(), question);
    let before = judge(text);
    if *before.text != *text {
        return None;
    }
    let shown = before.documents.iter().flat_map(|it| it.shown(config));
    let problems: Vec<_> = shown.map(|it| Problem::from(&it.finding)).collect();
    let (edits, fixes) = fixes::repair_all(&before.text, problems, &Near(question), &|it| Some(judge(it)))?;
    let titles = fixes.into_iter().map(|it| it.title).collect();
    Some((fixes::apply(text, &edits)?, titles))
}

/// The text with definitions of versions that are no longer served converted, and what was done.
fn convert(text: &str, config: &Config, question: &Question<'_>) -> Option<(String, Vec<String>)> {
    let before = analyze(text.as_bytes().to_vec(), question);
    if *before.text != *text {
        return None;
    }
    let shown = before.documents.iter().flat_map(|it| it.shown(config));
    let problems: Vec<_> = shown.map(|it| Problem::from(&it.finding)).collect();
    let mut found = fixes::fixes(&before.text, problems, Span::new(0, text.len() as u32));
    found.retain(|it| it.preferred && it.kind == FixKind::Repair);
    found.sort_by_key(|it| it.problem.span.start);
    let edits: Vec<TextEdit> = found.iter().flat_map(|it| it.edits.iter().cloned()).collect();
    if edits.is_empty() {
        return None;
    }
    // The rest of the text stays byte for byte: that is what applying edits in order without overlaps means.
    let edited = fixes::apply(text, &edits)?;
    let after = analyze(edited.clone().into_bytes(), question);
    let titles = found.iter().map(|it| it.title.clone()).collect();
    is_repaired(&before, &after, &found).then_some((edited, titles))
}

/// Whether the diagnostics are gone, their documents can be parsed, and the other documents have the same diagnostics as
/// before.
fn is_repaired(before: &FileReport, after: &FileReport, fixes: &[Fix]) -> bool {
    before.documents.len() == after.documents.len()
        && before.documents.iter().zip(&after.documents).all(|(old, new)| {
            let fixed = fixes.iter().map(|it| it.problem);
            let fixed: HashSet<_> = fixed
                .filter(|it| old.span.start <= it.span.start && it.span.end <= old.span.end)
                .map(|it| it.code)
                .collect();
            let as_expected = if fixed.is_empty() {
                codes(old) == codes(new)
            } else {
                // The name was read from the old text; that it is there again means that the new one was read as well.
                old.name == new.name && !codes(new).iter().any(|it| *it == "invalid-yaml" || fixed.contains(it))
            };
            old.index == new.index && as_expected
        })
}

fn codes(document: &DocumentReport) -> Vec<&'static str> {
    let findings = document.verdicts.iter().flat_map(|(_, it)| it.findings());
    findings.map(|it| it.code).collect()
}
