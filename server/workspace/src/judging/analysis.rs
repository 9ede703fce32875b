//! Checks the text of a file and returns the diagnostics of its documents.

mod charts;
mod definition;
mod inside;
mod kinds;
mod nameless;
mod partly_known;
mod placed;
#[cfg(test)]
mod tests;
mod types;
mod unchecked;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    path::Path,
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_apiextensions::{decode::WrittenType, kind::CRD, strategy::CrdVerdict};
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::{KubernetesVersion, codes::MISSING_METADATA_NAME};
use crd_analyzer_syntax::{
    json::KeptJson,
    read_json,
    split::Document,
    template::first_action,
    tree::{NodeId, Span, Tree},
};

pub(crate) use charts::{analyze_text, define_report, parse_failure};

pub use crate::judging::question::{Around, BuiltDocuments, MOST_FINDINGS, Old, Question, Update, Wants};
use crate::{
    codes,
    comparison::previous::Previous,
    costs::DocumentCosts,
    documents::head::{self, Head},
    documents::last_trees::{LastTree, LastTrees},
    documents::spans,
    documents::text::Text,
    filled_in::fill::{
        Filled, Places,
        actions::{Action, Kind, actions},
    },
    filled_in::printed::replaced,
    filled_in::rendered,
    filled_in::unknown::Completed,
    filled_in::variables::Variables,
    findings::finding::{Class, Finding},
    findings::report::{DocumentReport, DocumentVerdict, FileReport, Subject, Unchecked},
    index::{
        Definitions, Found, GroupKind, native,
        objects::{self, Object},
    },
    judging::deferred_search::{self, DeferredSearch, UnsearchedReport},
    judging::merge_conflict,
    judging::misnamed,
    judging::mixed_objects,
    judging::other_tools,
    judging::passed_over,
    judging::room::{self, Room},
    judging::substitution,
    judging::undefined::{self, Undefined},
    judging::verdict,
    kinds as kinds_table, resource,
    roles::Uses,
    sources, words,
};

/// Checks all CRDs in a text, and all resources whose CRDs are known. Any bytes are accepted.
pub fn analyze(bytes: Vec<u8>, question: &Question<'_>) -> FileReport {
    analyze_and_keep(bytes, question).0
}

/// Like [`analyze`], and also returns the state that is needed to search for hazards later, see [`DeferredSearch::search`].
pub fn analyze_and_keep(bytes: Vec<u8>, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    analyze_source(&Text::decode(bytes), question)
}

/// Like [`analyze`], for a text that differs little from the last one. `last_trees` has the trees of that one, which makes parsing faster.
pub fn analyze_edited(text: Arc<str>, question: &Question<'_>, last_trees: &Arc<LastTrees>) -> FileReport {
    analyze_source(&Text::whole(text).after(Some(last_trees)), question).0
}

/// Like [`analyze`], but always treats the text as a manifest, even if the file's name is that of a source file. `last_trees` has the trees of the
/// version of the manifest that was checked before, if there is one.
pub fn analyze_manifest(text: Arc<str>, question: &Question<'_>, last_trees: Option<&Arc<LastTrees>>) -> FileReport {
    analyze_text(&Text::whole(text).after(last_trees), question).0
}

/// Checks the text as a source file that manifests are generated from. If it is none, checks the manifests in it.
pub(crate) fn analyze_source(source: &Text, question: &Question<'_>) -> (FileReport, DeferredSearch) {
    let Some((path, row)) = question.path.and_then(|it| Some((it, sources::of(it)?))) else {
        return analyze_text(source, question);
    };
    let report = (row.report)(&source.content, path, question);
    (report, DeferredSearch::default())
}

/// Checks the manifests in a text. `filled` has the text with the actions of a template filled in, if it is a template.
fn judge_text(source: &Text, question: &Question<'_>, filled: Option<Filled>) -> (FileReport, DeferredSearch) {
    let question = &Question {
        update: Update {
            revision: question.update.revision.filter(|it| !it.is(&source.content)),
            ..question.update
        },
        ..*question
    };
    let mut report = FileReport::empty(source.content.clone());
    let charts = question.path.zip(question.around.charts);
    let is_of_chart = || charts.is_some_and(|(path, charts)| charts.of(path).is_some());
    let printed = filled.map(|mut it| {
        it.places.keeps_quotes = is_of_chart();
        (Text::whole(it.text.into()), it.places)
    });
    // In a template, a line of an action or of a comment may look like the start of a document.
    let found = printed.as_ref().map_or(source, |it| &it.0).documents();
    if let Some(error) = &found.error {
        // If clients cannot split a file into documents, they send none of them.
        let documents = &mut found.documents.iter();
        if question.named
            || documents.any(|document| head::read(source, *document).is_crd())
            || question.is_completed() && passed_over::shows_manifest(&source.content)
        {
            let mut document = DocumentReport::of_head(0, error.span, &WrittenType::default(), Subject::Definition);
            document.verdicts.extend(
                question
                    .versions
                    .iter()
                    .map(|version| (version, verdict::not_cut(error))),
            );
            report.documents.push(document);
        } else if question.is_completed() {
            report.unchecked.push(Unchecked::NotYaml);
        }
        return (report, DeferredSearch::default());
    }
    let previous = |old: Old<'_>| Previous::new(Text::decode(old.text.to_vec()), old.is_paired);
    let previous = question.update.old.map(previous);
    let uses = question.uses.with_those_of_path(question.path);
    let replaced = printed.is_none().then(|| replaced(source, uses)).flatten();
    let filled = printed.as_ref().or(replaced.as_ref());
    let variables = question.path.zip(question.around.overlays);
    let variables = variables.and_then(|(path, overlays)| overlays.variables(path));
    let ask = Ask {
        source,
        variables: variables.as_deref(),
        filled: filled.map(|it| (&it.0, &it.1)),
        question,
        uses,
        previous: previous.as_ref(),
        is_alone: found.documents.len() == 1,
        found: RefCell::default(),
        notes: RefCell::default(),
        unknown: RefCell::default(),
        unchecked: RefCell::default(),
        is_unfinished: Cell::new(false),
        costs: RefCell::default(),
        kept: RefCell::default(),
        trees: RefCell::default(),
        room: Room::default(),
    };
    budget::within(Limits::file(source.content.len()), || {
        for &document in &found.documents {
            if ask.room.is_gone() {
                let head = Head::read(source, document).written;
                let mut rest = DocumentReport::of_head(document.index, document.span, &head, Subject::Definition);
                room::not_judged(&mut rest, &source.content, question.versions);
                report.documents.push(rest);
                break;
            }
            if ask.is_built(document.index as usize, None) {
                continue;
            }
            let judged = ask.judge(document);
            ask.kept.borrow_mut().place(report.documents.len());
            match judged {
                Judged::Documents(documents) => {
                    ask.room.take(&documents);
                    report.documents.extend(documents);
                }
                Judged::Template { action, document } => {
                    // Report it only once, because a file with one template usually has many.
                    if report.findings.is_empty() {
                        report.findings.push(template(action));
                    }
                    report.documents.extend(document.map(|it| *it));
                }
            }
        }
    });
    let is_of_object = question.around.overlays.is_some_and(BuiltDocuments::is_of_object);
    if printed.is_none() && !is_of_object {
        report.findings.extend(substitution::findings(source, question));
        report.findings.extend(substitution::invalid_names(source));
        report.findings.extend(misnamed::findings(source, question.path));
    }
    if question.wants.unchecked && passed_over::is_blank(source) {
        ask.fail_blank();
    }
    report.documents.iter_mut().for_each(mixed_objects::leave_out_rest);
    if question.is_completed() {
        for document in &mut report.documents {
            merge_conflict::name_conflict(&source.content, document);
            rendered::name_template(&source.content, document);
        }
    }
    source.keep(ask.trees.into_inner());
    report.findings.extend(ask.notes.into_inner());
    report.unknown = ask.unknown.into_inner();
    report.unchecked = ask.unchecked.into_inner();
    report.is_unfinished = ask.is_unfinished.get();
    report.costs = ask.costs.into_inner();
    (report, ask.kept.into_inner())
}

/// The result of checking a document.
enum Judged {
    /// The reports on the document, or on the objects in it.
    Documents(Vec<DocumentReport>),
    /// The document is the template of a CRD.
    Template {
        /// The place of the template that is told, see [`Ask::template_place`].
        action: Span,
        /// The report on the raw text of the template, if it was checked. It is not displayed.
        document: Option<Box<DocumentReport>>,
    },
}

impl Judged {
    const NOTHING: Self = Self::Documents(Vec::new());
}

fn template(action: Span) -> Finding {
    let message = "this file is a template, so it is not checked: check what the template renders";
    Finding::new(Class::Hint, codes::TEMPLATE, action, message)
}

/// A text, the question about it, and the state of the check.
struct Ask<'a> {
    source: &'a Text,
    /// The text with the actions of a template filled in, and the places where they were. `None` if the text is not a template.
    filled: Option<(&'a Text, &'a Places)>,
    question: &'a Question<'a>,
    /// What the tools of the repository do with the file, including what its path shows.
    uses: Uses<'a>,
    /// The variables that Flux substitutes in the file.
    variables: Option<&'a Variables>,
    previous: Option<&'a Previous>,
    /// Whether the text is a single document.
    is_alone: bool,
    /// The CRDs that apply to the resources of the text, by kind.
    found: RefCell<HashMap<GroupKind, Rc<Found>>>,
    /// Diagnostics about the file as a whole.
    notes: RefCell<Vec<Finding>>,
    /// See [`FileReport::unknown`].
    unknown: RefCell<Vec<GroupKind>>,
    /// See [`FileReport::unchecked`].
    unchecked: RefCell<Vec<Unchecked>>,
    /// See [`FileReport::is_unfinished`].
    is_unfinished: Cell<bool>,
    /// See [`FileReport::costs`].
    costs: RefCell<Vec<DocumentCosts>>,
    /// The state for a later search for hazards.
    kept: RefCell<DeferredSearch>,
    /// The trees to keep for the next version of the text.
    trees: RefCell<Vec<LastTree>>,
    room: Room,
}

impl Ask<'_> {
    /// Whether a document, or an item in it, is checked only as kustomizations build it.
    fn is_built(&self, index: usize, item: Option<usize>) -> bool {
        let (path, overlays) = (self.question.path, self.question.around.overlays);
        path.zip(overlays)
            .is_some_and(|(path, overlays)| overlays.is_built(path, index, item))
    }

    fn judge(&self, document: Document) -> Judged {
        let Self { source, question, .. } = *self;
        if let Some((filled, places)) = self.filled {
            // The document has only comments and actions. It is skipped unless one of them prints something into it.
            let at = document.span.range();
            let is_blank = |it: &str| it.trim_start().is_empty() || it.trim_start().starts_with('#');
            let prints = |it: &Action| it.kind == Kind::Value;
            if filled.content[at.clone()].lines().all(is_blank)
                && actions(&source.content[at]).is_some_and(|it| !it.iter().any(prints))
            {
                return Judged::NOTHING;
            }
            let mut written = head::read(filled, document);
            if places.is_in(&written.name) {
                written.name.clear();
            }
            let is_of_row = kinds_table::of_written(&written).is_some();
            if is_of_row
                && places.keeps_quotes
                && let Some(judged) = self.template_of_row(document, &written, (filled, places))
            {
                return judged;
            }
            let is_wrapper = objects::wrapper(&written).is_some();
            if let Some(judged) = self.template_of_wrapper(document, &written, (filled, places)) {
                return judged;
            }
            if !(written.kind.is_empty() || written.is_crd() || is_wrapper || is_of_row) {
                // The kind and the version decide which schema applies. Without a slash, the version may turn out to have a group.
                if places.is_in(&written.api_version) || places.is_in(&written.kind) {
                    self.leave_template(document);
                    return Judged::NOTHING;
                }
                let object = Object::of_document(document, written);
                let judged: Vec<_> = self.resource(filled, &object, None).into_iter().collect();
                if judged.is_empty()
                    && let Some(kind) = object.group_kind()
                {
                    self.unchecked.borrow_mut().extend(passed_over::unchecked(kind));
                }
                return Judged::Documents(judged);
            }
            if written.is_crd()
                && written.unserved().is_none()
                && let Ok(tree) = filled.read(document)
                && let Ok(json) = read_json(&tree)
            {
                let report = DocumentReport::of_head(document.index, document.span, &written, Subject::Definition);
                let judged = self.definition(report, &tree, &json, Some(places));
                return Judged::Documents(deferred_search::complete(&tree, vec![judged]));
            }
        }
        let found = Head::read(source, document);
        let head = found.written.clone();
        if let Some(judged) = self.document_of_row(document, &head) {
            return judged;
        }
        let is_named = question.named && !question.around.has_own_crd;
        // A document with a kind is not parsed for this question.
        let may_be_crd = || is_named && (!question.is_completed() || self.may_be_crd(document, &head));
        let is_asked = head.is_asked(head.kind.is_empty() && may_be_crd());
        let text = &source.content[document.span.range()];
        let may_be_template = || head.kind.is_empty() && text.contains("{{") && CRD.is_said_in(text);
        if !is_asked {
            let counted = self.unknown.borrow().len();
            let object = Object::of_document(document, head.clone());
            let documents = match self.inside(source, &object) {
                Some(documents) => documents,
                None => self.resource(source, &object, None).into_iter().collect(),
            };
            if !documents.is_empty() {
                return Judged::Documents(documents);
            }
            if question.is_completed() && !may_be_template() {
                return self.passed_over(document, found, counted);
            }
        }
        if !(is_asked || may_be_template()) {
            return Judged::NOTHING;
        }
        let unread = |answer: &dyn Fn(KubernetesVersion) -> CrdVerdict| {
            let mut report = DocumentReport::of_head(document.index, document.span, &head, Subject::Definition);
            let verdicts = question
                .versions
                .iter()
                .map(|version| (version, verdict::of_unread(&answer(version))));
            report.verdicts.extend(verdicts);
            report
        };
        let refused = |mut report: DocumentReport| {
            let Some(action) = first_action(&source.content, document.span) else {
                return if is_asked {
                    Judged::Documents(vec![report])
                } else {
                    Judged::NOTHING
                };
            };
            // Skip the document, because the API server sees it only after a tool has completed it.
            if question.is_completed() {
                self.leave_template(document);
                return if question.wants.unchecked {
                    Judged::NOTHING
                } else {
                    let action = self.template_place(document, action);
                    Judged::Template { action, document: None }
                };
            }
            for (_, verdict) in &mut report.verdicts {
                verdict
                    .decode_error
                    .iter_mut()
                    .for_each(|error| error.suppressed = true);
            }
            Judged::Template {
                action,
                document: question.named.then(|| Box::new(report)),
            }
        };
        let read = found.whole(source, document);
        if head.unserved().is_some() {
            let tree = read.as_ref().ok();
            let written = tree.and_then(|tree| Some(tree.span(tree.get(tree.root()?, "apiVersion")?)));
            let place = written.unwrap_or_else(|| spans::first_line(&source.content, document.span));
            if let Some(answer) = CrdVerdict::of_unserved(&head, place) {
                let mut report = unread(&|_| answer.clone());
                if let Some(tree) = tree {
                    self.leave_part(&mut report, tree);
                    deferred_search::suppress(tree, &mut report);
                }
                return Judged::Documents(vec![report]);
            }
        }
        // The braces of a template may be valid YAML that cannot be converted to JSON.
        let tree = match read {
            Ok(tree) => tree,
            Err(error) => {
                return refused(unread(&|_| CrdVerdict::of_read_error(&error)));
            }
        };
        let tree = Arc::new(tree);
        let known = source.known_json(document);
        let json = match known.map_or_else(|| KeptJson::read(tree.clone()), Ok) {
            Ok(json) => json,
            Err(error) => {
                let answer = |version| CrdVerdict::of_convert_error(&error, version);
                let mut report = unread(&answer);
                deferred_search::suppress(&tree, &mut report);
                return refused(report);
            }
        };
        if !is_asked {
            return Judged::NOTHING;
        }
        let report = DocumentReport::of_head(document.index, document.span, &head, Subject::Definition);
        let judged = self.definition(report, &tree, json.get(), None);
        let json = source.keeps_json().then_some(json);
        Judged::Documents(self.complete((document, tree, json), vec![judged]))
    }

    /// The report on an object that cannot be parsed.
    fn unread(&self, document: Document, written: &WrittenType, answer: &DocumentVerdict) -> DocumentReport {
        let mut report = DocumentReport::of_head(document.index, document.span, written, Subject::Resource);
        let versions = self.question.versions.iter();
        report.verdicts.extend(versions.map(|it| (it, answer.clone())));
        report
    }

    /// Adds hazards to the reports on the objects of a tree, and applies the document's suppressions. If some hazards are not known yet, keeps the
    /// data for searching for them.
    fn complete(
        &self,
        (document, tree, json): (Document, Arc<Tree>, Option<KeptJson>),
        judged: Vec<UnsearchedReport>,
    ) -> Vec<DocumentReport> {
        self.remember(self.source, document, &tree, json);
        let is_unfinished = judged.iter().any(|it| it.unsearched.is_some());
        self.is_unfinished.set(self.is_unfinished.get() || is_unfinished);
        if !is_unfinished && (self.question.update.changes.is_none() || self.question.update.revision.is_none()) {
            return deferred_search::complete(&tree, judged);
        }
        let reports = deferred_search::complete(&tree, judged.iter().map(UnsearchedReport::without_verdict).collect());
        self.kept.borrow_mut().push(tree, judged);
        reports
    }

    /// Keeps the tree of a document if the user edits the text.
    fn remember(&self, text: &Text, document: Document, tree: &Arc<Tree>, json: Option<KeptJson>) {
        if text.keeps_trees() {
            let tree = tree.clone();
            self.trees.borrow_mut().push(LastTree { document, tree, json });
        }
    }

    /// Checks an object without a known CRD. If the text is checked as it is, the result is `None` when an API server without the CRD has nothing to
    /// say about the object, unless the user requires all CRDs.
    fn undefined(
        &self,
        definitions: &dyn Definitions,
        object: &Object,
        kind: GroupKind,
        read: Option<(&Tree, NodeId)>,
    ) -> Option<DocumentReport> {
        let near = self.question.path.unwrap_or(Path::new(""));
        let why = if self.question.around.has_own_crd {
            self.is_alone.then_some(Undefined::Elsewhere)
        } else if self.question.is_completed()
            && let Some(meant) = undefined::meant(&object.written, &kind, (definitions, near))
        {
            Some(Undefined::Misspelt(meant))
        } else if self.question.is_completed() && undefined::is_only_group(&object.written) {
            Some(Undefined::OnlyGroup)
        } else if kind.kind.is_empty() || native::is_native(&kind.group) {
            None
        } else if self.question.around.requires_crds {
            Some(Undefined::Required)
        } else {
            if self.question.wants.unchecked {
                let place = undefined::value_of(self.source, object, read, "kind");
                self.fail_unchecked(place, words::unchecked::without_crd(&object.written));
            }
            if self.question.is_completed() {
                let hint = undefined::hint((self.source, object, read), &kind, (definitions, near));
                self.notes.borrow_mut().extend(hint);
            }
            self.unknown.borrow_mut().push(kind);
            None
        }?;
        let mut report = undefined::report(self.source, object, read, &why, self.question.versions);
        if read.is_none()
            && let Ok(tree) = self.source.read(object.document)
        {
            deferred_search::suppress(&tree, &mut report);
        }
        Some(report)
    }

    /// How an object of a text is completed before it is sent. `text` may be a template with its actions filled in.
    fn completed(&self, text: &Text, object: &Object) -> Completed<'_> {
        Completed {
            is_substituted: self.question.is_completed(),
            variables: self.variables,
            filled: self.filled.filter(|it| std::ptr::eq(it.0, text)).map(|it| it.1),
            ..Completed::of(object, self.uses, self.question.path)
        }
    }

    /// The CRD that applies to resources of a kind. It is chosen once for all of them.
    fn find(&self, definitions: &dyn Definitions, kind: &GroupKind) -> Option<Rc<Found>> {
        let known = self.found.borrow().get(kind).cloned();
        known.or_else(|| {
            let near = self.question.path.unwrap_or(Path::new(""));
            let found = Rc::new(definitions.find(kind, near)?);
            self.found.borrow_mut().insert(kind.clone(), found.clone());
            Some(found)
        })
    }

    /// Checks a custom resource if its CRD is known. `read` has the object's tree and node, if its document was parsed.
    fn resource(&self, text: &Text, object: &Object, read: Option<(&Tree, NodeId)>) -> Option<DocumentReport> {
        let kind = objects::group_kind(&object.written).unwrap_or_default();
        if self.question.is_completed() {
            let place = || undefined::value_of(text, object, read, "kind");
            self.notes.borrow_mut().extend(other_tools::note(&kind, place));
            if other_tools::is_file(&kind) || self.is_data(object) {
                return None;
            }
        }
        let definitions = self.question.around.definitions?;
        let Some(found) = self.find(definitions, &kind) else {
            return self.undefined(definitions, object, kind, read);
        };
        let asked = resource::ResourceToCheck {
            text,
            object,
            kind,
            found,
            definitions,
            question: self.question,
            previous: self.previous,
            completed: self.completed(text, object),
        };
        let judge = |read| {
            let mut report = resource::judge(&asked, read)?;
            if self.is_named_later(object) {
                let verdicts = report.verdicts.iter_mut();
                verdicts.for_each(|it| it.1.retain(|it| it.code != MISSING_METADATA_NAME));
            }
            Some(report)
        };
        let tree = match read {
            None => text.read(object.document),
            Some(read) => return judge(Ok(read)),
        };
        let judged = match &tree {
            Ok(tree) => judge(Ok((tree, tree.root()?))),
            Err(error) => judge(Err(error)),
        };
        let Some(mut report) = judged else {
            match first_action(&self.source.content, object.document.span) {
                Some(action) => {
                    let place = self.template_place(object.document, action);
                    self.notes.borrow_mut().push(template(place));
                }
                None if self.filled.is_some() => self.leave_template(object.document),
                // The document is skipped, and other code counts it.
                None => {}
            }
            return None;
        };
        if let Ok(tree) = tree {
            deferred_search::suppress(&tree, &mut report);
            self.remember(text, object.document, &Arc::new(tree), None);
        }
        Some(report)
    }
}
