//! Decodes the JSON of a document to the object that is validated (`pkg/apiserver`, `schemaCoercingDecoder` and `unstructuredDefaulter` around
//! `k8s.io/apimachinery/pkg/runtime/serializer/json`).

mod changes;

pub(crate) use changes::between as changes_between;

use crd_analyzer_apiextensions::decode::{Cause, DecodeProblem, GroupVersionKind, decode_error, written_kind};
use crd_analyzer_apiextensions::kind::parse_group_version;
use crd_analyzer_schema::defaulting::{prune_nulls, set_defaults};
use crd_analyzer_schema::field::{Path, render};
use crd_analyzer_schema::metadata::{Decoded as DecodedMetadata, MetadataError, ObjectMeta};
use crd_analyzer_schema::objectmeta::{CoerceOptions, coerce};
use crd_analyzer_schema::pruning::prune_and_track;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::unknown::{Known, settle_metadata};
use crd_analyzer_schema::{codes as schema_codes, go};
use crd_analyzer_syntax::json::{Json, JsonDoc};
use serde_json::{Map, Value};

use crate::definition::ServedVersion;
use crate::verdict::unreadable;
use crate::verdict::{Change, DecodeError, StrictError, StrictErrorKind};
use crate::{paths, places};

/// A decoded object.
pub(crate) struct Decoded {
    /// The object, coerced, pruned and defaulted.
    pub(crate) object: Map<String, Value>,
    /// The errors of strict field validation.
    pub(crate) strict: Vec<StrictError>,
    /// The changes that decoding made to the object.
    pub(crate) changes: Vec<Change>,
}

/// The error for an object that cannot be decoded.
pub(crate) struct Failure {
    pub(crate) error: DecodeError,
    /// The errors of strict field validation that were found before the failure.
    pub(crate) strict: Vec<StrictError>,
}

/// Decodes a document as a resource of this version.
pub(crate) fn decode(version: ServedVersion<'_>, document: &JsonDoc<'_>, known: Known<'_>) -> Result<Decoded, Failure> {
    let mut strict = Vec::new();
    if let (Some(text), Some(first)) = (document.strict_error(), document.duplicates().first()) {
        strict.push(StrictError {
            text,
            node: Some(first.second),
            kind: StrictErrorKind::DuplicateKeys,
            path: String::new(),
            decider: None,
        });
    }
    let wanted = version.definition().kind();
    let fail =
        |actual: Option<&GroupVersionKind>, why: &str, path: Path| unreadable(decode_error(actual, wanted, why), path);
    let Some(json) = document.root() else {
        let error = fail(None, &missing_kind(&Value::Null), Path::root());
        return Err(Failure { error, strict });
    };
    let sent = match read(json) {
        Ok(object) => object,
        Err(cause) => {
            let mut error = fail(None, &cause.to_string(), Path::root());
            error.problem = cause.into();
            return Err(Failure { error, strict });
        }
    };
    let actual = kind_of(&sent);
    if actual.kind.is_empty() {
        let written = sent.keys().find(|it| it.eq_ignore_ascii_case("kind") && *it != "kind");
        let problem = DecodeProblem::WithoutKind {
            written: written.cloned(),
        };
        let error = DecodeError {
            problem,
            ..fail(Some(&actual), &missing_kind(&Value::Object(sent)), Path::root())
        };
        return Err(Failure { error, strict });
    }
    match coerced(version, sent.clone(), known) {
        Ok((object, unknown)) => {
            let object = defaulted(version, object, known);
            strict.extend(unknown.into_iter().map(|path| unknown_field(version, json, path)));
            let changes = changes_between(&sent, &object);
            Ok(Decoded {
                object,
                strict,
                changes,
            })
        }
        Err(refusal) => {
            let error = DecodeError {
                code: refusal.code,
                problem: refusal.problem,
                ..fail(Some(&actual), &refusal.why, refusal.path)
            };
            Err(Failure { error, strict })
        }
    }
}

fn read(json: &Json<'_>) -> Result<Map<String, Value>, Cause> {
    written_kind(json)?;
    match json.to_value() {
        Value::Object(object) => Ok(object),
        // Null is decoded as an empty object.
        _ => Ok(Map::new()),
    }
}

fn missing_kind(object: &Value) -> String {
    format!("Object 'Kind' is missing in '{}'", render::json(object))
}

/// The type of a decoded object (`Unstructured.GroupVersionKind`).
fn kind_of(object: &Map<String, Value>) -> GroupVersionKind {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let Ok((group, version)) = parse_group_version(text("apiVersion")) else {
        return GroupVersionKind::default();
    };
    GroupVersionKind {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: text("kind").to_owned(),
    }
}

/// The reason why an object cannot be decoded.
pub(crate) struct Refusal {
    pub(crate) why: String,
    problem: DecodeProblem,
    path: Path,
    code: &'static str,
}

impl Refusal {
    fn new(why: String, path: Path) -> Self {
        Self {
            why,
            problem: DecodeProblem::Other,
            path,
            code: crate::codes::UNREADABLE_RESOURCE,
        }
    }
}

/// Fills the defaults of the schema into the object.
pub(crate) fn defaulted(
    version: ServedVersion<'_>,
    object: Map<String, Value>,
    known: Known<'_>,
) -> Map<String, Value> {
    let mut value = Value::Object(object);
    set_defaults(&mut value, known, version.compiled().map(|it| it.structural()));
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Prunes and coerces the object by its schema without setting defaults, and returns the paths of the unknown fields
/// (`unstructuredSchemaCoercer.apply`).
pub(crate) fn coerced(
    version: ServedVersion<'_>,
    object: Map<String, Value>,
    known: Known<'_>,
) -> Result<(Map<String, Value>, Vec<String>), Refusal> {
    let kubernetes = version.kubernetes();
    let schema = version.compiled().map(|it| it.structural());
    let kind = text_field(&object, "kind")?;
    let api_version = text_field(&object, "apiVersion")?;
    let mut unknown = Vec::new();
    let metadata = match object.get("metadata") {
        None => None,
        Some(value) => match ObjectMeta::decode(&settle_metadata(value, known.field("metadata"))) {
            Ok(DecodedMetadata { meta, unknown: fields }) => {
                unknown.extend(fields.into_iter().map(|path| format!("metadata.{path}")));
                Some(meta)
            }
            Err(error) => {
                let mut path = Path::of(["metadata"]);
                if let MetadataError::Type(found) = &error {
                    found.1.segments().iter().for_each(|it| path.push(it.clone()));
                }
                return Err(Refusal {
                    code: schema_codes::METADATA_DECODE,
                    why: error.to_string(),
                    problem: error.into(),
                    path,
                });
            }
        },
    };
    let (group, _) = parse_group_version(api_version.as_deref().unwrap_or_default())
        .map_err(|why| Refusal::new(why, Path::of(["apiVersion"])))?;
    let definition = version.definition();
    let is_of_kind = group == definition.group() && kind.as_deref() == Some(definition.kind());
    let mut value = Value::Object(object);
    if is_of_kind {
        if !version.preserves_unknown_fields() {
            unknown.extend(prune_and_track(&mut value, schema, true));
            prune_nulls(&mut value, schema);
        }
        let options = CoerceOptions::default();
        let fields =
            coerce(&mut value, known, schema, false, &Path::root(), options, kubernetes).map_err(|error| Refusal {
                code: error.code,
                ..Refusal::new(error.to_string(), error.path)
            })?;
        unknown.extend(fields);
    }
    if let Value::Object(object) = &mut value {
        for (name, text) in [("kind", kind), ("apiVersion", api_version)] {
            if let Some(text) = text {
                object.insert(name.to_owned(), Value::String(text));
            }
        }
        if let Some(metadata) = metadata {
            object.insert("metadata".to_owned(), metadata.to_value());
        }
    }
    match value {
        Value::Object(object) => Ok((object, unknown)),
        _ => Ok((Map::new(), unknown)),
    }
}

/// An optional field that must be a string (`unstructured.NestedString`).
fn text_field(object: &Map<String, Value>, name: &str) -> Result<Option<String>, Refusal> {
    match object.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => {
            let (shown, of_type) = (render::go_value(other), render::go_type(other));
            let why = format!(".{name} accessor error: {shown} is of the type {of_type}, expected string");
            Err(Refusal::new(why, Path::of([name])))
        }
    }
}

fn unknown_field(version: ServedVersion<'_>, json: &Json<'_>, path: String) -> StrictError {
    StrictError {
        text: format!("unknown field {}", go::quote(&path)),
        node: places::find_dotted(json, &path),
        kind: StrictErrorKind::UnknownField,
        decider: version
            .schema()
            .map(|schema| paths::around_unknown(version, Structural::assume(schema), json, &path)),
        path,
    }
}
