//! The state of a decoder and the errors that it collects.

use std::borrow::Cow;

use crd_analyzer_schema::type_mismatch::TypeMismatch;
use crd_analyzer_schema::{KubernetesVersion, depth, go};
use crd_analyzer_syntax::json::{Json, JsonValue};
use crd_analyzer_syntax::tree::NodeId;

use crate::codes;

/// The number of strict decoding errors that the API server keeps. Further errors are dropped.
const MAX_STRICT_ERRORS: usize = 100;

/// The number of silently dropped fields that are reported. It is limited because the paths of deeply nested fields are long.
const MAX_DROPPED_FIELDS: usize = 1000;

/// The Go types of metadata. They exist in only one version.
const OF_METADATA: [&str; 4] = [
    "v1.ObjectMeta",
    "v1.OwnerReference",
    "v1.ManagedFieldsEntry",
    "v1.ManagedFieldsOperationType",
];

/// The first Kubernetes version whose type errors contain the whole path, including embedded structs, for values inside a keyword with its own
/// decoding (`sigs.k8s.io/json` of July 2025).
const WHOLE_PATH_SINCE: KubernetesVersion = KubernetesVersion::minor(35);

/// An error of strict field validation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrictError {
    /// The API server's message: `unknown field "spec.versions[0].schemas"`.
    pub text: String,
    /// The key; for duplicate keys, the first repeated key.
    pub node: NodeId,
    /// The kind of error.
    pub kind: StrictErrorKind,
}

/// The kind of a strict field validation error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrictErrorKind {
    /// A key that is not a field of the Go type.
    UnknownField,
    /// Duplicate keys. There is one error for all of a document, and only for YAML requests.
    /// [`JsonDoc::duplicates`](crd_analyzer_syntax::json::JsonDoc::duplicates) contains each duplicate key with both positions.
    DuplicateKeys,
}

impl StrictErrorKind {
    /// The diagnostic code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownField => codes::UNKNOWN_FIELD,
            Self::DuplicateKeys => codes::DUPLICATE_KEY,
        }
    }
}

/// A field that the API server silently drops, although it is certainly a mistake. The reason is that values inside `items`, `additionalProperties`,
/// `additionalItems` and `dependencies` of a schema are not decoded strictly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DroppedField {
    /// The dotted path in the form of a strict error.
    pub path: String,
    /// The key.
    pub node: NodeId,
}

/// The reason why a document could not be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DecodeFailure {
    /// The cause of the error.
    pub cause: Cause,
    /// The value that causes the error.
    pub node: NodeId,
}

/// The cause of a decoding error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A value of the wrong type.
    Type(TypeMismatch),
    /// A value of the wrong type for `apiVersion` or `kind`, which are decoded first.
    HeadType(TypeMismatch),
    /// Any other problem, as the API server's message.
    Text(String),
    /// Schemas or values nest deeper than [`depth::limit`], where crd-analyzer stops. The API server has no such error.
    TooDeep,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Type(mismatch) => mismatch.fmt(f),
            Self::HeadType(mismatch) => write!(f, "couldn't get version/kind; json parse error: {mismatch}"),
            Self::Text(text) => f.write_str(text),
            Self::TooDeep => f.write_str("schemas are nested too deeply to be checked"),
        }
    }
}

/// Ends decoding; the rest of the document is not read. Boxed, because this is rare and every step returns it.
pub(super) type Stop = Box<DecodeFailure>;

/// One step of the path in strict errors.
#[derive(Clone, Copy)]
enum Step<'j> {
    Key(&'j str),
    Index(usize),
}

/// The state of decoding one document (`decodeState` of `sigs.k8s.io/json`).
pub(super) struct Decoder<'j> {
    version: KubernetesVersion,
    /// Whether the Go types are those of v1beta1.
    v1beta1: bool,
    /// The surrounding struct fields, for type errors.
    fields: Vec<&'j str>,
    /// The index of the innermost decoder's first field. A keyword with its own decoding starts a new path.
    first_field: usize,
    /// The innermost Go struct, for type errors.
    structure: &'static str,
    /// The surrounding keys and indexes, for strict errors.
    path: Vec<Step<'j>>,
    /// The number of surrounding keywords with their own decoding, which is not strict.
    lenient: usize,
    schema_depth: usize,
    /// The maximum of `schema_depth`.
    max_schema_depth: usize,
    saved: Option<Stop>,
    strict: Vec<StrictError>,
    dropped: Vec<DroppedField>,
}

/// The errors that a decoder found.
pub(super) struct Found {
    pub(super) failure: Option<Stop>,
    pub(super) strict: Vec<StrictError>,
    pub(super) dropped: Vec<DroppedField>,
}

impl<'j> Decoder<'j> {
    pub(super) fn new(version: KubernetesVersion, v1beta1: bool) -> Self {
        Self {
            version,
            v1beta1,
            fields: Vec::new(),
            first_field: 0,
            structure: "",
            path: Vec::new(),
            lenient: 0,
            schema_depth: 0,
            max_schema_depth: depth::limit(),
            saved: None,
            strict: Vec::new(),
            dropped: Vec::new(),
        }
    }

    pub(super) fn reads_v1beta1(&self) -> bool {
        self.v1beta1
    }

    pub(super) fn version(&self) -> KubernetesVersion {
        self.version
    }

    /// The first error in the API server's order. An error that stopped decoding comes before recorded errors.
    pub(super) fn finish(self, end: Result<(), Stop>) -> Found {
        Found {
            failure: end.err().or(self.saved),
            strict: self.strict,
            dropped: self.dropped,
        }
    }

    /// Fills a Go struct: `field` decodes the value of a key and returns whether the struct has such a field.
    pub(super) fn structure(
        &mut self,
        json: &'j Json<'j>,
        name: &'static str,
        full_name: &'static str,
        mut field: impl FnMut(&mut Self, &'j str, &'j Json<'j>) -> Result<bool, Stop>,
    ) -> Result<(), Stop> {
        let members = match &json.value {
            JsonValue::Object(members) => members,
            JsonValue::Null => return Ok(()),
            _ => {
                self.wrong_type(json, full_name);
                return Ok(());
            }
        };
        let outer = self.structure;
        for member in members {
            self.structure = name;
            self.fields.push(&member.key);
            self.path.push(Step::Key(&member.key));
            let known = field(self, &member.key, &member.value)?;
            if !known {
                self.unknown_field(member.key_node);
            }
            self.fields.pop();
            self.path.pop();
        }
        self.structure = outer;
        Ok(())
    }

    /// Decodes the value of a field of embedded structs. The paths of type errors contain the names of these structs.
    pub(super) fn embedded<T>(&mut self, structs: &'static [&'static str], decode: impl FnOnce(&mut Self) -> T) -> T {
        if structs.is_empty() || self.version < WHOLE_PATH_SINCE {
            return decode(self);
        }
        let length = self.fields.len();
        let key = self.fields.pop();
        self.fields.extend(structs.iter().copied().chain(key));
        let decoded = decode(self);
        self.fields.truncate(length.saturating_sub(1));
        self.fields.extend(key);
        decoded
    }

    /// Fills a Go slice; `None` for null and for values that are not lists.
    pub(super) fn list<T: Default>(
        &mut self,
        json: &'j Json<'j>,
        full_name: &'static str,
        mut item: impl FnMut(&mut Self, &'j Json<'j>, &mut T) -> Result<(), Stop>,
    ) -> Result<Option<Vec<T>>, Stop> {
        let items = match &json.value {
            JsonValue::Array(items) => items,
            JsonValue::Null => return Ok(None),
            _ => {
                self.wrong_type(json, full_name);
                return Ok(None);
            }
        };
        let mut out = Vec::with_capacity(items.len());
        for (index, value) in items.iter().enumerate() {
            self.path.push(Step::Index(index));
            let mut filled = T::default();
            item(self, value, &mut filled)?;
            out.push(filled);
            self.path.pop();
        }
        Ok(Some(out))
    }

    /// Fills a Go map; `None` for null and for values that are not objects.
    pub(super) fn map<T: Default>(
        &mut self,
        json: &'j Json<'j>,
        full_name: &'static str,
        mut item: impl FnMut(&mut Self, &'j Json<'j>, &mut T) -> Result<(), Stop>,
    ) -> Result<Option<Vec<(String, T)>>, Stop> {
        let members = match &json.value {
            JsonValue::Object(members) => members,
            JsonValue::Null => return Ok(None),
            _ => {
                self.wrong_type(json, full_name);
                return Ok(None);
            }
        };
        let mut out = Vec::with_capacity(members.len());
        for member in members {
            self.path.push(Step::Key(&member.key));
            let mut filled = T::default();
            let is_first = self.saved.is_none();
            item(self, &member.value, &mut filled)?;
            if let Some(failure) = self.saved.as_mut().filter(|_| is_first)
                && failure.node == member.value.node
                && let Cause::Type(mismatch) = &mut failure.cause
            {
                mismatch.key = Some((*member.key).into());
            }
            out.push((member.key.clone().into_owned(), filled));
            self.path.pop();
        }
        Ok(Some(out))
    }

    /// Decodes with a separate decoder, like a Go type with an `UnmarshalJSON`. The separate decoder is not strict, and an error in it ends the whole
    /// decoding.
    pub(super) fn on_its_own<T>(&mut self, decode: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let structure = std::mem::take(&mut self.structure);
        let first_field = std::mem::replace(&mut self.first_field, self.fields.len());
        let saved = self.saved.take();
        let steps = self.path.len();
        self.lenient += 1;
        let end = decode(self);
        self.lenient -= 1;
        self.path.truncate(steps);
        self.fields.truncate(self.first_field);
        self.first_field = first_field;
        self.structure = structure;
        let found = std::mem::replace(&mut self.saved, saved);
        match (end, found) {
            (Ok(value), None) => Ok(value),
            (Err(mut stop), _) | (Ok(_), Some(mut stop)) => {
                self.add_context(&mut stop);
                Err(stop)
            }
        }
    }

    /// Enters a schema; fails if the nesting is too deep.
    pub(super) fn enter_schema(&mut self, json: &Json<'_>) -> Result<(), Stop> {
        self.schema_depth += 1;
        if self.schema_depth > self.max_schema_depth {
            return Err(Box::new(DecodeFailure {
                cause: Cause::TooDeep,
                node: json.node,
            }));
        }
        Ok(())
    }

    /// Leaves a schema.
    pub(super) fn leave_schema(&mut self) {
        self.schema_depth -= 1;
    }

    /// Records that `json` is not a value for the Go type `into`.
    pub(super) fn wrong_type(&mut self, json: &Json<'_>, into: &'static str) {
        self.wrong_value(json, kind_of(&json.value).to_owned(), into);
    }

    /// Records that `json`, described as `value`, is not a value for the Go type `into`.
    pub(super) fn wrong_value(&mut self, json: &Json<'_>, value: String, into: &'static str) {
        let into = if self.v1beta1 && !OF_METADATA.iter().any(|it| into.ends_with(it)) {
            Cow::Owned(into.replace("v1.", "v1beta1."))
        } else {
            Cow::Borrowed(into)
        };
        self.wrong_for(json, value, into);
    }

    /// Records that `json`, described as `value`, is not a value for the Go type with this name.
    pub(super) fn wrong_for(&mut self, json: &Json<'_>, value: String, into: Cow<'static, str>) {
        self.save(Box::new(DecodeFailure {
            cause: Cause::Type(TypeMismatch {
                value,
                into,
                structure: "",
                field: String::new(),
                key: None,
            }),
            node: json.node,
        }));
    }

    /// Records an error without stopping. Only the first recorded error is reported.
    pub(super) fn save(&mut self, mut failure: Stop) {
        if self.saved.is_none() {
            self.add_context(&mut failure);
            self.saved = Some(failure);
        }
    }

    /// Adds the path to a type error (`addErrorContext`).
    fn add_context(&self, failure: &mut DecodeFailure) {
        let around = &self.fields[self.first_field..];
        if self.structure.is_empty() && around.is_empty() {
            return;
        }
        if let Cause::Type(TypeMismatch { structure, field, .. }) = &mut failure.cause {
            *structure = self.structure;
            let inner = std::mem::take(field);
            *field = around.join(".");
            if self.version >= WHOLE_PATH_SINCE && !inner.is_empty() {
                field.push('.');
                field.push_str(&inner);
            }
        }
    }

    /// Records that the struct has no field with the name of the last step of the path.
    fn unknown_field(&mut self, key: NodeId) {
        if self.lenient > 0 {
            if self.dropped.len() < MAX_DROPPED_FIELDS {
                let path = self.path_text();
                self.dropped.push(DroppedField { path, node: key });
            }
            return;
        }
        if self.strict.len() >= MAX_STRICT_ERRORS {
            return;
        }
        let text = format!("unknown field {}", go::quote(&self.path_text()));
        if !self.strict.iter().any(|it| it.text == text) {
            self.strict.push(StrictError {
                text,
                node: key,
                kind: StrictErrorKind::UnknownField,
            });
        }
    }

    fn path_text(&self) -> String {
        let mut text = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(key);
                }
                Step::Index(index) => {
                    text.push('[');
                    text.push_str(&index.to_string());
                    text.push(']');
                }
            }
        }
        text
    }
}

/// The name of a JSON value in Go's type errors.
pub(super) fn kind_of(value: &JsonValue<'_>) -> &'static str {
    match value {
        JsonValue::Null => "null",
        JsonValue::Bool(_) => "bool",
        JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) => "number",
        JsonValue::String(_) => "string",
        JsonValue::Array(_) => "array",
        JsonValue::Object(_) => "object",
    }
}
