//! Decodes the answer of a conversion webhook like the API server, into the Go types of a `ConversionReview` (`pkg/apis/apiextensions/v1/types.go`).
//! A value whose type does not match its field is an error.

use std::borrow::Cow;

use crd_analyzer_apiextensions::decode::{HEAD, folded, not_registered};
use crd_analyzer_apiextensions::kind::{CRD, parse_group_version};
use crd_analyzer_schema::{
    KubernetesVersion,
    type_mismatch::{TypeMismatch, described},
};
use serde_json::{Map, Value};

/// The kind of a review.
pub(crate) const KIND: &str = "ConversionReview";

/// A decoded answer.
#[derive(Debug)]
pub(crate) struct Answer<'v> {
    /// The answer's group, version and kind, in the API server's notation.
    pub(crate) kind: String,
    pub(crate) response: Option<&'v Map<String, Value>>,
}

/// Decodes an answer to a review of version `wanted`, or returns the reason why the API server cannot decode the answer.
pub(crate) fn read<'v>(
    answer: &'v Value,
    wanted: &'static str,
    kubernetes: KubernetesVersion,
) -> Result<Answer<'v>, String> {
    let (api_version, kind) =
        head(answer).map_err(|it| format!("couldn't get version/kind; json parse error: {it}"))?;
    let (group, version) = parse_group_version(api_version)?;
    let written = format!("{group}/{version}, Kind={kind}");
    // The default of an omitted part is the same part of the review.
    let kind = if kind.is_empty() { KIND } else { kind };
    let is_open = version.is_empty() && (group.is_empty() || group == CRD.group);
    let (group, version) = if is_open { (CRD.group, wanted) } else { (group, version) };
    let known = ["v1", "v1beta1"]
        .into_iter()
        .find(|it| group == CRD.group && version == *it);
    let Some(known) = known.filter(|_| kind == KIND) else {
        if (group, version, kind) == ("", "v1", "Status") {
            return Err(unknown_conversion("v1.Status", wanted));
        }
        let api_version = if group.is_empty() {
            version.to_owned()
        } else {
            format!("{group}/{version}")
        };
        return Err(not_registered(&api_version, kind, kubernetes));
    };
    let mut decoder = Decoder {
        version: known,
        path: Vec::new(),
        failure: None,
    };
    decoder.value(answer, &Type::Structure("", &REVIEW), "");
    if let Some(failure) = decoder.failure {
        return Err(failure.to_string());
    }
    if known != wanted {
        return Err(unknown_conversion(&format!("{known}.{KIND}"), wanted));
    }
    Ok(Answer {
        kind: written,
        response: answer.get("response").and_then(Value::as_object),
    })
}

fn unknown_conversion(from: &str, wanted: &str) -> String {
    format!("converting ({from}) to ({wanted}.{KIND}): unknown conversion")
}

/// `apiVersion` and `kind`, whose names Go matches case-insensitively.
fn head(answer: &Value) -> Result<(&str, &str), TypeMismatch> {
    let mismatch = |value: &Value, into: &'static str, field: &str| TypeMismatch {
        value: described(value).to_owned(),
        into: into.into(),
        structure: "",
        field: field.to_owned(),
        key: None,
    };
    let (mut api_version, mut kind) = ("", "");
    let members = match answer {
        Value::Null => return Ok((api_version, kind)),
        Value::Object(members) => members,
        other => {
            return Err(mismatch(other, HEAD, ""));
        }
    };
    let mut failure = None;
    for (key, value) in members {
        let (name, text) = match folded(key).as_str() {
            "APIVERSION" => ("apiVersion", &mut api_version),
            "KIND" => ("kind", &mut kind),
            _ => continue,
        };
        match value {
            Value::String(value) => *text = value,
            Value::Null => {}
            other => {
                failure.get_or_insert_with(|| mismatch(other, "string", name));
            }
        }
    }
    failure.map_or(Ok((api_version, kind)), Err)
}

/// A Go type and its name.
enum Type {
    Text(&'static str),
    Integer(&'static str),
    /// Any JSON.
    Raw,
    /// A struct. The string is the package in its Go name, or empty for the package of the review's version.
    Structure(&'static str, &'static Structure),
    List(&'static str, &'static Type),
}

/// A Go struct: its name and fields.
struct Structure {
    name: &'static str,
    fields: &'static [(&'static str, Type)],
}

const STRING: Type = Type::Text("string");
const UID: Type = Type::Text("types.UID");

static REVIEW: Structure = Structure {
    name: KIND,
    fields: &[
        ("apiVersion", STRING),
        ("kind", STRING),
        ("request", Type::Structure("", &REQUEST)),
        ("response", Type::Structure("", &RESPONSE)),
    ],
};
static REQUEST: Structure = Structure {
    name: "ConversionRequest",
    fields: &[
        ("desiredAPIVersion", STRING),
        ("objects", Type::List("[]runtime.RawExtension", &Type::Raw)),
        ("uid", UID),
    ],
};
static RESPONSE: Structure = Structure {
    name: "ConversionResponse",
    fields: &[
        ("convertedObjects", Type::List("[]runtime.RawExtension", &Type::Raw)),
        ("result", Type::Structure("v1", &STATUS)),
        ("uid", UID),
    ],
};
static STATUS: Structure = Structure {
    name: "Status",
    fields: &[
        ("apiVersion", STRING),
        ("code", Type::Integer("int32")),
        ("details", Type::Structure("v1", &DETAILS)),
        ("kind", STRING),
        ("message", STRING),
        ("metadata", Type::Structure("v1", &LIST_META)),
        ("reason", Type::Text("v1.StatusReason")),
        ("status", STRING),
    ],
};
static DETAILS: Structure = Structure {
    name: "StatusDetails",
    fields: &[
        ("causes", Type::List("[]v1.StatusCause", &Type::Structure("v1", &CAUSE))),
        ("group", STRING),
        ("kind", STRING),
        ("name", STRING),
        ("retryAfterSeconds", Type::Integer("int32")),
        ("uid", UID),
    ],
};
static CAUSE: Structure = Structure {
    name: "StatusCause",
    fields: &[
        ("field", STRING),
        ("message", STRING),
        ("reason", Type::Text("v1.CauseType")),
    ],
};
static LIST_META: Structure = Structure {
    name: "ListMeta",
    fields: &[
        ("continue", STRING),
        ("remainingItemCount", Type::Integer("int64")),
        ("resourceVersion", STRING),
        ("selfLink", STRING),
    ],
};

/// Finds the first value whose type does not match its field, in the order of Go's decoder.
struct Decoder {
    /// The version of the review.
    version: &'static str,
    path: Vec<&'static str>,
    failure: Option<TypeMismatch>,
}

impl Decoder {
    fn value(&mut self, value: &Value, into: &Type, structure: &'static str) {
        match (into, value) {
            (_, Value::Null) | (Type::Raw, _) | (Type::Text(_), Value::String(_)) => {}
            (Type::Structure(_, inner), Value::Object(members)) => {
                for (key, value) in members {
                    let Some((name, field)) = inner.fields.iter().find(|it| it.0 == key) else {
                        continue;
                    };
                    self.path.push(name);
                    self.value(value, field, inner.name);
                    self.path.pop();
                }
            }
            (Type::List(_, item), Value::Array(items)) => {
                for it in items {
                    self.value(it, item, structure);
                }
            }
            (Type::Integer(name), Value::Number(number)) => {
                let fits = |it: i64| *name == "int64" || i32::try_from(it).is_ok();
                if !number.as_i64().is_some_and(fits) {
                    self.fail(format!("number {number}").into(), into, structure);
                }
            }
            _ => self.fail(described(value).into(), into, structure),
        }
    }

    fn fail(&mut self, value: Cow<'static, str>, into: &Type, structure: &'static str) {
        let into: Cow<'static, str> = match into {
            Type::Text(name) | Type::Integer(name) | Type::List(name, _) => (*name).into(),
            Type::Structure(package, inner) => {
                let package = if package.is_empty() { self.version } else { package };
                format!("{package}.{}", inner.name).into()
            }
            Type::Raw => return,
        };
        let field = self.path.join(".");
        self.failure.get_or_insert_with(|| TypeMismatch {
            value: value.into_owned(),
            into,
            structure,
            field,
            key: None,
        });
    }
}

/// A converted object, or the reason why the API server cannot read it.
pub(crate) fn object(value: &Value) -> Result<(&Map<String, Value>, &str), String> {
    let members = match value {
        Value::Null => return Err("unexpected end of JSON input".to_owned()),
        Value::Object(members) => members,
        other => {
            let mismatch = TypeMismatch {
                value: described(other).to_owned(),
                into: "map[string]interface {}".into(),
                structure: "",
                field: String::new(),
                key: None,
            };
            return Err(mismatch.to_string());
        }
    };
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    let api_version = members.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    // If the version of an object is invalid, its kind cannot be determined either.
    if kind.is_empty() || parse_group_version(api_version).is_err() {
        let written = crd_analyzer_schema::field::render::json(value);
        return Err(format!("Object 'Kind' is missing in '{written}'"));
    }
    Ok((members, kind))
}
