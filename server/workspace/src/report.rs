//! What is known about one file: its documents and, for each minor asked about, the verdict.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

use crate::{
    advice,
    config::Config,
    costs::DocumentCosts,
    finding::{Class, Finding, ServerSays},
    index::Object,
    resource::Effective,
    versions::VersionSet,
};

/// What a document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A CustomResourceDefinition.
    Definition,
    /// A part of a CustomResourceDefinition, as a kustomize patch has it: what is missing is not looked for.
    PartialDefinition,
    /// A custom resource.
    Resource,
}

/// What the API server of one minor answers for one document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// The document cannot be read as what it says it is.
    pub decode_error: Option<Finding>,
    /// What strict field validation, the default of command line clients, rejects.
    pub strict: Vec<Finding>,
    /// The causes of the rejection.
    pub errors: Vec<Finding>,
    /// A rejection without causes, or a failure of the server itself.
    pub other_error: Option<Finding>,
    /// The warnings.
    pub warnings: Vec<Finding>,
    /// Ours.
    pub hints: Vec<Finding>,
    /// Of a custom resource: what the server makes of it, if it can read it.
    pub resource: Option<Box<Effective>>,
}

impl Verdict {
    /// Whether the object is stored, if the client does not ask for strict field validation.
    pub fn accepted(&self) -> bool {
        self.decode_error.is_none() && self.other_error.is_none() && self.errors.is_empty()
    }

    /// Whether the object is stored even under strict field validation.
    pub fn accepted_strict(&self) -> bool {
        self.accepted() && self.strict.is_empty()
    }

    /// Everything there is to show, in the order of the server's stages.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.decode_error
            .iter()
            .chain(&self.strict)
            .chain(&self.other_error)
            .chain(&self.errors)
            .chain(&self.warnings)
            .chain(&self.hints)
    }

    /// The same, to mark them.
    pub(crate) fn findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.decode_error
            .iter_mut()
            .chain(&mut self.strict)
            .chain(&mut self.other_error)
            .chain(&mut self.errors)
            .chain(&mut self.warnings)
            .chain(&mut self.hints)
    }
}

/// One document of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentReport {
    /// Its position in the file, all documents counted.
    pub index: usize,
    /// Its position among the items, if the document is a list and this is an object in it.
    pub item: Option<usize>,
    /// Its bytes in the file.
    pub span: Span,
    /// What it is.
    pub subject: Subject,
    /// `apiVersion` as written; empty if absent.
    pub api_version: String,
    /// `kind` as written; empty if absent.
    pub kind: String,
    /// `metadata.name`; empty if absent.
    pub name: String,
    /// The answers, oldest minor first.
    pub verdicts: Vec<(KubernetesVersion, Verdict)>,
}

/// A finding as it is shown once for all minors that it holds for.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The finding, in the words of the newest minor that gives it.
    pub finding: Finding,
    /// The minors that give it.
    pub versions: VersionSet,
}

impl DocumentReport {
    /// Of an object that nothing is said about yet.
    pub(crate) fn new(object: &Object, subject: Subject) -> Self {
        Self {
            index: object.document.index as usize,
            item: object.item,
            span: object.document.span,
            subject,
            api_version: object.written.api_version.clone(),
            kind: object.written.kind.clone(),
            name: object.written.name.clone(),
            verdicts: Vec::new(),
        }
    }

    /// The minors asked about.
    pub fn versions(&self) -> Option<VersionSet> {
        self.verdicts
            .iter()
            .map(|(version, _)| VersionSet::one(*version))
            .reduce(VersionSet::union)
    }

    /// The minors whose server accepts the document (strictly, as command line clients ask).
    pub fn accepted_by(&self) -> Option<VersionSet> {
        self.by(Verdict::accepted_strict)
    }

    /// The minors whose server rejects the document.
    pub fn rejected_by(&self) -> Option<VersionSet> {
        self.by(|verdict| !verdict.accepted_strict())
    }

    fn by(&self, holds: impl Fn(&Verdict) -> bool) -> Option<VersionSet> {
        let sets = self
            .verdicts
            .iter()
            .filter(|(_, verdict)| holds(verdict))
            .map(|(version, _)| VersionSet::one(*version));
        sets.reduce(VersionSet::union)
    }

    /// What to show to a person: one finding a cause for all minors that give it, in the order of the text, without
    /// what a comment or the configuration silences.
    pub fn shown(&self, config: &Config) -> Vec<Shown> {
        let mut shown: Vec<Shown> = Vec::new();
        for (version, verdict) in self.verdicts.iter().rev() {
            let first_older = shown.len();
            for finding in verdict.findings().filter(|finding| !finding.suppressed) {
                let one = VersionSet::one(*version);
                let same = shown
                    .iter_mut()
                    .take(first_older)
                    .find(|it| !it.versions.contains(*version) && is_same_cause(&it.finding, finding));
                if let Some(same) = same {
                    same.versions = same.versions.union(one);
                    note_other_words(&mut same.finding, finding, *version);
                } else if let Some(finding) = config.apply(finding.clone()) {
                    shown.push(Shown { finding, versions: one });
                }
            }
        }
        advice::merge(&mut shown);
        shown.sort_by_key(|it| (it.finding.hidden, it.finding.span.start, it.finding.class));
        shown
    }
}

/// Whether two minors speak of the same thing, perhaps in other words.
fn is_same_cause(newer: &Finding, older: &Finding) -> bool {
    (newer.class, newer.code, newer.span, newer.hidden) == (older.class, older.code, older.span, older.hidden)
        && match (&newer.server, &older.server) {
            (
                Some(ServerSays::Cause { reason, field, .. }),
                Some(ServerSays::Cause {
                    reason: reason2,
                    field: field2,
                    ..
                }),
            ) => (reason, field) == (reason2, field2),
            (newer, older) => newer.is_some() == older.is_some(),
        }
}

fn note_other_words(newer: &mut Finding, older: &Finding, version: KubernetesVersion) {
    let (Some(new_words), Some(old_words)) = (&newer.server, &older.server) else {
        return;
    };
    let old_words = old_words.message();
    if new_words.message() != old_words && !newer.notes.iter().any(|note| note.ends_with(&old_words)) {
        newer
            .notes
            .push(format!("up to {version}, the server says: {old_words}"));
    }
}

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileReport {
    /// The text that all spans count in.
    pub text: Arc<str>,
    /// The documents that there is something to say about: definitions and what belongs to them.
    pub documents: Vec<DocumentReport>,
    /// About the file as a whole: it is a template, its end of line is odd.
    pub findings: Vec<Finding>,
    /// How many objects are of a kind that is neither the server's own nor defined anywhere, so that nothing is said of them.
    pub unknown: usize,
    /// Hazards of some rules are not known yet: they were not asked for, or take too long.
    pub is_unfinished: bool,
    /// What the rules of the definitions cost, if that was wanted; those without rules are left out.
    pub costs: Vec<DocumentCosts>,
}

impl FileReport {
    /// The loudest class among what is shown; `None`: nothing wrong.
    pub fn worst(&self, config: &Config) -> Option<Class> {
        let documents = self
            .documents
            .iter()
            .flat_map(|document| document.shown(config))
            .map(|it| it.finding.class);
        documents.chain(self.findings.iter().map(|finding| finding.class)).min()
    }
}
