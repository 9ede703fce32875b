//! Pruning defaults (`prune.go` of the package).

use std::fmt;

use crd_analyzer_cel::KubernetesVersion;
use serde_json::Value;

use super::rewrite::apply;
use super::surrounding::Surrounding;
use crate::field::Path;
use crate::json_schema::JsonSchemaProps;
use crate::objectmeta::{CoerceOptions, coerce};
use crate::pruning::prune;
use crate::structural::{AdditionalProperties, Structural};
use crate::unknown::Known;

/// The error for defaults that cannot be pruned: the default at the root is not an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PruneError;

impl fmt::Display for PruneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed to prune default value: object root default value must be of object type")
    }
}

impl std::error::Error for PruneError {}

/// Drops unknown fields from the defaults of a structural schema, and returns whether anything changed
/// (`PruneDefaults`).
pub fn prune_defaults(schema: &mut JsonSchemaProps, version: KubernetesVersion) -> Result<bool, PruneError> {
    let pruned = collect(Structural::assume(schema), version)?;
    let changed = pruned.iter().any(Option::is_some);
    if changed {
        apply(schema, &mut pruned.into_iter());
    }
    Ok(changed)
}

/// Whether [`prune_defaults`] would change anything.
pub fn has_unpruned_defaults(schema: Structural<'_>, version: KubernetesVersion) -> Result<bool, PruneError> {
    Ok(collect(schema, version)?.iter().any(Option::is_some))
}

/// The pruned defaults, in the order of [`apply`]; `None` for a default that does not change.
fn collect(schema: Structural<'_>, version: KubernetesVersion) -> Result<Vec<Option<Value>>, PruneError> {
    let mut pruner = Pruner {
        root: schema,
        version,
        pruned: Vec::new(),
    };
    pruner.schema(schema, &Surrounding::ROOT)?;
    Ok(pruner.pruned)
}

struct Pruner<'s> {
    root: Structural<'s>,
    version: KubernetesVersion,
    pruned: Vec<Option<Value>>,
}

impl<'s> Pruner<'s> {
    fn schema(&mut self, schema: Structural<'s>, around: &Surrounding<'_>) -> Result<(), PruneError> {
        if let Some(default) = schema.default_value() {
            let pruned = self.default(default, around)?;
            self.pruned.push((pruned != *default).then_some(pruned));
        }
        if let Some(additional) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            self.schema(additional, &around.field("*"))?;
        }
        if let Some(items) = schema.items() {
            self.schema(items, &around.item())?;
        }
        for (name, property) in schema.properties() {
            self.schema(property, &around.field(name))?;
        }
        Ok(())
    }

    fn default(&self, default: &Value, around: &Surrounding<'_>) -> Result<Value, PruneError> {
        let mut resource = Value::Object(around.wrap(default.clone()).ok_or(PruneError)?);
        let options = CoerceOptions {
            drop_invalid_fields: true,
        };
        // With `drop_invalid_fields`, `coerce` never returns an error.
        let _ = coerce(
            &mut resource,
            Known::ALL,
            Some(self.root),
            true,
            &Path::root(),
            options,
            self.version,
        );
        prune(&mut resource, Some(self.root), true);
        Ok(around.unwrap(resource).unwrap_or(Value::Null))
    }
}
