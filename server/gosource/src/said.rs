//! What the markers at a place say of the schema that is generated from it.

use std::ops::Range;

use crate::{
    check::{
        catalog::{Definition, Release, Type},
        comments::Written,
        parts::Parts,
    },
    declaration::Site,
    literal::{Literal, Value},
    markers::{keyword_of, of_items},
};

/// What a marker says of a schema.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    /// The keyword that it sets: `maxLength`, `x-kubernetes-validations`.
    pub keyword: &'static str,
    /// What it sets it to.
    pub to: To,
    /// From the plus sign to its last character, in bytes of the file.
    pub marker: Range<usize>,
}

/// What a keyword is set to.
#[derive(Clone, PartialEq, Debug)]
pub enum To {
    /// A value.
    Value(Literal),
    /// Several.
    List(Vec<Literal>),
    /// One more object in a list, with these fields: a rule, a column.
    Object(Vec<(&'static str, Literal)>),
    /// Something whose meaning is not known here.
    Unknown,
}

impl To {
    /// Whether another marker says the same.
    pub fn says_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(value), Self::Value(other)) => value.value == other.value,
            (Self::List(values), Self::List(others)) => {
                values.len() == others.len() && values.iter().zip(others).all(|(it, other)| it.value == other.value)
            }
            _ => false,
        }
    }
}

impl Site {
    /// What its markers say of the schema to a release of controller-gen, in their order. `are_begun`: somebody types, so that a string may be
    /// without an end.
    pub fn said(&self, release: Release, are_begun: bool) -> Vec<Said> {
        if self.is_below_map {
            return Vec::new();
        }
        self.said_by((release, are_begun), |definition| {
            keyword_of(&of_items(definition.name, self.items)?)
        })
    }

    /// The same of a kind, beside its schema: its columns and selectable fields.
    pub fn said_of_kind(&self, release: Release, are_begun: bool) -> Vec<Said> {
        self.said_by((release, are_begun), |definition| match definition.name {
            "kubebuilder:printcolumn" => Some("additionalPrinterColumns"),
            "kubebuilder:selectablefield" => Some("selectableFields"),
            _ => None,
        })
    }

    /// Whether a marker may add rules that are written nowhere.
    pub fn adds_rules(&self) -> bool {
        let mut markers = self.markers.iter();
        markers.any(|it| ADDING_RULES.iter().any(|name| it.text.contains(name)))
    }

    fn said_by(
        &self,
        (release, are_begun): (Release, bool),
        keyword_of: impl Fn(&Definition) -> Option<&'static str>,
    ) -> Vec<Said> {
        let text = &self.file.text;
        let said = self.markers.iter().filter_map(|marker| {
            let span = marker.start..marker.start + marker.text.len();
            let written = Written {
                span: span.clone(),
                belongs: Ok(self.target),
                is_documentation: true,
                declaration: 0,
            };
            let parts = Parts::of(text, &written, span.end);
            let definition = parts.definition?;
            if definition.target != self.target || definition.since > release {
                return None;
            }
            let keyword = keyword_of(definition)?;
            // Nor are empty values, except as what they are.
            let is_empty = |it: &To| match it {
                To::Value(Literal {
                    value: Value::Integer(_) | Value::Number(_),
                    ..
                }) => false,
                To::Value(it) => it.is_empty(),
                _ => false,
            };
            let to = to((text, are_begun), &parts, keyword)
                .filter(|it| ["default", "example"].contains(&keyword) || !is_empty(it));
            let to = to.unwrap_or(To::Unknown);
            Some(Said {
                keyword,
                to,
                marker: span,
            })
        });
        said.collect()
    }
}

/// Markers that add rules of their own.
const ADDING_RULES: [&str; 4] = ["OneOf", "k8s:immutable", "k8s:", "openshift:"];

/// The lists to which each marker adds an object, and the field that tells objects apart.
pub const LISTS: [(&str, &str); 3] = [
    ("x-kubernetes-validations", "rule"),
    ("additionalPrinterColumns", "name"),
    ("selectableFields", "jsonPath"),
];

fn to((text, are_begun): (&str, bool), parts: &Parts, keyword: &str) -> Option<To> {
    let definition = parts.definition?;
    if let Some((_, id)) = LISTS.iter().find(|it| it.0 == keyword) {
        let mut fields = Vec::new();
        for part in &parts.arguments {
            let argument = parts.argument(text, part)?;
            let span = part.value.clone()?;
            let value = Literal::read(text, span.clone(), &argument.r#type);
            let begun = || Literal::begun(text, span.clone()).filter(|_| are_begun);
            let name = if argument.name == "JSONPath" {
                "jsonPath"
            } else {
                argument.name.as_str()
            };
            let value = value.or_else(begun)?;
            // Empty values of optional fields are not written.
            if !(argument.is_optional && value.is_empty()) {
                fields.push((name, value));
            }
        }
        return fields.iter().any(|it| it.0 == *id).then_some(To::Object(fields));
    }
    match (definition.arguments.as_slice(), parts.arguments.as_slice()) {
        ([argument], [part]) => match &argument.r#type {
            Type::List(of) => Literal::items(text, part.value.clone()?, of).map(To::List),
            of => Literal::read(text, part.value.clone()?, of).map(To::Value),
        },
        _ => None,
    }
}
