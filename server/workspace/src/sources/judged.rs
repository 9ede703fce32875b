//! Diagnostics about generated manifests, shown in the source files that people edit.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{PathTarget, find},
    tree::Span,
};

use super::{
    change,
    manifest::{Manifest, Place},
};
use crate::{
    comparison::{revision::Revision, since_revision::KnownChanges},
    config::versions::VersionSet,
    costs::{self, FileCosts},
    documents::last_trees::LastTrees,
    findings::advice,
    findings::finding::{Class, Finding, Related},
    findings::report::{DocumentReport, DocumentVerdict},
    judging::analysis::{Around, Old, Question, Update, Wants, analyze_manifest},
    judging::hazards::Search,
    words::{
        stale::What,
        text::{clip, joined},
    },
};

/// A manifest, with its diagnostics and costs cached.
#[derive(Debug)]
pub struct Judged {
    /// The manifest.
    pub manifest: Arc<Manifest>,
    answers: Arc<Answers>,
}

/// The cached results for the text of a manifest. They do not depend on where its parts are written.
#[derive(Debug, Default)]
struct Answers {
    found: Mutex<Option<Found>>,
    /// The tree of the last text of the manifest. `None` if the manifest had no other text yet: most are never edited.
    last_trees: Option<Arc<LastTrees>>,
    /// The spans of the values that do not come from the source files of the manifest, although these declare the fields.
    foreign: Mutex<Vec<Span>>,
    /// The costs of the manifest's rules, for the Kubernetes version that was requested last.
    costs: Mutex<Option<(KubernetesVersion, Arc<FileCosts>)>>,
}

/// The result of checking the manifest.
#[derive(Debug)]
struct Found {
    documents: Arc<[DocumentReport]>,
    /// The CRD that the manifest would replace.
    replaced: Option<Arc<Revision>>,
    /// The changes since that CRD that are known.
    changes: KnownChanges,
    /// Whether hazards were searched for, at least those that were known before.
    has_hazards: bool,
    /// Whether some hazards were not searched for.
    is_unfinished: bool,
}

impl Found {
    /// Whether this result is the answer to a question, for a manifest that would replace this CRD.
    fn answers(&self, question: &Question<'_>, replaced: Option<&Arc<Revision>>) -> bool {
        let is_same = match (&self.replaced, replaced) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let has_hazards = self.has_hazards || matches!(question.wants.hazards, Search::Off);
        let is_whole = !self.is_unfinished || matches!(question.wants.hazards, Search::Remembered(_));
        is_same && has_hazards && is_whole
    }
}

impl Judged {
    /// Creates an entry for a manifest that has not been checked yet.
    pub fn new(manifest: Arc<Manifest>) -> Self {
        Self {
            manifest,
            answers: Arc::default(),
        }
    }

    /// This manifest, with the cached results of an earlier manifest if that had the same text. If it had another text, that makes parsing faster.
    #[must_use]
    pub fn after(self: Arc<Self>, earlier: &Self) -> Arc<Self> {
        let (one, other) = (&self.manifest, &earlier.manifest);
        if one.path != other.path {
            return self;
        }
        if one.text != other.text {
            return Arc::new(Self {
                manifest: one.clone(),
                answers: Arc::new(Answers {
                    last_trees: Some(earlier.answers.last_trees.clone().unwrap_or_default()),
                    ..Answers::default()
                }),
            });
        }
        Arc::new(Self {
            manifest: one.clone(),
            answers: earlier.answers.clone(),
        })
    }

    /// Sets the differences between the CRD of the repository and the one that the source files generate. The manifest has the values of the former,
    /// where no marker sets them.
    pub(super) fn leave_out<'d>(&self, differences: impl Iterator<Item = (&'d change::Path, &'d What)>) {
        let mut differences = differences.peekable();
        let mut spans = Vec::new();
        if differences.peek().is_some()
            && let Some(tree) = self.manifest.tree()
        {
            for (path, what) in differences {
                let Some(found) = find(&tree, &change::steps(path)).filter(PathTarget::is_found) else {
                    continue;
                };
                let value = found.value_span(&tree);
                match what {
                    What::Other(_) if !self.manifest.is_said(value) => spans.push(value),
                    // The part is incomplete.
                    What::Absent(_) => spans.extend([value, found.key_span(&tree)]),
                    _ => {}
                }
            }
        }
        *lock(&self.answers.foreign) = spans;
    }

    /// The costs of the manifest's rules.
    pub fn costs(&self, version: KubernetesVersion) -> Arc<FileCosts> {
        let mut known = lock(&self.answers.costs);
        if let Some((_, costs)) = known.as_ref().filter(|it| it.0 == version) {
            return costs.clone();
        }
        let text = self.manifest.text.as_bytes().to_vec();
        let costs = Arc::new(costs::price(text, VersionSet::one(version), true));
        *known = Some((version, costs.clone()));
        costs
    }

    /// The reports on the manifest. They are computed for the first question, and again only if a later question asks for all hazards for the first
    /// time, or compares with another CRD.
    pub fn found(&self, question: &Question<'_>) -> Arc<[DocumentReport]> {
        let asks_for_all = matches!(question.wants.hazards, Search::All(_));
        let asks_for_hazards = !matches!(question.wants.hazards, Search::Off);
        let asks_for_changes = !matches!(question.wants.hazards, Search::Remembered(_));
        let replaced = self.replaced(question);
        let mut found = lock(&self.answers.found);
        if let Some(known) = found.as_ref().filter(|it| it.answers(question, replaced.as_ref())) {
            return known.documents.clone();
        }
        let update = question.update.earlier.zip(replaced.as_deref());
        let stored = update.filter(|it| it.0.are_stored).map(|it| it.1);
        let supposed = update.filter(|it| !it.0.are_stored && !it.1.has_same_crd(&self.manifest.text));
        let awaits_changes = supposed.is_some_and(|it| it.0.comparison.is_some());
        let changes = match supposed.filter(|_| asks_for_changes) {
            Some((by, revision)) => by.changes(&self.manifest, revision),
            None => Some(KnownChanges::default()),
        };
        let question = Question {
            path: Some(&self.manifest.path),
            named: true,
            update: Update {
                old: stored.map(|it| Old {
                    text: it.text().as_bytes(),
                    is_paired: false,
                }),
                revision: supposed.map(|it| it.1),
                earlier: None,
                changes: changes.as_ref(),
                compatibility: question.update.compatibility.filter(|_| stored.is_some()),
            },
            around: Around {
                overlays: None,
                go: None,
                ..question.around
            },
            wants: Wants {
                effective: false,
                ..question.wants
            },
            ..*question
        };
        let text = self.manifest.text.clone();
        let judge = || analyze_manifest(text.clone(), &question, self.answers.last_trees.as_ref());
        let report = budget::within(Limits::file(text.len()), judge).0;
        let documents: Arc<[DocumentReport]> = report.documents.into();
        *found = Some(Found {
            documents: documents.clone(),
            replaced: replaced.clone(),
            has_hazards: asks_for_hazards,
            is_unfinished: report.is_unfinished && !asks_for_all
                || awaits_changes && !asks_for_changes
                || changes.is_none(),
            changes: changes.unwrap_or_default(),
        });
        documents
    }

    /// The first error for which the API server rejects the manifest, at its place in a source file. Earlier results are used for any question. Without
    /// a question, only they are.
    pub(super) fn first_error(&self, question: Option<&Question<'_>>) -> Option<Place> {
        let known = lock(&self.answers.found).as_ref().map(|it| it.documents.clone());
        let documents = known.or_else(|| Some(self.found(question?)))?;
        let verdicts = documents.iter().flat_map(|it| &it.verdicts);
        let errors = verdicts.flat_map(|it| it.1.decode_error.iter().chain(&it.1.errors));
        let errors: Vec<&Finding> = errors.collect();
        if errors.iter().any(|it| self.is_foreign(it)) {
            return None;
        }
        let mut errors = errors.into_iter().filter(|it| !self.is_open(it));
        errors.find_map(|it| self.manifest.origin(it.span))
    }

    /// The CRD that the manifest would replace.
    fn replaced(&self, question: &Question<'_>) -> Option<Arc<Revision>> {
        question.update.earlier.and_then(|it| it.by.of(&self.manifest))
    }

    /// Whether the manifest must be checked to answer a question.
    pub(super) fn is_open_for(&self, question: &Question<'_>) -> bool {
        let replaced = self.replaced(question);
        let found = lock(&self.answers.found);
        !found.as_ref().is_some_and(|it| it.answers(question, replaced.as_ref()))
    }

    /// The changes since the CRD that the manifest would replace, at the types of a source file that declare its versions. Contains only those that
    /// the last question has found.
    pub(super) fn changes(&self, path: &Path) -> KnownChanges {
        let found = lock(&self.answers.found);
        let changes = found.as_ref().map(|it| &it.changes);
        changes.map_or_else(KnownChanges::default, |it| {
            it.in_source(path, |span| self.manifest.origin(span))
        })
    }

    /// The CRD that the manifest would replace, and the changes since that CRD, with their spans in the manifest. `None` if no CRD is replaced. Contains
    /// only what the last question has found.
    pub(super) fn compared(&self) -> Option<(Arc<Revision>, KnownChanges)> {
        let found = lock(&self.answers.found);
        let found = found.as_ref()?;
        Some((found.replaced.clone()?, found.changes.clone()))
    }

    /// Whether the value of a finding is not in any file, so that the finding may be wrong.
    fn is_open(&self, finding: &Finding) -> bool {
        let is_own = |it: &Related| it.file.is_none() && self.manifest.is_guess(it.span);
        self.manifest.is_guess(finding.span) || finding.related.iter().any(is_own)
    }

    /// Whether a finding is about a value that only the CRD of the repository has.
    fn is_foreign(&self, finding: &Finding) -> bool {
        lock(&self.answers.foreign).contains(&finding.span)
    }

    /// Removes the findings that may be wrong. If they are the only errors, the others do not appear only after fixing these.
    fn leave_open(&self, verdict: &mut DocumentVerdict) {
        // The other errors may follow from one of the CRD alone.
        if verdict.errors.iter().any(|it| self.is_foreign(it)) {
            verdict.retain(|it| !matches!(it.class, Class::Error | Class::LaterError));
        }
        verdict.retain(|it| !self.is_foreign(it));
        let had_errors = !verdict.errors.is_empty();
        verdict.retain(|it| !self.is_open(it));
        if had_errors && verdict.errors.is_empty() {
            let is_later = |it: &mut Finding| it.class == Class::LaterError;
            let later = verdict.hints.extract_if(.., is_later);
            verdict.errors = later.map(|it| it.in_class(Class::Error)).collect();
        }
    }

    /// Marks the errors about all rules of a schema as repetitions if another file shows the rules that cause them.
    fn mark_totals(&self, verdict: &mut DocumentVerdict, path: &Path, shows: Shows<'_>) {
        let is_elsewhere = |rule: &Finding| {
            let place = self.manifest.origin(rule.span).filter(|it| *it.file.path != *path);
            place.is_some_and(|it| shows(rule, &it))
        };
        let rules: Vec<String> = advice::rules_over_limit(verdict)
            .filter(|it| is_elsewhere(it))
            .filter_map(|it| advice::field(it).map(str::to_owned))
            .collect();
        if rules.is_empty() {
            return;
        }
        for total in advice::totals_of_rules(verdict) {
            let root = advice::field(total).unwrap_or_default();
            total.repeats |= rules.iter().any(|it| it.starts_with(root));
        }
    }

    /// The place of a finding in a source file of the manifest. `None` if the finding is reported elsewhere.
    fn place(&self, finding: &Finding, path: &Path) -> Option<Place> {
        let span = finding.span;
        let place = self.manifest.origin(span).filter(|it| *it.file.path == *path)?;
        (!self.is_open(finding)).then_some(place)
    }

    /// Replaces a value in quotes in the help by its text in the source file. A number such as `1.10` has another text in the manifest.
    fn quote_source(&self, finding: &mut Finding, place: &Place) {
        let made = self.manifest.text.get(finding.span.range());
        let written = place.file.text.get(place.span.range());
        if let (Some(made), Some(written)) = (made, written)
            && !written.starts_with(['+', '"', '`'])
        {
            for help in &mut finding.help_in_go {
                *help = help.replace(&format!("\"{made}\""), &format!("\"{written}\""));
            }
        }
    }

    /// The findings about the manifest in one of its source files. `told` has the findings that were already reported for other manifests.
    fn in_file(
        &self,
        path: &Path,
        (question, shows): (&Question<'_>, Shows<'_>),
        told: &mut Told,
    ) -> Vec<DocumentReport> {
        let moved = |finding: &mut Finding| {
            let Some(place) = self.place(finding, path) else {
                return false;
            };
            self.quote_source(finding, &place);
            finding.span = place.span;
            finding.related.retain_mut(|it| {
                if it.file.is_some() {
                    return true;
                }
                let Some(place) = self.manifest.origin(it.span) else {
                    return false;
                };
                it.span = place.span;
                it.file = (*place.file.path != *path).then_some(place.file);
                true
            });
            // A schema may have a type several times.
            let mut known = HashSet::new();
            finding.related.retain(|it| {
                let file = it.file.as_ref().map(|it| it.path.clone());
                known.insert((file, it.span, it.message.clone()))
            });
            // The proposed changes are for the manifest's text, and cannot be applied to the file.
            finding.proposed = None;
            if !finding.help_in_go.is_empty() {
                finding.help = std::mem::take(&mut finding.help_in_go);
            }
            true
        };
        let mut documents = self.found(question).to_vec();
        for document in &mut documents {
            let mut first: Option<Span> = None;
            for (number, (_, verdict)) in document.verdicts.iter_mut().enumerate() {
                let mut keys = Keys::new(self, path);
                for finding in verdict.findings_mut() {
                    if let Some(key) = keys.next(finding) {
                        told.mark(finding, number, key);
                    }
                }
                self.leave_open(verdict);
                self.mark_totals(verdict, path, shows);
                let DocumentVerdict { unfinished, .. } = verdict;
                unfinished.retain_mut(moved);
                verdict.retain_mut(moved);
                let start = verdict.findings().map(|it| it.span).min_by_key(|it| it.start);
                first = first.or(start);
            }
            document.span = first.unwrap_or_default();
        }
        documents.retain(|it| it.verdicts.iter().any(|it| it.1.findings().next().is_some()));
        documents
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The identity of a finding in a file, whichever manifest it is about. It consists of the code, the span, and the cause, which distinguishes several
/// findings at the same span.
type Key = (&'static str, Span, Cause);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Cause {
    /// The value at the span is used several times in a manifest. The number says which of the findings with this code it is.
    Said(usize),
    /// The span only declares the field that the finding is about, so the words distinguish the findings.
    Words(String),
}

/// Computes the keys of the findings in a verdict, in order.
struct Keys<'a> {
    judged: &'a Judged,
    path: &'a Path,
    /// The number of findings so far, by code and span in the manifest.
    counts: HashMap<(&'static str, Span), usize>,
}

impl<'a> Keys<'a> {
    fn new(judged: &'a Judged, path: &'a Path) -> Self {
        Self {
            judged,
            path,
            counts: HashMap::new(),
        }
    }

    fn next(&mut self, finding: &Finding) -> Option<Key> {
        let span = self.judged.place(finding, self.path)?.span;
        let cause = if self.judged.manifest.is_said(finding.span) {
            let count = self.counts.entry((finding.code, finding.span)).or_default();
            *count += 1;
            Cause::Said(*count)
        } else {
            Cause::Words(finding.headline.clone())
        };
        Some((finding.code, span, cause))
    }
}

/// All places of each finding in a file, and the findings that were already reported.
struct Told {
    /// The places of each finding, by the index of the manifest that has the finding.
    places: HashMap<Key, BTreeMap<usize, BTreeSet<(u32, u32)>>>,
    /// The names of the manifests.
    names: Vec<String>,
    /// The findings that were already reported, each with the index of the verdict.
    seen: HashSet<(usize, Key)>,
}

impl Told {
    /// Collects the places of the findings in these manifests. No finding is marked as reported yet.
    fn of(judged: &[&Arc<Judged>], path: &Path, question: &Question<'_>) -> Self {
        let mut places: HashMap<Key, BTreeMap<usize, BTreeSet<(u32, u32)>>> = HashMap::new();
        let mut names = Vec::new();
        for (number, judged) in judged.iter().enumerate() {
            let documents = judged.found(question);
            names.push(documents.first().map_or_else(String::new, |it| it.name.clone()));
            for (_, verdict) in documents.iter().flat_map(|it| &it.verdicts) {
                let mut keys = Keys::new(judged, path);
                for finding in verdict.findings() {
                    if let Some(key) = keys.next(finding) {
                        let of_key = places.entry(key).or_default();
                        of_key
                            .entry(number)
                            .or_default()
                            .insert((finding.span.start, finding.span.end));
                    }
                }
            }
        }
        Self {
            places,
            names,
            seen: HashSet::new(),
        }
    }

    /// Marks a finding as a repetition if it was already reported. If several manifests have it, adds a note that names them.
    fn mark(&mut self, finding: &mut Finding, verdict: usize, key: Key) {
        if let Some(note) = self.places.get(&key).and_then(|it| self.note(it)) {
            finding.notes.push(note);
        }
        finding.repeats |= !self.seen.insert((verdict, key));
    }

    /// The note about other places of a finding. `None` if it has only one place.
    fn note(&self, places: &BTreeMap<usize, BTreeSet<(u32, u32)>>) -> Option<String> {
        let all: usize = places.values().map(BTreeSet::len).sum();
        if all < 2 {
            return None;
        }
        let in_crd = |number: &usize| {
            let name = self.names.get(*number).map_or("", String::as_str);
            format!("the CRD `{}`", clip(name, MAX_NAME))
        };
        if let (1, Some(number)) = (places.len(), places.keys().next()) {
            return Some(format!("the same in {all} places of {}", in_crd(number)));
        }
        let of_manifest =
            |(number, places): (&usize, &BTreeSet<(u32, u32)>)| format!("{} in {}", places.len(), in_crd(number));
        let mut named: Vec<String> = places.iter().take(MOST_NAMED).map(of_manifest).collect();
        if places.len() > named.len() {
            let rest = places.values().skip(MOST_NAMED).map(BTreeSet::len).sum::<usize>();
            named.push(format!("{rest} in {} more CRDs", places.len() - MOST_NAMED));
        }
        Some(format!("the same in {all} places: {}", joined(&named, "and")))
    }
}

/// The maximum number of manifests that a note names.
const MOST_NAMED: usize = 5;
/// The maximum length of the name of a CRD in a note, in characters.
const MAX_NAME: usize = 100;

/// Whether a finding of a manifest is shown at a place in a source file.
pub(super) type Shows<'a> = &'a dyn Fn(&Finding, &Place) -> bool;

/// The reports on manifests in one of their source files. A finding is reported only once, even if several manifests, or several places in a
/// manifest, have it. `shows` is asked about places in other files.
pub(super) fn in_file<'j>(
    judged: impl IntoIterator<Item = &'j Arc<Judged>>,
    path: &Path,
    (question, shows): (&Question<'_>, Shows<'_>),
) -> Vec<DocumentReport> {
    let mut judged: Vec<&Arc<Judged>> = judged.into_iter().collect();
    // A finding is reported for the kind that the file itself declares, if it does: its field paths are those that readers of the file expect.
    judged.sort_by_key(|it| !it.manifest.is_declared_in(path));
    let mut told = Told::of(&judged, path, question);
    let mut all = Vec::new();
    let found = judged
        .iter()
        .flat_map(|it| it.in_file(path, (question, shows), &mut told));
    for mut document in found {
        document.index = all.len();
        all.push(document);
    }
    all
}
