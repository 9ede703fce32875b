//! The API server's answer to a request, and what we know beside it.

use crd_analyzer_apiextensions::codes::INVALID_YAML;
pub use crd_analyzer_apiextensions::decode::StrictErrorKind;
use crd_analyzer_apiextensions::decode::{DecodeProblem, convert_error, decode_error};
use crd_analyzer_budget::Unfinished;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{self, Cause, Error, FINDING_BYTES, Path};
use crd_analyzer_syntax::ReadError;
use crd_analyzer_syntax::json::ConvertError;
use crd_analyzer_syntax::tree::{NodeId, Span};
use serde_json::{Map, Value};

/// What the API server answers to a request that creates or updates a custom resource.
///
/// Texts, fields and details are the API server's own. [`crate::places`] finds in the document what paths mean.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResourceVerdict {
    /// The document cannot be read as a resource; then there is nothing else but [`Self::strict`].
    pub decode_error: Option<DecodeError>,
    /// What strict field validation refuses, in the API server's order.
    pub strict: Vec<StrictError>,
    /// The causes of the rejection, in the API server's order (where it walks a Go map in random order: by name).
    pub errors: Vec<RejectionCause>,
    /// A rejection that has no causes.
    pub other_error: Option<String>,
    /// The warnings of the answer, those of a rejection too.
    pub warnings: Vec<Warning>,
    /// What the API server does not get to because of [`Self::errors`], found by going on after them. No part of the answer.
    pub hidden: Vec<RejectionCause>,
    /// The warnings that it has once [`Self::errors`] are fixed. No part of the answer.
    pub later_warnings: Vec<Warning>,
    /// Why the analyzer could not find the verdict.
    pub unjudged: Option<Unjudged>,
    /// What takes too much to be found out: rules that were not evaluated to the end, or all of the object. Without
    /// [`Self::unjudged`] the object is rejected anyway, for other reasons.
    pub unfinished: Vec<NotFinished>,
    /// How many findings are only counted, because all together are too long to be told.
    pub left_out: u64,
    /// The object as it was read: defaulted and pruned, its status still in it. `None` if it could not be read.
    pub object: Option<Map<String, Value>>,
    /// What reading it changed, sorted by path.
    pub changes: Vec<Change>,
    /// The object as it would be stored, if it is accepted (or would be, if clients did not ask for strict field
    /// validation): status dropped or kept from before, metadata filled in.
    pub stored: Option<Map<String, Value>>,
    /// The cost units of all rules together. Rules that the API server does not reach are counted, too. `None` if the
    /// schema has no rules.
    pub cel_cost: Option<u64>,
}

impl ResourceVerdict {
    /// Whether the object is stored, unless the client asks for strict field validation.
    pub fn is_accepted(&self) -> bool {
        self.decode_error.is_none() && self.errors.is_empty() && self.other_error.is_none() && self.unjudged.is_none()
    }

    /// Drops errors and warnings that the memory budget has no room for. The first of each kind stays, so that the
    /// verdict does not change.
    pub(crate) fn leave_out(&mut self) {
        let decider = |it: &Option<Decider>| it.as_ref().map_or(0, |it| it.path.bytes());
        for findings in [&mut self.errors, &mut self.hidden] {
            let reads = |it: &RejectionCause| it.reads.iter().map(Path::bytes).sum::<usize>();
            field::leave_out(findings, |it| it.error.bytes() + decider(&it.decider) + reads(it));
        }
        field::leave_out(&mut self.strict, |it| {
            FINDING_BYTES + it.text.len() + it.path.len() + decider(&it.decider)
        });
        for warnings in [&mut self.warnings, &mut self.later_warnings] {
            field::leave_out(warnings, |it| {
                FINDING_BYTES + it.text.len() + it.path.bytes() + decider(&it.decider)
            });
        }
        field::leave_out(&mut self.unfinished, |it| {
            FINDING_BYTES + it.path.bytes() + decider(&it.decider)
        });
    }

    /// Whether the object is stored in any case.
    pub fn is_accepted_strictly(&self) -> bool {
        self.is_accepted() && self.strict.is_empty()
    }
}

/// Something that takes too much to be found out.
#[derive(Clone, PartialEq, Debug)]
pub struct NotFinished {
    /// What there was not enough of.
    pub why: Unfinished,
    /// A path of the object.
    pub path: Path,
    /// The rule of the CRD that was not evaluated to the end; `None` if it is about all of the object.
    pub decider: Option<Decider>,
}

/// A cause of the rejection, and what decides it.
#[derive(Clone, PartialEq, Debug)]
pub struct RejectionCause {
    /// The cause in the API server's words. Its path is a path of the object.
    pub error: Error,
    /// The place of the CRD that decides, if one does.
    pub decider: Option<Decider>,
    /// Of a rule: the values of the object that it read and that decided, if that was wanted ([`judge_traced`](crate::judge_traced)).
    pub reads: Vec<Path>,
}

/// The place of a CRD that decides something about a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decider {
    /// The path in the CRD's document, as its author wrote it:
    /// `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].minimum`. Where the keyword itself is
    /// not written, the path of the schema.
    pub path: Path,
    /// For rules: the index in the `x-kubernetes-validations` that `path` ends in.
    pub rule: Option<usize>,
}

/// Why a document cannot be read as a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// The API server's words.
    pub text: String,
    /// The same as data.
    pub problem: DecodeProblem,
    /// What decides it.
    pub place: DecodePlace,
    /// Which of our diagnostic codes this is.
    pub code: &'static str,
}

impl DecodeError {
    /// The verdict on a text that is not YAML, for an object of the kind `kind`.
    pub fn of_read_error(kind: &str, error: &ReadError) -> Self {
        let problem = DecodeProblem::Yaml(error.problem.clone());
        Self::of_text(kind, &error.message, problem, error.span)
    }

    /// The verdict on YAML that cannot be converted to JSON, for an object of the kind `kind`.
    pub fn of_convert_error(kind: &str, error: &ConvertError, version: KubernetesVersion) -> Self {
        Self::of_text(kind, &convert_error(error, version), DecodeProblem::Other, error.span)
    }

    fn of_text(kind: &str, why: &str, problem: DecodeProblem, span: Span) -> Self {
        Self {
            text: decode_error(None, kind, why),
            problem,
            place: DecodePlace::Text(span),
            code: INVALID_YAML,
        }
    }
}

/// What decides that a document cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodePlace {
    /// A path of the object.
    Path(Path),
    /// A piece of text.
    Text(Span),
}

/// Something that strict field validation refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrictError {
    /// The API server's words: `unknown field "spec.replcas"`.
    pub text: String,
    /// The key that is refused; of duplicate keys the first that is written again.
    pub node: Option<NodeId>,
    /// What is refused.
    pub kind: StrictErrorKind,
    /// The dotted path of an unknown field, as it is written in the text.
    pub path: String,
    /// The schema that does not have the field.
    pub decider: Option<Decider>,
}

/// A `Warning:` of the API server's.
#[derive(Clone, PartialEq, Debug)]
pub struct Warning {
    /// The text, verbatim.
    pub text: String,
    /// Which of our diagnostic codes this is.
    pub code: &'static str,
    /// What it is about.
    pub path: Path,
    /// What it is about beyond code and path.
    pub cause: Option<Cause>,
    /// The place of the CRD that decides, if one does.
    pub decider: Option<Decider>,
}

/// What reading an object changed in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The path of the field. For a pruned field, its path in the object of the request.
    pub path: Path,
    /// What happened there.
    pub kind: ChangeKind,
}

/// What happened to a field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChangeKind {
    /// It was absent (or null) and got its default. What lies below a defaulted field is not told.
    Defaulted,
    /// It was dropped: unknown, or a null that is not allowed.
    Pruned,
    /// Its value is another one: metadata as the API server's types hold it.
    Rewritten,
}

/// Why the verdict is unknown.
#[derive(Clone, PartialEq, Debug)]
pub enum Unjudged {
    /// Values nest deeper than we follow.
    TooDeep,
    /// It takes too much: see [`ResourceVerdict::unfinished`].
    NotFinished,
}

/// What could not be read.
pub(crate) fn unreadable(text: String, path: Path) -> DecodeError {
    DecodeError {
        text,
        problem: DecodeProblem::Other,
        place: DecodePlace::Path(path),
        code: crate::codes::UNREADABLE_RESOURCE,
    }
}
