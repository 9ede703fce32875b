//! `crd-analyzer check --fix`: applies the unambiguous fixes.

mod source;

use std::{
    collections::HashSet,
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

use clap::ValueEnum;
use crd_analyzer_ide::completion;
use crd_analyzer_ide::fixes::{self, Counts, Fix, FixKind, Problem, TextEdit};
use crd_analyzer_io::{
    escape,
    print::{Terminal, tell},
    read::Access,
    write::{self, Replaceable, Unwritten},
};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    codes::{INVALID_YAML, LARGE_MANIFEST, SEVERAL_CRDS, STALE_CRD},
    config::Config,
    config::versions::VersionSet,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, FileReport},
    index::{CrdText, GroupKind, KnownCrd},
    judging::analysis::{Around, Question, Wants, analyze},
    judging::hazards,
    judging::lints::Lints,
    roles::Uses,
};
use similar::TextDiff;

use crate::{
    cli::{
        UsageError,
        made::{Making, tells_older},
    },
    input::{self, Input, Source},
    output::{Fixable, counted},
};

/// A file with its fixes applied, not yet written to disk.
pub(super) struct Repaired {
    path: PathBuf,
    access: Access,
    label: String,
    before: String,
    after: String,
    /// The applied fixes, in the order of the text.
    pub(super) done: Vec<Done>,
    /// Whether the file stays as it is, because it patches objects of other files.
    pub(super) is_patch: bool,
}

/// An applied fix.
pub(super) struct Done {
    /// The line of the diagnostic, from 1, before the fix.
    line: u32,
    title: String,
}

/// The maximum number of fixes to list for a file.
const MOST_TOLD: usize = 50;

/// The fixes that `--fix` applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Level {
    /// Only unambiguous fixes.
    Safe,
    /// Also remove duplicate keys, and keep the last one of each.
    Unsafe,
}

impl Repaired {
    /// Writes the file and lists the applied fixes.
    pub(super) fn write(&self, replaceable: Replaceable) -> Result<(), Unwritten> {
        let (before, after) = (self.before.as_bytes(), self.after.as_bytes());
        write::replace(&self.path, &self.access, before, after, replaceable)?;
        tell(format_args!("{}: {}", self.label, counted(self.done.len(), "fix")));
        for Done { line, title } in self.done.iter().take(MOST_TOLD) {
            tell(format_args!("  line {line}: {title}"));
        }
        if self.done.len() > MOST_TOLD {
            tell(format_args!("  and {} more", self.done.len() - MOST_TOLD));
        }
        Ok(())
    }

    /// Prints the changes as a patch.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        Terminal::new(out, false).patch(&patch(&self.label, &self.before, &self.after))
    }
}

/// The changes of a file, as a patch.
pub(super) fn patch(label: &str, before: &str, after: &str) -> String {
    let label = escape::line(label);
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&label, &label).to_string()
}

/// What to fix in a file.
pub(super) struct Requested {
    /// The Kubernetes versions to check for, if the user named them.
    pub(super) versions: Option<VersionSet>,
    pub(super) level: Level,
    /// What the tools of the repository do with the file.
    pub(super) uses: Uses<'static>,
    /// Whether the file patches objects of other files. What a patch means is known only in the objects that it changes.
    pub(super) is_patch: bool,
}

/// Applies fixes to a file. `None` if nothing has to be fixed, or if the fixes do not work. `is_aside` returns whether the errors of the file need no
/// fix.
pub(super) fn repair(
    input: &Input,
    config: &Config,
    asked: &Requested,
    making: &Making<'_>,
    is_aside: &dyn Fn(&FileReport) -> bool,
) -> anyhow::Result<Option<Repaired>> {
    let Source::File(path, access) = &input.source else {
        return Err(UsageError(format!("{}: --fix can only change files", input.label)).into());
    };
    let bytes = input::read(&input.source)?.unwrap_or_default();
    let versions = asked.versions.or(config.kubernetes_versions).unwrap_or_default();
    let place = std::path::absolute(path)?;
    let question = Question {
        path: Some(&place),
        around: Around {
            go: making.go.map(|it| it as _),
            markers: Some(&config.markers),
            ..Around::crds(making.known)
        },
        named: input.named,
        wants: Wants {
            lints: Lints::of(config),
            ..Wants::default()
        },
        uses: asked.uses,
        ..Question::new(versions)
    };
    // Files that are not UTF-8 are skipped, because the spans of diagnostics would not match their bytes.
    let Ok(before) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    let mut after = before.clone();
    let mut done = Vec::new();
    if let Some((converted, fixes)) = convert(&after, config, &question) {
        done.extend(described(&after, &fixes));
        after = converted;
    }
    if let Some(newer) = rewritten(&after, config, (&question, making)) {
        after = newer;
        let title = "write the CRD as controller-gen makes it from the types".to_owned();
        done.push(Done { line: 1, title });
    } else {
        let (repaired, fixes) = rounds(after, config, (&question, Some(making)), asked.level);
        after = repaired;
        done.extend(fixes);
    }
    let is_left = done.is_empty() || is_aside(&analyze(before.clone().into_bytes(), &question));
    Ok((!is_left).then(|| Repaired {
        path: path.clone(),
        access: access.clone(),
        label: input.label.clone(),
        before,
        after,
        done,
        is_patch: asked.is_patch,
    }))
}

/// The CRD as controller-gen makes it from the current types. `None` if it is the same, or if it has more errors: while the types have errors, a CRD
/// that still works is not replaced by one that does not.
fn rewritten(text: &str, config: &Config, (question, making): (&Question<'_>, &Making<'_>)) -> Option<String> {
    let newer = tells_older(config).then(|| making.rewritten(question.path?, &text.into()));
    let errors = |text: &str| {
        let shown = checked(text, question).merged_findings(config);
        let shown = shown.iter().flatten();
        shown.filter(|it| it.finding.severity == Severity::Error).count()
    };
    newer.flatten().filter(|it| it != text && errors(it) <= errors(text))
}

/// The context for checking a file and, for a source file, for generating manifests from it.
type Asked<'a> = (&'a Question<'a>, Option<&'a Making<'a>>);

/// Applies fixes until none is left, because a fix may reveal an error that another one hid. All rounds together do a limited amount of work.
fn rounds(mut text: String, config: &Config, of: Asked<'_>, level: Level) -> (String, Vec<Done>) {
    let mut done = Vec::new();
    let rounds = || {
        for _ in 0..MOST_ROUNDS {
            let Some((repaired, fixes)) = repair_all(&text, config, of, level) else {
                break;
            };
            done.extend(described(&text, &fixes));
            text = repaired;
        }
    };
    fixes::together(rounds);
    (text, done)
}

/// Checks a text within the limits of a file, whatever the search for fixes has used up.
fn checked(text: &str, question: &Question<'_>) -> FileReport {
    fixes::outside(|| analyze(text.as_bytes().to_vec(), question))
}

/// Descriptions of fixes, in the order of the text.
fn described(text: &str, fixes: &[Fix]) -> Vec<Done> {
    let lines = LineIndex::new(text);
    let mut done: Vec<Done> = fixes
        .iter()
        .map(|it| Done {
            line: lines.line_of(it.problem.span.start) + 1,
            title: it.title.clone(),
        })
        .collect();
    done.sort_by_key(|it| it.line);
    done
}

/// Counts the fixes for the diagnostics of a file. `question` is the question of the check, without the search for failing values.
pub(super) fn fixable(report: &FileReport, config: &Config, (question, making): Asked<'_>) -> Fixable {
    let of = |repaired: Option<(String, Vec<Fix>)>| {
        let Some((text, fixes)) = repaired else {
            return Fixable::default();
        };
        Fixable {
            safe: fixes.len(),
            later: rounds(text, config, (question, making), Level::Safe).1.len(),
            more: 0,
        }
    };
    if let Some(language) = source::language(question) {
        let repaired = source::repairs((report, false), config, (question, making), &*language);
        return of(repaired.and_then(|(edits, fixes)| Some((fixes::apply(&report.text, &edits)?, fixes))));
    }
    let is_hazard = |code: &str| hazards::codes::ALL.iter().any(|it| it.0 == code);
    let problems = problems(report, config);
    // Parsing a text again is slow, so diagnostics that never have a fix are skipped.
    let problems: Vec<_> = problems
        .filter(|it| ![LARGE_MANIFEST, SEVERAL_CRDS].contains(&it.code) && !is_hazard(it.code))
        .collect();
    if problems.is_empty() {
        return Fixable::default();
    }
    if problems.iter().any(Problem::is_of_old_form) {
        return of(convert(&report.text, config, question));
    }
    let near = Near(question);
    let near = completion::Remembered::new(&near);
    let (is_safe, drops) = fixes::may_be_repaired(&report.text, problems.iter().cloned(), &near);
    if !is_safe && !drops {
        return Fixable::default();
    }
    let before = fixes::counts(report);
    let repaired = |level| {
        let (edits, fixes) = repairs(
            &report.text,
            problems.iter().cloned(),
            &before,
            (question, &near),
            level,
        )?;
        Some((fixes::apply(&report.text, &edits)?, fixes))
    };
    let mut fixable = of(is_safe.then(|| repaired(Level::Safe)).flatten());
    if drops {
        let all = repaired(Level::Unsafe).map_or(0, |it| it.1.len());
        fixable.more = all.saturating_sub(fixable.safe);
    }
    fixable
}

/// Counts the fixes for a file that other files complete: a CRD that is older than its types, or objects that kustomizations and Flux build. They are
/// fixed as they are written. `report` is complete, and `written` has the fixes for what is not built.
pub(super) fn fixable_of_completed(
    report: &FileReport,
    written: Fixable,
    config: &Config,
    (question, making): (&Question<'_>, &Making<'_>),
) -> Fixable {
    let older = problems(report, config).filter(|it| it.code == STALE_CRD).count();
    if older > 0 && rewritten(&report.text, config, (question, making)).is_some() {
        return Fixable {
            safe: older,
            ..Fixable::default()
        };
    }
    let (Some(path), Some(overlays)) = (question.path, question.around.overlays) else {
        return written;
    };
    let is_built = |it: &DocumentReport| overlays.is_built(path, it.index, it.item);
    if !report
        .documents
        .iter()
        .any(|it| is_built(it) && !it.merged_findings(config).is_empty())
    {
        return written;
    }
    let question = Question {
        around: Around {
            overlays: None,
            ..question.around
        },
        ..*question
    };
    fixable(&checked(&report.text, &question), config, (&question, Some(making)))
}

/// The fixes for the diagnostics of a file. Each fix has been tried: it removes its diagnostic and causes no other diagnostic.
pub(super) fn offered(report: &FileReport, config: &Config, (question, making): Asked<'_>) -> Vec<Fix> {
    if let Some(language) = source::language(question) {
        return source::offered(report, config, (question, making), &*language);
    }
    let problems: Vec<_> = problems(report, config).collect();
    if problems.is_empty() {
        return Vec::new();
    }
    let judge = |text: &str| Some(checked(text, question));
    let whole = Span::new(0, report.text.len() as u32);
    fixes::repairs(&report.text, problems, whole, &Near(question), &judge)
}

/// The CRDs near the file of a question, for fixes of custom resources.
struct Near<'a>(&'a Question<'a>);

impl Near<'_> {
    /// Whether the CRD itself has errors or fixes. If it does, the CRD may be wrong instead of the resource.
    fn has_mistakes(&self, text: &CrdText) -> bool {
        let question = Question {
            named: true,
            wants: Wants {
                lints: self.0.wants.lints,
                ..Wants::default()
            },
            ..Question::new(self.0.versions)
        };
        let document = text.tree.text()[text.tree.document_span().range()].to_owned();
        let report = checked(&document, &question);
        let mut verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        verdicts.any(|(_, verdict)| {
            let is_repaired = |it: &Finding| {
                let proposed = it.proposed.as_ref();
                proposed.is_some_and(|it| it.proposals.iter().any(|it| it.is_safe))
            };
            let is_mistake = |it: &Finding| it.class == Class::Error && !it.suppressed || is_repaired(it);
            verdict.findings().any(is_mistake)
        })
    }
}

impl completion::Definitions for Near<'_> {
    /// The CRD. `None` if copies of the CRD differ, because any of them may be wrong.
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let definitions = self.0.around.definitions?;
        let files = definitions.files();
        let found = definitions.find(kind, self.0.path?)?;
        let text = found.definition.text(files)?;
        let versions = text.versions();
        let differs = |other: &Arc<KnownCrd>| {
            versions.iter().any(|version| {
                let (one, other) = (found.definition.decides(files, version), other.decides(files, version));
                one.zip(other).is_some_and(|(one, other)| one != other)
            })
        };
        let is_copy = |it: &&Arc<KnownCrd>| it.is_current() && it.written_path() != found.definition.written_path();
        if found.all_others().filter(is_copy).any(differs) || self.has_mistakes(&text) {
            return None;
        }
        Some(text)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        // The kinds are only needed to complete `kind`.
        Vec::new()
    }
}

/// The maximum number of rounds of fixes. The API server reports values that it cannot decode one at a time.
const MOST_ROUNDS: usize = 32;

/// The diagnostics of a file that the configuration shows.
fn problems(report: &FileReport, config: &Config) -> impl Iterator<Item = Problem> {
    let shown = report.documents.iter().flat_map(|it| it.merged_findings(config));
    shown.map(|it| Problem::from(&it.finding))
}

/// Applies all fixes of a level. Returns the new text and the fixes.
fn repair_all(text: &str, config: &Config, (question, making): Asked<'_>, level: Level) -> Option<(String, Vec<Fix>)> {
    if let Some(language) = source::language(question) {
        let report = checked(text, question);
        if *report.text != *text {
            return None;
        }
        let (edits, done) = source::repairs((&report, true), config, (question, making), &*language)?;
        return Some((fixes::apply(text, &edits)?, done));
    }
    let before = checked(text, question);
    if *before.text != *text {
        return None;
    }
    let problems: Vec<_> = problems(&before, config).collect();
    let counts = fixes::counts(&before);
    // The first report is freed before the next one is made, because two reports on a large file need too much memory.
    let shared = before.text.clone();
    drop(before);
    let (edits, done) = repairs(&shared, problems, &counts, (question, &Near(question)), level)?;
    Some((fixes::apply(text, &edits)?, done))
}

/// All fixes of a level for the problems found in a text.
fn repairs(
    text: &Arc<str>,
    problems: impl IntoIterator<Item = Problem>,
    before: &Counts,
    (question, near): (&Question<'_>, &dyn completion::Definitions),
    level: Level,
) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
    let judge = |text: &str| Some(checked(text, question));
    fixes::repair_more(text, problems, Some(before), near, &judge, level == Level::Unsafe)
}

/// Converts CRDs of API versions that are no longer served. Returns the new text and the fixes.
fn convert(text: &str, config: &Config, question: &Question<'_>) -> Option<(String, Vec<Fix>)> {
    let before = checked(text, question);
    if *before.text != *text {
        return None;
    }
    let mut found = fixes::fixes(&before.text, problems(&before, config), Span::new(0, text.len() as u32));
    found.retain(|it| it.preferred && it.kind == FixKind::Repair);
    found.sort_by_key(|it| it.problem.span.start);
    let edits: Vec<TextEdit> = found.iter().flat_map(|it| it.edits.iter().cloned()).collect();
    if edits.is_empty() {
        return None;
    }
    // Edits that are applied in order and do not overlap leave the rest of the text unchanged.
    let edited = fixes::apply(text, &edits)?;
    let after = checked(&edited, question);
    is_repaired(&before, &after, &found).then_some((edited, found))
}

/// Whether the fixed diagnostics are gone, their documents still parse, and the other documents have the same diagnostics as before.
fn is_repaired(before: &FileReport, after: &FileReport, fixes: &[Fix]) -> bool {
    before.documents.len() == after.documents.len()
        && before.documents.iter().zip(&after.documents).all(|(old, new)| {
            let fixed = fixes.iter().map(|it| &it.problem);
            let fixed: HashSet<_> = fixed
                .filter(|it| old.span.start <= it.span.start && it.span.end <= old.span.end)
                .map(|it| it.code)
                .collect();
            let as_expected = if fixed.is_empty() {
                codes(old) == codes(new)
            } else {
                // A name is only known if the document could be parsed, so an equal name means that the new text parses, too.
                old.name == new.name && !codes(new).iter().any(|it| *it == INVALID_YAML || fixed.contains(it))
            };
            old.index == new.index && as_expected
        })
}

fn codes(document: &DocumentReport) -> Vec<&'static str> {
    let findings = document.verdicts.iter().flat_map(|(_, it)| it.findings());
    findings.map(|it| it.code).collect()
}
