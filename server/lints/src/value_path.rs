//! Where a JSONPath leads in a schema.

use std::ops::Range;

use crd_analyzer_apiextensions::{
    api::{FieldType, OBJECT_META},
    json_path::{Step, steps},
    validation::TYPES,
};
use crd_analyzer_schema::{
    field::Path,
    structural::{AdditionalProperties, Structural},
};

use crate::{Lint, Problem};

/// Where a path leads.
pub(crate) enum Target<'s> {
    /// To values of this schema.
    Schema(Structural<'s>),
    /// To values of this type.
    Type(&'static str),
    /// To values that the schema does not describe; or the path is not understood.
    Unknown,
    /// To nothing: a step names a property that is not there.
    Nothing(Missing),
}

/// A step that leads to nothing.
pub(crate) struct Missing {
    /// The name.
    pub(crate) step: String,
    /// Its place in bytes of the path.
    pub(crate) bytes: Range<usize>,
    /// The value that has no such property, as a path; empty for the root.
    pub(crate) parent: String,
    /// The properties that it has, each with its type; empty where that is not known.
    pub(crate) known: Vec<(String, String)>,
    /// More steps follow.
    pub(crate) goes_on: bool,
}

impl Missing {
    /// The lint on a path that leads to nothing. `wanted`: the type that `scale` needs there; `None` of a printer column.
    pub(crate) fn at(self, path: Path, wanted: Option<&str>) -> Lint {
        let fits = |r#type: &str| match wanted {
            _ if r#type.is_empty() => true,
            None => true,
            Some(_) if self.goes_on => matches!(r#type, "object" | "array"),
            Some("integer") => matches!(r#type, "integer" | "number"),
            Some(wanted) => r#type == wanted,
        };
        let known = self.known.iter().filter(|it| fits(&it.1)).map(|it| it.0.clone());
        Lint {
            path,
            bytes: Some(self.bytes),
            problem: Problem::UnknownPath {
                is_scale: wanted.is_some(),
                known: known.collect(),
                step: self.step,
                parent: self.parent,
            },
        }
    }
}

/// Follows a path from the root of a custom resource. `keeps_unknown_fields`: of each object.
pub(crate) fn follow<'s>(root: Structural<'s>, path: &str, keeps_unknown_fields: bool) -> Target<'s> {
    let Some(steps) = steps(path) else {
        return Target::Unknown;
    };
    let mut steps = steps.into_iter();
    let mut at = root;
    let mut is_resource = true;
    let mut parent = String::new();
    while let Some((step, bytes)) = steps.next() {
        match step {
            Step::Name(name) => {
                if is_resource && matches!(name.as_str(), "apiVersion" | "kind") {
                    return Target::Type("string");
                }
                if is_resource && name == "metadata" {
                    return follow_metadata(steps.next(), steps.next().is_some());
                }
                if let Some(property) = at.field(&name) {
                    at = property;
                } else if keeps_unknown_fields || is_open(at) {
                    return Target::Unknown;
                } else {
                    let known = at
                        .properties()
                        .map(|(name, of)| (name.to_owned(), of.r#type().to_owned()));
                    let own = [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")];
                    let own = own.map(|it| (it.0.to_owned(), it.1.to_owned()));
                    return Target::Nothing(Missing {
                        known: known.chain(is_resource.then_some(own).into_iter().flatten()).collect(),
                        goes_on: steps.next().is_some(),
                        step: name,
                        bytes,
                        parent,
                    });
                }
                if !parent.is_empty() {
                    parent.push('.');
                }
                parent.push_str(&name);
            }
            Step::Index(_) | Step::All | Step::Filter { .. } => {
                let values = at.additional_properties().and_then(AdditionalProperties::schema);
                let of_map = matches!(step, Step::All).then_some(values).flatten();
                match at.items().or(of_map) {
                    Some(items) => at = items,
                    // The value of an object's property, whichever.
                    None => return Target::Unknown,
                }
                parent.push_str("[*]");
            }
            Step::Below(_) => return Target::Unknown,
        }
        is_resource = at.is_embedded_resource();
    }
    Target::Schema(at)
}

/// Whether there may be properties that the schema does not name.
fn is_open(schema: Structural<'_>) -> bool {
    schema.preserves_unknown_fields()
        || schema.additional_properties().is_some()
        || schema.is_int_or_string()
        || schema.r#type().is_empty()
}

/// Follows a path from `metadata`: the step behind it. `goes_on`: more follow that.
fn follow_metadata<'s>(next: Option<(Step<'_>, Range<usize>)>, goes_on: bool) -> Target<'s> {
    let (name, bytes) = match next {
        Some((Step::Name(name), bytes)) => (name, bytes),
        Some(_) => return Target::Unknown,
        None => return Target::Type("object"),
    };
    let fields = OBJECT_META.fields;
    match fields.iter().find(|it| it.name == name).map(|it| &it.ty) {
        Some(FieldType::String | FieldType::Time) => Target::Type("string"),
        Some(FieldType::Integer) => Target::Type("integer"),
        // The CRD does not describe what is below.
        Some(_) => Target::Unknown,
        None => Target::Nothing(Missing {
            step: name,
            bytes,
            parent: "metadata".to_owned(),
            known: fields.iter().map(|it| (it.name.to_owned(), String::new())).collect(),
            goes_on,
        }),
    }
}

/// The type of the values, if the schema has one. A type that does not exist is an error elsewhere.
pub(crate) fn type_of(target: &Target<'_>) -> Option<String> {
    match target {
        Target::Schema(schema) if !schema.is_int_or_string() && TYPES.contains(&schema.r#type()) => {
            Some(schema.r#type().to_owned())
        }
        Target::Type(r#type) => Some((*r#type).to_owned()),
        _ => None,
    }
}
