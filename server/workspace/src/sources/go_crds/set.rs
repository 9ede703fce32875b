//! The new values in a CRD: writes them, and checks whether the CRD already has them.

use std::{ops::Range, sync::Arc};

use crd_analyzer_gosource::{LISTS, To, literal};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::Span,
};

use crate::sources::manifest::{Encoding, Place, Writing};

/// The new value of a keyword.
pub(super) enum Set<'j> {
    /// The value that a marker sets.
    To(Place, To),
    /// A JSON text that follows from a marker or a name.
    Follows(Place, String),
    /// A mapping with these entries.
    Made(Place, Vec<(&'static str, Set<'j>)>),
    /// A list of strings.
    Names(Vec<Name>),
    /// A list of objects: those that markers set, and existing objects that come from elsewhere.
    Objects(Vec<Object<'j>>),
    /// The marker sets no value: the keyword is removed.
    Nothing,
    /// The existing value stays, because a marker with an unknown meaning sets it.
    As(Place),
}

/// A string in a list, and where it comes from.
pub(super) enum Name {
    /// A marker sets the string.
    Said(Place, literal::Literal),
    /// The string follows from a marker.
    Follows(Place, String),
    /// The string stays as in the CRD.
    Kept(String),
}

pub(super) enum Object<'j> {
    Said(Place, Vec<(&'static str, literal::Literal)>),
    Kept(&'j Json<'j>),
}

/// Writes a list.
pub(super) fn list<T>(items: &[T], to: &mut Writing, write: impl Fn(&mut Writing, &T)) {
    to.raw("[");
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            to.raw(", ");
        }
        write(to, item);
    }
    to.raw("]");
}

/// Writes a literal from the file of `place` as JSON, and records its span in that file.
pub(super) fn literal(place: &Place, value: &literal::Literal, to: &mut Writing) {
    let at = Place {
        file: place.file.clone(),
        span: Span::new(value.span.start as u32, value.span.end as u32),
    };
    let is_scalar = !matches!(value.value, literal::Value::List(_) | literal::Value::Map(_));
    let encoding = is_scalar.then(|| Arc::new(value.clone()) as Arc<dyn Encoding>);
    let write = |to: &mut Writing| match &value.value {
        literal::Value::String(text) => to.string(text),
        literal::Value::Integer(number) => to.raw(&number.to_string()),
        literal::Value::Number(number) => to.raw(&number_in_json(*number)),
        literal::Value::Bool(is) => to.raw(if *is { "true" } else { "false" }),
        literal::Value::Null => to.raw("null"),
        literal::Value::List(items) => list(items, to, |to, item| literal(place, item, to)),
        literal::Value::Map(members) => {
            to.raw("{");
            for (n, (key, value)) in members.iter().enumerate() {
                to.raw(if n > 0 { ", " } else { "" });
                literal(place, key, to);
                to.raw(": ");
                literal(place, value, to);
            }
            to.raw("}");
        }
    };
    match encoding {
        Some(encoding) => to.from(&at, Some(encoding), write),
        None => to.said(&at, write),
    }
}

/// Formats a number as Go does, without a fraction if it is an integer.
fn number_in_json(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return format!("{number:e}");
    }
    number.to_string()
}

/// The number of values that a marker sets.
pub(super) fn values_in(to: &To) -> u64 {
    fn of(value: &literal::Literal) -> u64 {
        1 + match &value.value {
            literal::Value::List(items) => items.iter().map(of).sum(),
            literal::Value::Map(members) => members.iter().map(|it| 1 + of(&it.1)).sum(),
            _ => 0,
        }
    }
    match to {
        To::Value(value) => of(value),
        To::List(items) => 1 + items.iter().map(of).sum::<u64>(),
        To::Object(fields) => 1 + fields.len() as u64,
        To::True | To::Nothing | To::Unknown => 1,
    }
}

impl Encoding for literal::Literal {
    fn place(&self, text: &str, value: Range<usize>) -> Range<usize> {
        Self::place(self, text, value)
    }

    fn offset(&self, text: &str, place: usize) -> Option<usize> {
        matches!(self.value, literal::Value::String(_)).then(|| Self::offset(self, text, place))?
    }

    fn written(&self, value: &str) -> Option<String> {
        Self::written(self, value)
    }
}

/// The field that identifies an object in a list to which markers add objects.
pub(super) fn id_of(keyword: &str) -> Option<&'static str> {
    LISTS.iter().find(|it| it.0 == keyword).map(|it| it.1)
}

pub(super) fn text_of<'f>(fields: &'f [(&'static str, literal::Literal)], id: &str) -> Option<&'f str> {
    fields.iter().find_map(|(name, it)| match &it.value {
        literal::Value::String(text) if *name == id => Some(text.as_str()),
        _ => None,
    })
}

/// Parses JSON.
fn parsed(json: &str) -> serde_json::Value {
    serde_json::from_str(json).unwrap_or_default()
}

/// Whether an object of the CRD equals the object that a marker sets.
pub(super) fn says_object(fields: &[(&'static str, literal::Literal)], object: &Json<'_>) -> bool {
    let members = object.members().unwrap_or_default();
    let is_said = |name: &str| fields.iter().any(|it| it.0 == name);
    members.iter().all(|it| is_said(&it.key))
        && fields
            .iter()
            .all(|(name, value)| object.get(name).is_some_and(|it| is_value(&value.value, it)))
}

impl Set<'_> {
    /// Whether the CRD already has this value. An unknown value counts as equal.
    pub(super) fn is_as_written(&self, written: Option<&Json<'_>>) -> bool {
        let Some(written) = written else {
            return matches!(self, Self::Nothing | Self::As(_));
        };
        match self {
            Self::Nothing => false,
            Self::As(_) | Self::Objects(_) => true,
            Self::To(_, to) => is_same(to, written),
            Self::Follows(_, json) => written.to_value() == parsed(json),
            Self::Made(_, fields) => {
                written.members().is_some_and(|it| it.len() == fields.len())
                    && fields.iter().all(|(name, set)| set.is_as_written(written.get(name)))
            }
            Self::Names(names) => written.items().is_some_and(|items| {
                let says = |(name, it): (&Name, &Json<'_>)| match name {
                    Name::Said(_, name) => is_value(&name.value, it),
                    Name::Follows(_, name) | Name::Kept(name) => it.as_str() == Some(name),
                };
                names.len() == items.len() && names.iter().zip(items).all(says)
            }),
        }
    }
}

/// Whether a value of the CRD equals the value that a marker sets.
pub(super) fn is_same(to: &To, written: &Json<'_>) -> bool {
    match (to, written.items()) {
        (To::True, None) => matches!(written.value, JsonValue::Bool(true)),
        (To::Value(value), None) => is_value(&value.value, written),
        (To::List(values), Some(items)) => {
            values.len() == items.len() && values.iter().zip(items).all(|(value, it)| is_value(&value.value, it))
        }
        _ => false,
    }
}

fn is_value(value: &literal::Value, written: &Json<'_>) -> bool {
    match (value, &written.value) {
        (literal::Value::String(text), JsonValue::String(written)) => text == written,
        (literal::Value::Bool(value), JsonValue::Bool(written)) => value == written,
        (literal::Value::Integer(value), JsonValue::Int(written)) => value == written,
        (literal::Value::Integer(value), JsonValue::Float(written)) => (*value as f64 - written).abs() < f64::EPSILON,
        (literal::Value::Number(value), JsonValue::Float(written)) => (value - written).abs() < f64::EPSILON,
        (literal::Value::Number(value), JsonValue::Int(written)) => (value - *written as f64).abs() < f64::EPSILON,
        (literal::Value::Null, JsonValue::Null) => true,
        (literal::Value::List(values), JsonValue::Array(items)) => {
            values.len() == items.len() && values.iter().zip(items).all(|(value, it)| is_value(&value.value, it))
        }
        (literal::Value::Map(values), JsonValue::Object(_)) => {
            let members = written.members().unwrap_or_default();
            let said = |key: &literal::Literal, value: &literal::Literal| match &key.value {
                literal::Value::String(key) => written.get(key).is_some_and(|it| is_value(&value.value, it)),
                _ => false,
            };
            values.len() == members.len() && values.iter().all(|(key, value)| said(key, value))
        }
        _ => false,
    }
}
