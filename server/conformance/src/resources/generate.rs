//! Generates objects from the schema of a CRD, and edits that make them invalid in some places.

mod forge;
mod lead;

use std::sync::Arc;

use crd_analyzer_syntax::read_json;
use crd_analyzer_syntax::split::{read_document, split};
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// A CRD as JSON, with the version for which objects are generated.
pub(crate) struct Definition {
    pub(super) document: Value,
    version: usize,
}

/// The first object of the CRD's kind in a file.
pub(super) fn object_in(text: &Arc<str>, definition: &Definition) -> Option<Value> {
    documents(text).find(|it| it["kind"] == definition.kind() && it["apiVersion"] == definition.api_version())
}

fn documents(text: &Arc<str>) -> impl Iterator<Item = Value> {
    split(text).documents.into_iter().filter_map(|document| {
        let tree = read_document(text, document, &[]).ok()?;
        let json = read_json(&tree).ok()?;
        (json.depth() < 200).then(|| json.root().map(crd_analyzer_syntax::json::Json::to_value))?
    })
}

const WORDS: &[&str] = &[
    "a",
    "b",
    "abc",
    "",
    "A",
    "Foo",
    "foo-bar",
    "example.com",
    "a.b/c",
    "10Mi",
    "1h",
    "30s",
    "v1",
    "1.2.3",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "http://a.b/c",
    "2024-01-02T03:04:05Z",
    "2024-01-02",
    "x y",
    "ä",
    "a\nb",
    "true",
    "1",
    "0",
    "-1",
    "Always",
    "None",
    "ClusterIP",
    "Secret",
    "ConfigMap",
    "foo_bar",
    "a@b.c",
    "Zm9v",
    "100%",
    "25%",
    "500m",
    "550e8400-e29b-41d4-a716-446655440000",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

impl Definition {
    /// The first CRD of a file, and one of its served versions.
    pub(crate) fn read(text: &Arc<str>) -> Option<Self> {
        let document = documents(text).find(|it| it["kind"] == "CustomResourceDefinition")?;
        let versions = document["spec"]["versions"].as_array()?;
        let version = versions
            .iter()
            .rposition(|it| it["served"] == true && it["schema"]["openAPIV3Schema"].is_object())?;
        Some(Self { document, version })
    }

    pub(super) fn kind(&self) -> &str {
        self.document["spec"]["names"]["kind"].as_str().unwrap_or_default()
    }

    pub(super) fn api_version(&self) -> String {
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let spec = &self.document["spec"];
        format!(
            "{}/{}",
            text(&spec["group"]),
            text(&spec["versions"][self.version]["name"])
        )
    }

    /// The `apiVersion` and kind of objects.
    pub(crate) fn type_of(&self) -> (String, String) {
        (self.api_version(), self.kind().to_owned())
    }

    pub(super) fn schema(&self) -> &Value {
        &self.document["spec"]["versions"][self.version]["schema"]["openAPIV3Schema"]
    }

    pub(super) fn schema_mut(&mut self) -> &mut Value {
        &mut self.document["spec"]["versions"][self.version]["schema"]["openAPIV3Schema"]
    }

    pub(super) fn version_mut(&mut self) -> &mut Value {
        &mut self.document["spec"]["versions"][self.version]
    }

    /// An object that mostly matches the schema.
    pub(crate) fn instance(&self, rng: &mut Rng) -> Value {
        let mut object = value(self.schema(), 0, rng);
        if !object.is_object() {
            object = json!({});
        }
        object["apiVersion"] = json!(self.api_version());
        object["kind"] = json!(self.kind());
        object["metadata"] = json!({"name": "test"});
        object
    }

    /// The name of the version for which objects are generated.
    pub(crate) fn version(&self) -> &str {
        self.document["spec"]["versions"][self.version]["name"]
            .as_str()
            .unwrap_or_default()
    }

    /// Makes a change to the object, which usually makes it invalid.
    pub(super) fn edit(&self, object: &mut Value, rng: &mut Rng) {
        if rng.u8(..12) == 0 {
            edit_metadata(object, rng);
            return;
        }
        let mut places = Vec::new();
        collect(object, Some(self.schema()), &mut Vec::new(), &mut places);
        // The edits keep the fields that identify the object.
        places.retain(|(path, _)| {
            !matches!(path.first(), Some(Step::Key(name)) if ["apiVersion", "kind", "metadata"].contains(&name.as_str()))
        });
        let Some((path, schema)) = places.get(rng.usize(..places.len().max(1))) else {
            return;
        };
        if path.is_empty() || rng.u8(..3) == 0 {
            if let Some(at) = find(object, path) {
                inside(at, *schema, rng);
            }
        } else {
            replace(object, path, *schema, rng);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

type GenerateSite<'s> = (Vec<Step>, Option<&'s Value>);

fn collect<'s>(value: &Value, schema: Option<&'s Value>, path: &mut Vec<Step>, places: &mut Vec<GenerateSite<'s>>) {
    places.push((path.clone(), schema));
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(Step::Key(name.clone()));
                collect(value, schema.and_then(|it| field(it, name)), path, places);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate() {
                path.push(Step::Index(n));
                collect(value, schema.and_then(|it| it.get("items")), path, places);
                path.pop();
            }
        }
        _ => {}
    }
}

fn field<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let property = schema.get("properties").and_then(|it| it.get(name));
    property.or_else(|| schema.get("additionalProperties").filter(|it| it.is_object()))
}

fn find<'v>(object: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(object, |at, step| match step {
        Step::Key(name) => at.get_mut(name),
        Step::Index(n) => at.get_mut(*n),
    })
}

/// Replaces or removes the value at a path.
fn replace(object: &mut Value, path: &[Step], schema: Option<&Value>, rng: &mut Rng) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let Some(above) = find(object, above) else {
        return;
    };
    let new = match (rng.u8(..10), schema) {
        (0, _) => {
            match (above, last) {
                (Value::Object(fields), Step::Key(name)) => {
                    fields.remove(name);
                }
                (Value::Array(items), Step::Index(n)) => {
                    items.remove(*n);
                }
                _ => {}
            }
            return;
        }
        (1, _) => Value::Null,
        (2..=3, _) | (_, None) => anything(rng),
        (4..=6, Some(schema)) => value(schema, 1, rng),
        (_, Some(schema)) => near(schema, rng),
    };
    match last {
        Step::Key(name) => above[name] = new,
        Step::Index(n) => above[*n] = new,
    }
}

/// Changes the content of an object or list, or replaces a scalar.
fn inside(at: &mut Value, schema: Option<&Value>, rng: &mut Rng) {
    match at {
        Value::Object(fields) => {
            let known: Vec<&String> = schema
                .and_then(|it| it.get("properties"))
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(Map::keys)
                .filter(|it| !["apiVersion", "kind", "metadata"].contains(&it.as_str()))
                .collect();
            match known.get(rng.usize(..known.len().max(1))) {
                Some(name) if rng.u8(..4) > 0 => {
                    let below = schema.and_then(|it| field(it, name));
                    let new = below.map_or(Value::Null, |it| value(it, 1, rng));
                    fields.insert((*name).clone(), new);
                }
                _ => {
                    let name = ["unknown", "a", "x.y", "Foo", "a/b", "", "metadata", "kind"][rng.usize(..8)];
                    let below = schema.and_then(|it| field(it, name));
                    let new = maybe(below, rng);
                    fields.insert(name.to_owned(), new);
                }
            }
        }
        Value::Array(items) => {
            let below = schema.and_then(|it| it.get("items"));
            match rng.u8(..4) {
                0 if !items.is_empty() => {
                    let copy = items[rng.usize(..items.len())].clone();
                    items.insert(rng.usize(..=items.len()), copy);
                }
                1 => rng.shuffle(items),
                2 => items.truncate(rng.usize(..=items.len())),
                _ => items.push(maybe(below, rng)),
            }
        }
        Value::String(text) => match rng.u8(..4) {
            0 => text.push('x'),
            1 => WORDS[rng.usize(..WORDS.len())].clone_into(text),
            2 => *text = text.to_uppercase(),
            _ => *text = text.repeat(3),
        },
        Value::Number(number) => {
            *at = match (number.as_i64(), rng.u8(..4)) {
                (Some(int), 0) => json!(int.wrapping_add(1)),
                (Some(int), 1) => json!(int.wrapping_neg()),
                (Some(int), 2) => json!(int as f64),
                _ => anything(rng),
            };
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::Null => *at = anything(rng),
    }
}

fn maybe(schema: Option<&Value>, rng: &mut Rng) -> Value {
    match schema {
        Some(schema) => value(schema, 1, rng),
        None => anything(rng),
    }
}

/// A value of any type.
fn anything(rng: &mut Rng) -> Value {
    match rng.u8(..14) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(-3..100)),
        3 => json!(1.5),
        4 => json!(3.0),
        5 => json!(
            [
                9_223_372_036_854_775_807_i64,
                -9_223_372_036_854_775_808_i64,
                2_147_483_648_i64
            ][rng.usize(..3)]
        ),
        6 => json!([1e300, -1e-7, 9_223_372_036_854_775_808.0, 1e21][rng.usize(..4)]),
        7..=9 => json!(WORDS[rng.usize(..WORDS.len())]),
        10 => json!([]),
        11 => json!({}),
        12 => json!([anything(rng), anything(rng)]),
        _ => json!({"a": anything(rng), "b": [1, "x"]}),
    }
}

fn number(schema: &Value, keyword: &str) -> Option<f64> {
    schema.get(keyword).and_then(Value::as_f64)
}

/// A value at the limit of a schema's bounds, on either side.
fn near(schema: &Value, rng: &mut Rng) -> Value {
    let bound = |keyword: &str| {
        number(schema, keyword)
            .filter(|it| it.abs() < 5000.0)
            .map(|it| it as i64)
    };
    let around = rng.i64(-1..=1);
    if let Some(length) = bound("maxLength").filter(|_| rng.bool()).or(bound("minLength")) {
        let unit = ["a", "é", "1", "A-"][rng.usize(..4)];
        return json!(unit.repeat((length + around).clamp(0, 5000) as usize));
    }
    if let Some(value) = bound("maximum").filter(|_| rng.bool()).or(bound("minimum")) {
        return if rng.u8(..4) == 0 {
            json!(value as f64 + 0.5)
        } else {
            json!(value + around)
        };
    }
    if let (Some(items), Some(size)) = (
        schema.get("items"),
        bound("maxItems")
            .filter(|it| *it < 40 && rng.bool())
            .or(bound("minItems")),
    ) {
        return (0..(size + around).clamp(0, 40))
            .map(|_| value(items, 2, rng))
            .collect();
    }
    if let (Some(values), Some(size)) = (
        schema.get("additionalProperties").filter(|it| it.is_object()),
        bound("maxProperties")
            .filter(|it| *it < 40 && rng.bool())
            .or(bound("minProperties")),
    ) {
        let entries = (0..(size + around).clamp(0, 40)).map(|n| (format!("k{n}"), value(values, 2, rng)));
        return Value::Object(entries.collect());
    }
    match schema["type"].as_str() {
        Some("integer") => json!([0, -1, 1, 2_147_483_648_i64, 65536][rng.usize(..5)]),
        Some("string") => json!(WORDS[rng.usize(..WORDS.len())]),
        _ => value(schema, 1, rng),
    }
}

/// A value that mostly matches a schema.
fn value(schema: &Value, depth: usize, rng: &mut Rng) -> Value {
    if depth > 12 {
        return Value::Null;
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.is_empty()
        && rng.u8(..20) > 0
    {
        return choices[rng.usize(..choices.len())].clone();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        return if rng.bool() {
            json!(rng.i64(-1..70000))
        } else {
            json!(WORDS[rng.usize(..WORDS.len())])
        };
    }
    if schema["nullable"] == true && rng.u8(..8) == 0 {
        return Value::Null;
    }
    match schema["type"].as_str() {
        Some("object") => object(schema, depth, rng),
        Some("array") => {
            let least = number(schema, "minItems").unwrap_or(0.0).min(10.0) as usize;
            let count = least + rng.usize(..3);
            (0..count).map(|_| value(&schema["items"], depth + 1, rng)).collect()
        }
        Some("string") => json!(text(schema, rng)),
        Some("integer") => json!(numeric(schema, rng).round() as i64),
        Some("number") => {
            if rng.bool() {
                json!(numeric(schema, rng).round() as i64)
            } else {
                json!(numeric(schema, rng))
            }
        }
        Some("boolean") => json!(rng.bool()),
        _ => anything(rng),
    }
}

fn numeric(schema: &Value, rng: &mut Rng) -> f64 {
    let least = number(schema, "minimum").unwrap_or(0.0);
    let most = number(schema, "maximum").unwrap_or(least + 10.0).min(least + 1e6);
    least + rng.f64() * (most - least)
}

fn text(schema: &Value, rng: &mut Rng) -> String {
    let known = match schema["format"].as_str() {
        Some("date-time") => Some("2024-01-02T03:04:05Z"),
        Some("date") => Some("2024-01-02"),
        Some("duration") => Some("1h30m"),
        Some("uuid") => Some("550e8400-e29b-41d4-a716-446655440000"),
        Some("ipv4") => Some("10.1.2.3"),
        Some("ipv6") => Some("fe80::1"),
        Some("uri") => Some("http://a.b/c"),
        Some("byte") => Some("Zm9v"),
        _ => None,
    };
    if let Some(known) = known.filter(|_| rng.u8(..4) > 0) {
        return known.to_owned();
    }
    let mut text = WORDS[rng.usize(..WORDS.len())].to_owned();
    let least = number(schema, "minLength").unwrap_or(0.0).min(1000.0) as usize;
    while text.chars().count() < least {
        text.push('a');
    }
    text
}

fn object(schema: &Value, depth: usize, rng: &mut Rng) -> Value {
    let mut fields = Map::new();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema["properties"].as_object();
    let chance = match (properties.map_or(0, Map::len), depth) {
        (0..=4, 0..=4) => 60,
        (_, 0..=1) => 50,
        (0..=12, 2..=5) => 25,
        _ => 8,
    };
    for (name, schema) in properties.into_iter().flatten() {
        let included = if required.contains(&name.as_str()) {
            rng.u8(..40) > 0
        } else {
            rng.u8(..100) < chance
        };
        if included {
            fields.insert(name.clone(), value(schema, depth + 1, rng));
        }
    }
    if let Some(values) = schema.get("additionalProperties").filter(|it| it.is_object()) {
        for _ in 0..rng.usize(..3) {
            let name = WORDS[rng.usize(..WORDS.len())];
            fields.insert(name.to_owned(), value(values, depth + 1, rng));
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == true && rng.bool() {
        fields.insert("extra".to_owned(), anything(rng));
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        fields.insert(
            "apiVersion".to_owned(),
            json!(["v1", "apps/v1", "", "a/b/c"][rng.usize(..4)]),
        );
        fields.insert(
            "kind".to_owned(),
            json!(["Pod", "", "a_b", "Deployment"][rng.usize(..4)]),
        );
        let mut resource = json!({"metadata": {"name": "inner"}});
        if rng.bool() {
            edit_metadata(&mut resource, rng);
        }
        fields.insert("metadata".to_owned(), resource["metadata"].take());
    }
    Value::Object(fields)
}

fn edit_metadata(object: &mut Value, rng: &mut Rng) {
    let entries = [
        json!({"name": "Test"}),
        json!({"name": ""}),
        json!({"name": "a.b"}),
        json!({"name": "a/b"}),
        json!({"name": ".."}),
        json!({"name": 1}),
        json!({"name": null}),
        json!({"name": "x".repeat(254)}),
        json!({"name": null, "generateName": "Gen-"}),
        json!({"generateName": "gen-"}),
        json!({"generateName": "_"}),
        json!({"namespace": "other"}),
        json!({"namespace": "Bad_"}),
        json!({"labels": {"a": "b"}}),
        json!({"labels": {"a b": "c"}}),
        json!({"labels": {"a": "b c", "x/y/z": "1", "ok": "-"}}),
        json!({"labels": {"a": 1}}),
        json!({"labels": null}),
        json!({"annotations": {"a": "b"}}),
        json!({"annotations": {"A_": "b", "UPPER": "x"}}),
        json!({"annotations": {"a/": "", "b": null}}),
        json!({"annotations": []}),
        json!({"finalizers": ["a"]}),
        json!({"finalizers": ["a.b/c", "a.b"]}),
        json!({"finalizers": ["orphan", "foregroundDeletion"]}),
        json!({"finalizers": ["a b", "kubernetes", "", "x/y/z"]}),
        json!({"ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c"}]}),
        json!({"ownerReferences": [{}]}),
        json!({"ownerReferences": [{"apiVersion": "a/b/c", "kind": "A", "name": "b", "uid": "c", "controller": true, "x": 1}]}),
        json!({"ownerReferences": [
            {"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "controller": true},
            {"apiVersion": "v1", "kind": "Event", "name": "b", "uid": "d", "controller": true},
        ]}),
        json!({"managedFields": [{"manager": "x"}]}),
        json!({"creationTimestamp": null}),
        json!({"creationTimestamp": "2020-01-02T03:04:05+01:00"}),
        json!({"creationTimestamp": "x"}),
        json!({"deletionTimestamp": "2020-01-02T03:04:05Z"}),
        json!({"deletionGracePeriodSeconds": 3}),
        json!({"generation": -1}),
        json!({"generation": 7}),
        json!({"generation": "x"}),
        json!({"resourceVersion": "5"}),
        json!({"uid": "u"}),
        json!({"selfLink": "/a"}),
        json!({"unknown": 1}),
        json!({"clusterName": "a"}),
    ];
    let entry = &entries[rng.usize(..entries.len())];
    let metadata = &mut object["metadata"];
    match (metadata.as_object_mut(), entry.as_object()) {
        (Some(fields), Some(entry)) if rng.u8(..30) > 0 => {
            for (name, value) in entry {
                fields.insert(name.clone(), value.clone());
            }
        }
        _ => *metadata = [json!({}), json!(null), json!([]), json!("a")][rng.usize(..4)].clone(),
    }
}
