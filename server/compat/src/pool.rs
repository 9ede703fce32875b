//! Values to try for a change: values that one schema accepts and the other may reject.

use std::collections::HashSet;

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::structural::lookup;
use crd_analyzer_schema::validation::int64;
use serde_json::{Map, Value, json};

use crate::diff::Kind;
use crate::make::{MAX_ITEMS, Maker, ways};
use crate::steps::{Step, below};

/// The maximum number of values made for a node.
const MOST: usize = 60;
/// The maximum number of `enum` values that are tried.
const MOST_LISTED: usize = 60;
/// The maximum length of a string.
const MAX_TEXT: i64 = 70_000;

/// Names to try for objects.
const NAMES: &[&str] = &["a", "1", "a-b", "a.b"];

/// A value to try, with its node.
pub(crate) struct Candidate {
    pub(crate) value: Value,
    /// `None` for the node itself, otherwise the step to one of its children.
    pub(crate) below: Option<Step>,
}

/// The values that may demonstrate a change at a node. `from` is the node in the schema that accepts the values, and `to` is the node in the other
/// schema.
pub(crate) fn candidates<'s>(
    kind: &Kind,
    maker: &Maker<'s>,
    from: &'s JsonSchemaProps,
    to: &JsonSchemaProps,
) -> Vec<Candidate> {
    let here = |value: Value| Candidate { value, below: None };
    match kind {
        Kind::Property(name) => {
            let Some(property) = lookup(&from.properties, name) else {
                let mut found: Vec<Candidate> = objects(maker, from).into_iter().map(here).collect();
                found.extend(unlisted(maker, from, to, name));
                if ["name", "generateName"].contains(&name.as_str()) {
                    found.extend(NAMES.iter().map(|it| here(json!({name: it}))));
                    found.extend([63, 64, 253].map(|it| here(json!({name: "a".repeat(it)}))));
                }
                return found;
            };
            let values = of_node(maker, property, property).into_iter();
            let mut found: Vec<Candidate> = values
                .map(|value| Candidate {
                    value,
                    below: Some(Step::Property(name.clone())),
                })
                .collect();
            found.extend(objects(maker, from).into_iter().map(here));
            found
        }
        Kind::Required(name) => {
            let all = objects(maker, from).into_iter();
            all.filter(|it| it.get(name).is_none()).map(here).collect()
        }
        Kind::Values | Kind::Preserve => {
            let mut found = unlisted(maker, from, to, "unknown");
            // List items can contain unknown fields that the schema preserves.
            if let (Some(items), Some(other)) = (below(from, &Step::Items), below(to, &Step::Items)) {
                let lists = unlisted(maker, items, other, "unknown").into_iter();
                found.extend(lists.map(|it| here(Value::Array(vec![it.value]))));
            }
            found.extend(of_node(maker, from, to).into_iter().map(here));
            found
        }
        _ => of_node(maker, from, to).into_iter().map(here).collect(),
    }
}

/// Fields that a schema does not define but preserves.
fn unlisted<'s>(maker: &Maker<'s>, from: &'s JsonSchemaProps, to: &JsonSchemaProps, name: &str) -> Vec<Candidate> {
    let mut values = vec![
        json!("a"),
        json!(1),
        json!({}),
        json!({"a": "a"}),
        json!([]),
        json!(true),
    ];
    if let Some(schema) = below(from, &Step::Values) {
        values = of_node(maker, schema, below(to, &Step::Values).unwrap_or(schema));
    }
    let objects = values.into_iter().filter_map(|value| {
        let given = Map::from_iter([(name.to_owned(), value)]);
        maker.object(from, given, 0)
    });
    objects.map(|value| Candidate { value, below: None }).collect()
}

/// Values for a node, simplest first.
pub(crate) fn of_node<'s>(maker: &Maker<'s>, from: &'s JsonSchemaProps, to: &JsonSchemaProps) -> Vec<Value> {
    let mut found = match from.r#type.as_str() {
        "object" => objects(maker, from),
        "array" => lists(maker, from, to),
        "" if !from.x_int_or_string => {
            let any = [
                json!("a"),
                json!(1),
                json!({}),
                json!({"a": "a"}),
                json!([]),
                json!(["a"]),
                json!(true),
                json!(1.5),
            ];
            any.into_iter().filter(|it| maker.accepts(from, it)).collect()
        }
        _ => {
            let mut constants = constants(from, to);
            let plain = maker.scalars(from, &[]);
            let first = plain.iter().find_map(|it| it.as_str().filter(|it| !it.is_empty()));
            constants.extend(first.into_iter().flat_map(|it| lengthened(it, from, to)));
            maker.scalars(from, &constants)
        }
    };
    if from.nullable || to.nullable {
        found.push(Value::Null);
    }
    if !from.format.is_empty() {
        // A list is also accepted if a string with a format is expected.
        found.extend(Some(json!([])).filter(|it| maker.accepts(from, it)));
    }
    // A null that is not allowed is dropped, so null can demonstrate a change.
    found.push(Value::Null);
    found
}

/// Extends a string to the length limits in two ways, so that it may still match a pattern.
fn lengthened(text: &str, from: &JsonSchemaProps, to: &JsonSchemaProps) -> Vec<Value> {
    let size = text.chars().count();
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().last()) else {
        return Vec::new();
    };
    let bounds = [to.max_length, from.max_length, to.min_length, from.min_length];
    let lengths = bounds
        .into_iter()
        .flatten()
        .flat_map(|it| [it, it.saturating_add(1), it - 1]);
    lengths
        .filter_map(|it| usize::try_from(it.min(MAX_TEXT)).ok()?.checked_sub(size))
        .flat_map(|more| {
            let filled = |it: char| it.to_string().repeat(more);
            [format!("{text}{}", filled(last)), format!("{}{text}", filled(first))]
        })
        .map(Value::from)
        .collect()
}

/// Scalars from both schemas, and values next to their limits.
fn constants(from: &JsonSchemaProps, to: &JsonSchemaProps) -> Vec<Value> {
    let mut found = Vec::new();
    for (schema, other) in [(to, from), (from, to)] {
        // Values that only one of the two enums lists are preferred.
        let others: HashSet<_> = other.r#enum.iter().collect();
        let of_enum = || schema.r#enum.iter().filter(|it| !it.is_null());
        let only_here = of_enum().filter(|it| !others.contains(it));
        let in_both = of_enum().filter(|it| others.contains(it));
        found.extend(only_here.chain(in_both).take(MOST_LISTED).cloned());
        for bound in [schema.maximum, schema.minimum, schema.multiple_of]
            .into_iter()
            .flatten()
        {
            if bound.abs() < 9e15 {
                // The limit is rounded to an integer, and the integers next to it are tried too.
                let bound = int64(bound);
                found.extend([bound, bound + 1, bound - 1].map(Value::from));
            }
            found.extend([bound, bound + 0.5, bound - 0.5, bound.next_up(), bound.next_down()].map(Value::from));
        }
        for length in [schema.max_length, schema.min_length].into_iter().flatten() {
            for length in [length, length.saturating_add(1), length - 1] {
                if (0..=MAX_TEXT).contains(&length) {
                    found.push(Value::from("a".repeat(length as usize)));
                    found.push(Value::from("1".repeat(length as usize)));
                }
            }
        }
        found.extend(schema.default.clone().filter(|it| !it.is_null()));
    }
    found.extend([
        json!(i64::from(i32::MAX) + 1),
        json!(i64::from(i32::MIN) - 1),
        json!(1e40),
        json!(2.5),
        json!(""),
        json!("A"),
        json!("_"),
        json!("a b"),
        json!("-"),
        json!("1"),
        json!("ä"),
        json!("a\nb"),
        json!("\n"),
        json!("0"),
        json!(0.0),
        json!(i64::MAX),
        json!(i64::MIN),
        json!("A.b-c_d/e:f"),
        json!("x".repeat(64)),
        json!("x".repeat(300)),
    ]);
    found
}

/// Objects: the smallest object, objects with one more property, and an object with all properties.
fn objects<'s>(maker: &Maker<'s>, from: &'s JsonSchemaProps) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut push = |value: Option<Value>| {
        if let Some(value) = value
            && !found.contains(&value)
            && found.len() < MOST
        {
            found.push(value);
        }
    };
    push(Some(json!({})).filter(|it| maker.accepts(from, it)));
    push(maker.object(from, Map::new(), 0));
    let made = |names: &[&str]| {
        let mut given = Map::new();
        for name in names {
            let value = maker.smallest(lookup(&from.properties, name)?)?;
            given.insert((*name).to_owned(), value);
        }
        maker.object(from, given, 0)
    };
    for names in ways(from).into_iter().take(2 * MOST) {
        push(made(&names));
    }
    let all: Vec<&str> = from.properties.iter().map(|it| it.0.as_str()).collect();
    push(made(&all));
    for pair in all.windows(2).take(MOST / 4) {
        push(made(pair));
    }
    if let Some(values) = below(from, &Step::Values)
        && let Some(value) = maker.smallest(values)
    {
        let counts = [from.max_properties, from.min_properties, Some(1), Some(2), Some(40)];
        for count in counts.into_iter().flatten() {
            let count = usize::try_from(count).unwrap_or(0);
            if (1..=MAX_ITEMS).contains(&count) {
                let names = (0..count).map(|n| (format!("a{n}"), value.clone()));
                push(maker.object(from, names.collect(), 0));
            }
        }
    }
    found
}

/// Lists: empty, with one item, with two equal items, and as long as the limits allow.
fn lists<'s>(maker: &Maker<'s>, from: &'s JsonSchemaProps, to: &JsonSchemaProps) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut push = |value: Value| {
        if !found.contains(&value) && maker.accepts(from, &value) {
            found.push(value);
        }
    };
    push(json!([]));
    let bounds = [to.max_items, to.min_items, from.max_items, from.min_items];
    let near = bounds
        .into_iter()
        .flatten()
        .flat_map(|it| [it, it.saturating_add(1), it - 1]);
    let mut sizes: Vec<usize> = [1, 2]
        .into_iter()
        .chain(near)
        .filter_map(|it| usize::try_from(it).ok())
        .collect();
    sizes.retain(|it| (1..=MAX_ITEMS).contains(it));
    sizes.sort_unstable();
    sizes.dedup();
    let Some(first) = below(from, &Step::Items).and_then(|it| maker.smallest(it)) else {
        return found;
    };
    for size in sizes {
        if let Some(items) = maker.different_items(from, size) {
            push(Value::Array(items));
        }
        if size == 2 {
            push(json!([first, first]));
        }
    }
    found
}
