//! Decodes the JSON of a document as a CRD, with strict field validation.
//!
//! Results, errors and messages follow the API server's JSON decoder (`sigs.k8s.io/json`, `UnmarshalStrict`), the Go types that it fills
//! (`pkg/apis/apiextensions/v1`) and the serializer around it (`k8s.io/apimachinery/pkg/runtime/serializer/json`). Keys are visited in sorted order,
//! because the API server first reads YAML into a map and the order of the keys determines the first error.

mod definition;
mod head;
mod leaf;
mod metadata;
mod object;
mod schema;
mod state;
mod v1beta1;
mod written_type;

use std::borrow::Cow;

use crd_analyzer_schema::metadata::MetadataError;
use crd_analyzer_schema::type_mismatch::TypeMismatch;
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, go};
use crd_analyzer_syntax::json::{ConvertError, ConvertErrorKind, Json};
use crd_analyzer_syntax::reader;
use crd_analyzer_syntax::tree::NodeId;

pub use head::{GroupVersionKind, HEAD, folded, not_registered};
pub use object::{DecodedObject, decode_object};
pub use state::{Cause, DecodeFailure, DroppedField, StrictError, StrictErrorKind};
pub use written_type::WrittenType;

use crate::codes;
use crate::kind::CRD;
use crate::types::{CustomResourceDefinition, v1};
use state::Decoder;

/// The first Kubernetes version whose error about a key that is not a string starts in lower case (`sigs.k8s.io/yaml` 1.4).
const LOWER_CASE_KEY_ERROR_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// A decoded document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decoded {
    /// The CRD, before defaulting.
    pub definition: Written,
    /// The errors of strict field validation, in the API server's order, at most a hundred.
    pub strict: Vec<StrictError>,
    /// Unknown fields that strict validation does not report either.
    pub dropped: Vec<DroppedField>,
}

/// A CRD in the version of the request.
#[derive(Clone, PartialEq, Debug)]
pub enum Written {
    /// A v1 CRD.
    V1(Box<v1::CustomResourceDefinition>),
    /// A v1beta1 CRD. Apart from defaulting, v1beta1 has the internal form.
    V1beta1(Box<CustomResourceDefinition>),
}

impl Default for Written {
    fn default() -> Self {
        Self::V1(Box::default())
    }
}

/// The reason why a document cannot be decoded, as data for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodeProblem {
    /// The document is not valid YAML.
    Yaml(reader::Problem),
    /// A value has the wrong type for its field.
    Type(Box<TypeMismatch>),
    /// The object has no `kind`. `written` has the key that differs from `kind` only in upper and lower case.
    WithoutKind {
        /// The key, such as `Kind`.
        written: Option<String>,
    },
    /// Any other problem.
    Other,
}

impl From<Cause> for DecodeProblem {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Type(mismatch) | Cause::HeadType(mismatch) => Self::Type(Box::new(mismatch)),
            Cause::Text(_) | Cause::TooDeep => Self::Other,
        }
    }
}

impl From<MetadataError> for DecodeProblem {
    fn from(error: MetadataError) -> Self {
        match error {
            MetadataError::Type(found) => Self::Type(Box::new(found.0)),
            MetadataError::Text(_) => Self::Other,
        }
    }
}

/// The error for a document that cannot be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The API server rejects the request.
    ByServer {
        /// The API server's message.
        text: String,
        /// The problem as data.
        problem: DecodeProblem,
        /// The node that causes the error.
        node: NodeId,
        /// The diagnostic code.
        code: &'static str,
    },
    /// The document is nested too deeply for crd-analyzer, but not for the API server.
    TooDeep {
        /// The first value that is too deep.
        node: NodeId,
    },
}

/// Decodes a document as a CRD. A document without content (`None`) becomes an empty CRD, like null.
///
/// Do not call this for documents of other kinds: a document with another kind and group is decoded
/// as if it had been sent to the API server's endpoint for CRDs.
pub fn decode(json: Option<&Json<'_>>, version: KubernetesVersion) -> Result<Box<Decoded>, Refused> {
    let Some(json) = json else { return Ok(Box::default()) };
    if let Some(text) = WrittenType::of(json).unserved() {
        let node = json.get("apiVersion").map_or(json.node, |it| it.node);
        let code = codes::UNSERVED_API_VERSION;
        return Err(Refused::ByServer {
            text,
            problem: DecodeProblem::Other,
            node,
            code,
        });
    }
    let (written, nodes) = match head::interpret(json) {
        Ok(head) => head,
        Err(failure) => return Err(refused(*failure, None, CRD.name, codes::UNREADABLE_CRD)),
    };
    let actual = head::with_defaults(written, &CRD, CRD.served());
    let known = CRD.version(&actual.api_version()).filter(|_| actual.kind == CRD.name);
    let Some(known) = known else {
        let cause = Cause::Text(head::not_registered(&actual.api_version(), &actual.kind, version));
        let node = nodes.api_version.or(nodes.kind).unwrap_or(json.node);
        let failure = DecodeFailure { cause, node };
        return Err(refused(failure, Some(&actual), CRD.name, codes::UNREADABLE_CRD));
    };
    let is_v1 = known.removed.is_none();
    let mut decoder = Decoder::new(version, !is_v1);
    let (definition, end) = if is_v1 {
        let mut definition = Box::<v1::CustomResourceDefinition>::default();
        let end = decoder.definition(json, &mut definition);
        (Written::V1(definition), end)
    } else {
        let mut definition = Box::<CustomResourceDefinition>::default();
        let end = decoder.old_crd(json, &mut definition);
        (Written::V1beta1(definition), end)
    };
    let found = decoder.finish(end);
    match found.failure {
        Some(failure) => Err(refused(*failure, Some(&actual), CRD.name, codes::UNREADABLE_CRD)),
        None => Ok(Box::new(Decoded {
            definition,
            strict: found.strict,
            dropped: found.dropped,
        })),
    }
}

/// The `apiVersion` and `kind` of an object, which the API server reads before the object itself (`SimpleMetaFactory.Interpret`), or
/// the reason why it cannot read them.
pub fn written_kind(json: &Json<'_>) -> Result<GroupVersionKind, Cause> {
    head::interpret(json).map(|(kind, _)| kind).map_err(|it| it.cause)
}

/// Decodes a standalone schema of a v1 CRD, or returns the reason why it cannot be decoded. Unknown fields are ignored.
pub fn decode_schema(json: &Json<'_>, version: KubernetesVersion) -> Result<JsonSchemaProps, DecodeFailure> {
    let mut decoder = Decoder::new(version, false);
    let mut schema = JsonSchemaProps::default();
    let end = decoder.schema(json, &mut schema);
    match decoder.finish(end).failure {
        Some(failure) => Err(*failure),
        None => Ok(schema),
    }
}

/// The request handler's message for a decoding error (`transformDecodeError` in `k8s.io/apiserver`). `actual` is the type of the object if the
/// decoder could read it, and `wanted` is the kind that the handler serves. Messages about YAML errors do not mention `actual`.
pub fn decode_error(actual: Option<&GroupVersionKind>, wanted: &str, why: &str) -> String {
    match actual {
        Some(actual) if !actual.kind.is_empty() => {
            format!(
                "{} in version {} cannot be handled as a {wanted}: {why}",
                actual.kind,
                go::quote(&actual.version)
            )
        }
        _ => format!("the object provided is unrecognized (must be of type {wanted}): {why}"),
    }
}

/// The API server's message for YAML that cannot be converted to JSON, without the text that the handler adds.
pub fn convert_error(error: &ConvertError, version: KubernetesVersion) -> Cow<'_, str> {
    match error.message.strip_prefix('u') {
        Some(rest) if error.kind == ConvertErrorKind::UnsupportedKey && version < LOWER_CASE_KEY_ERROR_SINCE => {
            Cow::Owned(format!("U{rest}"))
        }
        _ => Cow::Borrowed(&error.message),
    }
}

/// Creates the rejection for a decoding error. `wanted` is the kind that the handler serves.
fn refused(failure: DecodeFailure, actual: Option<&GroupVersionKind>, wanted: &str, code: &'static str) -> Refused {
    match failure.cause {
        Cause::TooDeep => Refused::TooDeep { node: failure.node },
        cause => Refused::ByServer {
            text: decode_error(actual, wanted, &cause.to_string()),
            problem: cause.into(),
            node: failure.node,
            code,
        },
    }
}
