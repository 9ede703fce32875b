//! A property of a schema and everything that names it: in all versions of its CRD, and in resources.

mod find;
mod json_path;
#[cfg(test)]
mod tests;
mod uses;

use std::ops::Range;

use crd_analyzer_schema::rules::SchemaStep;
use crd_analyzer_syntax::tree::{NodeId, Span, Tree};

pub use find::target_at;
pub use uses::{Uses, resource_uses, rules_that_read, schema_at_path, uses};

/// A property, by where its object is in resources: the same in all versions that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// From the root of a resource to the object.
    pub object: Vec<SchemaStep>,
    /// The property.
    pub name: String,
}

/// What names a property.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UseKind {
    /// It is declared: a key of `properties`.
    Declaration,
    /// An item of `required`.
    Required,
    /// An item of `x-kubernetes-list-map-keys`.
    ListMapKey,
    /// A rule.
    Rule,
    /// A message expression.
    MessageExpression,
    /// The `fieldPath` of a rule.
    FieldPath,
    /// The `jsonPath` of a printer column.
    Column,
    /// The `jsonPath` of a selectable field.
    SelectableField,
    /// A path of the scale subresource.
    Scale,
    /// A key in a default, an example or an enum.
    Value,
    /// A key of a resource.
    Resource,
}

/// How a name is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// As it is.
    Name,
    /// As a CEL identifier.
    Cel,
    /// Behind a dot of a path.
    Path,
    /// In quotes of a path; which ones.
    QuotedPath(char),
}

/// One place that names a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// What names it.
    pub kind: UseKind,
    /// The scalar.
    pub scalar: NodeId,
    /// Which bytes of the scalar's value are the name.
    pub bytes: Range<usize>,
    /// How it is written there.
    pub form: Form,
}

impl Use {
    /// Where the name is written.
    pub fn span(&self, tree: &Tree) -> Span {
        tree.source_map(self.scalar).span(self.bytes.clone())
    }
}

impl UseKind {
    /// What it is, for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Declaration => "declared",
            Self::Required => "required",
            Self::ListMapKey => "list map key",
            Self::Rule => "rule",
            Self::MessageExpression => "message expression",
            Self::FieldPath => "field path of a rule",
            Self::Column => "printer column",
            Self::SelectableField => "selectable field",
            Self::Scale => "scale subresource",
            Self::Value => "value in the schema",
            Self::Resource => "resource",
        }
    }
}
