//! The schema of a value that a patch is merged into: which lists are merged, and by which keys.

use crate::{
    facts::{Field, ListMerge, facts},
    openapi::{self, OpenApi},
};

/// The schema of a value.
#[derive(Clone, Copy)]
pub(super) enum Schema<'f> {
    /// The schema is unknown. An object inside the value may still have a kind of its own.
    Unknown,
    /// The value is an object with this definition.
    Definition(&'static str),
    /// The value belongs to this field.
    Field(&'f Field),
    /// The value has no lists that are merged.
    Plain,
    /// A schema from the kustomization's OpenAPI file.
    Named(&'f OpenApi, &'f openapi::Schema),
}

impl<'f> Schema<'f> {
    pub(super) fn field(self, key: &str) -> Self {
        let definition = match self {
            Self::Unknown => return Self::Unknown,
            Self::Named(file, schema) => {
                return file
                    .field(schema, key)
                    .map_or(Self::Unknown, |it| Self::Named(file, it));
            }
            Self::Definition(definition) => definition,
            Self::Field(Field {
                child: Some(definition),
                ..
            }) => definition,
            Self::Field(_) | Self::Plain => return Self::Plain,
        };
        facts().field(definition, key).map_or(Self::Plain, Schema::Field)
    }

    pub(super) fn item(self) -> Self {
        match self {
            Self::Field(field) => field.child.map_or(Self::Plain, Self::Definition),
            Self::Named(file, schema) => file.items(schema).map_or(Self::Unknown, |it| Self::Named(file, it)),
            _ => Self::Plain,
        }
    }

    /// The keys that identify the items of a list; empty for a set of scalars. `None` if the patch replaces the list.
    pub(super) fn merge(self) -> Option<Vec<&'f str>> {
        match self {
            Self::Field(Field {
                merge: ListMerge::Keys(keys),
                ..
            }) => Some(keys.clone()),
            Self::Field(Field {
                merge: ListMerge::Set, ..
            }) => Some(Vec::new()),
            Self::Named(_, schema) => match schema.merge()? {
                ListMerge::Keys(keys) => Some(keys.iter().map(String::as_str).collect()),
                ListMerge::Set => Some(Vec::new()),
                ListMerge::Replace => None,
            },
            _ => None,
        }
    }
}
