//! The API server's answer to a request, and additional findings.

use crd_analyzer_budget::Unfinished;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::field::{self, Error, FINDING_BYTES, Path};
use crd_analyzer_syntax::ReadError;
use crd_analyzer_syntax::json::ConvertError;
use crd_analyzer_syntax::tree::{NodeId, Span};

use crate::codes;
use crate::decode::{DecodeProblem, DroppedField, StrictError, WrittenType, convert_error, decode_error};
use crate::internal::Hoisted;
use crate::kind::CRD;
use crate::types::CustomResourceDefinition;
use crate::validation::CompiledSchema;
use crate::warnings::Warning;

/// The API server's answer to a request that creates or updates a CRD.
///
/// Messages, fields and details are those of the API server. Paths refer to the internal form: [`crate::places`] maps them to the document.
#[derive(Clone, Debug, Default)]
pub struct CrdVerdict {
    /// The error if the document cannot be decoded as a CRD. All other fields are empty then.
    pub decode_error: Option<DecodeError>,
    /// The errors of strict field validation, one for each part of the API server's error, in the same order.
    pub strict: Vec<StrictError>,
    /// The causes of the rejection.
    pub errors: Vec<Error>,
    /// A rejection that has no causes.
    pub other_error: Option<String>,
    /// The warnings for an accepted object.
    pub warnings: Vec<Warning>,
    /// Further errors that the API server does not report because of [`Self::errors`]. Not part of the answer.
    pub hidden: Vec<Error>,
    /// Fields that the API server drops silently. Not part of the answer.
    pub dropped: Vec<DroppedField>,
    /// The reason why the result is unknown: crd-analyzer did not finish, or the API server itself crashes.
    pub unjudged: Option<Unjudged>,
    /// The limit that kept the CRD from being fully checked. If [`Self::unjudged`] is not set, the CRD is rejected anyway, for other reasons.
    pub unfinished: Option<Unfinished>,
    /// The number of errors and warnings that were dropped because they are too large all together.
    pub left_out: u64,
    /// The compiled rules of a created CRD. Not part of the answer.
    pub compiled: Vec<CompiledSchema>,
    /// The validated CRD, if it could be decoded.
    pub definition: Option<Box<Definition>>,
}

impl CrdVerdict {
    /// The API server's answer to a CRD whose `apiVersion` is not served, whatever else the document contains. `None` for other documents. `place` is
    /// the span of the document.
    pub fn of_unserved(written: &WrittenType, place: Span) -> Option<Self> {
        let text = written.unserved()?;
        let place = DecodePlace::Text(place);
        Some(Self {
            decode_error: Some(DecodeError {
                text,
                problem: DecodeProblem::Other,
                place,
                code: codes::UNSERVED_API_VERSION,
            }),
            ..Self::default()
        })
    }

    /// The answer for a document that is not valid YAML.
    pub fn of_read_error(error: &ReadError) -> Self {
        let problem = DecodeProblem::Yaml(error.problem.clone());
        Self::unreadable(&error.message, problem, error.span)
    }

    /// The answer for a document that is valid YAML, but cannot be converted to JSON.
    pub fn of_convert_error(error: &ConvertError, version: KubernetesVersion) -> Self {
        Self::unreadable(&convert_error(error, version), DecodeProblem::Other, error.span)
    }

    fn unreadable(why: &str, problem: DecodeProblem, span: Span) -> Self {
        let text = decode_error(None, CRD.name, why);
        Self {
            decode_error: Some(DecodeError {
                text,
                problem,
                place: DecodePlace::Text(span),
                code: codes::INVALID_YAML,
            }),
            ..Self::default()
        }
    }

    /// Whether the API server stores the object, unless the client requests strict field validation.
    pub fn is_accepted(&self) -> bool {
        self.decode_error.is_none() && self.errors.is_empty() && self.other_error.is_none() && self.unjudged.is_none()
    }

    /// Drops errors and warnings that exceed the memory budget. The first error and the first warning stay, so that the result does not change.
    pub(super) fn leave_out(&mut self) {
        for errors in [&mut self.errors, &mut self.hidden] {
            field::leave_out(errors, Error::bytes);
        }
        field::leave_out(&mut self.strict, |it| FINDING_BYTES + it.text.len());
        field::leave_out(&mut self.dropped, |it| FINDING_BYTES + it.path.len());
        field::leave_out(&mut self.warnings, |it| {
            FINDING_BYTES + it.text.len() + it.paths.iter().map(Path::bytes).sum::<usize>()
        });
    }

    /// Whether the API server stores the object even with strict field validation.
    pub fn is_accepted_strictly(&self) -> bool {
        self.is_accepted() && self.strict.is_empty()
    }
}

/// The reason why a document cannot be decoded as a CRD.
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

/// The location of a decoding error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodePlace {
    /// A node of the document.
    Node(NodeId),
    /// A span of the file.
    Text(Span),
}

/// The reason why the result is unknown.
#[derive(Clone, PartialEq, Debug)]
pub enum Unjudged {
    /// The API server itself panics on this CRD and answers 500.
    ServerPanics {
        /// The cause of the crash, as an error of crd-analyzer.
        error: Error,
    },
    /// Schemas or values are nested more deeply than crd-analyzer supports.
    TooDeep {
        /// The first value that is too deep.
        node: NodeId,
    },
    /// The check exceeds a limit of crd-analyzer.
    NotFinished,
}

/// A CRD in the form that is validated.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// The CRD, defaulted and prepared.
    pub internal: CustomResourceDefinition,
    /// The parts that the conversion moved from the versions to `spec`.
    pub hoisted: Hoisted,
}
