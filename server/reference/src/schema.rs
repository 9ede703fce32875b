//! The parts of published schemas that documentation needs: properties, items, map values, and references to the schemas of `metadata`.

use std::{collections::HashSet, sync::LazyLock};

use crd_analyzer_publish::metadata_schemas;
use serde_json::{Map, Value};

/// The keywords of a schema.
pub(crate) type Keywords = Map<String, Value>;

/// The prefix of all references in a published document.
const SCHEMAS: &str = "#/components/schemas/";

/// The target of a reference. Returns the schema itself if it is not a reference, or if the target is not published for a CRD.
pub(crate) fn resolved(schema: &Keywords) -> &Keywords {
    reference(schema)
        .and_then(|it| it.strip_prefix(SCHEMAS))
        .and_then(|name| metadata_schemas().get(name))
        .and_then(Value::as_object)
        .unwrap_or(schema)
}

/// The target of the schema, if it is a reference.
pub(crate) fn reference(schema: &Keywords) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// The schema at a keyword; `None` for an empty schema, as in kubectl's templates.
pub(crate) fn inner<'s>(schema: &'s Keywords, key: &str) -> Option<&'s Keywords> {
    schema.get(key).and_then(Value::as_object).filter(|it| !it.is_empty())
}

/// The branches of `allOf`.
pub(crate) fn all_of(schema: &Keywords) -> impl ExactSizeIterator<Item = &Keywords> {
    let branches = schema.get("allOf").and_then(Value::as_array);
    let branches = branches.map(Vec::as_slice).unwrap_or_default();
    branches.iter().map(|it| it.as_object().unwrap_or(empty()))
}

fn empty() -> &'static Keywords {
    static EMPTY: LazyLock<Keywords> = LazyLock::new(Map::new);
    &EMPTY
}

/// The string at a keyword, if it is not empty.
pub(crate) fn text<'s>(schema: &'s Keywords, key: &str) -> Option<&'s str> {
    schema.get(key).and_then(Value::as_str).filter(|it| !it.is_empty())
}

/// The kind of a child schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Below {
    /// The items of a list.
    Items,
    /// The values of a map.
    Values,
}

/// A property, and the schema of its value.
#[derive(Clone, Copy, Debug)]
pub struct Field<'s> {
    /// The name of the property.
    pub name: &'s str,
    /// The schema of the property as published. It may be a reference.
    pub schema: &'s Value,
    /// Whether the property is required in its parent object.
    pub is_required: bool,
}

/// The names of an object's required fields.
pub(crate) fn required(schema: &Keywords) -> HashSet<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The properties of the objects that a schema describes: its own properties, or those of its list items or map values.
pub fn fields_of(schema: &Value) -> Vec<Field<'_>> {
    let Some(mut schema) = schema.as_object().map(resolved) else {
        return Vec::new();
    };
    loop {
        if let Some(properties) = inner(schema, "properties") {
            let required = required(schema);
            let fields = properties.iter().map(|(name, schema)| Field {
                name,
                schema,
                is_required: required.contains(name.as_str()),
            });
            return fields.collect();
        }
        let next = inner(schema, "items").or_else(|| inner(schema, "additionalProperties"));
        // The fields of `metadata` are in the schema to which it refers.
        let next = next.or_else(|| all_of(schema).next().filter(|it| reference(it).is_some()));
        match next {
            Some(next) => schema = resolved(next),
            None => return Vec::new(),
        }
    }
}

/// The schema of the field at a path of names. Lists and maps on the path are skipped.
pub fn find<'s>(schema: &'s Value, path: &[impl AsRef<str>]) -> Option<&'s Value> {
    path.iter().try_fold(schema, |schema, name| {
        let fields = fields_of(schema);
        fields
            .into_iter()
            .find(|it| it.name == name.as_ref())
            .map(|it| it.schema)
    })
}

/// All fields inside a schema with their paths, each before the fields inside it. Fields inside `metadata` are not included.
pub fn all_fields(schema: &Value) -> Vec<(Vec<&str>, Field<'_>)> {
    let mut found = Vec::new();
    add_fields(schema, &mut Vec::new(), &mut found);
    found
}

fn add_fields<'s>(schema: &'s Value, path: &mut Vec<&'s str>, found: &mut Vec<(Vec<&'s str>, Field<'s>)>) {
    for field in fields_of(schema) {
        path.push(field.name);
        found.push((path.clone(), field));
        let is_reference = field
            .schema
            .as_object()
            .is_some_and(|it| all_of(it).any(|it| reference(it).is_some()));
        if !is_reference {
            add_fields(field.schema, path, found);
        }
        path.pop();
    }
}
