//! Objects and maps (`k8s.io/apiserver/pkg/cel/common`, `unstructuredMap`).

use std::sync::{Arc, OnceLock};

use crd_analyzer_cel::types::{escape, unescape};
use crd_analyzer_cel::value::{EvalError, Map, MapValue, Result, Value};

use super::data::{Data, Entries};
use super::reads;
use super::shape::{Properties, Shape};
use super::value::{same, value_of};
use crate::KubernetesVersion;
use crate::unknown;

/// The first Kubernetes version whose object comparison looks up each field in both objects.
const BOTH_SIDES_SINCE: KubernetesVersion = KubernetesVersion::minor(34);

#[derive(Debug)]
pub(super) struct Object {
    data: Arc<Entries>,
    fields: Fields,
    version: KubernetesVersion,
    /// The value without a schema, computed on first use.
    native: OnceLock<Value>,
}

#[derive(Debug)]
enum Fields {
    /// The properties of an object. Expressions use the escaped names of properties.
    Properties(Arc<Properties>),
    /// The schema of a map's values.
    Values(Arc<Shape>),
    /// The schema does not describe the fields.
    Unknown,
}

impl Object {
    pub(super) fn new(data: Arc<Entries>, shape: &Shape, is_resource: bool, version: KubernetesVersion) -> Self {
        let fields = if shape.embedded || is_resource {
            Fields::Properties(Arc::clone(shape.resource_properties()))
        } else if !shape.properties.is_empty() {
            Fields::Properties(Arc::clone(&shape.properties))
        } else if let Some(values) = &shape.values {
            Fields::Values(Arc::clone(values))
        } else {
            Fields::Unknown
        };
        Self {
            data,
            fields,
            version,
            native: OnceLock::new(),
        }
    }

    pub(super) fn data(&self) -> &Arc<Entries> {
        &self.data
    }

    fn shape(&self, name: &str) -> Option<&Arc<Shape>> {
        match &self.fields {
            Fields::Properties(properties) => properties.get(name),
            Fields::Values(values) => Some(values),
            Fields::Unknown => None,
        }
    }

    /// Records a read of an unknown value if there may be other fields, because these affect the size and the lookup of missing fields.
    fn meet_others(&self) {
        if self.data.has_more {
            unknown::touch();
        }
    }

    fn is_object(&self) -> bool {
        matches!(self.fields, Fields::Properties(_))
    }
}

impl MapValue for Object {
    fn len(&self) -> usize {
        self.meet_others();
        self.data.len()
    }

    fn find(&self, key: &str) -> Option<Result> {
        let unescaped;
        let mut name = key;
        if self.is_object() {
            unescaped = unescape(key)?;
            name = &unescaped;
        }
        reads::note_field(&self.data, name);
        let Some(data) = self.data.get(name) else {
            self.meet_others();
            return None;
        };
        // In an object, a null field counts as missing. In a map, a null entry exists.
        if self.is_object() && data.is_null() {
            return None;
        }
        Some(value_of(data, self.shape(name)?, self.version))
    }

    fn keys(&self) -> Vec<Arc<str>> {
        self.meet_others();
        let known = self.data.keys().filter(|name| self.shape(name).is_some());
        if !self.is_object() {
            return known.cloned().collect();
        }
        known
            .map(|name| escape(name).map_or_else(|| Arc::clone(name), |escaped| (&*escaped).into()))
            .collect()
    }

    fn equal(&self, other: &Map) -> Result<bool> {
        self.meet_others();
        if self.len() != other.len() {
            return Ok(false);
        }
        let other_object = other.as_foreign().and_then(|it| it.as_any().downcast_ref::<Self>());
        for (name, data) in self.data.iter() {
            let Some(shape) = self.shape(name) else {
                let Some(other) = other_object else {
                    return Err(EvalError::no_such_overload());
                };
                if other.data.get(name).is_some_and(|theirs| theirs != data) {
                    return Ok(false);
                }
                continue;
            };
            // The API server looks up the unescaped name, although `find` expects escaped names.
            let ours = if self.version < BOTH_SIDES_SINCE {
                Some(value_of(data, shape, self.version))
            } else {
                self.find(name)
            };
            let theirs = match other.find(&Value::String(Arc::clone(name))) {
                Ok(found) => found.map(Ok),
                Err(error) => Some(Err(error)),
            };
            match (ours, theirs) {
                (Some(ours), Some(theirs)) => {
                    if !same(ours, theirs)? {
                        return Ok(false);
                    }
                }
                (None, None) => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn native(&self) -> Option<Value> {
        if let Some(known) = self.native.get() {
            return Some(known.clone());
        }
        let data = Data::Map(Arc::clone(&self.data));
        let native = data.as_plain_value();
        // Only known values are cached, because each access to an unknown value must be noticed.
        if data.is_known() {
            let _ = self.native.set(native.clone());
        }
        Some(native)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
