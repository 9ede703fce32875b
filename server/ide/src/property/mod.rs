//! A property of a schema and all its uses: in all versions of its CRD, and in resources.

mod find;
mod json_path;
#[cfg(test)]
mod tests;
mod uses;

use std::ops::Range;

use crd_analyzer_schema::rules::SchemaStep;
use crd_analyzer_syntax::tree::{NodeId, Span, Tree};

pub use find::target_at;
pub use uses::{Uses, resource_uses, rules_that_read, schema_at_path, uses, uses_in};

/// A property, identified by its path in resources, which is the same in all versions that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The path from the root of a resource to the object with the property.
    pub object: Vec<SchemaStep>,
    /// The name of the property.
    pub name: String,
}

/// The part of a CRD or resource in which a property is named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UseKind {
    /// The declaration: a key of `properties`.
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

/// The syntax in which a name is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// The plain name.
    Name,
    /// A CEL identifier, in which some characters are escaped.
    Cel,
    /// A name after a dot in a path.
    Path,
    /// A name in these quotes in a path.
    QuotedPath(char),
}

/// A use of a property's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The kind of use.
    pub kind: UseKind,
    /// The scalar that contains the name.
    pub scalar: NodeId,
    /// The byte range of the name in the scalar's value.
    pub bytes: Range<usize>,
    /// The syntax of the name.
    pub form: Form,
}

impl Use {
    /// The span of the name.
    pub fn span(&self, tree: &Tree) -> Span {
        tree.source_map(self.scalar).span(self.bytes.clone())
    }
}

impl UseKind {
    /// A description of the use for users.
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
