//! `required` that names what does not exist.

use std::collections::BTreeSet;

use crd_analyzer_schema::{JsonSchemaProps, field::Trail, structural::Structural};

use crate::{Lint, Problem};

/// Names of `required` without a property, where unknown fields are removed: then no object is valid.
pub(crate) fn find(
    props: &JsonSchemaProps,
    schema: Structural<'_>,
    is_resource: bool,
    at: &Trail<'_>,
    found: &mut Vec<Lint>,
) {
    names(props, schema, is_resource, false, at, found);
}

/// The same in a schema of `anyOf` and the like; `outer` has the properties.
pub(crate) fn find_in_junctor(
    junctor: &JsonSchemaProps,
    outer: Structural<'_>,
    is_resource: bool,
    at: &Trail<'_>,
    found: &mut Vec<Lint>,
) {
    names(junctor, outer, is_resource, true, at, found);
}

fn names(
    asks: &JsonSchemaProps,
    has: Structural<'_>,
    is_resource: bool,
    in_junctor: bool,
    at: &Trail<'_>,
    found: &mut Vec<Lint>,
) {
    // Other fields stay, or the keyword has no effect.
    let is_open = has.preserves_unknown_fields() || has.additional_properties().is_some();
    if is_open || has.r#type() != "object" {
        return;
    }
    let mut known: Option<BTreeSet<&str>> = None;
    for (n, name) in asks.required.iter().enumerate() {
        let is_given = is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        let known = known.get_or_insert_with(|| has.properties().map(|it| it.0).collect());
        if is_given || known.contains(name.as_str()) {
            continue;
        }
        let problem = Problem::UndefinedRequired {
            name: name.clone(),
            known: known.iter().map(|it| (*it).to_owned()).collect(),
            in_junctor,
        };
        found.push(problem.at(at.child("required").path().index(n)));
    }
}
