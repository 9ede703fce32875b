//! Follows a JSONPath in a schema.

use std::ops::Range;

use crd_analyzer_apiextensions::{
    api::{FieldType, OBJECT_META},
    json_path::{Step, steps},
    validation::TYPES,
};
use crd_analyzer_diagnostic::{
    Change, Proposal, Value, Words,
    meant::meant,
    name::{last, shown},
    text::{code, either},
};
use crd_analyzer_schema::{
    field::{Path, Segment},
    structural::{AdditionalProperties, Structural},
};

use crate::{Told, Version, crd::version_at};

/// The target of a path.
pub(crate) enum Target<'s> {
    /// Values of this schema.
    Schema(Structural<'s>),
    /// Values of this type.
    Type(&'static str),
    /// Values that the schema does not describe, or an unsupported path.
    Unknown,
    /// Nothing, because a step names a property that does not exist.
    Nothing(Box<Missing>),
}

/// The maximum number of names to suggest if no name is similar.
const MOST_OFFERED: usize = 4;

/// A step to a property that does not exist.
#[derive(Debug)]
pub(crate) struct Missing {
    /// The name of the property.
    step: String,
    /// The byte range of the name in the path.
    pub(crate) bytes: Range<usize>,
    /// The path of the value that lacks the property; empty for the root.
    parent: String,
    /// The path from the root schema to the schema of that value; `None` if the CRD does not describe the value.
    schema: Option<Vec<Segment>>,
    /// The existing properties, each with its type; empty if the type is unknown.
    pub(crate) known: Vec<(String, String)>,
    /// Whether more steps follow.
    pub(crate) goes_on: bool,
    /// The names of the following steps; `None` if one of them is not a name.
    after: Option<Vec<String>>,
}

impl Missing {
    /// Describes the problem at `place`. `known` lists the properties that fit, `type` is the required type of the values, and `note` describes the
    /// consequence.
    pub(crate) fn tell(&self, place: &Path, known: &[&str], r#type: Option<&str>, note: &str) -> Told {
        let of = if self.parent.is_empty() {
            "the schema".to_owned()
        } else {
            shown(&self.parent)
        };
        let step = &self.step;
        let words = Words::new(format!("{} is not a property of {of}", shown(step)));
        let near = meant(step, known.iter().copied());
        let offered: Vec<&str> = known.iter().copied().take(MOST_OFFERED).collect();
        let words = match near {
            Some(near) => words.did_you_mean(step, near),
            None if known.is_empty() => words
                .label("no such property")
                .help(format!("add it to the schema, or change {}", code(last(place)))),
            None => {
                let more = if known.len() > offered.len() {
                    " or another property"
                } else {
                    ""
                };
                words
                    .label("no such property")
                    .help(format!("add it to the schema, or write {}{more}", either(&offered)))
            }
        };
        let told = Told::from(words.note(note))
            .propose(near.and_then(|near| self.spelling(place, near)).map(Proposal::safe))
            .propose(r#type.and_then(|it| self.addition(place, it)));
        let others = offered.iter().filter(|_| near.is_none());
        others.fold(told, |told, other| told.propose(self.spelling(place, other)))
    }

    /// The fix that changes the name in the path. It is only offered for plain names, since other names would need quotes.
    fn spelling(&self, place: &Path, near: &str) -> Option<Proposal> {
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
        let change = || Change::Splice(place.clone(), self.bytes.clone(), near.to_owned());
        let title = || format!("Change {} to {near}", self.step);
        near.bytes().all(is_plain).then(|| Proposal::new(title(), change()))
    }

    /// The fix that adds the property to the schema, as far as the path describes it.
    fn addition(&self, place: &Path, r#type: &str) -> Option<Proposal> {
        let root = version_at(place)?.child("schema").child("openAPIV3Schema");
        let mut property = root;
        self.schema.as_ref()?.iter().for_each(|it| property.push(it.clone()));
        let property = property.child("properties").key(&self.step);
        let mut value = Value::entry("type", Value::text_of(r#type));
        // The following steps must be names. For a list, only the author knows the rest of the schema.
        for name in self.after.as_ref()?.iter().rev() {
            value = Value::Map(vec![
                ("type".to_owned(), Value::text_of("object")),
                ("properties".to_owned(), Value::entry(name, value)),
            ]);
        }
        let title = format!("Add {} to the schema", self.step);
        Some(Proposal::new(title, Change::Set(property, value)))
    }
}

/// The paths of a version's scale subresource, each with its location and the required type of the value.
pub(crate) fn scale_paths<'a>(version: &Version<'a>) -> impl Iterator<Item = (Path, &'a str, &'static str)> {
    let scale = version.subresources.and_then(|it| it.scale.as_ref());
    let place = version.path.child("subresources").child("scale");
    let paths = scale.map(|scale| {
        let selector = scale.label_selector_path.as_deref().unwrap_or_default();
        [
            ("specReplicasPath", scale.spec_replicas_path.as_str(), "integer"),
            ("statusReplicasPath", scale.status_replicas_path.as_str(), "integer"),
            ("labelSelectorPath", selector, "string"),
        ]
    });
    let written = paths.into_iter().flatten().filter(|it| !it.1.is_empty());
    written.map(move |(field, path, wanted)| (place.child(field), path, wanted))
}

/// The names of the steps; `None` if one of them is not a name.
fn names<'p>(steps: impl Iterator<Item = (Step<'p>, Range<usize>)>) -> Option<Vec<String>> {
    let names = steps.map(|(step, _)| match step {
        Step::Name(name) => Some(name),
        _ => None,
    });
    names.collect()
}

/// Follows a path from the root of a custom resource. `keeps_unknown_fields` is set if all objects keep unknown fields.
pub(crate) fn follow<'s>(root: Structural<'s>, path: &str, keeps_unknown_fields: bool) -> Target<'s> {
    let Some(steps) = steps(path) else {
        return Target::Unknown;
    };
    let mut steps = steps.into_iter();
    let mut at = root;
    let mut is_resource = true;
    let mut parent = String::new();
    let mut way = Vec::new();
    while let Some((step, bytes)) = steps.next() {
        match step {
            Step::Name(name) => {
                if is_resource && matches!(name.as_str(), "apiVersion" | "kind") {
                    return Target::Type("string");
                }
                if is_resource && name == "metadata" {
                    return follow_metadata(steps.next(), steps.next().is_some());
                }
                if let Some(property) = at.property(&name) {
                    at = property;
                    way.push(Segment::Field("properties".to_owned()));
                    way.push(Segment::Key(name.clone()));
                } else if let Some(value) = at.additional_properties().and_then(AdditionalProperties::schema) {
                    at = value;
                    way.push(Segment::Field("additionalProperties".to_owned()));
                } else if keeps_unknown_fields || is_open(at) {
                    return Target::Unknown;
                } else {
                    let known = at
                        .properties()
                        .map(|(name, of)| (name.to_owned(), of.r#type().to_owned()));
                    let own = [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")];
                    let own = own.map(|it| (it.0.to_owned(), it.1.to_owned()));
                    let after: Vec<_> = steps.collect();
                    return Target::Nothing(Box::new(Missing {
                        known: known.chain(is_resource.then_some(own).into_iter().flatten()).collect(),
                        goes_on: !after.is_empty(),
                        after: names(after.into_iter()),
                        schema: Some(way),
                        step: name,
                        bytes,
                        parent,
                    }));
                }
                if !parent.is_empty() {
                    parent.push('.');
                }
                parent.push_str(&name);
            }
            Step::Index(_) | Step::All | Step::Filter { .. } => {
                let values = at.additional_properties().and_then(AdditionalProperties::schema);
                let of_map = matches!(step, Step::All).then_some(values).flatten();
                let keyword = if at.items().is_some() {
                    "items"
                } else {
                    "additionalProperties"
                };
                match at.items().or(of_map) {
                    Some(items) => at = items,
                    // The step leads to any value of an object, and each property may have a different schema.
                    None => return Target::Unknown,
                }
                way.push(Segment::Field(keyword.to_owned()));
                parent.push_str("[*]");
            }
            Step::Below(_) => return Target::Unknown,
        }
        is_resource = at.is_embedded_resource();
    }
    Target::Schema(at)
}

/// Whether there may be properties that the schema does not specify.
fn is_open(schema: Structural<'_>) -> bool {
    schema.preserves_unknown_fields()
        || schema.additional_properties().is_some()
        || schema.is_int_or_string()
        || schema.r#type().is_empty()
}

/// Follows a path inside `metadata`, whose next step is `next`. `goes_on` is set if more steps follow.
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
        // The CRD does not describe the fields inside this field.
        Some(_) => Target::Unknown,
        None => Target::Nothing(Box::new(Missing {
            step: name,
            bytes,
            parent: "metadata".to_owned(),
            schema: None,
            known: fields.iter().map(|it| (it.name.to_owned(), String::new())).collect(),
            goes_on,
            after: None,
        })),
    }
}

/// The type of the values, if known. An invalid type in a schema is an error that another check reports.
pub(crate) fn type_of(target: &Target<'_>) -> Option<String> {
    match target {
        Target::Schema(schema) if !schema.is_int_or_string() && TYPES.contains(&schema.r#type()) => {
            Some(schema.r#type().to_owned())
        }
        Target::Type(r#type) => Some((*r#type).to_owned()),
        _ => None,
    }
}
