//! Lists that server-side apply replaces as a whole.

use crd_analyzer_schema::{
    field::{Path, Trail},
    structural::{AdditionalProperties, Structural},
};

use crate::{Lint, Problem, versions::Version};

/// Schemas nested deeper are left alone.
const MAX_DEPTH: usize = 100;

/// Lists without a type, until there are `most` findings.
pub(crate) fn find(versions: &[Version<'_>], most: usize, found: &mut Vec<Lint>) {
    let mut seen: Vec<&Path> = Vec::new();
    for version in versions {
        let Some(schema) = version.schema.filter(|_| !seen.contains(&&version.schema_path)) else {
            continue;
        };
        seen.push(&version.schema_path);
        walk(schema, &Trail::new(&version.schema_path), most, found, 0);
    }
}

fn walk(schema: Structural<'_>, at: &Trail<'_>, most: usize, found: &mut Vec<Lint>, depth: usize) {
    if depth > MAX_DEPTH || found.len() >= most {
        return;
    }
    if schema.r#type() == "array" && schema.list_type().is_none() {
        found.push(Problem::ListWithoutType.at(at.path()));
    }
    if let Some(items) = schema.items() {
        walk(items, &at.child("items"), most, found, depth + 1);
    }
    if let Some(values) = schema.additional_properties().and_then(AdditionalProperties::schema) {
        walk(values, &at.child("additionalProperties"), most, found, depth + 1);
    }
    let properties = at.child("properties");
    for (name, property) in schema.properties() {
        walk(property, &properties.key(name), most, found, depth + 1);
    }
}
