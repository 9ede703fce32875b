//! Parses the arguments of markers: `Definition.Parse` of controller-gen's `pkg/markers/parse.go`.

use std::{ops::Range, sync::Arc};

use crd_analyzer_gosource::{
    check::{
        arguments,
        catalog::{self, Argument, Definition, Release, Type},
        comments::{Target, Written},
        guessed::{self, Guessed},
        json, other_generator,
        parts::{Part, Parts},
        types::Set,
    },
    literal::{Literal, Value},
};

/// The values of a marker by argument name. If the marker has a single value, the name is empty.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Values(Vec<(&'static str, Arc<Literal>)>);

impl Values {
    /// The value of an argument. If a marker repeats the argument, the last value.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Literal>> {
        self.0.iter().rfind(|it| it.0 == name).map(|it| &it.1)
    }

    /// The single value of a marker.
    pub(crate) fn one(&self) -> Option<&Arc<Literal>> {
        self.0.first().map(|it| &it.1)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        text(self.get(name)?)
    }

    /// The strings in an argument that is a list, each with its literal.
    pub(crate) fn texts(&self, name: &str) -> Vec<(&str, &Literal)> {
        match self.get(name).map(|it| &it.value) {
            Some(Value::List(items)) => items.iter().filter_map(|it| Some((text(it)?, it))).collect(),
            _ => Vec::new(),
        }
    }
}

pub(crate) fn text(of: &Literal) -> Option<&str> {
    match &of.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The numeric value of a literal.
pub(crate) fn number(of: &Literal) -> Option<f64> {
    match of.value {
        Value::Integer(number) => Some(number as f64),
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// Options for reading markers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// The release of controller-gen.
    pub(crate) release: Release,
    /// Whether the user is typing, so that unfinished strings are accepted.
    pub(crate) are_begun: bool,
    /// Whether an invalid marker discards all types of its package.
    pub(crate) is_strict: bool,
}

/// The definition of a marker at a target, if the release has one.
pub(crate) fn definition(name: &str, target: Target, release: Release) -> Option<&'static Definition> {
    if other_generator(name).is_some() {
        return None;
    }
    let mut all = catalog::definitions(name).iter();
    all.find(|it| it.target == target && it.since <= release)
}

/// Parses the arguments of a marker. `None` if they are invalid or unsupported.
pub(crate) fn read(
    text: &str,
    set: &Set,
    (definition, target): (&'static Definition, Target),
    reading: Reading,
) -> Option<Values> {
    let written = Written {
        span: set.span.clone(),
        belongs: Ok(target),
        is_documentation: true,
        declaration: 0,
    };
    let parts = Parts::of(text, &written, set.span.end);
    if definition.name == "default" && json::sets_nothing(text.get(set.span.clone())?) {
        return Some(Values(Vec::new()));
    }
    let is_refused = |marker: &str| arguments::is_refused(definition, reading.release, marker);
    if !reading.are_begun && is_refused(text.get(set.span.clone())?) {
        return None;
    }
    if definition.arguments.is_empty() {
        return Some(Values(Vec::new()));
    }
    let values = parts.arguments.iter().map(|part| {
        let argument = argument(definition, text, part)?;
        let value = value(text, part.value.clone()?, (definition, argument), reading)?;
        Some((argument.name.as_str(), Arc::new(value)))
    });
    Some(Values(values.collect::<Option<_>>()?))
}

fn argument(definition: &'static Definition, text: &str, part: &Part) -> Option<&'static Argument> {
    match &part.name {
        None => definition.arguments.first(),
        Some(name) => definition
            .arguments
            .iter()
            .find(|it| it.name == text[name.clone()].trim()),
    }
}

fn value(
    text: &str,
    mut span: Range<usize>,
    (definition, argument): (&Definition, &Argument),
    reading: Reading,
) -> Option<Literal> {
    // Since 0.23, a comment may follow the numbers of these markers.
    if definition.name.starts_with("k8s:") && matches!(argument.r#type, Type::Int | Type::Number) {
        span.end = text[span.clone()].find('#').map_or(span.end, |it| span.start + it);
    }
    let guessed = match &argument.r#type {
        _ if definition.name == "default" => json::read(text, span),
        Type::Any | Type::List(_) => guessed::read(text, span, &argument.r#type, reading.release),
        Type::Raw => return Literal::read(text, span, &Type::String),
        of => {
            let begun = || Literal::begun(text, span.clone()).filter(|_| reading.are_begun && *of == Type::String);
            let read = Literal::read(text, span.clone(), of).or_else(begun);
            return read.or_else(|| empty(text, span, of));
        }
    };
    match guessed {
        Guessed::Value(value) => Some(value),
        Guessed::Refused(_) | Guessed::Unknown => None,
    }
}

/// An empty string for a missing value, if the type allows that.
fn empty(text: &str, span: Range<usize>, of: &Type) -> Option<Literal> {
    let is_empty = *of == Type::String && text.get(span.clone())?.trim().is_empty();
    is_empty.then(|| Literal::bare(String::new(), span))
}

/// Converts a literal to JSON in the same way as Go.
pub(crate) fn to_json(of: &Literal) -> serde_json::Value {
    match &of.value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Number(number) => number_to_json(*number),
        Value::Bool(is) => (*is).into(),
        Value::Null => serde_json::Value::Null,
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(members) => {
            let members = members
                .iter()
                .filter_map(|(key, it)| Some((text(key)?.to_owned(), to_json(it))));
            serde_json::Value::Object(members.collect())
        }
    }
}

/// Converts a number to JSON in the same way as Go: with as few digits as possible, and without `.0`.
pub(crate) fn number_to_json(number: f64) -> serde_json::Value {
    let written = number.to_string();
    let whole = written.parse::<i64>().map(Into::into);
    whole
        .or_else(|_| written.parse::<u64>().map(Into::into))
        .unwrap_or_else(|_| number.into())
}
