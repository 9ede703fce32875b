//! `enum` (`basicCommonValidator`).

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};
use std::rc::Rc;

use crd_analyzer_budget as budget;
use serde_json::Value;

use super::Run;
use super::compare::deep_equal;
use super::number::int64;
use super::outcome::{Failure, Outcome, Report};
use super::value_path::ValuePath;
use crate::codes;
use crate::field::render;
use crate::json_schema::JsonSchemaProps;

/// The number of values up to which an enum is searched without building a set of its strings.
const FEW: usize = 16;

/// Cached facts about the enums of a schema. The key is the address of the enum's values.
#[derive(Default)]
pub(super) struct Enums<'s> {
    /// The strings of an enum. They are collected on the second lookup, because a single lookup just walks the list.
    texts: RefCell<HashMap<usize, Option<Rc<HashSet<&'s str>>>>>,
    /// A hash of the values of each enum, which identifies the enum in errors.
    words: RefCell<HashMap<usize, u64>>,
}

impl<'s, 'v> Run<'_, 's, 'v> {
    /// Checks `enum`. Null never matches, even if it is listed.
    pub(super) fn check_enum(
        &self,
        schema: &'s JsonSchemaProps,
        value: &'v Value,
        place: &ValuePath<'_>,
    ) -> Outcome<'s, 'v> {
        let listed = &schema.r#enum;
        if listed.is_empty() || self.enums.lists(listed, value) {
            return Outcome::default();
        }
        // This text is never shown, but errors with the same text are reported only once.
        let what = format!("should be one of {:x}", self.enums.words(listed));
        Failure::at(
            place,
            codes::NOT_IN_ENUM,
            &what,
            Report::NotSupported {
                value,
                supported: listed,
            },
        )
        .into()
    }
}

impl<'s> Enums<'s> {
    fn lists(&self, listed: &'s [Value], value: &Value) -> bool {
        if listed.len() <= FEW {
            return listed.iter().any(|other| is_listed(value, other));
        }
        if let Value::String(text) = value
            && let Some(texts) = self.texts(listed)
        {
            return texts.contains(&**text);
        }
        // If this exhausts the budget, the code that set the limits reports it.
        budget::work(listed.len() as u64).is_err() || listed.iter().any(|other| is_listed(value, other))
    }

    /// The strings of an enum if all its values are strings; `None` on the first lookup.
    fn texts(&self, listed: &'s [Value]) -> Option<Rc<HashSet<&'s str>>> {
        match self.texts.borrow_mut().entry(listed.as_ptr() as usize) {
            Entry::Vacant(first) => {
                first.insert(None);
                None
            }
            Entry::Occupied(again) => {
                let collect = || Rc::new(listed.iter().filter_map(Value::as_str).collect());
                Some(Rc::clone(again.into_mut().get_or_insert_with(collect)))
            }
        }
    }

    /// A hash of an enum. Enums that Go prints alike (`[a b]`) have the same hash.
    fn words(&self, listed: &[Value]) -> u64 {
        let hash = || {
            let mut hasher = DefaultHasher::new();
            for value in listed {
                hasher.write(render::go_value(value).as_bytes());
                hasher.write(b" ");
            }
            hasher.finish()
        };
        *self
            .words
            .borrow_mut()
            .entry(listed.as_ptr() as usize)
            .or_insert_with(hash)
    }
}

/// Whether a value equals an enum value after Go's conversion to the type of the enum value: floats are truncated to integers, integers are widened
/// to floats, and if the enum value is a string, an integer becomes the character with that code.
fn is_listed(value: &Value, listed: &Value) -> bool {
    match (value, listed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(listed)) => match (value.as_i64(), listed.as_i64()) {
            (Some(value), Some(listed)) => value == listed,
            (None, Some(listed)) => value.as_f64().is_some_and(|value| int64(value) == listed),
            (Some(value), None) => Some(value as f64) == listed.as_f64(),
            (None, None) => value.as_f64() == listed.as_f64(),
        },
        (Value::Number(value), Value::String(listed)) => value.as_i64().is_some_and(|code| {
            let c = u32::try_from(code)
                .ok()
                .and_then(char::from_u32)
                .unwrap_or(char::REPLACEMENT_CHARACTER);
            let mut chars = listed.chars();
            chars.next() == Some(c) && chars.next().is_none()
        }),
        _ => deep_equal(value, listed),
    }
}
