//! Validation of `apiVersion`, `kind` and `metadata` (`validation.go` of the package).

use crd_analyzer_cel::KubernetesVersion;
use serde_json::{Map, Value};

use super::{Node, Step};
use crate::codes;
use crate::field::{Error, Path, Trail, render};
use crate::go::{quote, to_lower};
use crate::metadata::{ObjectMeta, drop_repeated, names, parse_group_version, validate_object_meta};
use crate::structural::Structural;
use crate::unknown::{Known, settle_metadata};

/// Returns the errors in the metadata of embedded resources and, if `is_resource_root`, of the root (`Validate`).
pub fn validate(
    value: &Value,
    known: Known<'_>,
    schema: Option<Structural<'_>>,
    is_resource_root: bool,
    path: &Path,
    version: KubernetesVersion,
) -> Vec<Error> {
    let mut check = Check {
        version,
        errors: Vec::new(),
    };
    if let Some(node) = Node::root(schema, is_resource_root) {
        check.value(value, known, node, &Trail::new(path));
    }
    check.errors
}

struct Check {
    version: KubernetesVersion,
    errors: Vec<Error>,
}

impl Check {
    fn value(&mut self, value: &Value, known: Known<'_>, node: Node<'_>, at: &Trail<'_>) {
        match value {
            Value::Object(fields) => {
                if node.is_resource {
                    self.resource(fields, known, at);
                }
                for (name, value) in fields {
                    let known = known.field(name);
                    match node.field(name) {
                        Some((Step::Child, node)) => self.value(value, known, node, &at.child(name)),
                        Some((Step::Key, node)) => self.value(value, known, node, &at.key(name)),
                        None => {}
                    }
                }
            }
            Value::Array(items) => {
                if let Some(item) = node.items() {
                    for (n, value) in items.iter().enumerate() {
                        self.value(value, known.item(n), item, &at.index(n));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// `validateEmbeddedResource`
    fn resource(&mut self, fields: &Map<String, Value>, known: Known<'_>, at: &Trail<'_>) {
        let missing = if self.version >= KubernetesVersion::minor(34) {
            ""
        } else {
            "must not be empty"
        };
        for name in ["apiVersion", "kind"] {
            let at = at.child(name);
            match fields.get(name) {
                _ if known.field(name).is_nothing() => {}
                None if known.has_more() => {}
                None => self.errors.push(Error::required(codes::TYPE_META, at.path(), missing)),
                Some(Value::String(text)) if text.is_empty() => self.invalid(&at, quote(text), "must not be empty"),
                Some(Value::String(text)) if name == "kind" => {
                    let words = names::dns1035_label(&to_lower(text));
                    if !words.is_empty() {
                        let words = words.join(",");
                        let detail = format!("may have mixed case, but should otherwise match: {words}");
                        self.invalid(&at, quote(text), detail);
                    }
                }
                Some(Value::String(text)) => {
                    if parse_group_version(text).is_none() {
                        self.invalid(&at, quote(text), format!("unexpected GroupVersion string: {text}"));
                    }
                }
                Some(value) => self.invalid(&at, render::bad_value(value, self.version), "must be a string"),
            }
        }
        if let Some(metadata) = fields.get("metadata") {
            self.metadata(metadata, known.field("metadata"), &at.child("metadata"));
        }
    }

    fn metadata(&mut self, value: &Value, known: Known<'_>, at: &Trail<'_>) {
        match ObjectMeta::decode(&settle_metadata(value, known)) {
            Ok(decoded) => {
                let mut meta = decoded.meta;
                if meta.name.is_empty() {
                    // Embedded resources need no name, so a name that passes the validation is used.
                    "fakename".clone_into(&mut meta.name);
                }
                let has_namespace = !meta.namespace.is_empty();
                let before = self.errors.len();
                validate_object_meta(
                    (&meta, known),
                    has_namespace,
                    names::path_segment,
                    at,
                    self.version,
                    &mut self.errors,
                );
                drop_repeated(&mut self.errors, before, self.version);
            }
            Err(error) => {
                let bad_value = render::bad_value(value, self.version);
                let detail = error.to_string();
                self.errors
                    .push(Error::invalid(codes::METADATA_DECODE, at.path(), bad_value, detail));
            }
        }
    }

    fn invalid(&mut self, at: &Trail<'_>, bad_value: String, detail: impl Into<String>) {
        self.errors
            .push(Error::invalid(codes::TYPE_META, at.path(), bad_value, detail));
    }
}
