//! Finds the required field that an unknown field was probably meant as.

use std::borrow::Cow;

use crd_analyzer_syntax::{
    json::{Json, JsonValue, Member},
    tree::{NodeId, Tree},
};

/// The maximum number of fields of an object, and of required fields, to compare.
const MOST_FIELDS: usize = 100;

/// The field in the samples that kubebuilder writes for new kinds. It is a placeholder, and not a misspelt field.
const SAMPLE: &str = "foo";

/// The field that was meant by an unknown one, although their names differ: the object has no other unknown field, and exactly one required field
/// that accepts the value is missing. `schema` is the object's schema in the tree of the CRD, `known` the names of its properties.
pub(super) fn only_missing(
    (tree, schema): (&Tree, NodeId),
    known: &[Cow<'_, str>],
    object: &Json<'_>,
    name: &str,
) -> Option<String> {
    if name == SAMPLE {
        return None;
    }
    let members = object.members()?;
    let required: Vec<_> = tree.items(tree.resolve(tree.get(schema, "required")?)).collect();
    if members.len().max(required.len()).max(known.len()) > MOST_FIELDS {
        return None;
    }
    if let Some(related) = related((tree, schema), members, name) {
        return Some(related);
    }
    let mut unknown = members.iter().filter(|it| !known.contains(&it.key));
    let (own, None) = (unknown.next()?, unknown.next()) else {
        return None;
    };
    let properties = tree.resolve(tree.get(schema, "properties")?);
    let accepts = |field: &str| {
        let property = tree.get(properties, field).map(|it| tree.resolve(it));
        property.is_some_and(|it| is_of_type(tree, it, &own.value))
    };
    let names = required.iter().map(|it| tree.scalar(*it));
    let is_missing = |field: &str| !members.iter().any(|it| it.key == field);
    let mut missing = names.filter(|it| is_missing(it) && accepts(it));
    let (only, None) = (missing.next()?, missing.next()) else {
        return None;
    };
    (own.key == name).then(|| only.into_owned())
}

/// The missing required field whose name begins or ends like that of an unknown one, such as `apiKeyRef` for `apiKey`, if it accepts the value.
fn related((tree, schema): (&Tree, NodeId), members: &[Member<'_>], name: &str) -> Option<String> {
    let own = members.iter().find(|it| it.key == name)?;
    let properties = tree.resolve(tree.get(schema, "properties")?);
    let is_meant = |field: &str| {
        let property = tree.get(properties, field).map(|it| tree.resolve(it));
        is_related(name, field)
            && !members.iter().any(|it| it.key == field)
            && property.is_some_and(|it| is_of_type(tree, it, &own.value))
    };
    let required = tree.items(tree.resolve(tree.get(schema, "required")?));
    let mut meant = required.map(|it| tree.scalar(it)).filter(|it| is_meant(it));
    let only = meant.next()?;
    meant.next().is_none().then(|| only.into_owned())
}

/// Whether one of two names begins or ends with the other.
fn is_related(one: &str, other: &str) -> bool {
    const SHORTEST: usize = 3;
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short.len() >= SHORTEST && (long.starts_with(&short) || long.ends_with(&short))
}

/// Whether a value has the type of a schema.
fn is_of_type(tree: &Tree, schema: NodeId, value: &Json<'_>) -> bool {
    let has = |key: &str, expected: &str| tree.get(schema, key).is_some_and(|it| tree.scalar(it) == expected);
    let is = |ty: &str| has("type", ty);
    let is_int_or_string = has("x-kubernetes-int-or-string", "true");
    match value.value {
        JsonValue::Null => false,
        JsonValue::Bool(_) => is("boolean"),
        JsonValue::Int(_) | JsonValue::Uint(_) => is("integer") || is("number") || is_int_or_string,
        JsonValue::Float(_) => is("number"),
        JsonValue::String(_) => is("string") || is_int_or_string,
        JsonValue::Array(_) => is("array"),
        JsonValue::Object(ref members) => is("object") && has_properties(tree, schema, members),
    }
}

/// Whether a schema declares the keys of an object. A schema without properties may have any keys.
fn has_properties(tree: &Tree, schema: NodeId, members: &[Member<'_>]) -> bool {
    let Some(properties) = tree.get(schema, "properties") else {
        return true;
    };
    let declared = tree.entries(tree.resolve(properties)).take(MOST_FIELDS);
    let declared: Vec<_> = declared.map(|it| tree.scalar(it.key)).collect();
    members.iter().take(MOST_FIELDS).all(|it| declared.contains(&it.key))
}
