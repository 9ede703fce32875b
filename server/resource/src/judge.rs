//! Processes a document in a request.

use crd_analyzer_apiextensions::decode::DecodeProblem;
use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::{
    codes as schema_codes, depth,
    field::Path,
    unknown::{Known, Unknown},
};
use crd_analyzer_syntax::json::JsonDoc;
use serde_json::{Map, Value};

use crate::decode::{self, Decoded};
use crate::definition::ServedVersion;
use crate::strategy::{self, Validation};
use crate::verdict::{DecodeError, NotFinished, ResourceVerdict, Unjudged};
use crate::{prepare, warnings};

/// The requested operation.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Create the object.
    Create,
    /// Replace an object.
    Update(&'a Stored),
    /// Replace the status of an object, through the subresource.
    UpdateStatus(&'a Stored),
}

/// An object as an API server stores it.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored(Map<String, Value>);

impl Stored {
    /// The object that a document creates, even if an API server would reject it now: an older CRD may have allowed it. Its
    /// status is kept.
    pub fn establish(version: ServedVersion<'_>, document: &JsonDoc<'_>) -> Result<Self, DecodeError> {
        Self::establish_known(version, document, Known::ALL)
    }

    /// Like [`Self::establish`], for a document with unknown parts.
    pub fn establish_known(
        version: ServedVersion<'_>,
        document: &JsonDoc<'_>,
        known: Known<'_>,
    ) -> Result<Self, DecodeError> {
        if document.depth() > depth::limit() {
            return Err(DecodeError {
                text: "values are nested too deeply to be checked".to_owned(),
                problem: DecodeProblem::Other,
                place: crate::DecodePlace::Path(Path::root()),
                code: crd_analyzer_apiextensions::codes::TOO_DEEP,
            });
        }
        let (decoded, ended) = budget::within(Limits::DOCUMENT, || decode::decode(version, document, known));
        let decoded = decoded.map_err(|failure| failure.error)?;
        if let Some(unfinished) = ended.unfinished {
            return Err(DecodeError {
                text: unfinished.to_string(),
                problem: DecodeProblem::Other,
                place: crate::DecodePlace::Path(Path::root()),
                code: schema_codes::NOT_FINISHED,
            });
        }
        Ok(Self::of(decoded.object))
    }

    /// The object that an API server stores after it accepted a request ([`ResourceVerdict::stored`]).
    pub fn of(mut object: Map<String, Value>) -> Self {
        prepare::fill_in(&mut object);
        Self(object)
    }

    /// The object.
    pub fn object(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The API server's answer to a request with this document.
///
/// ```
/// use std::sync::Arc;
/// use crd_analyzer_apiextensions::strategy::Stored as StoredDefinition;
/// use crd_analyzer_resource::{Definition, Question, judge};
/// use crd_analyzer_schema::KubernetesVersion;
/// use crd_analyzer_syntax::{read, read_json, tree::Span};
///
/// let whole = |text: &Arc<str>| Span::new(0, text.len() as u32);
/// let text: Arc<str> = "spec:
///   group: example.com
///   scope: Namespaced
///   names: {plural: widgets, kind: Widget}
///   versions:
///   - name: v1
///     served: true
///     storage: true
///     schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}\n".into();
/// let tree = read(&text, whole(&text)).unwrap();
/// let version = KubernetesVersion::NEWEST;
/// let stored = StoredDefinition::establish(&read_json(&tree).unwrap(), version).unwrap();
/// let definition = Definition::new(stored, version);
///
/// let text: Arc<str> = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, size: big, color: red}\n".into();
/// let tree = read(&text, whole(&text)).unwrap();
/// let served = definition.serving("example.com/v1", "Widget").unwrap();
/// let verdict = judge(served, &read_json(&tree).unwrap(), Question::Create);
/// assert_eq!(verdict.strict[0].text, "unknown field \"color\"");
/// let finding = &verdict.errors[0];
/// assert_eq!(
///     finding.error.to_string(),
///     "size: Invalid value: \"string\": size in body must be of type integer: \"string\""
/// );
/// assert_eq!(
///     finding.decider.as_ref().unwrap().path.to_string(),
///     "spec.versions[0].schema.openAPIV3Schema.properties[size].type"
/// );
/// ```
pub fn judge(version: ServedVersion<'_>, document: &JsonDoc<'_>, question: Question<'_>) -> ResourceVerdict {
    judge_known(version, document, Known::ALL, question)
}

/// Like [`judge`], for a document with unknown parts. Errors that may depend on unknown parts are not reported.
pub fn judge_known(
    version: ServedVersion<'_>,
    document: &JsonDoc<'_>,
    known: Known<'_>,
    question: Question<'_>,
) -> ResourceVerdict {
    judge_as(version, document, known, question, false)
}

/// Like [`judge_known`], and also records the rules that run ([`ResourceVerdict::ran`]), and the values that failed rules read
/// ([`RejectionCause::reads`](crate::RejectionCause::reads)).
pub fn judge_traced(
    version: ServedVersion<'_>,
    document: &JsonDoc<'_>,
    known: Known<'_>,
    question: Question<'_>,
) -> ResourceVerdict {
    judge_as(version, document, known, question, true)
}

fn judge_as(
    version: ServedVersion<'_>,
    document: &JsonDoc<'_>,
    known: Known<'_>,
    question: Question<'_>,
    wants_reads: bool,
) -> ResourceVerdict {
    let (mut verdict, ended) = budget::within(Limits::DOCUMENT, || {
        let mut verdict = judge_within(version, document, known, question, wants_reads);
        verdict.leave_out();
        verdict
    });
    verdict.left_out = ended.left_out;
    if let Some(why) = ended.unfinished {
        if verdict.unfinished.is_empty() {
            verdict.unfinished.push(NotFinished {
                why,
                path: Path::root(),
                decider: None,
            });
        }
        if verdict.is_accepted() {
            verdict.unjudged = Some(Unjudged::NotFinished);
            verdict.stored = None;
        }
    }
    verdict
}

fn judge_within(
    version: ServedVersion<'_>,
    document: &JsonDoc<'_>,
    known: Known<'_>,
    question: Question<'_>,
    wants_reads: bool,
) -> ResourceVerdict {
    if document.depth() > depth::limit() {
        return ResourceVerdict {
            unjudged: Some(Unjudged::TooDeep),
            ..ResourceVerdict::default()
        };
    }
    let decoded = match decode::decode(version, document, known) {
        Ok(decoded) => decoded,
        Err(failure) => {
            return ResourceVerdict {
                decode_error: Some(failure.error),
                strict: failure.strict,
                ..ResourceVerdict::default()
            };
        }
    };
    let Decoded {
        object,
        strict,
        changes,
    } = decoded;
    if budget::is_stopped() {
        return ResourceVerdict::default();
    }
    let mut verdict = ResourceVerdict {
        strict,
        changes,
        object: Some(object.clone()),
        ..ResourceVerdict::default()
    };
    verdict.warnings.extend(warnings::of_version(version));
    let mut object = object;
    let mut unknown = known.unknown().cloned();
    if known.has_more() && !object.contains_key("metadata") {
        unknown = unknown.map(|it| it.with(&["metadata"]));
    }
    let (old, unknown) = match question {
        Question::Create => (None, prepare::for_create(version, &mut object, unknown)),
        Question::Update(Stored(old)) => {
            let mut old = old.clone();
            let unknown = prepare::for_update(version, &mut object, &mut old, unknown);
            (Some(old), unknown)
        }
        Question::UpdateStatus(_) if !version.has_status() => {
            verdict.other_error = Some("the server could not find the requested resource".to_owned());
            return verdict;
        }
        Question::UpdateStatus(Stored(old)) => {
            let mut old = old.clone();
            let unknown = prepare::for_status_update(version, &mut object, &mut old, unknown);
            (Some(old), unknown)
        }
    };
    // The validation needs a `Value` instead of a `Map`.
    let new = Value::Object(object);
    let old = old.map(Value::Object);
    let unknown = unknown.and_then(|it: Unknown| it.of_what_is_in(&new));
    let validation = Validation {
        version,
        new: &new,
        known: unknown.as_ref().into(),
        old: old.as_ref(),
        is_status: matches!(question, Question::UpdateStatus(_)),
        wants_reads,
    };
    let findings = strategy::validate(&validation);
    verdict.errors = findings.errors;
    verdict.hidden = findings.hidden;
    verdict.unfinished = findings.unfinished;
    verdict.cel_cost = findings.cel_cost;
    verdict.ran = findings.ran;
    verdict.warnings.extend(findings.warnings);
    let is_refused = !verdict.errors.is_empty();
    if !validation.is_status {
        let of_accepted = if is_refused {
            &mut verdict.later_warnings
        } else {
            &mut verdict.warnings
        };
        of_accepted.extend(warnings::of_finalizers(version, &new, old.as_ref()));
    }
    if let (false, Value::Object(mut object)) = (is_refused, new) {
        prepare::for_storage(&mut object);
        verdict.stored = Some(object);
    }
    let mut seen = std::collections::HashSet::new();
    verdict.warnings.retain(|it| seen.insert(it.text.clone()));
    verdict
}
