//! The API server's answer to a request, and additional findings.

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

/// The API server's answer to a request that creates or updates a custom resource.
///
/// Messages, fields and details are those of the API server. [`crate::places`] maps the paths to the document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResourceVerdict {
    /// The error if the document cannot be decoded as a resource. All other fields except [`Self::strict`] are empty then.
    pub decode_error: Option<DecodeError>,
    /// The errors of strict field validation, in the API server's order.
    pub strict: Vec<StrictError>,
    /// The causes of the rejection, in the API server's order. Where the API server walks a Go map in random order, they are sorted by name.
    pub errors: Vec<RejectionCause>,
    /// A rejection that has no causes.
    pub other_error: Option<String>,
    /// The warnings in the answer. A rejection may have warnings too.
    pub warnings: Vec<Warning>,
    /// Further errors that the API server does not report because of [`Self::errors`]. Not part of the answer.
    pub hidden: Vec<RejectionCause>,
    /// The warnings that would appear once the [`Self::errors`] are fixed. Not part of the answer.
    pub later_warnings: Vec<Warning>,
    /// The reason why crd-analyzer could not determine the answer.
    pub unjudged: Option<Unjudged>,
    /// The checks that exceeded a limit: rules that were not evaluated to the end, or the check of the whole object. If [`Self::unjudged`] is not
    /// set, the object is rejected anyway, for other reasons.
    pub unfinished: Vec<NotFinished>,
    /// The number of errors and warnings that were dropped because they are too large all together.
    pub left_out: u64,
    /// The decoded object: defaulted and pruned, including its status. `None` if the document could not be decoded.
    pub object: Option<Map<String, Value>>,
    /// The changes that decoding made, sorted by path.
    pub changes: Vec<Change>,
    /// The object as the API server would store it, if the API server accepts it (without strict field validation). The status is dropped or kept
    /// from the stored object, and metadata is set.
    pub stored: Option<Map<String, Value>>,
    /// The cost of all rules together, in cost units, including rules that the API server does not run. `None` if the
    /// schema has no rules.
    pub cel_cost: Option<u64>,
    /// The rules that the API server runs, each once. Empty unless requested with [`judge_traced`](crate::judge_traced).
    pub ran: Vec<Decider>,
}

impl ResourceVerdict {
    /// Whether the API server stores the object, unless the client requests strict field validation.
    pub fn is_accepted(&self) -> bool {
        self.decode_error.is_none() && self.errors.is_empty() && self.other_error.is_none() && self.unjudged.is_none()
    }

    /// Drops errors and warnings that exceed the memory budget. The first error and the first warning stay, so that the result does not change.
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

    /// Whether the API server stores the object even with strict field validation.
    pub fn is_accepted_strictly(&self) -> bool {
        self.is_accepted() && self.strict.is_empty()
    }
}

/// A check that exceeded a limit.
#[derive(Clone, PartialEq, Debug)]
pub struct NotFinished {
    /// The limit that was exceeded.
    pub why: Unfinished,
    /// The path in the object.
    pub path: Path,
    /// The rule of the CRD that was not evaluated to the end; `None` for the whole object.
    pub decider: Option<Decider>,
}

/// A cause of the rejection, and the part of the CRD that leads to it.
#[derive(Clone, PartialEq, Debug)]
pub struct RejectionCause {
    /// The error with the API server's message. Its path is a path in the object.
    pub error: Error,
    /// The part of the CRD that leads to the error, if any.
    pub decider: Option<Decider>,
    /// For a rule: the paths of the values that determined its result. Empty unless requested with [`judge_traced`](crate::judge_traced).
    pub reads: Vec<Path>,
}

/// The part of a CRD that leads to an error in a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decider {
    /// The path in the author's document of the CRD: `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].minimum`. If the
    /// keyword itself is missing, this is the path of the schema.
    pub path: Path,
    /// For rules: the index in the `x-kubernetes-validations` at the end of `path`.
    pub rule: Option<usize>,
}

/// The reason why a document cannot be decoded as a resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// The API server's message.
    pub text: String,
    /// The problem as data.
    pub problem: DecodeProblem,
    /// The location of the problem.
    pub place: DecodePlace,
    /// The diagnostic code.
    pub code: &'static str,
}

impl DecodeError {
    /// The answer for a document that is not valid YAML and should contain an object of the kind `kind`.
    pub fn of_read_error(kind: &str, error: &ReadError) -> Self {
        let problem = DecodeProblem::Yaml(error.problem.clone());
        Self::of_text(kind, &error.message, problem, error.span)
    }

    /// The answer for YAML that cannot be converted to JSON and should contain an object of the kind `kind`.
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

/// The location of a decoding error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodePlace {
    /// A path in the object.
    Path(Path),
    /// A span of the file.
    Text(Span),
}

/// An error of strict field validation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrictError {
    /// The API server's message: `unknown field "spec.replcas"`.
    pub text: String,
    /// The rejected key; for duplicate keys, the first repeated key.
    pub node: Option<NodeId>,
    /// The kind of error.
    pub kind: StrictErrorKind,
    /// The dotted path of an unknown field, as it appears in the message.
    pub path: String,
    /// The schema that lacks the field.
    pub decider: Option<Decider>,
}

/// A warning in the API server's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Warning {
    /// The message, verbatim.
    pub text: String,
    /// The diagnostic code.
    pub code: &'static str,
    /// The path that the warning is about.
    pub path: Path,
    /// The details of the warning beyond its code and path.
    pub cause: Option<Cause>,
    /// The part of the CRD that leads to the warning, if any.
    pub decider: Option<Decider>,
}

/// A change that decoding made to an object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The path of the field. For a pruned field, this is the path in the request.
    pub path: Path,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kind of a change to a field.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChangeKind {
    /// The field was absent (or null) and got its default. Fields inside it are not listed.
    Defaulted,
    /// The field was dropped because it is unknown, or because it is null and null is not allowed.
    Pruned,
    /// The value changed, because metadata was converted to the API server's types.
    Rewritten,
}

/// The reason why the answer is unknown.
#[derive(Clone, PartialEq, Debug)]
pub enum Unjudged {
    /// Values are nested more deeply than crd-analyzer supports.
    TooDeep,
    /// The check exceeds a limit: see [`ResourceVerdict::unfinished`].
    NotFinished,
}

/// Creates the error for a value that cannot be decoded.
pub(crate) fn unreadable(text: String, path: Path) -> DecodeError {
    DecodeError {
        text,
        problem: DecodeProblem::Other,
        place: DecodePlace::Path(path),
        code: crate::codes::UNREADABLE_RESOURCE,
    }
}
