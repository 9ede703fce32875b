//! Evaluates the markers at a declaration: what they set in the schema that is generated from it.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

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

/// The effect of a marker on a schema.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    /// The keyword that the marker sets, such as `maxLength` or `x-kubernetes-validations`.
    pub keyword: &'static str,
    /// The value to which the marker sets the keyword.
    pub to: To,
    /// The range from the plus sign to the last character, in bytes of the file.
    pub marker: Range<usize>,
}

/// The value to which a keyword is set.
#[derive(Clone, PartialEq, Debug)]
pub enum To {
    /// A single value.
    Value(Literal),
    /// A list of values.
    List(Vec<Literal>),
    /// An object with these fields, such as a rule or a column, which is added to a list.
    Object(Vec<(&'static str, Literal)>),
    /// `true`, because the marker is present.
    True,
    /// The marker sets no value: the keyword is left out.
    Nothing,
    /// A value that crd-analyzer does not evaluate.
    Unknown,
}

impl To {
    /// Whether another marker sets the same value.
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

/// A marker, and its arguments by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// The range from the plus sign to the last character, in bytes of the file.
    pub marker: Range<usize>,
    /// The arguments. `None` if crd-analyzer cannot evaluate them.
    pub arguments: Option<Vec<(&'static str, To)>>,
}

impl Site {
    /// The markers with a name that a release supports, with their arguments.
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
                let to = value(text, part.value.clone()?, &argument.r#type, release)?;
                Some((argument.name.as_str(), to))
            });
            Some(Given {
                arguments: arguments.collect(),
                marker: span,
            })
        };
        self.markers.iter().filter_map(of).collect()
    }

    /// Whether markers make a field required or optional. `None` if the field's tag or the package determines that.
    pub fn is_required(&self, release: Release) -> Option<bool> {
        let has = |name: &str| !self.given(name, release).is_empty();
        REQUIRES.iter().find(|it| has(it.0)).map(|it| it.1)
    }

    /// The range of a marker, and its parts.
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

    /// The effects of the markers on the schema in a release of controller-gen, in file order. `are_begun` means that the user is typing, so that a
    /// string may lack its closing quote.
    pub fn said(&self, release: Release, are_begun: bool) -> Vec<Said> {
        if self.is_below_map {
            return Vec::new();
        }
        self.said_by((release, are_begun), |definition| {
            keyword_of(&of_items(definition.name, self.items)?)
        })
    }

    /// The effects of the markers on parts of a kind outside its schema: columns and selectable fields.
    pub fn said_of_kind(&self, release: Release, are_begun: bool) -> Vec<Said> {
        self.said_by((release, are_begun), |definition| match definition.name {
            "kubebuilder:printcolumn" => Some("additionalPrinterColumns"),
            "kubebuilder:selectablefield" => Some("selectableFields"),
            _ => None,
        })
    }

    /// Whether a marker may add rules that are not written in the file.
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
        let mut all: Vec<Option<Said>> = Vec::new();
        // The index of the last marker with each name, and the keywords that kubebuilder's own markers set.
        let mut last: HashMap<&str, usize> = HashMap::new();
        let mut own: HashSet<&str> = HashSet::new();
        for marker in self.markers.iter() {
            let (span, parts) = self.parts(marker);
            let is_known = |it: &&Definition| it.target == self.target && it.since <= release;
            let Some(definition) = parts.definition.filter(is_known) else {
                continue;
            };
            let Some(keyword) = keyword_of(definition) else {
                continue;
            };
            let is_json = definition.name == json::MARKER;
            if is_json && json::sets_nothing(&text[span.clone()]) {
                continue;
            }
            let to = to((text, are_begun), &parts, keyword, release).unwrap_or(To::Unknown);
            let to = if is_left_out(keyword, &to) { To::Nothing } else { to };
            if keyword != KEYS && LISTS.iter().all(|it| it.0 != keyword) {
                // The last marker applies, except that kubebuilder's own marker for a default takes precedence over others.
                if is_json && own.contains(keyword) {
                    continue;
                }
                if !is_json {
                    own.insert(keyword);
                }
                for name in [definition.name, json::MARKER] {
                    let of_keyword = |it: &&mut Option<Said>| it.as_ref().is_some_and(|it| it.keyword == keyword);
                    let before = last.get(name).and_then(|it| all.get_mut(*it)).filter(of_keyword);
                    if let Some(before) = before {
                        *before = None;
                    }
                }
                last.insert(definition.name, all.len());
            }
            all.push(Some(Said {
                keyword,
                to,
                marker: span,
            }));
        }
        all.into_iter().flatten().collect()
    }
}

/// Whether Go leaves out a value because it is empty. Numbers are never left out because they are pointers, and defaults because they are JSON.
fn is_left_out(keyword: &str, to: &To) -> bool {
    match to {
        To::Value(it) if matches!(it.value, Value::String(_) | Value::Bool(_)) => {
            it.is_empty() && !JSON.contains(&keyword)
        }
        To::List(items) => items.is_empty(),
        _ => false,
    }
}

/// The markers that make a field required (`true`) or optional (`false`), in controller-gen's order of precedence.
const REQUIRES: [(&str, bool); 6] = [
    ("kubebuilder:validation:Optional", false),
    ("kubebuilder:validation:Required", true),
    ("optional", false),
    ("k8s:optional", false),
    ("required", true),
    ("k8s:required", true),
];

/// The keyword with a list of names, to which each marker adds one.
pub const KEYS: &str = "x-kubernetes-list-map-keys";

/// Keywords whose values are JSON.
const JSON: [&str; 2] = ["default", "example"];

/// Text that occurs in markers which add rules of their own.
const ADDING_RULES: [&str; 4] = ["OneOf", "k8s:immutable", "k8s:", "openshift:"];

/// The keywords with a list of objects, to which each marker adds one: the keyword, the marker, and the field that identifies an object.
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
            let value = match value(text, span.clone(), &argument.r#type, release) {
                Some(To::Value(it)) => Some(it),
                _ => None,
            };
            let begun = || Literal::begun(text, span.clone()).filter(|_| are_begun);
            let name = if argument.name == "JSONPath" {
                "jsonPath"
            } else {
                argument.name.as_str()
            };
            let value = value.or_else(begun)?;
            // An empty value of an optional field is left out.
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
            if definition.name == json::MARKER {
                return match json::read(text, value) {
                    Guessed::Value(it) => Some(To::Value(it)),
                    Guessed::Refused(_) | Guessed::Unknown => None,
                };
            }
            self::value(text, value, &argument.r#type, release)
        }
        _ => None,
    }
}

/// The value of an argument in a part of a text. `None` if controller-gen rejects it, or if crd-analyzer cannot evaluate it.
fn value(text: &str, span: Range<usize>, of: &Type, release: Release) -> Option<To> {
    let is_list = match of {
        Type::List(_) => true,
        Type::Any => false,
        scalar => return Literal::read(text, span, scalar).map(To::Value),
    };
    match guessed::read(text, span, of, release) {
        Guessed::Value(it) if !is_list => Some(To::Value(it)),
        Guessed::Value(Literal {
            value: Value::List(items),
            ..
        }) => Some(To::List(items)),
        Guessed::Value(_) | Guessed::Refused(_) | Guessed::Unknown => None,
    }
}
