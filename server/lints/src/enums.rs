//! Values of `enum` that are never accepted.

use crd_analyzer_schema::{
    JsonSchemaProps, KubernetesVersion,
    field::{Path, Trail},
    validation::Validator,
};
use serde_json::Value;

use crate::{Lint, Problem};

/// Longer lists are left alone.
const MOST_VALUES: usize = 1_000;

/// Values of `enum` that the other keywords of the schema reject.
pub(crate) fn find(schema: &JsonSchemaProps, at: &Trail<'_>, version: KubernetesVersion, found: &mut Vec<Lint>) {
    if schema.r#enum.len() > MOST_VALUES || !is_limited(schema) {
        return;
    }
    // `enum` itself accepts them.
    let validator = Validator::new(schema, version);
    for (n, value) in schema.r#enum.iter().enumerate() {
        if let Some(error) = validator.validate(&Path::root(), value).into_iter().next() {
            let problem = Problem::ImpossibleEnumValue {
                value: value.clone(),
                error: Box::new(error),
            };
            found.push(problem.at(at.child("enum").path().index(n)));
        }
    }
}

/// Whether anything but `enum` limits the values. Objects and lists are left alone: their schemas are large, and few have such values.
fn is_limited(schema: &JsonSchemaProps) -> bool {
    match schema.r#type.as_str() {
        "" | "object" | "array" => false,
        "string" if schema.r#enum.iter().all(Value::is_string) => has_limits(schema),
        _ => true,
    }
}

/// Whether a schema of strings limits them.
fn has_limits(schema: &JsonSchemaProps) -> bool {
    let junctors = [&schema.all_of, &schema.any_of, &schema.one_of];
    !schema.pattern.is_empty()
        || !schema.format.is_empty()
        || schema.max_length.is_some()
        || schema.min_length.is_some()
        || schema.not.is_some()
        || junctors.into_iter().any(|it| !it.is_empty())
}
