//! Scalar values to try for a schema: its bounds, the constants of the rule, values next to these, the default, and plain values.

use crd_analyzer_schema::JsonSchemaProps;
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::validation::Validator;
use serde_json::Value;

use crate::pattern;
use crate::reads::Reads;

/// The maximum number of values to try per schema.
const MAX_VALUES: usize = 14;
/// The maximum number of values to try for the schemas in `allOf`, `anyOf` and `oneOf`.
const MAX_TRIED: usize = 400;
/// The maximum length of a string that is generated to satisfy `minLength`.
const MAX_TEXT: usize = 256;

/// Strings in common formats, for patterns for which no string can be generated.
const SAMPLES: [&str; 16] = [
    "a",
    "1",
    "a.b",
    "a/b",
    "1Gi",
    "10s",
    "http://a.b",
    "https://a.b",
    "10.0.0.1",
    "10.0.0.0/8",
    "a@b.c",
    "v1",
    "A",
    "1.0.0",
    "2024-01-01T00:00:00Z",
    "a:1",
];

/// Scalars that the schema accepts, the simplest first. Empty if the search finds no such scalars.
pub(crate) fn scalars<'s>(schema: Structural<'s>, validator: &Validator<'s>, reads: Option<&Reads>) -> Vec<Value> {
    let props = schema.props();
    let mut tried = Vec::new();
    if props.r#enum.is_empty() {
        tried.extend(
            schema
                .default_value()
                .filter(|it| !it.is_object() && !it.is_array())
                .cloned(),
        );
        listed_in_clauses(props, &mut tried);
        if schema.is_int_or_string() {
            integers(props, reads, &mut tried);
            tried.truncate(6);
            texts(props, reads, &mut tried);
        } else {
            match schema.r#type() {
                "string" => texts(props, reads, &mut tried),
                "integer" => integers(props, reads, &mut tried),
                "number" => numbers(props, reads, &mut tried),
                "boolean" => tried.extend([Value::Bool(true), Value::Bool(false)]),
                _ => {}
            }
            in_clauses(schema.r#type(), props, &mut tried);
        }
    } else {
        tried.extend(props.r#enum.iter().take(MAX_VALUES).cloned());
    }
    let mut allowed: Vec<Value> = Vec::new();
    for value in tried {
        if allowed.len() == MAX_VALUES {
            break;
        }
        if !value.is_null()
            && !allowed.contains(&value)
            && validator.validate_node(props, &Path::root(), &value).is_empty()
        {
            allowed.push(value);
            if reads.is_none() {
                break;
            }
        }
    }
    allowed
}

/// Scalars that the schema accepts, the simplest first: those of [`scalars`], and those among these constants.
pub(crate) fn scalars_with<'s>(schema: Structural<'s>, validator: &Validator<'s>, constants: &[Value]) -> Vec<Value> {
    let props = schema.props();
    let mut allowed = scalars(schema, validator, Some(&Reads::default()));
    for value in constants {
        let is_scalar = !value.is_object() && !value.is_array() && !value.is_null();
        if is_scalar && !allowed.contains(value) && validator.validate_node(props, &Path::root(), value).is_empty() {
            allowed.push(value.clone());
        }
    }
    allowed
}

/// The schemas in `allOf`, `anyOf` and `oneOf`.
fn clauses(props: &JsonSchemaProps) -> impl Iterator<Item = &JsonSchemaProps> {
    let rare = props.rare.get().into_iter();
    rare.flat_map(|it| it.all_of.iter().chain(&it.any_of).chain(&it.one_of))
}

/// Adds the `enum` values of the schemas in `allOf`, `anyOf` and `oneOf`. If a Go type and a field of this type both list values, controller-gen
/// writes an `allOf` of the two lists.
fn listed_in_clauses(props: &JsonSchemaProps, found: &mut Vec<Value>) {
    for clause in clauses(props) {
        if found.len() >= MAX_TRIED {
            return;
        }
        found.extend(clause.r#enum.iter().take(MAX_VALUES).cloned());
        listed_in_clauses(clause, found);
    }
}

/// Adds values of a type that satisfy the bounds, patterns and formats of the schemas in `allOf`, `anyOf` and `oneOf`.
fn in_clauses(ty: &str, props: &JsonSchemaProps, found: &mut Vec<Value>) {
    for clause in clauses(props) {
        if found.len() >= MAX_TRIED {
            return;
        }
        match ty {
            "string" => texts(clause, None, found),
            "integer" => integers(clause, None, found),
            "number" => numbers(clause, None, found),
            _ => {}
        }
        in_clauses(ty, clause, found);
    }
}

fn texts(props: &JsonSchemaProps, reads: Option<&Reads>, found: &mut Vec<Value>) {
    let mut push = |text: &str| found.push(Value::from(text));
    match props.format.as_str() {
        "date-time" => push("2024-01-01T00:00:00Z"),
        "date" => push("2024-01-01"),
        "duration" => push("1h"),
        "byte" => push("YQ=="),
        "uri" => push("http://a.b"),
        "email" => push("a@b.c"),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => push("7d444840-9dc0-41d1-b245-5ffdce74fad2"),
        "ipv4" => push("10.0.0.1"),
        "ipv6" => push("fd00::1"),
        "cidr" => push("10.0.0.0/8"),
        "mac" => push("00:00:5e:00:53:01"),
        "password" | "hostname" => push("a"),
        _ => {}
    }
    if !props.pattern.is_empty()
        && let Some(text) = pattern::matching(&props.pattern)
    {
        push(&text);
    }
    push("a");
    if let Some(reads) = reads {
        reads.texts.iter().for_each(|it| push(it));
        push("");
        reads.texts.iter().for_each(|it| push(&format!("a{it}a")));
    }
    let least = usize::try_from(props.min_length.unwrap_or(0)).unwrap_or(0);
    if (2..=MAX_TEXT).contains(&least) {
        push(&"a".repeat(least));
    }
    SAMPLES.into_iter().for_each(push);
}

fn integers(props: &JsonSchemaProps, reads: Option<&Reads>, found: &mut Vec<Value>) {
    let bound = |bound: Option<f64>| bound.filter(|it| it.abs() < 9e15).map(|it| it as i64);
    let (least, most) = (bound(props.minimum), bound(props.maximum));
    let mut push = |int: i64| found.push(Value::from(int));
    push(1);
    if let Some(reads) = reads {
        reads.ints.iter().for_each(|it| push(*it));
        push(0);
        for int in &reads.ints {
            push(int.saturating_add(1));
            push(int.saturating_sub(1));
        }
    }
    for bound in [least, most].into_iter().flatten() {
        push(bound);
        push(bound.saturating_add(1));
        push(bound.saturating_sub(1));
    }
    if let Some(multiple) = bound(props.multiple_of) {
        push(multiple);
    }
    push(0);
    if reads.is_some() {
        [2, -1, i64::MAX, i64::MIN].into_iter().for_each(push);
    }
}

fn numbers(props: &JsonSchemaProps, reads: Option<&Reads>, found: &mut Vec<Value>) {
    let mut push = |number: f64| found.push(Value::from(number));
    push(1.5);
    push(1.0);
    if let Some(reads) = reads {
        for double in reads
            .doubles
            .iter()
            .copied()
            .chain(reads.ints.iter().map(|it| *it as f64))
        {
            push(double);
            push(double + 1.0);
            push(double - 1.0);
        }
    }
    for bound in [props.minimum, props.maximum, props.multiple_of].into_iter().flatten() {
        push(bound);
        push(bound + 0.5);
        push(bound - 0.5);
    }
    push(0.0);
    push(-1.5);
}
