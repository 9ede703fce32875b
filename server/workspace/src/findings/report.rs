//! What is known about one file: its documents and, for each Kubernetes version asked about, the verdict.

use std::sync::Arc;

use crd_analyzer_apiextensions::{decode::WrittenType, kind::CRD};
use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

pub use crate::judging::passed_over::Unchecked;
use crate::{
    config::versions::VersionSet,
    config::{Config, Level},
    costs::DocumentCosts,
    documents::head,
    documents::text::Text,
    findings::finding::{Class, Finding, Severity},
    index::{GroupKind, Object},
    kinds,
    resource::effective::Effective,
    roles::Aside,
};

/// What a document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A CustomResourceDefinition.
    Definition,
    /// A part of a CustomResourceDefinition, as a kustomize patch has it: what is missing is not looked for.
    PartialCrd,
    /// A custom resource.
    Resource,
}

impl Subject {
    /// What an object is called that does not say its kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Definition | Self::PartialCrd => CRD.name,
            Self::Resource => "object",
        }
    }
}

/// What the API server of one Kubernetes version answers for one document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DocumentVerdict {
    /// The document cannot be read as what it says it is.
    pub decode_error: Option<Finding>,
    /// What strict field validation, the default of command line clients, rejects.
    pub strict: Vec<Finding>,
    /// The causes of the rejection.
    pub errors: Vec<Finding>,
    /// A rejection without causes, or a failure of the API server itself.
    pub other_error: Option<Finding>,
    /// The warnings.
    pub warnings: Vec<Finding>,
    /// Ours.
    pub hints: Vec<Finding>,
    /// What is not known because it takes more work or memory than one document may. No part of the answer: if nothing else rejects the
    /// object, the answer is unknown.
    pub unfinished: Vec<Finding>,
    /// Of a custom resource: what the API server makes of it, if it can read it.
    pub resource: Option<Box<Effective>>,
    /// How many findings are left out, because the memory budget has no room for them or the caller wants fewer (see
    /// [`Question::most_findings`](crate::judging::analysis::Question::most_findings)).
    pub left_out: usize,
}

impl DocumentVerdict {
    /// Whether the object is stored, if the client does not ask for strict field validation.
    pub fn accepted(&self) -> bool {
        self.is_without_errors() && self.unfinished.is_empty()
    }

    fn is_without_errors(&self) -> bool {
        self.decode_error.is_none() && self.other_error.is_none() && self.errors.is_empty()
    }

    /// Whether it is known that the object is stored, or that it is not, if the client does not ask for strict field validation.
    pub fn is_known(&self) -> bool {
        self.unfinished.is_empty() || !self.is_without_errors()
    }

    /// The same if the client does.
    pub fn is_known_strictly(&self) -> bool {
        self.is_known() || !self.strict.is_empty()
    }

    /// Whether the object is stored even under strict field validation.
    pub fn accepted_strict(&self) -> bool {
        self.accepted() && self.strict.is_empty()
    }

    /// Everything there is to show, in the order of the API server's stages.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.decode_error
            .iter()
            .chain(&self.strict)
            .chain(&self.other_error)
            .chain(&self.errors)
            .chain(&self.unfinished)
            .chain(&self.warnings)
            .chain(&self.hints)
    }

    /// Leaves out findings.
    pub(crate) fn retain(&mut self, stays: impl Fn(&Finding) -> bool) {
        self.retain_mut(|it| stays(it));
    }

    /// The same, and changes those that stay.
    pub(crate) fn retain_mut(&mut self, stays: impl Fn(&mut Finding) -> bool) {
        self.decode_error.take_if(|it| !stays(it));
        self.other_error.take_if(|it| !stays(it));
        for list in [&mut self.strict, &mut self.errors, &mut self.warnings, &mut self.hints] {
            list.retain_mut(&stays);
        }
    }

    /// The same, to mark them.
    pub(crate) fn findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.decode_error
            .iter_mut()
            .chain(&mut self.strict)
            .chain(&mut self.other_error)
            .chain(&mut self.errors)
            .chain(&mut self.unfinished)
            .chain(&mut self.warnings)
            .chain(&mut self.hints)
    }
}

/// One document of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentReport {
    /// Its position in the file, all documents counted.
    pub index: usize,
    /// Its position among the objects that the document wraps, if it is one, such as an item of a list.
    pub item: Option<usize>,
    /// Its bytes in the file.
    pub span: Span,
    /// What it is.
    pub subject: Subject,
    /// Something else completes the object, such as the base of a patch or the values of a template: it is checked as far as it is known.
    pub in_part: bool,
    /// Of a CRD: it is written as a whole, and values in it are filled in later, as in a template.
    pub is_filled_in: bool,
    /// `apiVersion` as written; empty if absent.
    pub api_version: String,
    /// `kind` as written; empty if absent.
    pub kind: String,
    /// `metadata.name`; empty if absent.
    pub name: String,
    /// `metadata.name` as it is written, if something builds the object or patches with the document: builds may give it other names.
    pub written_name: Option<String>,
    /// The answers, oldest Kubernetes version first.
    pub verdicts: Vec<(KubernetesVersion, DocumentVerdict)>,
}

/// A finding as it is shown once for all Kubernetes versions that it holds for.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedFinding {
    /// The finding, in the words of the newest Kubernetes version that gives it.
    pub finding: Finding,
    /// The Kubernetes versions that give it.
    pub versions: VersionSet,
}

/// Errors of the API server that are not shown, see [`DocumentReport::hidden_errors`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HiddenErrors {
    /// Those whose code the configuration switches off.
    pub by_configuration: usize,
    /// Those that a comment suppresses.
    pub by_comments: usize,
    /// Those that the baseline of a run lists.
    pub by_baseline: usize,
}

impl MergedFinding {
    /// The headline, and the Kubernetes versions that it holds for where these are not all that were asked about.
    pub fn headline(&self, asked: VersionSet) -> String {
        if self.versions == asked {
            self.finding.headline.clone()
        } else {
            format!("{} (Kubernetes {})", self.finding.headline, self.versions)
        }
    }
}

impl DocumentReport {
    /// An empty report on a document, from the keys that begin it.
    pub(crate) fn of_head(index: u32, span: Span, head: &WrittenType, subject: Subject) -> Self {
        Self {
            index: index as usize,
            item: None,
            span,
            subject,
            in_part: false,
            is_filled_in: false,
            api_version: head.api_version.clone(),
            kind: head.kind.clone(),
            name: head.name.clone(),
            written_name: None,
            verdicts: Vec::new(),
        }
    }

    /// A report on no object.
    #[cfg(test)]
    pub(crate) fn empty(subject: Subject) -> Self {
        Self::of_head(0, Span::default(), &WrittenType::default(), subject)
    }

    /// An empty report on an object.
    pub(crate) fn new(object: &Object, subject: Subject) -> Self {
        Self {
            index: object.document.index as usize,
            item: object.item(),
            span: object.document.span,
            subject,
            in_part: false,
            is_filled_in: false,
            api_version: object.written.api_version.clone(),
            kind: object.written.kind.clone(),
            name: object.written.name.clone(),
            written_name: None,
            verdicts: Vec::new(),
        }
    }

    /// Whether findings of it are told elsewhere in its file.
    pub fn has_repeats(&self) -> bool {
        let mut verdicts = self.verdicts.iter();
        verdicts.any(|it| it.1.findings().any(|it| it.repeats))
    }

    /// Whether it is an object of a kind that the API server itself has, other than a CRD.
    pub fn is_built_in(&self) -> bool {
        kinds::of(&self.api_version, &self.kind).is_some()
    }

    /// Whether an API server of one of the Kubernetes versions rejects it.
    pub(crate) fn has_errors(&self) -> bool {
        self.verdicts.iter().any(|(_, verdict)| !verdict.accepted_strict())
    }

    /// The Kubernetes versions asked about.
    pub fn versions(&self) -> Option<VersionSet> {
        self.verdicts
            .iter()
            .map(|(version, _)| VersionSet::one(*version))
            .reduce(VersionSet::union)
    }

    /// The Kubernetes versions whose server accepts the document (strictly, as command line clients ask).
    pub fn accepted_by(&self) -> Option<VersionSet> {
        self.by(DocumentVerdict::accepted_strict)
    }

    /// The Kubernetes versions whose server rejects the document.
    pub fn rejected_by(&self) -> Option<VersionSet> {
        self.by(|verdict| verdict.is_known_strictly() && !verdict.accepted_strict())
    }

    fn by(&self, holds: impl Fn(&DocumentVerdict) -> bool) -> Option<VersionSet> {
        let sets = self
            .verdicts
            .iter()
            .filter(|(_, verdict)| holds(verdict))
            .map(|(version, _)| VersionSet::one(*version));
        sets.reduce(VersionSet::union)
    }

    /// The highest severity among the displayed diagnostics. `None` if nothing is wrong.
    ///
    /// Errors that follow from others count as errors: the API server rejects the object even if the first ones are
    /// suppressed.
    pub fn loudest<'s>(&self, shown: impl IntoIterator<Item = &'s MergedFinding>) -> Option<Severity> {
        let is_whole = self.subject != Subject::PartialCrd;
        let loudness = |it: &Finding| match it.class {
            Class::LaterError if is_whole => Severity::Error,
            _ => it.severity,
        };
        shown.into_iter().map(|it| loudness(&it.finding)).min()
    }

    /// The errors of the API server that are not shown: how many the configuration hides, and how many comments.
    pub fn hidden_errors(&self, config: &Config) -> HiddenErrors {
        let is_whole = self.subject != Subject::PartialCrd;
        let Some((_, verdict)) = self
            .verdicts
            .iter()
            .rev()
            .find(|(_, it)| is_whole && !it.accepted_strict())
        else {
            return HiddenErrors::default();
        };
        let mut hidden = HiddenErrors::default();
        let follows = |it: &&Finding| it.code != resource_codes::UNCHECKED_RULES && !(it.suppressed && it.follows);
        let told = verdict.findings().filter(|it| !it.repeats);
        for finding in told.filter(|it| it.class == Class::Error).filter(follows) {
            if finding.suppressed {
                hidden.by_comments += 1;
            } else if config.rules.get(finding.code) == Some(&Level::Off) {
                hidden.by_configuration += 1;
            }
        }
        hidden
    }
}

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileReport {
    /// The text that all spans count in.
    pub text: Arc<str>,
    /// The documents that there is something to say about: CRDs and what belongs to them.
    pub documents: Vec<DocumentReport>,
    /// Why its errors do not fail a run, if they do not. Set by whoever knows the repository.
    pub aside: Option<Aside>,
    /// About the file as a whole: it is a template, its end of line is odd.
    pub findings: Vec<Finding>,
    /// The kinds of the objects that were not checked, because neither a known CRD nor Kubernetes itself defines them: one entry an object.
    pub unknown: Vec<GroupKind>,
    /// Why other documents were not checked: one entry a document, or an item of a list.
    pub unchecked: Vec<Unchecked>,
    /// Why the text as it is cannot be read, if an unfinished entry was taken out of it: see [`crate::judging::typing::analyze_typing`].
    pub unfinished: Option<Box<Finding>>,
    /// Hazards of some rules are not known yet: they were not asked for, or take too long.
    pub is_unfinished: bool,
    /// What the rules of the CRDs cost, if that was wanted; those without rules are left out.
    pub costs: Vec<DocumentCosts>,
}

impl FileReport {
    /// A report that says only this of a file.
    pub fn of_file(text: Arc<str>, finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            ..Self::empty(text)
        }
    }

    /// A report that says nothing.
    pub fn empty(text: Arc<str>) -> Self {
        Self {
            text,
            documents: Vec::new(),
            aside: None,
            findings: Vec::new(),
            unfinished: None,
            unknown: Vec::new(),
            unchecked: Vec::new(),
            is_unfinished: false,
            costs: Vec::new(),
        }
    }

    /// Whether the text has an object, or anything else that there is something to say about.
    pub fn has_objects(&self) -> bool {
        let is_object = |it: &Unchecked| !matches!(it, Unchecked::NoObject);
        let is_told = !(self.documents.is_empty() && self.findings.is_empty() && self.unknown.is_empty());
        is_told || self.unchecked.iter().any(is_object) || head::says_objects(&Text::whole(self.text.clone()))
    }

    /// Whether an API server of one of the Kubernetes versions rejects a document.
    pub fn has_errors(&self) -> bool {
        let mut documents = self.documents.iter();
        documents.any(DocumentReport::has_errors)
    }

    /// What to show of each document to a person: see [`DocumentReport::merged_findings`].
    pub fn merged_findings(&self, config: &Config) -> Vec<Vec<MergedFinding>> {
        self.documents.iter().map(|it| it.merged_findings(config)).collect()
    }
    /// The highest severity among the displayed diagnostics. `None` if nothing is wrong.
    pub fn worst(&self, shown: &[Vec<MergedFinding>]) -> Option<Severity> {
        let documents = self.documents.iter().zip(shown);
        let documents = documents.filter_map(|(document, shown)| document.loudest(shown));
        documents.chain(self.findings.iter().map(|it| it.severity)).min()
    }
}
