//! Quick fixes for problems of generated manifests, converted to edits of the source file. Each fix was also tried there.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use crd_analyzer_syntax::{common, tree::Span};
use crd_analyzer_workspace::{
    costs::FileCosts,
    documents::source::SourceText,
    findings::finding::{Class, Finding},
    findings::report::{DocumentReport, FileReport},
    judging::analysis::{Question, Update, analyze_manifest},
    sources::{
        Unit,
        change::{self, Written},
        made::Manifests,
        manifest::Manifest,
    },
};

use crate::{
    completion::Definitions,
    fixes::{
        self, ComparedText, Declaration, Fix, FixKind, OF_EXPRESSIONS, Problem, Taken, TextEdit, apply, joined,
        restorations,
    },
    lens,
};

/// The maximum number of edited source texts to try for one request.
const MAX_TRIED: usize = 8;

/// A source file and its manifests.
pub struct SourceFile<'a> {
    /// The file.
    pub path: &'a Path,
    /// The text of the file.
    pub text: &'a Arc<str>,
    /// The unit of source files, including this one, from which manifests are generated.
    pub unit: &'a dyn Unit,
    /// The generated manifests.
    pub manifests: &'a Manifests,
    /// The question with which the manifests were checked.
    pub question: &'a Question<'a>,
    /// Returns the report on the file with another text, or `None` when the time is up.
    pub judge: &'a dyn Fn(&Arc<str>) -> Option<FileReport>,
    /// Whether there is time left.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// The number of findings by Kubernetes version and code, without crd-analyzer's own hints about manifests.
type Counts = HashMap<(u8, &'static str), usize>;

/// The counts for the original text, computed on first use.
type Before = OnceCell<Option<Counts>>;

/// The fix that generates the file of a CRD again. It replaces only the lines from the first to the last change.
pub fn rewritten(file: Arc<SourceText>, text: &str, problem: &Problem) -> Declaration {
    let name = file.path.file_name().unwrap_or_default().display().to_string();
    let (before, after) = (file.text.as_bytes(), text.as_bytes());
    let same = common::ahead(before, after);
    let start = file.text[..file.text.floor_char_boundary(same)]
        .rfind('\n')
        .map_or(0, |it| it + 1);
    let behind = common::behind(&before[start..], &after[start..]);
    // Keep the lines after the last change.
    let rest = file.text.len() - behind;
    let rest = before[rest..]
        .iter()
        .position(|it| *it == b'\n')
        .map_or(file.text.len(), |it| rest + it + 1);
    let new_end = text.len() - (file.text.len() - rest);
    Declaration {
        title: format!("Write {name} as controller-gen makes it from the types"),
        problem: problem.clone(),
        edits: vec![TextEdit {
            span: Span::new(start as u32, rest as u32),
            new_text: text[start..new_end].to_owned(),
        }],
        file,
    }
}

impl SourceFile<'_> {
    /// The quick fixes for problems that touch a range, unambiguous fixes first. `definitions` has the CRDs for custom resources.
    pub fn repairs(
        &self,
        problems: impl IntoIterator<Item = Problem>,
        range: Span,
        definitions: &dyn Definitions,
    ) -> Vec<Fix> {
        let problems: Vec<Problem> = problems.into_iter().collect();
        let before = OnceCell::new();
        let mut found = self.found((problems.clone(), range), definitions, (&before, &|_| true));
        found.extend(self.restorations((problems, range), &before));
        found.sort_by_key(|it| !it.preferred);
        found
    }

    /// Fixes that generate CRDs again: one for each CRD that is older than the source text with the problem.
    pub fn rewritten(&self, problem: &Problem) -> Vec<Declaration> {
        let found = self.manifests.rewritten_at((self.path, problem.span), self.unit);
        let of_file = |(file, text): (Arc<SourceText>, String)| rewritten(file, &text, problem);
        found.into_iter().map(of_file).collect()
    }

    /// All unambiguous quick fixes at once. `own` has fixes of the file itself that were already tried. `None` if there is nothing to fix.
    pub fn repair_all(
        &self,
        own: Option<(Vec<TextEdit>, Vec<Fix>)>,
        problems: impl IntoIterator<Item = Problem>,
        definitions: &dyn Definitions,
    ) -> Option<(Vec<TextEdit>, Vec<Fix>)> {
        let whole = Span::new(0, self.text.len() as u32);
        let before = OnceCell::new();
        let found = self.found((problems, whole), definitions, (&before, &|it| it.preferred));
        let mut chosen: Vec<Fix> = own.iter().flat_map(|it| it.1.iter().cloned()).collect();
        let mut taken = Taken::default();
        chosen.iter().flat_map(|it| &it.edits).for_each(|it| taken.add(it.span));
        let count = chosen.len();
        for fix in &found {
            if fix.edits.iter().all(|it| !taken.touches(it.span)) {
                fix.edits.iter().for_each(|it| taken.add(it.span));
                chosen.push(fix.clone());
            }
        }
        if chosen.len() == count {
            return own;
        }
        let before = before.get().and_then(Option::as_ref);
        if before.is_some_and(|it| self.are_better(&chosen, it)) {
            return Some((joined(&chosen), chosen));
        }
        // The fixes conflict, so apply only some of them. The next check of the file offers the others.
        own.or_else(|| found.into_iter().next().map(|it| (it.edits.clone(), vec![it])))
    }

    /// The quick fixes that `is_wanted` accepts, for problems that touch a range.
    fn found(
        &self,
        (problems, range): (impl IntoIterator<Item = Problem>, Span),
        definitions: &dyn Definitions,
        (before, is_wanted): (&Before, &dyn Fn(&Fix) -> bool),
    ) -> Vec<Fix> {
        let asked = asked(problems, range);
        if asked.is_empty() {
            return Vec::new();
        }
        let mut left = MAX_TRIED;
        let mut found: Vec<Fix> = Vec::new();
        let newest = self.question.versions.newest();
        let costs = self.manifests.costs(self.path, newest);
        for ((manifest, reports), (_, costs)) in self.manifests.judged(self.path, self.question).zip(costs) {
            let problems = self.problems(manifest, &reports, &asked);
            for (fix, problem) in self.candidates((manifest, &costs), &problems, definitions) {
                if left == 0 {
                    break;
                }
                // If several CRDs are generated from one type, they have the same fix.
                let written = || self.written(manifest, fix.clone(), problem);
                let Some(fix) = is_wanted(&fix).then(written).flatten().filter(|it| !found.contains(it)) else {
                    continue;
                };
                left -= 1;
                let before = before.get_or_init(|| Some(counts(&(self.judge)(self.text)?)));
                let fix = std::slice::from_ref(&fix);
                if before.as_ref().is_some_and(|before| self.are_better(fix, before)) {
                    found.extend_from_slice(fix);
                }
            }
        }
        found
    }

    /// The quick fixes that undo changes since a revision, for problems that touch a range.
    fn restorations(&self, (problems, range): (impl IntoIterator<Item = Problem>, Span), before: &Before) -> Vec<Fix> {
        let asked = asked(problems, range);
        let mut found: Vec<Fix> = Vec::new();
        if asked.is_empty() {
            return found;
        }
        for (manifest, reports) in self.manifests.judged(self.path, self.question) {
            let problems = self.problems(manifest, &reports, &asked);
            for fix in self.restored(manifest, &problems) {
                if found.len() == MAX_TRIED || found.contains(&fix) {
                    continue;
                }
                let before = before.get_or_init(|| Some(counts(&(self.judge)(self.text)?)));
                let after = self.after(std::slice::from_ref(&fix));
                // The changes are hints, which are not counted. That the change is gone was found out in the manifest.
                if before.as_ref().zip(after).is_some_and(|it| bring_nothing(it.0, &it.1)) {
                    found.push(fix);
                }
            }
        }
        found
    }

    /// The fixes that undo changes of a manifest since a revision, as edits of the file. Each was tried in the manifest.
    fn restored(&self, manifest: &Manifest, problems: &[(Problem, Problem)]) -> Vec<Fix> {
        let by = self.question.update.earlier.and_then(|it| it.comparison);
        let by = by.filter(|_| !problems.is_empty());
        let Some((by, (revision, known))) = by.zip(self.manifests.compared(manifest)) else {
            return Vec::new();
        };
        let compared = ComparedText {
            revision: &revision,
            by,
            known: &known,
        };
        let question = Question {
            path: Some(&manifest.path),
            named: true,
            update: Update {
                earlier: None,
                ..self.question.update
            },
            ..*self.question
        };
        let judge = |text: &str| Some(analyze_manifest(text.into(), &question, None));
        let of_manifest = problems.iter().map(|it| it.0.clone());
        let found = restorations(&manifest.text, of_manifest, compared, &judge, self.goes_on);
        let written = found.into_iter().filter_map(|mut fix| {
            let problem = problems.iter().find(|it| it.0 == fix.problem)?.1.clone();
            for edit in &mut fix.edits {
                // The text between the quotes is written in the file.
                if let Some((span, new_text)) = change::between_quotes(&manifest.text, edit.span, &edit.new_text) {
                    *edit = TextEdit { span, new_text };
                }
            }
            self.written(manifest, fix, problem)
        });
        written.collect()
    }

    /// The problems of a manifest that are shown in the file, each with its position there.
    fn problems(
        &self,
        manifest: &Manifest,
        reports: &[DocumentReport],
        asked: &HashSet<(&str, Span)>,
    ) -> Vec<(Problem, Problem)> {
        let findings = reports
            .iter()
            .flat_map(|it| &it.verdicts)
            .flat_map(|it| it.1.findings());
        let mut seen = HashSet::new();
        let told = findings.filter_map(|it: &Finding| {
            let place = manifest.origin(it.span).filter(|it| *it.file.path == *self.path)?;
            let is_asked = asked.contains(&(it.code, place.span));
            (is_asked && seen.insert((it.code, it.span))).then(|| {
                let problem = Problem::from(it);
                let shown = problem.shown_at(place.span);
                (problem, shown)
            })
        });
        told.collect()
    }

    /// The fixes for problems of a manifest. Each was tried in the manifest, and has the corresponding problem of the file.
    fn candidates(
        &self,
        (manifest, costs): (&Manifest, &FileCosts),
        problems: &[(Problem, Problem)],
        definitions: &dyn Definitions,
    ) -> Vec<(Fix, Problem)> {
        let question = Question {
            path: Some(&manifest.path),
            named: true,
            ..*self.question
        };
        let judge = |text: &str| Some(analyze_manifest(text.into(), &question, None));
        let whole = Span::new(0, manifest.text.len() as u32);
        let of_manifest = || problems.iter().map(|it| it.0.clone());
        let mut found = Vec::new();
        if of_manifest().any(|it| lens::is_about_cost(it.code)) {
            let versions = self.question.versions;
            found.extend(lens::fixes(costs, of_manifest(), whole, versions, &|| true));
        }
        found.extend(fixes::repairs(
            &manifest.text,
            of_manifest(),
            whole,
            definitions,
            &judge,
        ));
        let with_problem = found.into_iter().filter_map(|fix| {
            let problem = problems.iter().find(|it| it.0 == fix.problem)?.1.clone();
            (fix.kind == FixKind::Repair).then_some((fix, problem))
        });
        with_problem.collect()
    }

    /// The fix as edits of the file. `None` if it would edit another file too, or if it cannot be expressed in the file.
    fn written(&self, manifest: &Manifest, fix: Fix, problem: Problem) -> Option<Fix> {
        let edits = if fix.changes.is_empty() {
            self.in_file(manifest, &fix.edits)?
        } else {
            self.only_here(self.manifests.write(manifest, &fix.changes, self.unit)?)?
        };
        let changes = Vec::new();
        Some(Fix {
            problem,
            edits,
            changes,
            ..fix
        })
    }

    /// Converts edits of a manifest to edits of the file. `None` if they would edit another file too, or if they cannot be expressed in the file.
    pub(super) fn in_file(&self, manifest: &Manifest, edits: &[TextEdit]) -> Option<Vec<TextEdit>> {
        let edits: Vec<(Span, String)> = edits.iter().map(|it| (it.span, it.new_text.clone())).collect();
        self.only_here(self.manifests.write_edits(manifest, &edits, self.unit)?)
    }

    /// The edits of this file. `None` if another file is edited, too.
    fn only_here(&self, written: Vec<Written>) -> Option<Vec<TextEdit>> {
        let edits = written.into_iter().map(|(place, new_text)| {
            let span = place.span;
            (*place.file.path == *self.path).then_some(TextEdit { span, new_text })
        });
        let mut edits = edits.collect::<Option<Vec<_>>>()?;
        edits.sort_by_key(|it| (it.span.start, it.span.end));
        // Several versions may share a type, so the same edit may occur more than once.
        edits.dedup();
        let overlap = edits.windows(2).any(|it| it[0].span.end > it[1].span.start);
        (!edits.is_empty() && !overlap).then_some(edits)
    }

    /// Whether the fixes remove their problems and cause no new ones, in all manifests that are generated from the file.
    fn are_better(&self, fixes: &[Fix], before: &Counts) -> bool {
        let Some(after) = self.after(fixes) else { return false };
        let of = |counts: &Counts, code: &str| -> usize {
            let of_code = counts.iter().filter(|it| it.0.1 == code);
            of_code.map(|it| it.1).sum()
        };
        // Hints are not counted. That a hint is gone was found out in the manifest.
        let goes = |it: &Fix| {
            let known = of(before, it.problem.code);
            known == 0 || of(&after, it.problem.code) < known
        };
        // An expression may have other errors, which are found only when its first one is gone.
        let is_of_expression = |it: &Fix| it.problem.has_others() || OF_EXPRESSIONS.contains(&it.problem.code);
        let leaves_others = fixes.iter().any(is_of_expression);
        fixes.iter().all(goes) && (bring_nothing(before, &after) || leaves_others && leave_others(before, &after))
    }

    /// The counts after these fixes. `None` if the time is up.
    fn after(&self, fixes: &[Fix]) -> Option<Counts> {
        let text = apply(self.text, &joined(fixes))?;
        Some(counts(&(self.judge)(&text.into())?))
    }
}

/// The codes and spans of the problems that touch a range.
fn asked(problems: impl IntoIterator<Item = Problem>, range: Span) -> HashSet<(&'static str, Span)> {
    let touches = |it: &Problem| it.span.start <= range.end && range.start <= it.span.end;
    let touching = problems.into_iter().filter(touches);
    touching.map(|it| (it.code, it.span)).collect()
}

/// Whether there were as many findings with a code in a version before an edit.
fn is_known(before: &Counts, (key, count): (&(u8, &'static str), &usize)) -> bool {
    before.get(key).is_some_and(|known| count <= known)
}

/// Whether an edit of the file causes no new findings.
fn bring_nothing(before: &Counts, after: &Counts) -> bool {
    after.iter().all(|it| is_known(before, it))
}

/// Whether an edit of the file causes only findings of expressions that had one before. Each expression has one finding: without its first error, it is
/// about the next one, which may have another code.
fn leave_others(before: &Counts, after: &Counts) -> bool {
    let of_expressions = |counts: &Counts, version: u8| -> usize {
        let is_of = |it: &(&(u8, &str), &usize)| it.0.0 == version && OF_EXPRESSIONS.contains(&it.0.1);
        counts.iter().filter(is_of).map(|it| it.1).sum()
    };
    let is_left = |(version, code): (u8, &str)| {
        OF_EXPRESSIONS.contains(&code) && of_expressions(after, version) <= of_expressions(before, version)
    };
    after.iter().all(|it| is_known(before, it) || is_left(*it.0))
}

pub(super) fn counts(report: &FileReport) -> Counts {
    let mut counts = Counts::new();
    let of_file = report.findings.iter().map(|it| (0, it));
    let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
    let of_manifests = verdicts.flat_map(|(version, it)| {
        // A rule that did not compile had no hints before, so hints are not counted.
        let counted = it.findings().filter(|it| it.class != Class::Hint);
        counted.map(|it| (version.number(), it))
    });
    for (version, finding) in of_file.chain(of_manifests) {
        if !finding.suppressed && !finding.repeats {
            *counts.entry((version, finding.code)).or_default() += 1;
        }
    }
    counts
}
