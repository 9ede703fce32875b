//! Coercion of metadata to the API server's types (`algorithm.go` and `coerce.go` of the package).

use std::mem;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::{Map, Value};

use super::{Node, Step};
use crate::codes;
use crate::field::{Error, Path, Trail, render};
use crate::metadata::{Decoded, ObjectMeta};
use crate::structural::Structural;
use crate::unknown::Known;

/// Options for [`coerce`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CoerceOptions {
    /// Whether known fields of the wrong type are dropped instead of rejected.
    pub drop_invalid_fields: bool,
}

/// Drops the unknown fields of `metadata` and rejects (or drops) known fields of the wrong type, in embedded resources and,
/// if `is_resource_root`, at the root (`CoerceWithOptions`).
///
/// Returns the paths of the unknown fields, sorted. If several fields are wrong, the API server names any of them; this function names the first in
/// the order of names. Metadata that is not fully known stays unchanged.
pub fn coerce(
    value: &mut Value,
    known: Known<'_>,
    schema: Option<Structural<'_>>,
    is_resource_root: bool,
    path: &Path,
    options: CoerceOptions,
    version: KubernetesVersion,
) -> Result<Vec<String>, Error> {
    let mut coercer = Coercer {
        options,
        version,
        unknown: Vec::new(),
    };
    if let Some(node) = Node::root(schema, is_resource_root) {
        coercer.value(value, known, node, &Trail::new(path))?;
    }
    coercer.unknown.sort_unstable();
    Ok(coercer.unknown)
}

struct Coercer {
    options: CoerceOptions,
    version: KubernetesVersion,
    unknown: Vec<String>,
}

impl Coercer {
    fn value(&mut self, value: &mut Value, known: Known<'_>, node: Node<'_>, at: &Trail<'_>) -> Result<(), Error> {
        match value {
            Value::Object(fields) => {
                if node.is_resource {
                    self.resource(fields, known, node, at)?;
                }
                for (name, value) in fields {
                    if !(node.is_resource && is_meta(name)) {
                        self.field((name, value), known, node, at)?;
                    }
                }
            }
            Value::Array(items) => {
                if let Some(item) = node.items() {
                    for (n, value) in items.iter_mut().enumerate() {
                        self.value(value, known.item(n), item, &at.index(n))?;
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    /// Coerces a field. `known` describes the known parts of the surrounding object.
    fn field(
        &mut self,
        (name, value): (&str, &mut Value),
        known: Known<'_>,
        node: Node<'_>,
        at: &Trail<'_>,
    ) -> Result<(), Error> {
        let known = known.field(name);
        match node.field(name) {
            Some((Step::Child, node)) => self.value(value, known, node, &at.child(name)),
            Some((Step::Key, node)) => self.value(value, known, node, &at.key(name)),
            None => Ok(()),
        }
    }

    /// Coerces the three fields of a resource. The schemas of these fields apply to the original values.
    fn resource(
        &mut self,
        fields: &mut Map<String, Value>,
        known: Known<'_>,
        node: Node<'_>,
        at: &Trail<'_>,
    ) -> Result<(), Error> {
        for name in ["apiVersion", "kind"] {
            let Some(value) = fields.get_mut(name) else {
                continue;
            };
            if value.is_string() {
                continue;
            }
            if !self.options.drop_invalid_fields {
                let bad_value = render::bad_value(value, self.version);
                return Err(Error::invalid(
                    codes::TYPE_META,
                    at.child(name).path(),
                    bad_value,
                    "must be a string",
                ));
            }
            let mut dropped = fields.remove(name).unwrap_or_default();
            self.field((name, &mut dropped), known, node, at)?;
        }
        if let Some(value) = fields.get_mut("metadata") {
            let mut before = self.metadata(value, known.field("metadata"), at)?;
            // Coercion inside `metadata` works on the original value and does not change the object.
            let inside = before.as_mut().unwrap_or(value);
            self.field(("metadata", inside), known, node, at)?;
        }
        Ok(())
    }

    /// Replaces metadata by its decoded form and returns the original.
    fn metadata(&mut self, value: &mut Value, known: Known<'_>, at: &Trail<'_>) -> Result<Option<Value>, Error> {
        if !known.is_all() {
            return Ok(None);
        }
        let decoded = match (ObjectMeta::decode(value), &*value) {
            (Ok(decoded), _) => decoded,
            (Err(_), Value::Object(fields)) if self.options.drop_invalid_fields => ObjectMeta::decode_leniently(fields),
            (Err(_), _) if self.options.drop_invalid_fields => return Ok(None),
            (Err(error), _) => {
                let bad_value = render::bad_value(value, self.version);
                return Err(Error::invalid(
                    codes::METADATA_DECODE,
                    at.child("metadata").path(),
                    bad_value,
                    error.to_string(),
                ));
            }
        };
        let Decoded { meta, unknown } = decoded;
        if !unknown.is_empty() {
            let prefix = at.child("metadata").to_string();
            self.unknown
                .extend(unknown.into_iter().map(|path| format!("{prefix}.{path}")));
        }
        Ok(Some(mem::replace(value, meta.to_value())))
    }
}

fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}
