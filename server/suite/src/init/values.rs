//! Creates values for schemas: the smallest valid values, values to try, and values that a keyword rejects.

use serde_json::{Map, Number, Value, json};

/// Strings to try if a pattern or rule requires more than a letter.
const TEXTS: [&str; 20] = [
    "a",
    "example",
    "example.com",
    "10.0.0.1",
    "10.0.0.0/24",
    "https://example.com",
    "1",
    "1h",
    "1Gi",
    "1.0.0",
    "v1",
    "A",
    "a-b",
    "a/b",
    "/a",
    "a=b",
    "0 0 * * *",
    "50%",
    "2020-01-01T00:00:00Z",
    "0123456789abcdef",
];

/// The maximum length of generated strings and lists.
const MOST: u64 = 300;

/// The smallest value that the schema allows, as far as that is clear without a search.
pub(super) fn smallest(schema: &Value, depth: usize) -> Value {
    if let Some(value) = schema.get("default") {
        return value.clone();
    }
    if let Some(value) = schema["enum"].as_array().and_then(|it| it.first()) {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let names = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let names = names.filter(|_| depth > 0);
            let entries = names.map(|name| (name.to_owned(), smallest(&schema["properties"][name], depth - 1)));
            let mut object: Map<String, Value> = entries.collect();
            if schema["minProperties"].as_u64().is_some_and(|it| it > 0) && object.is_empty() && depth > 0 {
                let first = schema["properties"].as_object().and_then(|it| it.iter().next());
                let (name, inner) = first.map_or(("a", &schema["additionalProperties"]), |it| (it.0, it.1));
                object.insert(name.to_owned(), smallest(inner, depth - 1));
            }
            Value::Object(object)
        }
        Some("array") => {
            let items = schema["minItems"].as_u64().unwrap_or_default().min(16);
            let item = smallest(&schema["items"], depth.saturating_sub(1));
            Value::Array(vec![item; items as usize])
        }
        Some("integer" | "number") => number(schema["minimum"].as_f64().unwrap_or_default().max(0.0).ceil()),
        Some("boolean") => json!(false),
        _ if schema["x-kubernetes-int-or-string"] == Value::Bool(true) => json!(1),
        _ => json!(text(schema)),
    }
}

fn text(schema: &Value) -> String {
    let formatted = match schema["format"].as_str().unwrap_or_default() {
        "date-time" => "2020-01-01T00:00:00Z",
        "date" => "2020-01-01",
        "ipv4" => "10.0.0.1",
        "ipv6" => "::1",
        "cidr" => "10.0.0.0/24",
        "uri" => "https://example.com",
        "email" => "a@example.com",
        "hostname" => "example.com",
        "uuid" | "uuid4" => "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "duration" => "1h",
        "byte" => "YQ==",
        _ => "a",
    };
    let least = schema["minLength"].as_u64().unwrap_or_default().min(MOST) as usize;
    format!("{formatted}{}", "a".repeat(least.saturating_sub(formatted.len())))
}

/// A number as it is written in JSON, without a decimal point if it is an integer.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        json!(value as i64)
    } else {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}

/// Values to try for a field.
pub(super) fn candidates(schema: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = schema["enum"].as_array().cloned().unwrap_or_default();
    match schema["type"].as_str() {
        Some("object") => {
            found.push(smallest(schema, 4));
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (name, inner) in properties.take(12) {
                let mut object = smallest(schema, 4);
                if let Value::Object(object) = &mut object {
                    object.insert(name.clone(), smallest(inner, 4));
                }
                found.push(object);
            }
        }
        Some("array") => {
            let items = candidates(&schema["items"]);
            found.push(json!([]));
            found.extend(items.iter().take(3).map(|it| json!([it])));
            found.push(Value::Array(items.iter().take(2).cloned().collect()));
            found.extend(items.first().map(|it| json!([it, it])));
            let least = schema["minItems"].as_u64().unwrap_or_default() as usize;
            found.retain(|it| it.as_array().is_none_or(|it| it.len() >= least));
            found.extend((found.is_empty() && least <= 16).then(|| smallest(schema, 4)));
        }
        Some("integer" | "number") => {
            let bounds = ["minimum", "maximum"].into_iter().filter_map(|it| schema[it].as_f64());
            found.extend(bounds.map(number));
            found.extend([0, 1, 2, 10, 100, -1].map(|it| json!(it)));
        }
        Some("boolean") => found.extend([json!(true), json!(false)]),
        _ if found.is_empty() => {
            found.push(smallest(schema, 0));
            found.extend(TEXTS.iter().map(|it| json!(it)));
            let least = schema["minLength"].as_u64().unwrap_or_default().min(MOST) as usize;
            found.push(json!("a".repeat(least + 1)));
            found.push(json!(""));
        }
        _ => {}
    }
    found
}

/// Values to try for a field that a rule names. Literals from the rule come first.
pub(super) fn candidates_of(schema: &Value, rule: &str) -> Vec<Value> {
    let mut found = simple_candidates(schema, rule);
    found.extend(with_fields(schema, rule, 3));
    found
}

fn simple_candidates(schema: &Value, rule: &str) -> Vec<Value> {
    let (numbers, texts) = literals(rule);
    let near = || numbers.iter().flat_map(|it| [*it, it + 1, it - 1]);
    let lengths = || near().filter(|it| (1..=MOST as i64).contains(it)).map(|it| it as u64);
    let mut found: Vec<Value> = match schema["type"].as_str() {
        Some("integer" | "number") => near().map(|it| json!(it)).collect(),
        Some("string") => {
            let long = lengths().map(|it| "a".repeat(it as usize));
            texts.iter().cloned().chain(long).map(Value::String).collect()
        }
        Some("array") => {
            let lists = lengths().map(|it| (0..it).map(|n| distinct(&schema["items"], n)).collect());
            lists.map(Value::Array).collect()
        }
        _ => Vec::new(),
    };
    found.truncate(9);
    found.extend(candidates(schema));
    found
}

/// The maximum number of values to try for a field of a list's items, or of an object.
const MOST_INNER: usize = 12;
/// The maximum number of lists and objects that differ in a field.
const MOST_FIELDS: usize = 36;

/// Lists with one object, and objects, with values to try for the fields that a rule names. `depth`: the levels below.
fn with_fields(schema: &Value, rule: &str, depth: usize) -> Vec<Value> {
    if depth == 0 {
        return Vec::new();
    }
    if schema["type"] == "array" {
        let items = with_fields(&schema["items"], rule, depth - 1).into_iter();
        return items.map(|it| json!([it])).collect();
    }
    let mut found = Vec::new();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if !rule.contains(name.as_str()) {
            continue;
        }
        if found.len() >= MOST_FIELDS {
            break;
        }
        let nested = with_fields(inner, rule, depth - 1);
        let values = if nested.is_empty() {
            simple_candidates(inner, rule)
        } else {
            nested
        };
        for value in values.into_iter().take(MOST_INNER) {
            if let Value::Object(mut object) = smallest(schema, 4) {
                object.insert(name.clone(), value);
                found.push(Value::Object(object));
            }
        }
    }
    found
}

/// The number literals and string literals in a rule.
fn literals(rule: &str) -> (Vec<i64>, Vec<String>) {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    let mut rest = rule;
    while let Some(at) = rest.find(|it: char| it == '\'' || it == '"' || it.is_ascii_digit()) {
        let before = rest[..at].chars().next_back();
        let first = rest[at..].chars().next().unwrap_or_default();
        let after = &rest[at + 1..];
        if first.is_ascii_digit() {
            let end = rest[at..]
                .find(|it: char| !it.is_ascii_digit())
                .map_or(rest.len(), |it| at + it);
            // Skip digits that are part of a name.
            if !before.is_some_and(|it| it.is_alphanumeric() || it == '_') {
                numbers.extend(rest[at..end].parse::<i64>().ok().filter(|it| it.abs() < 1 << 40));
            }
            rest = &rest[end..];
        } else {
            let end = after.find(first).unwrap_or(after.len());
            texts.push(after[..end].to_owned());
            rest = after.get(end + 1..).unwrap_or_default();
        }
    }
    (numbers, texts)
}

/// The smallest value. If the schema does not restrict a string or number, it depends on `n`, because the items of a set must differ.
fn distinct(schema: &Value, n: u64) -> Value {
    let is_free = ["enum", "pattern", "format", "maximum"]
        .into_iter()
        .all(|it| schema[it].is_null());
    match schema["type"].as_str() {
        Some("string") if is_free => json!(format!("{}{n}", text(schema))),
        Some("integer") if is_free => json!(schema["minimum"].as_i64().unwrap_or_default() + n as i64),
        _ => smallest(schema, 4),
    }
}

/// A value that a keyword of the schema rejects.
pub(super) struct Refused {
    /// A phrase for what the keyword requires, which follows the path of the value.
    pub(super) rule: String,
    /// A value that the keyword rejects.
    pub(super) value: Value,
}

/// For each keyword that restricts the values, a value that it rejects.
pub(super) fn refused(schema: &Value) -> Vec<Refused> {
    let mut found = Vec::new();
    let mut add = |rule: String, value: Value| found.push(Refused { rule, value });
    let count = |name: &str| schema[name].as_u64();
    if let Some(values) = schema["enum"].as_array().filter(|it| it.iter().all(Value::is_string)) {
        let names: Vec<&str> = values.iter().filter_map(Value::as_str).take(4).collect();
        let more = if values.len() > names.len() { ", …" } else { "" };
        add(format!("is one of {}{more}", names.join(", ")), json!("SomethingElse"));
    }
    match schema["type"].as_str() {
        Some("string") => {
            if let Some(least) = count("minLength").filter(|it| (1..=MOST).contains(it)) {
                add(
                    format!("has at least {least} bytes"),
                    json!("a".repeat(least as usize - 1)),
                );
            }
            if let Some(most) = count("maxLength").filter(|it| *it < MOST) {
                add(
                    format!("has at most {most} bytes"),
                    json!("a".repeat(most as usize + 1)),
                );
            }
            if schema["pattern"].is_string() {
                add("follows its pattern".to_owned(), json!("not this: !"));
            }
        }
        Some("integer" | "number") => {
            if let Some(least) = schema["minimum"].as_f64() {
                add(format!("is at least {}", number(least)), number(least - 1.0));
            }
            if let Some(most) = schema["maximum"].as_f64() {
                add(format!("is at most {}", number(most)), number(most + 1.0));
            }
        }
        Some("array") => {
            if count("minItems").is_some_and(|it| it > 0) {
                add("has items".to_owned(), json!([]));
            }
            if let Some(most) = count("maxItems").filter(|it| *it < 20) {
                let items = (0..=most).map(|n| distinct(&schema["items"], n));
                add(format!("has at most {most} items"), items.collect());
            }
        }
        _ => {}
    }
    found
}

/// The value at a path of names. `None` if it does not exist.
pub(super) fn at<'v>(object: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(object, |it, name| match it {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    })
}

/// A copy of the object in which the value at a path is replaced or removed. Missing parents are created as the schema requires. An index after the
/// last item of a list appends an item.
pub(super) fn with(object: &Value, schema: &Value, path: &[String], value: Option<Value>) -> Option<Value> {
    let mut changed = object.clone();
    let mut place = &mut changed;
    let mut schema = schema;
    let (last, above) = path.split_last()?;
    for name in above {
        schema = inner(schema, name);
        place = match place {
            Value::Array(items) => {
                let index = name.parse::<usize>().ok()?;
                if index == items.len() {
                    items.push(smallest(schema, 4));
                }
                items.get_mut(index)?
            }
            Value::Object(object) => object.entry(name.clone()).or_insert_with(|| smallest(schema, 4)),
            _ => return None,
        };
    }
    match (place, value) {
        (Value::Array(items), Some(value)) => match last.parse::<usize>().ok()? {
            index if index == items.len() => items.push(value),
            index => *items.get_mut(index)? = value,
        },
        (Value::Array(items), None) => drop(items.remove(last.parse::<usize>().ok().filter(|it| *it < items.len())?)),
        (Value::Object(object), Some(value)) => drop::<Option<Value>>(object.insert(last.clone(), value)),
        (Value::Object(object), None) => drop(object.remove(last)?),
        _ => return None,
    }
    Some(changed)
}

/// The schema of the property or item with this name or index.
pub(super) fn inner<'s>(schema: &'s Value, name: &str) -> &'s Value {
    let properties: Option<&Map<String, Value>> = schema["properties"].as_object();
    match properties.and_then(|it| it.get(name)) {
        Some(found) => found,
        None if schema["items"].is_object() => &schema["items"],
        None => &schema["additionalProperties"],
    }
}
