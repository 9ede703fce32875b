//! What the markers at a place say of the schema that is generated from it.

use std::ops::Range;

use crate::{
    check::{
        catalog::{Definition, Release, Type},
        comments::Written,
        guessed::{self, Guessed},
        json,
        parts::Parts,
    },
    declaration::Site,
    literal::{Literal, Value},
    markers::{keyword_of, of_items},
    read::Marker,
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
    /// `true`, because the marker is there.
    True,
    /// It is left out.
    Nothing,
    /// Something whose meaning is not known here.
    Unknown,
}

impl To {
    /// Whether another marker says the same.
    pub fn says_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(value), Self::Value(other)) => value.says_same(other),
            (Self::List(values), Self::List(others)) => {
                values.len() == others.len() && values.iter().zip(others).all(|(it, other)| it.says_same(other))
            }
            (Self::Nothing, Self::Nothing) | (Self::True, Self::True) => true,
            _ => false,
        }
    }
}

/// A marker, and its arguments by their names.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// From the plus sign to its last character, in bytes of the file.
    pub marker: Range<usize>,
    /// `None`: they are not known here.
    pub arguments: Option<Vec<(&'static str, To)>>,
}

impl Site {
    /// The markers of a name, if a release knows it, and what they are given.
    pub fn given(&self, name: &str, release: Release) -> Vec<Given> {
        let text = &self.file.text;
        let of = |marker: &Marker| {
            if !marker.text.contains(name) {
                return None;
            }
            let (span, parts) = self.parts(marker);
            let is_it = |it: &&Definition| it.name == name && it.target == self.target && it.since <= release;
            parts.definition.filter(is_it)?;
            let arguments = parts.arguments.iter().map(|part| {
                let argument = parts.argument(text, part)?;
                let value = part.value.clone()?;
                let to = match &argument.r#type {
                    Type::List(_) => match guessed::read(text, value, &argument.r#type, release) {
                        Guessed::Value(it) => match it.value {
                            Value::List(items) => To::List(items),
                            _ => return None,
                        },
                        Guessed::Refused(_) | Guessed::Unknown => return None,
                    },
                    of => To::Value(Literal::read(text, value, of)?),
                };
                Some((argument.name.as_str(), to))
            });
            Some(Given {
                arguments: arguments.collect(),
                marker: span,
            })
        };
        self.markers.iter().filter_map(of).collect()
    }

    /// Whether markers make a field required, or optional. `None`: its tag decides, or the package.
    pub fn is_required(&self, release: Release) -> Option<bool> {
        let has = |name: &str| !self.given(name, release).is_empty();
        REQUIRES.iter().find(|it| has(it.0)).map(|it| it.1)
    }

    /// A marker's place, and its parts.
    fn parts(&self, marker: &Marker) -> (Range<usize>, Parts) {
        let span = marker.start..marker.start + marker.text.len();
        let written = Written {
            span: span.clone(),
            belongs: Ok(self.target),
            is_documentation: true,
            declaration: 0,
        };
        let parts = Parts::of(&self.file.text, &written, span.end);
        (span, parts)
    }

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
        let mut all: Vec<(&str, Said)> = Vec::new();
        for marker in self.markers.iter() {
            let (span, parts) = self.parts(marker);
            let is_known = |it: &&Definition| it.target == self.target && it.since <= release;
            let Some(definition) = parts.definition.filter(is_known) else {
                continue;
            };
            let Some(keyword) = keyword_of(definition) else {
                continue;
            };
            if definition.name == json::MARKER && json::sets_nothing(&text[span.clone()]) {
                continue;
            }
            let to = to((text, are_begun), &parts, keyword, release).unwrap_or(To::Unknown);
            let to = if is_left_out(keyword, &to) { To::Nothing } else { to };
            let said = Said {
                keyword,
                to,
                marker: span,
            };
            if keyword != KEYS && LISTS.iter().all(|it| it.0 != keyword) {
                // Of several, the last one counts, and kubebuilder's default counts for more than that of others.
                let is_less = |it: &(&str, Said)| it.0 == json::MARKER && it.1.keyword == keyword;
                if definition.name == json::MARKER && all.iter().any(|it| it.1.keyword == keyword && !is_less(it)) {
                    continue;
                }
                all.retain(|it| it.0 != definition.name && !is_less(it));
            }
            all.push((definition.name, said));
        }
        all.into_iter().map(|it| it.1).collect()
    }
}

/// Whether Go leaves out a value because it is empty. Numbers have pointers, and defaults are JSON.
fn is_left_out(keyword: &str, to: &To) -> bool {
    match to {
        To::Value(it) if matches!(it.value, Value::String(_) | Value::Bool(_)) => {
            it.is_empty() && !JSON.contains(&keyword)
        }
        To::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Markers that make a field required or optional, in the order in which controller-gen looks for them.
const REQUIRES: [(&str, bool); 6] = [
    ("kubebuilder:validation:Optional", false),
    ("kubebuilder:validation:Required", true),
    ("optional", false),
    ("k8s:optional", false),
    ("required", true),
    ("k8s:required", true),
];

/// The keyword to which each marker adds a name.
pub const KEYS: &str = "x-kubernetes-list-map-keys";

/// Keywords that hold JSON.
const JSON: [&str; 2] = ["default", "example"];

/// Markers that add rules of their own.
const ADDING_RULES: [&str; 4] = ["OneOf", "k8s:immutable", "k8s:", "openshift:"];

/// The lists to which each marker adds an object, and the field that tells objects apart.
pub const LISTS: [(&str, &str); 3] = [
    ("x-kubernetes-validations", "rule"),
    ("additionalPrinterColumns", "name"),
    ("selectableFields", "jsonPath"),
];

fn to((text, are_begun): (&str, bool), parts: &Parts, keyword: &str, release: Release) -> Option<To> {
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
        ([], _) => Some(To::True),
        ([argument], [part]) => {
            let mut value = part.value.clone()?;
            if definition.name.starts_with("k8s:") {
                value.end = text[value.clone()].find('#').map_or(value.end, |it| value.start + it);
            }
            let guessed = match &argument.r#type {
                _ if definition.name == json::MARKER => json::read(text, value),
                of @ (Type::Any | Type::List(_)) => guessed::read(text, value, of, release),
                of => return Literal::read(text, value, of).map(To::Value),
            };
            match (guessed, &argument.r#type) {
                (Guessed::Value(it), Type::List(_)) => match it.value {
                    Value::List(items) => Some(To::List(items)),
                    _ => None,
                },
                (Guessed::Value(it), _) => Some(To::Value(it)),
                (Guessed::Refused(_) | Guessed::Unknown, _) => None,
            }
        }
        _ => None,
    }
}
