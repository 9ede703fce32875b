//! `apiVersion`, `kind` and `metadata` of resources, including embedded resources
//! (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta`).

mod coerce;
mod validation;

pub use coerce::{CoerceOptions, coerce};
pub use validation::validate;

use crate::structural::{AdditionalProperties, Structural};

#[cfg(test)]
mod tests;

/// A schema, and whether its objects are resources. The objects of the root are always resources, whatever its schema contains.
#[derive(Clone, Copy)]
struct Node<'s> {
    schema: Structural<'s>,
    is_resource: bool,
}

/// The form of a field in a field path.
#[derive(Clone, Copy)]
enum Step {
    Child,
    Key,
}

impl<'s> Node<'s> {
    fn of(schema: Structural<'s>) -> Self {
        Self {
            schema,
            is_resource: schema.is_embedded_resource(),
        }
    }

    fn root(schema: Option<Structural<'s>>, is_resource_root: bool) -> Option<Self> {
        if is_resource_root {
            Some(Self {
                schema: schema.unwrap_or_else(Structural::empty),
                is_resource: true,
            })
        } else {
            schema.map(Self::of)
        }
    }

    fn items(self) -> Option<Self> {
        self.schema.items().map(Self::of)
    }

    /// The schema of the field `name`, if the schema of the object determines it.
    fn field(self, name: &str) -> Option<(Step, Self)> {
        if let Some(property) = self.schema.property(name) {
            return Some((Step::Child, Self::of(property)));
        }
        let additional = self
            .schema
            .additional_properties()
            .and_then(AdditionalProperties::schema)?;
        Some((Step::Key, Self::of(additional)))
    }
}
