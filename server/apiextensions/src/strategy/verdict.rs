//! The API server's answer to a request, and what we know beside it.

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

/// What the API server answers to a request that creates or updates a CRD.
///
/// Texts, fields and details are the API server's own. Paths are those of the internal form: [`crate::places`] finds what
/// they mean in the document.
#[derive(Clone, Debug, Default)]
pub struct CrdVerdict {
    /// The document cannot be read as a CRD; then there is nothing else.
    pub decode_error: Option<DecodeError>,
    /// What strict field validation refuses, each element of the API server's error, in its order.
    pub strict: Vec<StrictError>,
    /// The causes of the rejection.
    pub errors: Vec<Error>,
    /// A rejection that has no causes.
    pub other_error: Option<String>,
    /// The warnings of an accepted object.
    pub warnings: Vec<Warning>,
    /// What the API server does not get to because of [`Self::errors`], found by going on after them. No part of the answer.
    pub hidden: Vec<Error>,
    /// Fields that the API server drops without a word. No part of the answer.
    pub dropped: Vec<DroppedField>,
    /// Why the verdict is unknown: the analyzer did not finish, or the API server itself crashes.
    pub unjudged: Option<Unjudged>,
    /// What there was not enough of to judge all of the CRD. Without [`Self::unjudged`] it is rejected anyway, for other reasons.
    pub unfinished: Option<Unfinished>,
    /// How many findings are only counted, because all together are too long to be told.
    pub left_out: u64,
    /// What the rules of a CRD that is created compile to. No part of the answer.
    pub compiled: Vec<CompiledSchema>,
    /// What was judged, if it could be read.
    pub definition: Option<Box<Definition>>,
}

impl CrdVerdict {
    /// The answer to a document that says it is a CRD of a version that is not served, whatever else is in it;
    /// `None` if it does not. `place` is the document.
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

    /// The verdict on a document that is not YAML.
    pub fn of_read_error(error: &ReadError) -> Self {
        let problem = DecodeProblem::Yaml(error.problem.clone());
        Self::unreadable(&error.message, problem, error.span)
    }

    /// The answer to a document that is YAML, but not JSON.
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

    /// Whether the object is stored, unless the client asks for strict field validation.
    pub fn is_accepted(&self) -> bool {
        self.decode_error.is_none() && self.errors.is_empty() && self.other_error.is_none() && self.unjudged.is_none()
    }

    /// Drops errors and warnings that the memory budget has no room for. The first of each kind stays, so that the
    /// verdict does not change.
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

    /// Whether the object is stored in any case.
    pub fn is_accepted_strictly(&self) -> bool {
        self.is_accepted() && self.strict.is_empty()
    }
}

/// Why a document cannot be read as a CRD.
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

/// What decides that a document cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodePlace {
    /// A value.
    Node(NodeId),
    /// A piece of text.
    Text(Span),
}

/// Why the verdict is unknown.
#[derive(Clone, PartialEq, Debug)]
pub enum Unjudged {
    /// The API server itself panics on this CRD and answers 500.
    ServerPanics {
        /// What it trips over, in our words.
        error: Error,
    },
    /// Schemas or values nest deeper than we follow.
    TooDeep {
        /// The first value that is too deep.
        node: NodeId,
    },
    /// It takes too much.
    NotFinished,
}

/// A CRD in the form that is validated.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// The CRD, defaulted and prepared.
    pub internal: CustomResourceDefinition,
    /// What moved from the versions to the top.
    pub hoisted: Hoisted,
}
