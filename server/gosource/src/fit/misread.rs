//! Finds values of markers that controller-gen accepts, but reads in another way than their author means them.

use std::ops::Range;

use crate::{
    check::{
        Finding, Misread, Problem,
        catalog::{Release, definitions},
        guessed::{self, Guessed},
        types::{Set, Types},
    },
    literal::{Literal, Value},
};

/// The marker with the values of an enum.
const ENUM: &str = "Enum";

/// The markers whose value is a text that may stand in quotes.
const OF_VALUES: [&str; 3] = [
    "kubebuilder:validation:Enum",
    "kubebuilder:validation:items:Enum",
    "kubebuilder:default",
];

/// Finds the first part of a marker's value that controller-gen reads in another way than it is meant. `is_text` says whether the values are strings.
pub(super) fn find(types: &Types, marker: &Set, (release, is_text): (Release, bool), found: &mut Vec<Finding>) {
    if !OF_VALUES.contains(&marker.name) {
        return;
    }
    let text = &*types.text;
    let Some(of) = definitions(marker.name).first().and_then(|it| it.arguments.first()) else {
        return;
    };
    let Guessed::Value(read) = guessed::read(text, marker.arguments.clone(), &of.r#type, release) else {
        return;
    };
    let values = match &read.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![&read],
    };
    let is_enum = marker.name.ends_with(ENUM);
    let in_quotes = values.iter().find_map(|it| quoted(text, it));
    let wrong = in_quotes
        .or_else(|| is_enum.then(|| separated(text, &values)).flatten())
        .or_else(|| (!is_enum && is_text).then(|| null(text, &read)).flatten());
    found.extend(wrong.map(|(span, of, meant)| Finding {
        span,
        problem: Problem::Misread {
            name: marker.name.to_owned(),
            of,
            meant,
        },
    }));
}

/// A part of a value, how it is misread, and what was probably meant.
type Wrong = (Range<usize>, Misread, Option<String>);

/// A value in single quotes, which are a part of the value.
fn quoted(text: &str, value: &Literal) -> Option<Wrong> {
    let written = text.get(value.span.clone())?;
    let inside = written.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_simple = !inside.contains(['"', '\\', '\'', '`']);
    is_simple.then(|| (value.span.clone(), Misread::Quotes, Some(format!("\"{inside}\""))))
}

/// Several values that are not separated by semicolons, or that are inside brackets.
fn separated(text: &str, values: &[&Literal]) -> Option<Wrong> {
    let (first, last) = (values.first()?, values.last()?);
    let span = first.span.start..last.span.end;
    let written = text.get(span.clone())?;
    for (begin, end) in [('[', ']'), ('(', ')')] {
        if let Some(inside) = written.strip_prefix(begin).and_then(|it| it.strip_suffix(end)) {
            let meant = joined(inside, &[';', ',', '|']).unwrap_or_else(|| inside.trim().to_owned());
            return Some((span, Misread::Brackets, Some(meant)));
        }
    }
    let [only] = values else { return None };
    let said = only.text()?;
    let meant = joined(said, &[';', '|'])?;
    Some((span, Misread::Separators, Some(meant)))
}

/// Words that are separated by one of these characters, with a semicolon between them. `None` if the text is something else.
fn joined(text: &str, by: &[char]) -> Option<String> {
    let words: Vec<&str> = text.split(by).map(|it| it.trim().trim_matches('"')).collect();
    let is_word = |it: &&str| !it.is_empty() && it.chars().all(|it| it.is_alphanumeric() || "-_.".contains(it));
    (words.len() > 1 && words.iter().all(is_word)).then(|| words.join(";"))
}

/// The word `null`, which is a string.
fn null(text: &str, value: &Literal) -> Option<Wrong> {
    let is_null = text.get(value.span.clone())? == "null";
    is_null.then(|| (value.span.clone(), Misread::Null, None))
}
