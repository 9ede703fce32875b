//! Fingerprints of schemas for caching the hazards of their rules.

use std::hash::{BuildHasher, Hash, Hasher};

use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, ValidationRule};
use foldhash::quality::{FixedState, FoldHasher};

/// The fingerprint of a schema with its rules: schemas with the same fingerprint have the same hazards.
pub fn fingerprint(schema: &JsonSchemaProps, is_resource_root: bool, version: KubernetesVersion) -> u64 {
    named::<true>(schema, is_resource_root, version)
}

/// The fingerprint of a schema without its rules. This fingerprint stays the same while the user types a rule.
pub fn shape(schema: &JsonSchemaProps, is_resource_root: bool, version: KubernetesVersion) -> u64 {
    named::<false>(schema, is_resource_root, version)
}

fn named<const RULES: bool>(schema: &JsonSchemaProps, is_resource_root: bool, version: KubernetesVersion) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    (is_resource_root, version.number()).hash(&mut hasher);
    of_schema::<RULES>(schema, &mut hasher);
    hasher.finish()
}

/// Hashes a schema. Ignores fields without effect on hazards, such as descriptions.
fn of_schema<const RULES: bool>(schema: &JsonSchemaProps, hasher: &mut FoldHasher<'_>) {
    let JsonSchemaProps {
        r#type,
        nullable,
        format,
        default,
        required,
        items,
        properties,
        additional_properties,
        x_preserve_unknown_fields,
        x_embedded_resource,
        x_int_or_string,
        x_validations,
        ..
    } = schema;
    (r#type, nullable, format, required).hash(hasher);
    (x_preserve_unknown_fields, x_embedded_resource, x_int_or_string).hash(hasher);
    default.hash(hasher);
    properties.len().hash(hasher);
    for (name, property) in properties {
        name.hash(hasher);
        of_schema::<RULES>(property, hasher);
    }
    let items = items.as_ref().and_then(|it| it.schema.as_deref());
    items.is_some().hash(hasher);
    if let Some(items) = items {
        of_schema::<RULES>(items, hasher);
    }
    if let Some(values) = additional_properties {
        values.allows.hash(hasher);
        if let Some(values) = &values.schema {
            of_schema::<RULES>(values, hasher);
        }
    }
    if RULES {
        x_validations.len().hash(hasher);
    }
    for rule in x_validations.iter().filter(|_| RULES) {
        let ValidationRule {
            rule,
            message,
            message_expression,
            reason,
            field_path,
            optional_old_self,
        } = rule;
        (rule, message, message_expression, reason, field_path, optional_old_self).hash(hasher);
    }
    if let Some(rare) = schema.rare.get() {
        let bits = |it: Option<f64>| it.map(f64::to_bits);
        let bounds = [rare.minimum, rare.maximum, rare.multiple_of].map(bits);
        (bounds, rare.exclusive_minimum, rare.exclusive_maximum).hash(hasher);
        (rare.min_length, rare.max_length, &rare.pattern).hash(hasher);
        (rare.min_items, rare.max_items, rare.min_properties, rare.max_properties).hash(hasher);
        (&rare.r#enum, &rare.x_list_map_keys, &rare.x_list_type, &rare.x_map_type).hash(hasher);
        for clauses in [&rare.all_of, &rare.any_of, &rare.one_of] {
            clauses.len().hash(hasher);
            for clause in clauses {
                of_schema::<RULES>(clause, hasher);
            }
        }
        rare.not.is_some().hash(hasher);
        if let Some(not) = &rare.not {
            of_schema::<RULES>(not, hasher);
        }
    }
}
