//! The type of an object, read before the object itself (`pkg/runtime/serializer/json` of apimachinery, `meta.go`), and
//! how the decoder completes it.

use crd_analyzer_schema::type_mismatch::TypeMismatch;
use crd_analyzer_schema::{KubernetesVersion, go};
use crd_analyzer_syntax::json::{Json, JsonValue};
use crd_analyzer_syntax::tree::NodeId;

use crate::kind::{Kind, Version, parse_group_version};

use super::state::{Cause, DecodeFailure, kind_of};

/// The Go type into which the type of an object is decoded.
pub const HEAD: &str =
    r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// The group, version and kind of an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GroupVersionKind {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl GroupVersionKind {
    /// `group/version`, or just the version for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// The nodes with the type of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct HeadNodes {
    pub(super) api_version: Option<NodeId>,
    pub(super) kind: Option<NodeId>,
}

/// Reads `apiVersion` and `kind`.
///
/// For these fields, the API server uses Go's own decoder, which is not strict. So it also accepts `Kind` and `KIND`, and the last key in sorted
/// order wins.
pub(super) fn interpret(json: &Json<'_>) -> Result<(GroupVersionKind, HeadNodes), Box<DecodeFailure>> {
    let mut api_version = "";
    let mut kind = "";
    let mut nodes = HeadNodes::default();
    let mut failure: Option<(TypeMismatch, NodeId)> = None;
    match &json.value {
        JsonValue::Null => {}
        JsonValue::Object(members) => {
            for member in members {
                let (name, text, node) = match folded(&member.key).as_str() {
                    "APIVERSION" => ("apiVersion", &mut api_version, &mut nodes.api_version),
                    "KIND" => ("kind", &mut kind, &mut nodes.kind),
                    _ => continue,
                };
                match &member.value.value {
                    JsonValue::String(value) => {
                        *text = value;
                        *node = Some(member.value.node);
                    }
                    JsonValue::Null => {}
                    other => {
                        failure.get_or_insert_with(|| {
                            let why = TypeMismatch {
                                value: kind_of(other).to_owned(),
                                into: "string".into(),
                                structure: "",
                                field: name.to_owned(),
                                key: None,
                            };
                            (why, member.value.node)
                        });
                    }
                }
            }
        }
        other => {
            let why = TypeMismatch {
                value: kind_of(other).to_owned(),
                into: HEAD.into(),
                structure: "",
                field: String::new(),
                key: None,
            };
            failure = Some((why, json.node));
        }
    }
    if let Some((why, node)) = failure {
        let cause = Cause::HeadType(why);
        return Err(Box::new(DecodeFailure { cause, node }));
    }
    let (group, version) = match parse_group_version(api_version) {
        Ok(parsed) => parsed,
        Err(why) => {
            let node = nodes.api_version.unwrap_or(json.node);
            return Err(Box::new(DecodeFailure {
                cause: Cause::Text(why),
                node,
            }));
        }
    };
    Ok((
        GroupVersionKind {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        },
        nodes,
    ))
}

/// Fills in the missing parts of an object's type (`gvkWithDefaults`), for a handler of this kind and version.
pub(super) fn with_defaults(mut actual: GroupVersionKind, kind: &Kind, version: &Version) -> GroupVersionKind {
    if actual.kind.is_empty() {
        kind.name.clone_into(&mut actual.kind);
    }
    if actual.version.is_empty() && (actual.group.is_empty() || actual.group == kind.group) {
        kind.group.clone_into(&mut actual.group);
        version.name.clone_into(&mut actual.version);
    }
    actual
}

/// The API server's message for a type without a registered decoder (`runtime.NewNotRegisteredErrForKind`). It contains the
/// line of the library's source that creates the registry.
pub fn not_registered(api_version: &str, kind: &str, version: KubernetesVersion) -> String {
    let line = match version.number() {
        ..=32 => 100,
        33..=34 => 110,
        _ => 111,
    };
    format!(
        "no kind {} is registered for version {} in scheme {}",
        go::quote(kind),
        go::quote(api_version),
        go::quote(&format!("pkg/runtime/scheme.go:{line}"))
    )
}

/// A key folded like in the case-insensitive comparison of `encoding/json`: two non-ASCII letters fold to ASCII.
pub fn folded(key: &str) -> String {
    key.chars()
        .map(|it| match it {
            '\u{17f}' => 'S',
            '\u{212a}' => 'K',
            _ => it.to_ascii_uppercase(),
        })
        .collect()
}
