//! Items and keys of sets and list maps (`validateMapListKeysMapSet`).

use std::collections::HashSet;

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::{Error, Trail};

use super::lookup;
use crate::codes;

/// An error in the items or keys of a set or list map.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListMapError<'s> {
    /// The items are nullable.
    NullableItems { list_type: &'s str },
    /// The key is not required and has no default.
    OptionalKey(&'s str),
    /// The key is nullable.
    NullableKey(&'s str),
}

/// The errors in the schema, if the schema is a set or list map.
pub(super) fn list_map_errors(schema: &JsonSchemaProps) -> impl Iterator<Item = ListMapError<'_>> {
    let items = schema.items.as_deref().and_then(|it| it.schema.as_deref());
    let list_type = schema.x_list_type.as_deref().filter(|it| matches!(*it, "set" | "map"));
    let both = items.zip(list_type);
    let nullable = both
        .filter(|(items, _)| items.nullable)
        .map(|(_, list_type)| ListMapError::NullableItems { list_type });
    let keyed = both
        .filter(|(_, list_type)| *list_type == "map")
        .map(|(items, _)| items);
    let keys = keyed
        .into_iter()
        .flat_map(|items| key_errors(items, &schema.x_list_map_keys));
    nullable.into_iter().chain(keys)
}

fn key_errors<'s>(items: &'s JsonSchemaProps, keys: &'s [String]) -> impl Iterator<Item = ListMapError<'s>> {
    let required: HashSet<&str> = items.required.iter().map(String::as_str).collect();
    keys.iter().flat_map(move |key| {
        let property = lookup(&items.properties, key);
        let is_optional = property.is_some_and(|it| !required.contains(key.as_str()) && it.default.is_none());
        let is_nullable = property.is_some_and(|it| it.nullable);
        let optional = is_optional.then_some(ListMapError::OptionalKey(key));
        let nullable = is_nullable.then_some(ListMapError::NullableKey(key));
        optional.into_iter().chain(nullable)
    })
}

impl ListMapError<'_> {
    /// Converts this error to an error of the schema at `at`.
    pub(super) fn error(self, at: &Trail<'_>) -> Error {
        let items = at.child("items");
        match self {
            Self::NullableItems { list_type } => Error::forbidden(
                codes::NULLABLE_LIST_ITEMS,
                items.child("nullable").path(),
                format!("cannot be nullable when x-kubernetes-list-type is {list_type}"),
            ),
            Self::OptionalKey(key) => Error::required(
                codes::OPTIONAL_LIST_MAP_KEY,
                items.child("properties").key(key).child("default").path(),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ),
            Self::NullableKey(key) => Error::forbidden(
                codes::NULLABLE_LIST_MAP_KEY,
                items.child("properties").key(key).child("nullable").path(),
                "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
            ),
        }
    }
}
