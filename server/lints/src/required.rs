//! `required` that names what does not exist.

use crd_analyzer_schema::{JsonSchemaProps, field::Trail, structural::Structural};

use crate::{Lint, Problem};

/// Names that `asks` requires and `has` has no property for, where unknown fields are removed: then no object is valid.
/// `in_junctor`: `asks` is a schema of `anyOf` and the like, else both are the same.
pub(crate) fn find(
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
    for (n, name) in asks.required.iter().enumerate() {
        let is_given = is_resource && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if is_given || has.property(name).is_some() {
            continue;
        }
        let problem = Problem::UndefinedRequired {
            name: name.clone(),
            known: has.properties().map(|it| it.0.to_owned()).collect(),
            in_junctor,
        };
        found.push(problem.at(at.child("required").path().index(n)));
    }
}
