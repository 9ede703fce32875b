//! From a document's JSON to a CRD, under strict field validation.
//!
//! What decodes, what is refused and in which words follows the API server's JSON decoder (`sigs.k8s.io/json`,
//! `UnmarshalStrict`), the Go types it fills (`pkg/apis/apiextensions/v1`) and the serializer around it
//! (`k8s.io/apimachinery/pkg/runtime/serializer/json`). Keys are visited sorted, because the API server reads YAML into a
//! map first: that decides which error is the first.

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

/// Since this Kubernetes version the error about a key that is not text begins in lower case (`sigs.k8s.io/yaml` 1.4).
const LOWER_CASE_KEY_ERROR_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// A document that could be decoded.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decoded {
    /// What it says, before defaulting.
    pub definition: Written,
    /// What strict field validation refuses, in the API server's order, at most a hundred.
    pub strict: Vec<StrictError>,
    /// Unknown fields that not even strict validation sees.
    pub dropped: Vec<DroppedField>,
}

/// A CRD as sent.
#[derive(Clone, PartialEq, Debug)]
pub enum Written {
    /// In the form of v1.
    V1(Box<v1::CustomResourceDefinition>),
    /// In the form of v1beta1, which is that of the internal one but for what is filled in.
    V1beta1(Box<CustomResourceDefinition>),
}

impl Default for Written {
    fn default() -> Self {
        Self::V1(Box::default())
    }
}

/// Why a document cannot be read, for who puts it into words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodeProblem {
    /// It is not YAML.
    Yaml(reader::Problem),
    /// A value of another type than its field.
    Type(Box<TypeMismatch>),
    /// Anything else.
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

/// A document that could not be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The API server's answer to the request.
    ByServer {
        /// The API server's words.
        text: String,
        /// The same as data.
        problem: DecodeProblem,
        /// Where it is decided.
        node: NodeId,
        /// Which of our diagnostic codes this is.
        code: &'static str,
    },
    /// Nested too deeply for us to judge; the API server would.
    TooDeep {
        /// The first value that is too deep.
        node: NodeId,
    },
}

/// Decodes what was sent as a CRD. A document without content (`None`) reads as null, and that as nothing at all.
///
/// Documents of another kind are not for this function: a document that names a kind and a group other than a
/// CRD's is decoded as if the API server had been asked to create a CRD with it.
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

/// The type that an object says it has, as the API server reads it before the object itself (`SimpleMetaFactory.Interpret`), or
/// why it cannot.
pub fn written_kind(json: &Json<'_>) -> Result<GroupVersionKind, Cause> {
    head::interpret(json).map(|(kind, _)| kind).map_err(|it| it.cause)
}

/// Decodes a schema by itself, as a v1 CRD holds it, or says why it cannot be decoded. Fields that a schema does not have are
/// passed over.
pub fn decode_schema(json: &Json<'_>, version: KubernetesVersion) -> Result<JsonSchemaProps, DecodeFailure> {
    let mut decoder = Decoder::new(version, false);
    let mut schema = JsonSchemaProps::default();
    let end = decoder.schema(json, &mut schema);
    match decoder.finish(end).failure {
        Some(failure) => Err(*failure),
        None => Ok(schema),
    }
}

/// The words of a request handler around a decoding error (`transformDecodeError` in `k8s.io/apiserver`): `actual` is the
/// type of the object, if the decoder came so far, `wanted` the kind that the handler is for. Errors of the YAML reader are
/// worded without the former.
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

/// The API server's words on YAML that no JSON can be made of, before a handler adds its own.
pub fn convert_error(error: &ConvertError, version: KubernetesVersion) -> Cow<'_, str> {
    match error.message.strip_prefix('u') {
        Some(rest) if error.kind == ConvertErrorKind::UnsupportedKey && version < LOWER_CASE_KEY_ERROR_SINCE => {
            Cow::Owned(format!("U{rest}"))
        }
        _ => Cow::Borrowed(&error.message),
    }
}

/// `wanted`: the kind that the handler is for.
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
