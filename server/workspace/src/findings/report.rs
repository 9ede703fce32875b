//! The report on one file: its documents and, for each requested Kubernetes version, the API server's verdict.

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

/// The kind of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The document is a CustomResourceDefinition.
    Definition,
    /// The document is a part of a CustomResourceDefinition, such as a kustomize patch. Missing fields are not reported.
    PartialCrd,
    /// The document is a custom resource.
    Resource,
}

impl Subject {
    /// The noun for an object without a kind of its own.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Definition | Self::PartialCrd => CRD.name,
            Self::Resource => "object",
        }
    }
}

/// The answer of one Kubernetes version's API server to one document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DocumentVerdict {
    /// The error if the document cannot be decoded as an object of its kind.
    pub decode_error: Option<Finding>,
    /// The errors from strict field validation, which command line clients request by default.
    pub strict: Vec<Finding>,
    /// The causes of the rejection.
    pub errors: Vec<Finding>,
    /// A rejection without causes, or a failure of the API server itself.
    pub other_error: Option<Finding>,
    /// The warnings.
    pub warnings: Vec<Finding>,
    /// crd-analyzer's own hints.
    pub hints: Vec<Finding>,
    /// The parts that were not checked because that would take more work or memory than one document may use. They are not part of the answer. Unless
    /// another error is reported, it is unknown whether the API server accepts the object.
    pub unfinished: Vec<Finding>,
    /// For a custom resource: the object that the API server stores, if it can decode the resource.
    pub resource: Option<Box<Effective>>,
    /// The number of findings that were dropped, because of the memory budget or the caller's limit (see
    /// [`Wants::most_findings`](crate::judging::analysis::Wants::most_findings)).
    pub left_out: usize,
}

impl DocumentVerdict {
    /// Whether the API server stores the object if the client does not request strict field validation.
    pub fn accepted(&self) -> bool {
        self.is_without_errors() && self.unfinished.is_empty()
    }

    fn is_without_errors(&self) -> bool {
        self.decode_error.is_none() && self.other_error.is_none() && self.errors.is_empty()
    }

    /// Whether the value of [`DocumentVerdict::accepted`] is certain, because the check is complete or an error was found.
    pub fn is_known(&self) -> bool {
        self.unfinished.is_empty() || !self.is_without_errors()
    }

    /// Whether the value of [`DocumentVerdict::accepted_strict`] is certain, because the check is complete or an error was found.
    pub fn is_known_strictly(&self) -> bool {
        self.is_known() || !self.strict.is_empty()
    }

    /// Whether the API server stores the object if the client requests strict field validation.
    pub fn accepted_strict(&self) -> bool {
        self.accepted() && self.strict.is_empty()
    }

    /// All findings, in the order of the API server's stages.
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

    /// Keeps only the findings for which `stays` returns true.
    pub(crate) fn retain(&mut self, stays: impl Fn(&Finding) -> bool) {
        self.retain_mut(|it| stays(it));
    }

    /// Like [`DocumentVerdict::retain`], but `stays` may change the findings.
    pub(crate) fn retain_mut(&mut self, stays: impl Fn(&mut Finding) -> bool) {
        self.decode_error.take_if(|it| !stays(it));
        self.other_error.take_if(|it| !stays(it));
        for list in [&mut self.strict, &mut self.errors, &mut self.warnings, &mut self.hints] {
            list.retain_mut(&stays);
        }
    }

    /// All findings, for changing them.
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
    /// The document's index among all documents of the file.
    pub index: usize,
    /// The index of the object among the objects of the document, if the document is a list or contains objects in another way.
    pub item: Option<usize>,
    /// The document's span in the file.
    pub span: Span,
    /// The kind of the document.
    pub subject: Subject,
    /// Whether something else completes the object, such as the base of a patch or the values of a template. Only the known parts are checked.
    pub in_part: bool,
    /// For a CRD: whether it is complete except for values that are filled in later, as in a template.
    pub is_filled_in: bool,
    /// The value of `apiVersion` as written; empty if it is missing.
    pub api_version: String,
    /// The value of `kind` as written; empty if it is missing.
    pub kind: String,
    /// The value of `metadata.name`; empty if it is missing.
    pub name: String,
    /// The value of `metadata.name` as written, if the document is a patch or is built. A build may rename objects.
    pub written_name: Option<String>,
    /// The answers, sorted from the oldest to the newest Kubernetes version.
    pub verdicts: Vec<(KubernetesVersion, DocumentVerdict)>,
}

/// A finding that is shown once, with all Kubernetes versions that report it.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedFinding {
    /// The finding, with the text for the newest Kubernetes version that reports it.
    pub finding: Finding,
    /// The Kubernetes versions that report it.
    pub versions: VersionSet,
}

/// The numbers of API server errors that are not shown, see [`DocumentReport::hidden_errors`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HiddenErrors {
    /// Errors with codes that the configuration turns off.
    pub by_configuration: usize,
    /// Errors that a comment suppresses.
    pub by_comments: usize,
    /// Errors that the baseline of a run lists.
    pub by_baseline: usize,
}

impl MergedFinding {
    /// The headline. If not all requested Kubernetes versions report the finding, it names those that do.
    pub fn headline(&self, asked: VersionSet) -> String {
        if self.versions == asked {
            self.finding.headline.clone()
        } else {
            format!("{} (Kubernetes {})", self.finding.headline, self.versions)
        }
    }
}

impl DocumentReport {
    /// An empty report on a document, with the kind and name from its first keys.
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

    /// A report that is not about an object.
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

    /// Whether another place in the file shows some of the document's findings.
    pub fn has_repeats(&self) -> bool {
        let mut verdicts = self.verdicts.iter();
        verdicts.any(|it| it.1.findings().any(|it| it.repeats))
    }

    /// Whether the object's kind is built into the API server. False for CRDs.
    pub fn is_built_in(&self) -> bool {
        kinds::of(&self.api_version, &self.kind).is_some()
    }

    /// Whether any requested Kubernetes version rejects the object.
    pub(crate) fn has_errors(&self) -> bool {
        self.verdicts.iter().any(|(_, verdict)| !verdict.accepted_strict())
    }

    /// The requested Kubernetes versions.
    pub fn versions(&self) -> Option<VersionSet> {
        self.verdicts
            .iter()
            .map(|(version, _)| VersionSet::one(*version))
            .reduce(VersionSet::union)
    }

    /// The Kubernetes versions that accept the document under strict field validation, which command line clients request.
    pub fn accepted_by(&self) -> Option<VersionSet> {
        self.by(DocumentVerdict::accepted_strict)
    }

    /// The Kubernetes versions that reject the document.
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

    /// The highest severity among the displayed diagnostics. `None` if there are none.
    ///
    /// Errors that are a consequence of other errors are included: the API server rejects the object even if the others are suppressed.
    pub fn loudest<'s>(&self, shown: impl IntoIterator<Item = &'s MergedFinding>) -> Option<Severity> {
        let is_whole = self.subject != Subject::PartialCrd;
        let loudness = |it: &Finding| match it.class {
            Class::LaterError if is_whole => Severity::Error,
            _ => it.severity,
        };
        shown.into_iter().map(|it| loudness(&it.finding)).min()
    }

    /// Whether a comment suppresses a finding of this document. Other findings are left out because they are consequences, or because a part of a CRD
    /// does not need what is missing.
    pub fn is_silenced(&self, finding: &Finding) -> bool {
        let is_consequence = finding.follows || finding.code == resource_codes::UNCHECKED_RULES;
        finding.suppressed && !is_consequence && self.subject != Subject::PartialCrd
    }

    /// The numbers of API server errors that the configuration or comments hide.
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
        let told = verdict.findings().filter(|it| !it.repeats);
        for finding in told.filter(|it| it.class == Class::Error) {
            if self.is_silenced(finding) {
                hidden.by_comments += 1;
            } else if finding.suppressed {
                // The error is a consequence of another one.
            } else if config.rules.get(finding.code) == Some(&Level::Off) {
                hidden.by_configuration += 1;
            }
        }
        hidden
    }
}

/// The report on one file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileReport {
    /// The text that all spans refer to.
    pub text: Arc<str>,
    /// The documents with a report: CRDs and related objects.
    pub documents: Vec<DocumentReport>,
    /// The reason why the file's errors do not make a run fail, if there is one. The caller that knows the repository sets it.
    pub aside: Option<Aside>,
    /// Findings about the file as a whole, for example that it is a template or has wrong line endings.
    pub findings: Vec<Finding>,
    /// The kinds of the objects that were not checked because neither a known CRD nor Kubernetes itself defines the kind. There is one entry for each
    /// object.
    pub unknown: Vec<GroupKind>,
    /// The reasons why other documents were not checked. There is one entry for each document or list item.
    pub unchecked: Vec<Unchecked>,
    /// If an unfinished entry was removed from the text: the reason why the whole text cannot be read. See
    /// [`crate::judging::typing::analyze_typing`].
    pub unfinished: Option<Box<Finding>>,
    /// The lines of the objects and lists that contain the unfinished entry. An error there may only follow from the missing entry.
    pub around_unfinished: Vec<Span>,
    /// Whether the hazards of some rules are still unknown, because they were not requested or take too long.
    pub is_unfinished: bool,
    /// The costs of the CRDs' rules, if requested. CRDs without rules are left out.
    pub costs: Vec<DocumentCosts>,
}

impl FileReport {
    /// A report with only one finding, about the whole file.
    pub fn of_file(text: Arc<str>, finding: Finding) -> Self {
        Self {
            findings: vec![finding],
            ..Self::empty(text)
        }
    }

    /// The number of errors that are only counted. Versions usually have the same errors, so the version with the most of them counts.
    pub fn left_out(&self) -> usize {
        let of_documents = self.documents.iter().map(|it| {
            let of_versions = it.verdicts.iter().map(|(_, verdict)| verdict.left_out);
            of_versions.max().unwrap_or(0)
        });
        of_documents.sum()
    }

    /// An empty report.
    pub fn empty(text: Arc<str>) -> Self {
        Self {
            text,
            documents: Vec::new(),
            aside: None,
            findings: Vec::new(),
            unfinished: None,
            around_unfinished: Vec::new(),
            unknown: Vec::new(),
            unchecked: Vec::new(),
            is_unfinished: false,
            costs: Vec::new(),
        }
    }

    /// Whether the report has an object or anything else to show.
    pub fn has_objects(&self) -> bool {
        let is_object = |it: &Unchecked| !matches!(it, Unchecked::NoObject);
        let is_told = !(self.documents.is_empty() && self.findings.is_empty() && self.unknown.is_empty());
        is_told || self.unchecked.iter().any(is_object) || head::says_objects(&Text::whole(self.text.clone()))
    }

    /// Whether any requested Kubernetes version rejects a document.
    pub fn has_errors(&self) -> bool {
        let mut documents = self.documents.iter();
        documents.any(DocumentReport::has_errors)
    }

    /// The diagnostics to display for each document: see [`DocumentReport::merged_findings`].
    pub fn merged_findings(&self, config: &Config) -> Vec<Vec<MergedFinding>> {
        self.documents.iter().map(|it| it.merged_findings(config)).collect()
    }
    /// The highest severity among the displayed diagnostics. `None` if there are none.
    pub fn worst(&self, shown: &[Vec<MergedFinding>]) -> Option<Severity> {
        let documents = self.documents.iter().zip(shown);
        let documents = documents.filter_map(|(document, shown)| document.loudest(shown));
        documents.chain(self.findings.iter().map(|it| it.severity)).min()
    }
}
