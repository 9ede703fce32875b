//! The analysis of one version of a document, ready to send to the client.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crd_analyzer_ide::fixes::Problem;
use crd_analyzer_io::go::GoSources;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    builds::overlay::AsBuilt,
    comparison::since_revision::KnownChanges,
    costs::DocumentCosts,
    findings::one_value,
    findings::report::{DocumentReport, FileReport, MergedFinding, Subject},
    index::Definitions,
    judging::analysis::{Around, BuiltDocuments, MOST_FINDINGS, Question, Update, Wants},
    judging::deferred_search::DeferredSearch,
    judging::hazards::{Memory, Search, are_shown},
    judging::lints::Lints,
    judging::typing::{Typing, analyze_typing},
    kinds::files,
    roles::Use,
    sources::generated,
};
use lsp_types::{Diagnostic, Uri};

use crate::{
    aside::{self, Asides},
    capabilities::Client,
    from_proto, limits,
    settings::Effective,
    steady::SteadyErrors,
    tasks, to_proto,
    tried_texts::TriedTexts,
};

/// The analysis of one version of a document.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The displayed diagnostics, in document order.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The problem of each diagnostic in `diagnostics`, in the same order. Quick fixes are found by it.
    problems: Vec<Problem>,
    /// The ID of this list of diagnostics. Lists with the same ID are equal.
    pub(crate) result_id: String,
    /// The cost estimates of the document's rules, if requested.
    pub(crate) costs: Option<Arc<[DocumentCosts]>>,
    /// Problems that are shown only as a note of another diagnostic, each with that diagnostic's problem.
    told_with: Vec<(Problem, Problem)>,
    /// Whether the file's errors need no fix, see [`Asides`].
    pub(crate) is_aside: bool,
    /// The error in the entry that the user is typing, which is shown after a pause.
    unfinished: Option<Arc<Analysis>>,
    /// The postponed part of the analysis, until it is complete. All analyses of the same document version share it.
    unsearched: Arc<Mutex<Option<Unsearched>>>,
    /// What requests for fixes have found out about this version of the document.
    pub(crate) tried: TriedTexts,
}

/// A report that lacks the hazards of some rules, or the effects of changes since a revision.
#[derive(Debug)]
struct Unsearched {
    report: FileReport,
    kept: DeferredSearch,
    path: PathBuf,
    effective: Effective,
    errors: Option<Arc<SteadyErrors>>,
    built: Option<Arc<AsBuilt>>,
    /// Whether changes since a revision still have to be compared.
    awaits_changes: bool,
}

/// The options and the context of an analysis.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// Which hazards of rules to search for.
    pub(crate) hazards: Search<'a>,
    /// Whether to compute the cost estimates of rules.
    pub(crate) costs: bool,
    /// What the analyzed text would replace.
    pub(crate) update: Update<'a>,
    /// Whether more changes since the revision in `update` will become known later.
    pub(crate) awaits_changes: bool,
    /// What is known of the user's typing.
    pub(crate) typing: Typing<'a>,
    /// The errors shown so far, while the user types.
    pub(crate) errors: Option<&'a Arc<SteadyErrors>>,
    /// The Go types that CRDs are generated from.
    pub(crate) go: Option<&'a GoSources>,
    /// The objects of the file as kustomizations and Flux build them, if anything builds the file.
    pub(crate) built: Option<&'a Arc<AsBuilt>>,
    /// What is known about a CRD that is older than its source files.
    pub(crate) older: Option<&'a Arc<AsBuilt>>,
    /// The context for deciding which errors need no fix.
    pub(crate) asides: Option<Asides<'a>>,
}

/// The question for a file and its settings. Diagnostics and quick fixes ask the same question. The settings add to what is `around` the file.
pub(crate) fn question<'q>(
    path: &'q Path,
    effective: &'q Effective,
    around: Around<'q>,
    hazards: Search<'q>,
) -> Question<'q> {
    Question {
        path: Some(path),
        around: Around {
            charts: Some(&effective.charts),
            markers: Some(&effective.config.markers),
            requires_crds: effective.requires_crds,
            ..around
        },
        wants: wants(effective, hazards),
        uses: effective.uses,
        ..Question::new(effective.versions)
    }
}

/// What an editor wants to know of a file with these settings.
pub(crate) fn wants<'q>(effective: &Effective, hazards: Search<'q>) -> Wants<'q> {
    Wants {
        hazards: if are_shown(&effective.config) {
            hazards
        } else {
            Search::Off
        },
        lints: Lints::of(&effective.config),
        is_edited: true,
        effective: false,
        most_findings: MOST_FINDINGS,
        ..Wants::default()
    }
}

impl Analysis {
    /// An analysis without diagnostics.
    pub(crate) fn empty() -> Self {
        Self::of(Vec::new(), Vec::new())
    }

    /// Analyzes a text.
    pub(crate) fn new(
        uri: &Uri,
        text: Arc<str>,
        effective: &Effective,
        client: &Client,
        definitions: &dyn Definitions,
        wanted: &Wanted<'_>,
    ) -> Self {
        if effective.is_excluded {
            return Self::empty();
        }
        let path = from_proto::place_of(uri);
        if let Some(row) = files::of(&path) {
            let report = (row.judge)(text.as_bytes().to_vec());
            return Self::of_report(uri, &report, effective, client, (None, None));
        }
        let (mut report, kept) = report(&path, text, effective, definitions, wanted);
        let costs = wanted.costs.then(|| std::mem::take(&mut report.costs).into());
        let of_typing = (wanted.errors.map(|it| &**it), wanted.built.map(|it| &**it));
        let shown = Self::of_report(uri, &report, effective, client, of_typing);
        let unfinished = report.unfinished.as_deref().map(|finding| {
            let report = FileReport::of_file(report.text.clone(), finding.clone());
            Arc::new(Self::of_report(uri, &report, effective, client, (None, None)))
        });
        let mut unsearched = None;
        let has_crd = report.documents.iter().any(|it| it.subject == Subject::Definition);
        let awaits_changes = wanted.awaits_changes && has_crd;
        if report.is_unfinished || awaits_changes {
            unsearched = Some(Unsearched {
                report,
                kept,
                path,
                effective: effective.clone(),
                errors: wanted.errors.cloned(),
                built: wanted.built.cloned(),
                awaits_changes,
            });
        } else if wanted.typing.last_trees.is_some() {
            // Free this later, so that the diagnostics do not wait for it.
            tasks::after_judging(move || drop((kept, report)));
        }
        Self {
            costs,
            unfinished,
            unsearched: Arc::new(Mutex::new(unsearched)),
            ..shown
        }
    }

    /// The API server's answer for a text, combined with the objects that kustomizations and Flux build from the file.
    pub(crate) fn whole_report(
        uri: &Uri,
        text: Arc<str>,
        effective: &Effective,
        definitions: &dyn Definitions,
        wanted: &Wanted<'_>,
    ) -> FileReport {
        let path = from_proto::place_of(uri);
        let report = report(&path, text, effective, definitions, wanted).0;
        with_built(&report, wanted.built.map(|it| &**it)).unwrap_or(report)
    }

    /// All problems, including those that are only notes.
    pub(crate) fn all_problems(&self) -> impl Iterator<Item = Problem> + '_ {
        let others = self.told_with.iter().map(|it| it.0.clone());
        self.problems.iter().cloned().chain(others)
    }

    /// The diagnostics that show each problem, by problem.
    pub(crate) fn diagnostics_of(&self) -> HashMap<Problem, Vec<&Diagnostic>> {
        let mut sent: HashMap<Problem, Vec<&Diagnostic>> = HashMap::new();
        for (problem, diagnostic) in self.problems.iter().zip(&self.diagnostics) {
            sent.entry(problem.clone()).or_default().push(diagnostic);
        }
        for (problem, head) in &self.told_with {
            let with = sent.get(head).cloned().unwrap_or_default();
            sent.entry(problem.clone()).or_default().extend(with);
        }
        sent
    }

    /// Whether an error in the entry that the user is typing is still hidden.
    pub(crate) fn is_typed_in(&self) -> bool {
        self.unfinished.is_some()
    }

    /// The same analysis, with the error in the entry that the user is typing.
    pub(crate) fn with_unfinished(&self) -> Self {
        let error = self.unfinished.iter();
        let diagnostics = error.clone().flat_map(|it| &it.diagnostics).chain(&self.diagnostics);
        let problems = error.flat_map(|it| &it.problems).chain(&self.problems);
        Self {
            costs: self.costs.clone(),
            told_with: self.told_with.clone(),
            is_aside: self.is_aside,
            unsearched: self.unsearched.clone(),
            ..Self::of(diagnostics.cloned().collect(), problems.cloned().collect())
        }
    }

    /// The diagnostics to display for a report, given the errors shown before and the built objects.
    fn of_report(
        uri: &Uri,
        report: &FileReport,
        effective: &Effective,
        client: &Client,
        (errors, built): (Option<&SteadyErrors>, Option<&AsBuilt>),
    ) -> Self {
        let with_built = with_built(report, built);
        let report = with_built.as_ref().unwrap_or(report);
        let mut shown: Vec<MergedFinding> = Vec::new();
        // The document of each finding.
        let mut of = Vec::new();
        for document in &report.documents {
            shown.extend(document.merged_findings(&effective.config));
            of.resize(shown.len(), document);
        }
        let of_file = report
            .findings
            .iter()
            .filter_map(|it| effective.config.apply(it.clone()));
        shown.extend(of_file.map(|finding| MergedFinding {
            finding,
            versions: effective.versions,
        }));
        if let Some(errors) = errors {
            if report.unfinished.is_some() {
                let stays = errors.stay(&shown, &report.around_unfinished);
                of = of
                    .into_iter()
                    .zip(&stays)
                    .filter_map(|(it, stays)| stays.then_some(it))
                    .collect();
                let mut stays = stays.into_iter();
                shown.retain(|_| stays.next().unwrap_or(true));
            }
            errors.apply(&mut shown);
        }
        // If one value has several errors, show the others as notes in the related information.
        let told_with = if client.related_information {
            told_as_one(&mut shown, &mut of)
        } else {
            Vec::new()
        };
        if let Some(aside) = &report.aside {
            for (it, document) in shown.iter_mut().zip(of) {
                aside::quiet(aside, document, &mut it.finding);
            }
        }
        if shown.is_empty() {
            return Self::empty();
        }
        let source = to_proto::Source {
            uri,
            text: &report.text,
            lines: &LineIndex::new(&report.text),
            client,
        };
        let quieter = quieter(&mut shown, limits::DIAGNOSTICS);
        let convert = |it: &MergedFinding| to_proto::diagnostic(&source, it, effective.versions);
        let problems = shown.iter().map(|it| Problem::from(&it.finding)).collect();
        let mut diagnostics: Vec<_> = shown.iter().map(convert).collect();
        let left_out = quieter.len() + report.left_out();
        if left_out > 0 {
            let first = quieter.first().map(|it| it.finding.span);
            diagnostics.push(to_proto::left_out(&source, left_out, first));
        }
        Self {
            is_aside: report.aside.is_some(),
            told_with,
            ..Self::of(diagnostics, problems)
        }
    }

    /// Whether the search for hazards is not complete.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.unsearched().as_ref().is_some_and(|it| it.report.is_unfinished)
    }

    /// Whether changes since a revision still have to be compared.
    pub(crate) fn awaits_changes(&self) -> bool {
        self.unsearched().as_ref().is_some_and(|it| it.awaits_changes)
    }

    /// Continues the search for hazards. `None` if it finds nothing new, or if another thread is already searching.
    pub(crate) fn with_hazards(&self, uri: &Uri, client: &Client, memory: &Memory, go: &GoSources) -> Option<Self> {
        let mut left = self.unsearched().take()?;
        let path = Some(&*left.path);
        let has_changed = left.kept.search(&mut left.report, memory, path, Some(go));
        left.report.is_unfinished = false;
        let fuller = has_changed.then(|| self.fuller(uri, client, &left)).flatten();
        if left.awaits_changes {
            *self.unsearched() = Some(left);
        }
        fuller
    }

    /// Adds the effects of changes since a revision. `None` if nothing changes.
    pub(crate) fn with_changes(
        &self,
        uri: &Uri,
        client: &Client,
        known: &KnownChanges,
        go: &GoSources,
    ) -> Option<Self> {
        let mut left = self.unsearched().take()?;
        left.awaits_changes = false;
        let path = Some(&*left.path);
        let has_changed = left.kept.tell_changes(&mut left.report, known, path, Some(go));
        has_changed.then(|| self.fuller(uri, client, &left)).flatten()
    }

    /// The analysis of a more complete report. `None` if its diagnostics are the same.
    fn fuller(&self, uri: &Uri, client: &Client, left: &Unsearched) -> Option<Self> {
        let (errors, built) = (left.errors.as_deref(), left.built.as_deref());
        let shown = Self::of_report(uri, &left.report, &left.effective, client, (errors, built));
        (shown.result_id != self.result_id).then(|| Self {
            costs: self.costs.clone(),
            unfinished: self.unfinished.clone(),
            unsearched: self.unsearched.clone(),
            ..shown
        })
    }

    fn unsearched(&self) -> MutexGuard<'_, Option<Unsearched>> {
        self.unsearched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(diagnostics: Vec<Diagnostic>, problems: Vec<Problem>) -> Self {
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(&diagnostics)
            .unwrap_or_default()
            .hash(&mut hasher);
        Self {
            diagnostics,
            problems,
            result_id: format!("{:016x}", hasher.finish()),
            costs: None,
            told_with: Vec::new(),
            is_aside: false,
            unfinished: None,
            unsearched: Arc::default(),
            tried: TriedTexts::default(),
        }
    }
}

/// The report for a text, and the state that continues the search for hazards later.
fn report(
    path: &Path,
    text: Arc<str>,
    effective: &Effective,
    definitions: &dyn Definitions,
    wanted: &Wanted<'_>,
) -> (FileReport, DeferredSearch) {
    let is_open = wanted.built.is_some_and(|it| it.is_open());
    let around = Around {
        go: wanted.go.map(|it| it as &dyn generated::GoSources),
        overlays: wanted.built.map(|it| &**it as &dyn BuiltDocuments),
        ..Around::crds(definitions)
    };
    let question = question(path, effective, around, wanted.hazards);
    let question = Question {
        // A kustomization that could not be built may add the missing fields.
        uses: effective.uses.with_if(Use::Part, is_open),
        update: wanted.update,
        wants: Wants {
            costs: wanted.costs,
            ..question.wants
        },
        ..question
    };
    let (mut report, mut kept) = analyze_typing(text.clone(), &question, wanted.typing);
    let asides = wanted.asides.as_ref();
    let scripts = OnceCell::new();
    if let Some(uses) = asides.and_then(|it| it.completed(path, &report, question.uses, &scripts)) {
        let again = Question { uses, ..question };
        (report, kept) = analyze_typing(text, &again, wanted.typing);
    }
    if let Some(asides) = &wanted.asides
        && (report.has_errors() || wanted.built.is_some_and(|it| it.has_errors()))
    {
        let with_built = with_built(&report, wanted.built.map(|it| &**it));
        report.aside = asides.of(path, with_built.as_ref().unwrap_or(&report));
    }
    if let Some(asides) = wanted.asides.as_ref().filter(|_| effective.uses.has(Use::Expressions)) {
        asides.look_for_expected_error(path, &mut report);
    }
    if let Some(older) = wanted.older {
        older.apply(&mut report);
    }
    (report, kept)
}

/// If one value has several errors, keeps one of them and turns the others into its notes. `of` has the document of each finding. Returns pairs of
/// problems: a removed error, and the error whose note it is now.
fn told_as_one(shown: &mut Vec<MergedFinding>, of: &mut Vec<&DocumentReport>) -> Vec<(Problem, Problem)> {
    let mut told = Vec::new();
    let mut is_told = vec![false; shown.len()];
    let mut start = 0;
    for documents in of.chunk_by(|one, other| std::ptr::eq(*one, *other)) {
        let of_document = &mut shown[start..start + documents.len()];
        let heads = documents
            .first()
            .map(|it| one_value::heads(it, of_document))
            .unwrap_or_default();
        for (other, &head) in heads.iter().enumerate().filter(|(other, head)| *other != **head) {
            let note = one_value::note(&of_document[head].finding, &of_document[other].finding);
            told.push((
                Problem::from(&of_document[other].finding),
                Problem::from(&of_document[head].finding),
            ));
            is_told[start + other] = true;
            let notes = &mut of_document[head].finding.notes;
            notes.extend(note.filter(|it| !notes.contains(it)));
        }
        start += documents.len();
    }
    if !told.is_empty() {
        let mut of_shown = is_told.iter();
        shown.retain(|_| of_shown.next() == Some(&false));
        let mut of_documents = is_told.iter();
        of.retain(|_| of_documents.next() == Some(&false));
    }
    told
}

/// The report combined with the built objects. `None` if nothing was built.
fn with_built(report: &FileReport, built: Option<&AsBuilt>) -> Option<FileReport> {
    let mut report = built.map(|_| report.clone())?;
    built?.apply(&mut report);
    Some(report)
}

/// Limits a list to `most` findings. Removes and returns the least severe ones; among equally severe ones, the last.
fn quieter(shown: &mut Vec<MergedFinding>, most: usize) -> Vec<MergedFinding> {
    if shown.len() <= most {
        return Vec::new();
    }
    let mut loudest: Vec<usize> = (0..shown.len()).collect();
    loudest.sort_by_key(|it| shown[*it].finding.severity);
    let kept: HashSet<usize> = loudest.into_iter().take(most).collect();
    let all = std::mem::take(shown).into_iter().enumerate();
    let (kept, others): (Vec<_>, Vec<_>) = all.partition(|it| kept.contains(&it.0));
    *shown = kept.into_iter().map(|it| it.1).collect();
    others.into_iter().map(|it| it.1).collect()
}
